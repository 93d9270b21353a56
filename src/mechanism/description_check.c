/* description_check.c - what can be said of a whole description before anything is computed. */
#include <math.h>
#include <string.h>

#include "mechanism/description_parts.h"
#include "mechanism/joint.h"

/* ---- inertia ---------------------------------------------------------------------------------------------
 */

/* Principal moments of a symmetric matrix (xx yy zz xy yz zx), smallest first: the roots of its
 * characteristic polynomial in trigonometric form. */
static void principal_moments(const double I[6], double moment[3]) {
    double size = 0;
    for (int i = 0; i < 6; i++)
        size = fmax(size, fabs(I[i]));
    moment[0] = moment[1] = moment[2] = 0;
    if (size == 0)
        return;
    double xx = I[0] / size, yy = I[1] / size, zz = I[2] / size;
    double xy = I[3] / size, yz = I[4] / size, zx = I[5] / size, mean = (xx + yy + zz) / 3;
    xx -= mean, yy -= mean, zz -= mean;
    double p = sqrt((xx * xx + yy * yy + zz * zz + 2 * (xy * xy + yz * yz + zx * zx)) / 6);
    double det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * zx) + zx * (xy * yz - yy * zx);
    double turn = p > 0 ? acos(fmax(-1, fmin(1, det / (2 * p * p * p)))) / 3 : 0;
    moment[2] = size * (mean + 2 * p * cos(turn));
    moment[0] = size * (mean + 2 * p * cos(turn + 2 * acos(-1.0) / 3));
    moment[1] = 3 * size * mean - moment[0] - moment[2];
}

/* No distribution of mass has a principal moment that is larger than the sum of the others: each is the sum
 * of two of the three integrals of x^2, y^2, z^2. */
static bool check_inertia(const keel_body *body, bool planar, keel_diagnostics *list) {
    static const double ROUNDING =
        1e-6; /* data is often given with few digits: a disc of 0.0603 and 0.1206 */
    static const char *const AXES[3][3] = {{"xx", "yy", "zz"}, {"yy", "zz", "xx"}, {"zz", "xx", "yy"}};
    const double *I = body->inertia;
    if (planar)
        return KI_CHECK(I[2] >= 0, list, body, "body", "its inertia is %g: it cannot be negative", body->name,
                        I[2]);
    double moment[3];
    principal_moments(I, moment);
    if (moment[0] < -ROUNDING * moment[2] || moment[2] < 0)
        return KI_CHECK(false, list, body, "body", "its inertia has a negative principal moment, %g",
                        body->name, moment[0]);
    if (moment[2] <= (moment[0] + moment[1]) * (1 + ROUNDING))
        return true;
    int largest = I[0] > I[1] && I[0] > I[2] ? 0 : I[1] > I[2] ? 1 : 2;
    const char *const *axes = AXES[largest];
    if (I[3] == 0 && I[4] == 0 && I[5] == 0)
        return KI_CHECK(false, list, body, "body",
                        "no body has this inertia: %s = %g is more than %s + %s = %g (triangle inequality)",
                        body->name, axes[0], moment[2], axes[1], axes[2], moment[0] + moment[1]);
    return KI_CHECK(false, list, body, "body",
                    "no body has this inertia: of its principal moments %g, %g, %g the last is more than the "
                    "sum of the others (triangle inequality)",
                    body->name, moment[0], moment[1], moment[2]);
}

static bool is_massless(const keel_body *body, bool planar) {
    for (int i = 0; i < 6; i++)
        if (body->inertia[i] != 0 && (!planar || i == 2))
            return false;
    return body->mass == 0;
}

/* ---- joints ----------------------------------------------------------------------------------------------
 */

static const ki_joint_role *role_of(const keel_mechanism *m, const keel_joint *joint) {
    const ki_joint_type *type = ki_joint_type_of(joint->type);
    return m->planar ? type->planar : type->spatial;
}

static double length_of(const double a[3], bool planar) {
    return planar ? hypot(a[0], a[1]) : hypot(hypot(a[0], a[1]), a[2]);
}

