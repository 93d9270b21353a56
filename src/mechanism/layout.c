#include "mechanism/layout.h"

#include <stdlib.h>

#include "mechanism/joint.h"
#include "mechanism/quantity.h"

int ki_common_ancestor(const ki_mech *mech, int a, int b) {
    while (a != b) {
        if (mech->body[a].depth >= mech->body[b].depth)
            a = mech->body[a].parent;
        else
            b = mech->body[b].parent;
    }
    return a;
}

/* Columns of the tree joints from body b up to, not including, `top`; with `columns` NULL only counted. */
static int walk_up(const ki_mech *mech, int b, int top, int *columns) {
    int count = 0;
    for (; b != top; b = mech->body[b].parent) {
        const ki_body *body = &mech->body[b];
        for (int j = 0; j < body->n_v; j++)
            if (columns)
                columns[count + j] = body->v + j;
        count += body->n_v;
    }
    return count;
}

int ki_part_columns(const ki_mech *mech, const ki_part *part, int *columns) {
    int count = walk_up(mech, part->body[1], part->top, columns);
    return count + walk_up(mech, part->body[0], part->top, columns ? columns + count : NULL);
}

/* Where a walk over columns goes on that comes to body b: bodies without columns are passed. */
static int first_column(const ki_mech *mech, int b) {
    while (b != 0 && mech->body[b].n_v == 0)
        b = mech->body[b].parent;
    if (b == 0)
        return KI_GROUND;
    return mech->body[b].kind == KI_HINGE_OWN ? ~mech->body[b].v : mech->body[b].v;
}

static void connect_columns(ki_mech *mech) {
    ki_layout *l = mech->layout;
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        for (int j = body->v; j < body->v + body->n_v; j++)
            l->above[j] = j + 1 < body->v + body->n_v ? j + 1 : first_column(mech, body->parent);
    }
    for (int g = 0; g < l->group_count; g++) {
        ki_group *group = &l->group[g];
        for (int side = 0; side < 2; side++)
            group->column[side] = first_column(mech, group->body[side]);
        group->end = first_column(mech, group->top);
    }
}

/* ---- parts ------------------------------------------------------------------------------------------ */

static void set_part(const ki_mech *mech, int p, int row, int owner, const int body[2]) {
    mech->layout->part[p] = (ki_part){.row = row,
                                      .owner = owner,
                                      .body = {body[0], body[1]},
                                      .top = ki_common_ancestor(mech, body[0], body[1])};
    mech->layout->row_part[row] = p;
}

/* A group of parts that are in place. */
static ki_group *add_group(ki_layout *l, int part, int count) {
    const ki_part *first = &l->part[part];
    ki_group *group = &l->group[l->group_count++];
    *group =
        (ki_group){.part = part, .count = count, .body = {first->body[0], first->body[1]}, .top = first->top};
    return group;
}

static bool is_velocity(const ki_measure *measure) {
    return measure->primes > 0 || measure->kind == KI_MEASURE_SPIN;
}

static int cut_rows(const ki_joint *joint, int d, int *n_n) {
    const ki_joint_role *role = ki_role(joint, d);
    *n_n = joint->tree || joint->type->couples ? 0 : role->n_n;
    if (joint->tree)
        return 0;
    return joint->type->couples ? 1 : role->n_h;
}

/* Numbers the rows: counts of both kinds, and the first row of every joint. */
static void number_rows(ki_mech *mech) {
    ki_layout *l = mech->layout;
    l->n_h = l->n_n = l->part_count = 0;
    for (int j = 0; j < mech->joint_count; j++) {
        int n_n, n_h = cut_rows(&mech->joint[j], mech->d, &n_n);
        mech->joint[j].row_h = l->n_h;
        mech->joint[j].row_n = l->n_n;
        l->n_h += n_h;
        l->n_n += n_n;
        l->part_count += mech->joint[j].type->couples ? 2 : n_h + n_n;
    }
    l->n_h += mech->motion_count;
    l->part_count += mech->motion_count + mech->start_count;
    for (int i = 0; i < mech->start_count; i++)
        ++*(is_velocity(&mech->start[i].measure) ? &l->n_n : &l->n_h);
    for (int j = 0; j < mech->joint_count; j++)
        mech->joint[j].row_n += l->n_h;
}

