/* table.h - what the benchmark collects: a curve for every problem, solver and method, a point for every run.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>

#include "../driver.h"

enum { LEVELS = 3 };
extern const double LEVEL[LEVELS]; /* errors in q at which solvers are compared */

typedef struct point {
    double value; /* tolerance or step */
    bool good;
    double cpu;              /* seconds */
    double error_q, error_v; /* largest difference from the reference */
    double position, velocity, energy;
    double instructions; /* NAN: not counted */
    long steps, evaluations, factorizations;
    bench_result end; /* q and v, and `why` of a run that failed */
} point;

typedef struct curve {
    char problem[32], solver[32], method[64], parameter[8];
    point points[BENCH_LADDER_MAX];
    int count;
    bool done; /* all of its points were tried */
} curve;

/* What is known of the true solution at the end. */
typedef struct reference {
    double q[BENCH_OBSERVED_MAX], v[BENCH_OBSERVED_MAX];
    int n_q, n_v;
    char origin[160];   /* a sentence */
    double uncertainty; /* difference of q to the best run of a peer; NAN: there is none */
} reference;

typedef struct table {
    curve *curves;
    int count, room;
    reference *references; /* [BENCH_PROBLEM_COUNT], by place in BENCH_PROBLEMS */
} table;

static inline bool is_keel(const curve *c) {
    return c->solver[0] == 'k' && c->solver[1] == 'e';
}

/* programs.c: asks PROGRAMS (solver_* and peer_* in `directory`) for what they offer, or for a run. */
typedef struct request {
    const char *directory;
    const char *only;        /* names of problems; NULL: all */
    bool keel_only;          /* no peers                    */
    bool count_instructions; /* of the levels' points      */
    double limit;            /* seconds of a single run     */
} request;
bool collect_offers(table *t, const request *r);
void run_curve(curve *c, const request *r);
bool run_once(const curve *c, double value, int repeats, const request *r, point *p);
void count_instructions(table *t, const request *r);

/* reference.c */
void find_reference(table *t, int problem, const request *r);
void measure_errors(table *t, int problem);

/* levels.c: whether a word is among words with blanks between them. */
bool has_word(const char *words, const char *word);

/* Seconds of a curve at an error in q, NAN if it does not get there. Between two runs the curve is
 * straight in logarithms. */
double seconds_at(const curve *c, double error);

/* The fastest curve of a problem at an error; `solvers` is a list of words, NULL: every peer. NULL if none
 * gets there. */
const curve *best_own(const table *t, const char *problem, double error, double *seconds);
const curve *find_curve(const table *t, const char *problem, const char *solver, const char *method);

/* Promises of speed: at equal error Keel's `auto` against the fastest of some peers. */
typedef struct promise {
    const char *text;
    const char *problems; /* words  */
    const char *peers;    /* words; NULL: all */
    double ratio;         /* least peer time / Keel time */
} promise;
extern const promise PROMISES[];
extern const int PROMISE_COUNT;

typedef struct comparison {
    double keel, peer, ratio; /* seconds, peer / keel; NAN where somebody does not get there */
    const curve *winner;      /* the fastest peer, or NULL */
} comparison;

/* False if the problem was not run. */
bool compare_at(const table *t, const promise *p, const char *problem, double error, comparison *result);

/* write_*.c */
bool write_csv(const table *t, const char *path);
bool write_markdown(const table *t, const char *path);
bool write_page(const table *t, const char *path);

#endif
