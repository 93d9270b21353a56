/* bridge.h - what CVODE and IDA share: our vectors in their clothes, a norm, a linear solver that calls back.
 *
 * The vectors are SUNDIALS' serial ones with one operation replaced: the weighted norm is the largest
 * component instead of the mean square, so that a tolerance means the same to every integrator here.
 *
 * The linear solver is a shell: SUNDIALS decides when to linearise and to factor, functions of ours do it.
 */
#ifndef KI_SUNDIALS_BRIDGE_H
#define KI_SUNDIALS_BRIDGE_H

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>

#include "integrate/integrator.h"

typedef struct ki_bridge {
    SUNContext context;
    N_Vector state;         /* of the length asked for, owns its data  */
    N_Vector view;          /* the same length, points at arrays of ours */
    SUNMatrix matrix;       /* stands for the Newton matrix; empty     */
    SUNLinearSolver solver; /* calls `solve`                           */
    void *user;
    void (*solve)(void *user, double *b); /* b <- A^-1 b with the factors at hand */
} ki_bridge;

/* KEEL_OK or KEEL_ERROR_MEMORY; ki_bridge_clear in either case. The bridge must not move afterwards. */
keel_status ki_bridge_init(ki_bridge *bridge, int length, void *user, void (*solve)(void *user, double *b));
void ki_bridge_clear(ki_bridge *bridge);

/* An error handler that says nothing: failures reach the user through our diagnostics. */
void ki_bridge_silence(int code, const char *module, const char *function, char *message, void *user);

/* What a callback of SUNDIALS returns for a status of ours: 0, 1 (may go away with a smaller step) or -1. */
int ki_bridge_code(keel_status status);

#endif
