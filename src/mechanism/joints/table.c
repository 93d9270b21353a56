#include <string.h>

#include "mechanism/joints/joints.h"

const ki_joint_type *const ki_joint_types[] = {&ki_joint_revolute,
                                               &ki_joint_prismatic,
                                               &ki_joint_cylindrical,
                                               &ki_joint_universal,
                                               &ki_joint_spherical,
                                               &ki_joint_planar,
                                               &ki_joint_screw,
                                               &ki_joint_fixed,
                                               &ki_joint_free,
                                               &ki_joint_distance,
                                               &ki_joint_gear,
                                               &ki_joint_rack,
                                               &ki_joint_point_on_line,
                                               &ki_joint_point_on_plane,
                                               &ki_joint_wheel,
                                               &ki_joint_disc,
                                               &ki_joint_skate,
                                               &ki_joint_sphere,
                                               NULL};

/* The same in words: they are no constants to a compiler where they stand in the types. */
static const char *const WORDS[] = {
    "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar",        "screw",
    "fixed",    "free",      "distance",    "gear",      "rack",      "point-on-line", "point-on-plane",
    "wheel",    "disc",      "skate",       "sphere",    NULL};

const ki_joint_type *ki_joint_type_of(const char *word) {
    for (const ki_joint_type *const *type = ki_joint_types; *type; type++)
        if (strcmp((*type)->word, word) == 0)
            return *type;
    return NULL;
}

const char *const *keel_joint_types(void) {
    return WORDS;
}
