/* model_text.c - a drawing as a model file (docs/model-format.md). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"

static void put_vec(FILE *file, const drawing *d, vec v) {
    fprintf(file, "[%.17g, %.17g", v.x, v.y);
    if (!d->planar)
        fprintf(file, ", %.17g", v.z);
    fprintf(file, "]");
}

static void put_bodies(FILE *file, const drawing *d) {
    fprintf(file, "bodies:\n");
    for (int b = 1; b <= d->bodies; b++) {
        const drawn_body *body = &d->body[b];
        const double *I = body->inertia.a;
        fprintf(file, "  %s: {mass: %.17g, centre: ", body->name, body->mass);
        put_vec(file, d, body->centre);
        if (d->planar)
            fprintf(file, ", inertia: %.17g}\n", I[8]);
        else
            fprintf(file, ", inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}\n", I[0], I[4], I[8], I[1],
                    I[5], I[2]);
    }
}

static const char *body_name(const drawing *d, int body) {
    return body == GROUND ? "ground" : d->body[body].name;
}

static bool needs_axis(const drawing *d, const drawn_joint *joint) {
    return norm(joint->axis) > 0 && !(d->planar && !strcmp(joint->type, "revolute"));
}

static void put_joint(FILE *file, const drawing *d, const drawn_joint *joint) {
    bool two_places = norm(sub(joint->at[0], joint->at[1])) > 0;
    fprintf(file, "  %s: {type: %s, bodies: [%s, %s], at: ", joint->name, joint->type,
            body_name(d, joint->body[0]), body_name(d, joint->body[1]));
    if (two_places) {
        fprintf(file, "[");
        put_vec(file, d, joint->at[0]);
        fprintf(file, ", ");
        put_vec(file, d, joint->at[1]);
        fprintf(file, "]");
    } else {
        put_vec(file, d, joint->at[0]);
    }
    if (needs_axis(d, joint)) {
        fprintf(file, ", axis: ");
        put_vec(file, d, joint->axis);
    }
    if (norm(joint->across) > 0) {
        fprintf(file, ", across: ");
        put_vec(file, d, joint->across);
    }
    if (joint->radius > 0)
        fprintf(file, ", radius: %.17g", joint->radius);
    fprintf(file, "}\n");
}

static void put_drives(FILE *file, const drawing *d) {
    if (d->motions)
        fprintf(file, "motions:\n");
    for (int i = 0; i < d->motions; i++) {
        const drawn_joint *joint = &d->joint[d->motion[i].joint];
        fprintf(file, "  motor_%s: {of: %s.%s, speed: %.17g}\n", joint->name, joint->name,
                drawn_coordinate(joint), d->motion[i].value);
    }
    if (d->torques + d->forces)
        fprintf(file, "forces:\n");
    for (int i = 0; i < d->torques; i++) {
        const drawn_joint *joint = &d->joint[d->torque[i].joint];
        fprintf(file, "  torque_%s: {type: torque, joint: %s, value: %.17g}\n", joint->name, joint->name,
                d->torque[i].value);
    }
    for (int i = 0; i < d->forces; i++) {
        const drawn_force *f = &d->force[i];
        fprintf(file, "  force_%s: {type: force, body: %s, at: ", d->body[f->body].name,
                d->body[f->body].name);
        put_vec(file, d, f->at);
        fprintf(file, ", vector: ");
        put_vec(file, d, f->vector);
        fprintf(file, "}\n");
    }
}

static void put_twist(FILE *file, const drawing *d, const drawn_twist *twist) {
    const char *name = d->body[twist->body].name;
    fprintf(file, "  %s.x': %.17g\n  %s.y': %.17g\n", name, twist->velocity.x, name, twist->velocity.y);
    if (d->planar)
        fprintf(file, "  %s.angle': %.17g\n", name, twist->spin.z);
    else
        fprintf(file, "  %s.z': %.17g\n  %s.spin.x: %.17g\n  %s.spin.y: %.17g\n  %s.spin.z: %.17g\n", name,
                twist->velocity.z, name, twist->spin.x, name, twist->spin.y, name, twist->spin.z);
}

static void put_start(FILE *file, const drawing *d) {
    if (d->rates + d->twists)
        fprintf(file, "start:\n");
    for (int i = 0; i < d->rates; i++) {
        const drawn_joint *joint = &d->joint[d->rate[i].joint];
        fprintf(file, "  %s.%s': %.17g\n", joint->name, drawn_coordinate(joint), d->rate[i].value);
    }
    for (int i = 0; i < d->twists; i++)
        put_twist(file, d, &d->twist[i]);
}

char *drawing_text(const drawing *d) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert(file);
    fprintf(file, "keel: 1\nname: %s\n%sgravity: ", d->name, d->planar ? "planar: true\n" : "");
    put_vec(file, d, d->gravity);
    fprintf(file, "\n");
    if (strcmp(d->coordinates, "auto"))
        fprintf(file, "coordinates: %s\n", d->coordinates);
    put_bodies(file, d);
    fprintf(file, "joints:\n");
    for (int j = 0; j < d->joints; j++)
        put_joint(file, d, &d->joint[j]);
    put_drives(file, d);
    put_start(file, d);
    fprintf(file, "simulate: {until: %.17g, method: %s, tolerance: %.17g, output: %.17g}\n", d->until,
            d->method, d->tolerance, d->until / 8);
    fclose(file);
    return text;
}
