/* scene_parts.h - what the two kinds of scenes share. */
#ifndef KI_SCENE_PARTS_H
#define KI_SCENE_PARTS_H

#include "keel/mechanism.h"
#include "results/packed.h"
#include "results/scene.h"

/* A shape that a body has because of its joints. */
typedef struct ki_gear_shape {
    int body;
    keel_shape shape;
} ki_gear_shape;

/* What a scene is made from. */
typedef struct ki_scene {
    ki_json *json;
    const keel_record *record;
    const keel_system *system;
    void *work;
    ki_arena arena;
    keel_mechanism_facts facts;
    keel_pose *pose; /* [bodies + 1] */
    const bool *shared;
    long frames;
    long *pick;             /* [frames] rows */
    double *time;           /* [frames] */
    double low[3], high[3]; /* the box around everything that has a place */
    ki_gear_shape *gear;    /* [gears] */
    int gears;
} ki_scene;

keel_status ki_write_mechanism(ki_scene *scene);

/* Wheels and racks of gears, for bodies without a shape of their own; fills `gear`. */
keel_status ki_scene_gears(ki_scene *scene);

/* The box: empty; with a ball in it; its diagonal, or 1. */
void ki_scene_reset(ki_scene *scene);
void ki_scene_widen(ki_scene *scene, const double origin[3], const double at[3], double radius);
double ki_scene_size(const ki_scene *scene);

/* Members of the scene. */
void ki_json_numbers(ki_json *json, const char *key, const double *values, int count);
void ki_json_empty_list(ki_json *json, const char *key);
void ki_scene_frames(const ki_scene *scene);

#endif