static int joint_parts(ki_mech *mech, int j, int p) {
    const ki_joint *joint = &mech->joint[j];
    int n_n, n_h = cut_rows(joint, mech->d, &n_n);
    if (joint->type->couples) {
        for (int k = 0; k < 2; k++) {
            set_part(mech, p, joint->row_h, j, mech->joint[joint->other[k]].body);
            add_group(mech->layout, p++, 1);
        }
        return p;
    }
    for (int i = 0; i < n_h; i++)
        set_part(mech, p++, joint->row_h + i, j, joint->body);
    for (int i = 0; i < n_n; i++)
        set_part(mech, p++, joint->row_n + i, j, joint->body);
    if (n_h + n_n > 0) {
        ki_group *group = add_group(mech->layout, p - n_h - n_n, n_h + n_n);
        group->world = ki_role(joint, mech->d)->world_rows;
        group->turning = n_n ? 0 : ki_role(joint, mech->d)->turning_rows;
    }
    return p;
}

static void fill_parts(ki_mech *mech) {
    ki_layout *l = mech->layout;
    int p = 0, row_h, row_n;
    for (int j = 0; j < mech->joint_count; j++) {
        l->joint_part[j] = p;
        p = joint_parts(mech, j, p);
        if (p > l->joint_part[j])
            l->cut[l->cut_count++] = j;
        if (mech->joint[j].viscous != 0 || mech->joint[j].coulomb != 0)
            l->rubbing[l->rubbing_count++] = j;
    }
    row_h = l->n_h, row_n = l->n_h + l->n_n; /* motions and starts stand last among their kind */
    for (int i = 0; i < mech->start_count; i++)
        --*(is_velocity(&mech->start[i].measure) ? &row_n : &row_h);
    row_h -= mech->motion_count;
    l->motion_row = row_h;
    l->motion_part = p;
    for (int i = 0; i < mech->motion_count; i++, p++) {
        set_part(mech, p, row_h++, i, mech->motion[i].measure.body);
        add_group(l, p, 1);
    }
    l->start_part = p;
    for (int i = 0; i < mech->start_count; i++) {
        const ki_measure *measure = &mech->start[i].measure;
        set_part(mech, p, is_velocity(measure) ? row_n++ : row_h++, i, measure->body);
        add_group(l, p++, 1);
    }
}

/* ---- patterns --------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int ki_sort_unique(int *list, int count) {
    int kept = 0;
    if (count > 1)
        qsort(list, (size_t)count, sizeof *list, by_value);
    for (int i = 0; i < count; i++)
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    return kept;
}

int ki_pattern_slot(keel_pattern P, int row, int column) {
    int low = P.start[row], high = P.start[row + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (P.index[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The entries of a group in walking order; with `rows` NULL only counted. */
static int group_entries(const ki_mech *mech, const ki_group *group, int *rows, int *columns) {
    const ki_part *part = &mech->layout->part[group->part];
    int count = 0;
    for (int side = 1; side >= 0; side--)
        for (int b = group->body[side]; b != group->top; b = mech->body[b].parent) {
            const ki_body *body = &mech->body[b];
            for (int j = 0; j < body->n_v; j++)
                for (int k = 0; k < group->count; k++) {
                    if (body->kind == KI_HINGE_OWN && ki_zero_entry(group, mech->d, k, j))
                        continue;
                    if (rows)
                        rows[count] = part[k].row, columns[count] = body->v + j;
                    count++;
                }
        }
    return count;
}

/* Sorts the columns of each row, listed from first[row] on, and moves the rows together. */
static void close_up(int m, const int *first, int *start, int *index) {
    for (int i = 0; i < m; i++) {
        int count = ki_sort_unique(index + first[i], first[i + 1] - first[i]);
        for (int k = 0; k < count; k++)
            index[start[i] + k] = index[first[i] + k];
        start[i + 1] = start[i] + count;
    }
}

