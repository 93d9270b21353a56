/* rotation.c - rotations as matrices, quaternions and vectors. */
#include "laws/law.h"

vec ki_law_unit(ki_graph *g, int k) {
    return vec_of(g, (const double[3]){k == 0, k == 1, k == 2});
}

mat ki_law_turn_about(ki_graph *g, int k, ki_turn turn) {
    mat R = mat_of(g, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    int i = (k + 1) % 3, j = (k + 2) % 3;
    R.x[4 * i] = R.x[4 * j] = turn.c;
    R.x[3 * j + i] = turn.s;
    R.x[3 * i + j] = minus(g, number(g, 0), turn.s);
    return R;
}

/* Of e whatever its length: R = 1 + 2 (e_0 [x] + [x]^2) / |e|^2, x = (e_1, e_2, e_3) */
mat ki_law_quaternion(ki_graph *g, const ki_node e[4]) {
    mat R;
    vec x = {{e[1], e[2], e[3]}};
    ki_node square = plus(g, times(g, e[0], e[0]), dot(g, x, x));
    vec twice = vec_times(g, ki_binary(g, KI_DIV, number(g, 2), square), x);
    vec turned = vec_times(g, e[0], twice);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        ki_node other = plus(g, times(g, twice.x[j], x.x[j]), times(g, twice.x[k], x.x[k]));
        ki_node mixed = times(g, twice.x[i], x.x[j]);
        R.x[4 * i] = minus(g, number(g, 1), other);
        R.x[3 * i + j] = minus(g, mixed, turned.x[k]);
        R.x[3 * j + i] = plus(g, mixed, turned.x[k]);
    }
    return R;
}

ki_node ki_law_turn_of(ki_graph *g, const mat *R) {
    return ki_binary(g, KI_ATAN2, minus(g, R->x[3], R->x[1]), plus(g, R->x[0], R->x[4]));
}

ki_node ki_law_wrapped(ki_graph *g, ki_node angle) {
    return ki_binary(g, KI_ATAN2, ki_unary(g, KI_SIN, angle), ki_unary(g, KI_COS, angle));
}

/* With T = trace R the squares are 4 e_0^2 = 1 + T, 4 e_i^2 = 1 - T + 2 R_ii; the largest of the four is at
 * least 1 and is the one to divide by; products of two come from sums and differences of R_ij, R_ji. e_0 >=
 * 0. */
static void quaternion_of(ki_graph *g, const mat *M, ki_node e[4]) {
    const ki_node *R = M->x;
    ki_node one = number(g, 1), zero = number(g, 0), trace = plus(g, plus(g, R[0], R[4]), R[8]);
    ki_node square[4] = {plus(g, one, trace)}, product[4][4];
    for (int i = 0; i < 3; i++)
        square[1 + i] = plus(g, minus(g, one, trace), times(g, number(g, 2), R[4 * i]));
    for (int i = 0; i < 4; i++)
        product[i][i] = square[i];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        product[0][1 + i] = product[1 + i][0] = minus(g, R[3 * k + j], R[3 * j + k]);
        product[1 + i][1 + j] = product[1 + j][1 + i] = plus(g, R[3 * j + i], R[3 * i + j]);
    }
    ki_node largest = square[0], row[4];
    for (int i = 0; i < 4; i++)
        row[i] = product[0][i];
    for (int k = 1; k < 4; k++) {
        ki_node larger = ki_binary(g, KI_LT, largest, square[k]);
        for (int i = 0; i < 4; i++)
            row[i] = ki_if(g, larger, product[k][i], row[i]);
        largest = ki_if(g, larger, square[k], largest);
    }
    ki_node size = times(g, number(g, 2), ki_unary(g, KI_SQRT, largest));
    ki_node turned = ki_binary(g, KI_LT, row[0], zero);
    ki_node scale = ki_binary(g, KI_DIV, ki_if(g, turned, number(g, -1), one), size);
    for (int i = 0; i < 4; i++)
        e[i] = times(g, scale, row[i]);
}

vec ki_law_rotation_vector(ki_graph *g, const mat *R) {
    ki_node e[4];
    quaternion_of(g, R, e);
    vec x = {{e[1], e[2], e[3]}};
    ki_node size = ki_unary(g, KI_SQRT, dot(g, x, x)), half = ki_binary(g, KI_ATAN2, size, e[0]);
    ki_node scale = ki_binary(g, KI_DIV, times(g, number(g, 2), half), size);
    return vec_times(g, ki_if(g, size, scale, number(g, 2)), x);
}

/* L = I - [theta]/2 + c [theta]^2, c = (1 - (|theta|/2) cot(|theta|/2)) / |theta|^2 = 1/12 + |theta|^2/720 +
 * ... */
mat ki_law_rotation_vector_rate(ki_graph *g, vec theta) {
    ki_node square = dot(g, theta, theta), half = times(g, number(g, 0.5), ki_unary(g, KI_SQRT, square));
    ki_node term = plus(g, number(g, 1.0 / 720), times(g, square, number(g, 1.0 / 30240)));
    ki_node series = plus(g, number(g, 1.0 / 12), times(g, square, term));
    ki_node whole = minus(g, number(g, 1), ki_binary(g, KI_DIV, half, ki_unary(g, KI_TAN, half)));
    ki_node small = ki_binary(g, KI_LT, square, number(g, 1e-4));
    ki_node c = ki_if(g, small, series, ki_binary(g, KI_DIV, whole, square));
    mat L;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            ki_node outer = times(g, theta.x[i], theta.x[j]);
            L.x[3 * i + j] = times(g, c, i == j ? minus(g, outer, square) : outer);
        }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        ki_node turn = times(g, number(g, 0.5), theta.x[k]);
        L.x[4 * i] = plus(g, L.x[4 * i], number(g, 1));
        L.x[3 * i + j] = plus(g, L.x[3 * i + j], turn);
        L.x[3 * j + i] = minus(g, L.x[3 * j + i], turn);
    }
    return L;
}
