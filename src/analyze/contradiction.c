/* contradiction.c - which rows of a mechanism cannot be satisfied together, in words.
 *
 * Where an assembly ends without success, the rows that contradict each other are those of a y with
 *
 *     y^T J = 0,    S = y^T value != 0.
 *
 * Of positions it is y_i = Phi_i / w_i^2, since |Phi|_w is least there; of velocities the projection of the
 * rates onto the null space of J^T. Rows that share coordinates make one contradiction. If all of its rows
 * but some R of one part were satisfied, those would be off by
 *
 *     delta_i = w_i^2 y_i S / sum_R (w_k y_k)^2.
 *
 * That part is a start value, if one takes part; else a motion; else the joint that was drawn open most. Of
 * positions, start values and motions are told as far off as they are: nearly all of it is in them (KI_LESS).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/assembly.h"
#include "keel/mechanism.h"
#include "keel/rank.h"
#include "linalg/dense.h"

/* Rows with less than this part of the largest |y_i J_i| do not take part. */
static const double LEAST_SHARE = 1e-3;

/* Null spaces are looked for in Jacobians up to so many entries. */
static const double MOST_ENTRIES = 1e6;

/* Names in a list. */
enum { LISTED = 8 };

typedef struct contradiction {
    const keel_system *system;
    bool velocity;
    int rows;
    const double *value; /* [rows] Phi or rates */
    const double *drawn; /* [rows] Phi as it was drawn; NULL: velocities */
    double *w, *y;       /* [rows] */
    double *length;      /* [rows] of the rows of J */
    int *group;          /* [rows] the first row of its group; -1: does not take part */
    int *listed[3];      /* of each kind, by number: the last group a part was listed in, counted from 1 */
} contradiction;

static double share(const contradiction *c, int i) {
    return fabs(c->length[i] * c->y[i]);
}

/* ---- y and the groups ---------------------------------------------------------------------------------- */

/* y = projection of the rates onto the null space of J^T, in natural sizes: that of the rows which the look
 * for velocities has found to be repeated. */
static bool project_by_look(ki_assembly *a, contradiction *c) {
    ki_independence *look = &a->look;
    int m = c->rows, count = 0;
    for (int i = 0; i < m; i++)
        count += !look->taken[i] && !a->pose_row[i];
    double *z = KI_NEW(&a->d.arena, double, (size_t)count *(size_t)m);
    if (!a->looking || look->large || a->d.arena.failed || count == 0)
        return false;
    memcpy(look->ignored, a->pose_row, (size_t)m * sizeof *look->ignored);
    ki_self_stresses(look, z, NULL);
    memset(look->ignored, 0, (size_t)m * sizeof *look->ignored);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < m; i++)
            z[(size_t)k * (size_t)m + (size_t)i] *= look->scale[i] > 0 ? 1 / look->scale[i] : 0;
    count = ki_orthonormalize(count, m, z, m, 1e-12);
    memset(c->y, 0, (size_t)m * sizeof *c->y);
    for (int k = 0; k < count; k++) {
        const double *N = z + (size_t)k * (size_t)m;
        double along = 0;
        for (int i = 0; i < m; i++)
            along += N[i] * c->value[i] * look->scale[i];
        for (int i = 0; i < m; i++)
            c->y[i] += along * N[i] * look->scale[i];
    }
    return true;
}

/* The same of systems that are too large for such a look. */
static bool project(const ki_assembly *a, contradiction *c) {
    keel_rank rank;
    if ((double)c->rows * a->d.system->n_v > MOST_ENTRIES ||
        keel_rank_compute(a->d.system->J, a->d.at.J, 0, &rank) < 0)
        return false;
    memset(c->y, 0, (size_t)c->rows * sizeof *c->y);
    for (int k = 0; k < rank.dependent_count; k++) {
        const double *N = rank.null_space + (size_t)k * (size_t)c->rows;
        double along = 0;
        for (int i = 0; i < c->rows; i++)
            along += N[i] * c->value[i];
        for (int i = 0; i < c->rows; i++)
            c->y[i] += along * N[i];
    }
    keel_rank_clear(&rank);
    return true;
}

static void fill(ki_assembly *a, contradiction *c) {
    keel_pattern P = a->d.system->J;
    for (int i = 0; i < c->rows; i++) {
        double square = 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            square += a->d.at.J[k] * a->d.at.J[k];
        c->w[i] = c->velocity ? sqrt(square) : a->w[i];
        c->length[i] = c->velocity || c->system->names.joint[i] ? c->w[i] : c->w[i] / KI_LESS;
        c->y[i] = c->w[i] > 0 ? c->value[i] / (c->w[i] * c->w[i]) : 0;
    }
    if (c->velocity && !project_by_look(a, c))
        project(a, c);
}

static int root_of(int *group, int i) {
    while (group[i] != i)
        i = group[i] = group[group[i]];
    return i;
}

