/* What the paper of bottasso.c claims, and what the steps say. */
#include <math.h>

#include "papers/bottasso.h"

/* Slopes of one quantity for the scalings none, right and both: of Newmark's method, and how far those of the
 * other schemes are from the theory. */
static void claim_slopes(ki_draft *d, const bottasso *b, const char *id, const char *what, const char *claim,
                         ki_bottasso_quantity of, const double theory[3]) {
    double worst = 0, p[3];
    for (int s = 0; s < 3; s++) {
        p[s] = ki_bottasso_slope(b, of, 0, s);
        for (int m = 0; m < KI_BOTTASSO_BDF; m++)
            worst = fmax(worst, fabs(ki_bottasso_slope(b, of, m, s) - theory[s]));
    }
    ki_claim(d,
             &(keel_claim){
                 .id = id,
                 .what = what,
                 .claim = claim,
                 .why = "figure lost, its slopes are the theory's; +-0.1 for newmark, hht, generalized-alpha",
                 .verdict = ki_verdict(worst <= 0.1),
                 .robust = 1},
             "%.2f, %.2f, %.2f", p[0], p[1], p[2]);
}

static void claim_figures(ki_draft *d, const bottasso *b) {
    static const double DISPLACEMENT[] = {0, 0, 0}, MULTIPLIER[] = {-2, 0, 0}, CONDITION[] = {-4, -2, 0};
    ki_claim(d,
             &(keel_claim){.id = "003 figure 1",
                           .what = "Andrews' squeezing mechanism",
                           .claim = "a drawing of the model",
                           .why = "no data in it",
                           .verdict = KEEL_NOT_COMPARABLE},
             "models/andrews.yaml");
    claim_slopes(d, b, "003 figure 2",
                 "slope in h of the last decreasing correction of the displacements: none, right, both",
                 "O(h^0) (eq. 21a, 24a); the figure and its caption are lost", KI_BOTTASSO_Q, DISPLACEMENT);
    claim_slopes(d, b, "003 figure 3",
                 "slope in h of the last decreasing correction of the multipliers: none, right, both",
                 "-2, 0, 0 (eq. 21b, 24b)", KI_BOTTASSO_LAMBDA, MULTIPLIER);
    claim_slopes(d, b, "003 figure 4", "slope in h of the condition number: none, right, both",
                 "-4, -2, 0 (eq. 19, 26)", KI_BOTTASSO_CONDITION, CONDITION);
}

/* The schemes that the paper points to for BDF. */
static void claim_bdf(ki_draft *d, const bottasso *b) {
    static const double THEORY[KI_BOTTASSO_QUANTITIES][3] = {[KI_BOTTASSO_CONDITION] = {-4, -2, 0},
                                                             [KI_BOTTASSO_LAMBDA] = {-2, 0, 0},
                                                             [KI_BOTTASSO_Q] = {0, 0, 0}};
    double p[KI_BOTTASSO_QUANTITIES][3], worst = 0;
    for (int k = 0; k < KI_BOTTASSO_QUANTITIES; k++)
        for (int s = 0; s < 3; s++) {
            p[k][s] = ki_bottasso_slope(b, (ki_bottasso_quantity)k, KI_BOTTASSO_BDF, s);
            worst = fmax(worst, fabs(p[k][s] - THEORY[k][s]));
        }
    ki_claim(d,
             &(keel_claim){.id = "003 section 5, BDF",
                           .what =
                               "bdf-fixed: slopes of the condition number; of the last corrections of the "
                               "multipliers; of the displacements: none, right, both",
                           .claim = "the same result is obtained for a BDF integrator",
                           .why = "a first step, of order 1; +-0.1",
                           .verdict = ki_verdict(worst <= 0.1),
                           .robust = 1},
             "%.2f, %.2f, %.2f; %.2f, %.2f, %.2f; %.2f, %.2f, %.2f", p[0][0], p[0][1], p[0][2], p[1][0],
             p[1][1], p[1][2], p[2][0], p[2][1], p[2][2]);
}

static void claim_conditions(ki_draft *d, const bottasso *b) {
    static const double CONVERGED[] = {1.1764e24, 2.4370e15, 5.9498e4};
    double c[3];
    bool agrees = true;
    for (int s = 0; s < 3; s++) {
        c[s] = ki_bottasso_value(b, KI_BOTTASSO_CONDITION, 0, s, KI_BOTTASSO_1E7);
        agrees = agrees && ki_near(c[s] / CONVERGED[s], 1, 5e-4);
    }
    ki_claim(d,
             &(keel_claim){.id = "003 figure 4, h = 1e-7",
                           .what = "newmark: condition numbers at h = 1e-7, none, right, both",
                           .claim = "a curve (converged: 1.1764e24, 2.4370e15, 5.9498e4)",
                           .why = "figure lost; compared with an independent computation",
                           .verdict = ki_verdict(agrees),
                           .robust = 1},
             "%.4e, %.4e, %.4e", c[0], c[1], c[2]);
}

