/* Force elements: what has a potential is its gradient, what has none does the work that is counted. */
#include "mechanism_helper.h"

static const double P[3] = {0.3, -0.2, 0.5}, R[3] = {0.9, 0.7, -0.4}, ORIGIN[3] = {0, 0, 0};

/* Two free bodies. */
static keel_mechanism *two_bodies(int planar) {
    keel_mechanism *m = keel_mechanism_new();
    const double gravity[3] = {0.5, -9.81, planar ? 0 : 0.8};
    keel_mechanism_set_planar(m, planar);
    keel_mechanism_set_gravity(m, gravity);
    add_body(m, "a", 1.5, 0.1, 0.2, planar ? 0 : 0.3);
    add_body(m, "b", 0.7, 1.1, -0.4, planar ? 0 : 0.6);
    return m;
}

static void fill_spd(double *K, double scale) {
    double B[36];
    for (int i = 0; i < 36; i++)
        B[i] = any();
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            K[6 * i + j] = i == j ? scale : 0;
            for (int k = 0; k < 6; k++)
                K[6 * i + j] += scale * B[6 * i + k] * B[6 * j + k];
        }
}

/* A pose away from the drawn one. */
static void disturb(probe *p) {
    double *d = numbers(p->system->n_v);
    for (int i = 0; i < p->system->n_v; i++)
        d[i] = 0.4 * any();
    displace(p, p->q, d, 1);
    free(d);
}

static double potential_at(probe *p, const double *d, double h) {
    double *q = numbers(p->system->n_q), *kept = p->q;
    memcpy(q, p->q, (size_t)p->system->n_q * sizeof *q);
    displace(p, q, d, h);
    p->q = q;
    evaluate(p, KEEL_ENERGY);
    p->q = kept;
    free(q);
    assert_near(ki_potential(p->mech, p->work), p->work->potential, 1e-12);
    return p->terms.energy;
}

/* At rest Q = -dU/dq along every displacement. */
static void check_gradient(probe *p) {
    double *d = numbers(p->system->n_v), *Q = numbers(p->system->n_v);
    memset(p->v, 0, (size_t)p->system->n_v * sizeof *p->v);
    evaluate(p, KEEL_FORCE);
    memcpy(Q, p->terms.Q, (size_t)p->system->n_v * sizeof *Q);
    for (int i = 0; i < p->system->n_v; i++) {
        const double h = 1e-4;
        d[i] = 1;
        double slope = (8 * (potential_at(p, d, h) - potential_at(p, d, -h)) -
                        (potential_at(p, d, 2 * h) - potential_at(p, d, -2 * h))) /
                       (12 * h);
        d[i] = 0;
        assert_near(Q[i], -slope, 1e-8 * (1 + fabs(slope)));
    }
    free(d);
    free(Q);
}

/* d(energy)/dt = power along the motion. */
static void check_power(probe *p) {
    const double h = 1e-5;
    double energy[2];
    set_in_motion(p);
    evaluate(p, KEEL_POWER);
    double power = p->terms.power, *q = numbers(p->system->n_q), *v = numbers(p->system->n_v), t = p->t;
    memcpy(q, p->q, (size_t)p->system->n_q * sizeof *q);
    memcpy(v, p->v, (size_t)p->system->n_v * sizeof *v);
    for (int side = 0; side < 2; side++) {
        memcpy(p->q, q, (size_t)p->system->n_q * sizeof *q);
        memcpy(p->v, v, (size_t)p->system->n_v * sizeof *v);
        p->t = t;
        travel(p, side ? h : -h);
        evaluate(p, KEEL_ENERGY);
        energy[side] = p->terms.energy;
    }
    assert_near((energy[1] - energy[0]) / (2 * h), power, 2e-5 * (1 + fabs(power)));
    memcpy(p->q, q, (size_t)p->system->n_q * sizeof *q);
    memcpy(p->v, v, (size_t)p->system->n_v * sizeof *v);
    p->t = t;
    free(q);
    free(v);
}

