// ODE 0.16: every body has six freedoms, every joint is a set of conditions on velocities; in each step of
// fixed size (semi-implicit Euler) an LCP finds impulses that hold them and take a part, ERP, of the
// violation back. The methods:
//     step     dWorldStep, direct: one dense matrix of all conditions
//     quick    dWorldQuickStep, iterative: cost proportional to the conditions, which are then held only
//     roughly
#include "cases.hpp"
#include "problems.hpp"

#include "../../driver.h"

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <ode/ode.h>

using mech::joint;
using mech::vec;

struct model {
    mech::mechanism m;
    dWorldID world = dWorldCreate();
    std::vector<dBodyID> bodies;
    std::vector<dJointID> joints; // of the tree, by body
    std::vector<double> angles;   // of the pins, all turns counted

    ~model() { dWorldDestroy(world); }
    dBodyID body(int i) const { return i == mech::GROUND ? nullptr : bodies[static_cast<size_t>(i)]; }
};

static void add_body(model &s, const mech::body &b, const mech::motion &start) {
    dBodyID id = dBodyCreate(s.world);
    s.bodies.push_back(id);
    dMass mass;
    const vec *r = b.inertia.row;
    dMassSetParameters(&mass, b.mass, 0, 0, 0, r[0].x, r[1].y, r[2].z, r[0].y, r[0].z, r[1].z);
    dBodySetMass(id, &mass);
    dBodySetPosition(id, b.centre.x, b.centre.y, b.centre.z);
    dBodySetLinearVel(id, start.velocity.x, start.velocity.y, start.velocity.z);
    dBodySetAngularVel(id, start.spin.x, start.spin.y, start.spin.z);
    dBodySetFiniteRotationMode(id, 1);
}

static dJointID add_joint(const model &s, const mech::connection &c) {
    const vec p = c.at, a = c.axis;
    dBodyID first = s.body(c.first), second = s.body(c.second);
    dJointID id;
    if (c.type == joint::pin) {
        dJointAttach(id = dJointCreateHinge(s.world, nullptr), second, first);
        dJointSetHingeAnchor(id, p.x, p.y, p.z);
        dJointSetHingeAxis(id, a.x, a.y, a.z);
    } else if (c.type == joint::slide) {
        dJointAttach(id = dJointCreateSlider(s.world, nullptr), second, first);
        dJointSetSliderAxis(id, a.x, a.y, a.z);
    } else if (c.type == joint::universal) {
        dJointAttach(id = dJointCreateUniversal(s.world, nullptr), second, first);
        dJointSetUniversalAnchor(id, p.x, p.y, p.z);
        dJointSetUniversalAxis1(id, c.side.x, c.side.y, c.side.z);
        dJointSetUniversalAxis2(id, a.x, a.y, a.z);
    } else {
        dJointAttach(id = dJointCreateBall(s.world, nullptr), second, first);
        dJointSetBallAnchor(id, p.x, p.y, p.z);
    }
    return id;
}

static void build(model &s) {
    dWorldSetGravity(s.world, s.m.gravity.x, s.m.gravity.y, s.m.gravity.z);
    dWorldSetERP(s.world, 0.8);
    dWorldSetCFM(s.world, 1e-9);
    dWorldSetQuickStepNumIterations(s.world, 50);
    const std::vector<mech::motion> start = mech::start(s.m);
    for (size_t i = 0; i < s.m.bodies.size(); i++)
        add_body(s, s.m.bodies[i], start[i]);
    for (const mech::body &b : s.m.bodies)
        s.joints.push_back(add_joint(s, b.joint));
    // in the plane the other joints keep the axes parallel: what closes a loop is a ball
    for (mech::connection c : s.m.loops) {
        c.type = s.m.planar ? joint::ball : c.type;
        add_joint(s, c);
    }
    s.angles.assign(s.bodies.size(), 0);
}

static vec from(const dReal *a) {
    return {a[0], a[1], a[2]};
}

