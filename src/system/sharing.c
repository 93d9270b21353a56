#include "system/sharing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/dense.h"

typedef struct group {
    int rows, columns, rank;
    int *row;     /* [rows] increasing */
    int *column;  /* [columns] */
    size_t first; /* of its vectors: [columns x rows], the first `rank` of them the u */
} group;

struct ki_sharing {
    const keel_system *whole;
    ki_arena arena;
    int count;
    group *group;
    int *group_of; /* [m] */
    int *number;   /* [m] of a row in its group */
    int *place;    /* [entries of J] of its column in the group of its row */
    size_t scratch,
        size; /* of two vectors of a group begin, of all; at the end is room for a number per column */
    int most_columns; /* of a group */
};

static void list_columns(ki_sharing *s, group *g, int *seen) {
    keel_pattern P = s->whole->J;
    g->column = KI_NEW(&s->arena, int, s->whole->n_v);
    for (int i = 0; g->column && i < g->rows; i++)
        for (int k = P.start[g->row[i]]; k < P.start[g->row[i] + 1]; k++) {
            int j = P.index[k];
            if (seen[j] < 0) {
                g->column[g->columns] = j;
                seen[j] = g->columns++;
            }
            s->place[k] = seen[j];
        }
    for (int k = 0; k < g->columns; k++)
        seen[g->column[k]] = -1;
}

static void build(ki_sharing *s, const bool *held) {
    int m = keel_system_m(s->whole), n = s->whole->n_v, most = 0, *seen = KI_NEW(&s->arena, int, n);
    for (int i = 0; i < m; i++)
        s->count = s->group_of[i] >= s->count ? s->group_of[i] + 1 : s->count;
    s->group = KI_NEW(&s->arena, group, s->count);
    for (int j = 0; seen && j < n; j++)
        seen[j] = -1;
    for (int g = 0; !s->arena.failed && g < s->count; g++) {
        group *now = &s->group[g];
        for (int i = 0; i < m; i++)
            if (s->group_of[i] == g) {
                s->number[i] = now->rows++;
                now->rank += held[i];
            }
        now->row = KI_NEW(&s->arena, int, now->rows);
        for (int i = 0; now->row && i < m; i++)
            if (s->group_of[i] == g)
                now->row[s->number[i]] = i;
        if (now->row && seen)
            list_columns(s, now, seen);
        now->first = s->scratch;
        s->scratch += (size_t)now->rows * (size_t)now->columns;
        most = now->rows > most ? now->rows : most;
        s->most_columns = now->columns > s->most_columns ? now->columns : s->most_columns;
    }
    s->size = s->scratch + 2 * (size_t)most + (size_t)s->most_columns;
}

ki_sharing *ki_sharing_new(const keel_system *whole, const bool *held, const int *group_of) {
    ki_sharing *s = calloc(1, sizeof *s);
    int m = keel_system_m(whole);
    if (!s)
        return NULL;
    ki_arena_init(&s->arena);
    s->whole = whole;
    s->group_of = KI_NEW(&s->arena, int, m);
    s->number = KI_NEW(&s->arena, int, m);
    s->place = KI_NEW(&s->arena, int, keel_pattern_count(whole->J));
    if (!s->arena.failed) {
        memcpy(s->group_of, group_of, (size_t)m * sizeof *group_of);
        build(s, held);
    }
    if (s->arena.failed) {
        ki_sharing_free(s);
        return NULL;
    }
    return s;
}

void ki_sharing_free(ki_sharing *s) {
    if (!s)
        return;
    ki_arena_free(&s->arena);
    free(s);
}

size_t ki_sharing_size(const ki_sharing *s) {
    return s->size;
}

int ki_sharing_group(const ki_sharing *s, int row) {
    return s->group_of[row];
}

int ki_sharing_rows(const ki_sharing *s, int g, const int **row) {
    *row = s->group[g].row;
    return s->group[g].rows;
}

