/* friction.c - friction in joints, along their coordinates c_k.
 *
 *     viscous    f_k = -k c_k'                      (of a screw: along its angle only)
 *     Coulomb    f_k = -mu N(lambda) rho_k u_k,    u = (rho_k c_k') / s tanh(s / slip),    s = |rho_k c_k'|
 *
 * rho_k is the lever arm of a coordinate that turns, 1 of one that slides: s is the speed at which the
 * surfaces slip, and the friction is against its direction, of size mu N in all directions together. N is the
 * force that presses the surfaces together, from the multipliers of the joint's own rows; a joint with
 * Coulomb friction is never in the tree. A force along c adds f w_c to the generalized forces, so
 *
 *     dQ_i/dlambda_j = sum over k of -mu rho_k u_k dN/dlambda_j (w_k . column i).
 */
#include "mechanism/forces/force.h"

#include <math.h>
#include <string.h>

#include "mechanism/joint.h"

static ki_measure coordinate(const ki_joint *joint, int j, int k) {
    return (ki_measure){KI_MEASURE_JOINT, j, k, 0, {joint->body[0], joint->body[1]}};
}

static int row_count(const ki_mech *mech, const ki_joint *joint) {
    const ki_joint_role *role = ki_role(joint, mech->d);
    return role->n_h + role->n_n;
}

static bool is_dry(const ki_mech *mech, const ki_joint *joint) {
    return joint->coulomb > 0 && !joint->tree && !joint->made_up && ki_role(joint, mech->d)->normal_force;
}

/* N and its derivative */
static double pressing_force(const ki_mech *mech, int j, const double *lambda, double *derivative) {
    const ki_joint *joint = &mech->joint[j];
    const ki_part *part = &mech->layout->part[mech->layout->joint_part[j]];
    double own[KI_JOINT_ROWS];
    for (int i = 0; i < row_count(mech, joint); i++)
        own[i] = lambda[part[i].row];
    return ki_role(joint, mech->d)->normal_force(joint, own, derivative);
}

/* The coordinates of a joint: their rows and rates, and the Coulomb friction along each per N. */
typedef struct slipping {
    int count;
    ki_row row[KI_JOINT_COORDINATES];
    double rate[KI_JOINT_COORDINATES], per_force[KI_JOINT_COORDINATES];
} slipping;

static slipping look_at_slip(const ki_mech *mech, ki_mech_work *w, int j) {
    const ki_joint *joint = &mech->joint[j];
    const ki_joint_role *role = ki_role(joint, mech->d);
    slipping x = {.count = role->coordinates};
    double rho[KI_JOINT_COORDINATES], slip = joint->slip > 0 ? joint->slip : 1e-3, square = 0;
    for (int k = 0; k < x.count; k++) {
        ki_measure c = coordinate(joint, j, k);
        ki_measure_row(mech, w, &c, KI_AT_POSITION, &x.row[k]);
        x.rate[k] = ki_row_rate(mech, w, c.body, &x.row[k]);
        rho[k] = role->turns[k] ? joint->friction_radius : 1;
        square += rho[k] * x.rate[k] * rho[k] * x.rate[k];
    }
    double s = sqrt(square), factor = s > 1e-12 * slip ? tanh(s / slip) / s : 1 / slip;
    for (int k = 0; k < x.count; k++)
        x.per_force[k] = -joint->coulomb * rho[k] * rho[k] * x.rate[k] * factor;
    return x;
}

void ki_apply_friction(const ki_mech *mech, ki_mech_work *w, const double *lambda) {
    for (int i = 0; i < mech->layout->rubbing_count; i++) {
        int j = mech->layout->rubbing[i];
        const ki_joint *joint = &mech->joint[j];
        bool dry = lambda && is_dry(mech, joint);
        if (!dry && joint->viscous == 0)
            continue; /* the multipliers are not known yet */
        double slope[KI_JOINT_ROWS], N = dry ? pressing_force(mech, j, lambda, slope) : 0;
        slipping x = look_at_slip(mech, w, j);
        for (int k = 0; k < x.count; k++) {
            bool own = k < ki_role(joint, mech->d)->n_v; /* a screw has two coordinates, but one freedom */
            double f = N * x.per_force[k] - (own ? joint->viscous * x.rate[k] : 0);
            ki_add_row_force(mech, w, joint->body, &x.row[k], f);
            w->power += f * x.rate[k];
        }
    }
}

/* ---- derivative with respect to the multipliers ----------------------------------------------------- */

/* Columns on the walk of the parts of joint j, which all have the same bodies. */
static int columns_of(const ki_mech *mech, int j, int *columns) {
    return ki_part_columns(mech, &mech->layout->part[mech->layout->joint_part[j]], columns);
}

