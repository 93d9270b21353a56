/* bodies.c - poses, velocities and columns, from the ground outwards (equations: writer.h). */
#include <math.h>

#include "laws/joint.h"
#include "symbolic/writer.h"

/* Entries of rotation matrices that miss 0, 1 or -1 by round-off are made exact, so that they fold. */
static double exact(double x) {
    static const double NOISE = 1e-15;
    double whole = round(x);
    return fabs(x - whole) < NOISE ? whole : x;
}

static mat rotation(ki_graph *g, const double R[9]) {
    double x[9];
    for (int i = 0; i < 9; i++)
        x[i] = exact(R[i]);
    return mat_of(g, x);
}

static void place_ground(ki_writer *w) {
    ki_moving *ground = &w->body[0];
    ground->R = mat_of(w->g, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    ground->r = ground->omega = ground->v = ground->alpha = ground->a = vec_zero(w->g);
    ground->omega_own = ground->alpha_own = ground->r;
    ground->angle = number(w->g, 0);
}

static ki_turn turn_of(ki_graph *g, ki_node angle) {
    return (ki_turn){ki_unary(g, KI_COS, angle), ki_unary(g, KI_SIN, angle)};
}

static void turn_in_plane(ki_writer *w, ki_node angle, ki_turn turn, ki_moving *b) {
    ki_graph *g = w->g;
    b->angle = angle;
    b->R = mat_of(g, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    b->R.x[0] = b->R.x[4] = turn.c;
    b->R.x[3] = turn.s;
    b->R.x[1] = minus(g, number(g, 0), b->R.x[3]);
}

/* In the plane, a body with coordinates of its own. */
static void own_in_plane(ki_writer *w, const ki_body *body, const ki_node *q, const ki_node *v,
                         ki_moving *b) {
    ki_graph *g = w->g;
    ki_node zero = number(g, 0);
    turn_in_plane(w, q[2], turn_of(g, q[2]), b);
    b->r = (vec){{q[0], q[1], zero}};
    b->v = (vec){{v[0], v[1], zero}};
    b->omega = (vec){{zero, zero, v[2]}};
    b->alpha = b->a = vec_zero(g);
    b->omega_own = b->omega, b->alpha_own = b->alpha;
    for (int j = 0; j < 3; j++) {
        double unit[3] = {j == 0, j == 1, j == 2};
        vec axis = vec_of(g, unit), none = vec_zero(g);
        w->column[body->v + j] = (ki_column){j < 2 ? none : axis, j < 2 ? axis : none, b->r};
    }
}

/* A = F_0 R F_1^T, from body axes to those of the parent. The factors about a pin are constants
 * (mechanism/hinge.c). */
static mat turn_in_space(const ki_writer *w, const ki_body *body, const ki_law_hinge *placed, ki_turn turn) {
    ki_graph *g = w->g;
    mat A;
    if (body->kind != KI_HINGE_PIN) {
        mat F_0 = rotation(g, body->hinge.frame[0].R), F_1 = rotation(g, body->hinge.frame[1].R);
        mat back = mat_transposed(&F_1), from_1 = mat_mat(g, &placed->pose.R, &back);
        return mat_mat(g, &F_0, &from_1);
    }
    for (int i = 0; i < 9; i++) {
        ki_node turning = plus(g, times(g, turn.c, number(g, exact(body->constants->turn[1][i]))),
                               times(g, turn.s, number(g, exact(body->constants->turn[2][i]))));
        A.x[i] = plus(g, number(g, exact(body->constants->turn[0][i])), turning);
    }
    return A;
}

/* v_b and a_b from c, d and V:
 *     v_b = v_p + omega_p x c + V + omega_b x d
 *     a_b = a_p + alpha_p x c + omega_p x (omega_p x c + 2 V) + alpha_b x d + omega_b x (omega_b x d) */
static void carry(ki_graph *g, const ki_moving *p, vec c, vec d, vec V, ki_moving *b) {
    vec at_c = cross(g, p->omega, c), at_d = cross(g, b->omega, d);
    vec twice = vec_plus(g, at_c, vec_times(g, number(g, 2), V));
    b->v = vec_plus(g, vec_plus(g, p->v, at_c), vec_plus(g, V, at_d));
    vec at_hinge = vec_plus(g, vec_plus(g, p->a, cross(g, p->alpha, c)), cross(g, p->omega, twice));
    vec at_arm = vec_plus(g, cross(g, b->alpha, d), cross(g, b->omega, at_d));
    b->a = vec_plus(g, at_hinge, at_arm);
}

/* What a vector of frame 0 is in body axes: F_1 R^T x. */
static vec to_body(const ki_writer *w, const ki_body *body, const ki_law_hinge *placed, vec x) {
    mat F_1 = rotation(w->g, body->hinge.frame[1].R), back = mat_transposed(&placed->pose.R);
    return mat_vec(w->g, &F_1, mat_vec(w->g, &back, x));
}

/* Turns in body axes: those of the hinge, then the parent's by A^T;
 *     omega = A^T omega_p + Omega,  alpha = A^T alpha_p + A^T omega_p x Omega + bias */
static bool turn_own(ki_writer *w, const ki_body *body, const ki_moving *p, const ki_law_hinge *placed,
                     const mat *A, const ki_node *v, ki_moving *b) {
    ki_graph *g = w->g;
    mat back = mat_transposed(A);
    int count = body->n_v + p->turns;
    int *velocity = KI_NEW(w->arena, int, count);
    vec *turn = ki_arena_alloc(w->arena, (size_t)count, sizeof *turn), Omega = vec_zero(g);
    if (!velocity || !turn)
        return false;
    for (int j = 0; j < body->n_v; j++) {
        velocity[j] = body->v + j;
        turn[j] = to_body(w, body, placed, vec_times(g, number(g, body->sign), placed->Omega[j]));
        Omega = vec_plus(g, Omega, vec_times(g, v[j], turn[j]));
    }
    for (int j = 0; j < p->turns; j++) {
        velocity[body->n_v + j] = p->velocity[j];
        turn[body->n_v + j] = mat_vec(g, &back, p->turn[j]);
    }
    vec omega = mat_vec(g, &back, p->omega_own);
    b->omega_own = vec_plus(g, omega, Omega);
    b->alpha_own = vec_plus(g, vec_plus(g, mat_vec(g, &back, p->alpha_own), cross(g, omega, Omega)),
                            to_body(w, body, placed, placed->bias));
    b->turns = count, b->velocity = velocity, b->turn = turn;
    return true;
}

static bool turn_body(ki_writer *w, const ki_body *body, const ki_moving *p, const ki_law_hinge *placed,
                      const ki_law *at, const ki_node *v, ki_moving *b) {
    if (w->mech->d == KI_PLANAR) {
        ki_node drawn = number(w->g, body->drawn_turn);
        ki_node angle = plus(w->g, plus(w->g, p->angle, placed->pose.angle), drawn);
        turn_in_plane(w, angle, turn_of(w->g, angle), b);
        return true;
    }
    mat A = turn_in_space(w, body, placed, at->turn[0]);
    b->R = mat_mat(w->g, &p->R, &A);
    return turn_own(w, body, p, placed, &A, v, b);
}

static bool hang(ki_writer *w, const ki_body *body, const ki_node *q, const ki_node *v, ki_moving *b) {
    ki_graph *g = w->g;
    const ki_moving *p = &w->body[body->parent];
    const ki_joint_law_role *role =
        ki_joint_law_in(ki_joint_law_of(body->hinge.type->word), w->mech->d == KI_PLANAR);
    ki_law_hinge placed;
    ki_law at = {.g = g,
                 .plane = w->mech->d == KI_PLANAR,
                 .pitch = number(g, body->hinge.pitch),
                 .radius = number(g, body->hinge.radius)};
    if (role->n_q != role->n_v) /* quaternions are not written */
        return false;
    for (int j = 0; j < body->n_v; j++) {
        at.q[j] = q[j];
        at.v[j] = times(g, number(g, body->sign), v[j]);
        at.turn[j] = turn_of(g, q[j]);
    }
    if (!ki_joint_law_place(role, &at, &placed) || !turn_body(w, body, p, &placed, &at, v, b))
        return false;
    mat F_0 = rotation(g, body->hinge.frame[0].R), RF = mat_mat(g, &p->R, &F_0);
    vec c = vec_plus(g, mat_vec(g, &p->R, vec_of(g, body->place[0])), mat_vec(g, &RF, placed.pose.r));
    vec d = vec_negative(g, mat_vec(g, &b->R, vec_of(g, body->place[1]))), H = vec_plus(g, p->r, c);
    vec Omega = vec_zero(g), V = vec_zero(g);
    b->r = vec_plus(g, H, d);
    for (int j = 0; j < body->n_v; j++) {
        ki_column *column = &w->column[body->v + j];
        *column = (ki_column){mat_vec(g, &RF, vec_times(g, number(g, body->sign), placed.Omega[j])),
                              mat_vec(g, &RF, vec_times(g, number(g, body->sign), placed.V[j])), H};
        Omega = vec_plus(g, Omega, vec_times(g, v[j], column->Omega));
        V = vec_plus(g, V, vec_times(g, v[j], column->V));
    }
    b->omega = vec_plus(g, p->omega, Omega);
    b->alpha = vec_plus(g, vec_plus(g, p->alpha, cross(g, p->omega, Omega)), mat_vec(g, &RF, placed.bias));
    if (w->mech->d == KI_PLANAR)
        b->omega_own = b->omega, b->alpha_own = b->alpha;
    carry(g, p, c, d, V, b);
    return true;
}

bool ki_symbolic_bodies(ki_writer *w) {
    const ki_mech *mech = w->mech;
    place_ground(w);
    for (int k = 1; k < mech->body_count; k++) {
        const ki_body *body = &mech->body[k];
        ki_node q[KI_JOINT_VELOCITIES], v[KI_JOINT_VELOCITIES];
        for (int i = 0; i < body->n_v; i++) {
            ki_node reading = number(w->g, mech->q_reading[body->q + i]);
            q[i] = times(w->g, number(w->g, mech->q_sense[body->q + i]),
                         minus(w->g, ki_symbol(w->g, w->q + body->q + i), reading));
            v[i] = ki_symbol(w->g, w->v + body->v + i);
        }
        if (body->kind == KI_HINGE_OWN && mech->d == KI_PLANAR)
            own_in_plane(w, body, q, v, &w->body[k]);
        else if (!hang(w, body, q, v, &w->body[k]))
            return false;
    }
    return true;
}
