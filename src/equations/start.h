/* start.h - checks at the start. */
#ifndef KI_EQUATIONS_START_H
#define KI_EQUATIONS_START_H

#include "equations/builder.h"

enum { KI_DENSE_MAX = 500 }; /* larger matrices are left to the solver */

/* The mass matrix, with the constraints, lets the accelerations be found. */
void ki_check_mass(ki_builder *b, const keel_terms *terms);

#endif
