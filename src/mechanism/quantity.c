/* quantity.c - a name such as "bar[2].tip.x" is the name of a part and what is asked of it. */
#include "mechanism/quantity.h"

#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "mechanism/joint.h"
#include "mechanism/name_help.h"

/* A question while it is answered. */
typedef struct question {
    const ki_names *names;
    const char *name;
    int primes;
    keel_location where;
    keel_diagnostics *diagnostics;
    int number;       /* of the part in the description */
    const char *rest; /* what is asked of it */
    bool out_of_plane;
} question;

bool ki_is_row(const ki_measure *measure) {
    return measure->kind <= KI_MEASURE_LENGTH;
}

bool ki_is_turn(const ki_mech *mech, const ki_measure *measure) {
    if (measure->kind != KI_MEASURE_JOINT)
        return measure->kind == KI_MEASURE_ANGLE;
    return ki_role(&mech->joint[measure->object], mech->d)->turns[measure->component];
}

/* 0, 1, 2 for "x", "y", "z" */
static int axis_of(const char *text) {
    return text[0] >= 'x' && text[0] <= 'z' && !text[1] ? text[0] - 'x' : -1;
}

static const char *after(const char *text, const char *beginning) {
    size_t length = strlen(beginning);
    return strncmp(text, beginning, length) == 0 ? text + length : NULL;
}

/* ---- what the parts can be asked, true if it is one of them ---------------------------------------- */

static bool ask_place(question *q, const char *axis, ki_measure_kind kind, int object, int body,
                      ki_measure *m) {
    int k = axis_of(axis);
    if (k < 0)
        return false;
    q->out_of_plane = k == 2 && q->names->mech->d == KI_PLANAR;
    *m = (ki_measure){kind, object, k, q->primes, {0, body}};
    return true;
}

static bool ask_point(question *q, ki_measure *m) {
    int body = q->names->description->point[q->number].body;
    return ask_place(q, q->rest, KI_MEASURE_POINT, q->number, q->names->mech->body_of[body], m);
}

static bool ask_point_of_body(question *q, ki_measure *m) {
    const char *point = strrchr(q->rest, '.');
    int found = point ? ki_find_point(q->names->description, q->number, q->rest, (int)(point - q->rest)) : -1;
    if (found < 0)
        return false;
    q->number = found;
    q->rest = point + 1;
    return ask_point(q, m);
}

/* An angular velocity counts as the first derivative of something that has no name. */
static bool ask_spin(question *q, const char *axis, int body, ki_measure *m) {
    bool planar = q->names->mech->d == KI_PLANAR;
    int k = axis[0] == '.' ? axis_of(axis + 1) : planar && !axis[0] ? 2 : -1;
    q->out_of_plane = planar && k != 2;
    *m = (ki_measure){KI_MEASURE_SPIN, body, planar ? 0 : k, q->primes + 1, {0, body}};
    return k >= 0;
}

/* A component of the rotation vector. In the plane there is an angle. */
static bool ask_turn(question *q, const char *axis, int body, ki_measure *m) {
    int k = axis[0] == '.' ? axis_of(axis + 1) : -1;
    *m = (ki_measure){KI_MEASURE_TURN, body, k, q->primes, {0, body}};
    return k >= 0;
}

static bool ask_body(question *q, ki_measure *m) {
    const char *rest = q->rest, *spin = after(rest, "spin"), *turn = after(rest, "turn");
    int body = q->names->mech->body_of[q->number];
    if (strcmp(rest, "angle") == 0 && q->names->mech->d == KI_PLANAR) {
        *m = (ki_measure){KI_MEASURE_ANGLE, body, 0, q->primes, {0, body}};
        return true;
    }
    if (rest[0] == 'R' && rest[1] >= '1' && rest[1] <= '3' && rest[2] >= '1' && rest[2] <= '3' && !rest[3]) {
        int entry = 3 * (rest[1] - '1') + rest[2] - '1';
        *m = (ki_measure){KI_MEASURE_ROTATION, body, entry, q->primes, {0, body}};
        return true;
    }
    return (spin && ask_spin(q, spin, body, m)) || (turn && ask_turn(q, turn, body, m)) ||
           ask_place(q, rest, KI_MEASURE_CENTRE, body, body, m) || ask_point_of_body(q, m);
}

/* reaction.force, reaction.force.x, reaction.force.axis_x; reaction.torque likewise */
static bool ask_reaction(question *q, ki_measure *m) {
    const char *force = after(q->rest, "reaction.force"), *torque = after(q->rest, "reaction.torque");
    const char *rest = force ? force : torque, *axis;
    bool planar = q->names->mech->d == KI_PLANAR;
    if (!rest)
        return false;
    *m = (ki_measure){.kind = KI_MEASURE_REACTION, .object = q->number, .primes = q->primes};
    m->component = force ? 0 : 7;
    if (!rest[0])
        return true;
    bool local = (axis = after(rest, ".axis_")) != NULL;
    axis = local ? axis : rest + 1;
    int k = rest[0] == '.' ? axis_of(axis) : -1;
    q->out_of_plane = planar && k >= 0 && (k == 2) != (force == NULL);
    m->component += 1 + k + (local ? 3 : 0);
    return k >= 0;
}

