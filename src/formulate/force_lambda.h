/* force_lambda.h - what forces that depend on multipliers need besides the rest of a workspace. */
#ifndef KI_FORCE_LAMBDA_H
#define KI_FORCE_LAMBDA_H

#include "base/arena.h"
#include "keel/pattern.h"

/* Only a few multipliers, the active ones a, enter Q, and only some of its components, R, depend on them. */
typedef struct ki_force_lambda {
    int k, *active;   /* [k] a */
    int rows, *row;   /* [rows] R */
    double *response; /* [k x rows] dlambda_a / dQ_R of the saddle-point system */
    double *base;     /* [k] lambda_a - response Q_R of its last solution */
    double *matrix;   /* [k x k] of Newton's method */
    double *step;     /* [k] */
    int *pivot;       /* [k] */
} ki_force_lambda;

/* For the pattern of dQ/dlambda; memory comes from the arena, failure shows in arena->failed. */
void ki_force_lambda_init(ki_force_lambda *f, keel_pattern Q_lambda, ki_arena *arena);

#endif