/* Rows that take part and have a coordinate in common. `seen` [n_v] is scratch: a row with that coordinate,
 * counted from 1. */
static void find_groups(contradiction *c, int *seen) {
    keel_pattern P = c->system->J;
    double most = 0;
    for (int i = 0; i < c->rows; i++)
        most = fmax(most, share(c, i));
    for (int i = 0; i < c->rows; i++)
        c->group[i] = share(c, i) > LEAST_SHARE * most ? i : -1;
    for (int i = 0; i < c->rows; i++)
        for (int k = P.start[i]; c->group[i] >= 0 && k < P.start[i + 1]; k++) {
            int *row = &seen[P.index[k]];
            if (*row) {
                int own = root_of(c->group, i), other = root_of(c->group, *row - 1);
                c->group[own > other ? own : other] = own < other ? own : other;
            }
            *row = i + 1;
        }
    for (int i = 0; i < c->rows; i++)
        if (c->group[i] >= 0)
            c->group[i] = root_of(c->group, i);
}

/* ---- words --------------------------------------------------------------------------------------------- */

/* Which unit the row of a joint has: that of a length, or the sine of an angle. */
static bool is_angle(const keel_system *system, int i) {
    char buffer[32];
    const char *dot = strrchr(keel_system_name(system, KEEL_NAME_CONSTRAINT, i, buffer), '.');
    return dot &&
           (strncmp(dot, ".tilt", 5) == 0 || strncmp(dot, ".turn", 5) == 0 || strcmp(dot, ".twist") == 0);
}

static size_t append(char *text, size_t size, size_t used, const char *separator, const char *name) {
    int written = snprintf(text + used, size - used, "%s%s", separator, name);
    return written < 0 || used + (size_t)written >= size ? size - 1 : used + (size_t)written;
}

typedef struct names {
    char text[400];
    size_t used;
    int count;
} names;

static void add_name(names *list, const char *before, const char *name) {
    char quoted[120];
    snprintf(quoted, sizeof quoted, list->count == LISTED ? "..." : "%s'%s'", before, name);
    if (list->count <= LISTED)
        list->used = append(list->text, sizeof list->text, list->used, list->count ? ", " : "", quoted);
    list->count++;
}

/* Whether a part is named for the first time in a group. */
static bool is_new(const contradiction *c, int group, const keel_row_source *source) {
    int *last = &c->listed[source->kind][source->number];
    bool first = *last != group + 1;
    *last = group + 1;
    return first;
}

static const char *kind_text(keel_row_kind kind) {
    return kind == KEEL_ROW_START    ? "the start value of "
           : kind == KEEL_ROW_MOTION ? "the motion "
                                     : "joint ";
}

/* Joints, and start values and motions, of a group, without the part `but`. */
static void list_parts(const contradiction *c, int group, const keel_row_source *but, names *joints,
                       names *given) {
    is_new(c, group, but);
    for (int i = group; i < c->rows; i++) {
        if (c->group[i] != group)
            continue;
        keel_row_source source = keel_mechanism_row_source(c->system, i);
        if (!is_new(c, group, &source))
            continue;
        if (source.kind == KEEL_ROW_JOINT)
            add_name(joints, "", source.name);
        else
            add_name(given, kind_text(source.kind), source.name);
    }
}

/* The row whose part is told to be off. */
static int choose_row(const contradiction *c, int group) {
    int best = group;
    for (int i = group; i < c->rows; i++) {
        if (c->group[i] != group)
            continue;
        keel_row_kind kind = keel_mechanism_row_source(c->system, i).kind;
        keel_row_kind so_far = keel_mechanism_row_source(c->system, best).kind;
        bool joint = kind == KEEL_ROW_JOINT;
        double size = joint && c->drawn ? fabs(c->drawn[i]) : share(c, i);
        double best_size = joint && c->drawn ? fabs(c->drawn[best]) : share(c, best);
        if (kind > so_far || (kind == so_far && (!joint || size > best_size)))
            best = i;
    }
    return best;
}

/* How far a part is off if the others of its group are not. */
typedef struct gap {
    double length, angle;
    names rows; /* "C.x, C.y" */
} gap;

static gap measure(const contradiction *c, int group, const keel_row_source *part) {
    gap g = {0};
    double S = 0, own = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = group; i < c->rows; i++) {
            if (c->group[i] != group)
                continue;
            keel_row_source source = keel_mechanism_row_source(c->system, i);
            bool is_own = source.kind == part->kind && source.number == part->number;
            if (pass == 0) {
                S += c->y[i] * c->value[i];
                own += is_own ? c->w[i] * c->y[i] * c->w[i] * c->y[i] : 0;
            } else if (is_own) {
                char buffer[32];
                bool linear = c->velocity || part->kind == KEEL_ROW_JOINT;
                double delta = linear ? c->w[i] * c->w[i] * c->y[i] * S / own : c->value[i];
                double *sum = is_angle(c->system, i) ? &g.angle : &g.length;
                *sum = hypot(*sum, delta);
                const char *name = keel_system_name(c->system, KEEL_NAME_CONSTRAINT, i, buffer);
                g.rows.used =
                    append(g.rows.text, sizeof g.rows.text, g.rows.used, g.rows.used ? ", " : "", name);
            }
        }
    return g;
}

