/* Accelerations by the forces of all pins: pins.h has the formulas. */
#include <string.h>

#include "base/hints.h"
#include "base/sines.h"
#include "mechanism/forces/force.h"
#include "mechanism/mech_system.h"
#include "mechanism/pins.h"
#include "mechanism/pins_path.h"

/* ---- bodies -------------------------------------------------------------------------------------------- */

/* Angles and angular velocities. */
static void turn_bodies(const ki_pins *pins, ki_mech_work *w, const keel_point *at) {
    double *angle = w->angle;
    ki_pinned_state *state = w->pins.body;
    for (int b = 1; b < pins->body_count; b++) {
        const ki_pinned *body = &pins->body[b];
        int v = body->v < 0 ? ~body->v + 2 : body->v;
        angle[b] = angle[body->parent] + (body->sense * at->q[body->q] + body->turn);
        state[b].omega = state[body->parent].omega + body->sign * at->v[v];
    }
    ki_sines_cosines(pins->body_count, angle, w->sine, w->cosine);
}

/* Everything of a body but the forces of its pins: its accelerations come from its weight and the wrench
 * (torque, force) about the centre of mass of all other forces. */
KI_TWICE static void free_rates(const ki_pins *pins, ki_mech_work *w, const double *g, bool forces) {
    for (int b = 1; b < pins->body_count; b++) {
        const ki_pinned *body = &pins->body[b];
        const double *wrench = w->wrench[b], cosine = w->cosine[b], sine = w->sine[b];
        ki_pinned_state *s = &w->pins.body[b];
        double T = forces ? wrench[0] : 0;
        double F_x = body->mass * g[0] + (forces ? wrench[1] : 0);
        double F_y = body->mass * g[1] + (forces ? wrench[2] : 0);
        s->cosine = cosine;
        s->sine = sine;
        s->curve = s->omega * s->omega;
        s->centre[0] = cosine * body->centre[0] - sine * body->centre[1];
        s->centre[1] = sine * body->centre[0] + cosine * body->centre[1];
        s->rate[0] = body->i_m * F_x;
        s->rate[1] = body->i_m * F_y;
        s->rate[2] = body->i_I * (T + s->centre[0] * F_y - s->centre[1] * F_x);
    }
}

/* ---- S and -c ------------------------------------------------------------------------------------------ */

/* r of side k of a pin, world axes; adds to the diagonal block D and to the f that is -c. */
KI_INLINE void add_side(const ki_pinned *body, const ki_pinned_state *s, const double on_body[2], double sign,
                        double r[2], double D[3], double f[2]) {
    double x = s->cosine * on_body[0] - s->sine * on_body[1];
    double y = s->sine * on_body[0] + s->cosine * on_body[1];
    double I_x = body->i_I * x, I_y = body->i_I * y;
    r[0] = x, r[1] = y;
    D[0] += body->i_m + I_y * y;
    D[1] -= I_x * y;
    D[2] += body->i_m + I_x * x;
    f[0] += s->curve * x + s->rate[2] * y - sign * s->rate[0];
    f[1] += s->curve * y - s->rate[2] * x - sign * s->rate[1];
}

KI_TWICE static void set_up_pins(const ki_pins *pins, ki_pins_work *w) {
    for (int i = 0; i < pins->count; i++) {
        const ki_pin *pin = &pins->pin[i];
        ki_pin_state *p = &w->pin[i];
        int b = pin->body[0], c = pin->body[1];
        double D[3] = {0}, f[2] = {0};
        add_side(&pins->body[b], &w->body[b], pin->r[0], -1, w->r[2 * i], D, f);
        add_side(&pins->body[c], &w->body[c], pin->r[1], 1, w->r[2 * i + 1], D, f);
        p->D[0] = D[0], p->D[1] = D[1], p->D[2] = D[2];
        p->f[0] = f[0], p->f[1] = f[1];
        p->least[0] = KI_PINS_NEAR * D[0], p->least[1] = KI_PINS_NEAR * D[2];
    }
}

KI_TWICE static void set_up_blocks(const ki_pins *pins, ki_pins_work *w) {
    for (int k = 0; k < pins->empty_count; k++)
        memset(w->block[pins->empty[k]], 0, sizeof *w->block);
    for (int k = 0; k < pins->pair_count; k++) {
        const ki_side_pair *pair = &pins->pair[k];
        const ki_pinned *body = &pins->body[pair->body];
        const double *r = w->r[pair->row], *c = w->r[pair->column];
        double i_m = (pair->row ^ pair->column) & 1 ? -body->i_m : body->i_m, *S = w->block[pair->block];
        double x = body->i_I * r[0], y = body->i_I * r[1];
        double xx = i_m + y * c[1], xy = -y * c[0], yx = -x * c[1], yy = i_m + x * c[0];
        if (!pair->first)
            xx += S[0], xy += S[1], yx += S[2], yy += S[3];
        S[0] = xx, S[1] = xy, S[2] = yx, S[3] = yy;
    }
}

