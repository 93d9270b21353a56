/* Every type of joint in the tree: its coordinates against differences, and against its own rows when cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mechanism_motion.h"

enum { TRIALS = 4, MOST = KI_JOINT_VELOCITIES };
static const int SPACES[2] = {KI_PLANAR, KI_SPATIAL};

/* Coordinates at t = 0 and velocities v(t) = v + t a; q(t) by Runge-Kutta steps of q' = N(q) v. */
typedef struct hinge_motion {
    double q[7], v[MOST], a[MOST];
} hinge_motion;

static hinge_motion any_hinge_motion(const ki_joint_role *role) {
    hinge_motion m = {.q = {0}};
    double turn[3] = {any(), any(), any()};
    for (int i = 0; i < role->n_v; i++) {
        m.v[i] = any();
        m.a[i] = any();
    }
    for (int i = 0; i < role->n_q - (role->kinematics ? 4 : 0); i++)
        m.q[i] = 1.5 * any();
    if (role->kinematics) {
        m.q[role->n_q - 4] = 1;
        ki_quaternion_advance(m.q + role->n_q - 4, turn);
    }
    return m;
}

static void rate_at(const ki_joint_role *role, const hinge_motion *m, double t, const double *q,
                    double *rate) {
    double v[MOST];
    for (int i = 0; i < role->n_v; i++)
        v[i] = m->v[i] + t * m->a[i];
    if (role->kinematics)
        role->kinematics(q, v, rate);
    else
        memcpy(rate, v, (size_t)role->n_v * sizeof *v);
}