/* A kind of force element between the two bodies, with and without what has no potential. */
static keel_force spring_between(bool damped) {
    keel_force spring = force_at("s", KEEL_FORCE_SPRING, 1, 2, P, R);
    spring.stiffness = 30, spring.free = 0.6, spring.damping = damped ? 4 : 0;
    return spring;
}

static keel_force bushing_between(bool damped) {
    keel_force bushing = force_at("s", KEEL_FORCE_BUSHING, 1, 2, P, P);
    fill_spd(bushing.K, 20);
    if (damped)
        fill_spd(bushing.C, 3);
    return bushing;
}

static void check_element(keel_force (*make)(bool damped), bool planar) {
    for (int damped = 0; damped < 2; damped++) {
        keel_mechanism *m = two_bodies(planar);
        any_seed = 11;
        keel_force force = make(damped);
        add_force(m, &force);
        probe p = probe_new(m, KEEL_COORDINATES_AUTO);
        disturb(&p);
        check_gradient(&p);
        check_power(&p);
        evaluate(&p, KEEL_POWER);
        if (damped)
            assert_true(p.terms.power < -1e-3);
        else
            assert_near(p.terms.power, 0, 1e-12);
        probe_free(&p);
    }
}

static void springs(void **state) {
    (void)state;
    check_element(spring_between, false);
    check_element(spring_between, true);
}

static void bushings(void **state) {
    (void)state;
    check_element(bushing_between, false);
    check_element(bushing_between, true);
}

/* A stiffness that is not symmetric has a part without potential: it does work. */
static void unsymmetric_bushing(void **state) {
    (void)state;
    keel_mechanism *m = two_bodies(0);
    keel_force bushing = bushing_between(false);
    bushing.K[1] += 5;
    bushing.K[22] -= 3;
    add_force(m, &bushing);
    probe p = probe_new(m, KEEL_COORDINATES_AUTO);
    disturb(&p);
    check_power(&p);
    evaluate(&p, KEEL_POWER);
    assert_true(fabs(p.terms.power) > 1e-3);
    probe_free(&p);
}

/* A turned bushing: the wrench stays the gradient up to large rotations. */
static void bushing_far_turned(void **state) {
    (void)state;
    keel_mechanism *m = two_bodies(0);
    keel_force bushing = bushing_between(false);
    add_force(m, &bushing);
    probe p = probe_new(m, KEEL_COORDINATES_AUTO);
    for (int i = 0; i < 6; i++)
        disturb(&p);
    check_gradient(&p);
    probe_free(&p);
}

/* A law that is written out gives the force of the linear spring. */
static void law_equals_linear(void **state) {
    (void)state;
    double Q[2][12], power[2];
    for (int law = 0; law < 2; law++) {
        keel_mechanism *m = two_bodies(0);
        keel_force spring = spring_between(true);
        if (law) {
            spring.stiffness = spring.damping = 0;
            spring.law = formula("k*(length - 0.6) + 4*rate");
            keel_mechanism_add_parameter(m, "k", 30);
        }
        add_force(m, &spring);
        probe p = probe_new(m, KEEL_COORDINATES_ABSOLUTE);
        any_seed = 5;
        disturb(&p);
        for (int i = 0; i < 12; i++)
            p.v[i] = any();
        evaluate(&p, KEEL_FORCE | KEEL_POWER);
        memcpy(Q[law], p.terms.Q, sizeof Q[law]);
        power[law] = p.terms.power;
        if (law)
            check_power(&p);
        probe_free(&p);
    }
    for (int i = 0; i < 12; i++)
        assert_near(Q[0][i], Q[1][i], 1e-12);
    assert_true(power[1] != power[0]); /* the whole pull counts as power */
}

