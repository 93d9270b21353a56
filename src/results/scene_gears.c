/* scene_gears.c - gears and racks as they must look to do what their joints say.
 *
 * Two bodies turn on a third, the carrier, about the axes a (through A) and b (through B), at speeds 1 and i.
 * Where their teeth meet, at the pitch point p, both move alike:
 *
 *     parallel axes       a x (p - A) = i a x (p - B):   p = (A - i B)/(1 - i), radii |p - A| and |p - B|
 *     axes that meet      p lies on the line through the meeting point along a - i b, the axis of the
 * relative turn; how far is free: as far as the nearer of the two bearings a rack along s      a x (p - A) =
 * ratio s:         p = A + ratio s x a
 *
 * All in world axes, as drawn. Other pairs (worms, belts, coaxial shafts) have no radius that the joint
 * tells.
 */
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "results/scene_parts.h"

static const double SLACK = 1e-6;      /* for "parallel" and "meet" */
static const double THICK = 1.0 / 10;  /* of a wheel, as a part of the smallest radius of a pair */
static const long TRAVEL_FRAMES = 200; /* enough to know how far a rack travels */

/* One side of a pair, seen from the carrier. */
typedef struct side {
    int body;
    double at[3], axis[3];
    bool turns;
} side;

static bool is_type(const ki_scene *s, int joint, const char *word) {
    return strcmp(keel_mechanism_joint_type(s->system, joint), word) == 0;
}

/* Point masses say nothing of the size of a body. */
static bool has_shape(const ki_scene *s, int body) {
    const keel_shape *shapes;
    int count = keel_mechanism_shapes(s->system, body, &shapes);
    for (int i = 0; i < count; i++)
        if (shapes[i].kind != KEEL_SHAPE_MASS)
            return true;
    return body == KEEL_GROUND;
}

static void add_shape(ki_scene *s, int body, const keel_shape *shape) {
    if (!has_shape(s, body))
        s->gear[s->gears++] = (ki_gear_shape){body, *shape};
}

static void add_cylinder(ki_scene *s, int body, const double middle[3], const double axis[3], double half,
                         double radius) {
    keel_shape disc = {.kind = KEEL_SHAPE_CYLINDER, .radius = radius};
    ki_copy3(middle, disc.at);
    ki_copy3(middle, disc.from);
    ki_copy3(middle, disc.to);
    ki_add_scaled(-half, axis, disc.from);
    ki_add_scaled(half, axis, disc.to);
    add_shape(s, body, &disc);
}

/* Of two wheels the smaller one is the thicker, so that it is seen on a shaft or inside of a larger one. */
static void add_wheel(ki_scene *s, int body, const double middle[3], const double axis[3], double radius,
                      double smaller) {
    add_cylinder(s, body, middle, axis, THICK * smaller * (radius > smaller ? 0.5 : 1), radius);
}

static void add_parallel(ki_scene *s, const side *x, const side *y, double i) {
    double between[3], along = ki_dot3(x->axis, y->axis) > 0 ? 1 : -1, middle[3];
    i *= along;
    ki_minus(y->at, x->at, between);
    ki_add_scaled(-ki_dot3(between, x->axis), x->axis, between);
    double distance = sqrt(ki_dot3(between, between));
    if (fabs(1 - i) < SLACK || i == 0 || !(distance > 0))
        return;
    double radius[2] = {distance * fabs(i / (1 - i)), distance / fabs(1 - i)};
    double smaller = fmin(radius[0], radius[1]);
    ki_copy3(x->at, middle);
    ki_add_scaled(1, between, middle); /* both in one plane */
    add_wheel(s, x->body, x->at, x->axis, radius[0], smaller);
    add_wheel(s, y->body, middle, y->axis, radius[1], smaller);
}

