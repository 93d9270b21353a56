#include "integrate/newton_stages.h"

#include <string.h>

bool ki_coupled_suits(const ki_newton *n, int stages) {
    return n->exact && ki_newton_is_plain(n) && n->size > 0 && stages * n->size <= KI_SWEEP_MOST;
}

/* Column u of P, S or T (0, 1, 2) begins here in a node. */
static int part_at(const ki_coupled *c, int part, int u) {
    return (part * c->size + u) * c->width;
}

static void place_both(const ki_coupled *c, keel_pattern A, int below, int *lower, int *upper) {
    for (int i = 0; i < A.rows; i++)
        for (int k = A.start[i]; k < A.start[i + 1]; k++) {
            lower[k] = part_at(c, 0, A.index[k]) + below + i;
            upper[k] = part_at(c, 0, below + i) + A.index[k];
        }
}

/* Columns of the tangent (q, v, z): T, S, and S with the unknowns of states. */
static int tangent_column(const ki_coupled *c, int column) {
    const ki_dynamics *d = c->newton->dynamics;
    int n_v = d->system->n_v;
    if (column < n_v)
        return part_at(c, 2, column);
    return part_at(c, 1, column < 2 * n_v ? column - n_v : column - n_v + d->m);
}

static void place_entries(ki_coupled *c) {
    const keel_system *sys = c->newton->dynamics->system;
    place_both(c, sys->M, 0, c->M_lower, c->M_upper);
    place_both(c, sys->J, sys->n_v, c->J_lower, c->J_upper);
    for (int i = 0; i < sys->Q_lambda.rows; i++)
        for (int k = sys->Q_lambda.start[i]; k < sys->Q_lambda.start[i + 1]; k++)
            c->Q_lambda_place[k] = part_at(c, 0, sys->n_v + sys->Q_lambda.index[k]) + i;
    for (int i = 0; i < sys->tangent.rows; i++)
        for (int k = sys->tangent.start[i]; k < sys->tangent.start[i + 1]; k++)
            c->tangent_place[k] = tangent_column(c, sys->tangent.index[k]) + i;
}

static void allocate(ki_coupled *c) {
    ki_arena *arena = &c->arena;
    const keel_system *sys = c->newton->dynamics->system;
    int M = keel_pattern_count(sys->M), J = keel_pattern_count(sys->J), all = 3 * c->size * c->width;
    c->M_lower = KI_NEW(arena, int, M);
    c->M_upper = KI_NEW(arena, int, M);
    c->J_lower = KI_NEW(arena, int, J);
    c->J_upper = KI_NEW(arena, int, J);
    c->Q_lambda_place = KI_NEW(arena, int, keel_pattern_count(sys->Q_lambda));
    c->tangent_place = KI_NEW(arena, int, keel_pattern_count(sys->tangent));
    for (int k = 0; k < KI_NODES; k++)
        c->node[k] = KI_NEW(arena, double, all);
    for (int i = 0; i < c->stages; i++) {
        c->stage[i] = KI_NEW(arena, double, all);
        c->sum[i] = KI_NEW(arena, double, c->width + KI_FOUR);
    }
    c->x[0] = KI_NEW(arena, double, c->stages * c->size + c->width);
    for (int i = 1; i < c->stages && c->x[0]; i++)
        c->x[i] = c->x[0] + i * c->size;
    c->way = KI_NEW(arena, double, 2 * c->width + KI_FOUR);
    ki_sweep_init(&c->inverse, arena, c->stages * c->size);
    ki_sweep_init(&c->filter, arena, c->size);
}

/* A and A^2 */
static void keep_table(ki_coupled *c, const double (*A)[KI_COUPLED_STAGES]) {
    for (int i = 0; i < c->stages; i++)
        for (int j = 0; j < c->stages; j++) {
            c->unit_A[i][j] = A[i][j];
            for (int k = 0; k < c->stages; k++)
                c->unit_A_square[i][j] += A[i][k] * A[k][j];
        }
}