static void hinge_at(const ki_joint_role *role, const hinge_motion *m, double t, double *q, double *v) {
    double k[4][7], x[7], h = t / 8;
    memcpy(q, m->q, sizeof m->q);
    for (int step = 0; step < 8; step++) {
        double from = h * step;
        rate_at(role, m, from, q, k[0]);
        for (int s = 1; s < 4; s++) {
            double share = s == 3 ? h : h / 2;
            for (int i = 0; i < role->n_q; i++)
                x[i] = q[i] + share * k[s - 1][i];
            rate_at(role, m, from + share, x, k[s]);
        }
        for (int i = 0; i < role->n_q; i++)
            q[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    for (int i = 0; i < role->n_v; i++)
        v[i] = m->v[i] + t * m->a[i];
}

/* (Omega, V) = S v at time t, and with rate: S a + bias. */
static void relative_twist(const ki_joint *joint, int d, const hinge_motion *m, double t, double *twist,
                           double *rate) {
    const ki_joint_role *role = ki_role(joint, d);
    double q[7], v[MOST], S[MOST * KI_SPATIAL], bias[KI_SPATIAL];
    hinge_at(role, m, t, q, v);
    role->columns(joint, q, v, S, bias);
    for (int i = 0; i < d; i++) {
        twist[i] = 0;
        rate[i] = bias[i];
        for (int j = 0; j < role->n_v; j++) {
            twist[i] += S[d * j + i] * v[j];
            rate[i] += S[d * j + i] * m->a[j];
        }
    }
}

/* R' R^T as a vector, from five matrices. */
static void turn_rate(double R[5][9], double Omega[3]) {
    double rate[9], W[9];
    for (int i = 0; i < 9; i++)
        rate[i] = richardson((double[5]){R[0][i], R[1][i], R[2][i], R[3][i], R[4][i]});
    ki_multiply_transposed(rate, R[2], W);
    Omega[0] = (W[7] - W[5]) / 2;
    Omega[1] = (W[2] - W[6]) / 2;
    Omega[2] = (W[3] - W[1]) / 2;
}

static void check_columns(const ki_joint *joint, int d, const hinge_motion *m) {
    const ki_joint_role *role = ki_role(joint, d);
    double R[5][9], r[3][5], angle[5], twist[6][5], rate[6], now[6], found[6], q[7], v[MOST];
    for (int k = 0; k < 5; k++) {
        double t = (k - 2) * MOTION_STEP, at[6];
        ki_relative relative = {.angle = 0};
        hinge_at(role, m, t, q, v);
        role->place(joint, q, &relative);
        relative_twist(joint, d, m, t, at, rate);
        memcpy(R[k], relative.R, sizeof R[k]);
        angle[k] = relative.angle;
        for (int i = 0; i < 3; i++)
            r[i][k] = relative.r[i];
        for (int i = 0; i < d; i++)
            twist[i][k] = at[i];
    }
    relative_twist(joint, d, m, 0, now, rate);
    if (d == KI_PLANAR)
        found[0] = richardson(angle);
    else
        turn_rate(R, found);
    int first = d == KI_PLANAR ? 1 : 3;
    for (int i = 0; i < d - first; i++)
        found[first + i] = richardson(r[i]);
    for (int i = 0; i < d; i++) {
        assert_near(found[i], now[i], 1e-9);
        assert_near(richardson(twist[i]), rate[i], 1e-9);
    }
}

static void columns_match_differences(void **state) {
    (void)state;
    motion_seed = 3;
    for (const ki_joint_type *const *type = ki_joint_types; *type; type++)
        for (int k = 0; k < 2 * TRIALS; k++) {
            int d = SPACES[k % 2];
            ki_joint joint = any_joint(*type, d);
            const ki_joint_role *role = ki_role(&joint, d);
            if (!role || role->n_v < 0)
                continue;
            hinge_motion m = any_hinge_motion(role);
            check_columns(&joint, d, &m);
        }
}

/* What the recursions take for granted: joints that do not bend have no bias, in the plane S is the same
 * everywhere, and a pin is its angle about z. */
static void recursions_may_rely_on_columns(void **state) {
    (void)state;
    motion_seed = 29;
    for (const ki_joint_type *const *type = ki_joint_types; *type; type++)
        for (int k = 0; k < 2 * TRIALS; k++) {
            int d = SPACES[k % 2];
            ki_joint joint = any_joint(*type, d);
            const ki_joint_role *role = ki_role(&joint, d);
            if (!role || role->n_v < 0)
                continue;
            hinge_motion m = any_hinge_motion(role);
            double S[MOST * KI_SPATIAL], drawn[MOST * KI_SPATIAL], bias[KI_SPATIAL], q[7] = {0};
            role->columns(&joint, m.q, m.v, S, bias);
            for (int i = 0; i < d && !role->bends; i++)
                assert_true(bias[i] == 0);
            if (d == KI_PLANAR) {
                assert_false(role->bends);
                role->columns(&joint, q, NULL, drawn, NULL);
                assert_memory_equal(S, drawn, (size_t)(d * role->n_v) * sizeof *S);
            }
            if (role->is_pin)
                assert_true(role->n_q == 1 && S[d == KI_PLANAR ? 0 : 2] == 1);
        }
}

/* fit finds the coordinates of a pose; pull undoes kinematics; advance goes where kinematics points. */
static void coordinates_return(void **state) {
    (void)state;
    motion_seed = 17;
    for (const ki_joint_type *const *type = ki_joint_types; *type; type++)
        for (int k = 0; k < 2 * TRIALS; k++) {
            int d = SPACES[k % 2];
            ki_joint joint = any_joint(*type, d);
            const ki_joint_role *role = ki_role(&joint, d);
            if (!role || role->n_v < 0)
                continue;
            hinge_motion m = any_hinge_motion(role);
            ki_relative relative;
            double q[7] = {0}, rate[7], dv[MOST], step[MOST];
            role->place(&joint, m.q, &relative);
            role->fit(&joint, &relative, q);
            for (int i = 0; i < role->n_q; i++)
                assert_near(q[i], m.q[i], 1e-14);
            if (!role->kinematics)
                continue;
            role->kinematics(q, m.v, rate);
            role->pull(q, rate, dv);
            for (int i = 0; i < role->n_v; i++) {
                assert_near(dv[i], m.v[i], 1e-14);
                step[i] = 1e-6 * m.v[i];
            }
            role->advance(q, step);
            for (int i = 0; i < role->n_q; i++)
                assert_near((q[i] - m.q[i]) / 1e-6, rate[i], 1e-6);
        }
}

static void screws_count_their_turns(void **state) {
    (void)state;
    ki_joint joint = any_joint(ki_joint_type_of("screw"), KI_SPATIAL);
    for (double angle = -40; angle < 40; angle += 3.7) {
        ki_relative relative;
        double q;
        joint.type->spatial->place(&joint, &angle, &relative);
        joint.type->spatial->fit(&joint, &relative, &q);
        assert_near(q, angle, 1e-13);
    }
}

/* Body 1 on its hinge, written with the frame F of body 0 as carrier (origin P_0, twist of body 0 there):
 *
 *     omega_1 = omega_0 + Omega                 omega_1' = omega_0' + omega_0 x Omega + B_Omega
 *     P_1 = P_0 + x,  P_1' = P_0' + omega_0 x x + V
 *     P_1'' = P_0'' + omega_0' x x + omega_0 x (omega_0 x x) + 2 omega_0 x V + B_V
 *
 * and from P_1 on to the reference point. In the plane everything has its third component zero. */
typedef struct vectors {
    double R[9], r[3], omega[3], v[3], alpha[3], a[3];
} vectors;

static void carry(const vectors *from, const double x[3], vectors *to) {
    *to = *from;
    double turn[3];
    ki_cross(from->omega, x, turn);
    ki_add_scaled(1, x, to->r);
    ki_add_scaled(1, turn, to->v);
    ki_add_cross(from->alpha, x, to->a);
    ki_add_cross(from->omega, turn, to->a);
}

static vectors vectors_of(const ki_state *s, int d) {
    vectors u = {.omega = {0}};
    memcpy(u.R, s->R, sizeof u.R);
    ki_copy3(s->r, u.r);
    if (d == KI_PLANAR) {
        u.omega[2] = s->twist[0], u.alpha[2] = s->twist_rate[0];
        memcpy(u.v, s->twist + 1, 2 * sizeof(double));
        memcpy(u.a, s->twist_rate + 1, 2 * sizeof(double));
    } else {
        ki_copy3(s->twist, u.omega), ki_copy3(s->twist + 3, u.v);
        ki_copy3(s->twist_rate, u.alpha), ki_copy3(s->twist_rate + 3, u.a);
    }
    return u;
}

static ki_state state_of(const vectors *u, int d, double angle) {
    ki_state s = {.angle = angle};
    memcpy(s.R, u->R, sizeof s.R);
    ki_copy3(u->r, s.r);
    if (d == KI_PLANAR) {
        s.twist[0] = u->omega[2], s.twist_rate[0] = u->alpha[2];
        memcpy(s.twist + 1, u->v, 2 * sizeof(double));
        memcpy(s.twist_rate + 1, u->a, 2 * sizeof(double));
    } else {
        ki_copy3(u->omega, s.twist), ki_copy3(u->v, s.twist + 3);
        ki_copy3(u->alpha, s.twist_rate), ki_copy3(u->a, s.twist_rate + 3);
    }
    return s;
}

/* The relative motion with three components each. */
static void relative_motion(const ki_joint *joint, int d, const hinge_motion *m, ki_relative *relative,
                            double Omega[3], double V[3], double B_Omega[3], double B_V[3]) {
    double twist[6], rate[6];
    *relative = (ki_relative){.angle = 0};
    ki_role(joint, d)->place(joint, m->q, relative);
    relative_twist(joint, d, m, 0, twist, rate);
    memset(Omega, 0, 3 * sizeof *Omega), memset(B_Omega, 0, 3 * sizeof *Omega);
    V[2] = B_V[2] = 0;
    if (d == KI_PLANAR) {
        turn_about(2, relative->angle, relative->R);
        Omega[2] = twist[0], B_Omega[2] = rate[0];
        memcpy(V, twist + 1, 2 * sizeof *V), memcpy(B_V, rate + 1, 2 * sizeof *V);
    } else {
        ki_copy3(twist, Omega), ki_copy3(twist + 3, V);
        ki_copy3(rate, B_Omega), ki_copy3(rate + 3, B_V);
    }
}

static ki_state hang(const ki_joint *joint, int d, const ki_state *s0, const hinge_motion *m) {
    ki_relative relative;
    double local[4][3], world[4][3], F[9], x[3];
    relative_motion(joint, d, m, &relative, local[0], local[1], local[2], local[3]);
    vectors body = vectors_of(s0, d), at, child;
    ki_multiply(s0->R, joint->frame[0].R, F);
    for (int i = 0; i < 4; i++)
        ki_rotate(F, local[i], world[i]);
    ki_rotate(s0->R, joint->frame[0].r, x);
    carry(&body, x, &at);
    ki_rotate(F, relative.r, x);
    carry(&at, x, &child);
    double twice[3] = {2 * body.omega[0], 2 * body.omega[1], 2 * body.omega[2]};
    ki_add_scaled(1, world[1], child.v);
    ki_add_scaled(1, world[3], child.a);
    ki_add_cross(twice, world[1], child.a);
    ki_add_cross(body.omega, world[0], child.alpha);
    ki_add_scaled(1, world[0], child.omega);
    ki_add_scaled(1, world[2], child.alpha);
    double R1[9];
    ki_multiply(F, relative.R, R1);
    ki_multiply_transposed(R1, joint->frame[1].R, child.R);
    ki_rotate(child.R, joint->frame[1].r, x);
    for (int i = 0; i < 3; i++)
        x[i] = -x[i];
    carry(&child, x, &at);
    return state_of(&at, d, s0->angle + relative.angle - ki_planar_frame_turn(joint));
}

/* Rank of the covectors on the twist of body 1, by elimination. */
static int rank_of(const ki_row *rows, int n, int d) {
    double A[KI_JOINT_ROWS][6];
    int rank = 0;
    for (int i = 0; i < n; i++)
        memcpy(A[i], rows[i].w[1], sizeof A[i]);
    for (int j = 0; j < d && rank < n; j++) {
        int pivot = rank;
        for (int i = rank; i < n; i++)
            if (fabs(A[i][j]) > fabs(A[pivot][j]))
                pivot = i;
        if (fabs(A[pivot][j]) < 1e-6)
            continue;
        for (int k = 0; k < d; k++) {
            double held = A[pivot][k];
            A[pivot][k] = A[rank][k], A[rank][k] = held;
        }
        for (int i = rank + 1; i < n; i++) {
            double f = A[i][j] / A[rank][j];
            for (int k = j; k < d; k++)
                A[i][k] -= f * A[rank][k];
        }
        rank++;
    }
    return rank;
}

static void check_roles(const ki_joint *joint, int d, const ki_state *s0, const hinge_motion *m) {
    const ki_joint_role *role = ki_role(joint, d);
    ki_state s1 = hang(joint, d, s0, m);
    ki_row rows[KI_JOINT_ROWS], row;
    if (role->rows)
        role->rows(joint, s0, &s1, KI_AT_VELOCITY, rows);
    for (int i = 0; i < role->n_h; i++) {
        assert_near(rows[i].value, 0, 1e-14);
        assert_near(row_with(&rows[i], d, s0->twist, s1.twist), 0, 1e-13);
        assert_near(row_with(&rows[i], d, s0->twist_rate, s1.twist_rate) + rows[i].gamma, 0, 1e-12);
    }
    assert_int_equal(rank_of(rows, role->n_h, d), role->n_h);
    for (int k = 0; k < role->coordinates && k < role->n_v; k++) {
        role->measure(joint, s0, &s1, NULL, k, KI_AT_VELOCITY, &row);
        assert_near(role->turns[k] ? wrapped(row.value - m->q[k]) : row.value - m->q[k], 0, 1e-14);
        assert_near(row_with(&row, d, s0->twist, s1.twist), m->v[k], 1e-13);
        assert_near(row_with(&row, d, s0->twist_rate, s1.twist_rate) + row.gamma, m->a[k], 1e-12);
        role->measure(joint, s0, &s1, m->q, k, KI_AT_POSITION, &row);
        assert_near(row.value, m->q[k], 1e-14);
    }
}

static void both_roles_are_the_same_motion(void **state) {
    (void)state;
    motion_seed = 23;
    for (const ki_joint_type *const *type = ki_joint_types; *type; type++)
        for (int k = 0; k < 2 * TRIALS; k++) {
            int d = SPACES[k % 2];
            ki_joint joint = any_joint(*type, d);
            const ki_joint_role *role = ki_role(&joint, d);
            if (!role || role->n_v < 0)
                continue;
            motion carrier = any_motion();
            ki_state s0 = state_at(&carrier, d, 0);
            hinge_motion m = any_hinge_motion(role);
            check_roles(&joint, d, &s0, &m);
        }
}

/* Joints that are always cut: their conditions are independent in any pose. */
static void cut_rows_are_independent(void **state) {
    (void)state;
    motion_seed = 31;
    for (const ki_joint_type *const *type = ki_joint_types; *type; type++)
        for (int k = 0; k < 2; k++) {
            ki_joint joint = any_joint(*type, SPACES[k]);
            const ki_joint_role *role = ki_role(&joint, SPACES[k]);
            motion m[2] = {any_motion(), any_motion()};
            ki_state s0 = state_at(&m[0], SPACES[k], 0), s1 = state_at(&m[1], SPACES[k], 0);
            ki_row rows[KI_JOINT_ROWS];
            if (!role || role->n_v >= 0 || !role->rows)
                continue;
            role->rows(&joint, &s0, &s1, KI_AT_POSITION, rows);
            assert_int_equal(rank_of(rows, role->conditions, SPACES[k]), role->conditions);
        }
}

/* Joints that hang either way: with the bodies exchanged the coordinates change sign. */
static void exchanged_bodies_change_signs(void **state) {
    (void)state;
    motion_seed = 29;
    for (const ki_joint_type *const *type = ki_joint_types; *type; type++)
        for (int k = 0; k < 2; k++) {
            int d = SPACES[k];
            ki_joint joint = any_joint(*type, d), back = joint;
            const ki_joint_role *role = ki_role(&joint, d);
            if (!role || role->n_v < 1 || (*type)->one_way)
                continue;
            back.frame[0] = joint.frame[1], back.frame[1] = joint.frame[0];
            back.turn = -joint.turn;
            motion carrier = any_motion();
            ki_state s0 = state_at(&carrier, d, 0);
            hinge_motion m = any_hinge_motion(role);
            ki_state s1 = hang(&joint, d, &s0, &m);
            for (int i = 0; i < role->coordinates; i++) {
                ki_row there, here;
                role->measure(&joint, &s0, &s1, NULL, i, KI_AT_VELOCITY, &there);
                role->measure(&back, &s1, &s0, NULL, i, KI_AT_VELOCITY, &here);
                assert_near(there.value, -here.value, 1e-14);
                assert_near(row_with(&there, d, s0.twist, s1.twist), -row_with(&here, d, s1.twist, s0.twist),
                            1e-13);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_match_differences),      cmocka_unit_test(coordinates_return),
        cmocka_unit_test(recursions_may_rely_on_columns), cmocka_unit_test(screws_count_their_turns),
        cmocka_unit_test(both_roles_are_the_same_motion), cmocka_unit_test(cut_rows_are_independent),
        cmocka_unit_test(exchanged_bodies_change_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
