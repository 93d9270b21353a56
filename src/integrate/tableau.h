/* tableau.h - explicit Runge-Kutta methods as data.
 *
 *     Y_i = y_n + h sum_{j<i} a_ij k_j,   k_i = f(t_n + c_i h, Y_i),      i = 0 .. stages-1
 *     y_{n+1} = Y_stages: row `stages` of a is b, and k_stages = f(t_{n+1}, y_{n+1}) is the first stage of
 * the next step
 *
 * Error estimate: e is the largest component of h sum_i error[i] k_i relative to what is allowed for it, ê
 * likewise from `error_low`. The error of the step is
 *
 *     e                              when the method has one estimate
 *     e^2 / sqrt(e^2 + 0.01 ê^2)     when it has two (Hairer, Norsett, Wanner 1993, section II.10)
 *
 * Of the first e in e (e / sqrt(..)) the stabiliser takes its part before. The second factor, how fast the
 * estimates fall with their order, is of the motion as a whole: projecting both estimates takes twice the
 * solves, and a percent more evaluations for the same error (ten models, tolerances from 1e-2 to 1e-9).
 *
 * Dense output, theta in [0, 1], with r_1 = y_n, r_2 = y_{n+1} - y_n, r_3 = h k_0 - r_2, r_4 = r_2 - h
 * k_stages - r_3 and r_{5+l} = h sum_i dense[l][i] k_i over all stages, `extra` ones included:
 *
 *     y(theta) = r_1 + theta (r_2 + (1-theta) (r_3 + theta (r_4 + (1-theta) (r_5 + ...))))
 */
#ifndef KI_TABLEAU_H
#define KI_TABLEAU_H

#include "linalg/combination.h"

enum { KI_STAGES_MAX = KI_TERMS_MAX, KI_DENSE_MAX = 4 };

typedef struct ki_tableau {
    const char *name;
    int order;
    int stages;                       /* of a step; k_stages comes on top           */
    int extra;                        /* stages that only the dense output needs     */
    int adaptive;                     /* 0: fixed step, no error estimate            */
    int error_uses_new_rate;          /* the estimate contains k_stages     */
    int dense_rows;                   /* rows r_5, r_6, ...                          */
    double least_factor, most_factor; /* of the next step over the last, see step_control.h */
    double stiff_limit;               /* h |lambda| up to which the method is stable; 0: not looked at */
    double c[KI_STAGES_MAX];
    double a[KI_STAGES_MAX][KI_STAGES_MAX];
    double error[KI_STAGES_MAX], error_low[KI_STAGES_MAX];
    int has_error_low;
    double dense[KI_DENSE_MAX][KI_STAGES_MAX];
} ki_tableau;

/* Largest x with |R(-x)| < 1, R the stability function. */
double ki_real_limit(const ki_tableau *T);

extern const ki_tableau KI_RK4, KI_DOPRI5, KI_DOP853;

#endif