static bool is_along(const double a[3], const double b[3]) {
    double c[3];
    ki_cross(a, b, c);
    return length_of(c, false) <= 1e-9 * length_of(a, false) * length_of(b, false);
}

static bool check_directions(const keel_mechanism *m, const keel_joint *joint, keel_diagnostics *list) {
    const ki_joint_type *type = ki_joint_type_of(joint->type);
    for (int k = 0; k < 2; k++) {
        const double *axis = joint->axis[k], *across = joint->across[k];
        if (type->needs_axis && length_of(axis, m->planar) == 0) {
            bool out_of_plane = m->planar && axis[2] != 0;
            return KI_CHECK(false, list, joint, "joint", "%s", joint->name,
                            out_of_plane ? "its axis has no part in the plane of the mechanism"
                                         : "it needs an axis, and that must not have length zero");
        }
        if (!m->planar && length_of(across, false) > 0 && length_of(axis, false) > 0 &&
            is_along(axis, across))
            return KI_CHECK(false, list, joint, "joint", "'across' is a direction along its axis",
                            joint->name);
    }
    ki_frame frame[2];
    return KI_CHECK(m->planar || ki_joint_frames(type, KI_SPATIAL, joint->axis, joint->across, frame), list,
                    joint, "joint",
                    "the %s lies flat: its axle, 'axis', is along the normal of the plane, 'across' (left "
                    "out: z)",
                    joint->name, type->word);
}

static bool check_needs(const keel_mechanism *m, const keel_joint *joint, keel_diagnostics *list) {
    const ki_joint_type *type = ki_joint_type_of(joint->type);
    double apart[3];
    ki_minus(joint->at[1], joint->at[0], apart);
    const char *name = joint->name, *word = type->word;
    bool has_length = joint->length > 0 || length_of(apart, m->planar) > 0;
    return KI_CHECK(!type->needs_radius || joint->radius > 0, list, joint, "joint",
                    "the type '%s' needs 'radius'", name, word) &&
           KI_CHECK(!type->needs_pitch || joint->pitch != 0, list, joint, "joint",
                    "the type '%s' needs 'pitch', in metres per turn", name, word) &&
           KI_CHECK(!type->needs_ratio || joint->ratio != 0, list, joint, "joint",
                    "the type '%s' needs 'ratio'", name, word) &&
           KI_CHECK(!type->needs_length || has_length, list, joint, "joint",
                    "its length is zero: the type '%s' needs two places that differ, or 'length'", name,
                    word);
}

/* A rack: one that turns, then one that slides. A gear: two of the same kind. */
static bool check_kinds(const keel_mechanism *m, const keel_joint *joint, keel_diagnostics *list) {
    const keel_joint *other[2] = {&m->joint[joint->joint[0]], &m->joint[joint->joint[1]]};
    const ki_joint_role *role[2] = {role_of(m, other[0]), role_of(m, other[1])};
    if (!role[0] || !role[1])
        return true;
    bool rack = strcmp(joint->type, "rack") == 0, turns[2] = {role[0]->turns[0], role[1]->turns[0]};
    if (rack)
        return KI_CHECK(
            turns[0] && !turns[1], list, joint, "joint",
            "a rack couples a joint that turns with one that slides, in this order, but '%s' (%s) "
            "%s and '%s' (%s) %s",
            joint->name, other[0]->name, other[0]->type, turns[0] ? "turns" : "slides", other[1]->name,
            other[1]->type, turns[1] ? "turns" : "slides");
    return KI_CHECK(turns[0] == turns[1], list, joint, "joint",
                    "a gear couples two joints that turn, or two that slide: the type for '%s' (%s) and '%s' "
                    "(%s) is 'rack'",
                    joint->name, other[0]->name, other[0]->type, other[1]->name, other[1]->type);
}

