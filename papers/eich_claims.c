/* What the paper of eich.c claims, and what the runs say. */
#include <math.h>
#include <stdlib.h>

#include "papers/eich.h"

/* Largest error at t = 100, where the exact state is (1, 0) at rest; velocities relative to the largest,
 * sqrt(2g). */
static double error_at_end(const eich *e, int tolerance, int variant) {
    const keel_state *end = e->pendulum[tolerance][variant].result->final;
    double speed = sqrt(2 * 13.750371636040745);
    return fmax(fmax(fabs(end->q[0] - 1), fabs(end->q[1])), fmax(fabs(end->v[0]), fabs(end->v[1])) / speed);
}

/* The projection of a run ends at round-off at every TOL, the paper's from TOL 1e-7 on only: a residual far
 * below the paper's agrees, one more than ten times above does not. */
static void claim_residual(ki_draft *d, const eich *e, int i) {
    const ki_eich_line *line = &KI_EICH_TABLE[i];
    double RES = e->pendulum[i][KI_EICH_WITH].result->position.max, printed = strtod(line->RES, NULL);
    bool legible = printed > 0, round_off = printed < 1e-15, agrees = RES <= fmin(1e-14, 10 * printed);
    const char *why = "Keel's projection ends at round-off at every TOL";
    if (!legible)
        why = "the paper's number is not legible";
    else if (round_off)
        why = agrees ? "both at round-off, within a factor of 10"
                     : "round-off of another size: the largest of the run here, that at the end in the paper";
    ki_claim(d,
             &(keel_claim){.id = ki_draft_text(d, "002 table 3.1, TOL %.0e, RES", line->tolerance),
                           .what = "pendulum, 100 s, projection: largest |x^2 + y^2 - 1|",
                           .claim = line->RES,
                           .why = why,
                           .verdict = legible ? ki_verdict(agrees) : KEEL_NOT_COMPARABLE,
                           .robust = legible && !round_off},
             "%.1e", RES);
}

/* Where the paper's own factor does not meet what is asked for there is nothing to compare. */
static void claim_gain(ki_draft *d, const eich *e, int i) {
    const double ASKED = 4;
    const ki_eich_line *line = &KI_EICH_TABLE[i];
    double ratio = fabs(e->pendulum[i][KI_EICH_WITHOUT].result->final->v[1] /
                        e->pendulum[i][KI_EICH_WITH].result->final->v[1]);
    double printed = line->dv[0] / line->dv[1];
    bool moderate = line->tolerance < 2e-6, comparable = printed >= ASKED;
    const char *why = moderate ? "4 times or more is asked for; the factor depends on the code and its "
                                 "absolute tolerance: see the map of questions.md"
                               : "4 times or more is asked for; fragile at a loose TOL";
    ki_claim(d,
             &(keel_claim){.id = ki_draft_text(d, "002 table 3.1, TOL %.0e, gain", line->tolerance),
                           .what = "pendulum, 100 s: error of y' at the end, without / with projection",
                           .claim = ki_draft_text(d, "smaller with it: %.0f times", printed),
                           .why = comparable ? why : "4 times or more is asked for; the paper's own is less",
                           .verdict = comparable ? ki_verdict(ratio >= ASKED) : KEEL_NOT_COMPARABLE,
                           .robust = 0},
             "%.2g times", ratio);
}

static void claim_table(ki_draft *d, const eich *e) {
    int above = 0;
    for (int i = 0; i < KI_EICH_PRINTED; i++) {
        above += fabs(e->pendulum[i][KI_EICH_WITH].result->final->v[1]) > 2 * KI_EICH_TABLE[i].dv[1];
        claim_residual(d, e, i);
        claim_gain(d, e, i);
    }
    ki_claim(d,
             &(keel_claim){
                 .id = "002 table 3.1, absolute errors",
                 .what = "pendulum, 100 s, projection: error of y' at the end, five TOL",
                 .claim = "1.6e-1, 2.8e-2, 5.7e-4, 1.1e-4, 1.6e-5",
                 .why = "fragile: the meaning of TOL is that of the code; two other BDF codes are about 100 "
                        "times less accurate than the paper at equal TOL",
                 .verdict = ki_verdict(above == 0)},
             "%.1e, %.1e, %.1e, %.1e, %.1e", fabs(e->pendulum[0][KI_EICH_WITH].result->final->v[1]),
             fabs(e->pendulum[1][KI_EICH_WITH].result->final->v[1]),
             fabs(e->pendulum[2][KI_EICH_WITH].result->final->v[1]),
             fabs(e->pendulum[3][KI_EICH_WITH].result->final->v[1]),
             fabs(e->pendulum[4][KI_EICH_WITH].result->final->v[1]));
    ki_claim(
        d,
        &(keel_claim){
            .id = "002 table 3.1, ERR",
            .what = "pendulum, 100 s: error in the norm of the code's error test",
            .claim = "1.3e-1 / 5.4e-3 ... 5.2e-5 / 5.4e-7",
            .why = "the norm, scaled by values that pass through zero, is not given; some cells are lost",
            .verdict = KEEL_NOT_COMPARABLE},
        "see the table of errors");
}

