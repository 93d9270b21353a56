/* force_lambda.h - what forces that depend on multipliers need besides the rest of a workspace. */
#ifndef KI_FORCE_LAMBDA_H
#define KI_FORCE_LAMBDA_H

#include "base/arena.h"
#include "keel/system.h"
#include "linalg/lu.h"

typedef struct ki_force_lambda {
    ki_lu *lu; /* of [M  J^T - Q_lambda; J  -D] */
    int *slot,
        slots;      /* where entries of M, M^T, J^T, J, -Q_lambda and -D go, and how many places there are */
    double *values; /* [slots] */
    double *D;      /* [m] */
    double *step, *right; /* [n_v + m] of v' and lambda; of Newton's method */
} ki_force_lambda;

/* For a system with Q_lambda; memory comes from the arena, failure shows in arena->failed. */
void ki_force_lambda_init(ki_force_lambda *f, const keel_system *system, ki_arena *arena);
void ki_force_lambda_clear(ki_force_lambda *f);

#endif
