/* Gear and rack: tie the coordinates c of two other joints; always cut.
 *
 *     row     ratio c_0 - c_1 = 0      both counted from the drawn pose
 *
 * The row has two parts, one of either joint, and is put together from what those joints measure.
 */
#include "laws/joint.h"

static const ki_joint_law_role COUPLING = {.conditions = 1, .n_v = -1, .n_h = 1, .row_name = {"mesh"}};

const ki_joint_law ki_law_gear = {.word = "gear",
                                  .summary = "two joints turn (or slide) at a constant ratio",
                                  .planar = &COUPLING,
                                  .spatial = &COUPLING,
                                  .needs_ratio = true,
                                  .couples = true};

const ki_joint_law ki_law_rack = {.word = "rack",
                                  .summary = "a joint slides a given way per radian of another",
                                  .planar = &COUPLING,
                                  .spatial = &COUPLING,
                                  .needs_ratio = true,
                                  .couples = true};