/* Pushes and twists by formulas of everything, in both axes, with reactions. */
static void pushes_and_twists(void **state) {
    (void)state;
    for (int planar = 0; planar < 2; planar++)
        for (int body_axes = 0; body_axes < 2; body_axes++) {
            keel_mechanism *m = two_bodies(planar);
            keel_mechanism_add_point(m, "tip", 2, R, (keel_location){0}, NULL);
            keel_force push = force_at("push", KEEL_FORCE_PUSH, 1, 2, ORIGIN, R);
            keel_force twist = force_at("twist", KEEL_FORCE_TWIST, 1, 2, ORIGIN, ORIGIN);
            push.in_body_axes = twist.in_body_axes = body_axes;
            push.component[0] = formula("3 + sin(t) + tip.x*b.tip.y'");
            push.component[1] = formula("-2*a.x' + b.R12");
            push.component[2] = formula("1");
            twist.component[2] = formula(planar ? "0.5 - a.spin" : "0.5 - a.spin.z");
            twist.component[0] = formula("t");
            add_force(m, &push);
            add_force(m, &twist);
            probe p = probe_new(m, KEEL_COORDINATES_AUTO);
            p.t = 0.7;
            disturb(&p);
            check_power(&p);
            evaluate(&p, KEEL_POWER);
            assert_true(fabs(p.terms.power) > 1e-3);
            probe_free(&p);
        }
}

/* A rod of mass 2 and half length 0.5 on a pin at the origin, lying along x. */
static keel_mechanism *pendulum(keel_joint *pin) {
    keel_mechanism *m = keel_mechanism_new();
    const double gravity[3] = {0, -10, 0};
    keel_mechanism_set_planar(m, 1);
    keel_mechanism_set_gravity(m, gravity);
    int rod = add_body(m, "rod", 2, 0.5, 0, 0);
    *pin = joint_at("pin", "revolute", KEEL_GROUND, rod, 0, 0, 0);
    return m;
}

/* On a coordinate: Q is the torque itself. Weight: -2 * 10 * 0.5 cos(angle). */
static void torques_on_a_joint(void **state) {
    (void)state;
    keel_joint pin;
    keel_mechanism *m = pendulum(&pin);
    pin.reading[0] = 0.3;
    pin.friction.viscous = 0.7;
    keel_mechanism_add_joint(m, &pin, NULL);
    keel_force torsion = keel_force_default("torsion", KEEL_FORCE_TORSION);
    torsion.joint = "pin", torsion.stiffness = 5, torsion.damping = 2;
    keel_force twist = keel_force_default("twist", KEEL_FORCE_TWIST);
    twist.joint = "pin.angle", twist.component[0] = formula("4*t + pin.angle");
    add_force(m, &torsion);
    add_force(m, &twist);
    add_output(m, "torsion", "torsion.torque");
    probe p = probe_new(m, KEEL_COORDINATES_RELATIVE);
    assert_near(p.q[0], 0.3, 1e-15);
    p.q[0] = 0.3 + 0.2, p.v[0] = 1.5, p.t = 0.25;
    evaluate(&p, KEEL_FORCE | KEEL_POWER | KEEL_ENERGY);
    double drive = 4 * 0.25 + 0.5, weight = -10 * cos(0.2), resist = 5 * 0.2 + 2 * 1.5, value;
    assert_near(p.terms.Q[0], weight - resist + drive - 0.7 * 1.5, 1e-12);
    assert_near(p.terms.power, 1.5 * (drive - 2 * 1.5 - 0.7 * 1.5), 1e-12);
    assert_near(p.work->potential, 5 * 0.2 * 0.2 / 2 + 10 * sin(0.2), 1e-12);
    outputs(&p, &value);
    assert_near(value, resist, 1e-12);
    probe_free(&p);
}

