/* Reactions: they balance every body, do not depend on which joints are in the tree, and are what statics
 * says. */
#include "mechanism_helper.h"

/* One description, to be compiled in both coordinates. */
typedef keel_mechanism *(*maker)(void);

static keel_mechanism *start(int planar) {
    keel_mechanism *m = keel_mechanism_new();
    const double gravity[3] = {0.4, -9.81, planar ? 0 : 1.3};
    keel_mechanism_set_planar(m, planar);
    keel_mechanism_set_gravity(m, gravity);
    return m;
}

static void add_spring(keel_mechanism *m, int a, int b) {
    const double p[3] = {-0.5, 1, 0.2}, r[3] = {0.7, 0.3, 0.1};
    keel_force spring = force_at("spring", KEEL_FORCE_SPRING, a, b, p, r);
    spring.stiffness = 40, spring.damping = 3, spring.free = 0.4;
    add_force(m, &spring);
}

static keel_mechanism *double_pendulum(void) {
    keel_mechanism *m = start(1);
    int a = add_body(m, "a", 1, 0.5, 0.1, 0), b = add_body(m, "b", 2, 1.4, 0.3, 0);
    keel_joint pin = joint_at("pin", "revolute", KEEL_GROUND, a, 0, 0, 0);
    pin.friction.viscous = 0.3;
    keel_mechanism_add_joint(m, &pin, NULL);
    add_joint(m, "elbow", "revolute", b, a, 1, 0.2, 0); /* described from the far end */
    add_spring(m, KEEL_GROUND, b);
    return m;
}

static keel_mechanism *four_bar(void) {
    keel_mechanism *m = start(1);
    int crank = add_body(m, "crank", 1, 0.1, 0.4, 0), coupler = add_body(m, "coupler", 2, 1, 1, 0);
    int rocker = add_body(m, "rocker", 1.5, 1.9, 0.5, 0);
    add_joint(m, "A", "revolute", KEEL_GROUND, crank, 0, 0, 0);
    add_joint(m, "B", "revolute", crank, coupler, 0.2, 0.8, 0);
    add_joint(m, "C", "revolute", coupler, rocker, 1.8, 1.1, 0);
    add_joint(m, "D", "revolute", rocker, KEEL_GROUND, 2, 0, 0);
    add_spring(m, crank, rocker);
    keel_force torsion = keel_force_default("torsion", KEEL_FORCE_TORSION);
    torsion.joint = "B", torsion.stiffness = 7, torsion.damping = 1, torsion.free = 0.4;
    add_force(m, &torsion);
    return m;
}

static keel_mechanism *slider_crank(void) {
    keel_mechanism *m = start(1);
    int crank = add_body(m, "crank", 1, 0.1, 0.4, 0), rod = add_body(m, "rod", 2, 1, 0.4, 0);
    int slider = add_body(m, "slider", 1.5, 2, 0.1, 0);
    add_joint(m, "A", "revolute", KEEL_GROUND, crank, 0, 0, 0);
    add_joint(m, "B", "revolute", crank, rod, 0.2, 0.8, 0);
    add_joint(m, "C", "revolute", rod, slider, 2, 0, 0);
    keel_joint rail = joint_at("rail", "prismatic", KEEL_GROUND, slider, 1.5, 0, 0);
    set_axis(&rail, 1, 0.2, 0);
    keel_mechanism_add_joint(m, &rail, NULL);
    keel_motion drive = {.name = "drive", .quantity = "A.angle", .speed = 3};
    keel_mechanism_add_motion(m, &drive, NULL);
    return m;
}

