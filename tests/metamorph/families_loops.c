/* families_loops.c - planar linkages of several loops. */
#include <math.h>

#include "drawing.h"
#include "families.h"

/* Bars from P and Q to a common pin beside the line PQ, whose angle there is neither small nor flat. A dyad
 * changes no mobility. */
static vec draw_dyad(drawing *d, rng *r, int body_p, vec P, int body_q, vec Q, int bars[2]) {
    vec base = sub(Q, P), beside = {-base.y, base.x, 0};
    vec X = along(along(P, uniform(r, 0.4, 0.6), base), either(r) * uniform(r, 0.4, 0.8), beside);
    bars[0] = draw_body(d, "bar_%d", d->bodies + 1);
    bars[1] = draw_body(d, "bar_%d", d->bodies + 1);
    draw_pin(d, body_p, bars[0], P);
    draw_pin(d, body_q, bars[1], Q);
    draw_pin(d, bars[0], bars[1], X);
    return X;
}

static vec beside(rng *r, vec A, vec B) {
    vec base = sub(B, A), across = {-base.y, base.x, 0};
    return along(along(A, uniform(r, 0.2, 0.8), base), either(r) * uniform(r, 0.3, 0.6), across);
}

/* Six bars: a four-bar with a dyad between coupler and rocker (kind 1, Watt) or coupler and ground (kind 3,
 * Stephenson). */
static void draw_six_bar(drawing *d, rng *r, drive_mode mode, int kind) {
    int bars[2];
    d->flat = true;
    four_bar f = draw_four_bar(d, r, GROUND);
    vec P = beside(r, f.A, f.B), Q = kind == 1 ? beside(r, f.C, f.B) : beside(r, f.O, f.C);
    f.motor.room = 0.4;
    if (norm(sub(P, Q)) < 0.4)
        Q = along(P, 0.6, unit(sub(Q, P)));
    draw_dyad(d, r, f.coupler, P, kind == 1 ? f.rocker : GROUND, Q, bars);
    draw_masses(d, r);
    draw_drives(d, r, mode, &f.motor, 1);
}

/* Five bars with a motor at either foot. */
static void draw_five_bar(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    double a = uniform(r, 0.4, 0.6), b = uniform(r, 0.4, 0.6), phi = uniform(r, 1.7, 2.3),
           psi = uniform(r, 0.8, 1.4);
    vec A = {a * cos(phi), a * sin(phi), 0}, B = {1 + b * cos(psi), b * sin(psi), 0};
    int left = draw_body(d, "left"), right = draw_body(d, "right"), bars[2];
    crank c[2] = {{.room = 0.3, .arm = a}, {.room = 0.3, .arm = b}};
    d->flat = true;
    c[0].joint = draw_pin(d, GROUND, left, ZERO);
    c[1].joint = draw_pin(d, GROUND, right, EX);
    draw_dyad(d, r, left, A, right, B, bars);
    draw_masses(d, r);
    draw_drives(d, r, mode, c, 2);
}

