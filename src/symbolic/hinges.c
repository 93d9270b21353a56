/* hinges.c - how each hinge of the tree places its body: frame 1 in frame 0 and the columns, in the axes of
 * frame 0 (mechanism/joint.h, and the file of the joint).
 *
 * Hinges with quaternions are not written: their q are more than their v.
 */
#include "symbolic/hinges.h"
#include "mechanism/joints/joints.h"

static mat turn_about(ki_graph *g, int axis, ki_node angle) {
    ki_node c = ki_unary(g, KI_COS, angle), s = ki_unary(g, KI_SIN, angle), zero = number(g, 0);
    mat R = mat_of(g, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    R.x[3 * i + i] = R.x[3 * j + j] = c;
    R.x[3 * j + i] = s;
    R.x[3 * i + j] = minus(g, zero, s);
    return R;
}

static vec unit(ki_graph *g, int axis) {
    double e[3] = {0};
    e[axis] = 1;
    return vec_of(g, e);
}

static void revolute(ki_graph *g, const ki_node *q, const ki_node *v, ki_placed *out) {
    (void)v;
    out->R = turn_about(g, 2, q[0]);
    out->Omega[0] = unit(g, 2);
}

static void prismatic(ki_graph *g, const ki_node *q, const ki_node *v, ki_placed *out) {
    (void)v;
    out->r.x[2] = q[0];
    out->V[0] = unit(g, 2);
}

static void cylindrical(ki_graph *g, const ki_node *q, const ki_node *v, ki_placed *out) {
    (void)v;
    out->R = turn_about(g, 2, q[0]);
    out->r.x[2] = q[1];
    out->Omega[0] = unit(g, 2);
    out->V[1] = unit(g, 2);
}

static void planar(ki_graph *g, const ki_node *q, const ki_node *v, ki_placed *out) {
    (void)v;
    out->R = turn_about(g, 2, q[2]);
    out->r.x[0] = q[0], out->r.x[1] = q[1];
    out->V[0] = unit(g, 0);
    out->V[1] = unit(g, 1);
    out->Omega[2] = unit(g, 2);
}

/* bias q_0' q_1' (0, -sin q_0, cos q_0) */
static void universal(ki_graph *g, const ki_node *q, const ki_node *v, ki_placed *out) {
    mat R_x = turn_about(g, 0, q[0]), R_y = turn_about(g, 1, q[1]);
    out->R = mat_mat(g, &R_x, &R_y);
    out->Omega[0] = unit(g, 0);
    out->Omega[1] = mat_column(&R_x, 1);
    out->bias = vec_times(g, times(g, v[0], v[1]), mat_column(&R_x, 2));
}

static void fixed(ki_graph *g, const ki_node *q, const ki_node *v, ki_placed *out) {
    (void)g, (void)q, (void)v, (void)out;
}

static void prismatic_in_plane(ki_graph *g, const ki_node *q, const ki_node *v, ki_placed *out) {
    (void)v;
    out->r.x[0] = q[0];
    out->V[0] = unit(g, 0);
}

static void revolute_in_plane(ki_graph *g, const ki_node *q, const ki_node *v, ki_placed *out) {
    (void)v;
    out->angle = q[0];
    out->Omega[0] = unit(g, 2);
}

typedef void (*placing)(ki_graph *g, const ki_node *q, const ki_node *v, ki_placed *out);

static const struct {
    const ki_joint_type *type;
    placing in_space, in_plane; /* NULL: not written */
} HINGES[] = {
    {&ki_joint_revolute, revolute, revolute_in_plane},
    {&ki_joint_prismatic, prismatic, prismatic_in_plane},
    {&ki_joint_cylindrical, cylindrical, NULL},
    {&ki_joint_planar, planar, NULL},
    {&ki_joint_universal, universal, NULL},
    {&ki_joint_fixed, fixed, fixed},
};

bool ki_symbolic_hinge(ki_graph *g, const ki_joint *hinge, int d, const ki_node *q, const ki_node *v,
                       ki_placed *out) {
    out->R = mat_of(g, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    out->r = out->bias = vec_zero(g);
    out->angle = number(g, 0);
    for (int j = 0; j < KI_JOINT_VELOCITIES; j++)
        out->Omega[j] = out->V[j] = vec_zero(g);
    for (size_t i = 0; i < sizeof HINGES / sizeof *HINGES; i++) {
        placing place = d == KI_PLANAR ? HINGES[i].in_plane : HINGES[i].in_space;
        if (HINGES[i].type == hinge->type && place) {
            place(g, q, v, out);
            return true;
        }
    }
    return false;
}
