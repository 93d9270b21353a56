/* swing.c - see swing.h. */
#include <math.h>
#include <string.h>

#include "symbolic/swing.h"

double ki_without_noise(double x, double size) {
    static const double NOISE = 2e-15; /* of a few operations */
    return fabs(x) <= NOISE * size ? 0 : x;
}

void ki_clean(double *x, int count, double size) {
    for (int i = 0; i < count; i++)
        x[i] = ki_without_noise(x[i], size);
}

static double size_of(const ki_swing *x) {
    return sqrt(ki_dot3(x->k, x->k) + ki_dot3(x->c, x->c) + ki_dot3(x->s, x->s));
}

static ki_swing cleaned(ki_swing x, double size) {
    ki_clean(x.k, 3, size);
    ki_clean(x.c, 3, size);
    ki_clean(x.s, 3, size);
    return x;
}

void ki_drawn_turn(const ki_mech *mech, const ki_body *body, double R[9]) {
    if (mech->d == KI_SPATIAL) {
        ki_multiply_transposed(body->hinge.frame[0].R, body->hinge.frame[1].R, R);
    } else {
        double c = cos(body->drawn_turn), s = sin(body->drawn_turn);
        memcpy(R, (const double[9]){c, -s, 0, s, c, 0, 0, 0, 1}, 9 * sizeof *R);
    }
    ki_clean(R, 9, 1);
}

void ki_hinge_direction(const ki_mech *mech, const ki_body *body, double e[3]) {
    bool along_x = mech->d == KI_PLANAR && body->kind != KI_HINGE_PIN;
    ki_axis(body->hinge.frame[0].R, along_x ? 0 : 2, e);
    ki_clean(e, 3, 1);
}

/* r = R (x - place_1):  place_0 + e (e . r) + (r - e (e . r)) cos + e x r sin */
ki_swing ki_swing_of(const ki_mech *mech, const ki_body *body, const double x[3]) {
    double R[9], e[3], from[3], r[3];
    ki_swing y = {.k = {0}};
    ki_drawn_turn(mech, body, R);
    ki_hinge_direction(mech, body, e);
    ki_minus(x, body->place[1], from);
    ki_rotate(R, from, r);
    ki_copy3(body->place[0], y.k);
    ki_add_scaled(ki_dot3(e, r), e, y.k);
    ki_copy3(r, y.c);
    ki_add_scaled(-ki_dot3(e, r), e, y.c);
    ki_cross(e, r, y.s);
    return cleaned(y, size_of(&y));
}

ki_swing ki_swing_seen(const ki_swing *x, const double o[3], const double G[9]) {
    double from[3];
    ki_swing y;
    ki_minus(x->k, o, from);
    ki_rotate_back(G, from, y.k);
    ki_rotate_back(G, x->c, y.c);
    ki_rotate_back(G, x->s, y.s);
    return cleaned(y, size_of(x) + sqrt(ki_dot3(o, o)));
}

ki_wave ki_swing_along(const ki_swing *x, const double a[3]) {
    double size = size_of(x) * sqrt(ki_dot3(a, a));
    return (ki_wave){.k = ki_without_noise(ki_dot3(a, x->k), size),
                     .c = ki_without_noise(ki_dot3(a, x->c), size),
                     .s = ki_without_noise(ki_dot3(a, x->s), size)};
}

ki_swing ki_swing_across(const ki_swing *x, const double a[3]) {
    ki_wave along = ki_swing_along(x, a);
    ki_swing y = *x;
    ki_add_scaled(-along.k, a, y.k);
    ki_add_scaled(-along.c, a, y.c);
    ki_add_scaled(-along.s, a, y.s);
    return cleaned(y, size_of(x));
}

ki_swing ki_swing_cross(const double a[3], const ki_swing *x) {
    ki_swing y;
    ki_cross(a, x->k, y.k);
    ki_cross(a, x->c, y.c);
    ki_cross(a, x->s, y.s);
    return cleaned(y, size_of(x));
}

/* with sin^2 = 1 - cos^2 */
ki_wave ki_swing_square(const ki_swing *x) {
    double size = size_of(x) * size_of(x);
    return (ki_wave){.k = ki_dot3(x->k, x->k) + ki_dot3(x->s, x->s),
                     .c = ki_without_noise(2 * ki_dot3(x->k, x->c), size),
                     .s = ki_without_noise(2 * ki_dot3(x->k, x->s), size),
                     .cc = ki_without_noise(ki_dot3(x->c, x->c) - ki_dot3(x->s, x->s), size),
                     .cs = ki_without_noise(2 * ki_dot3(x->c, x->s), size)};
}