/* The place of a joint: the point of its second body there, of its first if the second is the ground. */
static bool ask_place_of_joint(question *q, ki_measure *m) {
    const ki_mech *mech = q->names->mech;
    int point = mech->point_count + q->number;
    return !mech->joint[q->number].type->couples &&
           ask_place(q, q->rest, KI_MEASURE_POINT, point, mech->point[point].body, m);
}

static bool ask_joint(question *q, ki_measure *m) {
    const ki_mech *mech = q->names->mech;
    const ki_joint *joint = &mech->joint[q->number];
    const ki_joint_role *role = ki_role(joint, mech->d);
    for (int k = 0; k < role->coordinates; k++)
        if (strcmp(role->coordinate_name[k], q->rest) == 0) {
            *m = (ki_measure){KI_MEASURE_JOINT, q->number, k, q->primes, {joint->body[0], joint->body[1]}};
            return true;
        }
    return ask_reaction(q, m) || ask_place_of_joint(q, m);
}

static bool ask_force(question *q, ki_measure *m) {
    const keel_force *force = &q->names->description->force[q->number];
    const int *body_of = q->names->mech->body_of;
    bool spring = force->kind == KEEL_FORCE_SPRING, torsion = force->kind == KEEL_FORCE_TORSION;
    if (spring && strcmp(q->rest, "length") == 0) {
        *m = (ki_measure){
            KI_MEASURE_LENGTH, q->number, 0, q->primes, {body_of[force->body[0]], body_of[force->body[1]]}};
        return true;
    }
    *m = (ki_measure){.kind = KI_MEASURE_FORCE, .object = q->number, .primes = q->primes};
    return (spring && strcmp(q->rest, "force") == 0) ||
           (torsion && (strcmp(q->rest, "torque") == 0 || strcmp(q->rest, "force") == 0));
}

static bool ask_motion(question *q, ki_measure *m) {
    *m = (ki_measure){.kind = KI_MEASURE_DRIVE, .object = q->number, .primes = q->primes};
    return strcmp(q->rest, "force") == 0 || strcmp(q->rest, "torque") == 0;
}

static bool ask(question *q, ki_part_kind part, ki_measure *m) {
    switch (part) {
    case KI_BODY:
        return ask_body(q, m);
    case KI_JOINT:
        return ask_joint(q, m);
    case KI_FORCE:
        return ask_force(q, m);
    case KI_MOTION:
        return ask_motion(q, m);
    default:
        return ask_point(q, m);
    }
}

/* ---- messages --------------------------------------------------------------------------------------- */

enum { WORDS_MAX = 24 };

/* The coordinates of a joint, and those of its place where they are not called alike. */
static int words_of_joint(const ki_joint *joint, int d, const char *word[WORDS_MAX]) {
    static const char *const PLACE[] = {"x", "y", "z"};
    const ki_joint_role *role = ki_role(joint, d);
    int count = 0;
    for (int k = 0; k < role->coordinates; k++)
        word[count++] = role->coordinate_name[k];
    for (int k = 0; k < (d == KI_PLANAR ? 2 : 3) && !joint->type->couples; k++) {
        bool told = false;
        for (int i = 0; i < role->coordinates; i++)
            told = told || strcmp(role->coordinate_name[i], PLACE[k]) == 0;
        if (!told)
            word[count++] = PLACE[k];
    }
    return count;
}

/* What a part can be asked, into `word`; returns how many. */
static int words_of(const question *q, ki_part_kind part, const char *word[WORDS_MAX]) {
    static const char *const BODY_PLANAR[] = {"x", "y", "angle", "spin", "R11 .. R33", NULL};
    static const char *const BODY_SPATIAL[] = {"x",      "y",      "z",      "turn.x",     "turn.y", "turn.z",
                                               "spin.x", "spin.y", "spin.z", "R11 .. R33", NULL};
    static const char *const REACTION[] = {"reaction.force", "reaction.torque", NULL};
    static const char *const SPRING[] = {"length", "force", NULL}, *const TORSION[] = {"torque", NULL};
    static const char *const MOTION[] = {"force", "torque", NULL}, *const NONE[] = {NULL};
    const keel_mechanism *description = q->names->description;
    bool planar = q->names->mech->d == KI_PLANAR;
    const char *const *list = part == KI_MOTION ? MOTION : part == KI_JOINT ? REACTION : NONE;
    int count = 0;
    if (part == KI_BODY || part == KI_POINT)
        list = planar ? BODY_PLANAR : BODY_SPATIAL;
    if (part == KI_FORCE && description->force[q->number].kind == KEEL_FORCE_SPRING)
        list = SPRING;
    if (part == KI_FORCE && description->force[q->number].kind == KEEL_FORCE_TORSION)
        list = TORSION;
    if (part == KI_JOINT)
        count = words_of_joint(&q->names->mech->joint[q->number], q->names->mech->d, word);
    for (int k = 0; list[k] && !(part == KI_POINT && axis_of(list[k]) < 0); k++)
        word[count++] = list[k];
    for (int i = 0; part == KI_BODY && i < description->point_count && count < WORDS_MAX; i++)
        if (description->point[i].body == q->number)
            word[count++] = description->point[i].name;
    return count;
}