keel_status ki_coupled_init(ki_coupled *coupled, const ki_newton *n, int stages, int middle, const double *c,
                            const double (*A)[KI_COUPLED_STAGES]) {
    *coupled = (ki_coupled){.newton = n,
                            .stages = stages,
                            .middle = middle,
                            .c = c,
                            .size = n->size,
                            .width = ki_padded(n->size)};
    keep_table(coupled, A);
    ki_arena_init(&coupled->arena);
    allocate(coupled);
    if (coupled->arena.failed)
        return KEEL_ERROR_MEMORY;
    place_entries(coupled);
    return KEEL_OK;
}

void ki_coupled_clear(ki_coupled *c) {
    if (c->newton)
        ki_arena_free(&c->arena);
    *c = (ki_coupled){0};
}

void ki_coupled_take(ki_coupled *c, ki_node where) {
    const ki_newton *n = c->newton;
    const keel_system *sys = n->dynamics->system;
    double *to = c->node[where];
    int states = sys->n_v + n->dynamics->m;
    for (int k = 0; k < keel_pattern_count(sys->M); k++)
        to[c->M_lower[k]] = to[c->M_upper[k]] = n->M[k];
    for (int k = 0; k < keel_pattern_count(sys->Q_lambda); k++)
        to[c->Q_lambda_place[k]] = 0;
    for (int k = 0; k < keel_pattern_count(sys->J); k++)
        to[c->J_lower[k]] = to[c->J_upper[k]] = n->J[k];
    for (int k = 0; k < keel_pattern_count(sys->Q_lambda); k++)
        to[c->Q_lambda_place[k]] -= n->Q_lambda[k];
    for (int i = sys->n_v; i < c->size; i++)
        to[part_at(c, 0, i) + i] = i < states ? -n->delta[i - sys->n_v] : 1;
    for (int k = 0; k < keel_pattern_count(sys->tangent); k++)
        to[c->tangent_place[k]] = n->tangent[k];
}

void ki_coupled_begin(ki_coupled *c) {
    c->knows_start = false;
}

void ki_coupled_advance(ki_coupled *c) {
    double *end = c->node[KI_NODE_END];
    c->node[KI_NODE_END] = c->node[KI_NODE_START];
    c->node[KI_NODE_START] = end;
    c->knows_start = true;
}

/* Weights of the nodes at 0, m, 1 in the parabola through them at c, or in the line through the last two. */
static void node_weights(const ki_coupled *coupled, double c, double weight[KI_NODES]) {
    double m = coupled->c[coupled->middle];
    weight[0] = coupled->knows_start ? (c - m) * (c - 1) / m : 0;
    weight[1] = coupled->knows_start ? c * (c - 1) / (m * (m - 1)) : (1 - c) / (1 - m);
    weight[2] = 1 - weight[0] - weight[1];
}

KI_TWICE static void interpolate(int length, const double *weight, double *const *node, double *out) {
    for (int i = 0; i < length; i += KI_FOUR)
        *ki_four_at(out, i) = weight[0] * *ki_const_four_at(node[0], i) +
                              weight[1] * *ki_const_four_at(node[1], i) +
                              weight[2] * *ki_const_four_at(node[2], i);
}

/* P, S and T at stage i */
static const double *stage_parts(ki_coupled *c, int i) {
    if (i == c->middle || i == c->stages - 1)
        return c->node[i == c->middle ? KI_NODE_MIDDLE : KI_NODE_END];
    return c->stage[i];
}

static void find_stages(ki_coupled *c) {
    double weight[KI_NODES];
    for (int i = 0; i < c->stages - 1; i++)
        if (i != c->middle) {
            node_weights(c, c->c[i], weight);
            interpolate(3 * c->size * c->width, weight, c->node, c->stage[i]);
        }
}

/* The blocks of stage i, columns u of all of them. What reaches over the end of a column of a block is
 * overwritten by the next stage. */
