/* A pendulum in Cartesian coordinates, written in C: the smallest complete system.
 *
 *     M = I,  Q = (0, -g),  Phi = x^2 + y^2 - 1,  J = (2x, 2y),  J v' = xi = -2 (x'^2 + y'^2)
 *
 * With this g the period is exactly 2 s (Eich 1993), so after 10 s the pendulum must be back at its start.
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static const double g = 13.750371636040745654980191559621;

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    (void)system, (void)work;
    double x = at->q[0], y = at->q[1], vx = at->v[0], vy = at->v[1];
    if (what & KEEL_MASS)
        terms->M[0] = terms->M[1] = 1;
    if (what & KEEL_FORCE)
        terms->Q[0] = 0, terms->Q[1] = -g;
    if (what & KEEL_POSITION)
        terms->Phi[0] = x * x + y * y - 1;
    if (what & KEEL_JACOBIAN)
        terms->J[0] = 2 * x, terms->J[1] = 2 * y;
    if (what & KEEL_VELOCITY)
        terms->rate[0] = 2 * (x * vx + y * vy);
    if (what & KEEL_XI)
        terms->xi[0] = -2 * (vx * vx + vy * vy);
    if (what & KEEL_ENERGY)
        terms->energy = (vx * vx + vy * vy) / 2 + g * y;
    if (what & KEEL_POWER)
        terms->power = 0;
    return KEEL_OK;
}

int main(void) {
    static const int diagonal_start[] = {0, 1, 2}, diagonal[] = {0, 1}, row_start[] = {0, 2}, row[] = {0, 1};
    static const char *const coordinates[] = {"x", "y"}, *const velocities[] = {"x'", "y'"},
                             *const rod[] = {"rod"};

    keel_system system = keel_system_default();
    system.n_q = system.n_v = 2;
    system.n_h = 1;
    system.M = (keel_pattern){2, 2, diagonal_start, diagonal};
    system.J = (keel_pattern){1, 2, row_start, row};
    system.has_energy = 1;
    system.evaluate = evaluate;
    system.names.q = coordinates;
    system.names.v = velocities;
    system.names.constraint = rod;

    keel_settings settings = keel_settings_default();
    settings.until = 10;
    settings.tolerance = 1e-10;

    keel_state *start = keel_state_new(&system);
    keel_diagnostics *messages = keel_diagnostics_new();
    if (!start || !messages)
        return 1;
    start->q[0] = 1;

    keel_result result;
    keel_status status = keel_run(&system, start, 1, &settings, NULL, messages, &result);
    for (int i = 0; i < keel_diagnostics_count(messages); i++)
        printf("%s\n", keel_diagnostics_get(messages, i).text);
    int good = 0;
    if (status == KEEL_OK) {
        double error = hypot(result.final->q[0] - 1, result.final->q[1]);
        printf("after %g s: x = %.12f, y = %.12f, off by %.1e\n", result.final->t, result.final->q[0],
               result.final->q[1], error);
        printf("%ld steps, constraint held to %.1e, energy to %.1e\n", result.count.steps,
               result.position.max, result.energy_drift_max);
        good = error < 1e-8 && result.position.max < 1e-13;
    }
    keel_result_clear(&result);
    keel_state_free(start);
    keel_diagnostics_free(messages);
    return good ? 0 : 1;
}
