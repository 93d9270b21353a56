/* lines.c - scalars between two bodies: conditions of cut joints, coordinates, lengths, what is measured.
 *
 * Points and directions that move with body b, with v' = 0:
 *
 *     P = r_b + arm    P' = v_b + omega_b x arm    P'' = a_b + alpha_b x arm + omega_b x (omega_b x arm)
 *     u                u' = omega_b x u            u'' = alpha_b x u + omega_b x (omega_b x u)
 *
 * Lines are products of these; their rates follow by the product rule.
 */
#include "mechanism/forces/force.h"
#include "mechanism/joints/joints.h"
#include "symbolic/writer.h"

/* x moves with a body: its rate, and the rate of that */
static void follow(ki_graph *g, const ki_moving *b, vec x, vec *rate, vec *curve) {
    *rate = cross(g, b->omega, x);
    *curve = vec_plus(g, cross(g, b->alpha, x), cross(g, b->omega, *rate));
}

ki_spot ki_spot_of(const ki_writer *w, int body, const double r[3]) {
    const ki_moving *b = &w->body[body];
    ki_spot s;
    s.arm = mat_vec(w->g, &b->R, vec_of(w->g, r));
    s.at = vec_plus(w->g, b->r, s.arm);
    follow(w->g, b, s.arm, &s.v, &s.a);
    s.v = vec_plus(w->g, b->v, s.v);
    s.a = vec_plus(w->g, b->a, s.a);
    return s;
}

/* A direction fixed on a body. */
typedef struct direction {
    vec a, rate, curve;
} direction;

static direction axis_of(const ki_writer *w, const ki_joint *joint, int side, int k) {
    const ki_moving *b = &w->body[joint->body[side]];
    const double *F = joint->frame[side].R, local[3] = {F[k], F[3 + k], F[6 + k]};
    direction x = {.a = mat_vec(w->g, &b->R, vec_of(w->g, local))};
    follow(w->g, b, x.a, &x.rate, &x.curve);
    return x;
}

/* D = P_1 - P_0 */
typedef struct gap {
    ki_spot spot[2];
    vec D, rate, curve;
} gap;

static gap gap_between(const ki_writer *w, const int body[2], const double r0[3], const double r1[3]) {
    gap x = {.spot = {ki_spot_of(w, body[0], r0), ki_spot_of(w, body[1], r1)}};
    x.D = vec_minus(w->g, x.spot[1].at, x.spot[0].at);
    x.rate = vec_minus(w->g, x.spot[1].v, x.spot[0].v);
    x.curve = vec_minus(w->g, x.spot[1].a, x.spot[0].a);
    return x;
}

static gap gap_of(const ki_writer *w, const ki_joint *joint) {
    return gap_between(w, joint->body, joint->frame[0].r, joint->frame[1].r);
}

/* x . e with e at rest; forces pull on both points */
static ki_line line_along(const ki_writer *w, const gap *x, vec e) {
    ki_graph *g = w->g;
    vec none = vec_zero(g);
    return (ki_line){.value = dot(g, x->D, e),
                     .velocity = -1,
                     .rate = dot(g, x->rate, e),
                     .curve = dot(g, x->curve, e),
                     .P = {x->spot[0].at, x->spot[1].at},
                     .e = {vec_negative(g, e), e},
                     .T = {none, none}};
}

/* D . x, D . y, D . z */
static int coincide(const ki_writer *w, const ki_joint *joint, ki_line *out) {
    gap x = gap_of(w, joint);
    int count = w->mech->d == KI_PLANAR ? 2 : 3;
    for (int i = 0; i < count; i++)
        out[i] = line_along(w, &x, vec_of(w->g, (const double[3]){i == 0, i == 1, i == 2}));
    return count;
}

/* 2 a . b' */
static ki_node twice_dot(ki_graph *g, vec a, vec b) {
    return times(g, number(g, 2), dot(g, a, b));
}

/* D . u with u = axis k on body 0 */
static ki_line line_on_axis(const ki_writer *w, const ki_joint *joint, int k) {
    ki_graph *g = w->g;
    gap x = gap_of(w, joint);
    direction u = axis_of(w, joint, 0, k);
    ki_line line = line_along(w, &x, u.a);
    line.rate = plus(g, line.rate, dot(g, x.D, u.rate));
    line.curve = plus(g, line.curve, plus(g, twice_dot(g, x.rate, u.rate), dot(g, x.D, u.curve)));
    line.T[0] = cross(g, u.a, x.D);
    return line;
}

