/* mobility_text.c - what was found about the mobility of a mechanism, in words. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

/* "3e-07 m and 2e-07 rad": lengths in the unit of a joint's rows, if it is known. */
static void write_amount(const keel_system *system, int joint, double length, double angle, char *text,
                         size_t size) {
    char buffer[KEEL_UNIT], in_length[40] = "", in_angle[40] = "";
    int n_h = 0, n_n = 0, first_n = 0;
    int row = keel_mechanism_joint_row(system, joint, &n_h, &n_n, &first_n);
    /* rows of lengths come first, if a joint has any */
    const char *unit = row < 0 ? "" : keel_system_unit(system, KEEL_UNIT_CONSTRAINT, row, buffer);
    if (length > 0)
        snprintf(in_length, sizeof in_length, "%.1g%s%.20s", length, *unit ? " " : "", unit);
    if (angle > 0)
        snprintf(in_angle, sizeof in_angle, "%.1g rad", angle);
    snprintf(text, size, "%s%s%s", in_length, length > 0 && angle > 0 ? " and " : "", in_angle);
}

/* ", to 3e-07 m and 2e-07 rad: within the precision of the drawing"; nothing where they agree to round-off.
 */
static void add_difference(const keel_system *system, const keel_repetition *r, char *text, size_t size) {
    char amount[100];
    if (r->length == 0 && r->angle == 0)
        return;
    write_amount(system, r->joint, r->length, r->angle, amount, sizeof amount);
    append(text, size, strlen(text), ", to ", amount, ": within the precision of the drawing");
}

/* "A, B and C"; of many the first ones and how many more there are. */
static void list_others(const keel_system *system, const keel_repetition *r, char *names, size_t size) {
    enum { MOST = 8 };
    size_t used = 0;
    int listed = r->other_count <= MOST + 1 ? r->other_count : MOST;
    names[0] = 0;
    for (int i = 0; i < listed; i++)
        used = append(names, size, used,
                      i == 0                    ? ""
                      : i + 1 == r->other_count ? " and "
                                                : ", ",
                      keel_mechanism_joint_name(system, r->others[i]), "");
    if (listed < r->other_count) {
        char more[40];
        snprintf(more, sizeof more, "%d", r->other_count - listed);
        append(names, size, used, " and ", more, " more joints");
    }
}

const char *keel_mobility_sentence(const keel_system *system, const keel_repetition *r, char *text,
                                   int size) {
    if (!system || !r || !text)
        return "";
    char names[400];
    list_others(system, r, names, sizeof names);
    const char *plural = r->conditions == 1 ? "" : "s";
    if (r->other_count)
        snprintf(text, (size_t)size, "%s repeats %d condition%s that %s already impose%s",
                 keel_mechanism_joint_name(system, r->joint), r->conditions, plural, names,
                 r->other_count == 1 ? "s" : "");
    else
        snprintf(text, (size_t)size, "%s has %d condition%s that hold%s anyway",
                 keel_mechanism_joint_name(system, r->joint), r->conditions, plural,
                 r->conditions == 1 ? "s" : "");
    add_difference(system, r, text, (size_t)size);
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

/* Joints that differ by more than round-off from what they repeat. */
static void note_precision(const keel_system *system, const keel_mobility *mobility,
                           keel_diagnostics *diagnostics) {
    char text[600];
    int told = 0;
    for (int i = 0; i < mobility->repetition_count; i++) {
        const keel_repetition *r = &mobility->repetitions[i];
        if ((r->length > 0 || r->angle > 0) && told++ < KEEL_REPEATED_TOLD)
            keel_diagnostics_add(diagnostics, KEEL_NOTE, keel_mechanism_joint_where(system, r->joint), "%s",
                                 keel_mobility_sentence(system, r, text, sizeof text));
    }
    if (told > KEEL_REPEATED_TOLD)
        keel_diagnostics_add(diagnostics, KEEL_NOTE, (keel_location){0},
                             "%d more joints repeat others within the precision of the drawing",
                             told - KEEL_REPEATED_TOLD);
}

/* Where a body is locked by little, it may be meant to move. */
static void hint_at_precision(const keel_system *system, const keel_mobility *mobility,
                              keel_diagnostics *diagnostics) {
    char amount[100];
    if (mobility->nearest < 0)
        return;
    write_amount(system, mobility->nearest, mobility->nearest_length, mobility->nearest_angle, amount,
                 sizeof amount);
    double part = fmax(mobility->nearest_length / system->extent, mobility->nearest_angle);
    keel_diagnostics_add(diagnostics, KEEL_NOTE, keel_mechanism_joint_where(system, mobility->nearest),
                         "joint '%s' differs by %s only from repeating what others impose: if it is meant to "
                         "repeat them, draw it in line with them%s",
                         keel_mechanism_joint_name(system, mobility->nearest), amount,
                         part < KEEL_PRECISION_MOST ? ", or tell by 'precision' how well the drawing is known"
                                                    : "");
}

keel_status keel_mobility_check(const keel_system *system, const keel_mobility *mobility,
                                keel_diagnostics *diagnostics) {
    if (!system || !mobility)
        return KEEL_ERROR_INPUT;
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
    if (locked) {
        hint_at_precision(system, mobility, diagnostics);
    } else {
        note_precision(system, mobility, diagnostics);
        warn_of_friction(system, mobility, diagnostics);
    }
    return errors || locked > KEEL_LOCKED_TOLD ? KEEL_ERROR_INPUT : KEEL_OK;
}
