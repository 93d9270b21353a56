/* chart.h - changes of q and displacements in velocity coordinates, for Newton matrices of systems with
 * q' = N(q) v.
 *
 * Integrators that carry q itself, n_q components, have linear systems with the equation
 *
 *     x_q - gamma (N v)_q x_q - gamma N x_v = b_q
 *
 * while everything else sees only the displacement d = N^+ x_q, n_v components. With the turned right-hand
 * side (1 - gamma (N v)_q)^-1 b_q, which N maps near enough onto itself,
 *
 *     d = N^+ turned(b_q) + gamma x_v        goes into the equations for x_v; what is left out is of the
 *                                            order of gamma^2 |N' v| there
 *     x_q = turned(b_q + gamma N x_v)        afterwards, exactly
 *
 * (N v)_q of unit quaternions has the size |omega|/2. It is never formed: gamma (N v)_q x is the change of
 * `kinematics` along x, and the inverse a few rounds of x <- b + gamma (N v)_q x.
 *
 * Without kinematics N is the identity and all of this amounts to d = b_q + gamma x_v.
 */
#ifndef KI_CHART_H
#define KI_CHART_H

#include <stdbool.h>

#include "base/arena.h"
#include "keel/system.h"

typedef struct ki_chart {
    const keel_system *system;
    double *q, *v;          /* [n_q], [n_v] where it was taken                */
    double *rate;           /* [n_q] N v there                                */
    double *b, *moved, *Nu; /* [n_q] scratch                                  */
    double *b_im, *Nu_im;   /* [n_q] scratch                                  */
} ki_chart;

/* True if the derivatives of the system can be used: q' = v, or it knows N^+. */
static inline bool ki_has_chart(const keel_system *system) {
    return !system->kinematics || system->pull;
}

/* Takes memory from `arena`; a failed allocation shows there. */
void ki_chart_init(ki_chart *chart, ki_arena *arena, const keel_system *system);

/* The chart at (q, v). */
void ki_chart_take(ki_chart *chart, const double *q, const double *v);

/* x <- (1 - gamma (N v)_q)^-1 x, [n_q] */
void ki_chart_turn(ki_chart *chart, double gamma, double *x);

/* The same with gamma_re + i gamma_im and x = re + i im. */
void ki_chart_turn_complex(ki_chart *chart, double gamma_re, double gamma_im, double *re, double *im);

/* d = N^+ x */
void ki_chart_pull(const ki_chart *chart, const double *x, double *d);

/* w = N^+ (N v)_q N u: by how much the displacement at the end of a way v differs from u when the way changes
 * by u. For unit quaternions this is u x v / 2 or v x u / 2, the tangent of their (+) without terms of the
 * order of v^2. */
void ki_chart_bend(ki_chart *chart, const double *u, double *w);

/* x += factor N u */
void ki_chart_add(ki_chart *chart, double factor, const double *u, double *x);

#endif
