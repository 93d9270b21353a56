// What the protocol asks for, computed from the motion of all bodies: observed values, violations, energy.
#include "problems.hpp"

#include "../../driver.h"

#include <algorithm>

namespace mech {

static const motion &of(const std::vector<motion> &now, int body) {
    static const motion rest;
    return body == GROUND ? rest : now[static_cast<size_t>(body)];
}

static vec centre(const mechanism &m, int body) {
    return body == GROUND ? vec{} : m.bodies[static_cast<size_t>(body)].centre;
}

vec place(const mechanism &m, const std::vector<motion> &now, int body, vec drawn) {
    const motion &b = of(now, body);
    return b.centre + b.R * (drawn - centre(m, body));
}

vec speed(const mechanism &m, const std::vector<motion> &now, int body, vec drawn) {
    const motion &b = of(now, body);
    return b.velocity + cross(b.spin, b.R * (drawn - centre(m, body)));
}

std::vector<motion> start(const mechanism &m) {
    std::vector<motion> now;
    for (const body &b : m.bodies) {
        const connection &c = b.joint;
        vec at_joint = speed(m, now, c.first, c.at);
        motion next;
        next.spin = of(now, c.first).spin;
        if (c.type == joint::pin)
            next.spin = next.spin + c.rate[0] * c.axis;
        else if (c.type == joint::slide)
            at_joint = at_joint + c.rate[0] * c.axis;
        else if (c.type == joint::universal)
            next.spin = next.spin + c.rate[0] * c.axis + c.rate[1] * c.side;
        else {
            at_joint = c.velocity;
            next.spin = c.spin;
        }
        next.centre = b.centre;
        next.velocity = at_joint + cross(next.spin, b.centre - c.at);
        now.push_back(next);
    }
    return now;
}

// part of `a` across the unit vector n
static double off(vec a, vec n) {
    return norm(a - dot(a, n) * n);
}

// Violations of one joint, raised into `position` and `velocity`.
static void violation(const mechanism &m, const std::vector<motion> &now, const connection &c,
                      double *position, double *velocity) {
    const motion &first = of(now, c.first), &second = of(now, c.second);
    const vec d = place(m, now, c.second, c.at) - place(m, now, c.first, c.at);
    const vec u = speed(m, now, c.second, c.at) - speed(m, now, c.first, c.at), w = second.spin - first.spin;
    const vec a = first.R * c.axis;
    double gap = norm(d), rate = norm(u), turn = 0, turning = 0;
    if (c.type == joint::free)
        return;
    if (c.type == joint::pin) {
        turn = norm(cross(a, second.R * c.axis));
        turning = off(w, a);
    } else if (c.type == joint::universal) {
        const vec s = second.R * c.side;
        turn = std::fabs(dot(a, s));
        turning = std::fabs(dot(w, cross(s, a)));
    } else if (c.type == joint::slide) {
        gap = off(d, a);
        rate = off(u - cross(first.spin, d), a);
        const vec s = across(c.axis);
        turn = std::max(norm(cross(a, second.R * c.axis)), norm(cross(first.R * s, second.R * s)));
        turning = norm(w);
    }
    *position = std::max({*position, gap, turn});
    *velocity = std::max({*velocity, rate, turning});
}

static double stretch(const mechanism &m, const std::vector<motion> &now, const strut &s) {
    return norm(place(m, now, s.b, s.at_b) - place(m, now, s.a, s.at_a)) - s.free;
}

vec strut_force(const mechanism &m, const std::vector<motion> &now, const strut &s) {
    const vec n = unit(place(m, now, s.b, s.at_b) - place(m, now, s.a, s.at_a));
    const double rate = dot(speed(m, now, s.b, s.at_b) - speed(m, now, s.a, s.at_a), n);
    return -(s.stiffness * stretch(m, now, s) + s.damping * rate) * n;
}

// Kinetic and potential energy, less the work of constant torques.
static double energy(const mechanism &m, const std::vector<motion> &now) {
    double sum = 0;
    for (size_t i = 0; i < m.bodies.size(); i++) {
        const body &b = m.bodies[i];
        const connection &c = b.joint;
        const motion &s = now[i];
        const vec w = transpose(s.R) * s.spin;
        sum += b.mass * dot(s.velocity, s.velocity) / 2 + dot(w, b.inertia * w) / 2;
        sum -= b.mass * dot(m.gravity, s.centre) + c.effort * s.angle;
        if (c.stiffness > 0) {
            const vec d = place(m, now, c.second, c.at) - place(m, now, c.first, c.at);
            const double out = dot(d, of(now, c.first).R * c.axis);
            sum += c.stiffness * out * out / 2;
        }
    }
    for (const strut &s : m.struts)
        sum += s.stiffness * stretch(m, now, s) * stretch(m, now, s) / 2;
    return sum;
}

static void observe_one(const mechanism &m, const std::vector<motion> &end, const observation &o, double *q,
                        double *v) {
    if (o.what == observation::angle) {
        const connection &c = m.bodies[static_cast<size_t>(o.body)].joint;
        *q = c.reading + of(end, o.body).angle;
        *v = dot(of(end, o.body).spin - of(end, c.first).spin, of(end, c.first).R * c.axis);
        return;
    }
    const vec p = place(m, end, o.body, o.point), u = speed(m, end, o.body, o.point);
    *q = o.what == observation::x ? p.x : o.what == observation::y ? p.y : p.z;
    *v = o.what == observation::x ? u.x : o.what == observation::y ? u.y : u.z;
}

void observe(const mechanism &m, const std::vector<motion> &end, bench_result *result) {
    result->n_q = result->n_v = static_cast<int>(m.observed.size());
    for (size_t i = 0; i < m.observed.size(); i++)
        observe_one(m, end, m.observed[i], &result->q[i], &result->v[i]);
    result->position = result->velocity = 0;
    for (const body &b : m.bodies)
        violation(m, end, b.joint, &result->position, &result->velocity);
    for (const connection &c : m.loops)
        violation(m, end, c, &result->position, &result->velocity);
    bool damped = false;
    for (const strut &s : m.struts)
        damped = damped || s.damping > 0;
    if (!damped)
        result->energy = std::fabs(energy(m, end) - energy(m, start(m))) / m.kinetic;
}

} // namespace mech