/* a . b with a = axis j on body 0, b = axis k on body 1 */
static ki_line line_dot(const ki_writer *w, const ki_joint *joint, int j, int k) {
    ki_graph *g = w->g;
    direction a = axis_of(w, joint, 0, j), b = axis_of(w, joint, 1, k);
    vec none = vec_zero(g), turn = cross(g, a.a, b.a);
    ki_node bent = plus(g, dot(g, a.curve, b.a), dot(g, a.a, b.curve));
    return (ki_line){.value = dot(g, a.a, b.a),
                     .velocity = -1,
                     .rate = plus(g, dot(g, a.rate, b.a), dot(g, a.a, b.rate)),
                     .curve = plus(g, bent, twice_dot(g, a.rate, b.rate)),
                     .P = {none, none},
                     .e = {none, none},
                     .T = {turn, vec_negative(g, turn)}};
}

/* |D|' = n . D',  |D|'' = n . D'' + (n x D')^2 / |D|,  n = D / |D|; points in the same place have none. */
ki_line ki_line_length(const ki_writer *w, const int body[2], const double r0[3], const double r1[3]) {
    ki_graph *g = w->g;
    gap x = gap_between(w, body, r0, r1);
    ki_node length = ki_unary(g, KI_SQRT, dot(g, x.D, x.D));
    ki_node inverse = ki_if(g, length, ki_binary(g, KI_DIV, number(g, 1), length), number(g, 0));
    vec n = vec_times(g, inverse, x.D), across = cross(g, n, x.rate);
    ki_line line = line_along(w, &x, n);
    line.value = length;
    line.curve = plus(g, line.curve, times(g, dot(g, across, across), inverse));
    return line;
}

/* In the plane: the angle of body 1 from body 0, as far as the frames tell. */
static ki_line line_turn(const ki_writer *w, const ki_joint *joint) {
    ki_graph *g = w->g;
    const ki_moving *a = &w->body[joint->body[0]], *b = &w->body[joint->body[1]];
    vec none = vec_zero(g), z = vec_of(g, (const double[3]){0, 0, 1});
    ki_node drawn = number(g, ki_planar_frame_turn(joint));
    return (ki_line){.value = plus(g, minus(g, b->angle, a->angle), drawn),
                     .velocity = -1,
                     .rate = minus(g, b->omega.x[2], a->omega.x[2]),
                     .curve = minus(g, b->alpha.x[2], a->alpha.x[2]),
                     .P = {none, none},
                     .e = {none, none},
                     .T = {vec_negative(g, z), z}};
}

/* y_0 . z_1, x_0 . z_1 */
static int parallel(const ki_writer *w, const ki_joint *joint, ki_line *out) {
    out[0] = line_dot(w, joint, 1, 2);
    out[1] = line_dot(w, joint, 0, 2);
    return 2;
}

static int aligned(const ki_writer *w, const ki_joint *joint, ki_line *out) {
    parallel(w, joint, out);
    out[2] = line_dot(w, joint, 1, 0);
    return 3;
}

/* As in the files of the joints, mechanism/joints/. */
int ki_lines_of_rows(const ki_writer *w, const ki_joint *joint, ki_line out[KI_JOINT_ROWS]) {
    const ki_joint_type *type = joint->type;
    bool plane = w->mech->d == KI_PLANAR;
    if (type == &ki_joint_revolute)
        return coincide(w, joint, out) + (plane ? 0 : parallel(w, joint, out + 3));
    if (type == &ki_joint_spherical)
        return coincide(w, joint, out);
    if (type == &ki_joint_distance) {
        out[0] = ki_line_length(w, joint->body, joint->frame[0].r, joint->frame[1].r);
        out[0].value = minus(w->g, out[0].value, number(w->g, joint->length));
        return 1;
    }
    if (type == &ki_joint_universal) {
        coincide(w, joint, out);
        out[3] = line_dot(w, joint, 0, 1);
        return 4;
    }
    if (type == &ki_joint_fixed && plane) {
        coincide(w, joint, out);
        out[2] = line_turn(w, joint);
        return 3;
    }
    if (type == &ki_joint_fixed)
        return coincide(w, joint, out) + aligned(w, joint, out + 3);
    if (type == &ki_joint_prismatic && plane) {
        out[0] = line_on_axis(w, joint, 1);
        out[1] = line_turn(w, joint);
        return 2;
    }
    if (type == &ki_joint_point_on_line) {
        out[0] = line_on_axis(w, joint, plane ? 1 : 0);
        if (!plane)
            out[1] = line_on_axis(w, joint, 1);
        return plane ? 1 : 2;
    }
    if (type == &ki_joint_prismatic || type == &ki_joint_cylindrical) {
        out[0] = line_on_axis(w, joint, 0);
        out[1] = line_on_axis(w, joint, 1);
        return 2 + (type == &ki_joint_prismatic ? aligned : parallel)(w, joint, out + 2);
    }
    if (type == &ki_joint_planar) {
        out[0] = line_on_axis(w, joint, 2);
        return 1 + parallel(w, joint, out + 1);
    }
    return 0;
}

