/* coupling.c - constraints that depend on auxiliary unknowns, at run time. The mathematics is in coupling.h.
 */
#include "equations/coupling.h"

#include <math.h>

#include "linalg/dense.h"

void ki_coupling_free(ki_coupling *coupling) {
    if (!coupling)
        return;
    ki_tape_free(coupling->first);
    ki_tape_free(coupling->second);
}

/* A point that is not finite gives answers that are not finite, as everywhere; only a finite r_s without an
 * inverse is an error. */
static bool spread_nan(int k, double *r_s, int *pivot) {
    bool finite = true;
    for (int i = 0; i < k * k; i++)
        finite &= isfinite(r_s[i]) != 0;
    for (int i = 0; i < k * k; i++)
        r_s[i] = NAN;
    for (int i = 0; i < k; i++)
        pivot[i] = i;
    return !finite;
}

keel_status ki_coupling_before(const ki_coupling *coupling, const ki_inputs *inputs, ki_work *work) {
    double *answers = work->first_answers;
    ki_tape_run(coupling->first, work->inputs, work->first, answers);
    for (int c = 0; c < coupling->components; c++) {
        const ki_component *component = &coupling->component[c];
        double *r_s = answers + component->r_s, *w = answers + component->rate;
        int *pivot = work->pivot + component->pivot;
        if (ki_dense_lu_factor(component->k, r_s, pivot) >= 0 && !spread_nan(component->k, r_s, pivot))
            return KEEL_ERROR_SINGULAR;
        ki_dense_lu_solve(component->k, r_s, pivot, w);
        for (int i = 0; i < component->k; i++)
            work->inputs[inputs->w + component->s[i]] = -w[i];
    }
    return KEEL_OK;
}

/* J -= Phi_s X */
static void complete_jacobian(const ki_coupling *coupling, const ki_work *work, double *J) {
    double *answers = work->first_answers;
    for (int c = 0; c < coupling->components; c++) {
        const ki_component *component = &coupling->component[c];
        for (int j = 0; j < component->n_cols; j++)
            ki_dense_lu_solve(component->k, answers + component->r_s, work->pivot + component->pivot,
                              answers + component->r_q + j * component->k);
    }
    for (int i = 0; i < coupling->throughs; i++) {
        const ki_through *through = &coupling->through[i];
        const ki_component *component = &coupling->component[through->component];
        const double *X = answers + component->r_q;
        for (int j = 0; j < component->n_cols; j++)
            J[through->slot[j]] -= ki_dot(component->k, answers + through->Phi_s, X + j * component->k);
    }
}

/* xi += Phi_s u */
static void complete_xi(const ki_coupling *coupling, ki_work *work, double *xi) {
    ki_tape_run(coupling->second, work->inputs, work->second, work->second_answers);
    for (int c = 0; c < coupling->components; c++) {
        const ki_component *component = &coupling->component[c];
        ki_dense_lu_solve(component->k, work->first_answers + component->r_s, work->pivot + component->pivot,
                          work->second_answers + component->curvature);
    }
    for (int i = 0; i < coupling->throughs; i++) {
        const ki_through *through = &coupling->through[i];
        const ki_component *component = &coupling->component[through->component];
        xi[through->row] += ki_dot(component->k, work->first_answers + through->Phi_s,
                                   work->second_answers + component->curvature);
    }
}

void ki_coupling_after(const ki_coupling *coupling, ki_work *work, unsigned what, keel_terms *terms) {
    if (what & KEEL_JACOBIAN)
        complete_jacobian(coupling, work, terms->J);
    if ((what & KEEL_XI) && coupling->throughs)
        complete_xi(coupling, work, terms->xi);
}
