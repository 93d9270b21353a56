/* choice.h - which tree is the cheapest to work with. */
#ifndef KI_MECHANISM_CHOICE_H
#define KI_MECHANISM_CHOICE_H

#include "mechanism/skeleton.h"

/* The tree that the description asks for; with `auto` the one with the cheapest predicted factorization.
 * Fills the part of `facts` about the choice. */
keel_status ki_choose_tree(const keel_mechanism *m, const bool *counted, ki_arena *arena, ki_tree *tree,
                           keel_mechanism_facts *facts);

/* The tree for assembly: relative coordinates, in which joints without start values keep theirs, whatever the
 * coordinates of the run; where branches are too long for that, the tree of the run. */
keel_status ki_assembly_tree(const keel_mechanism *m, const bool *counted, ki_arena *arena,
                             const ki_tree *run, ki_tree *tree);

/* About how many entries M and J have with a tree, from the lengths of its paths; a little too many. */
keel_status ki_tree_entries(const keel_mechanism *m, const ki_tree *tree, double *entries);

#endif