/* ---- S f = -c ------------------------------------------------------------------------------------------ */

/* D^-1; false if a pivot is too small. */
KI_INLINE bool invert(const ki_pin_state *p, double D[3]) {
    double determinant = p->D[0] * p->D[2] - p->D[1] * p->D[1], i = 1 / determinant;
    D[0] = p->D[2] * i;
    D[1] = -p->D[1] * i;
    D[2] = p->D[0] * i;
    return p->D[0] > p->least[0] && determinant > p->least[1] * p->D[0];
}

/* A -= L C^T */
KI_INLINE void subtract(double A[4], const double L[4], const double C[4]) {
    A[0] -= L[0] * C[0] + L[1] * C[1];
    A[1] -= L[0] * C[2] + L[1] * C[3];
    A[2] -= L[2] * C[0] + L[3] * C[1];
    A[3] -= L[2] * C[2] + L[3] * C[3];
}

/* Takes a column with the blocks first .. end - 1 and z = D^-1 f out of the rows below: block (a, b) minus
 * B_a D^-1 B_b^T, f_a minus B_a z. */
KI_INLINE const int *take_out(const int *row, ki_pin_state *pin, double (*block)[4], int first, int end,
                              const double D[3], const double z[2], const int *target) {
    for (int a = first; a < end; a++) {
        const double B[4] = {block[a][0], block[a][1], block[a][2], block[a][3]};
        const double L[4] = {B[0] * D[0] + B[1] * D[1], B[0] * D[1] + B[1] * D[2], B[2] * D[0] + B[3] * D[1],
                             B[2] * D[1] + B[3] * D[2]};
        ki_pin_state *to = &pin[row[a]];
        for (int b = first; b < a; b++)
            subtract(block[*target++], L, block[b]);
        to->D[0] -= L[0] * B[0] + L[1] * B[1];
        to->D[1] -= L[2] * B[0] + L[3] * B[1];
        to->D[2] -= L[2] * B[2] + L[3] * B[3];
        to->f[0] -= B[0] * z[0] + B[1] * z[1];
        to->f[1] -= B[2] * z[0] + B[3] * z[1];
    }
    return target;
}

/* D and f become D^-1 and D^-1 f, f without what later pins add. */
KI_TWICE static bool eliminate(const ki_pins *pins, ki_pins_work *w) {
    const int *target = pins->target;
    ki_pin_state *pin = w->pin;
    bool sound = true;
    for (int k = 0, first = 0; k < pins->count; k++) {
        int end = pins->start[k + 1];
        double D[3], *f = pin[k].f;
        sound &= invert(&pin[k], D);
        const double z[2] = {D[0] * f[0] + D[1] * f[1], D[1] * f[0] + D[2] * f[1]};
        pin[k].D[0] = D[0], pin[k].D[1] = D[1], pin[k].D[2] = D[2];
        f[0] = z[0], f[1] = z[1];
        target = take_out(pins->row, pin, w->block, first, end, D, z, target);
        first = end;
    }
    return sound;
}

/* f_k = D^-1 (f_k - sum B_a^T f_a), the first part being there */
KI_TWICE static void substitute(const ki_pins *pins, ki_pins_work *w) {
    ki_pin_state *pin = w->pin;
    for (int k = pins->count - 1; k >= 0; k--) {
        double x = 0, y = 0, *f = pin[k].f;
        const double *D = pin[k].D;
        for (int a = pins->start[k]; a < pins->start[k + 1]; a++) {
            const double *B = w->block[a], *g = pin[pins->row[a]].f;
            x += B[0] * g[0] + B[2] * g[1];
            y += B[1] * g[0] + B[3] * g[1];
        }
        f[0] -= D[0] * x + D[1] * y;
        f[1] -= D[1] * x + D[2] * y;
    }
}

/* ---- accelerations ------------------------------------------------------------------------------------- */

/* Adds the torques of its pins to the angular acceleration of a body. */
KI_INLINE void add_torques(const ki_pins *pins, const ki_pinned *body, const ki_pins_work *w,
                           double rate[3]) {
    double T = 0;
    for (int i = body->side; i < body[1].side; i++) {
        int side = pins->side[i];
        const double *f = w->pin[side >> 1].f, *r = w->r[side];
        T += r[0] * f[1] - r[1] * f[0];
    }
    rate[2] += body->i_I * T;
}

