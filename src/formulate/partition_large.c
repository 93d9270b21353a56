#include "formulate/partition_large.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/column_choice.h"
#include "linalg/dense.h"
#include "linalg/row_basis.h"
#include "linalg/row_choice.h"
#include "linalg/saddle_inverse.h"

/* Columns, and rows of R, whose independent part is shorter than this (relative) are dependent. */
static const double LEAST_PART = 1e-8;

/* d in the order is a multiple of this. */
static const double GRAIN = 1e-9;

/* Up to so many freedoms, and to the root of the number of components, the basis of the null space is made:
 * [n x freedoms]. */
enum { FEW_FREEDOMS = 64 };

static bool are_few(int freedoms, int n) {
    return freedoms <= FEW_FREEDOMS && freedoms * freedoms <= n;
}

typedef struct place {
    double key; /* the smaller, the earlier */
    int i;
} place;

struct ki_partition_large {
    keel_pattern M, J;
    keel_saddle *K, *K_M;      /* [M J^T; J 0] and M alone */
    double *unit;              /* [entries of M] the identity, where M is not positive definite */
    double *scratch, *inverse; /* of selected inversion; [n] diagonal of M^-1 */
    ki_row_choice *elimination;
    ki_column_choice *columns;
    ki_row_basis basis;     /* of the present choice */
    double quality;         /* of its block when it was made */
    double *scaled, *least; /* [entries of J], [m] rows of unit length */
    bool *all;              /* [m] */
    place *place;           /* [n] */
    int *order;             /* [n] */
    int *row, *column;      /* [m], [n] */
    double *x, *b;          /* [n], [m] */
    double *R;              /* [n x FEW_FREEDOMS] rows */
    double *taken;          /* [FEW_FREEDOMS x FEW_FREEDOMS] orthonormal rows of R */
};

void ki_partition_large_free(ki_partition_large *g) {
    if (!g)
        return;
    keel_saddle_free(g->K);
    keel_saddle_free(g->K_M);
    ki_row_choice_free(g->elimination);
    ki_column_choice_free(g->columns);
    ki_row_basis_clear(&g->basis);
    void *all[] = {g->unit,  g->scratch, g->inverse, g->scaled, g->least, g->all, g->place,
                   g->order, g->row,     g->column,  g->x,      g->b,     g->R,   g->taken};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    free(g);
}

static bool allocate(ki_partition_large *g) {
    keel_saddle_settings sparse = keel_saddle_settings_default();
    size_t n = (size_t)g->M.rows + 1, m = (size_t)g->J.rows + 1;
    sparse.path = KEEL_SADDLE_SPARSE;
    g->K = keel_saddle_new(g->M, g->J, &sparse);
    g->K_M = keel_saddle_new(g->M, (keel_pattern){.cols = g->M.rows}, &sparse);
    g->elimination = ki_row_choice_new(g->J.rows, g->J.cols);
    g->columns = ki_column_choice_new(g->J);
    bool made = ki_row_basis_init(&g->basis, g->J) && g->K && g->K_M && g->elimination && g->columns;
    if (!made)
        return false;
    long room = ki_saddle_inverse_room(g->K), room_M = ki_saddle_inverse_room(g->K_M);
    g->scratch = malloc(((size_t)(room > room_M ? room : room_M) + 1) * sizeof(double));
    g->unit = calloc((size_t)keel_pattern_count(g->M) + 1, sizeof(double));
    g->scaled = calloc((size_t)keel_pattern_count(g->J) + 1, sizeof(double));
    g->inverse = calloc(n, sizeof(double));
    g->least = calloc(m, sizeof(double));
    g->all = calloc(m, sizeof(bool));
    g->place = calloc(n, sizeof(place));
    g->order = calloc(n, sizeof(int));
    g->row = calloc(m, sizeof(int));
    g->column = calloc(n, sizeof(int));
    g->x = calloc(n, sizeof(double));
    g->b = calloc(m, sizeof(double));
    g->R = calloc(n * FEW_FREEDOMS, sizeof(double));
    g->taken = calloc(FEW_FREEDOMS * FEW_FREEDOMS, sizeof(double));
    return g->scratch && g->unit && g->scaled && g->inverse && g->least && g->all && g->place && g->order &&
           g->row && g->column && g->x && g->b && g->R && g->taken;
}

