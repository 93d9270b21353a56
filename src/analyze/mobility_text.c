/* mobility_text.c - what was found about the mobility of a mechanism, in words. */
#include <stdbool.h>
#include <stdio.h>

#include "keel/mechanism.h"
#include "keel/mobility.h"

enum { MOST_BODIES = 8 }; /* that are told one by one */

/* Appends to `text`, cut off at its end. */
static size_t append(char *text, size_t size, size_t used, const char *before, const char *name,
                     const char *after) {
    if (used + 1 >= size)
        return used;
    int written = snprintf(text + used, size - used, "%s%s%s", before, name, after);
    return written < 0 ? used : used + (size_t)written < size ? used + (size_t)written : size - 1;
}

const char *keel_mobility_sentence(const keel_system *system, const keel_repetition *r, char *text,
                                   int size) {
    char names[400] = "";
    size_t used = 0;
    for (int i = 0; i < r->other_count; i++)
        used = append(names, sizeof names, used,
                      i == 0                    ? ""
                      : i + 1 == r->other_count ? " and "
                                                : ", ",
                      keel_mechanism_joint_name(system, r->others[i]), "");
    const char *plural = r->conditions == 1 ? "" : "s";
    if (r->other_count)
        snprintf(text, (size_t)size, "%s repeats %d condition%s that %s already impose%s",
                 keel_mechanism_joint_name(system, r->joint), r->conditions, plural, names,
                 r->other_count == 1 ? "s" : "");
    else
        snprintf(text, (size_t)size, "%s has %d condition%s that hold%s anyway",
                 keel_mechanism_joint_name(system, r->joint), r->conditions, plural,
                 r->conditions == 1 ? "s" : "");
    return text;
}

/* "joints 'a' and 'b' lock": the joints of a body, with the verb. */
static void list_joints(const keel_system *system, const keel_mobility *mobility, int body, char *text,
                        size_t size) {
    int count = 0, written = 0, ends[2];
    for (int j = 0; j < mobility->joints; j++) {
        keel_mechanism_joint_bodies(system, j, ends);
        count += ends[0] == body || ends[1] == body;
    }
    size_t used = append(text, size, 0, count == 1 ? "joint" : "joints", "", "");
    for (int j = 0; j < mobility->joints; j++) {
        keel_mechanism_joint_bodies(system, j, ends);
        if (ends[0] != body && ends[1] != body)
            continue;
        written++;
        used = append(text, size, used,
                      written == 1       ? " '"
                      : written == count ? " and '"
                                         : ", '",
                      keel_mechanism_joint_name(system, j), "'");
    }
    append(text, size, used, count == 1 ? " locks" : " lock", "", "");
}

keel_status keel_mobility_check(const keel_system *system, const keel_mobility *mobility,
                                keel_diagnostics *diagnostics) {
    int told = 0, locked = 0;
    bool rigid = mobility->freedoms == 0;
    for (int b = 1; mobility->known && b <= mobility->bodies; b++) {
        char joints[300];
        if (mobility->body[b] != KEEL_BODY_LOCKED)
            continue;
        locked++;
        if (told++ >= MOST_BODIES)
            continue;
        list_joints(system, mobility, b, joints, sizeof joints);
        keel_diagnostics_add(diagnostics, KEEL_ERROR, keel_mechanism_body_where(system, b),
                             "%s body '%s': it cannot move in this pose%s", joints,
                             keel_mechanism_body_name(system, b),
                             rigid ? ", nor can the rest of the mechanism: the joints leave no freedom" : "");
    }
    if (locked > MOST_BODIES)
        keel_diagnostics_add(diagnostics, KEEL_NOTE, (keel_location){0}, "%d more bodies cannot move",
                             locked - MOST_BODIES);
    return locked ? KEEL_ERROR_INPUT : KEEL_OK;
}
