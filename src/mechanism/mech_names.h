/* mech_names.h - names of the coordinates and constraints of a mechanism. */
#ifndef KI_MECHANISM_NAMES_H
#define KI_MECHANISM_NAMES_H

#include "mechanism/description.h"
#include "mechanism/model.h"

/* Fills names.q, v, constraint and joint of mech->system. Rows are laid out. */
keel_status ki_mech_name(ki_mech *mech);

#endif