/* A bevel wheel with its shaft: through the foot of the pitch point on its axis. */
static void add_bevel(ki_scene *s, const side *x, const double meet[3], const double pitch[3],
                      double smaller) {
    double foot[3], arm[3], middle[3];
    double away = ki_dot3(pitch, x->axis);
    ki_copy3(meet, foot);
    ki_add_scaled(away, x->axis, foot);
    ki_copy3(pitch, arm);
    ki_add_scaled(-away, x->axis, arm);
    add_wheel(s, x->body, foot, x->axis, sqrt(ki_dot3(arm, arm)), smaller);
    ki_minus(x->at, foot, arm);
    double length = ki_dot3(arm, x->axis);
    ki_copy3(foot, middle);
    ki_add_scaled(length / 2, x->axis, middle);
    if (fabs(length) > SLACK * smaller)
        add_cylinder(s, x->body, middle, x->axis, fabs(length) / 2, THICK * smaller);
}

static double radius_about(const double pitch[3], const double axis[3]) {
    double away = ki_dot3(pitch, axis);
    return sqrt(fmax(0, ki_dot3(pitch, pitch) - away * away));
}

static void add_meeting(ki_scene *s, const side *x, const side *y, double i, const double normal[3]) {
    double between[3], turned[3], meet[3], pitch[3], from_meet[3], along = INFINITY;
    double size = ki_dot3(normal, normal);
    ki_minus(y->at, x->at, between);
    if (fabs(ki_dot3(between, normal)) > SLACK * sqrt(ki_dot3(between, between) * size))
        return;
    ki_cross(between, y->axis, turned);
    ki_copy3(x->at, meet);
    ki_add_scaled(ki_dot3(turned, normal) / size, x->axis, meet);
    ki_copy3(x->axis, pitch);
    ki_add_scaled(-i, y->axis, pitch);
    const side *sides[2] = {x, y};
    for (int k = 0; k < 2; k++) { /* where the plane of a wheel at its bearing cuts the line */
        double slope = ki_dot3(pitch, sides[k]->axis);
        ki_minus(sides[k]->at, meet, from_meet);
        double away = ki_dot3(from_meet, sides[k]->axis);
        if (fabs(slope) > SLACK && away != 0 && fabs(away / slope) < fabs(along))
            along = away / slope;
    }
    if (!isfinite(along))
        return;
    for (int k = 0; k < 3; k++)
        pitch[k] *= along;
    double smaller = fmin(radius_about(pitch, x->axis), radius_about(pitch, y->axis));
    add_bevel(s, x, meet, pitch, smaller);
    add_bevel(s, y, meet, pitch, smaller);
}

/* How far the rack moves along its line from where it is drawn, seen from the carrier. */
static keel_status find_travel(ki_scene *s, int carrier, const side *rack, double travel[2]) {
    long count = s->frames < TRAVEL_FRAMES ? s->frames : TRAVEL_FRAMES;
    travel[0] = travel[1] = 0;
    for (long k = 0; k < count; k++) {
        const double *v_rate;
        double apart[3], seen[3], drawn[3];
        long frame = count > 1 ? k * (s->frames - 1) / (count - 1) : 0;
        keel_point at = ki_record_point(s->record, s->pick[frame], &v_rate);
        keel_status status = keel_mechanism_poses(s->system, s->work, &at, s->pose);
        if (status < 0)
            return status;
        const keel_pose *c = &s->pose[carrier], *r = &s->pose[rack->body];
        ki_minus(r->r, c->r, apart);
        ki_rotate_back(c->R, apart, seen);
        ki_minus(r->drawn, c->drawn, drawn);
        double moved = ki_dot3(seen, rack->axis) - ki_dot3(drawn, rack->axis);
        travel[0] = fmin(travel[0], moved);
        travel[1] = fmax(travel[1], moved);
    }
    return KEEL_OK;
}

