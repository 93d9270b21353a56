#include "keel/system.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static keel_status broken(char *message, int size, const char *format, ...) KEEL_PRINTF(3, 4);

static keel_status broken(char *message, int size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (message && size > 0)
        vsnprintf(message, (size_t)size, format, arguments);
    va_end(arguments);
    return KEEL_ERROR_INPUT;
}

/* Rows of increasing columns inside the matrix; `lower` allows column <= row only and demands the
 * diagonal. */
static keel_status check_pattern(const char *name, keel_pattern p, int rows, int cols, int lower,
                                 char *message, int size) {
    if (p.rows != rows || (rows > 0 && p.cols != cols))
        return broken(message, size, "pattern %s is %d x %d, it should be %d x %d", name, p.rows, p.cols,
                      rows, cols);
    if (rows == 0)
        return KEEL_OK;
    if (!p.start || p.start[0] != 0 || (p.start[rows] > 0 && !p.index))
        return broken(message, size, "pattern %s has no arrays, or does not start at 0", name);
    for (int i = 0; i < rows; i++) {
        for (int k = p.start[i]; k < p.start[i + 1]; k++) {
            int column = p.index[k], previous = k > p.start[i] ? p.index[k - 1] : -1;
            if (column <= previous || column >= cols || (lower && column > i))
                return broken(message, size, "pattern %s, row %d: column %d is out of order or out of range",
                              name, i, column);
        }
        if (lower && (p.start[i + 1] <= p.start[i] || p.index[p.start[i + 1] - 1] != i))
            return broken(message, size, "pattern %s, row %d: the diagonal entry is missing", name, i);
        if (p.start[i + 1] < p.start[i])
            return broken(message, size, "pattern %s, row %d: negative length", name, i);
    }
    return KEEL_OK;
}

static keel_status check_patterns(const keel_system *system, char *message, int size) {
    int n_v = system->n_v, m = keel_system_m(system), n_y = 2 * n_v + system->n_z;
    keel_status status = check_pattern("M", system->M, n_v, n_v, 1, message, size);
    if (!status)
        status = check_pattern("J", system->J, m, n_v, 0, message, size);
    if (!status)
        status = check_pattern("r_s", system->r_s, system->n_s, system->n_s, 0, message, size);
    if (!status && system->Q_lambda.rows)
        status = check_pattern("Q_lambda", system->Q_lambda, n_v, m, 0, message, size);
    if (!status && system->tangent.rows)
        status = check_pattern("tangent", system->tangent, n_v + m + system->n_z, n_y, 0, message, size);
    if (!status && system->rate_q.rows)
        status = check_pattern("rate_q", system->rate_q, m, n_v, 0, message, size);
    if (!status)
        status = check_pattern("invariant_y", system->invariant_y, system->n_i, n_y, 0, message, size);
    return status;
}

keel_status keel_system_validate(const keel_system *system, char *message, int size) {
    if (!system)
        return KEEL_ERROR_INPUT;
    if (system->size != sizeof *system)
        return broken(message, size,
                      "a keel_system has %zu bytes here, this one %zu: begin with keel_system_default(), and "
                      "compile with the headers of this library",
                      sizeof *system, system->size);
    if (system->n_q < 0 || system->n_v < 0 || system->n_z < 0 || system->n_s < 0 || system->n_h < 0 ||
        system->n_n < 0 || system->n_i < 0 || system->n_outputs < 0)
        return broken(message, size, "a size is negative");
    if (system->n_v == 0)
        return broken(message, size, "a system needs at least one velocity (n_v is 0)");
    if (!system->evaluate)
        return broken(message, size, "the function 'evaluate' is missing");
    if (!system->kinematics != !system->advance)
        return broken(message, size, "'kinematics' and 'advance' must be given together");
    if (!system->kinematics && system->n_q != system->n_v)
        return broken(message, size, "n_q = %d differs from n_v = %d: 'kinematics' and 'advance' are needed",
                      system->n_q, system->n_v);
    if (system->pull && !system->kinematics)
        return broken(message, size, "'pull' is given without 'kinematics': with q' = v it is not needed");
    if (system->n_outputs && !system->outputs)
        return broken(message, size, "n_outputs is %d but the function 'outputs' is missing",
                      system->n_outputs);
    if (!system->work_new != !system->work_free)
        return broken(message, size, "'work_new' and 'work_free' must be given together");
    return check_patterns(system, message, size);
}

const char *keel_system_name(const keel_system *system, keel_name_of of, int i, char buffer[32]) {
    if (!system || !buffer)
        return "";
    const char *const *names[] = {
        [KEEL_NAME_Q] = system->names.q,
        [KEEL_NAME_V] = system->names.v,
        [KEEL_NAME_Z] = system->names.z,
        [KEEL_NAME_S] = system->names.s,
        [KEEL_NAME_CONSTRAINT] = system->names.constraint,
        [KEEL_NAME_OUTPUT] = system->names.output,
        [KEEL_NAME_INVARIANT] = system->names.invariant,
    };
    static const char *const LETTERS[] = {
        [KEEL_NAME_Q] = "q",
        [KEEL_NAME_V] = "v",
        [KEEL_NAME_Z] = "z",
        [KEEL_NAME_S] = "s",
        [KEEL_NAME_CONSTRAINT] = "c",
        [KEEL_NAME_OUTPUT] = "output",
        [KEEL_NAME_INVARIANT] = "invariant",
    };
    if (names[of] && names[of][i])
        return names[of][i];
    snprintf(buffer, 32, "%s[%d]", LETTERS[of], i);
    return buffer;
}

keel_state *keel_state_new(const keel_system *system) {
    if (!system)
        return NULL;
    size_t n_q = (size_t)system->n_q, n_v = (size_t)system->n_v, n_z = (size_t)system->n_z;
    size_t n_s = (size_t)system->n_s, m = (size_t)keel_system_m(system);
    keel_state *state = calloc(1, sizeof *state + (n_q + n_v + n_z + n_s + m) * sizeof(double));
    if (!state)
        return NULL;
    state->q = (double *)(state + 1);
    state->v = state->q + n_q;
    state->z = state->v + n_v;
    state->s = state->z + n_z;
    state->lambda = state->s + n_s;
    return state;
}

void keel_state_free(keel_state *state) {
    free(state);
}

static void copy(double *to, const double *from, int n) {
    memcpy(to, from, (size_t)n * sizeof *to);
}

void keel_state_copy(const keel_system *system, keel_state *to, const keel_state *from) {
    if (!system || !to || !from)
        return;
    to->t = from->t;
    copy(to->q, from->q, system->n_q);
    copy(to->v, from->v, system->n_v);
    copy(to->z, from->z, system->n_z);
    copy(to->s, from->s, system->n_s);
    copy(to->lambda, from->lambda, keel_system_m(system));
}