/* A tree of every kind of joint in space. */
static keel_mechanism *spatial_tree(void) {
    static const char *const TYPES[] = {"revolute",  "spherical", "universal", "cylindrical",
                                        "prismatic", "planar",    "screw",     "fixed"};
    enum { COUNT = sizeof TYPES / sizeof *TYPES };
    static const char *const NAMES[COUNT] = {"b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8"};
    keel_mechanism *m = start(0);
    for (int i = 0; i < COUNT; i++) {
        int before = i % 3 == 2 ? i - 1 : i; /* some branch off */
        int body = add_body(m, NAMES[i], 0.5 + 0.1 * i, 0.5 * i + 0.3, 0.1 * i, 0.2 - 0.1 * i);
        bool turned = i % 2 == 1 && i != 6;
        keel_joint joint = joint_at(TYPES[i], TYPES[i], turned ? body : before, turned ? before : body,
                                    0.5 * i, 0.1, -0.1 * i);
        set_axis(&joint, 0.3 * i - 1, 1, 0.2 * i);
        joint.across[0][0] = joint.across[1][0] = 1;
        joint.across[0][2] = joint.across[1][2] = -0.4;
        joint.pitch = 0.2;
        assert_true(keel_mechanism_add_joint(m, &joint, NULL) >= 0);
    }
    add_spring(m, KEEL_GROUND, COUNT);
    return m;
}

/* Revolute, universal, spherical, prismatic: a closed loop without redundancy. */
static keel_mechanism *spatial_slider_crank(void) {
    keel_mechanism *m = start(0);
    int crank = add_body(m, "crank", 1, 0, 0.1, 0.1), rod = add_body(m, "rod", 0.5, 0.2, 0.05, 0.05);
    int slider = add_body(m, "slider", 2, 0.4, 0, 0);
    keel_joint pin = joint_at("pin", "revolute", KEEL_GROUND, crank, 0, 0.1, 0.12);
    set_axis(&pin, 1, 0, 0);
    keel_mechanism_add_joint(m, &pin, NULL);
    add_joint(m, "ball", "spherical", crank, rod, 0, 0.1, 0.2);
    keel_joint cross = joint_at("cross", "universal", rod, slider, 0.4, 0, 0);
    set_axis(&cross, 0, 1, 0.3);
    cross.across[0][2] = cross.across[1][2] = 1;
    keel_mechanism_add_joint(m, &cross, NULL);
    keel_joint rail = joint_at("rail", "prismatic", slider, KEEL_GROUND, 0.3, 0, 0);
    set_axis(&rail, 1, 0, 0);
    keel_mechanism_add_joint(m, &rail, NULL);
    return m;
}

/* Two wheels that gear, on an arm that turns. */
static keel_mechanism *geared(void) {
    keel_mechanism *m = start(1);
    int arm = add_body(m, "arm", 1, 0.5, 0, 0), a = add_body(m, "a", 2, 0.1, 0, 0);
    int b = add_body(m, "b", 1.5, 1, 0.1, 0);
    add_joint(m, "pin", "revolute", KEEL_GROUND, arm, 0, 0, 0);
    int first = add_joint(m, "first", "revolute", arm, a, 0, 0, 0);
    int second = add_joint(m, "second", "revolute", arm, b, 1, 0, 0);
    keel_joint gear = keel_joint_default("gear", "gear", -1, -1);
    gear.body[0] = gear.body[1] = KEEL_GROUND;
    gear.joint[0] = first, gear.joint[1] = second, gear.ratio = -2;
    assert_true(keel_mechanism_add_joint(m, &gear, NULL) >= 0);
    return m;
}

static keel_mechanism *rolling(void) {
    keel_mechanism *m = start(0);
    int coin = add_body(m, "coin", 1, 0, 0, 0.5);
    keel_joint wheel = joint_at("wheel", "wheel", KEEL_GROUND, coin, 0, 0, 0.5);
    wheel.radius = 0.5;
    for (int i = 0; i < 3; i++) {
        wheel.at[0][i] = 0;
        wheel.axis[0][i] = i == 2;
        wheel.axis[1][i] = i == 1;
    }
    assert_true(keel_mechanism_add_joint(m, &wheel, NULL) >= 0);
    return m;
}

/* ---- Newton and Euler --------------------------------------------------------------------------------- */

