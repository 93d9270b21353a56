#include "mechanism/changes.h"

#include <math.h>
#include <string.h>

#include "mechanism/forces/force.h"
#include "mechanism/joint.h"
#include "mechanism/layout.h"
#include "mechanism/mech_system.h"

static const double TURN = 2 * 3.14159265358979323846;

/* Masses that differ by less are one, and stiffnesses below this part of the largest none. */
static const double SAME_MASS = 1e-9, NO_STIFFNESS = 1e-8;

struct ki_change {
    ki_measure measure;
    double drawn; /* its value there */
};

/* Spring and damper of a coordinate. */
typedef struct hold {
    double stiffness;
    bool by_law; /* of a stiffness that is not known */
    bool damped;
} hold;

typedef struct maker {
    const ki_mech *mech;
    ki_arena scratch;
    int *part; /* [body_count] a body of the same part, the same for all of it */
    ki_changes *changes;
    hold *hold; /* [count] */
} maker;

/* ---- parts --------------------------------------------------------------------------------------------- */

/* Does the joint have coordinates that tell how its bodies moved against each other? */
static bool ties(const ki_mech *mech, const ki_joint *joint) {
    const ki_joint_role *role = ki_role(joint, mech->d);
    bool is_free = joint->type == ki_joint_type_of("free");
    return !joint->made_up && !joint->type->couples && !joint->type->needs_radius && !is_free &&
           role->n_v >= 0;
}

static int part_of(int *part, int b) {
    while (part[b] != b)
        b = part[b] = part[part[b]];
    return b;
}

static void find_parts(maker *m) {
    const ki_mech *mech = m->mech;
    for (int b = 0; b < mech->body_count; b++)
        m->part[b] = b;
    for (int j = 0; j < mech->described_joints; j++)
        if (ties(mech, &mech->joint[j])) {
            int a = part_of(m->part, mech->joint[j].body[0]), b = part_of(m->part, mech->joint[j].body[1]);
            m->part[a > b ? a : b] = a > b ? b : a;
        }
    for (int b = 0; b < mech->body_count; b++)
        part_of(m->part, b);
    for (int b = 0; b < mech->body_count; b++)
        m->part[b] = part_of(m->part, b);
}

static void add(maker *m, ki_measure measure, ki_change_group group, hold held) {
    int i = m->changes->count++;
    m->hold[i] = held;
    m->changes->list[i] = (struct ki_change){measure, ki_measure_drawn(m->mech, &measure)};
    m->changes->group[i][0] = m->changes->group[i][1] = group;
}

static void add_frame(maker *m, int body) {
    bool planar = m->mech->d == KI_PLANAR;
    hold none = {0};
    for (int k = 0; k < (planar ? 1 : 3); k++)
        add(m, (ki_measure){planar ? KI_MEASURE_ANGLE : KI_MEASURE_TURN, body, k, 0, {0, body}},
            KI_CHANGE_PART_TURN, none);
    for (int k = 0; k < (planar ? 2 : 3); k++)
        add(m, (ki_measure){KI_MEASURE_CENTRE, body, k, 0, {0, body}}, KI_CHANGE_PART_MOVE, none);
}

static void add_frames(maker *m) {
    const ki_mech *mech = m->mech;
    double *most = KI_NEW(&m->scratch, double, mech->body_count);
    for (int b = 1; most && b < mech->body_count; b++)
        most[m->part[b]] = fmax(most[m->part[b]], mech->body[b].mass);
    for (int b = 1; most && b < mech->body_count; b++)
        if (m->part[b] != m->part[0] && mech->body[b].mass >= (1 - SAME_MASS) * most[m->part[b]])
            add_frame(m, b);
}

/* ---- joints -------------------------------------------------------------------------------------------- */

/* Motion of body 1 of a joint against body 0 as drawn, in axes of the world: angular velocity and velocity of
 * the place `at`. */
static void relative_motion(const ki_mech *mech, const ki_joint *joint, const double *column,
                            const double at[3], double Omega[3], double V[3]) {
    const double *R = joint->frame[0].R;
    double turn[3] = {0}, slide[3] = {0}, arm[3];
    if (mech->d == KI_PLANAR)
        turn[2] = column[0], slide[0] = column[1], slide[1] = column[2];
    else
        ki_copy3(column, turn), ki_copy3(column + 3, slide);
    ki_rotate(R, turn, Omega);
    ki_rotate(R, slide, V);
    for (int i = 0; i < 3; i++)
        arm[i] = at[i] - mech->body[joint->body[1]].drawn[i] - joint->frame[1].r[i];
    ki_add_cross(Omega, arm, V);
}

/* The place of a force element on one of its bodies, as drawn. */
static void drawn_place(const ki_mech *mech, const ki_force *force, int side, double at[3]) {
    const double *r = force->r[side];
    for (int i = 0; i < 3; i++)
        at[i] = mech->body[force->body[side]].drawn[i] + r[i];
}

