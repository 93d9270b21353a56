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

struct keel_mechanism {
    ki_arena arena; /* holds all text */
    int planar;
    double gravity[3];
    keel_coordinates coordinates;
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
    void *index; /* names -> parts, for quick look-up: description.c */
};

/* What a name stands for among bodies, joints, forces, motions and points. */
typedef enum ki_part_kind { KI_NO_PART, KI_BODY, KI_JOINT, KI_FORCE, KI_MOTION, KI_POINT } ki_part_kind;

/* The part called `name` (`length` characters of it) and its number. A point is found by its own name if only
 * one body has a point of that name, else not (KI_NO_PART); "body.point" is the caller's to split. Not linear
 * in the number of parts. */
ki_part_kind ki_find_part(const keel_mechanism *mechanism, const char *name, int length, int *number);

/* Point `name` of a body (described number), or -1. */
int ki_find_point(const keel_mechanism *mechanism, int body, const char *name, int length);

/* Value of a parameter, or false. */
bool ki_find_parameter(const keel_mechanism *mechanism, const char *name, double *value);

#endif
