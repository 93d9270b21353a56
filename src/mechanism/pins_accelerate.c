/* Accelerations by the forces of all pins: pins.h has the formulas. */
#include <math.h>
#include <string.h>

#include "base/hints.h"
#include "base/sines.h"
#include "mechanism/forces/force.h"
#include "mechanism/mech_system.h"
#include "mechanism/pins.h"

/* A pivot of S below this part of its diagonal entry is too near to a singular pose: accelerations would lose
 * more than three digits to round-off. */
static const double NEAR = 1e-6;

/* ---- bodies ---------------------------------------------------------------------------------------------- */

/* Angles and angular velocities. */
static void turn_bodies(const ki_pins *pins, ki_mech_work *w, const keel_point *at) {
    double *angle = w->angle, *omega = w->pins.omega;
    for (int b = 1; b < pins->body_count; b++) {
        const ki_pinned *body = &pins->body[b];
        int v = body->v < 0 ? ~body->v + 2 : body->v;
        angle[b] = angle[body->parent] + (body->sense * at->q[body->q] + body->turn);
        omega[b] = omega[body->parent] + body->sign * at->v[v];
    }
    ki_sines_cosines(pins->body_count, angle, w->sine, w->cosine);
}

/* From the base point to the centre of mass, world axes. */
KI_INLINE void centre_of(const ki_pinned *body, double sine, double cosine, double c[2]) {
    c[0] = cosine * body->centre[0] - sine * body->centre[1];
    c[1] = sine * body->centre[0] + cosine * body->centre[1];
}

/* Accelerations a, alpha without the forces of pins, from the weight and the wrench (torque, force) about the
 * centre of mass of everything else. */
KI_TWICE static void free_rates(const ki_pins *pins, ki_mech_work *w, const double *g, bool forces) {
    for (int b = 1; b < pins->body_count; b++) {
        const ki_pinned *body = &pins->body[b];
        const double *wrench = w->wrench[b];
        double c[2], T = forces ? wrench[0] : 0, *rate = w->pins.rate[b];
        double F_x = body->mass * g[0] + (forces ? wrench[1] : 0);
        double F_y = body->mass * g[1] + (forces ? wrench[2] : 0);
        centre_of(body, w->sine[b], w->cosine[b], c);
        rate[0] = body->i_m * F_x;
        rate[1] = body->i_m * F_y;
        rate[2] = body->i_I * (T + c[0] * F_y - c[1] * F_x);
    }
}

/* ---- S and -c ---------------------------------------------------------------------------------------------- */

/* r of side k of a pin, world axes; adds to the diagonal block D and to the f that is -c. */
KI_INLINE void add_side(const ki_pins *pins, const ki_mech_work *w, const ki_pin *pin, int k, double r[2],
                        double D[3], double f[2]) {
    int b = pin->body[k];
    const ki_pinned *body = &pins->body[b];
    const double *rate = w->pins.rate[b];
    double sine = w->sine[b], cosine = w->cosine[b], omega = w->pins.omega[b], curve = omega * omega;
    double x = cosine * pin->r[k][0] - sine * pin->r[k][1];
    double y = sine * pin->r[k][0] + cosine * pin->r[k][1];
    r[0] = x, r[1] = y;
    D[0] += body->i_m + body->i_I * (y * y);
    D[1] -= body->i_I * (x * y);
    D[2] += body->i_m + body->i_I * (x * x);
    f[0] += (curve * x + rate[2] * y) + (k ? -rate[0] : rate[0]);
    f[1] += (curve * y - rate[2] * x) + (k ? -rate[1] : rate[1]);
}

KI_TWICE static void set_up_pins(const ki_pins *pins, ki_mech_work *w) {
    ki_pins_work *p = &w->pins;
    for (int i = 0; i < pins->count; i++) {
        double D[3] = {0}, f[2] = {0};
        add_side(pins, w, &pins->pin[i], 0, p->arm[2 * i], D, f);
        add_side(pins, w, &pins->pin[i], 1, p->arm[2 * i + 1], D, f);
        for (int k = 0; k < 3; k++)
            p->diagonal[i][k] = D[k];
        for (int k = 0; k < 2; k++) {
            p->force[i][k] = f[k];
            p->least[i][k] = NEAR * D[2 * k];
        }
    }
}

KI_TWICE static void set_up_blocks(const ki_pins *pins, ki_pins_work *w) {
    memset(w->block, 0, (size_t)pins->start[pins->count] * sizeof *w->block);
    for (int k = 0; k < pins->pair_count; k++) {
        const ki_side_pair *pair = &pins->pair[k];
        const ki_pinned *body = &pins->body[pair->body];
        const double *r = w->arm[pair->row], *c = w->arm[pair->column];
        double i_m = (pair->row ^ pair->column) & 1 ? -body->i_m : body->i_m, *S = w->block[pair->block];
        double x = body->i_I * r[0], y = body->i_I * r[1];
        S[0] += i_m + y * c[1];
        S[1] -= y * c[0];
        S[2] -= x * c[1];
        S[3] += i_m + x * c[0];
    }
}

/* ---- S f = -c ---------------------------------------------------------------------------------------------- */

/* D <- D^-1; false if a pivot is too small. */
KI_INLINE bool invert(double D[3], const double least[2]) {
    double determinant = D[0] * D[2] - D[1] * D[1], a = D[0], i = 1 / determinant;
    D[0] = D[2] * i;
    D[1] = -D[1] * i;
    D[2] = a * i;
    return a > least[0] && determinant > least[1] * a;
}

