/* What the paper of garcia.c states for all systems, and what random ones say. */
#include <math.h>

#include "papers/garcia.h"
#include "papers/garcia_theory.h"

static const char SYSTEMS_TEXT[] =
    "240 random systems of 2 to 21 coordinates, full M and A, half of them with dependent constraints";

static void claim(ki_draft *d, const char *id, const char *what, const char *claim, bool agrees,
                  const char *measured) {
    ki_claim(d,
             &(keel_claim){.id = id,
                           .what = what,
                           .claim = claim,
                           .why = SYSTEMS_TEXT,
                           .verdict = ki_verdict(agrees),
                           .robust = 1},
             "%s", measured);
}

static void claim_equations(ki_draft *d, const ki_garcia_projections *t) {
    claim(d, "000 eq. 4, random systems", "residual of (A + alpha J^T J) v = A v*, relative",
          "the projected velocity", t->equation_4 < 1e-12, ki_draft_text(d, "%.0e", t->equation_4));
    claim(d, "000 eq. 7", "projection of accelerations: residual of the equation, relative",
          "(A + alpha J^T J) a = A a* + alpha J^T xi", t->equation_7 < 1e-12,
          ki_draft_text(d, "%.0e", t->equation_7));
    claim(d, "000 eq. 21, random systems", "Delta E_p1 and Delta E_p2 of the audit against the equation",
          "exact", t->equation_21 < 1e-11, ki_draft_text(d, "%.0e", t->equation_21));
    claim(d, "000 remark 1", "smallest eigenvalue of A + alpha J^T J over that of A, least",
          "always positive definite: projected velocities can be computed", t->definite >= 1 - 1e-12,
          ki_draft_text(d, "%.6f", t->definite));
    claim(d, "000 remark 2", "A = M: Delta E_p with forces and without, largest difference",
          "forces that depend on positions do not matter to a projection", t->forces < 1e-13,
          ki_draft_text(d, "%.0e", t->forces));
    claim(d, "000 remark 4", "largest difference of x^T D x and x^T D^s x", "the same quadratic form",
          t->forms < 1e-12, ki_draft_text(d, "%.0e", t->forms));
    ki_claim(
        d,
        &(keel_claim){.id = "000 remark 4, kernels",
                      .what = "|2 D^s x| over the sizes of its terms for compatible x, where D x = 0: most",
                      .claim = "D and D^s have the same kernel (eq. 17)",
                      .why = "not as eq. 17 defines it; the zero sets of the two quadratic forms are "
                             "the same, and that is what the propositions need",
                      .verdict = ki_verdict(t->kernel < 1e-12)},
        "%.2g", t->kernel);
}

static void claim_propositions(ki_draft *d, const ki_garcia_projections *t) {
    claim(d, "000 proposition 1",
          "change of a compatible velocity; |J v| of others over its lower bound, least",
          "a projection keeps compatible velocities, and makes no others compatible",
          t->compatible < 1e-12 && t->incompatible >= 1 - 1e-9,
          ki_draft_text(d, "%.0e; %.3f", t->compatible, t->incompatible));
    claim(d, "000 proposition 2", "largest |Delta E_p| of compatible velocities, relative", "0",
          t->no_energy < 1e-12, ki_draft_text(d, "%.0e", t->no_energy));
    claim(d, "000 proposition 3",
          "systems with rank B = rank J of all; those in which (M A^-1)^s is indefinite among them",
          "C = K_B if (M A^-1)^s is definite; it needs no hypothesis", t->ranks == KI_GARCIA_SYSTEMS,
          ki_draft_text(d, "%d of %d; %d", t->ranks, KI_GARCIA_SYSTEMS, t->indefinite));
    claim(d, "000 proposition 4",
          "B^s semidefinite, A not M: incompatible velocities that lose energy, of all",
          "K_B = K_D: all of them", t->losses == t->tries && t->tries == KI_GARCIA_SYSTEMS,
          ki_draft_text(d, "%d of %d", t->losses, t->tries));
    claim(d, "000 proposition 5",
          "systems of case II (B^s indefinite) in which a velocity gains energy, of all; of case IV",
          "B^s indefinite: energy may grow", t->gains_2 == t->cases_2 && t->cases_2 > 0,
          ki_draft_text(d, "%d of %d; %d", t->gains_2, t->cases_2, t->cases_4));
    claim(d, "000 proposition 6, random systems", "A = M: projections that add energy, of all", "none",
          t->mass_gains == 0 && t->mass_tries == KI_GARCIA_SYSTEMS,
          ki_draft_text(d, "%d of %d", t->mass_gains, t->mass_tries));
}

static void claim_steps(ki_draft *d, const ki_garcia_rule rule[KI_GARCIA_RULES], double change) {
    static const char WHY[] = "24 random systems with cubic constraints, one step of 0.05; energies relative "
                              "to that at the start, forces fitted to J^T at the places of the rule";
    static const char *const IDS[] = {"000 eq. 12", "000 eq. 13"};
    static const char *const WHAT[] = {
        "trapezoidal rule: energy of a step against -(q1 - q0)^T (Q_0 + Q_1)/2; what forces leave; range",
        "midpoint rule: energy of a step against -(q1 - q0)^T Q_1/2; what forces leave; range"};
    for (int r = KI_GARCIA_TRAPEZOIDAL; r <= KI_GARCIA_MIDPOINT; r++)
        ki_claim(d,
                 &(keel_claim){.id = IDS[r],
                               .what = WHAT[r],
                               .claim = "equal; positive or negative",
                               .why = WHY,
                               .verdict = ki_verdict(rule[r].off < 1e-11 && rule[r].left < 1e-9 &&
                                                     rule[r].most > 1e-9 && rule[r].least < -1e-9),
                               .robust = 1},
                 "%.0e; %.0e; %.0e .. %.0e", rule[r].off, rule[r].left, rule[r].least, rule[r].most);
    double kept = fmax(rule[KI_GARCIA_CONSERVING].most, -rule[KI_GARCIA_CONSERVING].least);
    ki_claim(d,
             &(keel_claim){.id = "000 eq. 14",
                           .what = "conserving rule: largest energy of a step",
                           .claim = "0",
                           .why = "24 random systems with cubic constraints, one step of 0.05",
                           .verdict = ki_verdict(kept < 1e-12),
                           .robust = 1},
             "%.0e", kept);
    ki_claim(
        d,
        &(keel_claim){.id = "000 remark 3",
                      .what = "exact motions of 12 random systems over 2 s: largest change of the energy",
                      .claim = "the energy is constant",
                      .why = "dop853 with projection, tolerance 1e-12",
                      .verdict = ki_verdict(change < 1e-9),
                      .robust = 1},
        "%.0e", change);
}

void ki_garcia_theory(ki_draft *d) {
    ki_garcia_projections t;
    ki_garcia_rule rule[KI_GARCIA_RULES];
    double change;
    keel_status status = ki_garcia_try_projections(&t);
    if (!status)
        status = ki_garcia_try_steps(rule);
    if (!status)
        status = ki_garcia_try_motions(&change);
    if (status) {
        ki_claim(d,
                 &(keel_claim){.id = "000 random systems",
                               .what = "all trials",
                               .claim = "they come to their end",
                               .why = "without them nothing can be concluded",
                               .verdict = KEEL_DIFFERS,
                               .robust = 1},
                 "%s", keel_status_text(status));
        return;
    }
    claim_equations(d, &t);
    claim_propositions(d, &t);
    claim_steps(d, rule, change);
}