/* k (x')^2, or x'^T K x', of a motion of the joint. */
static void stiffness_along(const ki_mech *mech, const ki_force *force, const ki_joint *joint,
                            const double *column, double *stiffness, double *damping) {
    int side = force->body[1] == joint->body[1];
    double at[2][3], Omega[3], V[3], n[3];
    for (int k = 0; k < 2; k++)
        drawn_place(mech, force, k, at[k]);
    relative_motion(mech, joint, column, at[side], Omega, V);
    if (force->kind == KEEL_FORCE_SPRING) {
        ki_minus(at[1], at[0], n);
        double length = sqrt(ki_dot3(n, n)), along = length > 0 ? ki_dot3(n, V) / length : 0;
        double square = length > 0 ? along * along : ki_dot3(V, V);
        *stiffness += (force->law.tape ? 1 : fabs(force->stiffness)) * square;
        *damping += fabs(force->damping) * square;
        return;
    }
    double x[6] = {V[0], V[1], V[2], Omega[0], Omega[1], Omega[2]};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            *stiffness += x[i] * force->K[6 * i + j] * x[j];
            *damping += x[i] * force->C[6 * i + j] * x[j];
        }
}

/* What springs and bushings between the bodies of a joint do to its turning and its sliding velocities: the
 * mean of each, for the axes of some joints are chosen and not given. */
static void look_at_springs(const ki_mech *mech, const ki_joint *joint, hold turning[1], hold sliding[1]) {
    const ki_joint_role *role = ki_role(joint, mech->d);
    double S[KI_JOINT_VELOCITIES * KI_SPATIAL], q[7] = {0};
    int turns = mech->d == KI_PLANAR ? 1 : 3;
    if (role->n_v <= 0)
        return;
    if (role->kinematics)
        q[role->n_q - 4] = 1; /* a quaternion stands last */
    role->columns(joint, q, NULL, S, NULL);
    for (int f = 0; f < mech->force_count; f++) {
        const ki_force *force = &mech->force[f];
        bool same = force->body[0] == joint->body[0] && force->body[1] == joint->body[1];
        bool crossed = force->body[0] == joint->body[1] && force->body[1] == joint->body[0];
        if ((force->kind != KEEL_FORCE_SPRING && force->kind != KEEL_FORCE_BUSHING) || (!same && !crossed))
            continue;
        double stiffness[2] = {0}, damping[2] = {0};
        int count[2] = {0};
        for (int j = 0; j < role->n_v; j++) {
            const double *column = S + mech->d * j;
            bool turn = false;
            for (int i = 0; i < turns; i++)
                turn |= column[i] != 0;
            stiffness_along(mech, force, joint, column, &stiffness[turn], &damping[turn]);
            count[turn]++;
        }
        for (int k = 0; k < 2; k++) {
            hold *held = k ? turning : sliding;
            if (force->law.tape)
                held->by_law |= stiffness[k] > 0;
            else
                held->stiffness += count[k] ? stiffness[k] / count[k] : 0;
            held->damped |= damping[k] > 0;
        }
    }
}

/* Torsion springs on a coordinate. */
static void look_at_torsion(const ki_mech *mech, const ki_measure *measure, hold *held) {
    for (int f = 0; f < mech->force_count; f++) {
        const ki_force *force = &mech->force[f];
        if (force->kind != KEEL_FORCE_TORSION || force->measure.object != measure->object ||
            force->measure.component != measure->component)
            continue;
        held->by_law |= force->law.tape != NULL;
        held->stiffness += fabs(force->stiffness);
        held->damped |= force->damping != 0;
    }
}

static void add_joint(maker *m, int j) {
    const ki_mech *mech = m->mech;
    const ki_joint *joint = &mech->joint[j];
    const ki_joint_role *role = ki_role(joint, mech->d);
    hold turning = {0}, sliding = {0};
    look_at_springs(mech, joint, &turning, &sliding);
    for (int k = 0; k < role->coordinates; k++) {
        ki_measure c = {KI_MEASURE_JOINT, j, k, 0, {joint->body[0], joint->body[1]}};
        hold held = role->turns[k] ? turning : sliding;
        look_at_torsion(mech, &c, &held);
        add(m, c, role->turns[k] ? KI_CHANGE_JOINT_TURN : KI_CHANGE_JOINT_SLIDE, held);
    }
    for (int k = 0; role->kinematics && k < 3; k++)
        add(m, (ki_measure){KI_MEASURE_TURN, joint->body[1], k, 0, {joint->body[0], joint->body[1]}},
            KI_CHANGE_JOINT_TURN, turning);
}

/* ---- weights ------------------------------------------------------------------------------------------- */

static bool is_length(ki_change_group group) {
    return group == KI_CHANGE_JOINT_SLIDE || group == KI_CHANGE_PART_MOVE;
}

