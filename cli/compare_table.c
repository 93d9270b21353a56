/* compare_table.c - a comparison for people. */
#include <math.h>
#include <string.h>

#include "compare.h"

/* At most so many names of quantities. */
enum { LISTED = 8 };

static void write_head(FILE *file, const char *title, const keel_comparison *c) {
    fprintf(file, "%s: %d method%s, %d run%s\n", title, c->method_count, c->method_count == 1 ? "" : "s",
            c->run_count, c->run_count == 1 ? "" : "s");
    fprintf(file, "  %-12s %s\n", "reference", c->reference);
    if (c->uncertainty > 0)
        fprintf(file, "  %-12s %.1f agreed digits\n", "", fmax(0, -log10(c->uncertainty)));
    fprintf(file, "  %-12s largest over %d times, relative to each range, of ", "error", c->rows);
    for (int i = 0; i < c->quantity_count && i < LISTED; i++)
        fprintf(file, "%s%s", i ? ", " : "", c->quantities[i]);
    if (c->quantity_count > LISTED)
        fprintf(file, " and %d more", c->quantity_count - LISTED);
    fprintf(file, "\n");
    for (int i = 0; i < c->note_count; i++)
        fprintf(file, "  %-12s %s\n", "note", c->notes[i]);
}

static int longest_label(const keel_comparison *c) {
    char label[64];
    int longest = 6;
    for (int i = 0; i < c->method_count; i++) {
        int length = (int)strlen(keel_comparison_label(c->methods[i].method, label));
        longest = length > longest ? length : longest;
    }
    return longest;
}

static void write_best(FILE *file, const keel_comparison *c, int width) {
    char label[64];
    fprintf(file, "\nfewest evaluations for an error\n  %-7s %7s  %s\n", "error", "reached",
            "evaluations and method");
    for (int i = 0; i < c->decade_count; i++) {
        const keel_comparison_decade *d = &c->decades[i];
        fprintf(file, "  %-7.0e %7d", d->error, d->reached);
        for (int k = 0; k < KEEL_COMPARISON_BEST && d->best[k] >= 0; k++) {
            bool last = k + 1 == KEEL_COMPARISON_BEST || d->best[k + 1] < 0;
            fprintf(file, "  %7.0f %-*s", d->cost[k], last ? 0 : width,
                    keel_comparison_label(c->methods[d->best[k]].method, label));
        }
        fprintf(file, "\n");
    }
}

/* A number of two digits, or a dash for what is not known. */
static void write_number(FILE *file, double value) {
    if (isfinite(value))
        fprintf(file, "  %8.1e", value);
    else
        fprintf(file, "  %8s", "-");
}

/* One line; `before`, the run above of the same method or NULL, may have failed for the same reason. */
static void write_run(FILE *file, const keel_comparison_run *run, const keel_comparison_run *before) {
    char ladder[24];
    snprintf(ladder, sizeof ladder, "%s %.3g", run->step > 0 ? "step" : "tol",
             run->step > 0 ? run->step : run->tolerance);
    fprintf(file, "  %-14s", ladder);
    if (run->outcome == KEEL_OUTCOME_FAILED) {
        bool same = before && strcmp(before->reason, run->reason) == 0;
        fprintf(file, "  failed: %s\n", same ? "the same" : run->reason);
        return;
    }
    if (run->outcome != KEEL_OUTCOME_DONE) {
        fprintf(file, "  %s\n", run->outcome == KEEL_OUTCOME_LIMIT ? run->reason : "not run");
        return;
    }
    write_number(file, run->error);
    write_number(file, run->position_violation);
    write_number(file, run->velocity_violation);
    write_number(file, run->energy);
    fprintf(file, "  %8ld  %8ld  %8ld  %8.2g%s%s\n", run->count.steps, run->count.evaluations,
            run->count.factorizations, run->seconds,
            run->why[0]      ? "  "
            : run->broken[0] ? "  broken: "
                             : "",
            run->why[0] ? run->why : run->broken);
}

static void write_runs(FILE *file, const keel_comparison *c, int width) {
    char label[64], rank[16];
    fprintf(file, "\nall runs; methods ranked by the evaluations that an error of %.0e takes\n", c->target);
    fprintf(file, "  %4s  %7s  %-*s  %-14s  %8s  %8s  %8s  %8s  %8s  %8s  %8s  %8s\n", "rank", "takes", width,
            "method", "", "error", "position", "velocity", "energy", "steps", "evaluat.", "factor.",
            "seconds");
    for (int i = 0; i < c->method_count; i++) {
        const keel_comparison_method *m = &c->methods[i];
        for (int k = 0; k < m->run_count; k++) {
            char takes[24] = "-";
            snprintf(rank, sizeof rank, m->rank ? "%d" : "-", m->rank);
            if (isfinite(m->cost))
                snprintf(takes, sizeof takes, "%.0f", m->cost);
            fprintf(file, "  %4s  %7s  %-*s", k ? "" : rank, k ? "" : takes, width,
                    k ? "" : keel_comparison_label(m->method, label));
            const keel_comparison_run *run = &c->runs[m->first_run + k];
            write_run(file, run, k ? run - 1 : NULL);
        }
    }
}

void cli_compare_table(FILE *file, const char *title, const keel_comparison *c) {
    int width = longest_label(c);
    write_head(file, title, c);
    write_best(file, c, width);
    write_runs(file, c, width);
}
