/* layout.h - which rows a mechanism has, and where their entries go.
 *
 * A constraint row is the sum of one or two parts, each a ki_row between two bodies (two only where a gear
 * couples the coordinates of two joints). Rows stand in this order:
 *
 *     holonomic      cut joints in their order, motions, start positions (assembly only)
 *     nonholonomic   cut joints in their order, start velocities (assembly only)
 *
 * Parts between the same two bodies - all rows of a cut joint - are a group. Its entries are walked from body
 * 1 up to, not including, the lowest common ancestor `top` of its bodies, then from body 0; at each body the
 * columns of its tree joint, for each of them all rows of the group. Left out are entries that are always
 * zero: where a body with coordinates of its own slides along an axis of the world, those of rows along
 * another axis and of rows that know only turns. slot[k] is where entry k of the walk goes among the values
 * of J.
 */
#ifndef KI_MECHANISM_LAYOUT_H
#define KI_MECHANISM_LAYOUT_H

#include <limits.h>

#include "mechanism/model.h"

typedef struct ki_part {
    int row;     /* of J */
    int owner;   /* number of the joint, motion or start value it is of */
    int body[2]; /* tree numbers */
    int top;     /* their lowest common ancestor */
} ki_part;

typedef struct ki_group {
    int part, count; /* its first part, and how many */
    int body[2], top;
    int world;          /* so many of its first rows are along the axes x, y, z of the world */
    int turning;        /* so many of its last rows know only how the bodies are turned */
    int slot;           /* its first entry in J_slot */
    int column[2], end; /* where the walks over the columns begin, from body[0] and body[1], and end */
} ki_group;

/* In the plane: rows along both axes of the world, and no other. */
static inline bool ki_is_pin(const ki_group *group) {
    return group->world == 2 && group->count == 2;
}

/* Row k of a group in column j of a body with coordinates of its own. */
static inline bool ki_zero_entry(const ki_group *group, int d, int k, int j) {
    int slides = d == KI_PLANAR ? 2 : 3;
    bool along_another = k < group->world && k != j;
    return j < slides && (along_another || k >= group->count - group->turning);
}

/* A walk over columns of the tree in place of its bodies: from column j to above[j]. Two marks are negative:
 * the columns of a body with coordinates of its own, which hangs from the ground and is the last of a walk,
 * stand for ~(the first of them), and the ground is KI_GROUND. */
enum { KI_GROUND = INT_MIN };

typedef struct ki_layout {
    int n_h, n_n;
    int part_count;
    ki_part *part; /* of joints in their order, n_h + n_n (or 2 of a coupling) each; of motions; of starts */
    int *joint_part;             /* [joint_count] first part of a cut joint */
    int motion_part, start_part; /* first part of the motions, of the start values */
    int motion_row;              /* first row of the motions */
    int *row_part;               /* [n_h + n_n] a part of each row */
    int group_count;
    ki_group *group;
    int cut_count, *cut;         /* joints that have parts */
    int rubbing_count, *rubbing; /* joints with friction */
    bool branches;               /* some body hangs from another, or from the ground by a real joint */
    int *above;                  /* [n_v] the next column of a walk */
    int *J_slot;                 /* entries of all groups, walking */
    int *M_slot;                 /* entries of M: for each body, each of its columns, walking to the ground */
} ki_layout;

/* Numbers rows, fills the parts, and the patterns M and J of mech->system. Bodies, joints, motions and start
 * values are in place. */
keel_status ki_layout_build(ki_mech *mech);

int ki_common_ancestor(const ki_mech *mech, int a, int b);

/* Columns of the walk of a part, in walking order; returns their number. `columns` may be NULL. */
int ki_part_columns(const ki_mech *mech, const ki_part *part, int *columns);

/* Sorts and leaves each number once; returns how many are left. */
int ki_sort_unique(int *list, int count);

/* Place of an entry that is in the pattern. */
int ki_pattern_slot(keel_pattern P, int row, int column);

#endif
