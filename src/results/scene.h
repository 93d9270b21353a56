/* scene.h - the moving picture of a run: bodies with shapes, joints, poses and forces of a mechanism, or the
 * points and lines that a model of equations declares. */
#ifndef KI_SCENE_H
#define KI_SCENE_H

#include "results/derived.h"
#include "results/json.h"

enum { KI_FRAMES = 4000 };

/* Member "scene" of the object that is open: null if there is nothing to see. `shared` [joints] marks shared
 * reactions; NULL: none. `work` is a scratch area of record->system. */
keel_status ki_write_scene(ki_json *json, const keel_record *record, void *work, const bool *shared);

/* `count` of `rows` rows, evenly spread, the last one included. */
void ki_pick_rows(long rows, long count, long *pick);

#endif
