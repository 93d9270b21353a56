/* What a step asks of the pins besides accelerations: pins.h has the letters.
 *
 * A displacement or a change of velocities x that opens the cut pins by s and no other, of least norm in M,
 * is what forces of the pins make of bodies at rest:
 *
 *     S f = s,   x = the rates of the bodies by f,   lambda = -f       since M x + J^T lambda = 0
 *
 * Rows of cut pins are along the axes of the world, second body minus first, as those of S are.
 */
#include <math.h>
#include <string.h>

#include "mechanism/mech_system.h"
#include "mechanism/pins.h"
#include "mechanism/pins_path.h"

/* s of the cut pins, 0 of the others. */
static void load_rows(const ki_pins *pins, const double *s, double (*load)[2]) {
    memset(load, 0, (size_t)pins->count * sizeof *load);
    for (int c = 0; c < pins->cut_count; c++) {
        const ki_pin *pin = &pins->pin[pins->cut[c]];
        for (int i = 0; i < 2; i++)
            load[pins->cut[c]][i] = pin->sign * s[pin->row + i];
    }
}

/* -f of the cut pins */
static void read_multipliers(const ki_pins *pins, double (*f)[2], double *lambda) {
    for (int c = 0; c < pins->cut_count; c++) {
        const ki_pin *pin = &pins->pin[pins->cut[c]];
        for (int i = 0; i < 2; i++)
            lambda[pin->row + i] = -pin->sign * f[pins->cut[c]][i];
    }
}

void ki_pins_constrain(const keel_system *system, void *work, const double *s, double *x, double *lambda) {
    const ki_pins *pins = ki_mech_of(system)->pins;
    ki_pins_work *w = &((ki_mech_work *)work)->pins;
    if (pins->path) {
        ki_path_constrain(pins, w, s, x, lambda);
        return;
    }
    load_rows(pins, s, w->load);
    ki_pins_solve(pins, w, w->load);
    read_multipliers(pins, w->load, lambda);
    ki_pins_respond(pins, w, (const double(*)[2])w->load, x);
}

static double largest_share(const ki_pins *pins, const ki_pins_work *w) {
    double most = 0;
    for (int p = 0; p < pins->count; p++) {
        double share = fabs(w->pin[p].D[0] + w->pin[p].D[2]) * pins->pin[p].size;
        most = share <= most ? most : share; /* a NaN, too */
        if (isnan(most))
            break;
    }
    return most;
}

/* A pin whose pivot D is what the pins before it leave of its diagonal block: 1 / (D^-1_xx + D^-1_yy) is the
 * smaller of its eigenvalues, but for a factor up to 2, and a quarter of S_xx + S_yy the same where nothing
 * is taken. The square root of the smallest ratio falls to zero in proportion to the distance from a pose.
 * NaN comes from a pivot that is zero. */
double ki_pins_gap(const keel_system *system, void *work) {
    const ki_pins *pins = ki_mech_of(system)->pins;
    const ki_pins_work *w = &((ki_mech_work *)work)->pins;
    double most = pins->path ? ki_path_pivots(pins, w) : largest_share(pins, w);
    return most > 0 ? sqrt(4 / most) : isnan(most) ? 0 : 1;
}
