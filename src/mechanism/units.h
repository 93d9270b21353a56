/* units.h - units of what a mechanism has: SI throughout. */
#ifndef KI_MECHANISM_UNITS_H
#define KI_MECHANISM_UNITS_H

#include "expr/dimension.h"
#include "mechanism/quantity.h"

/* The dimension of a quantity. */
ki_dimension ki_measure_dimension(const ki_mech *mech, const ki_measure *measure);

/* The dimension of a formula of outputs (formula.c); parameters have none that is known. */
ki_dimension ki_formula_dimension(const ki_names *names, ki_mech *mech, ki_graph *graph,
                                  const keel_formula *formula);

/* Fills mech->system.units. Rows are laid out, outputs compiled. */
keel_status ki_units_build(const ki_names *names, ki_mech *mech);

#endif
