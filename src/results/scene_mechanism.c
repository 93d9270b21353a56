/* scene_mechanism.c - bodies with their shapes, points, joints and springs of a mechanism, and how they move.
 */
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "results/scene_parts.h"

static void write_vector(ki_json *json, const char *key, const double v[3]) {
    ki_json_numbers(json, key, v, 3);
}

static double reach_of(const keel_shape *shape) {
    double edges = sqrt(ki_dot3(shape->size, shape->size)) / 2;
    return fmax(shape->radius, edges);
}

static void measure_mechanism(ki_scene *s) {
    static const double HERE[3] = {0};
    keel_marker marker;
    keel_tie tie;
    for (int b = 1; b <= s->facts.bodies; b++) {
        const keel_shape *shapes;
        int count = keel_mechanism_shapes(s->system, b, &shapes);
        ki_scene_widen(s, s->pose[b].drawn, HERE, 0);
        for (int i = 0; i < count; i++) {
            bool long_one = shapes[i].kind == KEEL_SHAPE_ROD || shapes[i].kind == KEEL_SHAPE_CYLINDER;
            ki_scene_widen(s, HERE, long_one ? shapes[i].from : shapes[i].at, reach_of(&shapes[i]));
            ki_scene_widen(s, HERE, long_one ? shapes[i].to : shapes[i].at, reach_of(&shapes[i]));
        }
    }
    for (int i = 0; i < s->gears; i++) /* a rack passes by and may be long */
        if (s->gear[i].shape.kind == KEEL_SHAPE_CYLINDER)
            ki_scene_widen(s, HERE, s->gear[i].shape.at, s->gear[i].shape.radius);
    for (int i = 0; keel_mechanism_marker(s->system, i, &marker); i++)
        ki_scene_widen(s, s->pose[marker.body].drawn, marker.at, 0);
    for (int j = 0; j < s->facts.joints; j++)
        for (int k = 0; k < 2 && keel_mechanism_joint_tie(s->system, j, &tie); k++)
            ki_scene_widen(s, s->pose[tie.body[k]].drawn, tie.at[k], 0);
    for (int i = 0; keel_mechanism_spring_tie(s->system, i, &tie); i++)
        for (int k = 0; k < 2; k++)
            ki_scene_widen(s, s->pose[tie.body[k]].drawn, tie.at[k], 0);
}

/* Against gravity; without it y in the plane and z in space. */
static void write_up(const ki_scene *s) {
    double up[3] = {0}, g[3];
    keel_mechanism_gravity(s->system, g);
    double length = sqrt(ki_dot3(g, g));
    if (length > 0)
        ki_add_scaled(-1 / length, g, up);
    else
        up[s->facts.planar ? 1 : 2] = 1;
    write_vector(s->json, "up", up);
}

static const char *const SHAPE_WORDS[] = {
    [KEEL_SHAPE_ROD] = "rod",     [KEEL_SHAPE_CYLINDER] = "cylinder", [KEEL_SHAPE_BOX] = "box",
    [KEEL_SHAPE_PLATE] = "plate", [KEEL_SHAPE_SPHERE] = "sphere",     [KEEL_SHAPE_MASS] = "mass",
};

/* Thickness of what has none, as a part of the scene's size. */
static const double THIN = 0.01;

static void write_edges(const ki_scene *s, const keel_shape *shape) {
    double thin = THIN * ki_scene_size(s), thickness = shape->size[2] > 0 ? shape->size[2] : thin;
    if (shape->kind == KEEL_SHAPE_PLATE) {
        ki_json_numbers(s->json, "size", shape->size, 2);
        ki_json_number(s->json, "thickness", thickness);
    } else {
        write_vector(s->json, "size", (const double[3]){shape->size[0], shape->size[1], thickness});
    }
    ki_json_numbers(s->json, "axes", shape->axes, 9);
}

