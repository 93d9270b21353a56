/* swing.h - points and directions on a body that turns about a fixed axis, by the angle a:
 *
 *     k + c cos a + s sin a
 *
 * with numbers k, c, s. Turned and combined as numbers, so that what is zero in well chosen axes is no
 * formula. */
#ifndef KI_SYMBOLIC_SWING_H
#define KI_SYMBOLIC_SWING_H

#include "mechanism/model.h"

typedef struct ki_swing {
    double k[3], c[3], s[3];
} ki_swing;

/* The same of one component, or of a product. */
typedef struct ki_wave {
    double k, c, s, cc, cs; /* cc cos^2 a + cs cos a sin a */
} ki_wave;

/* x, but 0 where it is round-off of `size`. */
double ki_without_noise(double x, double size);
void ki_clean(double *x, int count, double size);

/* R of a body that hangs from the ground, with its coordinates zero, and the direction of its hinge: the axis
 * of a pin, the way of a slider. */
void ki_drawn_turn(const ki_mech *mech, const ki_body *body, double R[9]);
void ki_hinge_direction(const ki_mech *mech, const ki_body *body, double e[3]);

/* A point x (body components) of a body that hangs from the ground by a pin; its angle is that of the pin. */
ki_swing ki_swing_of(const ki_mech *mech, const ki_body *body, const double x[3]);

/* G^T (x - o) */
ki_swing ki_swing_seen(const ki_swing *x, const double o[3], const double G[9]);

/* a . x, and what is left without a (a . x), a of length 1; a x x */
ki_wave ki_swing_along(const ki_swing *x, const double a[3]);
ki_swing ki_swing_across(const ki_swing *x, const double a[3]);
ki_swing ki_swing_cross(const double a[3], const ki_swing *x);

/* x . x */
ki_wave ki_swing_square(const ki_swing *x);

#endif
