/* resistance.c - a force along a row x that resists it: springs on a length, torsion springs on a coordinate.
 *
 *     p = k (x - x_0) + c x'        potential k (x - x_0)^2 / 2, power -c x'^2
 *     p = law(x, x', t, ...)        power -p x'
 *
 * It acts as -p along the row.
 */
#include "mechanism/forces/force.h"

#include <math.h>

/* p for the value x and its rate */
static double resist(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t, double x,
                     double rate) {
    double p, extra[2] = {x, rate};
    if (!force->law.tape)
        return force->stiffness * (x - force->free) + force->damping * rate;
    ki_formula_run(mech, w, &force->law, 2, extra, t, &p);
    return p;
}

void ki_resistance_inputs(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double x[2]) {
    ki_row row;
    ki_measure_row(mech, w, &force->measure, KI_AT_POSITION, &row);
    x[0] = row.value;
    x[1] = ki_row_rate(mech, w, force->measure.body, &row);
}

double ki_resistance(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t) {
    double x[2];
    ki_resistance_inputs(mech, w, force, x);
    return resist(mech, w, force, t, x[0], x[1]);
}

static double stored(const ki_force *force, double x) {
    double off = x - force->free;
    return force->law.tape ? 0 : force->stiffness * off * off / 2;
}

void ki_resistance_apply(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t) {
    ki_row row;
    ki_measure_row(mech, w, &force->measure, KI_AT_POSITION, &row);
    double rate = ki_row_rate(mech, w, force->measure.body, &row);
    double p = resist(mech, w, force, t, row.value, rate);
    ki_add_row_force(mech, w, force->measure.body, &row, -p);
    w->potential += stored(force, row.value);
    w->power -= rate * (force->law.tape ? p : force->damping * rate);
}

double ki_resistance_potential(const ki_mech *mech, ki_mech_work *w, const ki_force *force) {
    ki_row row;
    if (force->law.tape)
        return 0;
    ki_measure_row(mech, w, &force->measure, KI_AT_POSITION, &row);
    return stored(force, row.value);
}

keel_status ki_resistance_compile(const ki_names *names, ki_mech *mech, const keel_force *description,
                                  const char *value_name, keel_diagnostics *diagnostics, ki_force *force) {
    const char *const extra[2] = {value_name, "rate"};
    force->stiffness = description->stiffness;
    force->damping = description->damping;
    force->free = isnan(description->free) ? ki_measure_drawn(mech, &force->measure) : description->free;
    if (!description->law.text)
        return KEEL_OK;
    if (force->stiffness != 0 || force->damping != 0) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, force->where,
                             "'%s' has a formula and a stiffness or damping: give one or the other",
                             force->name);
        return KEEL_ERROR_INPUT;
    }
    return ki_formula_compile(names, mech, &description->law, 1, extra, 2, KI_FOR_FORCE, diagnostics,
                              &force->law);
}