static void write_shape(const ki_scene *s, const keel_shape *shape, const double reference[3]) {
    double from[3], to[3], at[3];
    ki_minus(shape->from, reference, from);
    ki_minus(shape->to, reference, to);
    ki_minus(shape->at, reference, at);
    ki_json_open(s->json, NULL);
    ki_json_text(s->json, "kind", SHAPE_WORDS[shape->kind]);
    switch (shape->kind) {
    case KEEL_SHAPE_ROD:
    case KEEL_SHAPE_CYLINDER:
        write_vector(s->json, "from", from);
        write_vector(s->json, "to", to);
        ki_json_number(s->json, "radius", shape->radius > 0 ? shape->radius : THIN * ki_scene_size(s));
        break;
    case KEEL_SHAPE_BOX:
    case KEEL_SHAPE_PLATE:
        write_edges(s, shape);
        write_vector(s->json, "at", at);
        break;
    case KEEL_SHAPE_SPHERE:
        ki_json_number(s->json, "radius", shape->radius);
        write_vector(s->json, "at", at);
        break;
    case KEEL_SHAPE_MASS:
        write_vector(s->json, "at", at);
        break;
    }
    ki_json_close(s->json);
}

/* A body that rolls and has no shape is drawn as what rolls. */
static void write_rolling(const ki_scene *s, int body) {
    keel_tie tie;
    for (int j = 0; j < s->facts.joints; j++) {
        if (!keel_mechanism_joint_tie(s->system, j, &tie) || tie.radius <= 0 || tie.body[1] != body)
            continue;
        static const double HERE[3] = {0};
        bool ball = strcmp(keel_mechanism_joint_type(s->system, j), "sphere") == 0;
        keel_shape shape = {.kind = ball ? KEEL_SHAPE_SPHERE : KEEL_SHAPE_CYLINDER, .radius = tie.radius};
        ki_copy3(tie.at[1], shape.at);
        ki_copy3(tie.at[1], shape.from);
        ki_copy3(tie.at[1], shape.to);
        ki_add_scaled(-tie.radius / 30, tie.axle, shape.from);
        ki_add_scaled(tie.radius / 30, tie.axle, shape.to);
        write_shape(s, &shape, HERE);
    }
}

static void write_bodies(const ki_scene *s) {
    ki_json_open_list(s->json, "bodies");
    for (int b = 0; b <= s->facts.bodies; b++) {
        const keel_shape *shapes;
        int count = keel_mechanism_shapes(s->system, b, &shapes);
        ki_json_open(s->json, NULL);
        ki_json_text(s->json, "name", keel_mechanism_body_name(s->system, b));
        ki_json_open_list(s->json, "shapes");
        for (int i = 0; i < count; i++)
            write_shape(s, &shapes[i], s->pose[b].drawn);
        if (count == 0 && b > 0)
            write_rolling(s, b);
        for (int i = 0; i < s->gears; i++)
            if (s->gear[i].body == b)
                write_shape(s, &s->gear[i].shape, s->pose[b].drawn);
        ki_json_close_list(s->json);
        ki_json_close(s->json);
    }
    ki_json_close_list(s->json);
    keel_marker marker;
    ki_json_open_list(s->json, "points");
    for (int i = 0; keel_mechanism_marker(s->system, i, &marker); i++) {
        ki_json_open(s->json, NULL);
        ki_json_text(s->json, "name", marker.name);
        ki_json_integer(s->json, "body", marker.body);
        write_vector(s->json, "at", marker.at);
        ki_json_close(s->json);
    }
    ki_json_close_list(s->json);
}

static void write_tie(ki_json *json, const keel_tie *tie) {
    ki_json_text(json, "name", tie->name);
    ki_json_raw(json, "body", "[");
    fprintf(json->file, "%d, %d]", tie->body[0], tie->body[1]);
    ki_json_open_list(json, "at");
    write_vector(json, NULL, tie->at[0]);
    write_vector(json, NULL, tie->at[1]);
    ki_json_close_list(json);
}

static void write_ties(const ki_scene *s) {
    keel_tie tie;
    ki_json_open_list(s->json, "joints");
    for (int j = 0; j < s->facts.joints; j++) {
        if (!keel_mechanism_joint_tie(s->system, j, &tie))
            continue;
        ki_json_open(s->json, NULL);
        write_tie(s->json, &tie);
        ki_json_text(s->json, "type", keel_mechanism_joint_type(s->system, j));
        write_vector(s->json, "axis", tie.axis);
        if (strcmp(keel_mechanism_joint_type(s->system, j), "skate") == 0)
            write_vector(s->json, "edge", tie.axle);
        ki_json_bool(s->json, "cut", !keel_mechanism_joint_is_tree(s->system, j));
        ki_json_bool(s->json, "shared", s->shared && s->shared[j]);
        ki_json_close(s->json);
    }
    ki_json_close_list(s->json);
    ki_json_open_list(s->json, "springs");
    for (int i = 0; keel_mechanism_spring_tie(s->system, i, &tie); i++) {
        ki_json_open(s->json, NULL);
        write_tie(s->json, &tie);
        ki_json_close(s->json);
    }
    ki_json_close_list(s->json);
}

