/* tree.h - which joints become coordinates.
 *
 * From the ground outwards, joints with few freedoms first (each freedom is a coordinate), among equals those
 * nearest to the ground: a minimum spanning tree by Prim's algorithm. A body that no joint of the tree
 * reaches hangs from the ground by a free joint that is made up. Numbers are those of the description.
 */
#ifndef KI_MECHANISM_TREE_H
#define KI_MECHANISM_TREE_H

#include "mechanism/description.h"

typedef struct ki_tree_rule {
    bool absolute;       /* only joints whose turns are counted hang in the tree */
    int cut_every;       /* > 0: no branch is longer */
    const bool *counted; /* [joint_count] joints whose turns are counted: in the tree wherever possible */
} ki_tree_rule;

typedef struct ki_tree {
    int *joint;  /* [body_count] the joint by which a body hangs; -1: by a made-up free joint */
    int *parent; /* [body_count] */
    int *order;  /* [body_count] bodies, parents first; the ground is first */
    int *level;  /* [body_count] joints up to the ground */
    int deepest;
} ki_tree;

/* KEEL_OK or KEEL_ERROR_MEMORY. */
keel_status ki_tree_build(const keel_mechanism *m, const ki_tree_rule *rule, ki_arena *arena, ki_tree *tree);

#endif
