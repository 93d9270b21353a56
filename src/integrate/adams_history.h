/* adams_history.h - the rates that an Adams method remembers, as scaled divided differences.
 *
 * With the times t_n > t_{n-1} > ... of the last steps and the rates f_n, f_{n-1}, ... found there,
 *
 *     Phi_j(n)  = (t_n - t_{n-1}) ... (t_n - t_{n-j}) f[t_n, ..., t_{n-j}]           (constant steps: nabla^j
 * f_n) Phi_0(n)  = f_n,   Phi_{j+1}(n) = Phi_j(n) - Phi*_j(n-1),   Phi*_j(n) = beta_j(n) Phi_j(n) beta_j(n) =
 * prod_{i<j} (t_{n+1} - t_{n-i}) / (t_n - t_{n-1-i})
 *
 * The polynomial through the last k rates, integrated over the next step of length h, is the predictor of
 * order k, and one more term with the rate f at the new time the corrector of order k + 1:
 *
 *     p       = y_n + h sum_{j<k} g_j(n) Phi*_j(n)
 *     y_{n+1} = p + h g_k(n) Phi_k(n+1)
 *
 * The corrector of order k would have g_{k-1} in place of g_k, so that h (g_k - g_{k-1}) Phi_k(n+1) is the
 * error of order k. (F. T. Krogh 1974; L. F. Shampine and M. K. Gordon 1975; Hairer, Norsett, Wanner, section
 * III.5.)
 */
#ifndef KI_ADAMS_HISTORY_H
#define KI_ADAMS_HISTORY_H

#include "base/arena.h"

/* Beyond order 12 differences of rates in double precision are mostly round-off. */
enum { KI_ADAMS_ORDER_MAX = 12, KI_ADAMS_TERMS = KI_ADAMS_ORDER_MAX + 1 };

typedef struct ki_adams_history {
    int n;                         /* length of a rate                                          */
    int known;                     /* Phi_0 .. Phi_{known-1} are known at t[0]                  */
    double t[KI_ADAMS_TERMS];      /* t_n, t_{n-1}, ..., [known]                                */
    double *Phi[KI_ADAMS_TERMS];   /* [n] each                                                  */
    double *ahead[KI_ADAMS_TERMS]; /* Phi*_j for the step that is tried                         */
    double g[KI_ADAMS_TERMS];      /* g_0 .. g_known of that step (as far as there is room)     */
    double h;                      /* its length                                                */
} ki_adams_history;

/* Memory for rates of length n; failure shows in the arena. */
void ki_adams_history_init(ki_adams_history *self, ki_arena *arena, int n);

/* Forgets all but the rate at the latest time. */
void ki_adams_history_forget(ki_adams_history *self);

/* Begins with one rate. */
void ki_adams_history_begin(ki_adams_history *self, double t, const double *rate);

/* Makes ready for a step to t_new: g and Phi*. */
void ki_adams_history_aim(ki_adams_history *self, double t_new);

/* p = y + h sum_{j<order} g_j Phi*_j */
void ki_adams_history_predict(const ki_adams_history *self, int order, const double *y, double *p);

/* difference = Phi_j(n+1) for the given rate at the new time */
void ki_adams_history_difference(const ki_adams_history *self, int j, const double *rate, double *difference);

/* Takes the rate at t_new, the time last aimed at, into the history. */
void ki_adams_history_push(ki_adams_history *self, double t_new, const double *rate);

/* out = the integral from t[0] to t of the polynomial through the latest `count` rates */
void ki_adams_history_integrate(const ki_adams_history *self, int count, double t, double *out);

#endif
