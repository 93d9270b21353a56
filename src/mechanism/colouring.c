/* Which unknowns a row of the equations of motion depends on, and which columns may be displaced together.
 *
 * Row i of the motion depends on q_k and v_k if k moves a body that i moves too along one branch of the tree
 * (inertia), or if a constraint or a force ties a body that i moves to one that k moves. Every tie is a
 * clique of columns.
 */
#include <stdlib.h>
#include <string.h>

#include "mechanism/forces/force.h"
#include "mechanism/joint.h"
#include "mechanism/tangent.h"

/* Lists of columns, one for each row, that grow. */
typedef struct lists {
    ki_arena arena;
    int rows;
    int *count, *room, **list;
} lists;

static void lists_add(lists *l, int row, int column) {
    if (l->arena.failed)
        return;
    if (l->count[row] == l->room[row]) {
        /* first make the list short again: cliques overlap */
        l->count[row] = ki_sort_unique(l->list[row], l->count[row]);
        if (2 * l->count[row] >= l->room[row]) {
            int room = l->room[row] ? 2 * l->room[row] : 16;
            int *wider = KI_NEW(&l->arena, int, room);
            if (!wider)
                return;
            for (int k = 0; k < l->count[row]; k++)
                wider[k] = l->list[row][k];
            l->list[row] = wider;
            l->room[row] = room;
        }
    }
    l->list[row][l->count[row]++] = column;
}

static void lists_init(lists *l, int rows) {
    ki_arena_init(&l->arena);
    l->rows = rows;
    l->count = KI_NEW(&l->arena, int, rows);
    l->room = KI_NEW(&l->arena, int, rows);
    l->list = KI_NEW(&l->arena, int *, rows);
}

static void add_clique(lists *l, const int *columns, int count) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            lists_add(l, columns[i], columns[k]);
}

static void add_mass(lists *l, keel_pattern M) {
    for (int i = 0; i < M.rows; i++)
        for (int k = M.start[i]; k < M.start[i + 1]; k++) {
            lists_add(l, i, M.index[k]);
            lists_add(l, M.index[k], i);
        }
}

/* The mass matrix of a body with coordinates of its own is diagonal, but its gyroscopic torque couples. */
static void add_gyroscopic(lists *l, const ki_mech *mech) {
    for (int b = 1; b < mech->body_count; b++)
        if (mech->body[b].alone && mech->d == KI_SPATIAL) {
            int v = mech->body[b].v, turns[3] = {v + 3, v + 4, v + 5};
            add_clique(l, turns, 3);
        }
}

/* The constraint forces of a row act on its columns and depend on them. */
static void add_constraints(lists *l, keel_pattern J, int n) {
    for (int i = 0; i < J.rows; i++) {
        add_clique(l, J.index + J.start[i], J.start[i + 1] - J.start[i]);
        for (int k = J.start[i]; k < J.start[i + 1]; k++)
            lists_add(l, n + i, J.index[k]);
    }
}

/* The columns that one force ties together, each once. */
typedef struct tie {
    const ki_mech *mech;
    int *columns, count;
    int *seen, number; /* seen[body] == number: its columns are among them */
} tie;

/* Adds the columns of body b and of its ancestors below `top`. Where a path to the ground was added before,
 * all above it were too. */
static void add_path(tie *t, int b, int top) {
    for (; b != top && t->seen[b] != t->number; b = t->mech->body[b].parent) {
        const ki_body *body = &t->mech->body[b];
        for (int j = 0; j < body->n_v; j++)
            t->columns[t->count++] = body->v + j;
        t->seen[b] = t->number;
    }
}

/* What acts between two bodies and depends only on how they lie and move to each other. */
static void add_between(tie *t, const int body[2]) {
    int top = ki_common_ancestor(t->mech, body[0], body[1]);
    for (int k = 0; k < 2; k++)
        add_path(t, body[k], top);
}

/* Paths to the ground: of all that a formula reads, and of the bodies of a force with world axes. */
static void add_force(tie *t, const ki_force *force) {
    bool in_world = force->kind == KEEL_FORCE_PUSH || (force->kind == KEEL_FORCE_TWIST && !force->on_joint);
    for (int i = 0; i < force->law.input_count; i++)
        for (int k = 0; k < 2; k++)
            add_path(t, force->law.input[i].body[k], 0);
    for (int k = 0; in_world && k < 2; k++)
        add_path(t, force->body[k], 0);
    add_between(t, force->body);
}

static void add_ties(lists *l, const ki_mech *mech) {
    tie t = {.mech = mech,
             .columns = KI_NEW(&l->arena, int, mech->system.n_v),
             .seen = KI_NEW(&l->arena, int, mech->body_count)};
    if (l->arena.failed)
        return;
    for (int i = 0; i < mech->force_count; i++) {
        t.count = 0, t.number++;
        add_force(&t, &mech->force[i]);
        add_clique(l, t.columns, t.count);
    }
    for (int j = 0; j < mech->joint_count; j++) /* friction */
        if (mech->joint[j].viscous != 0 || mech->joint[j].coulomb != 0) {
            t.count = 0, t.number++;
            add_between(&t, mech->joint[j].body);
            add_clique(l, t.columns, t.count);
        }
}

