/* saddle_systems.h - saddle-point systems for the benchmarks of the linear algebra.
 *
 * Everything is generated from the sizes: the same numbers on every machine. */
#ifndef BENCH_SADDLE_SYSTEMS_H
#define BENCH_SADDLE_SYSTEMS_H

#include <math.h>
#include <stdlib.h>

#include "keel/saddle.h"

typedef struct saddle_system {
    keel_pattern A, J;
    int *A_start, *A_index, *J_start, *J_index; /* what the patterns point at */
    double *A_values, *J_values, *r, *s, *x, *y;
} saddle_system;

static inline saddle_system saddle_system_new(int n, int m, int A_most, int J_most) {
    saddle_system system = {
        .A_start = calloc((size_t)n + 1, sizeof(int)),
        .A_index = calloc((size_t)A_most + 1, sizeof(int)),
        .J_start = calloc((size_t)m + 1, sizeof(int)),
        .J_index = calloc((size_t)J_most + 1, sizeof(int)),
        .A_values = calloc((size_t)A_most + 1, sizeof(double)),
        .J_values = calloc((size_t)J_most + 1, sizeof(double)),
        .r = calloc((size_t)n + 1, sizeof(double)),
        .s = calloc((size_t)m + 1, sizeof(double)),
        .x = calloc((size_t)n + 1, sizeof(double)),
        .y = calloc((size_t)m + 1, sizeof(double)),
    };
    system.A = (keel_pattern){n, n, system.A_start, system.A_index};
    system.J = (keel_pattern){m, n, system.J_start, system.J_index};
    if (!system.A_start || !system.A_index || !system.J_start || !system.J_index || !system.A_values ||
        !system.J_values || !system.r || !system.s || !system.x || !system.y)
        abort();
    for (int i = 0; i < n; i++)
        system.r[i] = sin(1 + 3.0 * i);
    for (int i = 0; i < m; i++)
        system.s[i] = cos(2 + 5.0 * i);
    return system;
}

static inline void saddle_system_clear(saddle_system *system) {
    void *all[] = {system->A_start,  system->A_index, system->J_start, system->J_index, system->A_values,
                   system->J_values, system->r,       system->s,       system->x,       system->y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static inline void saddle_put(int *start, int *index, double *values, int row, int column, double value) {
    int place = start[row + 1]++;
    index[place] = column;
    values[place] = value;
}

static inline void saddle_put_A(saddle_system *system, int row, int column, double value) {
    saddle_put(system->A_start, system->A_index, system->A_values, row, column, value);
}

static inline void saddle_put_J(saddle_system *system, int row, int column, double value) {
    saddle_put(system->J_start, system->J_index, system->J_values, row, column, value);
}

/* Opens the next row of A or J; rows are written in order. */
static inline void saddle_next_row(int *start, int row) {
    start[row + 1] = start[row];
}

/* Andrews' squeezing mechanism in its usual seven angles: 7 unknowns, 6 constraints, with the patterns of its
 * mass matrix and Jacobian and values of their sizes. */
static inline saddle_system saddle_andrews(void) {
    static const int partner[7] = {-1, 0, -1, -1, 3, -1, 5};
    static const int column[6][4] = {{0, 1, 2, -1}, {0, 1, 2, -1}, {0, 1, 3, 4},
                                     {0, 1, 3, 4},  {0, 1, 5, 6},  {0, 1, 5, 6}};
    saddle_system system = saddle_system_new(7, 6, 10, 22);
    for (int i = 0; i < 7; i++) {
        saddle_next_row(system.A_start, i);
        if (partner[i] >= 0)
            saddle_put_A(&system, i, partner[i], -2e-6);
        saddle_put_A(&system, i, i, 5e-6 * (1 + i));
    }
    for (int i = 0; i < 6; i++) {
        saddle_next_row(system.J_start, i);
        for (int k = 0; k < 4; k++)
            if (column[i][k] >= 0)
                saddle_put_J(&system, i, column[i][k], 0.03 * sin(1 + 7.0 * i + 11.0 * k));
    }
    return system;
}

/* Three unknowns (x, y, angle) of a planar body in a row of J: 1 in x or y, `arm` in the angle. */
static inline void saddle_put_body(saddle_system *system, int row, int body, int axis, double sign,
                                   double arm) {
    saddle_put_J(system, row, 3 * body + axis, sign);
    saddle_put_J(system, row, 3 * body + 2, sign * arm);
}

/* An open chain of planar bodies in absolute coordinates, hung from the ground by pin joints: 3 unknowns and
 * 2 constraints per body. The k-th joint in the order of the rows is joint k * stride modulo `bodies` of the
 * chain: 1 is the natural order, a stride without a common divisor with `bodies` shuffles. */
static inline saddle_system saddle_chain(int bodies, int stride) {
    saddle_system system = saddle_system_new(3 * bodies, 2 * bodies, 3 * bodies, 8 * bodies);
    for (int i = 0; i < 3 * bodies; i++) {
        saddle_next_row(system.A_start, i);
        saddle_put_A(&system, i, i, i % 3 == 2 ? 0.1 + 0.01 * (i % 7) : 1 + 0.1 * (i % 5));
    }
    for (int row = 0; row < 2 * bodies; row++) {
        int body = (int)((long)(row / 2) * stride % bodies), axis = row % 2;
        double angle = 0.7 * body, before = angle - 0.7;
        saddle_next_row(system.J_start, row);
        if (body > 0)
            saddle_put_body(&system, row, body - 1, axis, -1, axis ? 0.5 * cos(before) : -0.5 * sin(before));
        saddle_put_body(&system, row, body, axis, 1, axis ? -0.5 * cos(angle) : 0.5 * sin(angle));
    }
    return system;
}

/* Relative coordinates of an open chain with a few closing constraints: full A, full rows. */
static inline saddle_system saddle_full(int n, int m) {
    saddle_system system = saddle_system_new(n, m, n * (n + 1) / 2, n * m);
    for (int i = 0; i < n; i++) {
        saddle_next_row(system.A_start, i);
        for (int j = 0; j <= i; j++)
            saddle_put_A(&system, i, j, (i == j) + 1.0 / (1 + i - j));
    }
    for (int i = 0; i < m; i++) {
        saddle_next_row(system.J_start, i);
        for (int j = 0; j < n; j++)
            saddle_put_J(&system, i, j, sin(1 + 3.0 * i * i + 2.0 * j + i * j));
    }
    return system;
}

#endif
