/* What a step asks of the pins besides accelerations: pins.h has the letters.
 *
 * A displacement or a change of velocities x that opens the cut pins by s and no other, of least norm in M, is
 * what forces of the pins make of bodies at rest:
 *
 *     S f = s,   x = the rates of the bodies by f,   lambda = -f       since M x + J^T lambda = 0
 *
 * Rows of cut pins are along the axes of the world, second body minus first, as those of S are.
 */
#include <math.h>
#include <string.h>

#include "mechanism/mech_system.h"
#include "mechanism/pins.h"

int ki_pins_factor(const keel_system *system, void *work, const double *q) {
    ki_pins_work *w = &((ki_mech_work *)work)->pins;
    double power;
    return ki_pins_accelerate(system, work, &(keel_point){.q = q, .v = w->rest}, w->nothing, &power);
}

/* s of the cut pins, 0 of the others. */
static void load_rows(const ki_pins *pins, const double *s, double (*load)[2]) {
    for (int p = 0; p < pins->count; p++) {
        int row = pins->pin[p].row;
        load[p][0] = row < 0 ? 0 : s[row];
        load[p][1] = row < 0 ? 0 : s[row + 1];
    }
}

/* -f of the cut pins */
static void read_multipliers(const ki_pins *pins, double (*f)[2], double *lambda) {
    for (int p = 0; p < pins->count; p++) {
        int row = pins->pin[p].row;
        if (row >= 0)
            lambda[row] = -f[p][0], lambda[row + 1] = -f[p][1];
    }
}

/* Force and torque of its pins on a body: a, and the angular part. */
static double pulled(const ki_pins *pins, const ki_pins_work *w, int b, double a[2]) {
    const ki_pinned *body = &pins->body[b];
    double T = 0, F_x = 0, F_y = 0;
    for (int i = body->side; i < body[1].side; i++) {
        int side = pins->side[i];
        const double *f = w->load[side >> 1], *r = w->r[side], s = side & 1 ? 1 : -1;
        T += r[0] * f[1] - r[1] * f[0];
        F_x += s * f[0];
        F_y += s * f[1];
    }
    a[0] = body->i_m * F_x;
    a[1] = body->i_m * F_y;
    return body->i_I * T;
}

void ki_pins_constrain(const keel_system *system, void *work, const double *s, double *x, double *lambda) {
    const ki_pins *pins = ki_mech_of(system)->pins;
    ki_pins_work *w = &((ki_mech_work *)work)->pins;
    load_rows(pins, s, w->load);
    ki_pins_solve(pins, w, w->load);
    read_multipliers(pins, w->load, lambda);
    w->turn[0] = 0;
    for (int b = 1; b < pins->body_count; b++) {
        const ki_pinned *body = &pins->body[b];
        double a[2], alpha = w->turn[b] = pulled(pins, w, b, a);
        if (body->v >= 0) {
            x[body->v] = body->sign * (alpha - w->turn[body->parent]);
            continue;
        }
        x[~body->v] = a[0]; /* its base point is its centre of mass: it has no hub */
        x[~body->v + 1] = a[1];
        x[~body->v + 2] = alpha;
    }
}

/* A pin whose pivot D is what the pins before it leave of its diagonal block: 1 / (D^-1_xx + D^-1_yy) is the
 * smaller of its eigenvalues, but for a factor up to 2, and a quarter of S_xx + S_yy the same where nothing is
 * taken. The square root of the smallest ratio falls to zero in proportion to the distance from a pose. */
double ki_pins_gap(const keel_system *system, void *work) {
    const ki_pins *pins = ki_mech_of(system)->pins;
    const ki_pin_state *pin = ((ki_mech_work *)work)->pins.pin;
    double most = 0;
    for (int p = 0; p < pins->count; p++) {
        double share = fabs(pin[p].D[0] + pin[p].D[2]) * pins->pin[p].size;
        if (!(share <= most))
            most = share;
        if (isnan(share)) /* round-off of a pivot that is zero */
            return 0;
    }
    return most > 0 ? sqrt(4 / most) : 1;
}