/* tangent: each row has its columns twice, for q and for v */
static keel_status set_patterns(ki_mech *mech, lists *l, ki_colouring *c) {
    int rows = l->rows, n = mech->system.n_v, total = 0;
    int *start = KI_NEW(&mech->arena, int, rows + 1);
    c->row_count = KI_NEW(&mech->arena, int, rows);
    if (!start || !c->row_count)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < rows; i++) {
        c->row_count[i] = l->count[i] = ki_sort_unique(l->list[i], l->count[i]);
        total += 2 * l->count[i];
        start[i + 1] = total;
    }
    int *index = KI_NEW(&mech->arena, int, total);
    if (!index)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < l->count[i]; k++) {
            index[start[i] + k] = l->list[i][k];
            index[start[i] + l->count[i] + k] = n + l->list[i][k];
        }
    mech->system.tangent = (keel_pattern){rows, 2 * n, start, index};
    mech->system.rate_q = mech->system.J;
    return KEEL_OK;
}

/* Entries of each column: those of the first `take` entries of every row (all with take NULL). */
static keel_status transpose(ki_arena *arena, keel_pattern P, const int *take, int columns, int **first_out,
                             int **row_out, int **slot_out) {
    int *first = *first_out = KI_NEW(arena, int, columns + 1);
    int count = 0;
    for (int i = 0; i < P.rows; i++)
        count += take ? take[i] : P.start[i + 1] - P.start[i];
    int *row = *row_out = KI_NEW(arena, int, count), *slot = *slot_out = KI_NEW(arena, int, count);
    if (arena->failed)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < P.rows; i++)
        for (int k = P.start[i]; k < (take ? P.start[i] + take[i] : P.start[i + 1]); k++)
            first[P.index[k] + 1]++;
    for (int j = 0; j < columns; j++)
        first[j + 1] += first[j];
    for (int i = P.rows - 1; i >= 0; i--) /* filled from behind, with first[j + 1] as the moving end */
        for (int k = (take ? P.start[i] + take[i] : P.start[i + 1]) - 1; k >= P.start[i]; k--) {
            int place = --first[P.index[k] + 1];
            row[place] = i;
            slot[place] = k;
        }
    for (int j = 0; j < columns; j++) /* first[j + 1] is now the start of column j */
        first[j] = first[j + 1];
    first[columns] = count;
    return KEEL_OK;
}

/* Greedy: the least colour that no column sharing a row has. */
static keel_status colour(ki_mech *mech, const lists *l, ki_colouring *c) {
    int n = mech->system.n_v;
    int *of = malloc(((size_t)n + 1) * sizeof *of), *seen = malloc(((size_t)n + 1) * sizeof *seen);
    c->first = KI_NEW(&mech->arena, int, n + 2);
    c->column = KI_NEW(&mech->arena, int, n);
    keel_status status = of && seen && !mech->arena.failed ? KEEL_OK : KEEL_ERROR_MEMORY;
    if (!status) {
        for (int j = 0; j < n; j++)
            of[j] = seen[j] = -1;
        for (int j = 0; j < n; j++) {
            for (int e = c->entry_first[j]; e < c->entry_first[j + 1]; e++) {
                int row = c->entry_row[e];
                for (int k = 0; k < l->count[row]; k++)
                    if (of[l->list[row][k]] >= 0)
                        seen[of[l->list[row][k]]] = j;
            }
            int free_one = 0;
            while (seen[free_one] == j)
                free_one++;
            of[j] = free_one;
            c->colours = free_one + 1 > c->colours ? free_one + 1 : c->colours;
        }
        for (int j = 0; j < n; j++)
            c->first[of[j] + 1]++;
        for (int k = 0; k < c->colours; k++)
            c->first[k + 1] += c->first[k];
        for (int k = 0; k < c->colours; k++)
            seen[k] = c->first[k];
        for (int j = 0; j < n; j++)
            c->column[seen[of[j]]++] = j;
    }
    free(of);
    free(seen);
    return status;
}

/* The cube root of the rounding unit balances rounding and truncation of central differences. */
static void choose_steps(const ki_mech *mech, ki_colouring *c) {
    for (int j = 0; j < mech->system.n_v; j++)
        c->step[j] = 6e-6 * mech->system.q_size[j];
}

static keel_status build(ki_mech *mech, lists *l) {
    ki_colouring *c = mech->colouring;
    int n = mech->system.n_v;
    add_mass(l, mech->system.M);
    add_gyroscopic(l, mech);
    add_constraints(l, mech->system.J, n);
    add_ties(l, mech);
    if (l->arena.failed)
        return KEEL_ERROR_MEMORY;
    keel_status status = set_patterns(mech, l, c);
    if (!status)
        status = transpose(&mech->arena, mech->system.tangent, c->row_count, n, &c->entry_first,
                           &c->entry_row, &c->entry_slot);
    if (!status)
        status = transpose(&mech->arena, mech->system.rate_q, NULL, n, &c->rate_first, &c->rate_row,
                           &c->rate_slot);
    if (!status)
        status = colour(mech, l, c);
    if (!status)
        choose_steps(mech, c);
    return status;
}

keel_status ki_colouring_build(ki_mech *mech) {
    int n = mech->system.n_v;
    ki_colouring *c = mech->colouring = KI_NEW(&mech->arena, ki_colouring, 1);
    lists l;
    lists_init(&l, n + mech->system.n_h + mech->system.n_n);
    if (c)
        c->step = KI_NEW(&mech->arena, double, n);
    keel_status status = l.arena.failed || mech->arena.failed ? KEEL_ERROR_MEMORY : build(mech, &l);
    ki_arena_free(&l.arena);
    return status;
}
