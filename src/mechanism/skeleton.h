/* skeleton.h - bodies and joints of a compiled mechanism, for a given tree. */
#ifndef KI_MECHANISM_SKELETON_H
#define KI_MECHANISM_SKELETON_H

#include "mechanism/model.h"
#include "mechanism/tree.h"

/* A mechanism with bodies, joints and points, without rows, forces or names; NULL when out of memory. */
ki_mech *ki_skeleton_new(const keel_mechanism *m, const ki_tree *tree);
void ki_mech_free(ki_mech *mech);

/* A place in a text whose name lives as long as the mechanism. */
keel_location ki_keep_place(ki_mech *mech, keel_location where);

/* Fills what the recursions read of the hinges, which all hang in their places: hinge.c. */
void ki_hinges_prepare(ki_mech *mech);

/* Coordinates of the drawn pose, as far as the joints of the tree can show it. */
void ki_drawn_coordinates(const ki_mech *mech, double *q);

#endif
