/* Coulomb friction: accelerations and multipliers solve their equations exactly, whatever the coefficient and
 * however many joints rub, with one derivative of the forces for an evaluation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "formulate/dynamics.h"
#include "mechanisms.h"

/* N bars in a row, `between` the ground and the ground if it is closed, in the plane or in space. */
static char *row_of_bars(int N, bool planar, bool closed, double coulomb) {
    size_t size = 600 + 400 * (size_t)(N + 1);
    char *text = calloc(size, 1), *end = text;
    assert_non_null(text);
    const char *z = planar ? "" : ", 0", *inertia = planar ? "0.05" : "[0.02, 0.05, 0.05]";
    const char *axis = planar ? "" : ", axis: [0, 0.1, 1]";
    end += sprintf(end, "keel: 1\n%sgravity: [0, -9.81%s]\ncoordinates: absolute\nbodies:\n",
                   planar ? "planar: true\n" : "", z);
    for (int i = 0; i < N; i++)
        end += sprintf(end, "  b%d: {mass: 1, centre: [%g, %g%s], inertia: %s}\n", i, i + 0.5, 0.3 * sin(i),
                       z, inertia);
    end += sprintf(end, "joints:\n");
    for (int i = 0; i < N + closed; i++) {
        char from[16] = "ground", to[16] = "ground";
        if (i > 0)
            sprintf(from, "b%d", i - 1);
        if (i < N)
            sprintf(to, "b%d", i);
        end += sprintf(end,
                       "  j%d: {type: revolute, bodies: [%s, %s], at: [%d, %g%s]%s, friction: {coulomb: %g, "
                       "radius: 0.2, slip: 0.1}}\n",
                       i, from, to, i, 0.2 * cos(3 * i), z, axis, coulomb);
    }
    return text;
}

/* What is asked of a system, counted. */
static const keel_system *counted;
static int forces, derivatives;

static keel_status count(const keel_system *system, void *work, unsigned what, const keel_point *at,
                         keel_terms *terms) {
    (void)system;
    forces += (what & KEEL_FORCE) != 0;
    derivatives += (what & KEEL_FORCE_LAMBDA) != 0;
    return counted->evaluate(counted, work, what, at, terms);
}

/* The largest part of the residuals of M v' + J^T lambda = Q(lambda), J v' = xi that is left of their terms.
 */
static double residual(ki_dynamics *d, const double *y) {
    const keel_system *s = d->system;
    double *r = calloc((size_t)s->n_v + 1, sizeof *r), size = 0, most = 0;
    assert_non_null(r);
    unsigned what = KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI;
    assert_int_equal(ki_evaluate_terms(d, what, 0, y), KEEL_OK);
    ki_mass_times(d, d->x, r);
    for (int i = 0; i < s->n_v; i++) {
        size = fmax(size, fmax(fabs(r[i]), fabs(d->at.Q[i])));
        r[i] -= d->at.Q[i];
    }
    double of_J = 0, size_J = 0;
    for (int i = 0; i < d->m; i++) {
        double sum = 0;
        for (int k = s->J.start[i]; k < s->J.start[i + 1]; k++) {
            r[s->J.index[k]] += d->at.J[k] * d->lambda[i];
            sum += d->at.J[k] * d->x[s->J.index[k]];
            size = fmax(size, fabs(d->at.J[k] * d->lambda[i]));
            size_J = fmax(size_J, fabs(d->at.J[k] * d->x[s->J.index[k]]));
        }
        of_J = fmax(of_J, fabs(sum - d->at.xi[i]));
    }
    for (int i = 0; i < s->n_v; i++)
        most = fmax(most, fabs(r[i]));
    free(r);
    return fmax(most / size, of_J / size_J);
}

static void check(int N, bool planar, bool closed, double coulomb) {
    char *text = row_of_bars(N, planar, closed, coulomb);
    trial t = variant_trial(&(variant){.model = text});
    keel_system system = *t.model->system;
    counted = t.model->system;
    system.evaluate = count;
    ki_arena arena;
    ki_law law;
    ki_dynamics d;
    ki_arena_init(&arena);
    assert_int_equal(ki_law_init(&law, &arena, &system, &t.settings, t.messages), KEEL_OK);
    assert_int_equal(ki_dynamics_init(&d, &system, &law), KEEL_OK);
    double *y = calloc((size_t)d.n_y, sizeof *y), *k = calloc((size_t)d.n_y, sizeof *k);
    assert_true(y && k);
    memcpy(y, t.model->start->q, (size_t)system.n_q * sizeof *y);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < system.n_v; i++)
            y[system.n_q + i] = sin(i * (i + 1.7) + round);
        forces = derivatives = 0;
        if (ki_rate(&d, 0, y, k) != KEEL_OK)
            fail_msg("%d bars, coefficient %g: the multipliers are not found", N, coulomb);
        /* from the multipliers of another state, the first time from none */
        /* from no multipliers, or those of another state */
        int most = coulomb <= 0.3 ? 2 : 4;
        if (derivatives > most || forces > 12 * most)
            fail_msg("%d bars, coefficient %g: %d derivatives, %d forces", N, coulomb, derivatives, forces);
        double rest = residual(&d, y);
        if (!(rest <= 1e-12))
            fail_msg("%d bars, coefficient %g: a residual of %.1e", N, coulomb, rest);
    }
    free(y);
    free(k);
    ki_dynamics_clear(&d);
    ki_arena_free(&arena);
    trial_end(&t);
    free(text);
}

static void multipliers_solve_their_equations(void **state) {
    (void)state;
    static const double COULOMB[] = {0.05, 0.3, 0.8};
    for (int i = 0; i < 3; i++)
        for (int planar = 0; planar < 2; planar++) {
            check(3, planar, false, COULOMB[i]);
            if (planar || COULOMB[i] < 0.5) /* more locks the bodies of a long chain */
                check(40, planar, false, COULOMB[i]);
        }
}

/* A ring of pins: in the plane, where nothing is repeated. */
static void rings_of_pins(void **state) {
    (void)state;
    check(3, true, true, 0.3);
    check(12, true, true, 0.8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multipliers_solve_their_equations),
        cmocka_unit_test(rings_of_pins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