static bool check_coupling(const keel_mechanism *m, const keel_joint *joint, keel_diagnostics *list) {
    for (int k = 0; k < 2; k++) {
        const keel_joint *other = &m->joint[joint->joint[k]];
        const ki_joint_type *type = ki_joint_type_of(other->type);
        const ki_joint_role *role = role_of(m, other);
        if (type->couples || (role && role->coordinates != 1))
            return KI_CHECK(false, list, joint, "joint",
                            "it couples joints with one coordinate each, but '%s' (%s) has %d", joint->name,
                            other->name, other->type, type->couples ? 0 : role->coordinates);
    }
    return check_kinds(m, joint, list);
}

static bool slides(const ki_joint_role *role) {
    for (int k = 0; k < role->coordinates; k++)
        if (!role->turns[k])
            return true;
    return false;
}

/* Friction acts along coordinates; on those that turn, Coulomb friction has a lever arm. */
static bool check_friction(const keel_mechanism *m, const keel_joint *joint, keel_diagnostics *list) {
    const ki_joint_role *role = role_of(m, joint);
    bool dry = joint->friction.coulomb > 0;
    return KI_CHECK(!dry || (role->pressing && role->coordinates > 0), list, joint, "joint",
                    "the type '%s' cannot have Coulomb friction", joint->name, joint->type) &&
           KI_CHECK(joint->friction.viscous == 0 || role->coordinates > 0, list, joint, "joint",
                    "the type '%s' has no coordinate that friction could act along", joint->name,
                    joint->type) &&
           KI_CHECK(
               !dry || joint->friction.radius > 0 || slides(role), list, joint, "joint",
               "it only turns, so that its Coulomb friction needs a lever arm: 'friction: {coulomb: ..., "
               "radius: ...}', the radius of the pin",
               joint->name);
}

static bool check_joint(const keel_mechanism *m, const keel_joint *joint, keel_diagnostics *list) {
    const ki_joint_type *type = ki_joint_type_of(joint->type);
    const ki_joint_role *role = role_of(m, joint);
    if (!role && !type->couples)
        return KI_CHECK(false, list, joint, "joint", "the type '%s' does not exist in a %s mechanism",
                        joint->name, type->word, m->planar ? "planar" : "spatial");
    if (type->couples && !check_coupling(m, joint, list))
        return false;
    return check_friction(m, joint, list) && check_directions(m, joint, list) && check_needs(m, joint, list);
}

/* ---- bodies ----------------------------------------------------------------------------------------------
 */

/* A massless body that nothing holds: is there a joint that does? */
static void mark_held(const keel_mechanism *m, bool *held) {
    for (int i = 0; i < m->joint_count; i++) {
        const ki_joint_role *role = role_of(m, &m->joint[i]);
        if (role && role->conditions > 0)
            held[m->joint[i].body[0]] = held[m->joint[i].body[1]] = true;
    }
}

static keel_status check_bodies(const keel_mechanism *m, keel_diagnostics *list) {
    ki_arena scratch;
    ki_arena_init(&scratch);
    bool *held = KI_NEW(&scratch, bool, m->body_count);
    bool good = true;
    if (held) {
        mark_held(m, held);
        for (int i = 1; i < m->body_count; i++) {
            const keel_body *body = &m->body[i];
            good = check_inertia(body, m->planar, list) && good;
            good = KI_CHECK(held[i] || !is_massless(body, m->planar), list, body, "body",
                            "it has no mass, and no joint holds it: give it a mass or a joint", body->name) &&
                   good;
        }
    }
    ki_arena_free(&scratch);
    return !held ? KEEL_ERROR_MEMORY : good ? KEEL_OK : KEEL_ERROR_INPUT;
}

keel_status ki_description_check(const keel_mechanism *mechanism, keel_diagnostics *diagnostics) {
    if (mechanism->body_count < 2) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0}, "a mechanism needs a body");
        return KEEL_ERROR_INPUT;
    }
    keel_status status = check_bodies(mechanism, diagnostics);
    for (int i = 0; i < mechanism->joint_count; i++)
        if (!check_joint(mechanism, &mechanism->joint[i], diagnostics) && status == KEEL_OK)
            status = KEEL_ERROR_INPUT;
    if (status == KEEL_OK && !ki_finite_numbers(mechanism->gravity, 3)) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0}, "gravity is not finite");
        status = KEEL_ERROR_INPUT;
    }
    return status;
}