static void claim_orders(ki_draft *d, const eich *e, int system, const char *id, const char *what) {
    double p[6];
    bool agrees = true;
    for (int k = 1; k <= 6; k++) {
        p[k - 1] = ki_eich_order(e, system, k);
        agrees = agrees && ki_near(p[k - 1], k, k < 6 ? 0.1 : 0.15);
    }
    ki_claim(
        d,
        &(keel_claim){
            .id = id,
            .what = what,
            .claim = "order k: 1, 2, 3, 4, 5, 6",
            .why =
                "from n and 2n steps; +-0.1 (k = 6: 0.15, and n = 200: with n = 100 theorem 3.1 gave 5.84)",
            .verdict = ki_verdict(agrees),
            .robust = 1},
        "%.2f, %.2f, %.2f, %.2f, %.2f, %.2f", p[0], p[1], p[2], p[3], p[4], p[5]);
}

static void claim_cost(ki_draft *d, const eich *e) {
    int fewer = 0;
    long with = 0, plain = 0, factored = 0, steps = 0;
    for (int i = 0; i < KI_EICH_TOLERANCES; i++) {
        const keel_counts *a = &e->pendulum[i][KI_EICH_WITH].result->count,
                          *b = &e->pendulum[i][KI_EICH_PLAIN_ERROR].result->count;
        fewer += a->steps <= b->steps;
        with += a->steps, plain += b->steps;
        factored += a->projection_factorizations, steps += a->steps;
    }
    ki_claim(d,
             &(keel_claim){
                 .id = "002 section 4.1",
                 .what = "pendulum, seven TOL: steps with the projected error estimate / with the plain one",
                 .claim = "the local error of the projected method is smaller",
                 .why = "a smaller estimate allows longer steps",
                 .verdict = ki_verdict(with <= plain),
                 .robust = 1},
             "%ld / %ld, not more at %d of 7 TOL", with, plain, fewer);
    ki_claim(d,
             &(keel_claim){.id = "002 section 4.2",
                           .what = "pendulum, seven TOL: factorizations that projections need, a step",
                           .claim = "effort significantly reduced by relaxing orthogonality",
                           .why = "projections use the factors at hand; less than 0.1 is asked for",
                           .verdict = ki_verdict(factored < steps / 10),
                           .robust = 1},
             "%.4f", (double)factored / (double)steps);
}

