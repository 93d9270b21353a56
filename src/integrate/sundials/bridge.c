#include "integrate/sundials/bridge.h"

#include <math.h>
#include <string.h>

#include "base/foreign.h"

/* Largest |x_i w_i|; a NaN wins. */
static realtype largest(N_Vector x, N_Vector w) {
    const double *a = N_VGetArrayPointer(x), *b = N_VGetArrayPointer(w);
    sunindextype n = N_VGetLength(x);
    double most = 0;
    for (sunindextype i = 0; i < n; i++) {
        double value = fabs(a[i] * b[i]);
        most = value <= most ? most : value;
    }
    return most;
}

static SUNMatrix_ID matrix_id(SUNMatrix A) {
    (void)A;
    return SUNMATRIX_CUSTOM;
}

static SUNLinearSolver_Type solver_type(SUNLinearSolver S) {
    (void)S;
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID solver_id(SUNLinearSolver S) {
    (void)S;
    return SUNLINEARSOLVER_CUSTOM;
}

static int solver_setup(SUNLinearSolver S, SUNMatrix A) {
    (void)S;
    (void)A;
    return 0; /* factored where the matrix is made */
}

static int solver_solve(SUNLinearSolver S, SUNMatrix A, N_Vector x, N_Vector b, realtype tolerance) {
    const ki_bridge *bridge = S->content;
    (void)A;
    (void)tolerance;
    double *to = N_VGetArrayPointer(x);
    const double *from = N_VGetArrayPointer(b);
    if (to != from)
        memcpy(to, from, (size_t)N_VGetLength(x) * sizeof *to);
    bridge->solve(bridge->user, to);
    return 0;
}

keel_status ki_bridge_init(ki_bridge *bridge, int length, void *user, void (*solve)(void *user, double *b)) {
    *bridge = (ki_bridge){.user = user, .solve = solve};
    ki_foreign_begin("SUNDIALS");
    if (SUNContext_Create(NULL, &bridge->context) == 0) {
        bridge->state = N_VNew_Serial(length, bridge->context);
        bridge->view = N_VNewEmpty_Serial(length, bridge->context);
        bridge->matrix = SUNMatNewEmpty(bridge->context);
        bridge->solver = SUNLinSolNewEmpty(bridge->context);
    }
    ki_foreign_end();
    if (!bridge->state || !bridge->view || !bridge->matrix || !bridge->solver)
        return KEEL_ERROR_MEMORY;
    bridge->state->ops->nvwrmsnorm = largest; /* copies of this vector inherit it */
    bridge->matrix->ops->getid = matrix_id;
    bridge->solver->ops->gettype = solver_type;
    bridge->solver->ops->getid = solver_id;
    bridge->solver->ops->setup = solver_setup;
    bridge->solver->ops->solve = solver_solve;
    bridge->solver->content = bridge;
    return KEEL_OK;
}

void ki_bridge_clear(ki_bridge *bridge) {
    if (bridge->solver)
        SUNLinSolFreeEmpty(bridge->solver);
    if (bridge->matrix)
        SUNMatFreeEmpty(bridge->matrix);
    if (bridge->view)
        N_VDestroy(bridge->view);
    if (bridge->state)
        N_VDestroy(bridge->state);
    if (bridge->context)
        SUNContext_Free(&bridge->context);
    *bridge = (ki_bridge){0};
}

void ki_bridge_silence(int code, const char *module, const char *function, char *message, void *user) {
    (void)code;
    (void)module;
    (void)function;
    (void)message;
    (void)user;
}

int ki_bridge_code(keel_status status) {
    if (status >= 0)
        return 0;
    return ki_worth_retrying(status) ? 1 : -1;
}
