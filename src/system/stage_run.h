/* stage_run.h - stages of an explicit step that follow each other, for machine code that goes from one to the
 * next. */
#ifndef KI_STAGE_RUN_H
#define KI_STAGE_RUN_H

#include "linalg/combination.h"

/* In a system with y = (q, v, W):
 *
 *     Y = y + h sum_j a_sj k_j,    k_s = (q', v', W') at t + c_s h and Y,        s = now .. end - 1
 *
 * without W in Y: no rate depends on it. A row without terms: Y is there already. src/native/emit_stages.c
 * writes this struct down once more. */
typedef struct ki_stage_run {
    double t, h;
    const double *c;           /* [end] */
    const ki_combination *row; /* [end] a_sj and k_j */
    const double *y;
    double *Y;
    double *const *k; /* [end] where the rates go */
    int now, end;
} ki_stage_run;

#endif
