// problems.hpp - the mechanisms of the benchmark as plain data, the same for every engine.
//
// A mechanism is drawn in its start pose; all points and directions are in world axes of that pose. Every
// body hangs on its parent by one joint, so that the bodies are a tree; loops are closed by further joints. A
// driver translates this into what its engine takes, runs, and hands back a snapshot of all bodies, from
// which observe() makes the numbers of the protocol: what the engines are judged by is computed in one place.
#ifndef BENCH_PROBLEMS_HPP
#define BENCH_PROBLEMS_HPP

#include "geometry.hpp"

#include <string>
#include <vector>

struct bench_result;

namespace mech {

enum { GROUND = -1 };

enum class joint {
    pin,       // turns about `axis`
    slide,     // moves along `axis`
    universal, // turns about `axis`, fixed in the first body, and `across`, fixed in the second
    ball,      // loops only
    free       // trees only
};

// Joint of a body to its parent, or one that closes a loop.
struct connection {
    joint type = joint::pin;
    int first = GROUND, second = GROUND;  // bodies; in a tree the second is the body that hangs on it
    vec at, axis{0, 0, 1}, side{0, 1, 0}; // `side`: the axis across, of a universal joint
    double reading = 0;                   // angle that the drawn pose is called
    double rate[2] = {0, 0};              // start: pin, slide: one; universal: about axis, across
    vec velocity, spin;                   // start: free
    double effort = 0;                    // constant torque of a pin or force of a slide
    double stiffness = 0;                 // of a spring along the coordinate, unloaded as drawn
};

struct body {
    double mass = 0;
    vec centre;
    mat inertia;      // about the centre, in world axes of the drawn pose
    connection joint; // to its parent, which comes before it
};

// spring and damper between two points
struct strut {
    int a = GROUND, b = GROUND;
    vec at_a, at_b;
    double stiffness = 0, damping = 0, free = 0;
};

struct observation {
    enum { x, y, z, angle } what = x;
    int body = 0;
    vec point; // of x, y, z
};

struct mechanism {
    bool planar = false; // all axes are z: a pin that closes a loop has two conditions
    vec gravity;
    std::vector<body> bodies;
    std::vector<connection> loops;
    std::vector<strut> struts;
    std::vector<observation> observed;
    double until = 0;
    double kinetic = 0; // largest kinetic energy on the way, the unit of energy errors
};

// Mechanism of a problem, such as "fourbar-40"; without bodies if there is none of this name.
mechanism problem(const std::string &name);

// Motion of a body: its axes (R turns drawn directions into present ones), its centre of mass.
struct motion {
    mat R;
    vec centre, velocity, spin;
    double angle = 0; // of its pin, all turns counted, 0 as drawn; other joints: not used
};

// Fills q, v, violations and the energy error from the motion of all bodies at the end.
void observe(const mechanism &m, const std::vector<motion> &end, bench_result *result);

// Motion of all bodies at the start, from the joints' rates.
std::vector<motion> start(const mechanism &m);

vec place(const mechanism &m, const std::vector<motion> &now, int body, vec drawn);
vec speed(const mechanism &m, const std::vector<motion> &now, int body, vec drawn);

// where a body's joint is; the origin for the ground
inline vec origin(const mechanism &m, int body) {
    return body == GROUND ? vec{} : m.bodies[static_cast<size_t>(body)].joint.at;
}

// For drivers with an own loop over force laws: force of a strut on its second body.
vec strut_force(const mechanism &m, const std::vector<motion> &now, const strut &s);

} // namespace mech

#endif