/* Pattern of J: the columns of all groups that a row is in. */
static keel_pattern jacobian_pattern(ki_mech *mech, ki_arena *scratch) {
    ki_layout *l = mech->layout;
    int m = l->n_h + l->n_n, total = 0;
    keel_pattern none = {0};
    for (int g = 0; g < l->group_count; g++) {
        l->group[g].slot = total;
        total += group_entries(mech, &l->group[g], NULL, NULL);
    }
    int *start = KI_NEW(&mech->arena, int, m + 1), *index = KI_NEW(&mech->arena, int, total);
    int *first = KI_NEW(scratch, int, m + 1), *next = KI_NEW(scratch, int, m + 1);
    int *row = KI_NEW(scratch, int, total), *column = KI_NEW(scratch, int, total);
    l->J_slot = KI_NEW(&mech->arena, int, total);
    if (mech->arena.failed || scratch->failed)
        return none;
    for (int g = 0; g < l->group_count; g++)
        group_entries(mech, &l->group[g], row + l->group[g].slot, column + l->group[g].slot);
    for (int k = 0; k < total; k++)
        first[row[k] + 1]++;
    for (int i = 0; i < m; i++) {
        first[i + 1] += first[i];
        next[i] = first[i];
    }
    for (int k = 0; k < total; k++)
        index[next[row[k]]++] = column[k];
    close_up(m, first, start, index);
    keel_pattern P = {m, mech->system.n_v, start, index};
    for (int k = 0; k < total; k++)
        l->J_slot[k] = ki_pattern_slot(P, row[k], column[k]);
    return P;
}

/* Columns of row j of M: those of the body itself up to j, then of its ancestors. */
static int mass_columns(const ki_mech *mech, int b, int j, int *columns) {
    const ki_body *body = &mech->body[b];
    int first = body->v, count = 0;
    if (body->alone) /* a diagonal */
        first = j;
    for (int k = first; k <= j; k++, count++)
        if (columns)
            columns[count] = k;
    if (!body->alone)
        count += walk_up(mech, body->parent, 0, columns ? columns + count : NULL);
    return count;
}

static keel_pattern mass_pattern(ki_mech *mech) {
    int n = mech->system.n_v, total = 0;
    int *start = KI_NEW(&mech->arena, int, n + 1);
    keel_pattern none = {0};
    if (!start)
        return none;
    for (int b = 1; b < mech->body_count; b++)
        for (int j = mech->body[b].v; j < mech->body[b].v + mech->body[b].n_v; j++) {
            total += mass_columns(mech, b, j, NULL);
            start[j + 1] = total;
        }
    int *index = KI_NEW(&mech->arena, int, total);
    int *slots = mech->layout->M_slot = KI_NEW(&mech->arena, int, total);
    if (!index || !slots)
        return none;
    keel_pattern P = {n, n, start, index};
    for (int b = 1; b < mech->body_count; b++)
        for (int j = mech->body[b].v; j < mech->body[b].v + mech->body[b].n_v; j++) {
            int count = mass_columns(mech, b, j, index + start[j]);
            for (int k = 0; k < count; k++)
                slots[start[j] + k] = index[start[j] + k];
            ki_sort_unique(index + start[j], count);
            for (int k = 0; k < count; k++)
                slots[start[j] + k] = ki_pattern_slot(P, j, slots[start[j] + k]);
        }
    return P;
}

keel_status ki_layout_build(ki_mech *mech) {
    ki_arena scratch;
    ki_layout *l = mech->layout = KI_NEW(&mech->arena, ki_layout, 1);
    if (!l)
        return KEEL_ERROR_MEMORY;
    number_rows(mech);
    l->part = KI_NEW(&mech->arena, ki_part, l->part_count);
    l->joint_part = KI_NEW(&mech->arena, int, mech->joint_count);
    l->group = KI_NEW(&mech->arena, ki_group, l->part_count);
    l->cut = KI_NEW(&mech->arena, int, mech->joint_count);
    l->rubbing = KI_NEW(&mech->arena, int, mech->joint_count);
    l->above = KI_NEW(&mech->arena, int, mech->system.n_v);
    l->row_part = KI_NEW(&mech->arena, int, l->n_h + l->n_n);
    if (mech->arena.failed)
        return KEEL_ERROR_MEMORY;
    fill_parts(mech);
    connect_columns(mech);
    for (int b = 1; b < mech->body_count; b++)
        l->branches |= !mech->body[b].alone;
    ki_arena_init(&scratch);
    mech->system.n_h = l->n_h;
    mech->system.n_n = l->n_n;
    mech->system.J = jacobian_pattern(mech, &scratch);
    mech->system.M = mass_pattern(mech);
    bool failed = mech->arena.failed || scratch.failed;
    ki_arena_free(&scratch);
    return failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}
