#include <string.h>

#include "laws/joint.h"

extern const ki_joint_law ki_law_revolute, ki_law_prismatic, ki_law_cylindrical, ki_law_universal,
    ki_law_spherical, ki_law_planar, ki_law_screw, ki_law_fixed, ki_law_free, ki_law_distance, ki_law_gear,
    ki_law_rack, ki_law_point_on_line, ki_law_point_on_plane, ki_law_wheel, ki_law_disc, ki_law_skate,
    ki_law_sphere;

const ki_joint_law *const ki_joint_laws[] = {&ki_law_revolute,
                                             &ki_law_prismatic,
                                             &ki_law_cylindrical,
                                             &ki_law_universal,
                                             &ki_law_spherical,
                                             &ki_law_planar,
                                             &ki_law_screw,
                                             &ki_law_fixed,
                                             &ki_law_free,
                                             &ki_law_distance,
                                             &ki_law_gear,
                                             &ki_law_rack,
                                             &ki_law_point_on_line,
                                             &ki_law_point_on_plane,
                                             &ki_law_wheel,
                                             &ki_law_disc,
                                             &ki_law_skate,
                                             &ki_law_sphere,
                                             NULL};

const ki_joint_law *ki_joint_law_of(const char *word) {
    for (const ki_joint_law *const *law = ki_joint_laws; *law; law++)
        if (strcmp((*law)->word, word) == 0)
            return *law;
    return NULL;
}

bool ki_joint_law_place(const ki_joint_law_role *role, const ki_law *law, ki_law_hinge *out) {
    ki_graph *g = law->g;
    out->pose = (ki_law_pose){.R = mat_of(g, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}),
                              .angle = number(g, 0),
                              .r = vec_zero(g)};
    out->bias = vec_zero(g);
    for (int j = 0; j < KI_LAW_V; j++)
        out->Omega[j] = out->V[j] = vec_zero(g);
    if (!role || role->n_v < 0)
        return false;
    if (role->place)
        role->place(law, out);
    return true;
}
