/* reduce.h - a mechanism whose loops have closed forms, in one coordinate. */
#ifndef KI_SYMBOLIC_REDUCE_H
#define KI_SYMBOLIC_REDUCE_H

#include "keel/system.h"
#include "mechanism/model.h"

/* The same motion in fewer coordinates (rods.h), or NULL in *reduction where none is known; freed by
 * ki_reduction_free. KEEL_ERROR_MEMORY. */
keel_status ki_reduce(const ki_mech *mech, const keel_reduction **reduction);
void ki_reduction_free(const keel_reduction *reduction);

#endif