static void claim_wheels(ki_draft *d, const eich *e) {
    enum { AT_1E5 = 3, BDF = 0, BDF_PROJECTED = 4 };
    const keel_result *without = e->wheels[AT_1E5][BDF].result,
                      *with = e->wheels[AT_1E5][BDF_PROJECTED].result;
    const keel_result *loose = e->wheels[0][BDF].result, *tight = e->wheels[4][BDF].result;
    static const char TRACK[] =
        "on the straight track of the public version; data of the circular one are not given";
    ki_claim(d,
             &(keel_claim){.id = "002 figure 1.1",
                           .what = "wheel set and track",
                           .claim = "a drawing of the model",
                           .why = "no data in it",
                           .verdict = KEEL_NOT_COMPARABLE},
             "models/wheelset.yaml");
    ki_claim(d,
             &(keel_claim){
                 .id = "002 figure 1.2",
                 .what = "wheel set, 10 s, TOL 1e-5: largest position residual without / with projection",
                 .claim = "drifts off / not to be told from zero",
                 .why = TRACK,
                 .verdict = ki_verdict(without->position.max > 1e-7 && with->position.max < 1e-15),
                 .robust = 1},
             "%.1e m / %.0e m", without->position.max, with->position.max);
    ki_claim(d,
             &(keel_claim){
                 .id = "002 figure 1.3",
                 .what = "wheel set, 10 s, TOL 1e-5: largest velocity residual without / with projection",
                 .claim = "drifts off / not to be told from zero",
                 .why = TRACK,
                 .verdict = ki_verdict(without->velocity.max > 1e-8 && with->velocity.max < 1e-13),
                 .robust = 1},
             "%.1e m/s / %.0e m/s", without->velocity.max, with->velocity.max);
    ki_claim(d,
             &(keel_claim){
                 .id = "002 figure 1.4",
                 .what = "the wheel set after 10 s without projection",
                 .claim = "flies at a height of 1.27 m",
                 .why = "needs the circular track, whose data are not given; the drift has the orders of "
                        "magnitude of the straight one",
                 .verdict = KEEL_NOT_COMPARABLE},
             "off the rails by %.0e m (tolerance 1e-2) to %.0e m (1e-6)", loose->position.max,
             tight->position.max);
    ki_claim(d,
             &(keel_claim){.id = "002 figure 2.1",
                           .what = "projection of a BDF step",
                           .claim = "an illustration",
                           .why = "no data in it",
                           .verdict = KEEL_NOT_COMPARABLE},
             "docs/projection.md");
}

void ki_eich_claims(ki_draft *d, const eich *e) {
    claim_wheels(d, e);
    claim_orders(d, e, KI_EICH_LINEAR, "002 theorem 3.1",
                 "linear system with linear driven invariant, fixed-step BDF with projection");
    claim_orders(d, e, KI_EICH_NONLINEAR, "002 theorem 3.2", "pendulum, fixed-step BDF with projection");
    claim_table(d, e);
    claim_cost(d, e);
    ki_eich_theory(d, e);
}

static void add_wheel_figure(ki_draft *d, const eich *e, int column, const keel_figure *figure) {
    static const struct {
        int tolerance, method;
        const char *name;
    } LINES[] = {{1, 0, "none, 1e-3"}, {3, 0, "none, 1e-5"}, {3, 4, "projection, 1e-5"}};
    ki_figure(d, figure);
    for (unsigned i = 0; i < sizeof LINES / sizeof *LINES; i++) {
        const ki_record *r = e->wheels[LINES[i].tolerance][LINES[i].method].record;
        ki_series(d, LINES[i].name, r->count, r->x[KI_EICH_T], r->x[column], false);
    }
}

void ki_eich_figures(ki_draft *d, const eich *e) {
    add_wheel_figure(d, e, KI_EICH_POSITION,
                     &(keel_figure){.name = "fig12",
                                    .title = "Figure 1.2: position residuals of the wheel set, bdf",
                                    .x_label = "t",
                                    .y_label = "largest residual, m",
                                    .y_log = 1,
                                    .text =
                                        "The wheels leave the rails without projection; with it the residual "
                                        "stays at round-off."});
    add_wheel_figure(d, e, KI_EICH_VELOCITY,
                     &(keel_figure){.name = "fig13",
                                    .title = "Figure 1.3: velocity residuals of the wheel set, bdf",
                                    .x_label = "t",
                                    .y_label = "largest residual, m/s",
                                    .y_log = 1});
    double tolerance[KI_EICH_TOLERANCES], error[2][KI_EICH_TOLERANCES];
    for (int i = 0; i < KI_EICH_TOLERANCES; i++) {
        tolerance[i] = KI_EICH_TABLE[i].tolerance;
        for (int k = 0; k < 2; k++)
            error[k][i] = error_at_end(e, i, k);
    }
    ki_figure(d,
              &(keel_figure){
                  .name = "table31",
                  .title = "Table 3.1: largest error at t = 100 over TOL, bdf",
                  .x_label = "TOL",
                  .y_label = "error",
                  .x_log = 1,
                  .y_log = 1,
                  .text = "Pendulum over 50 periods. Projection removes the drift and most of the error."});
    ki_series(d, "no projection", KI_EICH_TOLERANCES, tolerance, error[KI_EICH_WITHOUT], true);
    ki_series(d, "projection", KI_EICH_TOLERANCES, tolerance, error[KI_EICH_WITH], true);
}
