/* Tables for docs/benchmark.md: promises, then every problem with its solvers at the three errors. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../problems.h"
#include "table.h"

/* Milliseconds with three digits, or a dash. */
static const char *milliseconds(double seconds, char buffer[32]) {
    if (isnan(seconds))
        return "-";
    snprintf(buffer, 32, "%.3g", 1e3 * seconds);
    return buffer;
}

static const char *ratio_text(double ratio, char buffer[32]) {
    if (isnan(ratio))
        return "-";
    snprintf(buffer, 32, ratio < 100 ? "%.1f" : "%.0f", ratio);
    return buffer;
}

static const char *verdict(const comparison *c, double aim) {
    if (isnan(c->keel))
        return "Keel does not get there";
    return isnan(c->peer) ? "no peer gets there" : c->ratio >= aim ? "yes" : "no";
}

static void write_comparison(FILE *file, const promise *p, const char *problem, double error,
                             const comparison *c) {
    char keel[32], peer[32], ratio[32];
    fprintf(file, "| %s | %.0e | %s | %s | %s | %s | %g | %s |\n", problem, error,
            milliseconds(c->keel, keel), c->winner ? c->winner->solver : "-", milliseconds(c->peer, peer),
            ratio_text(c->ratio, ratio), p->ratio, verdict(c, p->ratio));
}

static void write_promises(FILE *file, const table *t) {
    fprintf(file, "## Keel's `auto` against the fastest peer, CPU ms at equal error in q\n");
    for (int i = 0; i < PROMISE_COUNT; i++) {
        const promise *p = &PROMISES[i];
        char problems[256];
        snprintf(problems, sizeof problems, "%s", p->problems);
        fprintf(file,
                "\n%s:\n\n| problem | error | Keel | peer | its time | ratio | aim | met |\n"
                "|---|---|---|---|---|---|---|---|\n",
                p->text);
        for (char *rest = problems, *word; (word = strtok_r(rest, " ", &rest));)
            for (int level = 0; level < LEVELS; level++) {
                comparison c;
                if (compare_at(t, p, word, LEVEL[level], &c))
                    write_comparison(file, p, word, LEVEL[level], &c);
            }
    }
}

static void write_auto(FILE *file, const table *t) {
    char a[32], b[32], c[32];
    fprintf(file, "\n## `auto` against the fastest of Keel's methods, CPU ms\n\n"
                  "| problem | error | auto | fastest | its time | ratio |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < BENCH_PROBLEM_COUNT; i++)
        for (int level = 0; level < LEVELS; level++) {
            const char *problem = BENCH_PROBLEMS[i].name;
            const curve *own = find_curve(t, problem, "keel", "auto");
            double best, seconds = own ? seconds_at(own, LEVEL[level]) : NAN;
            const curve *winner = best_own(t, problem, LEVEL[level], &best);
            if (own && winner)
                fprintf(file, "| %s | %.0e | %s | %s | %s | %s |\n", problem, LEVEL[level],
                        milliseconds(seconds, a), winner->method, milliseconds(best, b),
                        ratio_text(seconds / best, c));
        }
}

/* CPU seconds of a step of `auto` at a tolerance of 1e-4, NAN if that run is missing. */
static double seconds_of_step(const table *t, const char *problem) {
    const curve *own = find_curve(t, problem, "keel", "auto");
    for (int k = 0; own && k < own->count; k++) {
        const point *p = &own->points[k];
        if (p->good && fabs(p->value / 1e-4 - 1) < 0.01 && p->steps > 0)
            return p->cpu / (double)p->steps;
    }
    return NAN;
}

/* Cost of a step against the number of bodies, for problems that are one family: cost ~ bodies^exponent. */
static void write_growth(FILE *file, const table *t) {
    static const struct {
        const char *family;
        int per_unit, more; /* bodies = per_unit N + more */
    } FAMILIES[] = {{"fourbar", 2, 1}, {"chain", 1, 0}};
    fprintf(file, "\n## Growth with the number of bodies: CPU of a step of `auto` at a tolerance of 1e-4\n\n"
                  "| problem | bodies | us per step | exponent since the line before |\n|---|---|---|---|\n");
    for (size_t f = 0; f < sizeof FAMILIES / sizeof *FAMILIES; f++) {
        double before = NAN, bodies_before = NAN;
        for (int i = 0; i < BENCH_PROBLEM_COUNT; i++) {
            int N = bench_size(BENCH_PROBLEMS[i].name, FAMILIES[f].family);
            double bodies = FAMILIES[f].per_unit * N + FAMILIES[f].more;
            double seconds = N ? seconds_of_step(t, BENCH_PROBLEMS[i].name) : NAN;
            if (isnan(seconds))
                continue;
            fprintf(file, "| %s | %g | %.3g | ", BENCH_PROBLEMS[i].name, bodies, 1e6 * seconds);
            if (isfinite(before))
                fprintf(file, "%.2f |\n", log(seconds / before) / log(bodies / bodies_before));
            else
                fprintf(file, "|\n");
            before = seconds, bodies_before = bodies;
        }
    }
}

/* Largest violation of a curve, over its runs. */
static void worst_violation(const curve *c, double *position, double *velocity) {
    *position = *velocity = 0;
    for (int k = 0; k < c->count; k++)
        if (c->points[k].good) {
            *position = fmax(*position, c->points[k].position);
            *velocity = fmax(*velocity, c->points[k].velocity);
        }
}

static void write_curve(FILE *file, const curve *c) {
    char buffer[LEVELS][32];
    double position, velocity, least = NAN;
    int failed = 0;
    const char *why = "";
    worst_violation(c, &position, &velocity);
    for (int k = 0; k < c->count; k++) {
        if (c->points[k].good)
            least = fmin(least, c->points[k].error_q);
        else if (!failed++)
            why = c->points[k].end.why;
    }
    fprintf(file, "| %s | %s | %s | %s | %s | %.1e | %.1e | %.1e | ", c->solver, c->method,
            milliseconds(seconds_at(c, LEVEL[0]), buffer[0]),
            milliseconds(seconds_at(c, LEVEL[1]), buffer[1]),
            milliseconds(seconds_at(c, LEVEL[2]), buffer[2]), least, position, velocity);
    if (failed)
        fprintf(file, "%d of %d fail: %s |\n", failed, c->count, why);
    else
        fprintf(file, "|\n");
}

static void write_problem(FILE *file, const table *t, int problem) {
    const bench_problem *about = &BENCH_PROBLEMS[problem];
    const reference *ref = &t->references[problem];
    if (!ref->n_q)
        return;
    fprintf(file, "\n### %s: %s\n\nReference: %s", about->name, about->title, ref->origin);
    if (isfinite(ref->uncertainty))
        fprintf(file, "; the nearest run of a peer differs by %.1e", ref->uncertainty);
    fprintf(file,
            ".\n\n| solver | method | ms at 1e-3 | 1e-6 | 1e-9 | least error | position violation | velocity "
            "violation | |\n|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->curves[i].problem, about->name) == 0)
            write_curve(file, &t->curves[i]);
}

bool write_markdown(const table *t, const char *path) {
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    write_promises(file, t);
    write_auto(file, t);
    write_growth(file, t);
    fprintf(file, "\n## Every problem and solver\n");
    for (int i = 0; i < BENCH_PROBLEM_COUNT; i++)
        write_problem(file, t, i);
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}
