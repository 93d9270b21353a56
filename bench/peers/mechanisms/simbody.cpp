// Simbody 3.7: joints of the tree as mobilizers (relative coordinates, recursive dynamics), loops as
// constraints, adaptive integrators that project positions and velocities after every step.
#include "cases.hpp"
#include "problems.hpp"

#include "../../driver.h"

#include <Simbody.h>
#include <cstring>
#include <dlfcn.h>
#include <memory>

using namespace SimTK;
using mech::joint;

static Vec3 to(mech::vec a) {
    return Vec3(a.x, a.y, a.z);
}

static mech::vec from(const Vec3 &a) {
    return {a[0], a[1], a[2]};
}

struct model {
    mech::mechanism m;
    MultibodySystem system;
    SimbodyMatterSubsystem matter;
    GeneralForceSubsystem forces;
    std::vector<MobilizedBody> bodies;
    State start;

    explicit model(const mech::mechanism &m_in) : m(m_in), matter(system), forces(system) {}

    MobilizedBody &body(int i) {
        return i == mech::GROUND ? matter.updGround() : bodies[static_cast<size_t>(i)];
    }

    // a drawn point in the frame of a body, whose origin is at its joint
    Vec3 local(int i, mech::vec drawn) { return to(drawn - mech::origin(m, i)); }
};

// A body's frame has its origin at its joint and world axes in the drawn pose.
static Body rigid(const mech::body &b) {
    const mech::vec *r = b.inertia.row;
    Inertia central(Vec3(r[0].x, r[1].y, r[2].z), Vec3(r[0].y, r[0].z, r[1].z));
    Vec3 centre = to(b.centre - b.joint.at);
    return Body::Rigid(MassProperties(b.mass, centre, central.shiftFromMassCenter(centre, b.mass)));
}

static MobilizedBody mobilizer(model &s, const mech::body &b) {
    const mech::connection &c = b.joint;
    MobilizedBody &parent = s.body(c.first);
    UnitVec3 axis(to(c.axis));
    Vec3 at = s.local(c.first, c.at);
    if (c.type == joint::pin) {
        Rotation R(axis, ZAxis);
        return MobilizedBody::Pin(parent, Transform(R, at), rigid(b), Transform(R));
    }
    if (c.type == joint::slide) {
        Rotation R(axis, XAxis);
        return MobilizedBody::Slider(parent, Transform(R, at), rigid(b), Transform(R));
    }
    if (c.type == joint::universal) {
        Rotation R(axis, XAxis, to(c.side), YAxis);
        return MobilizedBody::Universal(parent, Transform(R, at), rigid(b), Transform(R));
    }
    return MobilizedBody::Free(parent, Transform(at), rigid(b), Transform());
}

// A pin in the plane has two conditions, point on the line of the pin; in space a ball and two right angles.
static void close_loop(model &s, const mech::connection &c) {
    MobilizedBody &a = s.body(c.first), &b = s.body(c.second);
    Vec3 at_a = s.local(c.first, c.at), at_b = s.local(c.second, c.at);
    UnitVec3 axis(to(c.axis));
    if (c.type == joint::pin && s.m.planar) {
        Constraint::PointOnLine(a, axis, at_a, b, at_b);
        return;
    }
    Constraint::Ball(a, at_a, b, at_b);
    if (c.type == joint::pin) {
        UnitVec3 side(to(mech::across(c.axis)));
        Constraint::ConstantAngle(a, side, b, axis);
        Constraint::ConstantAngle(a, UnitVec3(axis % side), b, axis);
    }
}

static void add_forces(model &s) {
    Force::UniformGravity(s.forces, s.matter, to(s.m.gravity));
    for (const mech::strut &k : s.m.struts) {
        Vec3 at_a = s.local(k.a, k.at_a), at_b = s.local(k.b, k.at_b);
        Force::TwoPointLinearSpring(s.forces, s.body(k.a), at_a, s.body(k.b), at_b, k.stiffness, k.free);
        if (k.damping > 0)
            Force::TwoPointLinearDamper(s.forces, s.body(k.a), at_a, s.body(k.b), at_b, k.damping);
    }
    for (size_t i = 0; i < s.bodies.size(); i++) {
        const mech::connection &c = s.m.bodies[i].joint;
        if (c.effort > 0)
            Force::MobilityConstantForce(s.forces, s.bodies[i], 0, c.effort);
        if (c.stiffness > 0)
            Force::MobilityLinearSpring(s.forces, s.bodies[i], 0, c.stiffness, 0);
    }
}

