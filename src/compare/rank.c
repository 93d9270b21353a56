/* rank.c - the order of methods: evaluations to reach an error.
 *
 * Between two runs of a method, error e and evaluations n are taken to lie on a line in logarithms,
 *
 *     ln n(e) = ln n_i + (ln e_i - ln e) / (ln e_i - ln e_j) (ln n_j - ln n_i),
 *
 * where j is the cheapest run with e_j <= e and i the dearest of the cheaper ones, all of which have e_i > e.
 * Nothing is extrapolated: without such an i the cost is n_j.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/internal.h"

/* Errors below round-off do not differ. */
#define ROUND_OFF 1e-16

enum { MOST_DECADES = 16 };

static bool is_done(const keel_comparison_run *run) {
    return run->outcome == KEEL_OUTCOME_DONE;
}

double ki_cost(const keel_comparison_run *runs, int count, double error) {
    const keel_comparison_run *i = NULL, *j = NULL;
    for (int k = 0; k < count; k++)
        if (is_done(&runs[k]) && runs[k].error <= error &&
            (!j || runs[k].count.evaluations < j->count.evaluations))
            j = &runs[k];
    if (!j)
        return NAN;
    for (int k = 0; k < count; k++)
        if (is_done(&runs[k]) && runs[k].count.evaluations < j->count.evaluations &&
            (!i || runs[k].count.evaluations > i->count.evaluations))
            i = &runs[k];
    double n_j = (double)j->count.evaluations;
    if (!i || i->count.evaluations < 1)
        return n_j;
    double n_i = (double)i->count.evaluations, e_i = log(i->error), e_j = log(fmax(j->error, ROUND_OFF));
    double part = e_i > e_j ? (e_i - log(error)) / (e_i - e_j) : 1;
    return n_i * pow(n_j / n_i, fmin(1, part));
}

static double smallest_error(const keel_comparison *r, const keel_comparison_method *m) {
    double smallest = INFINITY;
    for (int i = 0; i < m->run_count; i++)
        if (is_done(&r->runs[m->first_run + i]))
            smallest = fmin(smallest, r->runs[m->first_run + i].error);
    return smallest;
}

static double cost_of(const keel_comparison *r, const keel_comparison_method *m, double error) {
    return ki_cost(&r->runs[m->first_run], m->run_count, error);
}

/* The runs of one method follow each other. */
static void group(keel_comparison *r) {
    r->method_count = 0;
    for (int i = 0; i < r->run_count; i++) {
        keel_comparison_method *m = r->method_count ? &r->methods[r->method_count - 1] : NULL;
        if (!m || memcmp(&m->method, &r->runs[i].method, sizeof m->method) != 0) {
            m = &r->methods[r->method_count++];
            *m = (keel_comparison_method){.method = r->runs[i].method, .first_run = i, .cost = NAN};
        }
        m->run_count++;
    }
}

/* The smallest power of ten that half of the methods with a result reach, not below the uncertainty of the
 * reference; 1 if there is none. */
static double choose_target(const keel_comparison *r) {
    int alive = 0;
    for (int i = 0; i < r->method_count; i++)
        alive += isfinite(smallest_error(r, &r->methods[i]));
    double target = 1;
    for (int decade = 1; decade <= MOST_DECADES; decade++) {
        double error = pow(10, -decade);
        int reached = 0;
        for (int i = 0; i < r->method_count; i++)
            reached += smallest_error(r, &r->methods[i]) <= error;
        if (reached == 0 || 2 * reached < alive || error < r->uncertainty)
            break;
        target = error;
    }
    return target;
}

/* What methods are ordered by; the last word has their place in the table of methods. */
typedef struct sort_key {
    double level; /* 0: reaches the target, 1: does not, 2: has no result */
    double value;
    int place;
} sort_key;

static int compare_keys(const void *a, const void *b) {
    const sort_key *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->place - y->place;
}

static sort_key key_of(const keel_comparison *r, int place) {
    const keel_comparison_method *m = &r->methods[place];
    double smallest = smallest_error(r, m);
    if (!isnan(m->cost))
        return (sort_key){0, m->cost, place};
    return isfinite(smallest) ? (sort_key){1, smallest, place} : (sort_key){2, 0, place};
}

/* Methods and their runs in the order of the keys. */
static void reorder(keel_comparison *r, const sort_key *keys, keel_comparison_method *methods,
                    keel_comparison_run *runs) {
    int run = 0;
    for (int i = 0; i < r->method_count; i++) {
        keel_comparison_method *m = &methods[i];
        *m = r->methods[keys[i].place];
        memcpy(&runs[run], &r->runs[m->first_run], (size_t)m->run_count * sizeof *runs);
        m->rank = keys[i].level < 2 ? i + 1 : 0;
        m->first_run = run;
        run += m->run_count;
    }
    memcpy(r->methods, methods, (size_t)r->method_count * sizeof *methods);
    memcpy(r->runs, runs, (size_t)r->run_count * sizeof *runs);
}

static void sort_methods(keel_comparison *r, sort_key *keys, keel_comparison_method *methods,
                         keel_comparison_run *runs) {
    for (int i = 0; i < r->method_count; i++) {
        r->methods[i].cost = cost_of(r, &r->methods[i], r->target);
        keys[i] = key_of(r, i);
    }
    qsort(keys, (size_t)r->method_count, sizeof *keys, compare_keys);
    reorder(r, keys, methods, runs);
}

static keel_comparison_decade find_best(const keel_comparison *r, double error, sort_key *keys) {
    keel_comparison_decade d = {.error = error};
    for (int i = 0; i < r->method_count; i++) {
        double cost = cost_of(r, &r->methods[i], error);
        if (!isnan(cost))
            keys[d.reached++] = (sort_key){0, cost, i};
    }
    qsort(keys, (size_t)d.reached, sizeof *keys, compare_keys);
    for (int k = 0; k < KEEL_COMPARISON_BEST; k++) {
        d.best[k] = k < d.reached ? keys[k].place : -1;
        d.cost[k] = k < d.reached ? keys[k].value : NAN;
    }
    return d;
}

/* Every power of ten that somebody reaches, down to the uncertainty of the reference. */
static void find_decades(keel_comparison *r, sort_key *keys) {
    for (int decade = 1; decade <= MOST_DECADES; decade++) {
        double error = pow(10, -decade);
        keel_comparison_decade d = find_best(r, error, keys);
        if (d.reached == 0 || error < r->uncertainty)
            break;
        r->decades[r->decade_count++] = d;
    }
}

keel_status ki_rank(keel_comparison *r) {
    size_t count = (size_t)r->run_count + 1;
    sort_key *keys = calloc(count, sizeof *keys);
    keel_comparison_method *methods = calloc(count, sizeof *methods);
    keel_comparison_run *runs = calloc(count, sizeof *runs);
    r->methods = calloc(count, sizeof *r->methods);
    r->decades = calloc(MOST_DECADES, sizeof *r->decades);
    keel_status status = KEEL_ERROR_MEMORY;
    if (keys && methods && runs && r->methods && r->decades) {
        group(r);
        r->target = r->target > 0 ? r->target : choose_target(r);
        sort_methods(r, keys, methods, runs);
        find_decades(r, keys);
        status = KEEL_OK;
    }
    free(keys);
    free(methods);
    free(runs);
    return status;
}