/* x, y or z of a point */
static ki_line line_of_point(const ki_writer *w, int body, const double r[3], int k) {
    static const double ORIGIN[3] = {0, 0, 0};
    gap x = gap_between(w, (const int[2]){0, body}, ORIGIN, r);
    return line_along(w, &x, vec_of(w->g, (const double[3]){k == 0, k == 1, k == 2}));
}

/* A coordinate of the tree. */
static ki_line line_of_coordinate(const ki_writer *w, const ki_joint *joint, int k) {
    vec none = vec_zero(w->g);
    return (ki_line){.value = ki_symbol(w->g, w->q + joint->q + k),
                     .rate = ki_symbol(w->g, w->v + joint->v + k),
                     .curve = number(w->g, 0),
                     .velocity = joint->v + k,
                     .P = {none, none},
                     .e = {none, none},
                     .T = {none, none}};
}

/* Angles of cut joints in space are known up to turns only: not written. */
bool ki_line_of_joint(const ki_writer *w, int j, int k, ki_line *line) {
    const ki_joint *joint = &w->mech->joint[j];
    const ki_joint_role *role = ki_role(joint, w->mech->d);
    bool plane = w->mech->d == KI_PLANAR;
    if (joint->tree && !role->kinematics && role->coordinates == role->n_v) {
        *line = line_of_coordinate(w, joint, k);
        return true;
    }
    if (joint->tree)
        return false;
    if (plane && joint->type == &ki_joint_revolute)
        *line = line_turn(w, joint);
    else if (joint->type == &ki_joint_prismatic)
        *line = line_on_axis(w, joint, plane ? 0 : 2);
    else if (joint->type == &ki_joint_cylindrical && k == 1)
        *line = line_on_axis(w, joint, 2);
    else
        return false;
    line->value = plus(w->g, line->value, number(w->g, joint->reading[k]));
    return true;
}

/* In the plane: the angle of a body. */
static ki_line line_of_angle(const ki_writer *w, int body) {
    const ki_moving *b = &w->body[body];
    vec none = vec_zero(w->g);
    return (ki_line){.value = b->angle,
                     .rate = b->omega.x[2],
                     .curve = b->alpha.x[2],
                     .velocity = -1,
                     .P = {none, none},
                     .e = {none, none},
                     .T = {none, vec_of(w->g, (const double[3]){0, 0, 1})}};
}

bool ki_line_of(const ki_writer *w, const ki_measure *measure, ki_line *line) {
    static const double CENTRE[3] = {0, 0, 0};
    const ki_mech *mech = w->mech;
    int body = measure->body[1], i = measure->object, k = measure->component;
    if (measure->kind == KI_MEASURE_JOINT)
        return ki_line_of_joint(w, i, k, line);
    if (measure->kind == KI_MEASURE_POINT)
        *line = line_of_point(w, body, mech->point[i].r, k);
    else if (measure->kind == KI_MEASURE_CENTRE)
        *line = line_of_point(w, body, CENTRE, k);
    else if (measure->kind == KI_MEASURE_LENGTH)
        *line = ki_line_length(w, measure->body, mech->force[i].r[0], mech->force[i].r[1]);
    else if (measure->kind == KI_MEASURE_ANGLE)
        *line = line_of_angle(w, body);
    else
        return false;
    return true;
}
