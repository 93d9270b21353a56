/* open_rows.c - which joints an assembly could not close, in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/assembly.h"
#include "keel/mechanism.h"

/* Rows this far below the worst one are open only because that one is. */
static const double NEGLIGIBLE = 1e-6;

typedef struct open_rows {
    const keel_system *system;
    const double *value, *size;
    int rows;
    double limit; /* relative to the size */
} open_rows;

static bool is_open(const open_rows *o, int i) {
    return !(fabs(o->value[i]) <= o->limit * o->size[i]);
}

static const char *joint_of(const open_rows *o, int i) {
    return o->system->names.joint ? o->system->names.joint[i] : NULL;
}

/* Whether row i is of the same joint as row k. */
static bool same_joint(const open_rows *o, int i, int k) {
    const char *a = joint_of(o, i), *b = joint_of(o, k);
    return i == k || (a && b && strcmp(a, b) == 0);
}

/* True if an earlier open row has told of the joint of row i. Rows of a joint stand together, in one block
 * for each kind of row. */
static bool is_told(const open_rows *o, int i) {
    for (int k = i - 1; k >= 0 && same_joint(o, i, k); k--)
        if (is_open(o, k))
            return true;
    return false;
}

/* Which unit the row of a joint has: that of a length, or the sine of an angle. */
static bool is_angle(const open_rows *o, int i) {
    char buffer[32];
    const char *dot = strrchr(keel_system_name(o->system, KEEL_NAME_CONSTRAINT, i, buffer), '.');
    return dot &&
           (strncmp(dot, ".tilt", 5) == 0 || strncmp(dot, ".turn", 5) == 0 || strcmp(dot, ".twist") == 0);
}

/* How far the joint of a row is open. */
typedef struct opening {
    double length, angle; /* norms of the rows */
    char rows[200];       /* "C.x, C.y" */
} opening;

/* The open rows of the joint of row i, from there on. */
static void find_opening(const open_rows *o, int i, opening *found) {
    size_t used = 0;
    char name[32];
    *found = (opening){0};
    for (int k = i; k < o->rows && same_joint(o, i, k); k++) {
        if (!is_open(o, k))
            continue;
        double *sum = is_angle(o, k) ? &found->angle : &found->length;
        *sum = sqrt(*sum * *sum + o->value[k] * o->value[k]);
        if (used < sizeof found->rows)
            used += (size_t)snprintf(found->rows + used, sizeof found->rows - used, "%s%s", used ? ", " : "",
                                     keel_system_name(o->system, KEEL_NAME_CONSTRAINT, k, name));
    }
}

/* "0.312 m and 4 degrees" for joints of a mechanism; a number for others. */
static void tell_amount(const opening *found, bool mechanism, bool velocity, char *text, size_t size) {
    double degrees = asin(fmin(found->angle, 1)) * 45 / atan(1);
    if (!mechanism || velocity)
        snprintf(text, size, "%.4g", hypot(found->length, found->angle));
    else if (found->angle == 0)
        snprintf(text, size, "%.4g m", found->length);
    else if (found->length == 0)
        snprintf(text, size, "%.4g degrees", degrees);
    else
        snprintf(text, size, "%.4g m and %.4g degrees", found->length, degrees);
}

/* Where the file tells of a joint. */
static keel_location place_of(const keel_system *system, const char *joint) {
    keel_mechanism_facts facts;
    int count = joint && keel_mechanism_look(system, &facts) ? facts.joints : 0;
    for (int j = 0; j < count; j++)
        if (strcmp(keel_mechanism_joint_name(system, j), joint) == 0)
            return keel_mechanism_joint_where(system, j);
    return (keel_location){0};
}

static void report_row(const open_rows *o, int i, bool velocity, keel_diagnostics *diagnostics) {
    opening found;
    char amount[80];
    const char *joint = joint_of(o, i);
    bool mechanism = joint && keel_mechanism_look(o->system, NULL);
    keel_location where = place_of(o->system, joint);
    find_opening(o, i, &found);
    tell_amount(&found, mechanism, velocity, amount, sizeof amount);
    if (joint && velocity)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where,
                             "the velocities contradict each other at joint '%s': %s is left (%s)", joint,
                             amount, found.rows);
    else if (joint)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where, "joint '%s' stays open by %s (%s)", joint,
                             amount, found.rows);
    else if (velocity)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where,
                             "the velocities contradict each other at '%s': %s is left", found.rows, amount);
    else
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where, "'%s' cannot be met: it stays off by %s",
                             found.rows, amount);
}

void ki_report_open(const keel_system *system, const double *value, const double *size, int rows,
                    double limit, bool velocity, keel_diagnostics *diagnostics) {
    int worst;
    double most = ki_worst_relative(value, size, rows, &worst);
    open_rows o = {system, value, size, rows, fmax(limit, NEGLIGIBLE * most)};
    for (int i = 0; i < rows; i++)
        if (is_open(&o, i) && !is_told(&o, i))
            report_row(&o, i, velocity, diagnostics);
}
