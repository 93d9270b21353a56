/* problems.h - the problems of the benchmark: a model file, an end time, and what is observed there. */
#ifndef BENCH_PROBLEMS_H
#define BENCH_PROBLEMS_H

typedef struct bench_problem {
    const char *name;
    const char *title;
    const char *model; /* file in models/                                               */
    const char *set;   /* parameters replaced, "N=40 l=1", or ""                         */
    double until;      /* end time                                                       */
    const char *q, *v; /* columns observed at the end, separated by blanks, in this order */
    int stiff;         /* 1: implicit methods of Keel take part                          */
    double tightest;   /* last tolerance of the ladder                                   */
} bench_problem;

extern const bench_problem BENCH_PROBLEMS[];
extern const int BENCH_PROBLEM_COUNT;

/* NULL if there is none. */
const bench_problem *bench_find_problem(const char *name);

#endif
