/* compile.h - compiling a description, for the compiler's own use. */
#ifndef KI_MECHANISM_COMPILE_H
#define KI_MECHANISM_COMPILE_H

#include "mechanism/description.h"
#include "mechanism/model.h"

/* The system of a description that was checked before, without its assembly and without a reduction. NULL
 * after a failure. */
keel_status ki_compile_alone(const keel_mechanism *m, ki_mech **mech);

#endif