/* What is missing on body b: applied wrench + wrench of rows that are no joint's + reactions - inertia. */
static void missing(const probe *p, const keel_reaction *reactions, int b, double force[3],
                    double torque[3]) {
    const ki_mech *mech = p->mech;
    const ki_state *s = &p->work->state[b];
    int d = mech->d;
    const double *w = p->work->wrench[b];
    double wide[6] = {0};
    for (int i = 0; i < 6 && d == KI_SPATIAL; i++)
        wide[i] = w[i];
    if (d == KI_PLANAR)
        wide[2] = w[0], wide[3] = w[1], wide[4] = w[2];
    ki_copy3(wide, torque);
    ki_copy3(wide + 3, force);
    for (int j = 0; j < mech->described_joints; j++)
        for (int side = 0; side < 2; side++) {
            const ki_joint *joint = &mech->joint[j];
            double sign = side ? 1 : -1, place[3], arm[3];
            if (joint->body[side] != b || joint->type->couples)
                continue;
            const ki_state *s1 = &p->work->state[joint->body[1]];
            ki_rotate(s1->R, joint->frame[1].r, place);
            ki_add_scaled(1, s1->r, place);
            ki_minus(place, s->r, arm);
            double F[3] = {0}, T[3] = {0};
            ki_add_scaled(sign, reactions[j].force, F);
            ki_add_scaled(sign, reactions[j].torque, T);
            ki_add_cross(arm, F, T);
            ki_add_scaled(1, F, force);
            ki_add_scaled(1, T, torque);
        }
}

static bool is_of_a_joint(const ki_mech *mech, int part) {
    for (int j = 0; j < mech->described_joints; j++) {
        const ki_joint *joint = &mech->joint[j];
        const ki_joint_role *role = ki_role(joint, mech->d);
        int first = mech->layout->joint_part[j];
        if (!joint->tree && !joint->type->couples && part >= first && part < first + role->n_h + role->n_n)
            return true;
    }
    return false;
}

static void check_balance(probe *p, const keel_reaction *reactions) {
    const ki_mech *mech = p->mech;
    const ki_layout *l = mech->layout;
    ki_body_wrenches(mech, p->work, true);
    ki_apply_forces(mech, p->work, p->t, p->lambda);
    for (int k = 0; k < l->part_count; k++)
        if (!is_of_a_joint(mech, k)) /* but of a coupling or a motion */
            ki_add_row_force(mech, p->work, l->part[k].body, &p->work->rows[k], -p->lambda[l->part[k].row]);
    for (int b = 1; b < mech->body_count; b++) {
        double force[3], torque[3];
        missing(p, reactions, b, force, torque);
        for (int i = 0; i < 3; i++) {
            assert_near(force[i], 0, 1e-10);
            assert_near(torque[i], 0, 1e-10);
        }
    }
}

/* Velocities of `to` that give every body the twist it has in `from`: least squares, J^T J v = J^T twist. */
static void same_twists(probe *from, probe *to) {
    int n = to->system->n_v, m = from->system->n_v, bodies = from->mech->facts.bodies;
    double *A = numbers(n * n), *r = numbers(n), *J = numbers(6 * n), *I = numbers(6 * m);
    keel_point at[2] = {probe_point(from), probe_point(to)};
    for (int b = 1; b <= bodies; b++) {
        keel_mechanism_body_jacobian(from->system, from->work, &at[0], b, I);
        keel_mechanism_body_jacobian(to->system, to->work, &at[1], b, J);
        for (int k = 0; k < 6; k++) {
            double twist = 0;
            for (int i = 0; i < m; i++)
                twist += I[k * m + i] * from->v[i];
            for (int i = 0; i < n; i++) {
                r[i] += J[k * n + i] * twist;
                for (int j = 0; j < n; j++)
                    A[i * n + j] += J[k * n + i] * J[k * n + j];
            }
        }
    }
    for (int i = 0; i < n; i++) /* elimination; A is positive definite */
        for (int k = i + 1; k < n; k++) {
            double f = A[k * n + i] / A[i * n + i];
            for (int j = i; j < n; j++)
                A[k * n + j] -= f * A[i * n + j];
            r[k] -= f * r[i];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            r[i] -= A[i * n + j] * to->v[j];
        to->v[i] = r[i] / A[i * n + i];
    }
    free(A), free(r), free(J), free(I);
}