/* ... and their forces to the acceleration of its base point. */
static void add_forces(const ki_pins *pins, const ki_pinned *body, const ki_pins_work *w, double rate[3]) {
    double F_x = 0, F_y = 0;
    for (int i = body->side; i < body[1].side; i++) {
        int side = pins->side[i];
        const double *f = w->pin[side >> 1].f, s = side & 1 ? 1 : -1;
        F_x += s * f[0];
        F_y += s * f[1];
    }
    rate[0] += body->i_m * F_x;
    rate[1] += body->i_m * F_y;
}

/* x'', y'' of the centre of mass, angle'' */
static void own_rates(const ki_pinned_state *s, double *v_rate) {
    v_rate[0] = s->rate[0] - s->rate[2] * s->centre[1] - s->curve * s->centre[0];
    v_rate[1] = s->rate[1] + s->rate[2] * s->centre[0] - s->curve * s->centre[1];
    v_rate[2] = s->rate[2];
}

/* v' from the forces. */
KI_TWICE static void rates(const ki_pins *pins, ki_pins_work *w, double *v_rate) {
    for (int b = 1; b < pins->body_count; b++) {
        const ki_pinned *body = &pins->body[b];
        ki_pinned_state *s = &w->body[b];
        add_torques(pins, body, w, s->rate);
        if (body->v >= 0) {
            v_rate[body->v] = body->sign * (s->rate[2] - w->body[body->parent].rate[2]);
            continue;
        }
        add_forces(pins, body, w, s->rate);
        own_rates(s, v_rate + ~body->v);
    }
}

static bool accelerate(const ki_mech *mech, ki_mech_work *w, const keel_point *at, bool forces,
                       double *v_rate) {
    const ki_pins *pins = mech->pins;
    if (pins->path)
        return ki_path_accelerate(pins, &w->pins, at, forces ? (const double(*)[6])w->wrench : NULL, v_rate);
    w->placed = false; /* the angles are others from now on */
    turn_bodies(pins, w, at);
    free_rates(pins, w, mech->gravity, forces);
    set_up_pins(pins, &w->pins);
    set_up_blocks(pins, &w->pins);
    if (!eliminate(pins, &w->pins))
        return false;
    substitute(pins, &w->pins);
    rates(pins, &w->pins, v_rate);
    return true;
}

int ki_pins_accelerate(const keel_system *system, void *work, const keel_point *at, double *v_rate,
                       double *power) {
    const ki_mech *mech = ki_mech_of(system);
    ki_mech_work *w = work;
    bool forces = mech->force_count > 0 || mech->layout->rubbing_count > 0;
    w->power = 0;
    if (forces) {
        ki_place(mech, w, at->q);
        ki_move_bodies(mech, w, at->v);
        memset(w->wrench, 0, (size_t)mech->body_count * sizeof *w->wrench);
        ki_apply_forces(mech, w, at->t, NULL);
    }
    *power = w->power;
    return accelerate(mech, w, at, forces, v_rate);
}

/* Accelerations from rest, which nobody asks for, are a small part of it. */
int ki_pins_factor(const keel_system *system, void *work, const double *q) {
    ki_mech_work *w = work;
    const keel_point at = {.q = q, .v = w->pins.rest};
    return accelerate(ki_mech_of(system), w, &at, false, w->pins.nothing);
}

/* ---- other right-hand sides ---------------------------------------------------------------------------- */

/* f <- D^-1 f, without what later pins add, as `eliminate` does it */
KI_TWICE static void eliminate_again(const ki_pins *pins, ki_pins_work *w) {
    ki_pin_state *pin = w->pin;
    for (int k = 0; k < pins->count; k++) {
        const double *D = pin[k].D;
        double *f = pin[k].f, z[2] = {D[0] * f[0] + D[1] * f[1], D[1] * f[0] + D[2] * f[1]};
        for (int a = pins->start[k]; a < pins->start[k + 1]; a++) {
            const double *B = w->block[a];
            double *to = pin[pins->row[a]].f;
            to[0] -= B[0] * z[0] + B[1] * z[1];
            to[1] -= B[2] * z[0] + B[3] * z[1];
        }
        f[0] = z[0], f[1] = z[1];
    }
}

void ki_pins_solve(const ki_pins *pins, ki_pins_work *w, double (*f)[2]) {
    if (pins->path) {
        ki_path_solve(pins, w, f);
        return;
    }
    for (int k = 0; k < pins->count; k++)
        memcpy(w->pin[k].f, f[k], sizeof *f);
    eliminate_again(pins, w);
    substitute(pins, w);
    for (int k = 0; k < pins->count; k++)
        memcpy(f[k], w->pin[k].f, sizeof *f);
}
