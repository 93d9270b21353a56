/* bench_work_precision - error against cost, Keel and its peers, on one machine in one run.
 *
 *     bench_work_precision [-d PROGRAMS] [-o DIRECTORY] [--only 'PROBLEM ...'] [--keel] [--instructions]
 * [--limit S]
 *
 * writes work_precision.csv, .md and .html. The runs are made one after the other, nothing else should be
 * running. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../problems.h"
#include "table.h"

typedef struct arguments {
    request request;
    const char *output;
} arguments;

static bool read_arguments(int argc, char **argv, arguments *a) {
    *a = (arguments){.request = {.directory = "build/bench", .limit = 5}, .output = "."};
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--keel") == 0)
            a->request.keel_only = true;
        else if (strcmp(argv[i], "--instructions") == 0)
            a->request.count_instructions = true;
        else if (more && strcmp(argv[i], "-d") == 0)
            a->request.directory = argv[++i];
        else if (more && strcmp(argv[i], "-o") == 0)
            a->output = argv[++i];
        else if (more && strcmp(argv[i], "--only") == 0)
            a->request.only = argv[++i];
        else if (more && strcmp(argv[i], "--limit") == 0)
            a->request.limit = strtod(argv[++i], NULL);
        else
            return false;
    }
    return a->request.limit > 0;
}

static bool is_asked_for(const table *t, const char *problem) {
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->curves[i].problem, problem) == 0)
            return true;
    return false;
}

static bool write_all(const table *t, const char *directory) {
    static const struct {
        const char *suffix;
        bool (*write)(const table *t, const char *path);
    } FILES[] = {{"csv", write_csv}, {"md", write_markdown}, {"html", write_page}};
    bool good = true;
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/work_precision.%s", directory, FILES[i].suffix);
        if (!FILES[i].write(t, path)) {
            perror(path);
            good = false;
        }
    }
    return good;
}

/* What is known is written after every problem: an interrupted benchmark keeps what it has. */
static bool measure_all(table *t, const request *r, const char *directory) {
    bool good = true;
    for (int p = 0; p < BENCH_PROBLEM_COUNT; p++) {
        if (!is_asked_for(t, BENCH_PROBLEMS[p].name))
            continue;
        find_reference(t, p, r);
        for (int i = 0; i < t->count; i++)
            if (strcmp(t->curves[i].problem, BENCH_PROBLEMS[p].name) == 0)
                run_curve(&t->curves[i], r);
        measure_errors(t, p);
        good = good && write_all(t, directory);
    }
    if (r->count_instructions)
        count_instructions(t, r);
    return good && write_all(t, directory);
}

int main(int argc, char **argv) {
    arguments a;
    table t = {0};
    if (!read_arguments(argc, argv, &a)) {
        fprintf(stderr,
                "usage: %s [-d PROGRAMS] [-o DIRECTORY] [--only 'PROBLEM ...'] [--keel] [--instructions] "
                "[--limit S]\n",
                argv[0]);
        return 2;
    }
    t.references = calloc((size_t)BENCH_PROBLEM_COUNT, sizeof *t.references);
    if (!t.references || !collect_offers(&t, &a.request)) {
        fprintf(stderr, "no solvers in %s, or none that offers the problem\n", a.request.directory);
        return 1;
    }
    mkdir(a.output, 0777); /* if it is not there yet; what fails shows at once, not after an hour */
    bool good = write_all(&t, a.output) && measure_all(&t, &a.request, a.output);
    if (good)
        printf("the page is %s/work_precision.html, the numbers are in .csv and .md beside it\n", a.output);
    free(t.curves);
    free(t.references);
    return good ? 0 : 1;
}
