/* hinges.c - how each hinge of the tree places its body: frame 1 in frame 0 and the columns, in the axes of
 * frame 0 (mechanism/joint.h, and the file of the joint).
 *
 * Hinges with quaternions are not written: their q are more than their v.
 */
#include "symbolic/hinges.h"
#include "mechanism/joints/joints.h"

static mat turn_about(ki_graph *g, int axis, ki_turn turn) {
    mat R = mat_of(g, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    R.x[3 * i + i] = R.x[3 * j + j] = turn.c;
    R.x[3 * j + i] = turn.s;
    R.x[3 * i + j] = minus(g, number(g, 0), turn.s);
    return R;
}

static vec unit(ki_graph *g, int axis) {
    double e[3] = {0};
    e[axis] = 1;
    return vec_of(g, e);
}

static void revolute(ki_graph *g, const ki_hinged *at, ki_placed *out) {
    out->R = turn_about(g, 2, at->turn[0]);
    out->Omega[0] = unit(g, 2);
}

static void prismatic(ki_graph *g, const ki_hinged *at, ki_placed *out) {
    out->r.x[2] = at->q[0];
    out->V[0] = unit(g, 2);
}

static void cylindrical(ki_graph *g, const ki_hinged *at, ki_placed *out) {
    out->R = turn_about(g, 2, at->turn[0]);
    out->r.x[2] = at->q[1];
    out->Omega[0] = unit(g, 2);
    out->V[1] = unit(g, 2);
}

static void planar(ki_graph *g, const ki_hinged *at, ki_placed *out) {
    out->R = turn_about(g, 2, at->turn[2]);
    out->r.x[0] = at->q[0], out->r.x[1] = at->q[1];
    out->V[0] = unit(g, 0);
    out->V[1] = unit(g, 1);
    out->Omega[2] = unit(g, 2);
}

/* bias q_0' q_1' (0, -sin q_0, cos q_0) */
static void universal(ki_graph *g, const ki_hinged *at, ki_placed *out) {
    mat R_x = turn_about(g, 0, at->turn[0]), R_y = turn_about(g, 1, at->turn[1]);
    out->R = mat_mat(g, &R_x, &R_y);
    out->Omega[0] = unit(g, 0);
    out->Omega[1] = mat_column(&R_x, 1);
    out->bias = vec_times(g, times(g, at->v[0], at->v[1]), mat_column(&R_x, 2));
}

static void fixed(ki_graph *g, const ki_hinged *at, ki_placed *out) {
    (void)g, (void)at, (void)out;
}

static void prismatic_in_plane(ki_graph *g, const ki_hinged *at, ki_placed *out) {
    out->r.x[0] = at->q[0];
    out->V[0] = unit(g, 0);
}

static void revolute_in_plane(ki_graph *g, const ki_hinged *at, ki_placed *out) {
    out->angle = at->q[0];
    out->Omega[0] = unit(g, 2);
}

typedef void (*placing)(ki_graph *g, const ki_hinged *at, ki_placed *out);

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

bool ki_symbolic_hinge(ki_graph *g, const ki_joint *hinge, int d, const ki_hinged *at, ki_placed *out) {
    out->R = mat_of(g, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    out->r = out->bias = vec_zero(g);
    out->angle = number(g, 0);
    for (int j = 0; j < KI_JOINT_VELOCITIES; j++)
        out->Omega[j] = out->V[j] = vec_zero(g);
    for (size_t i = 0; i < sizeof HINGES / sizeof *HINGES; i++) {
        placing place = d == KI_PLANAR ? HINGES[i].in_plane : HINGES[i].in_space;
        if (HINGES[i].type == hinge->type && place) {
            place(g, at, out);
            return true;
        }
    }
    return false;
}
