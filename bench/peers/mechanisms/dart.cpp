// DART 6.12: joints of the tree in relative coordinates (recursive dynamics), loops as impulses that an LCP
// finds in every step. One fixed-step integrator, semi-implicit Euler: errors and violations fall with h. A
// loop takes part in the form of a ball (in space a pin is two balls on its axis; DART has no other that
// fits).
#include "cases.hpp"
#include "problems.hpp"

#include "../../driver.h"

#include <csignal>
#include <cstdlib>

// not <dart/dart.hpp>: it wants headers of further packages
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/UniversalJoint.hpp>
#include <dart/simulation/World.hpp>

using namespace dart;
using mech::joint;

static Eigen::Vector3d to(mech::vec a) {
    return {a.x, a.y, a.z};
}

static mech::vec from(const Eigen::Vector3d &a) {
    return {a[0], a[1], a[2]};
}

struct model {
    mech::mechanism m;
    simulation::WorldPtr world = simulation::World::create();
    dynamics::SkeletonPtr skeleton = dynamics::Skeleton::create("mechanism");
    std::vector<dynamics::BodyNode *> bodies;

    dynamics::BodyNode *body(int i) const {
        return i == mech::GROUND ? nullptr : bodies[static_cast<size_t>(i)];
    }
};

template <class Joint>
static std::pair<Joint *, dynamics::BodyNode *> pair_of(const model &s, const mech::connection &c) {
    const std::string name = std::to_string(c.second);
    typename Joint::Properties own;
    own.mName = "joint " + name;
    const dynamics::BodyNode::AspectProperties body(name);
    return s.skeleton->createJointAndBodyNodePair<Joint>(s.body(c.first), own,
                                                         dynamics::BodyNode::Properties(body));
}

static dynamics::BodyNode *hang(const model &s, const mech::connection &c) {
    if (c.type == joint::pin) {
        auto pair = pair_of<dynamics::RevoluteJoint>(s, c);
        pair.first->setAxis(to(c.axis));
        return pair.second;
    }
    if (c.type == joint::slide) {
        auto pair = pair_of<dynamics::PrismaticJoint>(s, c);
        pair.first->setAxis(to(c.axis));
        return pair.second;
    }
    auto pair = pair_of<dynamics::UniversalJoint>(s, c);
    pair.first->setAxis1(to(c.axis));
    pair.first->setAxis2(to(c.side));
    return pair.second;
}

// the frame of a body has its origin at its joint and world axes in the drawn pose
static void add_body(model &s, const mech::body &b) {
    const mech::connection &c = b.joint;
    dynamics::BodyNode *node = hang(s, c);
    s.bodies.push_back(node);
    Eigen::Isometry3d place = Eigen::Isometry3d::Identity();
    place.translation() = to(c.at - mech::origin(s.m, c.first));
    dynamics::Joint *own = node->getParentJoint();
    own->setTransformFromParentBodyNode(place);
    Eigen::Matrix3d I;
    for (int k = 0; k < 3; k++)
        I.row(k) = to(b.inertia.row[k]).transpose();
    node->setInertia(dynamics::Inertia(b.mass, to(b.centre - c.at), I));
    for (size_t k = 0; k < own->getNumDofs(); k++)
        own->setVelocity(k, c.rate[k]);
}

static void add_ball(const model &s, const mech::connection &c, mech::vec at) {
    using constraint::BallJointConstraint;
    dynamics::BodyNode *a = s.body(c.second), *b = s.body(c.first);
    auto ball = b ? std::make_shared<BallJointConstraint>(a, b, to(at))
                  : std::make_shared<BallJointConstraint>(a, to(at));
    s.world->getConstraintSolver()->addConstraint(ball);
}

static void build(model &s, double h) {
    using constraint::DynamicJointConstraint;
    DynamicJointConstraint::setErrorAllowance(0);
    DynamicJointConstraint::setErrorReductionParameter(0.8);
    DynamicJointConstraint::setMaxErrorReductionVelocity(1e6);
    DynamicJointConstraint::setConstraintForceMixing(1e-9);
    s.world->setTimeStep(h);
    s.world->setGravity(to(s.m.gravity));
    for (const mech::body &b : s.m.bodies)
        add_body(s, b);
    s.world->addSkeleton(s.skeleton);
    for (const mech::connection &c : s.m.loops) {
        add_ball(s, c, c.at);
        if (c.type == joint::pin && !s.m.planar)
            add_ball(s, c, c.at + c.axis);
    }
}

static mech::motion motion_of(const model &s, size_t i) {
    const dynamics::BodyNode *b = s.bodies[i];
    const Eigen::Matrix3d R = b->getTransform().linear();
    mech::motion now;
    for (int k = 0; k < 3; k++)
        now.R.row[k] = from(R.row(k));
    now.centre = from(b->getCOM());
    now.velocity = from(b->getCOMLinearVelocity());
    now.spin = from(b->getAngularVelocity());
    now.angle = b->getParentJoint()->getPosition(0);
    return now;
}

// DART has no spring between two points: forces by hand, before every step.
static void apply_forces(const model &s, std::vector<mech::motion> &now) {
    for (const mech::strut &k : s.m.struts) {
        for (int end : {k.a, k.b})
            if (end != mech::GROUND)
                now[static_cast<size_t>(end)] = motion_of(s, static_cast<size_t>(end));
        const Eigen::Vector3d f = to(mech::strut_force(s.m, now, k));
        if (k.b != mech::GROUND)
            s.body(k.b)->addExtForce(f, to(k.at_b - mech::origin(s.m, k.b)), false, true);
        if (k.a != mech::GROUND)
            s.body(k.a)->addExtForce(-f, to(k.at_a - mech::origin(s.m, k.a)), false, true);
    }
    for (size_t i = 0; i < s.bodies.size(); i++)
        if (s.m.bodies[i].joint.effort > 0)
            s.bodies[i]->getParentJoint()->setForce(0, s.m.bodies[i].joint.effort);
}

static int run(const char *problem, const char *, double value, bench_result *result) {
    model s;
    s.m = mech::problem(problem);
    const long steps = std::lround(s.m.until / value);
    build(s, s.m.until / static_cast<double>(steps));
    std::vector<mech::motion> now(s.bodies.size());
    bench_start_clock();
    for (long i = 0; i < steps; i++) {
        apply_forces(s, now);
        s.world->step();
    }
    bench_stop_clock();
    for (size_t i = 0; i < now.size(); i++)
        now[i] = motion_of(s, i);
    mech::observe(s.m, now, result);
    result->steps = result->evaluations = steps;
    return 0;
}

// a state that is not finite fails an assertion of DART
static void on_abort(int) {
    std::puts("status=failed why=an assertion of DART failed");
    std::fflush(stdout);
    std::_Exit(1);
}

int main(int argc, char **argv) {
    std::signal(SIGABRT, on_abort);
    mech::case_list cases;
    cases.steps("a03", "step", 2e-5, 5e-7);
    cases.steps("fourbar-1", "step", 0.02, 1e-4);
    cases.steps("fourbar-2", "step", 0.02, 1e-4);
    cases.steps("fourbar-10", "step", 0.02, 1e-3);
    cases.steps("fourbar-40", "step", 0.02, 0.01);
    cases.steps("bricard", "step", 0.01, 1e-4);
    cases.steps("slidercrank", "step", 1e-3, 1e-5);
    cases.steps("chain-10", "step", 0.02, 1e-5);
    cases.steps("chain-100", "step", 0.02, 1e-4);
    return cases.main(argc, argv, run);
}
