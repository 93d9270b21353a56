#include "formulate/law.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/names.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"

void ki_gain_apply(const ki_gain *K, double factor, const double *x, double *out) {
    for (int i = 0; i < K->rows; i++)
        out[i] += factor * (K->full ? ki_dot(K->rows, K->values + i * K->rows, x) : K->values[i] * x[i]);
}

static const keel_location NOWHERE = {0};

/* The row called `name`, or -1 after reporting it. */
static int find_row(const char *name, const char *option, int rows, const keel_system *system,
                    keel_name_of of, keel_diagnostics *diagnostics) {
    char buffer[32];
    const char *closest = NULL;
    for (int i = 0; i < rows; i++) {
        const char *candidate = keel_system_name(system, of, i, buffer);
        if (strcmp(candidate, name) == 0)
            return i;
        if (!closest)
            closest =
                ki_closest_name(name, &candidate, 1) == candidate && candidate != buffer ? candidate : NULL;
    }
    keel_diagnostics_add(diagnostics, KEEL_ERROR, NOWHERE, "option '%s': there is no row '%s'%s%s%s", option,
                         name, closest ? ": did you mean '" : "", closest ? closest : "",
                         closest ? "'?" : "");
    return -1;
}

static keel_status named(ki_gain *K, const keel_gain *gain, const char *option, const keel_system *system,
                         keel_name_of of, keel_diagnostics *diagnostics) {
    char buffer[32];
    for (int i = 0; i < K->rows; i++)
        K->values[i] = NAN;
    for (int k = 0; k < gain->count; k++) {
        int i = find_row(gain->names[k], option, K->rows, system, of, diagnostics);
        if (i < 0)
            return KEEL_ERROR_INPUT;
        K->values[i] = gain->values[k];
    }
    for (int i = 0; i < K->rows; i++)
        if (isnan(K->values[i])) {
            keel_diagnostics_add(diagnostics, KEEL_ERROR, NOWHERE, "option '%s' has no value for '%s'",
                                 option, keel_system_name(system, of, i, buffer));
            return KEEL_ERROR_INPUT;
        }
    return KEEL_OK;
}

static keel_status matrix(ki_gain *K, const keel_gain *gain, const char *option,
                          keel_diagnostics *diagnostics) {
    int n = K->rows;
    double smallest;
    if (gain->count != n) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, NOWHERE,
                             "option '%s' is a %d x %d matrix, it should be %d x %d", option, gain->count,
                             gain->count, n, n);
        return KEEL_ERROR_INPUT;
    }
    memcpy(K->values, gain->values, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (K->values[i * n + j] != K->values[j * n + i]) {
                keel_diagnostics_add(diagnostics, KEEL_ERROR, NOWHERE,
                                     "option '%s' is not symmetric: entry %d,%d is %g, entry %d,%d is %g",
                                     option, i + 1, j + 1, K->values[i * n + j], j + 1, i + 1,
                                     K->values[j * n + i]);
                return KEEL_ERROR_INPUT;
            }
    keel_status status = ki_smallest_eigenvalue(n, K->values, &smallest);
    if (status)
        return status;
    /* an eigenvalue of zero comes out as round-off of either sign */
    if (smallest > 4 * DBL_EPSILON * n * ki_max_norm(n * n, K->values))
        return KEEL_OK;
    keel_diagnostics_add(diagnostics, KEEL_ERROR, NOWHERE,
                         "option '%s' is not positive definite: its smallest eigenvalue is %.6g", option,
                         smallest);
    return KEEL_ERROR_INPUT;
}

keel_status ki_gain_init(ki_gain *K, ki_arena *arena, const keel_gain *gain, const char *option, int rows,
                         const keel_system *system, keel_name_of of, keel_diagnostics *diagnostics) {
    *K = (ki_gain){
        .rows = rows, .given = gain->kind != KEEL_GAIN_AUTOMATIC, .full = gain->kind == KEEL_GAIN_MATRIX};
    K->values = KI_NEW(arena, double, K->full ? (size_t)rows *(size_t)rows : (size_t)rows);
    if (!K->values)
        return KEEL_ERROR_MEMORY;
    if (gain->kind == KEEL_GAIN_NAMED)
        return named(K, gain, option, system, of, diagnostics);
    if (gain->kind == KEEL_GAIN_MATRIX)
        return matrix(K, gain, option, diagnostics);
    for (int i = 0; i < rows; i++)
        K->values[i] = gain->scalar;
    return KEEL_OK;
}

/* A diagonal gain must be positive in every row. */
static keel_status check_positive(const ki_gain *K, const char *option, const keel_system *system,
                                  keel_diagnostics *diagnostics) {
    char buffer[32];
    for (int i = 0; K->given && !K->full && i < K->rows; i++)
        if (!(K->values[i] > 0)) {
            keel_diagnostics_add(
                diagnostics, KEEL_ERROR, NOWHERE,
                "option '%s' is not positive definite: its eigenvalue for constraint '%s' is %g", option,
                keel_system_name(system, KEEL_NAME_CONSTRAINT, i, buffer), K->values[i]);
            return KEEL_ERROR_INPUT;
        }
    return KEEL_OK;
}

/* Classic Baumgarte is a scalar gain by another name. */
static keel_gain with_classic(const keel_gain *gain, double scalar) {
    return gain->kind == KEEL_GAIN_AUTOMATIC && scalar > 0
               ? (keel_gain){.kind = KEEL_GAIN_SCALAR, .scalar = scalar}
               : *gain;
}

