/* mobility.h - how a mechanism can move, and which of its joints say the same.
 *
 * What is meant is a general pose near the one that is looked at (docs/sizes.md); `locked` and `rank_here`
 * tell about that one itself. With the rows J of the joints (those of motions left out)
 *
 *     freedoms = n_v - rank J              true, whatever the joints repeat
 *     Gruebler = freedoms of the bodies minus conditions of the joints, as if all were independent.
 *
 * A y with J^T y = 0 is a state of self-stress: forces in joints that balance without any load. Joints that
 * carry one share their reactions. A displacement x with J x = 0 is what the joints allow: a body whose
 * twist is zero in all of them is locked.
 *
 * Dense matrices: meant for a look at the start, not for mechanisms of thousands of bodies.
 */
#ifndef KEEL_MOBILITY_H
#define KEEL_MOBILITY_H

#include "keel/diagnostics.h"
#include "keel/system.h"

typedef enum keel_body_mobility {
    KEEL_BODY_MOVES,
    KEEL_BODY_LOCKED, /* its joints allow no motion at all                            */
    KEEL_BODY_FIXED,  /* likewise, and meant so: fixed joints tie it to the ground    */
    KEEL_BODY_FREE    /* no joint mentions it                                         */
} keel_body_mobility;

/* A cut joint some of whose conditions follow from those of other joints. */
typedef struct keel_repetition {
    int joint;
    int conditions; /* how many */
    int other_count;
    int *others; /* [other_count] the joints that impose them already, increasing */
    double length,
        angle; /* how far what they say differs, of lengths and of angles in radians; 0: not at all */
} keel_repetition;

#define KEEL_LOCKED_TOLD   8 /* bodies that messages tell one by one */
#define KEEL_REPEATED_TOLD 4 /* likewise, joints that differ from what they repeat */

typedef struct keel_mobility {
    int bodies, joints, n_v;
    int known;    /* 0: too large to look at; only `gruebler`, `motions` and free bodies are filled then */
    int gruebler; /* without motions */
    int motions;  /* conditions of motions */
    int conditions, rank; /* rows of cut joints, and how many of them are independent in general */
    int rank_here;        /* ... and in this pose: fewer if it is singular */
    int freedoms;         /* without motions */
    int driven;           /* how many of them the motions use up */
    int repetition_count;
    keel_repetition *repetitions; /* in the order of the joints                               */
    int *shared;                  /* [joints] 1: part of its reaction can be shifted to others */
    keel_body_mobility *body;     /* [bodies + 1], the ground is KEEL_BODY_FIXED               */
    int *lockers; /* [KEEL_LOCKED_TOLD x joints] 1: it takes part in locking the first, second, ... locked
                     body; NULL: none is locked, or the mechanism is too large to tell */
    int *locked;  /* [n_v] 1: the joints allow no such velocity                */
    int nearest;  /* the joint with the condition that comes nearest to repeating others, though it does not;
                     -1: none comes near */
    double nearest_length, nearest_angle; /* what it adds to them, the one or the other */
} keel_mobility;

/* Looks at a mechanism in a pose, which should satisfy its constraints. Rows with more than `most_entries`
 * entries altogether (0: no limit) are too many to look at. KEEL_ERROR_INPUT if the system is not a
 * mechanism. `mobility` is to be cleared after a success. */
KEEL_API keel_status keel_mobility_find(const keel_system *system, const keel_state *state,
                                        double most_entries, keel_mobility *mobility);
KEEL_API void keel_mobility_clear(keel_mobility *mobility);

/* "hinge_2 repeats 5 conditions that hinge_1 already imposes", with ", to 3e-07 m and 2e-07 rad: within the
 * precision of the drawing" where they differ; into `text`, which is returned. */
KEEL_API const char *keel_mobility_sentence(const keel_system *system, const keel_repetition *repetition,
                                            char *text, int size);

/* KEEL_ERROR_INPUT, with a message for each, if joints lock a body that is not meant to be fixed. A warning
 * for joints with Coulomb friction whose reactions are shared, a note for joints that repeat others only
 * within the precision of the drawing. */
KEEL_API keel_status keel_mobility_check(const keel_system *system, const keel_mobility *mobility,
                                         keel_diagnostics *diagnostics);

/* KEEL_ERROR_INPUT, with a message for each body, if the mechanism can be moved in a way that no mass and no
 * inertia resists: accelerations are not determined then. Rows as above. */
KEEL_API keel_status keel_inertia_check(const keel_system *system, const keel_state *state,
                                        double most_entries, keel_diagnostics *diagnostics);

/* Both checks, as they are made before every run: nothing for systems that are no mechanisms, and less than
 * both for mechanisms that are too large to look at them each time. */
KEEL_API keel_status keel_mobility_refuse(const keel_system *system, const keel_state *state,
                                          keel_diagnostics *diagnostics);

#endif
