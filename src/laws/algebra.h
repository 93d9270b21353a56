/* algebra.h - vectors and matrices of nodes. Zeros and ones fold away as nodes are made (expr.h), so that the
 * plane needs no formulas of its own. */
#ifndef KI_LAWS_ALGEBRA_H
#define KI_LAWS_ALGEBRA_H

#include "expr/expr.h"

typedef struct vec {
    ki_node x[3];
} vec;

typedef struct mat {
    ki_node x[9]; /* row after row */
} mat;

/* Cosine and sine of an angle. */
typedef struct ki_turn {
    ki_node c, s;
} ki_turn;

static inline ki_node number(ki_graph *g, double value) {
    return ki_number(g, value);
}

static inline ki_node plus(ki_graph *g, ki_node a, ki_node b) {
    return ki_binary(g, KI_ADD, a, b);
}

static inline ki_node minus(ki_graph *g, ki_node a, ki_node b) {
    return ki_binary(g, KI_SUB, a, b);
}

static inline ki_node times(ki_graph *g, ki_node a, ki_node b) {
    return ki_binary(g, KI_MUL, a, b);
}

static inline vec vec_of(ki_graph *g, const double x[3]) {
    return (vec){{number(g, x[0]), number(g, x[1]), number(g, x[2])}};
}

static inline vec vec_zero(ki_graph *g) {
    return vec_of(g, (const double[3]){0, 0, 0});
}

static inline vec vec_plus(ki_graph *g, vec a, vec b) {
    return (vec){{plus(g, a.x[0], b.x[0]), plus(g, a.x[1], b.x[1]), plus(g, a.x[2], b.x[2])}};
}

static inline vec vec_minus(ki_graph *g, vec a, vec b) {
    return (vec){{minus(g, a.x[0], b.x[0]), minus(g, a.x[1], b.x[1]), minus(g, a.x[2], b.x[2])}};
}

static inline vec vec_times(ki_graph *g, ki_node s, vec a) {
    return (vec){{times(g, s, a.x[0]), times(g, s, a.x[1]), times(g, s, a.x[2])}};
}

static inline vec vec_negative(ki_graph *g, vec a) {
    return vec_times(g, number(g, -1), a);
}

static inline ki_node dot(ki_graph *g, vec a, vec b) {
    return plus(g, plus(g, times(g, a.x[0], b.x[0]), times(g, a.x[1], b.x[1])), times(g, a.x[2], b.x[2]));
}

static inline vec cross(ki_graph *g, vec a, vec b) {
    vec c;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c.x[i] = minus(g, times(g, a.x[j], b.x[k]), times(g, a.x[k], b.x[j]));
    }
    return c;
}

static inline mat mat_of(ki_graph *g, const double x[9]) {
    mat A;
    for (int i = 0; i < 9; i++)
        A.x[i] = number(g, x[i]);
    return A;
}

/* A x */
static inline vec mat_vec(ki_graph *g, const mat *A, vec x) {
    vec y;
    for (int i = 0; i < 3; i++)
        y.x[i] = dot(g, (vec){{A->x[3 * i], A->x[3 * i + 1], A->x[3 * i + 2]}}, x);
    return y;
}

/* A B */
static inline mat mat_mat(ki_graph *g, const mat *A, const mat *B) {
    mat C;
    for (int j = 0; j < 3; j++) {
        vec column = mat_vec(g, A, (vec){{B->x[j], B->x[3 + j], B->x[6 + j]}});
        for (int i = 0; i < 3; i++)
            C.x[3 * i + j] = column.x[i];
    }
    return C;
}

static inline mat mat_transposed(const mat *A) {
    return (mat){{A->x[0], A->x[3], A->x[6], A->x[1], A->x[4], A->x[7], A->x[2], A->x[5], A->x[8]}};
}

static inline vec mat_column(const mat *A, int j) {
    return (vec){{A->x[j], A->x[3 + j], A->x[6 + j]}};
}

#endif