static void reactions_of(probe *p, keel_reaction *reactions) {
    keel_point at = probe_point(p);
    assert_int_equal(keel_mechanism_reactions(p->system, p->work, &at, p->a, reactions), KEEL_OK);
}

static void compare(const double *a, const double *b) {
    for (int i = 0; i < 3; i++)
        assert_near(a[i], b[i], 1e-9 * (1 + fabs(a[i])));
}

static void check_mechanism(maker make) {
    enum { MOST = 16 };
    keel_reaction relative[MOST], absolute[MOST];
    probe p = probe_new(make(), KEEL_COORDINATES_RELATIVE), o = probe_new(make(), KEEL_COORDINATES_ABSOLUTE);
    any_seed = 17;
    set_in_motion(&p);
    reactions_of(&p, relative);
    check_balance(&p, relative);
    same_twists(&p, &o);
    evaluate(&o, KEEL_VELOCITY);
    for (int i = 0; i < keel_system_m(o.system); i++)
        assert_near(o.terms.rate[i], 0, 1e-10);
    accelerate(&o);
    reactions_of(&o, absolute);
    check_balance(&o, absolute);
    for (int j = 0; j < p.mech->facts.joints; j++) {
        compare(relative[j].force, absolute[j].force);
        compare(relative[j].torque, absolute[j].torque);
        compare(relative[j].local_force, absolute[j].local_force);
        compare(relative[j].local_torque, absolute[j].local_torque);
    }
    probe_free(&p);
    probe_free(&o);
}

static void reactions_balance_in_both_roles(void **state) {
    (void)state;
    static const maker MAKERS[] = {double_pendulum,      four_bar, slider_crank, spatial_tree,
                                   spatial_slider_crank, geared,   rolling};
    for (size_t i = 0; i < sizeof MAKERS / sizeof *MAKERS; i++)
        check_mechanism(MAKERS[i]);
}

/* ---- closed forms ------------------------------------------------------------------------------------- */

/* A chain of N links of mass m that hangs at rest: joint k carries the weight of the N - k links below it. */
static void hanging_chain(void **state) {
    (void)state;
    enum { N = 5 };
    static const char *const LINKS[N] = {"l1", "l2", "l3", "l4", "l5"}, *const PINS[N] = {"p1", "p2", "p3",
                                                                                          "p4", "p5"};
    for (int planar = 0; planar < 2; planar++)
        for (int c = KEEL_COORDINATES_AUTO; c <= KEEL_COORDINATES_ABSOLUTE; c++) {
            keel_mechanism *m = keel_mechanism_new();
            const double gravity[3] = {0, -10, 0};
            keel_mechanism_set_planar(m, planar);
            keel_mechanism_set_gravity(m, gravity);
            for (int i = 0; i < N; i++) {
                int link = add_body(m, LINKS[i], 0.5, 0, -i - 0.5, 0);
                add_joint(m, PINS[i], planar ? "revolute" : "spherical", link - 1, link, 0, -i, 0);
            }
            add_output(m, "top", "p1.reaction.force");
            add_output(m, "top.y", "p1.reaction.force.y");
            add_output(m, "third", "p3.reaction.force.axis_y + p3.reaction.torque");
            probe p = probe_new(m, (keel_coordinates)c);
            keel_reaction reactions[N];
            double values[3];
            accelerate(&p);
            reactions_of(&p, reactions);
            for (int i = 0; i < N; i++) {
                const double expected[3] = {0, 5.0 * (N - i), 0}, none[3] = {0};
                compare(reactions[i].force, expected);
                compare(reactions[i].torque, none);
            }
            outputs(&p, values);
            assert_near(values[0], 25, 1e-9);
            assert_near(values[1], 25, 1e-9);
            assert_near(values[2], 15, 1e-9);
            probe_free(&p);
        }
}

/* A clamped beam of weight 20 at 1.5 from the clamp: force and moment of statics,
 * in world axes and in those of the joint, whose z axis is the world's x. */