/* A torsion spring is the same in both roles. */
static void torsion_in_both_roles(void **state) {
    (void)state;
    for (int absolute = 0; absolute < 2; absolute++) {
        keel_joint pin;
        keel_mechanism *m = pendulum(&pin);
        keel_mechanism_add_joint(m, &pin, NULL);
        keel_force torsion = keel_force_default("torsion", KEEL_FORCE_TORSION);
        torsion.joint = "pin", torsion.stiffness = 5, torsion.free = 1;
        add_force(m, &torsion);
        probe p = probe_new(m, absolute ? KEEL_COORDINATES_ABSOLUTE : KEEL_COORDINATES_RELATIVE);
        accelerate(&p);
        ki_accelerate(p.mech, p.work, p.a);
        /* (I + m l^2) alpha = -m g l + k */
        assert_near(p.work->state[1].twist_rate[0], (5 - 10) / (0.4 + 2 * 0.25), 1e-12);
        probe_free(&p);
    }
}

/* ---- Coulomb friction ------------------------------------------------------------------------------- */

static keel_mechanism *dry_chain(int planar) {
    keel_mechanism *m = two_bodies(planar);
    keel_joint pin = joint_at("pin", "revolute", KEEL_GROUND, 1, 0.2, 0.1, 0);
    keel_joint second = joint_at("second", planar ? "prismatic" : "cylindrical", 1, 2, 0.5, 0, 0);
    pin.friction.coulomb = 0.3, pin.friction.radius = 0.05, pin.friction.slip = 0.5;
    second.friction = pin.friction;
    set_axis(&second, 1, 0.2, planar ? 0 : 0.4);
    assert_true(keel_mechanism_add_joint(m, &pin, NULL) >= 0);
    assert_true(keel_mechanism_add_joint(m, &second, NULL) >= 0);
    return m;
}

/* The dry joint is at the end of a chain of others. */
static keel_mechanism *dry_end(int planar) {
    keel_mechanism *m = two_bodies(planar);
    keel_joint end = joint_at("end", planar ? "prismatic" : "cylindrical", KEEL_GROUND, 2, 1.5, 0.3, 0);
    end.friction.coulomb = 0.3, end.friction.radius = 0.05, end.friction.slip = 0.5;
    set_axis(&end, 1, 0.2, planar ? 0 : 0.4);
    add_joint(m, "pin", planar ? "revolute" : "spherical", KEEL_GROUND, 1, 0.2, 0.1, 0);
    add_joint(m, "elbow", planar ? "revolute" : "spherical", 1, 2, 0.7, -0.2, 0);
    assert_true(keel_mechanism_add_joint(m, &end, NULL) >= 0);
    return m;
}

static void check_friction(keel_mechanism *m, keel_coordinates coordinates) {
    probe p = probe_new(m, coordinates);
    const keel_system *s = p.system;
    int rows = keel_system_m(s);
    assert_int_equal(s->Q_lambda.rows, s->n_v);
    for (int i = 0; i < s->n_v; i++)
        p.v[i] = any();
    for (int i = 0; i < rows; i++)
        p.lambda[i] = 5 * any();
    evaluate(&p, KEEL_FORCE | KEEL_FORCE_LAMBDA | KEEL_POWER);
    assert_true(p.terms.power < 0);
    double *entries = numbers(s->n_v * rows), *Q = numbers(s->n_v), largest = 0;
    for (int i = 0; i < s->n_v; i++)
        for (int k = s->Q_lambda.start[i]; k < s->Q_lambda.start[i + 1]; k++) {
            entries[i * rows + s->Q_lambda.index[k]] = p.terms.Q_lambda[k];
            assert_true(k == s->Q_lambda.start[i] || s->Q_lambda.index[k] > s->Q_lambda.index[k - 1]);
        }
    for (int j = 0; j < rows; j++) {
        const double h = 1e-5;
        p.lambda[j] += h;
        evaluate(&p, KEEL_FORCE);
        memcpy(Q, p.terms.Q, (size_t)s->n_v * sizeof *Q);
        p.lambda[j] -= 2 * h;
        evaluate(&p, KEEL_FORCE);
        p.lambda[j] += h;
        for (int i = 0; i < s->n_v; i++) {
            double slope = (Q[i] - p.terms.Q[i]) / (2 * h);
            assert_near(entries[i * rows + j], slope, 1e-8);
            largest = fmax(largest, fabs(slope));
        }
    }
    assert_true(largest > 1e-3);
    free(entries);
    free(Q);
    probe_free(&p);
}

