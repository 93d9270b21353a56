/* friction_lambda.c - generalized forces of Coulomb friction as functions of the multipliers.
 *
 * The friction of joint j has the direction b_j, which position and velocity tell, and the size N_j of the
 * force that presses its surfaces together, which the multipliers tell:
 *
 *     Q = Q_0 + sum over j of N_j(lambda) b_j,        dQ/dlambda = sum over j of b_j (dN_j/dlambda)^T
 *     b_j = sum over its coordinates k of -mu rho_k u_k (w_k . columns)             (friction.c)
 *
 * Multipliers are found by iteration. What does not depend on them, Q_0 and b_j, is kept from one to the
 * next.
 */
#include "mechanism/forces/friction.h"

#include <string.h>

/* Columns on the walk of the parts of joint j, which all have the same bodies. */
static int columns_of(const ki_mech *mech, int j, int *columns) {
    return ki_part_columns(mech, &mech->layout->part[mech->layout->joint_part[j]], columns);
}

/* The joints with dry friction; counts their columns and entries. */
static bool list_joints(ki_mech *mech, ki_dry_friction *f, int *entries) {
    f->joint = KI_NEW(&mech->arena, ki_dry_joint, mech->joint_count);
    for (int j = 0; f->joint && j < mech->joint_count; j++) {
        if (!ki_is_dry(mech, &mech->joint[j]))
            continue;
        ki_dry_joint *dry = &f->joint[f->count++];
        *dry = (ki_dry_joint){j, ki_friction_rows(mech, &mech->joint[j]), f->columns,
                              columns_of(mech, j, NULL), *entries};
        f->columns += dry->columns;
        *entries += dry->rows * dry->columns;
    }
    return f->joint;
}

/* Row i of J belongs to joint owner[i], or to none with dry friction: -1. Rows of J are taken in their order,
 * so that the columns of the pattern are in order too. */
static bool fill_pattern(const ki_mech *mech, const ki_dry_friction *f, int m, int *start, int *index,
                         ki_arena *scratch) {
    int n = mech->system.n_v, *next = KI_NEW(scratch, int, n), *owner = KI_NEW(scratch, int, m);
    if (!next || !owner)
        return false;
    for (int i = 0; i < m; i++)
        owner[i] = -1;
    for (int d = 0; d < f->count; d++) {
        const ki_dry_joint *dry = &f->joint[d];
        for (int i = 0; i < dry->rows; i++)
            owner[ki_dry_row(mech, dry, i)] = d;
        for (int k = 0; k < dry->columns; k++)
            start[f->column[dry->first + k] + 1] += dry->rows;
    }
    for (int i = 0; i < n; i++) {
        start[i + 1] += start[i];
        next[i] = start[i];
    }
    for (int i = 0; i < m; i++)
        for (int k = 0; owner[i] >= 0 && k < f->joint[owner[i]].columns; k++)
            index[next[f->column[f->joint[owner[i]].first + k]]++] = i;
    return true;
}

static void find_slots(const ki_mech *mech, ki_dry_friction *f, keel_pattern P) {
    for (int d = 0; d < f->count; d++) {
        const ki_dry_joint *dry = &f->joint[d];
        for (int k = 0; k < dry->columns; k++)
            for (int i = 0; i < dry->rows; i++)
                f->slot[dry->slot + k * dry->rows + i] =
                    ki_pattern_slot(P, f->column[dry->first + k], ki_dry_row(mech, dry, i));
    }
}

static keel_status build(ki_mech *mech, ki_dry_friction *f, int entries, ki_arena *scratch) {
    int m = mech->layout->n_h + mech->layout->n_n, n = mech->system.n_v;
    int *start = KI_NEW(&mech->arena, int, n + 1), *index = KI_NEW(&mech->arena, int, entries);
    f->column = KI_NEW(&mech->arena, int, f->columns);
    f->slot = KI_NEW(&mech->arena, int, entries);
    if (mech->arena.failed)
        return KEEL_ERROR_MEMORY;
    for (int d = 0; d < f->count; d++)
        columns_of(mech, f->joint[d].number, f->column + f->joint[d].first);
    if (!fill_pattern(mech, f, m, start, index, scratch))
        return KEEL_ERROR_MEMORY;
    mech->system.Q_lambda = (keel_pattern){n, m, start, index};
    find_slots(mech, f, mech->system.Q_lambda);
    return KEEL_OK;
}

keel_status ki_friction_build(ki_mech *mech) {
    ki_dry_friction *f = &mech->dry;
    int entries = 0;
    ki_arena scratch;
    if (!list_joints(mech, f, &entries))
        return KEEL_ERROR_MEMORY;
    if (entries == 0) {
        f->count = 0;
        return KEEL_OK;
    }
    ki_arena_init(&scratch);
    keel_status status = build(mech, f, entries, &scratch);
    ki_arena_free(&scratch);
    return status;
}