/* Gaps that are round-off are none: they say nothing about why a joint is open. */
static const double ROUND_OFF = 1e-11;

static void drop_round_off(const contradiction *c, gap *g) {
    if (g->angle <= ROUND_OFF)
        g->angle = 0;
    if (g->length <= ROUND_OFF * c->system->extent)
        g->length = 0;
}

/* "0.312 and 4 degrees" */
static void tell_gap(const gap *g, bool velocity, char *text, size_t size) {
    double degrees = asin(fmin(g->angle, 1)) * 45 / atan(1);
    if (velocity || g->angle == 0)
        snprintf(text, size, "%.4g", hypot(g->length, g->angle));
    else if (g->length == 0)
        snprintf(text, size, "%.4g degrees", degrees);
    else
        snprintf(text, size, "%.4g and %.4g degrees", g->length, degrees);
}

static void report_joint(const contradiction *c, const keel_row_source *part, const gap *g,
                         const names *joints, keel_diagnostics *diagnostics) {
    char amount[80];
    tell_gap(g, c->velocity, amount, sizeof amount);
    keel_diagnostics_add(diagnostics, KEEL_ERROR, part->where, "joint '%s' %s by %s (%s)%s%s", part->name,
                         c->velocity ? "cannot keep closed: its velocity is off" : "stays open", amount,
                         g->rows.text, joints->count ? ": it cannot close together with " : "", joints->text);
}

/* True if there was something to tell. */
static bool report_group(const contradiction *c, int group, keel_diagnostics *diagnostics) {
    names joints = {0}, given = {0};
    keel_row_source part = keel_mechanism_row_source(c->system, choose_row(c, group));
    gap g = measure(c, group, &part);
    drop_round_off(c, &g);
    if (g.length == 0 && g.angle == 0)
        return false;
    list_parts(c, group, &part, &joints, &given);
    if (part.kind == KEEL_ROW_JOINT) {
        report_joint(c, &part, &g, &joints, diagnostics);
        return true;
    }
    const char *level = c->velocity ? " in velocity" : "", *who = kind_text(part.kind);
    const char *word = joints.count == 1 ? "joint " : "joints ";
    double amount = hypot(g.length, g.angle);
    if (given.count)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, part.where,
                             "%s'%s' contradicts %s%s: it is off by %.4g%s%s%s%s", who, part.name, given.text,
                             level, amount, joints.count ? " (through " : "", joints.count ? word : "",
                             joints.text, joints.count ? ")" : "");
    else
        keel_diagnostics_add(diagnostics, KEEL_ERROR, part.where,
                             "%s'%s' cannot be met%s: it is off by %.4g%s%s%s", who, part.name, level, amount,
                             joints.count ? " because of " : "", joints.count ? word : "", joints.text);
    return true;
}

keel_status ki_report_contradictions(ki_assembly *a, bool velocity, keel_diagnostics *diagnostics) {
    const keel_system *sys = a->d.system;
    ki_arena *arena = &a->d.arena;
    int rows = velocity ? a->d.m : sys->n_h;
    keel_mechanism_facts facts = {0};
    keel_mechanism_look(sys, &facts);
    contradiction c = {.system = sys,
                       .velocity = velocity,
                       .rows = rows,
                       .value = velocity ? a->d.at.rate : a->Phi,
                       .drawn = velocity ? NULL : a->drawn,
                       .w = KI_NEW(arena, double, rows),
                       .y = KI_NEW(arena, double, rows),
                       .length = KI_NEW(arena, double, rows),
                       .group = KI_NEW(arena, int, rows),
                       .listed = {[KEEL_ROW_JOINT] = KI_NEW(arena, int, facts.joints),
                                  [KEEL_ROW_MOTION] = KI_NEW(arena, int, a->d.m), /* each has a row */
                                  [KEEL_ROW_START] = KI_NEW(arena, int, a->d.m)}};
    int *seen = KI_NEW(arena, int, sys->n_v);
    if (arena->failed)
        return KEEL_ERROR_MEMORY;
    fill(a, &c);
    find_groups(&c, seen);
    bool told = false;
    for (int i = 0; i < rows; i++)
        if (c.group[i] == i)
            told = report_group(&c, i, diagnostics) || told;
    if (!told)
        keel_diagnostics_add(
            diagnostics, KEEL_ERROR, (keel_location){0},
            "the start cannot be assembled: %s do not settle, though what is left is round-off: "
            "the pose is singular, or nearly so",
            velocity ? "velocities" : "positions");
    return KEEL_ERROR_START;
}
