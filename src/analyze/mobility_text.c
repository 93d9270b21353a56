/* mobility_text.c - what was found about the mobility of a mechanism, in words. */
#include <stdbool.h>
#include <stdio.h>

#include "keel/mechanism.h"
#include "keel/mobility.h"

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

/* Whether a joint is named with the k-th locked body: it takes part, or, if that is not known, is of the
 * body. */
static bool is_named(const keel_system *system, const keel_mobility *mobility, int k, int body, int joint) {
    int ends[2];
    if (mobility->lockers)
        return mobility->lockers[k * mobility->joints + joint];
    keel_mechanism_joint_bodies(system, joint, ends);
    return ends[0] == body || ends[1] == body;
}

/* "joints 'a' and 'b' lock": the joints of the k-th locked body, with the verb. */
static void list_joints(const keel_system *system, const keel_mobility *mobility, int k, int body, char *text,
                        size_t size) {
    int count = 0, written = 0;
    for (int j = 0; j < mobility->joints; j++)
        count += is_named(system, mobility, k, body, j);
    size_t used = append(text, size, 0, count == 1 ? "joint" : "joints", "", "");
    for (int j = 0; j < mobility->joints; j++) {
        if (!is_named(system, mobility, k, body, j))
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

/* Whether some body that the joints of the k-th locked body hold can move: then it is the pose, and not the
 * drawing, that locks, as where a slider-crank with a rod as long as its crank is folded. */
static bool others_move(const keel_system *system, const keel_mobility *mobility, int k) {
    for (int j = 0; mobility->lockers && j < mobility->joints; j++) {
        int ends[2];
        keel_mechanism_joint_bodies(system, j, ends);
        if (mobility->lockers[k * mobility->joints + j] &&
            (mobility->body[ends[0]] == KEEL_BODY_MOVES || mobility->body[ends[1]] == KEEL_BODY_MOVES))
            return true;
    }
    return false;
}

/* How a shared reaction is shared is not determined, and Coulomb friction grows with it. */
static void warn_of_friction(const keel_system *system, const keel_mobility *mobility,
                             keel_diagnostics *diagnostics) {
    for (int j = 0; mobility->known && j < mobility->joints; j++)
        if (mobility->shared[j] && keel_mechanism_joint_friction(system, j) > 0)
            keel_diagnostics_add(
                diagnostics, KEEL_WARNING, keel_mechanism_joint_where(system, j),
                "joint '%s' has Coulomb friction, but part of its reaction can be shifted to other joints "
                "(keel check lists them): the friction, and the motion with it, depends on how they share, "
                "which rigid bodies do not determine; let no joint repeat what others impose",
                keel_mechanism_joint_name(system, j));
}

keel_status keel_mobility_check(const keel_system *system, const keel_mobility *mobility,
                                keel_diagnostics *diagnostics) {
    int locked = 0, errors = 0;
    bool rigid = mobility->freedoms == 0;
    for (int b = 1; mobility->known && b <= mobility->bodies; b++) {
        char joints[300];
        if (mobility->body[b] != KEEL_BODY_LOCKED || locked++ >= KEEL_LOCKED_TOLD)
            continue;
        list_joints(system, mobility, locked - 1, b, joints, sizeof joints);
        bool only_here = others_move(system, mobility, locked - 1);
        errors += !only_here;
        keel_diagnostics_add(diagnostics, only_here ? KEEL_NOTE : KEEL_ERROR,
                             keel_mechanism_body_where(system, b), "%s body '%s': it cannot move %s%s",
                             joints, keel_mechanism_body_name(system, b),
                             only_here ? "on the branch of motion that is drawn" : "in this pose",
                             rigid ? ", nor can the rest of the mechanism: the joints leave no freedom" : "");
    }
    if (locked > KEEL_LOCKED_TOLD)
        keel_diagnostics_add(diagnostics, KEEL_NOTE, (keel_location){0}, "%d more bodies cannot move",
                             locked - KEEL_LOCKED_TOLD);
    if (!locked)
        warn_of_friction(system, mobility, diagnostics);
    return errors || locked > KEEL_LOCKED_TOLD ? KEEL_ERROR_INPUT : KEEL_OK;
}
