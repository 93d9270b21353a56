/* The page: Keel's template (docs/report.md) with the data of format "keel-bench". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../problems.h"
#include "results/json.h"
#include "results/page.h"
#include "table.h"

static void write_point(ki_json *json, const point *p) {
    ki_json_open(json, NULL);
    ki_json_number(json, "value", p->value);
    ki_json_text(json, "why", p->good ? NULL : p->end.why);
    ki_json_number(json, "seconds", p->good ? p->cpu : NAN);
    ki_json_number(json, "error", p->good ? p->error_q : NAN);
    ki_json_number(json, "velocity_error", p->good ? p->error_v : NAN);
    ki_json_number(json, "violation", p->good ? p->position : NAN);
    ki_json_number(json, "velocity_violation", p->good ? p->velocity : NAN);
    ki_json_number(json, "energy", p->good ? p->energy : NAN);
    ki_json_number(json, "steps", p->good && p->steps >= 0 ? (double)p->steps : NAN);
    ki_json_number(json, "evaluations", p->good && p->evaluations >= 0 ? (double)p->evaluations : NAN);
    ki_json_number(json, "factorizations",
                   p->good && p->factorizations >= 0 ? (double)p->factorizations : NAN);
    ki_json_number(json, "instructions", p->good ? p->instructions : NAN);
    ki_json_close(json);
}

static void write_curve(ki_json *json, const curve *c) {
    ki_json_open(json, NULL);
    ki_json_text(json, "solver", c->solver);
    ki_json_text(json, "method", c->method);
    ki_json_bool(json, "own", is_keel(c));
    ki_json_text(json, "parameter", c->parameter);
    ki_json_open_list(json, "at"); /* seconds at the errors `levels` */
    for (int level = 0; level < LEVELS; level++)
        ki_json_number(json, NULL, seconds_at(c, LEVEL[level]));
    ki_json_close_list(json);
    ki_json_open_list(json, "points");
    for (int k = 0; k < c->count; k++)
        write_point(json, &c->points[k]);
    ki_json_close_list(json);
    ki_json_close(json);
}

static void write_problem(ki_json *json, const table *t, int problem) {
    const bench_problem *about = &BENCH_PROBLEMS[problem];
    ki_json_open(json, NULL);
    ki_json_text(json, "name", about->name);
    ki_json_text(json, "title", about->title);
    ki_json_text(json, "model", about->model);
    ki_json_text(json, "reference", t->references[problem].origin);
    ki_json_number(json, "uncertainty", t->references[problem].uncertainty);
    ki_json_open_list(json, "curves");
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->curves[i].problem, about->name) == 0)
            write_curve(json, &t->curves[i]);
    ki_json_close_list(json);
    ki_json_close(json);
}

static void write_comparison(ki_json *json, const char *problem, double error, const comparison *c) {
    ki_json_open(json, NULL);
    ki_json_text(json, "problem", problem);
    ki_json_number(json, "error", error);
    ki_json_number(json, "keel", c->keel);
    ki_json_text(json, "peer", c->winner ? c->winner->solver : NULL);
    ki_json_text(json, "peer_method", c->winner ? c->winner->method : NULL);
    ki_json_number(json, "peer_seconds", c->peer);
    ki_json_number(json, "ratio", c->ratio);
    ki_json_close(json);
}

static void write_promise(ki_json *json, const table *t, const promise *p) {
    char problems[256];
    snprintf(problems, sizeof problems, "%s", p->problems);
    ki_json_open(json, NULL);
    ki_json_text(json, "text", p->text);
    ki_json_number(json, "aim", p->ratio);
    ki_json_text(json, "peers", p->peers); /* null: every one */
    ki_json_open_list(json, "rows");
    for (char *rest = problems, *word; (word = strtok_r(rest, " ", &rest));)
        for (int level = 0; level < LEVELS; level++) {
            comparison c;
            if (compare_at(t, p, word, LEVEL[level], &c))
                write_comparison(json, word, LEVEL[level], &c);
        }
    ki_json_close_list(json);
    ki_json_close(json);
}

static void write_json(FILE *file, const table *t) {
    ki_json json = {.file = file, .first = true};
    ki_json_open(&json, NULL);
    ki_json_text(&json, "format", "keel-bench");
    ki_json_integer(&json, "version", 1);
    ki_json_text(&json, "title", "Work and precision");
    ki_json_open_list(&json, "levels");
    for (int level = 0; level < LEVELS; level++)
        ki_json_number(&json, NULL, LEVEL[level]);
    ki_json_close_list(&json);
    ki_json_open_list(&json, "promises");
    for (int i = 0; i < PROMISE_COUNT; i++)
        write_promise(&json, t, &PROMISES[i]);
    ki_json_close_list(&json);
    ki_json_open_list(&json, "problems");
    for (int i = 0; i < BENCH_PROBLEM_COUNT; i++)
        if (t->references[i].n_q)
            write_problem(&json, t, i);
    ki_json_close_list(&json);
    ki_json_close(&json);
}

bool write_page(const table *t, const char *path) {
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return false;
    write_json(memory, t);
    bool good = fclose(memory) == 0 && ki_page_write(path, text, length) == KEEL_OK;
    free(text);
    return good;
}