static keel_status metric_init(ki_law *law, ki_arena *arena, const keel_system *system,
                               const keel_settings *settings, keel_diagnostics *diagnostics) {
    if (law->metric != KEEL_METRIC_MATRIX)
        return KEEL_OK;
    if (settings->metric_matrix.kind != KEEL_GAIN_MATRIX) {
        keel_diagnostics_add(
            diagnostics, KEEL_ERROR, NOWHERE,
            "the metric 'matrix' needs the option 'metric_matrix', a row for every coordinate");
        return KEEL_ERROR_INPUT;
    }
    return ki_gain_init(&law->metric_matrix, arena, &settings->metric_matrix, "metric_matrix", system->n_v,
                        system, KEEL_NAME_V, diagnostics);
}

/* What a joint projection lacks, as a message that says how to do without. */
static keel_status check_joint(const ki_law *law, const keel_system *system, keel_diagnostics *diagnostics) {
    const char *wish = law->keep_invariants ? "keeping the invariants" : "projection_mode joint";
    const char *without = law->keep_invariants ? "keep_invariants = no" : "projection_mode = sequential";
    const char *lack = NULL;
    if (!ki_projects_position(law) || !ki_projects_velocity(law))
        lack = "projection of positions and velocities, not of one of them (option 'levels')";
    else if (law->projection_penalty > 0)
        lack = "exact projection, not a penalty (option 'projection_penalty')";
    else if (keel_system_m(system) && !system->rate_q.rows)
        lack =
            "the derivatives of the velocity constraints with respect to the coordinates, which this system "
            "does not give (KEEL_VELOCITY_Q)";
    if (!lack)
        return KEEL_OK;
    keel_diagnostics_add(diagnostics, KEEL_ERROR, NOWHERE, "%s needs %s; %s runs without", wish, lack,
                         without);
    return KEEL_ERROR_INPUT;
}

static keel_status joint_init(ki_law *law, const keel_system *system, const keel_settings *settings,
                              keel_diagnostics *diagnostics) {
    bool projects = settings->method.stabilize == KEEL_PROJECTION;
    if (!projects && !law->gradient)
        return KEEL_OK;
    law->keep_invariants = system->n_i > 0 && settings->keep_invariants == KEEL_YES;
    law->joint = law->keep_invariants ||
                 (projects && settings->projection_mode == KEEL_MODE_JOINT && keel_system_m(system) > 0);
    return law->joint ? check_joint(law, system, diagnostics) : KEEL_OK;
}

keel_status ki_law_init(ki_law *law, ki_arena *arena, const keel_system *system,
                        const keel_settings *settings, keel_diagnostics *diagnostics) {
    static const double LEAST_FACTOR = 1e6, MOST_FACTOR = 1e10;
    int m = keel_system_m(system);
    *law = (ki_law){
        .penalty_factor = fmin(fmax(LEAST_FACTOR, 10 / settings->tolerance), MOST_FACTOR),
        .formulation = settings->method.formulation,
        .baumgarte = settings->method.stabilize == KEEL_BAUMGARTE,
        .gradient = settings->method.stabilize == KEEL_GRADIENT,
        .choice = (keel_choice)settings->partition,
        .projection_tolerance = settings->projection_tolerance,
        .levels = (keel_levels)settings->levels,
        .metric = settings->metric == KEEL_METRIC_NATURAL ? KEEL_METRIC_MASS : (keel_metric)settings->metric,
        .natural_metric = settings->metric == KEEL_METRIC_NATURAL && settings->projection_penalty == 0,
        .projection_penalty = settings->projection_penalty};
    /* one of the two classic numbers alone means critical damping */
    double alpha = settings->alpha > 0 ? settings->alpha : settings->beta;
    double beta = settings->beta > 0 ? settings->beta : settings->alpha;
    keel_gain K_D = with_classic(&settings->K_D, 2 * alpha), K_P = with_classic(&settings->K_P, beta * beta);
    struct {
        ki_gain *K;
        const keel_gain *gain;
        const char *option;
        int rows;
        bool positive;
    } gains[] = {{&law->K_D, &K_D, "K_D", m, true},
                 {&law->K_P, &K_P, "K_P", system->n_h, true},
                 {&law->penalty, &settings->penalty, "penalty", m, true},
                 {&law->non_ideal, &settings->non_ideal, "non_ideal", m, false}};
    for (unsigned i = 0; i < sizeof gains / sizeof *gains; i++) {
        keel_status status = ki_gain_init(gains[i].K, arena, gains[i].gain, gains[i].option, gains[i].rows,
                                          system, KEEL_NAME_CONSTRAINT, diagnostics);
        if (!status && gains[i].positive)
            status = check_positive(gains[i].K, gains[i].option, system, diagnostics);
        if (status)
            return status;
    }
    if (law->formulation == KEEL_AUGMENTED && law->penalty.full) {
        keel_diagnostics_add(
            diagnostics, KEEL_ERROR, NOWHERE,
            "option 'penalty' is a matrix: formulation augmented takes a number or a map of constraints");
        return KEEL_ERROR_INPUT;
    }
    if (law->non_ideal.full) {
        keel_diagnostics_add(
            diagnostics, KEEL_ERROR, NOWHERE,
            "option 'non_ideal' is a vector: a number or a map of constraints, not a matrix");
        return KEEL_ERROR_INPUT;
    }
    keel_status status = joint_init(law, system, settings, diagnostics);
    return status ? status : metric_init(law, arena, system, settings, diagnostics);
}
