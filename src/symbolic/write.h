/* write.h - a compiled mechanism as formulas. */
#ifndef KI_SYMBOLIC_WRITE_H
#define KI_SYMBOLIC_WRITE_H

#include "equations/model.h"
#include "mechanism/model.h"

/* Whether it is of a kind that is written: simple coordinates, holonomic conditions, not many bodies. */
bool ki_is_written(const ki_mech *mech);

/* Its formulas, which the caller owns; NULL where some part is not written. KEEL_ERROR_MEMORY. */
keel_status ki_write(const ki_mech *mech, ki_model **model);

#endif