KI_INLINE void fill_rows(const ki_coupled *c, int stages, int width, int i, const double *P, double *A) {
    int size = c->size, part = size * width, stride = c->inverse.stride, block = size * stride;
    double of_S[KI_COUPLED_STAGES], of_T[KI_COUPLED_STAGES];
    for (int j = 0; j < stages; j++) {
        of_S[j] = c->A[i][j];
        of_T[j] = c->A_square[i][j];
    }
    A += i * size;
    for (int u = 0; u < size; u++, P += width, A += stride)
        for (int r = 0; r < width; r += KI_FOUR) {
            ki_four S = *ki_const_four_at(P + part, r), T = *ki_const_four_at(P + 2 * part, r);
            for (int j = 0; j < stages; j++)
                *ki_four_at(A + j * block, r) = of_S[j] * S + of_T[j] * T;
            *ki_four_at(A + i * block, r) += *ki_const_four_at(P, r);
        }
}

KI_TWICE static void fill(const ki_coupled *c, const double *const *parts, double *A) {
    int stages = c->stages, width = c->width;
    for (int i = 0; i < stages; i++)
        if (stages == 3 && width == 4)
            fill_rows(c, 3, 4, i, parts[i], A);
        else if (stages == 3)
            fill_rows(c, 3, width, i, parts[i], A);
        else
            fill_rows(c, 5, width, i, parts[i], A);
}

keel_status ki_coupled_factor(ki_coupled *c, double h) {
    const double *parts[KI_COUPLED_STAGES];
    find_stages(c);
    for (int i = 0; i < c->stages; i++) {
        parts[i] = stage_parts(c, i);
        for (int j = 0; j < c->stages; j++) {
            c->A[i][j] = h * c->unit_A[i][j];
            c->A_square[i][j] = h * h * c->unit_A_square[i][j];
        }
    }
    for (bool again = true; again;) {
        again = c->inverse.ordered;
        fill(c, parts, c->inverse.A);
        if (ki_sweep_invert(&c->inverse))
            return KEEL_OK;
    }
    return KEEL_ERROR_SINGULAR;
}

typedef const double (*matrix)[KI_COUPLED_STAGES];

KI_INLINE void combine_stages(int stages, int count, matrix A, double *const *x, double *const *out) {
    for (int i = 0; i < count; i += KI_FOUR) {
        ki_four from[KI_COUPLED_STAGES];
        for (int s = 0; s < stages; s++)
            from[s] = *ki_const_four_at(x[s], i);
        for (int s = 0; s < stages; s++) {
            ki_four sum = A[s][0] * from[0];
            for (int j = 1; j < stages; j++)
                sum += A[s][j] * from[j];
            *ki_four_at(out[s], i) = sum;
        }
    }
}

/* sum = h A x from component `first` of x on, `count` of them */
KI_TWICE static void combine(const ki_coupled *c, int count, double *const *x, int first) {
    double *from[KI_COUPLED_STAGES];
    for (int s = 0; s < c->stages; s++)
        from[s] = x[s] + first;
    if (c->stages == 3)
        combine_stages(3, count, (matrix)c->A, from, c->sum);
    else
        combine_stages(5, count, (matrix)c->A, from, c->sum);
}

/* -S y - T x, columns one after another */
KI_INLINE void multiply(int size, int width, const double *S, const double *y, const double *x, double *out) {
    const double *T = S + size * width;
    for (int r = 0; r < width; r += KI_FOUR) {
        ki_four sum = {0, 0, 0, 0};
        for (int u = 0; u < size; u++)
            sum -= y[u] * *ki_const_four_at(S + u * width, r) + x[u] * *ki_const_four_at(T + u * width, r);
        *ki_four_at(out, r) = sum;
    }
}

/* -S (b_v, 0, b_z) - T x of one stage, where x = b_q + h A b_v stands in way. Fours of x and y may take in
 * what comes after: S and T are zero there. */
