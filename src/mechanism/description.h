/* description.h - what a user said of a mechanism: arrays of copies, checked one by one as they are added. */
#ifndef KI_MECHANISM_DESCRIPTION_H
#define KI_MECHANISM_DESCRIPTION_H

#include <stdbool.h>

#include "base/arena.h"
#include "keel/mechanism.h"

typedef struct ki_point_spec {
    const char *name;
    int body;
    double at[3];
    keel_location where;
} ki_point_spec;

typedef struct ki_value_spec { /* a parameter, or a start value of a quantity */
    const char *name;
    double value;
    keel_location where;
} ki_value_spec;

typedef struct ki_output_spec {
    const char *name;
    keel_location where;
    keel_formula formula;
} ki_output_spec;

typedef struct ki_state_spec {
    const char *name;
    keel_location where;
    double start;
    keel_formula rate; /* text NULL: an input */
} ki_state_spec;

typedef struct ki_shape_spec {
    int body;
    keel_shape shape;
} ki_shape_spec;

struct keel_mechanism {
    ki_arena arena; /* holds all text */
    int planar;
    double gravity[3];
    keel_coordinates coordinates;
    double precision_length, precision_angle;
    int body_count; /* with the ground, number 0 */
    keel_body *body;
    int joint_count;
    keel_joint *joint;
    int point_count;
    ki_point_spec *point;
    int force_count;
    keel_force *force;
    int motion_count;
    keel_motion *motion;
    int parameter_count;
    ki_value_spec *parameter;
    int start_count;
    ki_value_spec *start;
    int output_count;
    ki_output_spec *output;
    int state_count;
    ki_state_spec *state;
    int definition_count;
    ki_output_spec *definition;
    int shape_count;
    ki_shape_spec *shape;
    keel_mechanism *drawing; /* its ground has the points that belong to no body; NULL: none are known */
    void *index;             /* names -> parts, for quick look-up: description.c */
};

/* What a name stands for among bodies, joints, forces, motions and points. */
typedef enum ki_part_kind { KI_NO_PART, KI_BODY, KI_JOINT, KI_FORCE, KI_MOTION, KI_POINT } ki_part_kind;

/* The part called `name` (`length` characters of it) and its number. A point is found by its own name if only
 * one body has a point of that name, else not (KI_NO_PART); "body.point" is the caller's to split. Not linear
 * in the number of parts. */
ki_part_kind ki_find_part(const keel_mechanism *mechanism, const char *name, int length, int *number);

/* Point `name` of a body (described number), or -1. Body -1: of whichever body has it, if only one does; this
 * finds also points that have the name of a part. */
int ki_find_point(const keel_mechanism *mechanism, int body, const char *name, int length);

/* Value of a parameter, or false. */
bool ki_find_parameter(const keel_mechanism *mechanism, const char *name, double *value);

/* Number of the state, or of the definition, of that name; or -1. */
int ki_find_state(const keel_mechanism *mechanism, const char *name);
int ki_find_definition(const keel_mechanism *mechanism, const char *name);

/* Where a start value or an output of that name was given, or false. */
bool ki_find_start(const keel_mechanism *mechanism, const char *quantity, keel_location *where);
bool ki_find_output(const keel_mechanism *mechanism, const char *name, keel_location *where);

/* What a name that is not known may have meant among the parts of a kind: "; did you mean 'rod'?" or
 * "; there are 'bar[1]' to 'bar[9]'", or "". */
enum { KI_PART_HINT = 160 };
const char *ki_hint(const keel_mechanism *mechanism, ki_part_kind kind, const char *name,
                    char hint[KI_PART_HINT]);

/* What can be said of the parts once all are there, and it is known whether the mechanism is planar: types
 * exist, have what they need and directions, inertias are possible, no body is massless and free. The first
 * step of compiling. */
keel_status ki_description_check(const keel_mechanism *mechanism, keel_diagnostics *diagnostics);

#endif
