/* A heavy top with its tip held by a ball joint: rotations by unit quaternions, so that q' = N(q) v with n_q
 * > n_v.
 *
 *     q = (r, e)       r: centre of mass [3], e = (e0, e1, e2, e3): unit quaternion, body axes to world axes
 *     v = (r', w)      w: angular velocity in body axes;  e' = e (0, w) / 2
 *     m r'' + ... = (0, 0, -m g),   I w' + ... = -w x (I w)
 *     Phi = r - l R(e) k = 0        k = (0, 0, 1): the tip stays at the origin (3 rows)
 *     G = [ 1   l R [k]x ],  as  d/dt (R k) = R (w x k) = -R [k]x w
 *     xi = l R (w x (w x k))
 *
 * With its axis horizontal the top precesses steadily at the rate  m g l / (I3 w3), exactly: for an
 * inclination theta the condition is I1 Omega^2 cos(theta) - I3 w3 Omega + m g l = 0, and cos(theta) = 0
 * here.
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static const double m = 0.5, g = 9.81, l = 0.08, I1 = 4e-4, I3 = 6e-4, spin = 250;

typedef struct vec {
    double x, y, z;
} vec;

static vec cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static void rotation(const double e[4], double R[3][3]) {
    double a = e[0], b = e[1], c = e[2], d = e[3], n = a * a + b * b + c * c + d * d;
    R[0][0] = (a * a + b * b - c * c - d * d) / n, R[0][1] = 2 * (b * c - a * d) / n,
    R[0][2] = 2 * (b * d + a * c) / n;
    R[1][0] = 2 * (b * c + a * d) / n, R[1][1] = (a * a - b * b + c * c - d * d) / n,
    R[1][2] = 2 * (c * d - a * b) / n;
    R[2][0] = 2 * (b * d - a * c) / n, R[2][1] = 2 * (c * d + a * b) / n,
    R[2][2] = (a * a - b * b - c * c + d * d) / n;
}

/* out = R u */
static void rotate(double R[3][3], vec u, double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = R[i][0] * u.x + R[i][1] * u.y + R[i][2] * u.z;
}

static void jacobian(double R[3][3], double *J) {
    for (int i = 0; i < 3; i++, J += 3) { /* row i: 1 at r_i, then l (R [k]x)_i = l (R_i1, -R_i0) */
        J[0] = 1;
        J[1] = l * R[i][1];
        J[2] = -l * R[i][0];
    }
}

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    (void)system, (void)work;
    const double *r = at->q, *v = at->v;
    vec w = {v[3], v[4], v[5]}, k = {0, 0, 1}, Iw = {I1 * w.x, I1 * w.y, I3 * w.z};
    double R[3][3], axis[3], turn[3];
    rotation(at->q + 3, R);
    rotate(R, k, axis);
    if (what & KEEL_MASS)
        for (int i = 0; i < 6; i++)
            terms->M[i] = i < 3 ? m : i < 5 ? I1 : I3;
    if (what & KEEL_FORCE) {
        vec gyroscopic = cross(w, Iw);
        double Q[6] = {0, 0, -m * g, -gyroscopic.x, -gyroscopic.y, -gyroscopic.z};
        for (int i = 0; i < 6; i++)
            terms->Q[i] = Q[i];
    }
    if (what & KEEL_JACOBIAN)
        jacobian(R, terms->J);
    rotate(R, cross(w, k), turn);
    for (int i = 0; i < 3; i++) {
        if (what & KEEL_POSITION)
            terms->Phi[i] = r[i] - l * axis[i];
        if (what & KEEL_VELOCITY)
            terms->rate[i] = v[i] - l * turn[i];
    }
    if (what & KEEL_XI) {
        rotate(R, cross(w, cross(w, k)), turn);
        for (int i = 0; i < 3; i++)
            terms->xi[i] = l * turn[i];
    }
    if (what & KEEL_ENERGY)
        terms->energy = m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 +
                        (w.x * Iw.x + w.y * Iw.y + w.z * Iw.z) / 2 + m * g * r[2];
    if (what & KEEL_POWER)
        terms->power = 0;
    return KEEL_OK;
}