KI_INLINE void right_hand_side(const ki_coupled *c, const double *P, const double *b, int n_v, int states,
                               double *out) {
    int size = c->size, width = c->width;
    double *y = c->way, *x = c->way + width;
    for (int k = 0; k < n_v; k += KI_FOUR)
        *ki_four_at(y, k) = *ki_const_four_at(b + n_v, k);
    for (int k = states; k < size; k++)
        y[k] = b[2 * n_v + k - states];
    if (size == 4)
        multiply(4, 4, P + 16, y, x, out);
    else
        multiply(size, width, P + size * width, y, x, out);
}

/* Of all stages; sum = h A b_v. */
KI_TWICE static void right_hand_sides(ki_coupled *c, const double *const *parts, double *const *b, int n_v,
                                      int states) {
    double *x = c->way + c->width;
    for (int i = 0; i < c->stages; i++) {
        for (int k = 0; k < n_v; k += KI_FOUR)
            *ki_four_at(x, k) = *ki_const_four_at(b[i], k) + *ki_const_four_at(c->sum[i], k);
        right_hand_side(c, parts[i], b[i], n_v, states, c->x[i]);
    }
}

static void add(int count, const double *restrict x, double *restrict to) {
    for (int k = 0; k < count; k++)
        to[k] += x[k];
}

void ki_coupled_solve(ki_coupled *c, double *const *b) {
    const ki_dynamics *d = c->newton->dynamics;
    int n_v = d->system->n_v, n_z = d->system->n_z, states = n_v + d->m;
    const double *parts[KI_COUPLED_STAGES];
    for (int i = 0; i < c->stages; i++)
        parts[i] = stage_parts(c, i);
    combine(c, n_v, b, n_v);
    right_hand_sides(c, parts, b, n_v, states);
    ki_sweep_solve(&c->inverse, c->x[0]);
    combine(c, c->size, c->x, 0);
    for (int i = 0; i < c->stages; i++) {
        add(n_v, c->sum[i], b[i] + n_v);
        add(n_z, c->sum[i] + states, b[i] + 2 * n_v);
    }
    combine(c, n_v, b, n_v);
    for (int i = 0; i < c->stages; i++)
        add(n_v, c->sum[i], b[i]);
}

/* P + gamma S + gamma^2 T */
KI_TWICE static void fill_filter(const ki_coupled *c, const double *P, double gamma) {
    int size = c->size, width = c->width, part = size * width, stride = c->filter.stride;
    double square = gamma * gamma, *A = c->filter.A;
    for (int u = 0; u < size; u++)
        for (int r = 0; r < width; r += KI_FOUR) {
            const double *at = P + u * width + r;
            *ki_four_at(A + u * stride, r) = *ki_const_four_at(at, 0) + gamma * *ki_const_four_at(at, part) +
                                             square * *ki_const_four_at(at, 2 * part);
        }
}

KI_TWICE static void filter_side(ki_coupled *c, const double *P, double gamma, const double *b, int n_v,
                                 int states) {
    double *x = c->way + c->width;
    for (int k = 0; k < n_v; k += KI_FOUR)
        *ki_four_at(x, k) = *ki_const_four_at(b, k) + gamma * *ki_const_four_at(b + n_v, k);
    right_hand_side(c, P, b, n_v, states, c->x[0]);
}

keel_status ki_coupled_filter(ki_coupled *c, double gamma, double *b) {
    const ki_dynamics *d = c->newton->dynamics;
    int n_v = d->system->n_v, n_z = d->system->n_z, states = n_v + d->m;
    const double *P = c->node[KI_NODE_MIDDLE], *x = c->x[0];
    bool inverted = false;
    for (bool again = true; again && !inverted;) {
        again = c->filter.ordered;
        fill_filter(c, P, gamma);
        inverted = ki_sweep_invert(&c->filter);
    }
    if (!inverted)
        return KEEL_ERROR_SINGULAR;
    filter_side(c, P, gamma, b, n_v, states);
    ki_sweep_solve(&c->filter, c->x[0]);
    for (int k = 0; k < n_v; k++) {
        b[n_v + k] += gamma * x[k];
        b[k] += gamma * b[n_v + k];
    }
    for (int k = 0; k < n_z; k++)
        b[2 * n_v + k] += gamma * x[states + k];
    return KEEL_OK;
}
