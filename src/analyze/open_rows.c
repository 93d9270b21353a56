/* open_rows.c - which constraints an assembly could not close, in words; of systems that are no mechanisms.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/assembly.h"

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

/* The open rows of the joint of row i, from there on, as "C.x, C.y"; returns their norm. */
static double list_opening(const open_rows *o, int i, char *rows, size_t size) {
    size_t used = 0;
    double norm = 0;
    char name[32];
    for (int k = i; k < o->rows && same_joint(o, i, k); k++) {
        if (!is_open(o, k))
            continue;
        norm = hypot(norm, o->value[k]);
        if (used < size)
            used += (size_t)snprintf(rows + used, size - used, "%s%s", used ? ", " : "",
                                     keel_system_name(o->system, KEEL_NAME_CONSTRAINT, k, name));
    }
    return norm;
}

static void report_row(const open_rows *o, int i, bool velocity, keel_diagnostics *diagnostics) {
    char rows[200] = "";
    const char *joint = joint_of(o, i);
    keel_location nowhere = {0};
    double amount = list_opening(o, i, rows, sizeof rows);
    if (joint && velocity)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere,
                             "the velocities contradict each other at joint '%s': %.4g is left (%s)", joint,
                             amount, rows);
    else if (joint)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere, "joint '%s' stays open by %.4g (%s)", joint,
                             amount, rows);
    else if (velocity)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere,
                             "the velocities contradict each other at '%s': %.4g is left", rows, amount);
    else
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere, "'%s' cannot be met: it stays off by %.4g",
                             rows, amount);
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
