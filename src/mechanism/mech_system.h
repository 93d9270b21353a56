/* mech_system.h - the functions of keel_system that a mechanism answers with. */
#ifndef KI_MECHANISM_SYSTEM_H
#define KI_MECHANISM_SYSTEM_H

#include "mechanism/work.h"

static inline const ki_mech *ki_mech_of(const keel_system *system) {
    return system->model;
}

/* For callers from outside: NULL for systems that are no mechanisms, and for numbers that none of it has. */
const ki_mech *ki_mech_if(const keel_system *system);
const ki_joint *ki_mech_joint(const keel_system *system, int joint);
const ki_body *ki_mech_body(const keel_system *system, int described);

keel_status ki_mech_evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                             keel_terms *terms);
void ki_mech_kinematics(const keel_system *system, const double *q, const double *v, double *q_rate);
void ki_mech_advance(const keel_system *system, double *q, const double *dv);
void ki_mech_pull(const keel_system *system, const double *q, const double *dq, double *dv);

/* In momentum.c. */
void ki_mech_rigid(const keel_system *system, void *work, const keel_point *at, keel_rigid *rigid);

/* In explain.c. */
int ki_mech_explain(const keel_system *system, void *work, double t, char *text, int size,
                    keel_location *where);
double ki_mech_law(const keel_system *system, void *work, double t, int row);

/* Lets formulas, a system of the same sizes and patterns, answer what they can. */
void ki_mech_use_formulas(ki_mech *mech, const keel_system *formulas);

/* Sets the functions and flags of mech->system; patterns and names are in place. */
void ki_mech_connect(ki_mech *mech);

#endif
