/* compare_json.c - a comparison as JSON: for programs, and for the page (docs/compare.md lists the keys). */
#include <math.h>

#include "compare.h"
#include "results/json.h"

static const char *status_word(const keel_comparison_run *run) {
    switch (run->outcome) {
    case KEEL_OUTCOME_DONE:
        return "ok";
    case KEEL_OUTCOME_LIMIT:
        return "limit";
    case KEEL_OUTCOME_NOT_RUN:
        return "not run";
    default:
        return keel_status_word(run->status);
    }
}

/* A count that is unknown when the run was stopped. */
static void write_count(ki_json *json, const char *key, long count, bool known) {
    ki_json_number(json, key, known ? (double)count : NAN);
}

static void write_run(ki_json *json, const keel_comparison_run *run, int rank) {
    char label[64];
    bool known = run->outcome == KEEL_OUTCOME_DONE || run->outcome == KEEL_OUTCOME_FAILED;
    ki_json_open(json, NULL);
    ki_json_number(json, "rank", rank ? (double)rank : NAN);
    ki_json_text(json, "method", keel_comparison_label(run->method, label));
    ki_json_text(json, "integrator",
                 run->method.automatic ? "auto" : keel_integrator_word(run->method.integrator).name);
    ki_json_number(json, run->step > 0 ? "step" : "tolerance", run->step > 0 ? run->step : run->tolerance);
    ki_json_text(json, "status", status_word(run));
    ki_json_text(json, "reason", run->reason[0] ? run->reason : NULL);
    ki_json_text(json, "broken", run->broken[0] ? run->broken : NULL);
    ki_json_text(json, "why", run->why[0] ? run->why : NULL);
    ki_json_number(json, "error", run->error);
    ki_json_number(json, "violation", run->position_violation);
    ki_json_number(json, "velocity_violation", run->velocity_violation);
    ki_json_number(json, "energy", run->energy);
    write_count(json, "steps", run->count.steps, known);
    write_count(json, "rejected", run->count.rejected, known);
    write_count(json, "evaluations", run->count.evaluations, known);
    write_count(json, "jacobians", run->count.jacobians, known);
    write_count(json, "factorizations", run->count.factorizations, known);
    ki_json_number(json, "seconds", run->seconds);
    ki_json_close(json);
}

static void write_texts(ki_json *json, const char *key, char *const *texts, int count) {
    ki_json_open_list(json, key);
    for (int i = 0; i < count; i++)
        ki_json_text(json, NULL, texts[i]);
    ki_json_close_list(json);
}

static void write_best(ki_json *json, const keel_comparison *c) {
    char label[64];
    ki_json_open_list(json, "best");
    for (int i = 0; i < c->decade_count; i++) {
        const keel_comparison_decade *d = &c->decades[i];
        ki_json_open(json, NULL);
        ki_json_number(json, "error", d->error);
        ki_json_integer(json, "reached", d->reached);
        ki_json_open_list(json, "methods");
        for (int k = 0; k < KEEL_COMPARISON_BEST && d->best[k] >= 0; k++) {
            ki_json_open(json, NULL);
            ki_json_text(json, "method", keel_comparison_label(c->methods[d->best[k]].method, label));
            ki_json_number(json, "evaluations", d->cost[k]);
            ki_json_close(json);
        }
        ki_json_close_list(json);
        ki_json_close(json);
    }
    ki_json_close_list(json);
}

/* Methods with a rank: those that have a result. */
static void write_ranking(ki_json *json, const keel_comparison *c) {
    char label[64];
    ki_json_open_list(json, "ranking");
    for (int i = 0; i < c->method_count && c->methods[i].rank; i++) {
        ki_json_open(json, NULL);
        ki_json_integer(json, "rank", c->methods[i].rank);
        ki_json_text(json, "method", keel_comparison_label(c->methods[i].method, label));
        ki_json_number(json, "evaluations", c->methods[i].cost);
        ki_json_close(json);
    }
    ki_json_close_list(json);
}

void cli_compare_json(FILE *file, const char *title, const keel_comparison *c) {
    ki_json json = {.file = file};
    char program[32];
    snprintf(program, sizeof program, "keel %s", keel_version());
    ki_json_open(&json, NULL);
    ki_json_text(&json, "format", "keel-comparison");
    ki_json_integer(&json, "version", 1);
    ki_json_text(&json, "title", title);
    ki_json_text(&json, "program", program);
    ki_json_text(&json, "reference", c->reference);
    ki_json_number(&json, "uncertainty", c->uncertainty);
    write_texts(&json, "quantities", c->quantities, c->quantity_count);
    ki_json_integer(&json, "times", c->rows);
    ki_json_number(&json, "target", c->target);
    write_best(&json, c);
    write_ranking(&json, c);
    ki_json_open_list(&json, "runs");
    for (int i = 0; i < c->method_count; i++)
        for (int k = 0; k < c->methods[i].run_count; k++)
            write_run(&json, &c->runs[c->methods[i].first_run + k], c->methods[i].rank);
    ki_json_close_list(&json);
    write_texts(&json, "notes", c->notes, c->note_count);
    ki_json_close(&json);
}