/* e (0, w) / 2 */
static void quaternion_rate(const double e[4], const double w[3], double out[4]) {
    out[0] = (-e[1] * w[0] - e[2] * w[1] - e[3] * w[2]) / 2;
    out[1] = (e[0] * w[0] + e[2] * w[2] - e[3] * w[1]) / 2;
    out[2] = (e[0] * w[1] + e[3] * w[0] - e[1] * w[2]) / 2;
    out[3] = (e[0] * w[2] + e[1] * w[1] - e[2] * w[0]) / 2;
}

static void kinematics(const keel_system *system, const double *q, const double *v, double *q_rate) {
    (void)system;
    for (int i = 0; i < 3; i++)
        q_rate[i] = v[i];
    quaternion_rate(q + 3, v + 3, q_rate + 3);
}

static void advance(const keel_system *system, double *q, const double *dv) {
    double de[4], n = 0;
    (void)system;
    quaternion_rate(q + 3, dv + 3, de);
    for (int i = 0; i < 3; i++)
        q[i] += dv[i];
    for (int i = 0; i < 4; i++) {
        q[3 + i] += de[i];
        n += q[3 + i] * q[3 + i];
    }
    for (int i = 0; i < 4; i++)
        q[3 + i] /= sqrt(n);
}

static keel_system top(void) {
    static const int M_start[] = {0, 1, 2, 3, 4, 5, 6}, M_index[] = {0, 1, 2, 3, 4, 5};
    static const int J_start[] = {0, 3, 6, 9}, J_index[] = {0, 3, 4, 1, 3, 4, 2, 3, 4};
    static const char *const rows[] = {"tip x", "tip y", "tip z"}, *const joints[] = {"tip", "tip", "tip"};
    keel_system system = keel_system_default();
    system.n_q = 7, system.n_v = 6, system.n_h = 3;
    system.M = (keel_pattern){6, 6, M_start, M_index};
    system.J = (keel_pattern){3, 6, J_start, J_index};
    system.has_energy = 1;
    system.evaluate = evaluate;
    system.kinematics = kinematics;
    system.advance = advance;
    system.names.constraint = rows;
    system.names.joint = joints;
    return system;
}

/* Axis along x, spinning, precessing about z at the rate Omega. */
static void steady_precession(keel_state *start, double Omega) {
    double half = sqrt(0.5); /* a quarter turn about y takes k to x */
    start->q[0] = l;
    start->q[3] = half, start->q[5] = half;
    start->v[1] = Omega * l;
    start->v[3] = -Omega; /* world z is body -x */
    start->v[5] = spin;
}

int main(void) {
    keel_system system = top();
    keel_settings settings = keel_settings_default();
    double Omega = m * g * l / (I3 * spin);
    settings.until = 2;
    settings.tolerance = 1e-10;
    keel_state *start = keel_state_new(&system);
    keel_diagnostics *messages = keel_diagnostics_new();
    if (!start || !messages)
        return 1;
    steady_precession(start, Omega);

    keel_result result;
    keel_status status = keel_run(&system, start, 1, &settings, NULL, messages, &result);
    for (int i = 0; i < keel_diagnostics_count(messages); i++)
        printf("%s\n", keel_diagnostics_get(messages, i).text);
    int good = 0;
    if (status == KEEL_OK) {
        const double *r = result.final->q;
        double angle = Omega * settings.until;
        double error = fmax(hypot(r[0] - l * cos(angle), r[1] - l * sin(angle)), fabs(r[2]));
        printf("after %g s the top has precessed by %.6f rad, off the exact place by %.1e m\n",
               settings.until, angle, error);
        printf("%ld steps, ball joint held to %.1e m, energy to %.1e J\n", result.count.steps,
               result.position.max, result.energy_drift_max);
        good = error < 1e-9 && result.position.max < 1e-14;
    }
    keel_result_clear(&result);
    keel_state_free(start);
    keel_diagnostics_free(messages);
    return good ? 0 : 1;
}