/* x y z, qw qx qy qz; of the two quaternions of a rotation the one near that of the frame before. */
static void put_pose(const keel_pose *pose, const float *before, float to[7]) {
    double e[4], along = 0;
    ki_matrix_quaternion(pose->R, e);
    for (int k = 0; before && k < 4; k++)
        along += e[k] * (double)before[3 + k];
    for (int k = 0; k < 3; k++)
        to[k] = (float)pose->r[k];
    for (int k = 0; k < 4; k++)
        to[3 + k] = (float)(along < 0 ? -e[k] : e[k]);
}

static keel_status write_poses(ki_scene *s) {
    int bodies = s->facts.bodies;
    float *poses = KI_NEW(&s->arena, float, s->frames *bodies * 7);
    if (!poses)
        return KEEL_ERROR_MEMORY;
    for (long f = 0; f < s->frames; f++) {
        const double *v_rate;
        keel_point at = ki_record_point(s->record, s->pick[f], &v_rate);
        keel_status status = keel_mechanism_poses(s->system, s->work, &at, s->pose);
        if (status < 0)
            return status;
        float *frame = poses + f * bodies * 7;
        for (int b = 1; b <= bodies; b++)
            put_pose(&s->pose[b], f ? frame - 7 * bodies + 7 * (b - 1) : NULL, frame + 7 * (b - 1));
    }
    ki_json_floats(s->json, "poses", poses, s->frames * bodies * 7);
    return KEEL_OK;
}

/* Reactions of the joints that have a place; null when the accelerations are not known. */
static keel_status write_forces(ki_scene *s) {
    keel_tie tie;
    const double *v_rate;
    long count = 0;
    ki_record_point(s->record, 0, &v_rate);
    if (!v_rate || !s->facts.joints) {
        ki_json_text(s->json, "forces", NULL);
        return KEEL_OK;
    }
    keel_reaction *reactions = KI_NEW(&s->arena, keel_reaction, s->facts.joints);
    float *forces = KI_NEW(&s->arena, float, s->frames * s->facts.joints * 3);
    if (!reactions || !forces)
        return KEEL_ERROR_MEMORY;
    for (long f = 0; f < s->frames; f++) {
        keel_point at = ki_record_point(s->record, s->pick[f], &v_rate);
        keel_status status = keel_mechanism_reactions(s->system, s->work, &at, v_rate, reactions);
        if (status < 0)
            return status;
        for (int j = 0; j < s->facts.joints; j++)
            for (int k = 0; k < 3 && keel_mechanism_joint_tie(s->system, j, &tie); k++)
                forces[count++] = (float)reactions[j].force[k];
    }
    ki_json_floats(s->json, "forces", forces, count);
    return KEEL_OK;
}

keel_status ki_write_mechanism(ki_scene *s) {
    const double *v_rate;
    keel_point first = ki_record_point(s->record, 0, &v_rate);
    s->pose = KI_NEW(&s->arena, keel_pose, s->facts.bodies + 1);
    if (!s->pose)
        return KEEL_ERROR_MEMORY;
    keel_status status = keel_mechanism_poses(s->system, s->work, &first, s->pose);
    if (status >= 0)
        status = ki_scene_gears(s);
    if (status < 0)
        return status;
    measure_mechanism(s);
    ki_json_open(s->json, "scene");
    ki_json_integer(s->json, "dimension", s->facts.planar ? 2 : 3);
    write_up(s);
    ki_json_number(s->json, "size", ki_scene_size(s));
    ki_json_text(s->json, "unit", "m");
    ki_json_text(s->json, "force_unit", "N");
    write_bodies(s);
    write_ties(s);
    ki_json_empty_list(s->json, "tracks");
    ki_json_empty_list(s->json, "lines");
    ki_scene_frames(s);
    status = write_poses(s);
    if (status >= 0)
        status = write_forces(s);
    ki_json_close(s->json);
    return status;
}
