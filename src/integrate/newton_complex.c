/* (I - gamma f_y) x = b with a complex gamma: newton.c with real and imaginary parts side by side. */
#include <math.h>
#include <string.h>

#include "integrate/newton.h"

keel_status ki_newton_init_complex(ki_newton *n, int pairs) {
    const keel_system *sys = n->dynamics->system;
    n->values_im = KI_NEW(&n->arena, double, keel_pattern_count(n->pattern));
    n->rhs_im = KI_NEW(&n->arena, double, n->size);
    n->turned_im = KI_NEW(&n->arena, double, sys->n_q);
    n->way_im = KI_NEW(&n->arena, double, 2 * sys->n_v + sys->n_z);
    for (n->pairs = 0; n->pairs < pairs; n->pairs++) {
        n->lu_complex[n->pairs] = ki_lu_complex_new(n->lu);
        if (!n->lu_complex[n->pairs])
            return KEEL_ERROR_MEMORY;
    }
    return n->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

keel_status ki_newton_factor_complex(ki_newton *n, int pair, double gamma_re, double gamma_im) {
    int count = keel_pattern_count(n->pattern);
    double a = gamma_re, b = gamma_im; /* the power of gamma */
    n->gamma_re[pair] = gamma_re;
    n->gamma_im[pair] = gamma_im;
    const double *restrict one = n->part[0], *restrict first = n->part[1];
    double *restrict re = n->values, *restrict im = n->values_im;
    for (int p = 0; p < count; p++) {
        re[p] = one[p] + a * first[p];
        im[p] = b * first[p];
    }
    for (int k = 2; k < n->powers; k++) {
        const double *restrict part = n->part[k];
        double next = a * gamma_re - b * gamma_im;
        b = a * gamma_im + b * gamma_re;
        a = next;
        for (int p = 0; p < count; p++) {
            re[p] += a * part[p];
            im[p] += b * part[p];
        }
    }
    return ki_lu_complex_factor(n->lu_complex[pair], n->values, n->values_im);
}

typedef struct complex_number {
    double re, im;
} complex_number;

/* x += gamma u */
static void add_times(complex_number gamma, int count, const double *restrict u_re,
                      const double *restrict u_im, double *restrict re, double *restrict im) {
    for (int i = 0; i < count; i++) {
        re[i] += gamma.re * u_re[i] - gamma.im * u_im[i];
        im[i] += gamma.re * u_im[i] + gamma.im * u_re[i];
    }
}

/* rhs = -(R_q, R_v, R_z) way */
static void multiply_tangent(const ki_newton *n, double *restrict rhs_re, double *restrict rhs_im) {
    keel_pattern T = n->dynamics->system->tangent;
    const double *restrict way_re = n->way, *restrict way_im = n->way_im;
    for (int i = 0; i < T.rows; i++) {
        double re = 0, im = 0;
        for (int k = T.start[i]; k < T.start[i + 1]; k++) {
            re -= n->tangent[k] * way_re[T.index[k]];
            im -= n->tangent[k] * way_im[T.index[k]];
        }
        rhs_re[i] = re;
        rhs_im[i] = im;
    }
}

/* As in newton.c; `way` begins with beta. */
static void right_hand_side(ki_newton *n, complex_number gamma, const double *b_re, const double *b_im) {
    const keel_system *sys = n->dynamics->system;
    const double *v_re = b_re + sys->n_q, *v_im = b_im + sys->n_q;
    int states = sys->n_v + n->dynamics->m;
    add_times(gamma, sys->n_v, v_re, v_im, n->way, n->way_im);
    memcpy(n->way + sys->n_v, v_re, (size_t)sys->n_v * sizeof(double));
    memcpy(n->way_im + sys->n_v, v_im, (size_t)sys->n_v * sizeof(double));
    multiply_tangent(n, n->rhs, n->rhs_im);
    for (int i = states; i < n->size; i++) {
        double re = n->rhs[i], im = n->rhs_im[i];
        n->rhs[i] = v_re[sys->n_v + i - states];
        n->rhs_im[i] = v_im[sys->n_v + i - states];
        add_times(gamma, 1, &re, &im, n->rhs + i, n->rhs_im + i);
    }
    ki_newton_add_gains(n, n->way, n->rhs);
    ki_newton_add_gains(n, n->way_im, n->rhs_im);
}

/* x += gamma N u */
static void add_motion(ki_newton *n, complex_number gamma, const double *u_re, const double *u_im, double *re,
                       double *im) {
    if (!n->dynamics->system->kinematics) {
        add_times(gamma, n->dynamics->system->n_v, u_re, u_im, re, im);
        return;
    }
    ki_chart_add(&n->chart, gamma.re, u_re, re);
    ki_chart_add(&n->chart, -gamma.im, u_im, re);
    ki_chart_add(&n->chart, gamma.re, u_im, im);
    ki_chart_add(&n->chart, gamma.im, u_re, im);
}

/* solve_plainly of newton.c */
static void solve_plainly(ki_newton *n, int pair, double *restrict re, double *restrict im) {
    const keel_system *sys = n->dynamics->system;
    int n_v = sys->n_v, states = n_v + n->dynamics->m;
    double a = n->gamma_re[pair], b = n->gamma_im[pair];
    double *restrict v_re = re + n_v, *restrict v_im = im + n_v;
    double *restrict way_re = n->way, *restrict way_im = n->way_im;
    double *restrict x_re = n->rhs, *restrict x_im = n->rhs_im;
    for (int i = 0; i < n_v; i++) {
        way_re[i] = re[i] + (a * v_re[i] - b * v_im[i]);
        way_im[i] = im[i] + (a * v_im[i] + b * v_re[i]);
        way_re[n_v + i] = v_re[i];
        way_im[n_v + i] = v_im[i];
    }
    multiply_tangent(n, x_re, x_im);
    for (int i = states; i < n->size; i++) {
        double r = x_re[i], s = x_im[i];
        x_re[i] = v_re[n_v + i - states] + (a * r - b * s);
        x_im[i] = v_im[n_v + i - states] + (a * s + b * r);
    }
    ki_lu_complex_solve(n->lu_complex[pair], x_re, x_im);
    for (int i = 0; i < n_v; i++) {
        v_re[i] += a * x_re[i] - b * x_im[i];
        v_im[i] += a * x_im[i] + b * x_re[i];
        re[i] += a * v_re[i] - b * v_im[i];
        im[i] += a * v_im[i] + b * v_re[i];
    }
    for (int i = states; i < n->size; i++) {
        v_re[n_v + i - states] = x_re[i];
        v_im[n_v + i - states] = x_im[i];
    }
}

static void solve_exactly(ki_newton *n, int pair, double *re, double *im) {
    complex_number gamma = {n->gamma_re[pair], n->gamma_im[pair]};
    const keel_system *sys = n->dynamics->system;
    double *v_re = re + sys->n_q, *v_im = im + sys->n_q;
    size_t states = (size_t)sys->n_v + (size_t)n->dynamics->m, n_z = (size_t)sys->n_z;
    memcpy(n->turned, re, (size_t)sys->n_q * sizeof(double));
    memcpy(n->turned_im, im, (size_t)sys->n_q * sizeof(double));
    ki_chart_turn_complex(&n->chart, gamma.re, gamma.im, n->turned, n->turned_im);
    ki_chart_pull(&n->chart, n->turned, n->way);
    ki_chart_pull(&n->chart, n->turned_im, n->way_im);
    right_hand_side(n, gamma, re, im);
    ki_lu_complex_solve(n->lu_complex[pair], n->rhs, n->rhs_im);
    add_times(gamma, sys->n_v, n->rhs, n->rhs_im, v_re, v_im);
    add_motion(n, gamma, v_re, v_im, re, im);
    ki_chart_turn_complex(&n->chart, gamma.re, gamma.im, re, im);
    if (n_z) {
        memcpy(v_re + sys->n_v, n->rhs + states, n_z * sizeof(double));
        memcpy(v_im + sys->n_v, n->rhs_im + states, n_z * sizeof(double));
    }
}

void ki_newton_solve_complex(ki_newton *n, int pair, double *re, double *im) {
    if (n->exact && ki_newton_is_plain(n))
        solve_plainly(n, pair, re, im);
    else if (n->exact)
        solve_exactly(n, pair, re, im);
    else
        ki_lu_complex_solve(n->lu_complex[pair], re, im);
}