static void dry_friction_follows_the_multipliers(void **state) {
    (void)state;
    for (int planar = 0; planar < 2; planar++) {
        check_friction(dry_chain(planar), KEEL_COORDINATES_ABSOLUTE);
        check_friction(dry_end(planar), KEEL_COORDINATES_RELATIVE);
    }
}

/* A pin that carries F: torque mu F radius tanh(speed / slip) against the motion. */
static void dry_friction_of_a_pin(void **state) {
    (void)state;
    keel_joint pin;
    keel_mechanism *m = pendulum(&pin);
    pin.friction.coulomb = 0.2, pin.friction.radius = 0.1, pin.friction.slip = 0.01;
    keel_mechanism_add_joint(m, &pin, NULL);
    probe p = probe_new(m, KEEL_COORDINATES_AUTO);
    const double omega = 2;
    keel_reaction reaction;
    double J[18]; /* orthogonal: each velocity is one component of the twist (omega_z = 2, v_y = 1) */
    keel_point at = probe_point(&p);
    keel_mechanism_body_jacobian(p.system, p.work, &at, 1, J);
    for (int i = 0; i < 3; i++)
        p.v[i] = J[2 * 3 + i] * omega + J[4 * 3 + i] * omega / 2;
    evaluate(&p, KEEL_VELOCITY);
    for (int i = 0; i < p.system->n_h; i++)
        assert_near(p.terms.rate[i], 0, 1e-12);
    p.lambda[0] = 3, p.lambda[1] = -4;
    evaluate(&p, KEEL_POWER | KEEL_FORCE);
    assert_near(p.terms.power, -0.2 * 5 * 0.1 * omega, 1e-9);
    at = probe_point(&p);
    keel_mechanism_reactions(p.system, p.work, &at, p.a, &reaction);
    assert_near(hypot(reaction.force[0], reaction.force[1]), 5, 1e-12);
    probe_free(&p);
}

/* ---- descriptions that cannot be ---------------------------------------------------------------------- */

static void wrong_forces(void **state) {
    (void)state;
    keel_joint pin;
    keel_mechanism *m = pendulum(&pin);
    keel_force spring = force_at("s", KEEL_FORCE_SPRING, 0, 1, P, R);
    keel_mechanism_add_joint(m, &pin, NULL);
    spring.stiffness = 3, spring.law = formula("length");
    add_force(m, &spring);
    expect_message(m, "'s' has a formula and a stiffness");

    m = pendulum(&pin);
    keel_mechanism_add_joint(m, &pin, NULL);
    spring.stiffness = 0, spring.law = formula("lenght");
    add_force(m, &spring);
    expect_message(m, "unknown name 'lenght'; did you mean 'length'?");

    m = pendulum(&pin);
    keel_mechanism_add_joint(m, &pin, NULL);
    spring.law = formula("pin.reaction.force");
    add_force(m, &spring);
    expect_message(m, "known only when the motion is");

    m = pendulum(&pin);
    keel_mechanism_add_joint(m, &pin, NULL);
    spring.law = formula("rod.x''");
    add_force(m, &spring);
    expect_message(m, "rod.x'' is an acceleration: only outputs may use it");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs),
        cmocka_unit_test(bushings),
        cmocka_unit_test(unsymmetric_bushing),
        cmocka_unit_test(bushing_far_turned),
        cmocka_unit_test(law_equals_linear),
        cmocka_unit_test(pushes_and_twists),
        cmocka_unit_test(torques_on_a_joint),
        cmocka_unit_test(torsion_in_both_roles),
        cmocka_unit_test(dry_friction_follows_the_multipliers),
        cmocka_unit_test(dry_friction_of_a_pin),
        cmocka_unit_test(wrong_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