static void refuse_unknown(const question *q, ki_part_kind part) {
    const char *word[WORDS_MAX];
    char list[400] = "";
    int count = words_of(q, part, word);
    const char *closest = q->rest[0] ? ki_closest_name(q->rest, word, count) : NULL;
    int length = (int)strlen(q->name) - (int)strlen(q->rest) - (q->rest[0] ? 1 : 0);
    for (int i = 0; i < count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", word[i]);
    if (count == 0)
        keel_diagnostics_add(q->diagnostics, KEEL_ERROR, q->where,
                             "'%.*s' is %s that can be asked for nothing: there is no '%s'", length, q->name,
                             ki_part_words(part), q->name);
    else if (!q->rest[0])
        keel_diagnostics_add(q->diagnostics, KEEL_ERROR, q->where,
                             "'%.*s' is %s, not a number: add one of %s", length, q->name,
                             ki_part_words(part), list);
    else
        keel_diagnostics_add(q->diagnostics, KEEL_ERROR, q->where,
                             "'%.*s' is %s and has no '%s'%s%s%s: it has %s", length, q->name,
                             ki_part_words(part), q->rest, closest ? " (did you mean '" : "",
                             closest ? closest : "", closest ? "'?)" : "", list);
}

static bool refuse(const question *q, const char *reason) {
    static const char PRIMES[] = "''''";
    int primes = q->primes < (int)sizeof PRIMES ? q->primes : (int)sizeof PRIMES - 1;
    const char *quote = primes ? "" : "'";
    keel_diagnostics_add(q->diagnostics, KEEL_ERROR, q->where, "%s%s%.*s%s %s", quote, q->name, primes,
                         PRIMES, quote, reason);
    return false;
}

/* A rotation vector is asked of the start and of outputs: its rates are no angular velocities. */
static bool permit_turn(const question *q, ki_use use, const ki_measure *m) {
    if (q->names->mech->d == KI_PLANAR)
        return refuse(q, "does not exist: the mechanism is planar; how far a body has turned is its 'angle'");
    if (m->primes > 0)
        return refuse(q, "is not available: angular velocities are 'spin.x', 'spin.y', 'spin.z'");
    if (use == KI_FOR_MOTION)
        return refuse(q, "cannot be driven: drive an angle of a joint, or coordinates of points");
    if (use == KI_FOR_FORCE)
        return refuse(q, "cannot be used here: take entries of the rotation matrix, 'R11' to 'R33'");
    if (use == KI_FOR_START && m->body[1] == 0)
        return refuse(q, "cannot be set: it belongs to the ground and does not move");
    return true;
}

/* Is the quantity good for its use? */
static bool permit(const question *q, ki_use use, const ki_measure *m) {
    static const int MOST[] = {
        [KI_FOR_OUTPUT] = 2, [KI_FOR_FORCE] = 1, [KI_FOR_MOTION] = 0, [KI_FOR_START] = 1};
    bool row = ki_is_row(m);
    if (q->out_of_plane)
        return refuse(q, "does not exist: the mechanism is planar");
    if (m->kind == KI_MEASURE_TURN)
        return permit_turn(q, use, m);
    if (use == KI_FOR_MOTION && (!row || m->primes > 0))
        return refuse(
            q, "cannot be driven: a motion drives a coordinate of a joint or point, an angle or a length");
    if (use == KI_FOR_START && !row)
        return refuse(
            q, "cannot have a start value: only coordinates, angles, lengths and their velocities can");
    if (use == KI_FOR_FORCE && !row && m->kind != KI_MEASURE_ROTATION)
        return refuse(q, "cannot be used here: it is known only when the motion is; outputs may use it");
    if (!row && m->primes > 0)
        return refuse(q, "is not available: it has no derivative");
    if (m->primes > MOST[use] && use == KI_FOR_OUTPUT)
        return refuse(q, "is not available: there are no derivatives above the acceleration");
    if (m->primes > MOST[use])
        return refuse(q, "is an acceleration: only outputs may use it");
    if ((use == KI_FOR_MOTION || use == KI_FOR_START) && m->body[0] == 0 && m->body[1] == 0)
        return refuse(q, "cannot be set: it belongs to the ground and does not move");
    return true;
}

bool ki_quantity(const ki_names *names, const char *name, int primes, ki_use use, keel_location where,
                 keel_diagnostics *diagnostics, ki_measure *measure) {
    question q = {.names = names, .name = name, .primes = primes, .where = where, .diagnostics = diagnostics};
    char hint[KI_NAME_HINT];
    ki_part_kind part = ki_split_name(names->description, name, &q.number, &q.rest);
    if (part == KI_NO_PART) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where, "unknown name '%s'%s", name,
                             ki_name_hint(names->description, NULL, NULL, 0, name, hint));
        return false;
    }
    question asked = q; /* points of bodies change it */
    if (!ask(&q, part, measure)) {
        refuse_unknown(&asked, part);
        return false;
    }
    return permit(&q, use, measure);
}