/* Takes column k out of the rows below: block (a, b) minus B_a D^-1 B_b^T, f_a minus B_a D^-1 f_k. */
KI_INLINE const int *eliminate(const ki_pins *pins, int k, ki_pins_work *w, const int *target) {
    const double *D = w->diagonal[k];
    double *f = w->force[k], x = D[0] * f[0] + D[1] * f[1], y = D[1] * f[0] + D[2] * f[1];
    f[0] = x, f[1] = y;
    for (int a = pins->start[k]; a < pins->start[k + 1]; a++) {
        const double *B = w->block[a];
        const double L[4] = {B[0] * D[0] + B[1] * D[1], B[0] * D[1] + B[1] * D[2], B[2] * D[0] + B[3] * D[1],
                             B[2] * D[1] + B[3] * D[2]};
        for (int b = pins->start[k]; b < a; b++) {
            const double *C = w->block[b];
            double *T = w->block[*target++];
            T[0] -= L[0] * C[0] + L[1] * C[1];
            T[1] -= L[0] * C[2] + L[1] * C[3];
            T[2] -= L[2] * C[0] + L[3] * C[1];
            T[3] -= L[2] * C[2] + L[3] * C[3];
        }
        double *T = w->diagonal[pins->row[a]], *g = w->force[pins->row[a]];
        T[0] -= L[0] * B[0] + L[1] * B[1];
        T[1] -= L[2] * B[0] + L[3] * B[1];
        T[2] -= L[2] * B[2] + L[3] * B[3];
        g[0] -= B[0] * x + B[1] * y;
        g[1] -= B[2] * x + B[3] * y;
    }
    return target;
}

/* f_k = D^-1 (f_k - sum B_a^T f_a), the first part being there */
KI_INLINE void substitute(const ki_pins *pins, int k, ki_pins_work *w) {
    double x = 0, y = 0, *f = w->force[k];
    const double *D = w->diagonal[k];
    for (int a = pins->start[k]; a < pins->start[k + 1]; a++) {
        const double *B = w->block[a], *g = w->force[pins->row[a]];
        x += B[0] * g[0] + B[2] * g[1];
        y += B[1] * g[0] + B[3] * g[1];
    }
    f[0] -= D[0] * x + D[1] * y;
    f[1] -= D[1] * x + D[2] * y;
}

KI_TWICE static bool solve(const ki_pins *pins, ki_pins_work *w) {
    const int *target = pins->target;
    bool sound = true;
    for (int k = 0; k < pins->count; k++) {
        sound &= invert(w->diagonal[k], w->least[k]);
        target = eliminate(pins, k, w, target);
    }
    for (int k = pins->count - 1; k >= 0 && sound; k--)
        substitute(pins, k, w);
    return sound;
}

/* ---- accelerations --------------------------------------------------------------------------------------- */

/* Adds the forces of its pins to the accelerations of a body. */
KI_INLINE void add_forces(const ki_pins *pins, const ki_pinned *body, const ki_pins_work *w, double rate[3]) {
    double F_x = 0, F_y = 0, T = 0;
    for (int i = body->side; i < body[1].side; i++) {
        int side = pins->side[i];
        const double *f = w->force[side / 2], *r = w->arm[side], s = side % 2 ? 1 : -1;
        F_x += s * f[0];
        F_y += s * f[1];
        T += r[0] * f[1] - r[1] * f[0];
    }
    rate[0] += body->i_m * F_x;
    rate[1] += body->i_m * F_y;
    rate[2] += body->i_I * T;
}

/* x'', y'' of the centre of mass, angle'' */
KI_INLINE void own_rates(const ki_pinned *body, const ki_mech_work *w, int b, double *v_rate) {
    const double *rate = w->pins.rate[b], curve = w->pins.omega[b] * w->pins.omega[b];
    double c[2];
    centre_of(body, w->sine[b], w->cosine[b], c);
    v_rate[0] = rate[0] - rate[2] * c[1] - curve * c[0];
    v_rate[1] = rate[1] + rate[2] * c[0] - curve * c[1];
    v_rate[2] = rate[2];
}

/* v' from the forces; false if something is not finite. */
KI_TWICE static bool rates(const ki_pins *pins, ki_mech_work *w, double *v_rate) {
    double(*rate)[3] = w->pins.rate, sum = 0;
    for (int b = 1; b < pins->body_count; b++) {
        const ki_pinned *body = &pins->body[b];
        add_forces(pins, body, &w->pins, rate[b]);
        if (body->v < 0)
            own_rates(body, w, b, v_rate + ~body->v);
        else
            v_rate[body->v] = body->sign * (rate[b][2] - rate[body->parent][2]);
        sum += rate[b][0] + rate[b][1] + rate[b][2];
    }
    return isfinite(sum);
}

int ki_pins_accelerate(const keel_system *system, void *work, const keel_point *at, double *v_rate,
                       double *power) {
    const ki_mech *mech = ki_mech_of(system);
    const ki_pins *pins = mech->pins;
    ki_mech_work *w = work;
    bool forces = mech->force_count > 0 || mech->layout->rubbing_count > 0;
    w->power = 0;
    if (forces) {
        ki_place(mech, w, at->q);
        ki_move_bodies(mech, w, at->v);
        memset(w->wrench, 0, (size_t)pins->body_count * sizeof *w->wrench);
        ki_apply_forces(mech, w, at->t, NULL);
    }
    w->placed = false; /* the angles are others from now on */
    turn_bodies(pins, w, at);
    free_rates(pins, w, mech->gravity, forces);
    set_up_pins(pins, w);
    set_up_blocks(pins, &w->pins);
    *power = w->power;
    return solve(pins, &w->pins) && rates(pins, w, v_rate);
}