/* The columns of J in the rows of a group, as vectors one after the other, in natural sizes. */
static void load_columns(const ki_sharing *s, const group *g, const double *J, double *u) {
    const keel_system *sys = s->whole;
    memset(u, 0, (size_t)g->columns * (size_t)g->rows * sizeof *u);
    for (int i = 0; i < g->rows; i++)
        for (int k = sys->J.start[g->row[i]]; k < sys->J.start[g->row[i] + 1]; k++)
            u[s->place[k] * g->rows + i] = J[k] * (sys->q_size ? sys->q_size[sys->J.index[k]] : 1);
}

/* Takes what the vectors before number k span out of it, and makes it a unit vector; false if nothing is
 * left. */
static bool make_unit(const group *g, double *u, int k) {
    int n = g->rows;
    double *front = u + (size_t)k * (size_t)n;
    for (int j = 0; j < k; j++) { /* once more: round-off left some */
        const double *earlier = u + (size_t)j * (size_t)n;
        ki_axpy(n, -ki_dot(n, earlier, front), earlier, front);
    }
    double square = ki_dot(n, front, front), scale = square > 0 ? 1 / sqrt(square) : 0;
    for (int i = 0; i < n; i++)
        front[i] *= scale;
    return square > 0;
}

/* Brings the longest of the vectors from number k on to the front, as a unit vector, and takes it out of
 * those behind it; false if nothing is left. square[j] = |u_j|^2, found anew where it has become small. */
static bool next_vector(const group *g, double *u, int k, double *square) {
    static const double ROUND_OFF = 1e-6;
    int n = g->rows, best = k;
    for (int j = k; j < g->columns; j++)
        best = square[j] > square[best] ? j : best;
    double *front = u + (size_t)k * (size_t)n, *longest = u + (size_t)best * (size_t)n;
    for (int i = 0; i < n && best != k; i++) {
        double value = longest[i];
        longest[i] = front[i];
        front[i] = value;
    }
    square[best] = square[k];
    if (!make_unit(g, u, k))
        return false;
    for (int j = k + 1; j < g->columns; j++) {
        double *other = u + (size_t)j * (size_t)n, part = ki_dot(n, front, other),
               rest = square[j] - part * part;
        ki_axpy(n, -part, front, other);
        square[j] = rest > ROUND_OFF * square[j] ? rest : ki_dot(n, other, other);
    }
    return true;
}

void ki_sharing_find(const ki_sharing *s, const double *J, double *u) {
    double *square = u + s->size - s->most_columns;
    for (int i = 0; i < s->count; i++) {
        const group *g = &s->group[i];
        double *first = u + g->first;
        load_columns(s, g, J, first);
        for (int j = 0; j < g->columns; j++)
            square[j] =
                ki_dot(g->rows, first + (size_t)j * (size_t)g->rows, first + (size_t)j * (size_t)g->rows);
        for (int k = 0; k < g->rank; k++)
            if (k >= g->columns || !next_vector(g, first, k, square))
                break;
    }
}

void ki_share(const ki_sharing *s, double *u, double *lambda) {
    double *of = u + s->scratch;
    for (int i = 0; i < s->count; i++) {
        const group *g = &s->group[i];
        double *sum = of + g->rows;
        for (int k = 0; k < g->rows; k++) {
            of[k] = lambda[g->row[k]];
            sum[k] = 0;
        }
        for (int k = 0; k < g->rank && k < g->columns; k++) {
            const double *vector = u + g->first + (size_t)k * (size_t)g->rows;
            ki_axpy(g->rows, ki_dot(g->rows, vector, of), vector, sum);
        }
        for (int k = 0; k < g->rows; k++)
            lambda[g->row[k]] = sum[k];
    }
}

double ki_shared_part(const ki_sharing *s, const double *u, int group_number, int i, int j) {
    const group *g = &s->group[group_number];
    double sum = 0;
    for (int k = 0; k < g->rank && k < g->columns; k++) {
        const double *vector = u + g->first + (size_t)k * (size_t)g->rows;
        sum += vector[i] * vector[j];
    }
    return sum;
}
