/* resistance.c - a force along a row x that resists it: springs on a length, torsion springs on a coordinate.
 * It has a stiffness and a damping (laws/forces/resistance.c), or a formula p of x, x' and t, all of whose
 * force -p is counted as power.
 */
#include "mechanism/forces/force.h"

#include <math.h>

void ki_resistance_inputs(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double x[2]) {
    ki_row row;
    ki_measure_row(mech, w, &force->measure, KI_AT_POSITION, &row);
    x[0] = row.value;
    x[1] = ki_row_rate(mech, w, force->measure.body, &row);
}

/* For the value x[0] and its rate x[1] */
static ki_load resist(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t,
                      const double x[2]) {
    ki_load load = {.along = 0};
    if (force->law.tape) {
        double p;
        ki_formula_run(mech, w, &force->law, 2, x, t, &p);
        load.along = -p;
        load.power = -p * x[1];
    } else {
        ki_force_load(mech, w, force, (const double[3]){x[0], x[1], 0}, &load);
    }
    return load;
}

double ki_resistance(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t) {
    double x[2];
    ki_resistance_inputs(mech, w, force, x);
    return -resist(mech, w, force, t, x).along;
}

void ki_resistance_apply(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t) {
    ki_row row;
    ki_measure_row(mech, w, &force->measure, KI_AT_POSITION, &row);
    const double x[2] = {row.value, ki_row_rate(mech, w, force->measure.body, &row)};
    ki_load load = resist(mech, w, force, t, x);
    ki_add_row_force(mech, w, force->measure.body, &row, load.along);
    w->potential += load.potential;
    w->power += load.power;
}

double ki_resistance_potential(const ki_mech *mech, ki_mech_work *w, const ki_force *force) {
    ki_row row;
    if (force->law.tape)
        return 0;
    ki_measure_row(mech, w, &force->measure, KI_AT_POSITION, &row);
    return resist(mech, w, force, 0, (const double[2]){row.value, 0}).potential;
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