static void claim_use(ki_draft *d, const bottasso *b) {
    int none = 0, right = 0, both = 0;
    for (int i = 0; i < KI_BOTTASSO_STEPS; i++) {
        none += b->tolerance.corrections[i][0] >= 0;
        right += b->tolerance.corrections[i][1] >= 0;
        both += b->tolerance.corrections[i][2] >= 0;
    }
    ki_claim(d,
             &(keel_claim){
                 .id = "003 section 5",
                 .what =
                     "newmark, one tolerance 1e-8 for all unknowns, h = 1e-3 ... 1e-10: steps that converge "
                     "of 8, none, right, both",
                 .claim = "right scaling cures the sensitivity to perturbations",
                 .why = "unscaled, the tolerance cannot be met by the multipliers at small h",
                 .verdict = ki_verdict(none < KI_BOTTASSO_STEPS && right == KI_BOTTASSO_STEPS &&
                                       both == KI_BOTTASSO_STEPS),
                 .robust = 1},
             "%d, %d, %d", none, right, both);
    double smallest = b->tolerance.error[0], last = b->tolerance.error[KI_BOTTASSO_STEPS - 1];
    for (int i = 0; i < KI_BOTTASSO_STEPS; i++)
        smallest = fmin(smallest, b->tolerance.error[i]);
    ki_claim(d,
             &(keel_claim){
                 .id = "003 abstract",
                 .what =
                     "newmark, scaled: error of the physical multipliers after one step, smallest over h; at "
                     "h = 1e-10",
                 .claim = "eliminates the amplification of errors altogether",
                 .why = "scaled unknowns, yes; the physical multiplier keeps its error of eps/h^2",
                 .verdict = ki_verdict(last < 10 * smallest)},
             "%.0e; %.1e", smallest, last);
}

static void claim_orders(ki_draft *d, const bottasso *b) {
    double error[3] = {NAN, NAN, NAN}, half[3] = {NAN, NAN, NAN};
    for (int i = 0; i < b->order_count; i++)
        if (b->order[i].method.integrator == KEEL_GENERALIZED_ALPHA &&
            b->order[i].method.formulation == KEEL_INDEX3) {
            ki_bottasso_errors(&b->order[i], 0, error);
            ki_bottasso_errors(&b->order[i], 1, half);
        }
    double p[3];
    bool agrees = ki_near(error[0] / 6.0207e-6, 1, 1e-3) && ki_near(error[1] / 1.1865e-3, 1, 1e-3) &&
                  ki_near(error[2] / 1.1208e-3, 1, 1e-2);
    for (int k = 0; k < 3; k++) {
        p[k] = log2(error[k] / half[k]);
        agrees = agrees && ki_near(p[k], 2, 0.1);
    }
    ki_claim(
        d,
        &(keel_claim){
            .id = "003 section 1",
            .what =
                "generalized-alpha, index 3, scaled: errors of q, v, lambda at t = 0.01, h = 1e-5; orders",
            .claim = "second order integrators (converged: 6.0207e-6, 1.1865e-3, 1.1208e-3)",
            .why = "the paper has no such numbers; compared with an independent computation",
            .verdict = ki_verdict(agrees),
            .robust = 1},
        "%.4e, %.4e, %.4e; %.2f, %.2f, %.2f", error[0], error[1], error[2], p[0], p[1], p[2]);
    double with_mass = ki_bottasso_value(b, KI_BOTTASSO_CONDITION, 0, 4, KI_BOTTASSO_1E7);
    ki_claim(
        d,
        &(keel_claim){
            .id = "003 section 5, beyond",
            .what = "newmark: condition number with both scalings and the reference mass |M|/|G|",
            .claim = "not in the paper (converged: about 64)",
            .why =
                "the plateau comes down from 6e4; 64 is with 2-norms of M and G, Keel takes Frobenius norms",
            .verdict = ki_verdict(ki_near(with_mass, 62, 4)),
            .robust = 1},
        "%.1f", with_mass);
}

void ki_bottasso_claims(ki_draft *d, const bottasso *b) {
    claim_figures(d, b);
    claim_conditions(d, b);
    claim_bdf(d, b);
    claim_use(d, b);
    claim_orders(d, b);
    ki_bottasso_theory(d);
}