void ki_friction_prepare(const ki_mech *mech, ki_arena *arena, ki_dry_work *work) {
    if (mech->dry.count == 0)
        return;
    work->Q = KI_NEW(arena, double, mech->system.n_v);
    work->along = KI_NEW(arena, double, mech->dry.columns);
    work->rate = KI_NEW(arena, double, mech->dry.count);
}

/* w_b . (motion of body b that column c of body `at` makes) */
static double along_column(const ki_mech *mech, const ki_mech_work *w, const double *covector, int b, int at,
                           int c) {
    double x[3], moved[3];
    const double *S = w->S[c];
    ki_minus(w->state[b].r, w->state[at].r, x);
    if (mech->d == KI_PLANAR)
        return covector[0] * S[0] + covector[1] * (S[1] - S[0] * x[1]) + covector[2] * (S[2] + S[0] * x[0]);
    ki_copy3(S + 3, moved);
    ki_add_cross(S, x, moved);
    return ki_dot3(covector, S) + ki_dot3(covector + 3, moved);
}

/* Adds f w to the numbers of the columns from body b up to `top`, for a row with covector w on b; returns
 * where those of the other side begin. */
static double *add_along(const ki_mech *mech, const ki_mech_work *w, const ki_part *part, int side,
                         const ki_row *row, double f, double *along) {
    for (int b = part->body[side]; b != part->top; b = mech->body[b].parent)
        for (int c = mech->body[b].v; c < mech->body[b].v + mech->body[b].n_v; c++)
            *along++ += f * along_column(mech, w, row->w[side], part->body[side], b, c);
    return along;
}

/* b_j in the columns of the joint; its power with N = 1. */
static double find_direction(const ki_mech *mech, ki_mech_work *w, const ki_dry_joint *dry) {
    const ki_part *part = &mech->layout->part[mech->layout->joint_part[dry->number]];
    double *along = w->dry.along + dry->first, power = 0;
    ki_slip x = ki_slip_of(mech, w, dry->number);
    memset(along, 0, (size_t)dry->columns * sizeof *along);
    for (int k = 0; k < x.count; k++) {
        double *other = add_along(mech, w, part, 1, &x.row[k], x.per_force[k], along);
        add_along(mech, w, part, 0, &x.row[k], x.per_force[k], other);
        power += x.per_force[k] * x.rate[k];
    }
    return power;
}

/* What the multipliers do not change. The bodies are where they were moved to. */
static void find_rest(const ki_mech *mech, ki_mech_work *w, double t) {
    ki_dry_work *kept = &w->dry;
    if (kept->known && kept->t == t)
        return;
    ki_body_wrenches(mech, w, false);
    ki_apply_forces(mech, w, t, NULL);
    ki_gather(mech, w, kept->Q);
    kept->power = w->power;
    kept->potential = w->potential;
    for (int d = 0; d < mech->dry.count; d++)
        kept->rate[d] = find_direction(mech, w, &mech->dry.joint[d]);
    kept->t = t;
    kept->known = true;
}

void ki_dry_forces(const ki_mech *mech, ki_mech_work *w, double t, const double *lambda, double *Q) {
    double slope[KI_JOINT_ROWS];
    find_rest(mech, w, t);
    w->power = w->dry.power;
    w->potential = w->dry.potential;
    if (Q)
        memcpy(Q, w->dry.Q, (size_t)mech->system.n_v * sizeof *Q);
    for (int d = 0; lambda && d < mech->dry.count; d++) {
        const ki_dry_joint *dry = &mech->dry.joint[d];
        const int *column = mech->dry.column + dry->first;
        const double *along = w->dry.along + dry->first;
        double N = ki_pressing_force(mech, dry->number, lambda, slope);
        w->power += N * w->dry.rate[d];
        for (int k = 0; Q && k < dry->columns; k++)
            Q[column[k]] += N * along[k];
    }
}

void ki_friction_lambda(const ki_mech *mech, ki_mech_work *w, double t, const double *lambda,
                        double *Q_lambda) {
    double slope[KI_JOINT_ROWS];
    find_rest(mech, w, t);
    for (int d = 0; d < mech->dry.count; d++) {
        const ki_dry_joint *dry = &mech->dry.joint[d];
        const int *slot = mech->dry.slot + dry->slot;
        const double *along = w->dry.along + dry->first;
        ki_pressing_force(mech, dry->number, lambda, slope);
        for (int k = 0; k < dry->columns; k++)
            for (int i = 0; i < dry->rows; i++)
                Q_lambda[*slot++] = along[k] * slope[i];
    }
}