static mech::motion motion_of(const model &s, size_t i) {
    const dReal *R = dBodyGetRotation(s.bodies[i]);
    mech::motion now;
    for (int k = 0; k < 3; k++)
        now.R.row[k] = from(R + 4 * k);
    now.centre = from(dBodyGetPosition(s.bodies[i]));
    now.velocity = from(dBodyGetLinearVel(s.bodies[i]));
    now.spin = from(dBodyGetAngularVel(s.bodies[i]));
    now.angle = s.angles[i];
    return now;
}

static void push(dBodyID b, vec f, vec at) {
    if (b)
        dBodyAddForceAtPos(b, f.x, f.y, f.z, at.x, at.y, at.z);
}

// ODE has no springs: forces by hand, before every step.
static void apply_forces(const model &s, std::vector<mech::motion> &now) {
    for (const mech::strut &k : s.m.struts) {
        for (int end : {k.a, k.b})
            if (end != mech::GROUND)
                now[static_cast<size_t>(end)] = motion_of(s, static_cast<size_t>(end));
        const vec f = mech::strut_force(s.m, now, k);
        push(s.body(k.b), f, mech::place(s.m, now, k.b, k.at_b));
        push(s.body(k.a), -1 * f, mech::place(s.m, now, k.a, k.at_a));
    }
    for (size_t i = 0; i < s.bodies.size(); i++)
        if (s.m.bodies[i].joint.effort > 0)
            dJointAddHingeTorque(s.joints[i], s.m.bodies[i].joint.effort);
}

// ODE tells angles between -pi and pi
static void count_turns(model &s) {
    for (const mech::observation &o : s.m.observed) {
        if (o.what != mech::observation::angle)
            continue;
        const size_t i = static_cast<size_t>(o.body);
        s.angles[i] += std::remainder(dJointGetHingeAngle(s.joints[i]) - s.angles[i], 2 * M_PI);
    }
}

static int run(const char *problem, const char *method, double value, bench_result *result) {
    model s;
    s.m = mech::problem(problem);
    build(s);
    const long steps = std::lround(s.m.until / value);
    const double h = s.m.until / static_cast<double>(steps);
    const bool quick = std::strcmp(method, "quick") == 0;
    std::vector<mech::motion> now(s.bodies.size());
    bench_start_clock();
    for (long i = 0; i < steps; i++) {
        apply_forces(s, now);
        if (!(quick ? dWorldQuickStep(s.world, h) : dWorldStep(s.world, h)))
            return mech::failed(result, "not enough memory for a step");
        count_turns(s);
    }
    bench_stop_clock();
    for (size_t i = 0; i < now.size(); i++)
        now[i] = motion_of(s, i);
    mech::observe(s.m, now, result);
    result->steps = result->evaluations = steps;
    return 0;
}

// a state that is not finite ends the program from inside of ODE
static void on_error(int, const char *text, va_list arguments) {
    std::printf("status=failed why=");
    std::vprintf(text, arguments);
    std::printf("\n");
    std::exit(1);
}

int main(int argc, char **argv) {
    dSetDebugHandler(on_error);
    dSetErrorHandler(on_error);
    dInitODE2(0);
    mech::case_list cases;
    struct {
        const char *problem;
        double largest, step, quick; // least steps of the two methods
    } table[] = {{"a03", 2e-5, 2e-7, 1e-6},        {"fourbar-1", 0.02, 5e-5, 2e-4},
                 {"fourbar-2", 0.02, 5e-5, 2e-4},  {"fourbar-10", 0.02, 6e-4, 4e-4},
                 {"fourbar-40", 0.02, 0.01, 1e-3}, {"fourbar-100", 0.02, 1, 2.5e-3},
                 {"bricard", 0.01, 2e-5, 1e-4},    {"slidercrank", 1e-3, 4e-6, 3e-5},
                 {"chain-10", 0.02, 1e-5, 2e-5},   {"chain-100", 0.02, 2.5e-3, 2e-4},
                 {"chain-1000", 0.02, 1, 2.5e-3}};
    for (const auto &row : table) {
        if (row.step < row.largest)
            cases.steps(row.problem, "step", row.largest, row.step);
        cases.steps(row.problem, "quick", row.largest, row.quick);
    }
    const int status = cases.main(argc, argv, run);
    dCloseODE();
    return status;
}
