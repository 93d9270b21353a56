/* states.h - first-order states of a mechanism: controllers, actuators, filters, and inputs. */
#ifndef KI_MECHANISM_STATES_H
#define KI_MECHANISM_STATES_H

#include "mechanism/quantity.h"
#include "mechanism/work.h"

/* Start values, names and the formulas of the rates. An assembly knows the start values only. */
keel_status ki_states_compile(const ki_names *names, ki_mech *mech, bool for_assembly,
                              keel_diagnostics *diagnostics);

/* The states of a point are those of the scratch area from here on. */
void ki_load_states(const ki_mech *mech, ki_mech_work *w, const keel_point *at);

/* f = z' at the state of the scratch area, whose bodies have moved. */
void ki_state_rates(const ki_mech *mech, ki_mech_work *w, double t, double *f);

#endif