static void set_start(model &s) {
    s.start = s.system.realizeTopology();
    s.system.realizeModel(s.start);
    for (size_t i = 0; i < s.bodies.size(); i++) {
        const mech::connection &c = s.m.bodies[i].joint;
        if (c.type == joint::free) {
            s.bodies[i].setUToFitAngularVelocity(s.start, to(c.spin));
            s.bodies[i].setUToFitLinearVelocity(s.start, to(c.velocity));
        } else {
            s.bodies[i].setOneU(s.start, 0, c.rate[0]);
            if (c.type == joint::universal)
                s.bodies[i].setOneU(s.start, 1, c.rate[1]);
        }
    }
    s.system.project(s.start, 1e-14);
}

static std::unique_ptr<model> build(const mech::mechanism &m) {
    auto s = std::make_unique<model>(m);
    for (const mech::body &b : m.bodies)
        s->bodies.push_back(mobilizer(*s, b));
    for (const mech::connection &c : m.loops)
        close_loop(*s, c);
    add_forces(*s);
    set_start(*s);
    return s;
}

static std::unique_ptr<Integrator> integrator(const std::string &method, const MultibodySystem &system) {
    if (method == "merson")
        return std::make_unique<RungeKuttaMersonIntegrator>(system);
    if (method == "fehlberg")
        return std::make_unique<RungeKuttaFeldbergIntegrator>(system);
    if (method == "rk3")
        return std::make_unique<RungeKutta3Integrator>(system);
    if (method == "verlet")
        return std::make_unique<VerletIntegrator>(system);
    if (method == "cpodes-bdf")
        return std::make_unique<CPodesIntegrator>(system, CPodes::BDF, CPodes::Newton);
    return nullptr;
}

static std::vector<mech::motion> motions(const model &s, const State &state) {
    std::vector<mech::motion> all;
    for (size_t i = 0; i < s.bodies.size(); i++) {
        const MobilizedBody &b = s.bodies[i];
        const Vec3 centre = b.getBodyMassCenterStation(state);
        const Rotation &R = b.getBodyRotation(state);
        mech::motion now;
        for (int k = 0; k < 3; k++)
            now.R.row[k] = {R[k][0], R[k][1], R[k][2]};
        now.centre = from(b.findStationLocationInGround(state, centre));
        now.velocity = from(b.findStationVelocityInGround(state, centre));
        now.spin = from(b.getBodyAngularVelocity(state));
        now.angle = s.m.bodies[i].joint.type == joint::pin ? b.getOneQ(state, 0) : 0;
        all.push_back(now);
    }
    return all;
}

static int run(const char *problem, const char *method, double value, bench_result *result) {
    try {
        std::unique_ptr<model> s = build(mech::problem(problem));
        std::unique_ptr<Integrator> solver = integrator(method, s->system);
        solver->setAccuracy(value);
        // projection is a small part of a step: loops are kept well below the error of the step
        solver->setConstraintTolerance(std::max(1e-2 * value, 1e-13));
        solver->setProjectEveryStep(true);
        solver->setAllowInterpolation(false);
        solver->initialize(s->start);
        solver->resetAllStatistics();
        bench_start_clock();
        while (solver->getTime() < s->m.until)
            solver->stepTo(s->m.until);
        bench_stop_clock();
        const State &end = solver->getState();
        s->system.realize(end, Stage::Velocity);
        mech::observe(s->m, motions(*s, end), result);
        result->steps = solver->getNumStepsTaken();
        result->evaluations = solver->getNumRealizations();
        return 0;
    } catch (const std::exception &e) {
        return mech::failed(result, e.what());
    }
}

int main(int argc, char **argv) {
    // this thread's clock is read: the BLAS below Simbody must not work on others
    if (void *set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
        reinterpret_cast<void (*)(int)>(set)(1);
    // to the tolerance where a run takes about five seconds; Verlet and RK3 of low order sooner
    struct {
        const char *problem;
        double tightest;
        bool small;
    } table[] = {{"a03", 1e-10, true},       {"fourbar-1", 1e-11, true},   {"fourbar-2", 1e-11, true},
                 {"fourbar-10", 1e-9, true}, {"fourbar-40", 1e-6, false},  {"bricard", 1e-12, true},
                 {"governor", 1e-9, true},   {"slidercrank", 1e-10, true}, {"chain-10", 1e-12, true},
                 {"chain-100", 1e-11, true}, {"chain-1000", 1e-8, false},  {"chain-10000", 1e-3, false},
                 {"stewart", 1e-9, true},    {"pendulum-10", 1e-12, true}, {"pendulum-100", 1e-11, true}};
    mech::case_list cases;
    for (const auto &row : table) {
        cases.tolerances(row.problem, "merson", 1e-2, row.tightest);
        cases.tolerances(row.problem, "fehlberg", 1e-2, row.tightest);
        if (!row.small)
            continue;
        cases.tolerances(row.problem, "rk3", 1e-2, std::max(row.tightest, 1e-7));
        cases.tolerances(row.problem, "verlet", 1e-2, std::max(row.tightest, 1e-6));
        cases.tolerances(row.problem, "cpodes-bdf", 1e-2, row.tightest);
    }
    return cases.main(argc, argv, run);
}
