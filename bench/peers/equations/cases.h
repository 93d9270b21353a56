/* cases.h - the list of what a driver offers: problems, methods, ladders of tolerances. */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

#include "driver.h"

enum { CASES_MAX = 128 };

typedef struct cases {
    bench_case list[CASES_MAX];
    int count;
} cases;

/* A ladder of tolerances 10^-loosest .. 10^-tightest. */
void cases_add(cases *to, const char *problem, const char *method, int loosest, int tightest);

/* Fortran writes messages to its unit 6, which is file descriptor 1: they go nowhere, and stdout gets another
 * one. */
void cases_separate_output(void);

#endif