ki_partition_large *ki_partition_large_new(keel_pattern M, keel_pattern J) {
    ki_partition_large *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->M = M, g->J = J;
    if (!allocate(g)) {
        ki_partition_large_free(g);
        return NULL;
    }
    for (int i = 0; i < M.rows; i++)
        g->unit[M.start[i + 1] - 1] = 1; /* the diagonal is the last entry of each row */
    for (int i = 0; i < J.rows; i++)
        g->all[i] = true;
    return g;
}

/* ---- the criterion */

/* d with this metric; false if it is not positive definite. */
static bool project(ki_partition *p, const double *M, const double *J) {
    ki_partition_large *g = p->large;
    if (keel_saddle_factor(g->K_M, M, NULL, NULL) < 0 || keel_saddle_factor(g->K, M, J, NULL) < 0 ||
        !ki_saddle_inverse_diagonal(g->K_M, g->scratch, g->inverse) ||
        !ki_saddle_inverse_diagonal(g->K, g->scratch, p->d))
        return false;
    for (int i = 0; i < p->n; i++)
        p->d[i] = fmin(fmax(p->d[i] / g->inverse[i], 0), 1);
    return true;
}

static int compare(const void *a, const void *b) {
    const place *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key ? 1 : (x->i > y->i) - (x->i < y->i);
}

/* g->order by d times `sign`; equal ones keep their order */
static void sort(const ki_partition *p, double sign) {
    ki_partition_large *g = p->large;
    for (int i = 0; i < p->n; i++)
        g->place[i] = (place){sign * round(p->d[i] / GRAIN), i};
    qsort(g->place, (size_t)p->n, sizeof *g->place, compare);
    for (int i = 0; i < p->n; i++)
        g->order[i] = g->place[i].i;
}

/* ---- the choice */

/* Some rows and columns with a regular block: those at hand if they are still good, or by elimination. */
static bool find_some_basis(ki_partition *p, const double *J) {
    ki_partition_large *g = p->large;
    if (g->basis.rank && ki_row_basis_factor(&g->basis, J) &&
        ki_row_basis_quality(&g->basis) >= 0.1 * g->quality)
        return true;
    for (int i = 0; i < g->J.rows; i++) {
        double square = 0;
        for (int k = g->J.start[i]; k < g->J.start[i + 1]; k++)
            square += J[k] * J[k];
        g->least[i] = p->least;
        for (int k = g->J.start[i]; k < g->J.start[i + 1]; k++)
            g->scaled[k] = square > 0 ? J[k] / sqrt(square) : 0;
    }
    int most = g->J.rows < g->J.cols ? g->J.rows : g->J.cols;
    if (ki_row_choice_load(g->elimination, g->J, g->scaled, NULL) ||
        ki_row_choice_take(g->elimination, g->all, g->least, most))
        return false;
    int rank = ki_row_choice_count(g->elimination);
    for (int k = 0; k < rank; k++) {
        g->row[k] = ki_row_choice_row(g->elimination, k);
        g->column[k] = ki_row_choice_column(g->elimination, k);
    }
    return !ki_row_basis_choose(&g->basis, rank, g->row, g->column) && ki_row_basis_factor(&g->basis, J);
}

/* x = R e_j for a column j that is not in the basis */
static void column_of_R(ki_partition_large *g, const double *J, int j, double *x) {
    memset(g->b, 0, (size_t)g->J.rows * sizeof *g->b);
    for (int i = 0; i < g->J.rows; i++)
        for (int k = g->J.start[i]; k < g->J.start[i + 1]; k++)
            if (g->J.index[k] == j)
                g->b[i] = -J[k];
    ki_row_basis_solve(&g->basis, g->b, x);
    x[j] = 1;
}

