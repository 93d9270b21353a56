#include "formulate/offset.h"

void ki_apply_offset(const ki_offset *offset, int n_h, double t, unsigned what, keel_terms *terms) {
    double s = (t - offset->t_0) / offset->span;
    if (!(s > 0 && s < 1))
        return;
    double b = 4 * s * (1 - s), slope = 4 * (1 - 2 * s) / offset->span;
    double bend = -8 / (offset->span * offset->span);
    double w = b * b * b, w_1 = 3 * b * b * slope, w_2 = 6 * b * slope * slope + 3 * b * b * bend;
    for (int i = 0; i < n_h; i++) {
        if (what & KEEL_POSITION)
            terms->Phi[i] -= w * offset->beta[i];
        if (what & KEEL_VELOCITY)
            terms->rate[i] -= w_1 * offset->beta[i];
        if (what & KEEL_XI)
            terms->xi[i] += w_2 * offset->beta[i];
    }
}