/* A bar as long as is needed to reach the wheel at all times, beyond the pitch point. */
static keel_status add_rack(ki_scene *s, int carrier, const side *wheel, const side *rack, double ratio) {
    double out[3], travel[2], radius = fabs(ratio);
    if (fabs(ki_dot3(wheel->axis, rack->axis)) > SLACK || !(radius > 0))
        return KEEL_OK;
    keel_status status = find_travel(s, carrier, rack, travel);
    if (status < 0)
        return status;
    ki_cross(rack->axis, wheel->axis, out);
    for (int k = 0; k < 3; k++)
        out[k] *= ratio > 0 ? 1 : -1;
    keel_shape bar = {.kind = KEEL_SHAPE_BOX,
                      .size = {travel[1] - travel[0] + 4 * radius, radius / 2, 2 * THICK * radius}};
    ki_copy3(wheel->at, bar.at);
    ki_add_scaled(radius + bar.size[1] / 2, out, bar.at);
    ki_add_scaled(-(travel[0] + travel[1]) / 2, rack->axis, bar.at);
    for (int k = 0; k < 3; k++) { /* columns: along the rack, outwards, across */
        bar.axes[3 * k] = rack->axis[k];
        bar.axes[3 * k + 1] = out[k];
    }
    double across[3];
    ki_cross(rack->axis, out, across);
    for (int k = 0; k < 3; k++)
        bar.axes[3 * k + 2] = across[k];
    add_wheel(s, wheel->body, wheel->at, wheel->axis, radius, radius);
    add_shape(s, rack->body, &bar);
    return KEEL_OK;
}

/* The two joints of a pair as seen from the body they have in common; false if there is none, or a joint
 * neither turns nor slides. Turns `ratio` into that of the speeds seen from there. */
static bool find_sides(const ki_scene *s, const keel_mesh *mesh, side sides[2], int *carrier, double *ratio) {
    keel_tie tie[2];
    for (int k = 0; k < 2; k++)
        if (!keel_mechanism_joint_tie(s->system, mesh->joint[k], &tie[k]))
            return false;
    for (int c = 0; c < 4; c++) {
        int end[2] = {c & 1, c >> 1};
        if (tie[0].body[end[0]] != tie[1].body[end[1]])
            continue;
        *carrier = tie[0].body[end[0]];
        *ratio = mesh->ratio * (end[0] == end[1] ? 1 : -1);
        for (int k = 0; k < 2; k++) {
            sides[k] =
                (side){.body = tie[k].body[1 - end[k]], .turns = is_type(s, mesh->joint[k], "revolute")};
            if (!sides[k].turns && !is_type(s, mesh->joint[k], "prismatic"))
                return false;
            ki_copy3(s->pose[tie[k].body[0]].drawn, sides[k].at);
            ki_add_scaled(1, tie[k].at[0], sides[k].at);
            ki_copy3(tie[k].axis, sides[k].axis);
        }
        return true;
    }
    return false;
}

static keel_status add_pair(ki_scene *s, const keel_mesh *mesh) {
    side sides[2];
    double normal[3], ratio;
    int carrier;
    if (!find_sides(s, mesh, sides, &carrier, &ratio))
        return KEEL_OK;
    if (sides[0].turns && sides[1].turns) {
        ki_cross(sides[0].axis, sides[1].axis, normal);
        if (sqrt(ki_dot3(normal, normal)) < SLACK)
            add_parallel(s, &sides[0], &sides[1], ratio);
        else
            add_meeting(s, &sides[0], &sides[1], ratio, normal);
    } else if (sides[0].turns) {
        return add_rack(s, carrier, &sides[0], &sides[1], ratio);
    } else if (sides[1].turns && ratio != 0) {
        return add_rack(s, carrier, &sides[1], &sides[0], 1 / ratio);
    }
    return KEEL_OK;
}

keel_status ki_scene_gears(ki_scene *s) {
    keel_mesh mesh;
    int pairs = 0;
    for (int j = 0; j < s->facts.joints; j++)
        pairs += keel_mechanism_joint_mesh(s->system, j, &mesh);
    s->gear = KI_NEW(&s->arena, ki_gear_shape, 4 * pairs); /* two wheels with their shafts */
    if (pairs && !s->gear)
        return KEEL_ERROR_MEMORY;
    keel_status status = KEEL_OK;
    for (int j = 0; j < s->facts.joints && status >= 0; j++)
        if (keel_mechanism_joint_mesh(s->system, j, &mesh))
            status = add_pair(s, &mesh);
    return status;
}