static void clamped_beam(void **state) {
    (void)state;
    for (int c = KEEL_COORDINATES_AUTO; c <= KEEL_COORDINATES_ABSOLUTE; c++)
        for (int reversed = 0; reversed < 2; reversed++) {
            keel_mechanism *m = keel_mechanism_new();
            const double gravity[3] = {0, -10, 0};
            keel_mechanism_set_gravity(m, gravity);
            int beam = add_body(m, "beam", 2, 1.5, 0, 0);
            add_body(m, "ball", 1, 5, 5, 5); /* something must move */
            keel_joint clamp = joint_at("clamp", "fixed", reversed ? beam : KEEL_GROUND,
                                        reversed ? KEEL_GROUND : beam, 0, 0, 0);
            set_axis(&clamp, 1, 0, 0);
            clamp.across[0][1] = clamp.across[1][1] = 1;
            keel_mechanism_add_joint(m, &clamp, NULL);
            probe p = probe_new(m, (keel_coordinates)c);
            keel_reaction r;
            accelerate(&p);
            reactions_of(&p, &r);
            double sign = reversed ? -1 : 1, force[3] = {0, 20 * sign, 0}, torque[3] = {0, 0, 30 * sign};
            compare(r.force, force);
            compare(r.torque, torque);
            /* x of the joint is y of the world, y of the joint is z of the world */
            assert_near(r.local_force[0], 20 * sign, 1e-9);
            assert_near(r.local_torque[1], 30 * sign, 1e-9);
            probe_free(&p);
        }
}

/* A level rod of weight 20 that is turned at constant speed: the drive holds m g l = 10, the pin carries
 * the weight and the centripetal force m l omega^2 = 9. */
static void drive_of_a_rod(void **state) {
    (void)state;
    for (int c = KEEL_COORDINATES_AUTO; c <= KEEL_COORDINATES_ABSOLUTE; c++) {
        keel_mechanism *m = keel_mechanism_new();
        const double gravity[3] = {0, -10, 0};
        double x[3];
        keel_mechanism_set_planar(m, 1);
        keel_mechanism_set_gravity(m, gravity);
        int rod = add_body(m, "rod", 2, 0.5, 0, 0);
        add_joint(m, "pin", "revolute", KEEL_GROUND, rod, 0, 0, 0);
        keel_motion drive = {.name = "drive", .quantity = "pin.angle", .speed = 3};
        keel_mechanism_add_motion(m, &drive, NULL);
        add_output(m, "torque", "drive.torque");
        add_output(m, "x", "pin.reaction.force.x");
        add_output(m, "y", "pin.reaction.force.y");
        probe p = probe_new(m, (keel_coordinates)c);
        project_velocities(&p);
        accelerate(&p);
        outputs(&p, x);
        assert_near(x[0], 10, 1e-9);
        assert_near(x[1], -9, 1e-9);
        assert_near(x[2], 20, 1e-9);
        probe_free(&p);
    }
}

/* Without accelerations: what the multipliers alone do, bodies without weight. */
static void multipliers_alone(void **state) {
    (void)state;
    probe p = probe_new(four_bar(), KEEL_COORDINATES_RELATIVE);
    keel_reaction r[4];
    keel_point at = probe_point(&p);
    keel_mechanism_reactions(p.system, p.work, &at, NULL, r);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 3; i++)
            assert_near(r[j].force[i], 0, 0);
    p.lambda[0] = 1;
    at = probe_point(&p);
    keel_mechanism_reactions(p.system, p.work, &at, NULL, r);
    double largest = 0;
    for (int j = 0; j < 4; j++)
        largest = fmax(largest, hypot(r[j].force[0], r[j].force[1]));
    assert_near(largest, 1, 1e-12); /* one unit of force in the cut joint goes around the loop */
    probe_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reactions_balance_in_both_roles),
        cmocka_unit_test(hanging_chain),
        cmocka_unit_test(clamped_beam),
        cmocka_unit_test(drive_of_a_rod),
        cmocka_unit_test(multipliers_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
