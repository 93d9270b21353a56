/* The solvers are programs of their own (driver.h): a crash or an endless run of one of them costs one point.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../problems.h"
#include "table.h"

enum { LINE_MAX_LENGTH = 16384, COMMAND_MAX = 1024 };

/* "hem5" for "peer_hem5", "keel" for "solver_keel"; NULL for other programs. */
static const char *solver_name(const char *program) {
    static const char *const PREFIXES[] = {"solver_", "peer_"};
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
        if (strncmp(program, PREFIXES[i], strlen(PREFIXES[i])) == 0 && !strchr(program, '.'))
            return program + strlen(PREFIXES[i]);
    return NULL;
}

static curve *add_curve(table *t) {
    if (t->count == t->room) {
        int room = t->room ? 2 * t->room : 64;
        curve *larger = realloc(t->curves, (size_t)room * sizeof *larger);
        if (!larger)
            return NULL;
        t->curves = larger;
        t->room = room;
    }
    curve *c = &t->curves[t->count++];
    memset(c, 0, sizeof *c);
    return c;
}

/* One line of `list`. */
static bool take_offer(table *t, const char *solver, char *line, const request *r) {
    char *rest = line, *problem = strtok_r(rest, " \n", &rest), *method = strtok_r(rest, " \n", &rest),
         *parameter = strtok_r(rest, " \n", &rest);
    if (!parameter || !bench_find_problem(problem) || (r->only && !has_word(r->only, problem)))
        return true;
    curve *c = add_curve(t);
    if (!c)
        return false;
    snprintf(c->problem, sizeof c->problem, "%s", problem);
    snprintf(c->solver, sizeof c->solver, "%s", solver);
    snprintf(c->method, sizeof c->method, "%s", method);
    snprintf(c->parameter, sizeof c->parameter, "%s", parameter);
    for (char *word; c->count < BENCH_LADDER_MAX && (word = strtok_r(rest, " \n", &rest));)
        c->points[c->count++].value = strtod(word, NULL);
    return true;
}

static bool ask_for_offers(table *t, const char *program, const char *solver, const request *r) {
    char command[COMMAND_MAX], line[LINE_MAX_LENGTH];
    bool good = true;
    snprintf(command, sizeof command, "'%s/%s' list", r->directory, program);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return false;
    while (good && fgets(line, sizeof line, pipe))
        good = take_offer(t, solver, line, r);
    pclose(pipe);
    return good;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

bool collect_offers(table *t, const request *r) {
    struct dirent **entries;
    int count = scandir(r->directory, &entries, NULL, by_name);
    bool good = count >= 0;
    for (int i = 0; i < count; i++) {
        const char *solver = solver_name(entries[i]->d_name);
        if (good && solver && (!r->keel_only || strcmp(solver, "keel") == 0))
            good = ask_for_offers(t, entries[i]->d_name, solver, r);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return good && t->count > 0;
}

static double number_of(const char *line, const char *key) {
    const char *at = strstr(line, key);
    return at ? strtod(at + strlen(key), NULL) : NAN;
}

static int vector_of(const char *line, const char *key, double *values) {
    const char *at = strstr(line, key);
    int count = 0;
    if (!at)
        return 0;
    at += strlen(key);
    for (char *end; count < BENCH_OBSERVED_MAX; at = end + 1) {
        values[count++] = strtod(at, &end);
        if (*end != ',')
            break;
    }
    return count;
}

/* One line of `run`. */
static void take_result(const char *line, point *p) {
    p->good = strncmp(line, "status=ok", 9) == 0;
    if (!p->good) {
        const char *why = strstr(line, "why=");
        snprintf(p->end.why, sizeof p->end.why, "%s", why ? why + 4 : "it ended without a result");
        p->end.why[strcspn(p->end.why, "\n")] = 0;
        return;
    }
    p->cpu = number_of(line, " cpu=");
    p->position = number_of(line, " position=");
    p->velocity = number_of(line, " velocity=");
    p->energy = number_of(line, " energy=");
    p->steps = (long)number_of(line, " steps=");
    p->evaluations = (long)number_of(line, " evaluations=");
    p->factorizations = (long)number_of(line, " factorizations=");
    p->end.n_q = vector_of(line, " q=", p->end.q);
    p->end.n_v = vector_of(line, " v=", p->end.v);
}

static const char *prefix_of(const curve *c) {
    return is_keel(c) ? "solver" : "peer";
}

bool run_once(const curve *c, double value, int repeats, const request *r, point *p) {
    char command[COMMAND_MAX], line[LINE_MAX_LENGTH] = "";
    *p = (point){.value = value, .instructions = NAN};
    snprintf(command, sizeof command, "timeout %g '%s/%s_%s' run '%s' '%s' %.17g %d 2>/dev/null",
             r->limit * (repeats + 1), r->directory, prefix_of(c), c->solver, c->problem, c->method, value,
             repeats);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return false;
    /* a library may print lines of its own */
    while (fgets(line, sizeof line, pipe) && strncmp(line, "status=", 7) != 0) {
    }
    pclose(pipe);
    take_result(line, p);
    return p->good;
}

/* One line that is written over and over; nothing in a log file. */
static void show_progress(const curve *c, double value) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s  %s %s  %s %g\r", c->problem, c->solver, c->method, c->parameter, value);
}

/* Short runs are repeated until their least time is worth something. */
static int repeats_for(double cpu) {
    return cpu < 0.005 ? 60 : cpu < 0.05 ? 15 : cpu < 0.5 ? 4 : cpu < 2 ? 2 : 1;
}

void run_curve(curve *c, const request *r) {
    for (int i = 0; i < c->count; i++) {
        point first, again;
        double value = c->points[i].value;
        show_progress(c, value);
        run_once(c, value, 1, r, &first);
        int repeats = first.good ? repeats_for(first.cpu) : 1;
        if (repeats > 1 && run_once(c, value, repeats, r, &again) && again.cpu < first.cpu)
            first.cpu = again.cpu;
        c->points[i] = first;
        if (first.good && first.cpu > 0.5 * r->limit) { /* what is finer takes longer still */
            c->count = i + 1;
            break;
        }
    }
    c->done = true;
}

/* Instructions between the two clocks, counted by callgrind; NAN if it is not there. It does not know
 * AVX-512, which machine code of Keel would otherwise use where the processor has it. */
static double instructions_of(const curve *c, double value, const request *r) {
    char command[COMMAND_MAX], line[512];
    double sum = NAN;
    snprintf(command, sizeof command,
             "CC='cc -mno-avx512f' valgrind --tool=callgrind --instr-atstart=no "
             "--callgrind-out-file=/dev/null '%s/%s_%s' run '%s' "
             "'%s' %.17g 1 2>&1 >/dev/null",
             r->directory, prefix_of(c), c->solver, c->problem, c->method, value);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return NAN;
    while (fgets(line, sizeof line, pipe)) {
        const char *at = strstr(line, "Collected : ");
        if (at)
            sum = strtod(at + 12, NULL);
    }
    pclose(pipe);
    return sum > 0 ? sum : NAN;
}

/* Counting takes fifty times as long as running: only short runs, and of each curve the one that just reaches
 * an error of 1e-6. */
void count_instructions(table *t, const request *r) {
    for (int i = 0; i < t->count; i++) {
        curve *c = &t->curves[i];
        for (int k = 0; k < c->count; k++) {
            point *p = &c->points[k];
            if (!p->good || !(p->error_q <= LEVEL[1]))
                continue;
            if (p->cpu < 0.003) {
                show_progress(c, p->value);
                p->instructions = instructions_of(c, p->value, r);
            }
            break;
        }
    }
}
