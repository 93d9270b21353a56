// The mechanisms of the benchmark. Numbers and known values: the files of models/ that each function names.
#include "problems.hpp"

#include "../../driver.h"

namespace mech {

static const double pi = 3.14159265358979323846;

static connection pin(int first, int second, vec at, vec axis = {0, 0, 1}) {
    connection c;
    c.first = first;
    c.second = second;
    c.at = at;
    c.axis = axis;
    return c;
}

static connection of_type(joint type, connection c) {
    c.type = type;
    return c;
}

static int add(mechanism &m, body b) {
    m.bodies.push_back(b);
    return static_cast<int>(m.bodies.size()) - 1;
}

// The next body of `m` hangs on `parent` by a joint.
static body hung(const mechanism &m, double mass, vec centre, mat inertia, int parent, vec at,
                 vec axis = {0, 0, 1}) {
    body b;
    b.mass = mass;
    b.centre = centre;
    b.inertia = inertia;
    b.joint = pin(parent, static_cast<int>(m.bodies.size()), at, axis);
    return b;
}

// In a plane only the moment about z is felt; the others are whatever all engines accept.
static int add_planar(mechanism &m, double mass, vec centre, double moment, int parent, vec at) {
    return add(m, hung(m, mass, centre, diagonal(moment, moment, moment), parent, at));
}

static void observe_point(mechanism &m, int b, vec point, bool space = false) {
    m.observed.push_back({observation::x, b, point});
    m.observed.push_back({observation::y, b, point});
    if (space)
        m.observed.push_back({observation::z, b, point});
}

// uniform slender rod of 1 kg and 1 m between a and b, which hangs on `parent` at a
static int add_rod(mechanism &m, vec a, vec b, int parent) {
    return add_planar(m, 1, 0.5 * (a + b), 1.0 / 12, parent, a);
}

// where circles about a and b cut, on the left of the way from a to b
static vec apex(vec a, double radius_a, vec b, double radius_b) {
    double d = norm(b - a), s = (d * d + radius_a * radius_a - radius_b * radius_b) / (2 * d);
    vec along = unit(b - a), left{-along.y, along.x, 0};
    return a + s * along + std::sqrt(radius_a * radius_a - s * s) * left;
}

// point `u` along and `w` to the left of the way from a to b
static vec beside(vec a, vec b, double u, double w) {
    vec along = unit(b - a);
    return a + u * along + w * vec{-along.y, along.x, 0};
}

// models/a03_andrews.yaml
static mechanism andrews() {
    const double beta = -0.0620, OF = 0.007, EF = 0.028, BE = 0.035, GE = 0.020, AG = 0.040;
    const vec O, A{-0.06934, -0.00227, 0}, B{-0.03635, 0.03273, 0}, C{0.014, 0.072, 0};
    const vec F{OF * std::cos(beta), OF * std::sin(beta), 0};
    const vec E = apex(F, EF, B, BE), G = apex(A, AG, E, GE), H = apex(E, GE, A, AG);
    mechanism m;
    m.planar = true;
    m.until = 0.05;
    m.kinetic = 1.9685; // this and the others without a formula: Keel, tolerance 1e-8
    int crank = add_planar(m, 0.04325, beside(O, F, 0.00092, 0), 2.194e-6, GROUND, O);
    int coupler = add_planar(m, 0.00365, beside(E, F, 0.0165, 0), 4.410e-7, crank, F);
    int triangle = add_planar(m, 0.02373, beside(E, B, 0.01626, -0.01043), 5.255e-6, GROUND, B);
    int lever_G = add_planar(m, 0.07050, beside(A, G, 0.02308, 0.00916), 1.169e-5, GROUND, A);
    int lever_H = add_planar(m, 0.05498, beside(A, H, 0.01228, -0.00449), 1.912e-5, GROUND, A);
    int rod_G = add_planar(m, 0.00706, beside(G, E, 0.00579, 0), 5.667e-7, lever_G, G);
    int rod_H = add_planar(m, 0.00706, beside(H, E, 0.00579, 0), 5.667e-7, lever_H, H);
    for (int rod : {coupler, rod_G, rod_H})
        m.loops.push_back(pin(triangle, rod, E));
    m.bodies[static_cast<size_t>(crank)].joint.effort = 0.033;
    m.bodies[static_cast<size_t>(crank)].joint.reading = beta;
    m.struts.push_back({GROUND, triangle, C, beside(E, B, 0.017, -0.02), 4530, 0, 0.07785});
    for (int b : {crank, triangle, lever_G, lever_H})
        m.observed.push_back({observation::angle, b, {}});
    return m;
}

// models/a02_four_bars.yaml
static mechanism four_bars(int N) {
    mechanism m;
    m.planar = true;
    m.gravity = {0, -9.81, 0};
    m.until = 10;
    // at the lowest point, from I th'^2 / 2 + 9.81 S cos(th)
    m.kinetic = ((N + 1) / 3.0 + N) / 2 + 2 * 9.81 * ((N + 1) / 2.0 + N);
    int left = GROUND;
    for (int k = 0; k <= N; k++) {
        vec A{double(k), 0, 0}, top{double(k), 1, 0}, before{k - 1.0, 1, 0};
        int coupler = k > 0 ? add_rod(m, before, top, left) : GROUND;
        int bar = add_rod(m, A, top, GROUND);
        m.bodies.back().joint.rate[0] = -1;
        if (k > 0) {
            m.bodies[static_cast<size_t>(coupler)].joint.rate[0] = 1;
            m.loops.push_back(pin(bar, coupler, top));
        }
        left = bar;
    }
    observe_point(m, 0, {0, 1, 0});
    observe_point(m, left, {double(N), 1, 0});
    return m;
}

// models/a04_bricard.yaml, section 0.1
static mechanism bricard() {
    const double section = 0.1, thick = section * section / 6, wide = (1 + section * section) / 12;
    const vec P[6] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    const vec axis[6] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    mechanism m;
    m.gravity = {0, -9.81, 0};
    m.until = 10;
    m.kinetic = 4.5528;
    for (int i = 0; i < 5; i++) {
        mat inertia = uniaxial(wide, thick - wide, P[i + 1] - P[i]);
        add(m, hung(m, 1, 0.5 * (P[i] + P[i + 1]), inertia, i - 1, P[i], axis[i]));
    }
    m.loops.push_back(pin(GROUND, 4, P[5], axis[5]));
    observe_point(m, 1, P[2], true);
    return m;
}

// box about its middle: edges a along n, b along y, c across both
static mat box(double mass, double a, double b, double c, vec n) {
    const vec y{0, 1, 0};
    mat sum = uniaxial((a * a + b * b) / 12, (c * c - a * a) / 12, n);
    mat I = sum + uniaxial(0, (c * c - b * b) / 12, y);
    for (vec &r : I.row)
        r = mass * r;
    return I;
}

// models/a05_governor.yaml
static mechanism governor() {
    const double density = 3000, ball = 5, a = 0.05, c = std::cos(pi / 6), d = std::sin(pi / 6);
    const double bar = density * 1e-4, block = density * 1e-3;
    mechanism m;
    m.gravity = {0, 0, -9.81};
    m.until = 10;
    int shaft = add(m, hung(m, bar, {0, 0, 0.5}, box(bar, 1, 0.01, 0.01, {0, 0, 1}), GROUND, {}));
    m.bodies.back().joint.rate[0] = 2 * pi;
    int slider =
        add(m, hung(m, block, {0, 0, 0.5}, box(block, 0.1, 0.1, 0.1, {0, 0, 1}), shaft, {0, 0, 0.5}));
    m.bodies.back().joint.type = joint::slide;
    for (double side : {1.0, -1.0}) {
        // bar and ball, the ball at its end
        const vec hinge{side * a, 0, 1}, n{side * c, 0, -d}, middle = hinge + 0.5 * n;
        const double mass = bar + ball, arm = 0.5 * ball / mass;
        mat I = box(bar, 1, 0.01, 0.01, n) + uniaxial(bar * arm * arm, -bar * arm * arm, n) +
                uniaxial(ball * (0.5 - arm) * (0.5 - arm), -ball * (0.5 - arm) * (0.5 - arm), n);
        int rod = add(m, hung(m, mass, middle + arm * n, I, shaft, hinge, {0, 1, 0}));
        m.struts.push_back({slider, rod, {side * a, 0, 0.5}, middle, 8e5, 4e4, 0.5});
    }
    m.observed.push_back({observation::z, slider, {0, 0, 0.5}});
    m.observed.push_back({observation::angle, shaft, {}});
    return m;
}

// models/slider_crank_3d.yaml
static mechanism slider_crank() {
    const vec A{0, 0.1, 0.12}, B{0, 0.1, 0.2}, C{0.2, 0, 0}, x{1, 0, 0}, side = unit({0, 2, -1});
    mechanism m;
    m.gravity = {0, 0, -9.81};
    m.until = 5;
    m.kinetic = 0.57416;
    int crank = add(m, hung(m, 0.12, {0, 0.1, 0.16}, diagonal(1e-4, 1e-4, 1e-5), GROUND, A, x));
    m.bodies.back().joint.rate[0] = 6;
    int slider = add(m, hung(m, 2, C, diagonal(1e-4, 1e-4, 1e-4), GROUND, C, x));
    m.bodies.back().joint.type = joint::slide;
    m.bodies.back().joint.rate[0] = 0.24;
    mat thin = uniaxial(4e-3, 4e-4 - 4e-3, unit(C - B));
    int rod = add(m, hung(m, 0.5, {0.1, 0.05, 0.1}, thin, slider, C, x));
    // 6 x cross (B - A) = 0.24 x + (1.92 x - 0.48 (0, 2, -1)) cross (B - C)
    m.bodies.back().joint.type = joint::universal;
    m.bodies.back().joint.side = side;
    m.bodies.back().joint.rate[0] = 1.92;
    m.bodies.back().joint.rate[1] = -0.48 * std::sqrt(5.0);
    m.loops.push_back(of_type(joint::ball, pin(crank, rod, B)));
    m.observed.push_back({observation::x, slider, C});
    m.observed.push_back({observation::angle, crank, {}});
    return m;
}

// models/chain_bodies.yaml with l = 1, m = 1
static mechanism chain(int N) {
    mechanism m;
    m.planar = true;
    m.gravity = {0, -9.81, 0};
    m.until = 1;
    m.kinetic = 47.0 * N; // free fall without the end: N g^2 / 2
    for (int i = 1; i <= N; i++)
        add_rod(m, {i - 1.0, 0, 0}, {double(i), 0, 0}, i - 2);
    observe_point(m, N - 1, {double(N), 0, 0});
    observe_point(m, N / 2 - 1, {double(N / 2), 0, 0});
    return m;
}

// models/pendulum.yaml: the point mass on a pin
static mechanism pendulum(int until) {
    mechanism m;
    const double g = 13.750371636040745654980191559621;
    m.planar = true;
    m.gravity = {0, -g, 0};
    m.until = until;
    m.kinetic = g;
    add_planar(m, 1, {1, 0, 0}, 0, GROUND, {});
    observe_point(m, 0, {1, 0, 0});
    return m;
}

// models/stewart_springs.yaml
static mechanism stewart() {
    const double R = 0.5, r = 0.3, h = 0.6, d = 0.2, e = 0.2, k = 2e4, radius = 0.35, high = 0.04, mass = 20;
    const vec velocity{0.2, 0, 0.1}, spin{0.5, -0.3, 1}, centre{0, 0, h + high / 2};
    mechanism m;
    m.gravity = {0, 0, -9.81};
    m.until = 2;
    m.kinetic = 1.8595;
    const double tilt = mass * (3 * radius * radius + high * high) / 12;
    int platform =
        add(m, hung(m, mass, centre, diagonal(tilt, tilt, mass * radius * radius / 2), GROUND, centre));
    m.bodies.back().joint.type = joint::free;
    m.bodies.back().joint.velocity = velocity;
    m.bodies.back().joint.spin = spin;
    for (int i = 1; i <= 6; i++) {
        const double sign = i % 2 ? -1 : 1, middle = pi / 3 * (i - 1.5);
        const double foot_at = middle + sign * (d - pi / 6), head_at = middle - sign * (e - pi / 6);
        const vec foot{R * std::cos(foot_at), R * std::sin(foot_at), 0};
        const vec head{r * std::cos(head_at), r * std::sin(head_at), h};
        const vec n = unit(head - foot), u = velocity + cross(spin, head - centre);
        const double length = norm(head - foot), out = dot(u, n), moment = length * length / 12;
        const mat thin = uniaxial(moment, -moment, n);
        // u = out n + (turn x + swing y) cross (head - foot)
        const double swing = (u.x - out * n.x) / h, turn = -(u.y - out * n.y) / h;
        int lower = add(m, hung(m, 1, 0.5 * (foot + head), thin, GROUND, foot, {1, 0, 0}));
        m.bodies.back().joint.type = joint::universal;
        m.bodies.back().joint.rate[0] = turn;
        m.bodies.back().joint.rate[1] = swing;
        int upper = add(m, hung(m, 1, 0.5 * (foot + head), thin, lower, head, n));
        m.bodies.back().joint.type = joint::slide;
        m.bodies.back().joint.rate[0] = out;
        m.bodies.back().joint.stiffness = k;
        m.loops.push_back(of_type(joint::ball, pin(platform, upper, head)));
    }
    observe_point(m, platform, centre, true);
    return m;
}

mechanism problem(const std::string &name) {
    const char *text = name.c_str();
    if (name == "a03")
        return andrews();
    if (name == "bricard")
        return bricard();
    if (name == "governor")
        return governor();
    if (name == "slidercrank")
        return slider_crank();
    if (name == "stewart")
        return stewart();
    if (int N = bench_size(text, "fourbar"))
        return four_bars(N);
    if (int N = bench_size(text, "chain"))
        return chain(N);
    if (int T = bench_size(text, "pendulum"))
        return pendulum(T);
    return {};
}

} // namespace mech
