/* The order of the factors that serve stages only (saddle_stage.c): least degree, and a row of J as soon as
 * it has unknowns to its name.
 *
 * A row of J may be eliminated once the unknowns before it hold it up together with the rows before: once all
 * these rows can be paired with unknowns of their own that stand before them. For entries in general position
 * the rows then are independent in these unknowns, so that the pivot
 *
 *     min over c of |J_i - c J_C|^2     in the metric A_EE^-1, J_i restricted to the unknowns E before it
 *
 * is positive (panels.h). A pin between two bodies follows the first of them, and what reaches into
 * everything, as the angle of a crank with many legs, comes last. In a pose where a pivot vanishes all the
 * same, because what stands before it cannot move without what comes later, the factors are of no use, and
 * another order has to do.
 */
#include "linalg/ordering.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct least_degree {
    keel_pattern A, J;
    int size;
    bool *near;    /* [size x size] not yet eliminated neighbours */
    int *degree;   /* [size] */
    bool *gone;    /* [size] eliminated */
    bool *blocked; /* [size] rows that cannot be paired yet */
    bool *seen;    /* [n] */
    int *row_of;   /* [n] the row that an unknown is paired with, -1 */
} least_degree;

static bool *near(const least_degree *g, int i, int j) {
    return &g->near[(size_t)i * (size_t)g->size + (size_t)j];
}

static void connect(least_degree *g, int i, int j) {
    if (i == j || *near(g, i, j))
        return;
    *near(g, i, j) = *near(g, j, i) = true;
    g->degree[i]++;
    g->degree[j]++;
}

static void begin(least_degree *g) {
    int n = g->A.rows;
    for (int i = 0; i < n; i++) {
        g->row_of[i] = -1;
        for (int p = g->A.start[i]; p < g->A.start[i + 1]; p++)
            connect(g, i, g->A.index[p]);
    }
    for (int i = 0; i < g->J.rows; i++)
        for (int p = g->J.start[i]; p < g->J.start[i + 1]; p++)
            connect(g, n + i, g->J.index[p]);
}

/* Pairs a row with an unknown that is gone, others changing theirs if need be (Kuhn). */
static bool pair_row(least_degree *g, int row) {
    for (int p = g->J.start[row]; p < g->J.start[row + 1]; p++) {
        int i = g->J.index[p];
        if (!g->gone[i] || g->seen[i])
            continue;
        g->seen[i] = true;
        if (g->row_of[i] < 0 || pair_row(g, g->row_of[i])) {
            g->row_of[i] = row;
            return true;
        }
    }
    return false;
}

/* A row that touches unknowns all of which are gone goes as well: no later place serves it better. */
static bool may_go(least_degree *g, int v) {
    int n = g->A.rows, left = 0;
    if (v < n)
        return true;
    memset(g->seen, 0, (size_t)n * sizeof *g->seen);
    if (pair_row(g, v - n))
        return true;
    for (int p = g->J.start[v - n]; p < g->J.start[v - n + 1]; p++)
        left += !g->gone[g->J.index[p]];
    return left == 0;
}

static int next(least_degree *g) {
    for (;;) {
        int best = -1;
        for (int v = 0; v < g->size; v++)
            if (!g->gone[v] && !g->blocked[v] && (best < 0 || g->degree[v] < g->degree[best]))
                best = v;
        if (best < 0 || may_go(g, best))
            return best;
        g->blocked[best] = true;
    }
}

static void eliminate(least_degree *g, int v) {
    g->gone[v] = true;
    for (int i = 0; i < g->size; i++) {
        if (!*near(g, v, i))
            continue;
        *near(g, i, v) = false;
        g->degree[i]--;
        for (int j = 0; j < i; j++)
            if (*near(g, v, j))
                connect(g, i, j);
    }
    if (v < g->A.rows) /* rows may have waited for it */
        memset(g->blocked, 0, (size_t)g->size * sizeof *g->blocked);
}

bool ki_order_for_stages(keel_pattern A, keel_pattern J, int *order) {
    size_t n = (size_t)A.rows, size = n + (size_t)J.rows;
    least_degree g = {.A = A, .J = J, .size = (int)size};
    g.near = calloc(size * size + 1, sizeof *g.near);
    g.degree = calloc(size + 1, sizeof *g.degree);
    g.gone = calloc(size + 1, sizeof *g.gone);
    g.blocked = calloc(size + 1, sizeof *g.blocked);
    g.seen = calloc(n + 1, sizeof *g.seen);
    g.row_of = calloc(n + 1, sizeof *g.row_of);
    bool made = g.near && g.degree && g.gone && g.blocked && g.seen && g.row_of;
    if (made)
        begin(&g);
    for (size_t k = 0; made && k < size; k++) {
        order[k] = next(&g);
        eliminate(&g, order[k]);
    }
    free(g.near);
    free(g.degree);
    free(g.gone);
    free(g.blocked);
    free(g.seen);
    free(g.row_of);
    return made && ki_order_finish(A, J, order, NULL);
}

bool ki_stage_work(keel_pattern A, keel_pattern J, double *work) {
    *work = INFINITY;
    if (A.rows + J.rows > KI_STAGE_UNKNOWNS)
        return true;
    int *order = malloc(((size_t)A.rows + (size_t)J.rows + 1) * sizeof *order);
    bool made = order && ki_order_for_stages(A, J, order) && ki_order_finish(A, J, order, work);
    free(order);
    return made;
}