/* The joint with dry friction that each row of J belongs to, or -1; returns the number of entries. */
static int find_owners(const ki_mech *mech, int *owner, int m) {
    int entries = 0;
    for (int i = 0; i < m; i++)
        owner[i] = -1;
    for (int j = 0; j < mech->joint_count; j++) {
        if (!is_dry(mech, &mech->joint[j]))
            continue;
        const ki_part *part = &mech->layout->part[mech->layout->joint_part[j]];
        int rows = row_count(mech, &mech->joint[j]);
        for (int i = 0; i < rows; i++)
            owner[part[i].row] = j;
        entries += rows * columns_of(mech, j, NULL);
    }
    return entries;
}

/* Rows of J are taken in their order, so that the columns of the pattern are in order too. */
static bool fill_pattern(const ki_mech *mech, const int *owner, int m, int *start, int *index,
                         ki_arena *scratch) {
    int n = mech->system.n_v, *columns = KI_NEW(scratch, int, n), *next = KI_NEW(scratch, int, n);
    if (!columns || !next)
        return false;
    for (int i = 0; i < m; i++)
        for (int k = owner[i] < 0 ? 0 : columns_of(mech, owner[i], columns); k > 0; k--)
            start[columns[k - 1] + 1]++;
    for (int i = 0; i < n; i++) {
        start[i + 1] += start[i];
        next[i] = start[i];
    }
    for (int i = 0; i < m; i++)
        for (int k = owner[i] < 0 ? 0 : columns_of(mech, owner[i], columns); k > 0; k--)
            index[next[columns[k - 1]]++] = i;
    return true;
}

keel_status ki_friction_pattern(ki_mech *mech) {
    int m = mech->layout->n_h + mech->layout->n_n, n = mech->system.n_v;
    ki_arena scratch;
    keel_status status = KEEL_OK;
    ki_arena_init(&scratch);
    int *owner = KI_NEW(&scratch, int, m);
    int entries = owner ? find_owners(mech, owner, m) : -1;
    if (entries > 0) {
        int *start = KI_NEW(&mech->arena, int, n + 1), *index = KI_NEW(&mech->arena, int, entries);
        if (start && index && fill_pattern(mech, owner, m, start, index, &scratch))
            mech->system.Q_lambda = (keel_pattern){n, m, start, index};
        else
            status = KEEL_ERROR_MEMORY;
    }
    ki_arena_free(&scratch);
    return entries < 0 ? KEEL_ERROR_MEMORY : status;
}

/* w_b . (motion of body b that column c of body `at` makes) */
static double along_column(const ki_mech *mech, const ki_mech_work *w, const double *covector, int b, int at,
                           int c) {
    double x[3], moved[3], sum = 0;
    const double *S = w->S[c];
    ki_minus(w->state[b].r, w->state[at].r, x);
    if (mech->d == KI_PLANAR) {
        return covector[0] * S[0] + covector[1] * (S[1] - S[0] * x[1]) + covector[2] * (S[2] + S[0] * x[0]);
    }
    ki_copy3(S + 3, moved);
    ki_add_cross(S, x, moved);
    sum = ki_dot3(covector, S);
    return sum + ki_dot3(covector + 3, moved);
}

/* Adds f w_b . column to the entries of joint j, from body b up to `top`. */
static void add_entries(const ki_mech *mech, const ki_mech_work *w, const ki_part *part, int rows,
                        const double *slope, int side, const ki_row *row, double f, double *Q_lambda) {
    for (int b = part->body[side]; b != part->top; b = mech->body[b].parent)
        for (int c = mech->body[b].v; c < mech->body[b].v + mech->body[b].n_v; c++) {
            double force = f * along_column(mech, w, row->w[side], part->body[side], b, c);
            for (int i = 0; i < rows; i++)
                Q_lambda[ki_pattern_slot(mech->system.Q_lambda, c, part[i].row)] += force * slope[i];
        }
}

void ki_friction_lambda(const ki_mech *mech, ki_mech_work *w, const double *lambda, double *Q_lambda) {
    if (!mech->system.Q_lambda.rows)
        return;
    memset(Q_lambda, 0, (size_t)keel_pattern_count(mech->system.Q_lambda) * sizeof *Q_lambda);
    for (int j = 0; j < mech->joint_count; j++) {
        const ki_joint *joint = &mech->joint[j];
        if (!is_dry(mech, joint))
            continue;
        const ki_part *part = &mech->layout->part[mech->layout->joint_part[j]];
        double slope[KI_JOINT_ROWS];
        pressing_force(mech, j, lambda, slope);
        slipping x = look_at_slip(mech, w, j);
        for (int k = 0; k < x.count; k++)
            for (int side = 0; side < 2; side++)
                add_entries(mech, w, part, row_count(mech, joint), slope, side, &x.row[k], x.per_force[k],
                            Q_lambda);
    }
}
