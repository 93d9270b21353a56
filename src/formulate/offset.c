#include "formulate/offset.h"

/* w and its derivatives by s */
typedef struct weight {
    double w, slope, bend;
} weight;

static weight across(double s) {
    double b = 4 * s * (1 - s), b_1 = 4 * (1 - 2 * s), b_2 = -8;
    return (weight){b * b * b, 3 * b * b * b_1, 6 * b * b_1 * b_1 + 3 * b * b * b_2};
}

static weight away(double s) {
    double r = 1 - s, s_2 = s * s;
    return (weight){1 - s_2 * s_2 * (15 - 24 * s + 10 * s_2), -60 * s_2 * s * r * r,
                    -60 * s_2 * r * (3 * r - 2 * s)};
}

void ki_apply_offset(const ki_offset *offset, int n_h, double t, unsigned what, keel_terms *terms) {
    double span = offset->span, s = (t - offset->t_0) / span;
    if (!(s < 1) || s < 0 || (s == 0 && !offset->leaving))
        return;
    weight by = offset->leaving ? away(s) : across(s);
    for (int i = 0; i < n_h; i++) {
        if (what & KEEL_POSITION)
            terms->Phi[i] -= by.w * offset->beta[i];
        if (what & KEEL_VELOCITY)
            terms->rate[i] -= by.slope / span * offset->beta[i];
        if (what & KEEL_XI)
            terms->xi[i] += by.bend / (span * span) * offset->beta[i];
    }
}