/* Lengths by the extent; of springs sqrt(k) by the largest. */
static void weigh(maker *m) {
    ki_changes *c = m->changes;
    double extent = m->mech->system.extent, most = 0;
    for (int i = 0; i < c->count; i++) {
        m->hold[i].stiffness *= is_length(c->group[i][0]) ? extent * extent : 1;
        most = fmax(most, m->hold[i].stiffness);
    }
    for (int i = 0; i < c->count; i++) {
        double length = is_length(c->group[i][0]) ? extent : 1;
        bool elastic = m->hold[i].by_law || (most > 0 && m->hold[i].stiffness > NO_STIFFNESS * most);
        bool known = elastic && !m->hold[i].by_law;
        for (int k = 0; k < 2; k++) {
            c->weight[i][k] = 1 / length;
            if (elastic || (k == 1 && m->hold[i].damped)) {
                c->group[i][k] = KI_CHANGE_SPRING;
                c->weight[i][k] *= known ? sqrt(m->hold[i].stiffness / most) : 1;
            }
        }
    }
}

keel_status ki_changes_build(const keel_system *system, ki_arena *arena, ki_changes *changes) {
    const ki_mech *mech = ki_mech_of(system);
    maker m = {.mech = mech, .changes = changes};
    size_t most = 6 * (size_t)mech->body_count + 6 * (size_t)mech->described_joints;
    ki_arena_init(&m.scratch);
    m.part = KI_NEW(&m.scratch, int, mech->body_count);
    m.hold = KI_NEW(&m.scratch, hold, most);
    *changes = (ki_changes){.group = ki_arena_alloc(arena, most, sizeof *changes->group),
                            .weight = ki_arena_alloc(arena, most, sizeof *changes->weight),
                            .list = KI_NEW(arena, struct ki_change, most)};
    if (!m.scratch.failed && !arena->failed) {
        find_parts(&m);
        add_frames(&m);
        for (int j = 0; j < mech->described_joints; j++)
            if (ties(mech, &mech->joint[j]))
                add_joint(&m, j);
        weigh(&m);
    }
    bool failed = m.scratch.failed || arena->failed;
    ki_arena_free(&m.scratch);
    return failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* w . T with T the column of a velocity of body c, moved to the reference point of b. */
static double entry(const ki_mech *mech, const ki_mech_work *w, const double *covector, int b, int c, int j) {
    const double *S = w->S[j];
    double x[3], T[6];
    ki_minus(w->state[b].r, w->state[c].r, x);
    if (mech->d == KI_PLANAR)
        return covector[0] * S[0] + covector[1] * (S[1] - S[0] * x[1]) + covector[2] * (S[2] + S[0] * x[0]);
    memcpy(T, S, sizeof T);
    ki_add_cross(S, x, T + 3);
    return ki_dot3(covector, T) + ki_dot3(covector + 3, T + 3);
}

/* Above the lowest common ancestor the two sides cancel. */
static void project(const ki_mech *mech, const ki_mech_work *w, const int body[2], const ki_row *row,
                    double *out) {
    int top = ki_common_ancestor(mech, body[0], body[1]);
    for (int side = 0; side < 2; side++)
        for (int c = body[side]; c != top; c = mech->body[c].parent)
            for (int j = mech->body[c].v; j < mech->body[c].v + mech->body[c].n_v; j++)
                out[j] += entry(mech, w, row->w[side], body[side], c, j);
}

/* Component k of the angular velocity of body 1 against body 0, in axes of body 0. */
static void spin_row(const ki_state *s0, int k, ki_row *row) {
    memset(row->w, 0, sizeof row->w);
    ki_axis(s0->R, k, row->w[1]);
    for (int i = 0; i < 3; i++)
        row->w[0][i] = -row->w[1][i];
}

void ki_changes_at(const keel_system *system, void *work, const double *q, const ki_changes *changes,
                   bool velocities, double *value, double *rows) {
    const ki_mech *mech = ki_mech_of(system);
    ki_mech_work *w = work;
    int n = system->n_v;
    memset(rows, 0, (size_t)changes->count * (size_t)n * sizeof *rows);
    ki_place(mech, w, q);
    for (int i = 0; i < changes->count; i++) {
        const ki_measure *measure = &changes->list[i].measure;
        bool counted = mech->d == KI_PLANAR || !ki_is_turn(mech, measure) ||
                       measure->kind != KI_MEASURE_JOINT || mech->joint[measure->object].tree;
        ki_row row;
        ki_measure_row(mech, w, measure, KI_AT_POSITION, &row);
        value[i] = row.value - changes->list[i].drawn;
        if (!counted) /* an angle that is known up to turns */
            value[i] = remainder(value[i], TURN);
        if (velocities && measure->kind == KI_MEASURE_TURN)
            spin_row(&w->state[measure->body[0]], measure->component, &row);
        project(mech, w, measure->body, &row, rows + (size_t)i * (size_t)n);
    }
}