/* A crank and dyads between points of bodies that are there already. */
static void draw_dyads(drawing *d, rng *r, drive_mode mode, int kind) {
    int owner[32] = {GROUND}, points = 0;
    vec point[32];
    d->flat = true;
    int arm = draw_body(d, "crank");
    crank c = {draw_pin(d, GROUND, arm, ZERO), 0.2, 0.3};
    point[points] = (vec){0.3, 0.1, 0}, owner[points++] = arm;
    for (int i = 0; i < 3; i++)
        point[points] = (vec){uniform(r, 0.6, 1.2), uniform(r, -1, 1), 0}, owner[points++] = GROUND;
    for (int added = 0, tries = 0; added < kind && tries < 1000; tries++) {
        int p = choose(r, 0, points - 1), q = choose(r, 0, points - 1), bars[2];
        double distance = norm(sub(point[p], point[q]));
        if (added == 0)
            p = 0;
        if (owner[p] == owner[q] || distance < 0.4 || distance > 1.4)
            continue;
        vec X = draw_dyad(d, r, owner[p], point[p], owner[q], point[q], bars);
        point[points] = beside(r, point[p], X), owner[points++] = bars[0];
        point[points] = beside(r, point[q], X), owner[points++] = bars[1];
        added++;
    }
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* Theo Jansen's leg: his names of the lengths, and the pins with the crank at the angle phi. */
enum { a_, b_, c_, d_, e_, f_, g_, h_, i_, j_, k_, l_, m_, JANSEN_LENGTHS };
typedef struct jansen {
    vec Y, P, Q, R, S, T;
} jansen;

/* Whether bars of these lengths reach each other, and are neither nearly straight nor folded. */
static bool reach(vec p0, double r0, vec p1, double r1) {
    double distance = norm(sub(p0, p1));
    return distance < 0.985 * (r0 + r1) && distance > 1.02 * fabs(r0 - r1);
}

static bool place_jansen(const double *s, double phi, jansen *leg) {
    vec Y = {-s[a_], -s[l_], 0}, P = {s[m_] * cos(phi), s[m_] * sin(phi), 0};
    *leg = (jansen){.Y = Y, .P = P};
    if (!reach(P, s[j_], Y, s[b_]) || !reach(P, s[k_], Y, s[c_]))
        return false;
    leg->Q = dyad(P, s[j_], Y, s[b_], -1), leg->R = dyad(P, s[k_], Y, s[c_], 1);
    if (!reach(Y, s[d_], leg->Q, s[e_]))
        return false;
    leg->S = dyad(Y, s[d_], leg->Q, s[e_], 1);
    if (!reach(leg->S, s[f_], leg->R, s[g_]))
        return false;
    leg->T = dyad(leg->S, s[f_], leg->R, s[g_], -1);
    return true;
}

/* His thirteen lengths, each changed by a percent at most, so that the crank still turns fully: his leg has
 * poses in which two bars are stretched, or folded, to within six percent. */
static void jansen_lengths(rng *r, double s[JANSEN_LENGTHS]) {
    static const double DRAWN[JANSEN_LENGTHS] = {38,   41.5, 39.3, 40.1, 55.8, 39.4, 36.7,
                                                 65.7, 49,   50,   61.9, 7.8,  15};
    bool turns;
    do {
        jansen leg;
        turns = true;
        for (int i = 0; i < JANSEN_LENGTHS; i++)
            s[i] = 0.01 * DRAWN[i] * uniform(r, 0.99, 1.01);
        for (int i = 0; i < 90 && turns; i++)
            turns = place_jansen(s, 2 * PI * i / 90, &leg);
    } while (!turns);
}

static void draw_jansen(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    double s[JANSEN_LENGTHS];
    jansen leg;
    jansen_lengths(r, s);
    place_jansen(s, uniform(r, 0, 2 * PI), &leg);
    d->flat = true;
    int arm = draw_body(d, "crank"), upper = draw_body(d, "upper"), lower = draw_body(d, "lower");
    int triangle = draw_body(d, "triangle"), link = draw_body(d, "link"), back = draw_body(d, "back");
    int foot = draw_body(d, "foot");
    crank motor = {draw_pin(d, GROUND, arm, ZERO), 2 * PI, s[m_]};
    draw_pin(d, arm, upper, leg.P);
    draw_pin(d, arm, lower, leg.P);
    draw_pin(d, upper, triangle, leg.Q);
    draw_pin(d, GROUND, triangle, leg.Y);
    draw_pin(d, GROUND, link, leg.Y);
    draw_pin(d, lower, link, leg.R);
    draw_pin(d, link, foot, leg.R);
    draw_pin(d, triangle, back, leg.S);
    draw_pin(d, back, foot, leg.T);
    draw_masses(d, r);
    draw_drives(d, r, mode, &motor, 1);
}

/* Crossed bars in `kind` storeys between the ground and a platform; one end of each slides. */
static void draw_scissor_lift(drawing *d, rng *r, drive_mode mode, int kind) {
    double length = uniform(r, 0.8, 1.2), slope = uniform(r, 0.5, 0.9);
    double w = length * cos(slope), h = length * sin(slope);
    int block = draw_body(d, "block"), up_before = GROUND, down_before = block;
    crank c = {.room = 0.25, .arm = length};
    d->flat = true;
    draw_joint(d, "prismatic", GROUND, block, (vec){w, 0, 0}, EX);
    for (int i = 0; i < kind; i++) {
        int up = draw_body(d, "up_%d", i + 1), down = draw_body(d, "down_%d", i + 1);
        int foot = draw_pin(d, up_before, up, (vec){0, i * h, 0});
        c.joint = i ? c.joint : foot;
        draw_pin(d, down_before, down, (vec){w, i * h, 0});
        draw_pin(d, up, down, (vec){w / 2, (i + 0.5) * h, 0});
        up_before = down, down_before = up;
    }
    int platform = draw_body(d, "platform"), shoe = draw_body(d, "shoe");
    draw_pin(d, up_before, platform, (vec){0, kind * h, 0});
    draw_pin(d, down_before, shoe, (vec){w, kind * h, 0});
    draw_joint(d, "prismatic", platform, shoe, (vec){w, kind * h, 0}, EX);
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

const family LOOP_FAMILIES[] = {
    {"watt", draw_six_bar, 1, ALL_MODES, 1},
    {"stephenson", draw_six_bar, 3, ALL_MODES, 1},
    {"five_bar", draw_five_bar, 0, ALL_MODES, 1},
    {"jansen", draw_jansen, 0, ALL_MODES, 1},
    {"dyads_2", draw_dyads, 2, ALL_MODES, 1},
    {"dyads_4", draw_dyads, 4, ALL_MODES, 1},
    {"dyads_6", draw_dyads, 6, ALL_MODES, 0},
    {"scissor_lift_2", draw_scissor_lift, 2, ALL_MODES, 1},
    {"scissor_lift_4", draw_scissor_lift, 4, ALL_MODES, 0},
    {"scissor_lift_12", draw_scissor_lift, 12, ALL_MODES, 0},
    {0},
};