/* Rows of R that add to the rank of those before, from the end of the order: the independent components. */
static bool take_rows_of_R(ki_partition *p, const double *J) {
    ki_partition_large *g = p->large;
    int freedoms = p->n - g->basis.rank, column = 0, count = 0;
    for (int j = 0; j < p->n; j++) {
        if (g->basis.column_place[j] >= 0)
            continue;
        column_of_R(g, J, j, g->x);
        for (int i = 0; i < p->n; i++)
            g->R[i * FEW_FREEDOMS + column] = g->x[i];
        column++;
    }
    for (int i = 0; i < p->n; i++)
        p->is_dependent[i] = true;
    for (int k = p->n - 1; k >= 0 && count < freedoms; k--) {
        double *next = g->taken + count * FEW_FREEDOMS;
        memcpy(next, g->R + g->order[k] * FEW_FREEDOMS, (size_t)freedoms * sizeof *next);
        if (!(ki_orthogonalize(count, freedoms, g->taken, FEW_FREEDOMS, next) > LEAST_PART))
            continue;
        p->is_dependent[g->order[k]] = false;
        count++;
    }
    memcpy(g->row, g->basis.row, (size_t)g->basis.rank * sizeof *g->row);
    return count == freedoms;
}

/* Columns of J from the beginning of the order. */
static bool take_columns(ki_partition *p, const double *J, int *rank) {
    ki_partition_large *g = p->large;
    const int *row, *column;
    if (ki_column_choice_take(g->columns, J, g->order, LEAST_PART, rank, &row, &column))
        return false;
    memset(p->is_dependent, 0, (size_t)p->n * sizeof *p->is_dependent);
    for (int k = 0; k < *rank; k++)
        p->is_dependent[column[k]] = true;
    if (*rank)
        memcpy(g->row, row, (size_t)*rank * sizeof *row);
    return true;
}

/* The block of the components that are marked, in the rows of g->row, unless it is there. */
static bool use_marked(ki_partition *p, const double *J, int rank) {
    ki_partition_large *g = p->large;
    bool same = rank == g->basis.rank && g->basis.lu;
    for (int i = 0, k = 0; i < p->n; i++) {
        if (!p->is_dependent[i])
            continue;
        same = same && g->basis.column_place[i] >= 0;
        if (k < rank)
            g->column[k] = i;
        k++;
    }
    if (!same && ki_row_basis_choose(&g->basis, rank, g->row, g->column))
        return false;
    bool regular = ki_row_basis_factor(&g->basis, J);
    g->quality = regular ? ki_row_basis_quality(&g->basis) : 0;
    return true;
}

/* The exchange of partition.h: for an independent b the best partner is the one with the largest d in its
 * circuit, the components that x_b moves. Candidates in the order of d_b until none can do better. */
static void exchange_one(ki_partition *p, const double *J) {
    ki_partition_large *g = p->large;
    double most = 0, least = INFINITY;
    int in = -1, out = -1;
    for (int i = 0; i < p->n; i++)
        most = p->is_dependent[i] ? fmax(most, p->d[i]) : most;
    for (int k = 0; k < p->n; k++) {
        int b = g->order[k];
        if (p->is_dependent[b])
            continue;
        if (p->d[b] - most >= least)
            break;
        column_of_R(g, J, b, g->x);
        double size = ki_max_norm(p->n, g->x);
        for (int a = 0; a < p->n; a++)
            if (p->is_dependent[a] && fabs(g->x[a]) > LEAST_PART * size && p->d[b] - p->d[a] < least)
                least = p->d[b] - p->d[a], in = b, out = a;
    }
    if (in >= 0)
        p->is_dependent[out] = false, p->is_dependent[in] = true;
}

bool ki_partition_large_choose(ki_partition *p, const double *M, const double *J,
                               ki_partition_choice choice) {
    ki_partition_large *g = p->large;
    keel_saddle_set_dependent(g->K, p->least);
    if (!project(p, M, J) && !project(p, g->unit, J))
        return false;
    sort(p, choice == KI_PARTITION_WORST ? -1 : 1);
    if (!find_some_basis(p, J))
        return false;
    int rank = g->basis.rank;
    bool chosen = are_few(p->n - rank, p->n) && take_rows_of_R(p, J);
    if (!chosen && !take_columns(p, J, &rank))
        return false;
    if (!use_marked(p, J, rank))
        return false;
    if (choice != KI_PARTITION_SECOND)
        return true;
    exchange_one(p, J);
    return use_marked(p, J, rank);
}

bool ki_partition_large_factor(ki_partition *p, const double *J) {
    return ki_row_basis_factor(&p->large->basis, J);
}

void ki_partition_large_solve(const ki_partition *p, const double *b, double *x) {
    ki_row_basis_solve(&p->large->basis, b, x);
}
