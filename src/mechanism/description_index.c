/* description_index.c - looking up names of a description, and help with misspelt ones. */
#include "mechanism/description_index.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"

/* FNV-1a, of the space and the name */
static uint32_t hash(int space, const char *name, size_t length) {
    uint32_t h = (2166136261u ^ (uint32_t)space) * 16777619u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    return h ^ h >> 15;
}

/* The slot that holds the name, or the free one where it would go. */
static ki_index_entry *slot_of(const ki_index *index, int space, const char *name, size_t length) {
    uint32_t mask = (uint32_t)index->capacity - 1;
    for (uint32_t i = hash(space, name, length) & mask;; i = (i + 1) & mask) {
        ki_index_entry *slot = &index->slot[i];
        if (!slot->name ||
            (slot->space == space && strncmp(slot->name, name, length) == 0 && slot->name[length] == '\0'))
            return slot;
    }
}

ki_index_entry *ki_index_find(const ki_index *index, int space, const char *name, size_t length) {
    if (!index->capacity)
        return NULL;
    ki_index_entry *slot = slot_of(index, space, name, length);
    return slot->name ? slot : NULL;
}

/* Keeps at least a third of the slots free. */
static bool make_room(ki_index *index) {
    if (index->count + 1 <= index->capacity / 3 * 2)
        return true;
    if (index->capacity > INT_MAX / 4)
        return false;
    ki_index larger = *index;
    larger.capacity = index->capacity ? 2 * index->capacity : 64;
    larger.slot = calloc((size_t)larger.capacity, sizeof(ki_index_entry));
    if (!larger.slot)
        return false;
    for (int i = 0; i < index->capacity; i++) {
        const ki_index_entry *old = &index->slot[i];
        if (old->name)
            *slot_of(&larger, old->space, old->name, strlen(old->name)) = *old;
    }
    free(index->slot);
    *index = larger;
    return true;
}

bool ki_index_add(ki_index *index, ki_index_entry entry) {
    if (!make_room(index))
        return false;
    *slot_of(index, entry.space, entry.name, strlen(entry.name)) = entry;
    index->count++;
    return true;
}

ki_part_kind ki_find_part(const keel_mechanism *mechanism, const char *name, int length, int *number) {
    const ki_index_entry *found = ki_index_find(mechanism->index, KI_PARTS, name, (size_t)length);
    if (!found)
        found = ki_index_find(mechanism->index, KI_ALL_POINTS, name, (size_t)length);
    if (!found || found->shared)
        return KI_NO_PART;
    *number = found->number;
    return found->kind;
}

int ki_find_point(const keel_mechanism *mechanism, int body, const char *name, int length) {
    int space = body < 0 ? KI_ALL_POINTS : body;
    const ki_index_entry *found = ki_index_find(mechanism->index, space, name, (size_t)length);
    return found && !found->shared ? found->number : -1;
}

bool ki_find_parameter(const keel_mechanism *mechanism, const char *name, double *value) {
    const ki_index_entry *found = ki_index_find(mechanism->index, KI_PARAMETERS, name, strlen(name));
    if (found)
        *value = mechanism->parameter[found->number].value;
    return found != NULL;
}

static int find_of_kind(const keel_mechanism *mechanism, ki_part_kind kind, const char *name) {
    const ki_index_entry *found = name ? ki_index_find(mechanism->index, KI_PARTS, name, strlen(name)) : NULL;
    return found && found->kind == kind ? found->number : -1;
}

int keel_mechanism_find_body(const keel_mechanism *mechanism, const char *name) {
    if (!mechanism || !name)
        return -1;
    return find_of_kind(mechanism, KI_BODY, name);
}

int keel_mechanism_find_joint(const keel_mechanism *mechanism, const char *name) {
    if (!mechanism || !name)
        return -1;
    return find_of_kind(mechanism, KI_JOINT, name);
}

bool ki_find_start(const keel_mechanism *mechanism, const char *quantity, keel_location *where) {
    const ki_index_entry *found = ki_index_find(mechanism->index, KI_STARTS, quantity, strlen(quantity));
    if (found)
        *where = mechanism->start[found->number].where;
    return found != NULL;
}

bool ki_find_output(const keel_mechanism *mechanism, const char *name, keel_location *where) {
    const ki_index_entry *found = ki_index_find(mechanism->index, KI_OUTPUTS, name, strlen(name));
    if (found)
        *where = mechanism->output[found->number].where;
    return found != NULL;
}

static int count_of(const keel_mechanism *mechanism, ki_part_kind kind) {
    switch (kind) {
    case KI_BODY:
        return mechanism->body_count;
    case KI_JOINT:
        return mechanism->joint_count;
    case KI_FORCE:
        return mechanism->force_count;
    case KI_MOTION:
        return mechanism->motion_count;
    case KI_POINT:
        return mechanism->point_count;
    default:
        return 0;
    }
}

static const char *name_of(const keel_mechanism *mechanism, ki_part_kind kind, int number) {
    switch (kind) {
    case KI_BODY:
        return mechanism->body[number].name;
    case KI_JOINT:
        return mechanism->joint[number].name;
    case KI_FORCE:
        return mechanism->force[number].name;
    case KI_MOTION:
        return mechanism->motion[number].name;
    default:
        return mechanism->point[number].name;
    }
}

/* An index out of range is more likely than a misspelt name. */
const char *ki_hint(const keel_mechanism *mechanism, ki_part_kind kind, const char *name,
                    char hint[KI_PART_HINT]) {
    enum { LOOKED_AT_MAX = 20000 }; /* keeps a message about a huge mechanism quick */
    const char *closest = NULL, *first = NULL, *last = NULL, *bracket = strchr(name, '[');
    size_t base = bracket ? (size_t)(bracket - name) + 1 : 0;
    int count = count_of(mechanism, kind);
    for (int i = 0; i < count && i < LOOKED_AT_MAX; i++) {
        const char *candidate = name_of(mechanism, kind, i);
        const char *pair[] = {closest ? closest : candidate, candidate};
        closest = ki_closest_name(name, pair, 2);
        if (base && strncmp(candidate, name, base) == 0) {
            first = first ? first : candidate;
            last = candidate;
        }
    }
    hint[0] = '\0';
    if (first && first != last)
        snprintf(hint, KI_PART_HINT, "; there are '%.60s' to '%.60s'", first, last);
    else if (first || closest)
        snprintf(hint, KI_PART_HINT, "; did you mean '%.120s'?", first ? first : closest);
    return hint;
}
