/* start.c - the start state, and what can be checked at it without solving anything: all formulas and their
 * derivatives have values, the auxiliary equations can be solved from the first guess. The mass matrix has a
 * file of its own, start_mass.c.
 */
#include "equations/start.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"

static void fill(ki_builder *b, keel_equation_kind kind, double *values) {
    for (int i = 0; i < b->of[kind].count; i++)
        values[i] = ki_value_of(b, b->of[kind].at[i]->node);
}

static bool make_state(ki_builder *b) {
    b->start = keel_state_new(&b->model->system);
    if (!b->start) {
        b->out_of_memory = true;
        return false;
    }
    fill(b, KEEL_EQ_COORDINATE, b->start->q);
    fill(b, KEEL_EQ_STATE, b->start->z);
    fill(b, KEEL_EQ_AUXILIARY, b->start->s);
    for (int i = 0; i < b->inputs.n; i++) {
        const ki_item *velocity = b->of[KEEL_EQ_COORDINATE].at[i]->about;
        if (velocity)
            b->start->v[i] = ki_value_of(b, velocity->node);
    }
    return true;
}

static void describe(const ki_item *item, char *text, size_t size) {
    static const char *const BEFORE[KI_KINDS] = {
        [KEEL_EQ_KINETIC] = "the kinetic energy",
        [KEEL_EQ_POTENTIAL] = "the potential energy",
        [KEEL_EQ_MASS] = "the mass of ",
        [KEEL_EQ_FORCE] = "the force on ",
        [KEEL_EQ_HOLONOMIC] = "constraint ",
        [KEEL_EQ_NONHOLONOMIC] = "constraint ",
        [KEEL_EQ_STATE_RATE] = "the rate of ",
        [KEEL_EQ_AUXILIARY_EQUATION] = "auxiliary equation ",
        [KEEL_EQ_OUTPUT] = "output ",
        [KEEL_EQ_INVARIANT] = "invariant ",
    };
    const char *quote = item->name ? "'" : "";
    snprintf(text, size, "%s%s%s%s%s%s", BEFORE[item->entry->kind], quote, item->name ? item->name : "",
             item->second ? "," : "", item->second ? item->second : "", quote);
}

static void report_not_finite(ki_builder *b, const ki_item *item, keel_location where, const char *before) {
    char what[400];
    describe(item, what, sizeof what);
    ki_report(b, item->entry, where, "division by zero or domain error: %s%s is not finite at the start",
              before, what);
}

/* Formulas whose value at the start is known. Accelerations, multipliers, and velocities and auxiliaries that
 * are only a guess, are found when the run begins: outputs that use them are not judged here, nor are forces
 * and rates of states that use a multiplier. */
static bool is_known_at_start(const ki_item *item, bool velocities_given) {
    switch (item->entry->kind) {
    case KEEL_EQ_KINETIC:
    case KEEL_EQ_POTENTIAL:
    case KEEL_EQ_MASS:
    case KEEL_EQ_HOLONOMIC:
    case KEEL_EQ_NONHOLONOMIC:
    case KEEL_EQ_AUXILIARY_EQUATION:
        return true;
    case KEEL_EQ_FORCE:
    case KEEL_EQ_STATE_RATE:
        return !(item->uses & KI_USES_LAMBDA);
    case KEEL_EQ_OUTPUT:
    case KEEL_EQ_INVARIANT:
        return !(item->uses & (KI_USES_A | KI_USES_LAMBDA | KI_USES_S)) &&
               (!(item->uses & KI_USES_V) || velocities_given);
    default:
        return false;
    }
}

static int count_formulas(const ki_builder *b) {
    int count = 0;
    for (int kind = 0; kind < KI_KINDS; kind++)
        count += b->of[kind].count;
    return count;
}

static double *start_inputs(ki_builder *b) {
    const ki_inputs *at = &b->inputs;
    double *inputs = KI_SCRATCH(b, double, at->count);
    if (!inputs)
        return NULL;
    inputs[0] = b->start->t;
    fill(b, KEEL_EQ_COORDINATE, inputs + at->q);
    memcpy(inputs + at->v, b->start->v, (size_t)at->n * sizeof *inputs);
    fill(b, KEEL_EQ_STATE, inputs + at->z);
    fill(b, KEEL_EQ_AUXILIARY, inputs + at->s);
    return inputs;
}

/* All formulas with one tape. */
static void check_formulas(ki_builder *b) {
    int count = 0, most = count_formulas(b);
    bool velocities_given = keel_equations_has_velocities(b->source);
    ki_node *nodes = KI_SCRATCH(b, ki_node, most);
    const ki_item **items = KI_SCRATCH(b, const ki_item *, most);
    double *values = KI_SCRATCH(b, double, most), *inputs = start_inputs(b);
    if (!nodes || !items || !values || !inputs)
        return;
    for (int kind = 0; kind < KI_KINDS; kind++)
        for (int i = 0; i < b->of[kind].count; i++)
            if (is_known_at_start(b->of[kind].at[i], velocities_given)) {
                items[count] = b->of[kind].at[i];
                nodes[count++] = b->of[kind].at[i]->node;
            }
    ki_tape *tape = ki_tape_new(b->graph, nodes, count, b->inputs.count);
    double *work = tape ? KI_SCRATCH(b, double, ki_tape_work_size(tape)) : NULL;
    if (work) {
        ki_tape_prepare(tape, work);
        ki_tape_run(tape, inputs, work, values);
        for (int i = 0; i < count; i++)
            if (!isfinite(values[i]))
                report_not_finite(b, items[i], items[i]->entry->text_at, "");
    } else {
        b->out_of_memory = true;
    }
    if (tape)
        ki_tape_free(tape);
}

static keel_terms new_terms(ki_builder *b) {
    const int *count = b->model->count;
    return (keel_terms){.M = KI_SCRATCH(b, double, count[KI_SECTION_M]),
                        .J = KI_SCRATCH(b, double, count[KI_SECTION_J]),
                        .Q = KI_SCRATCH(b, double, count[KI_SECTION_Q]),
                        .xi = KI_SCRATCH(b, double, count[KI_SECTION_XI]),
                        .Phi = KI_SCRATCH(b, double, count[KI_SECTION_PHI]),
                        .rate = KI_SCRATCH(b, double, count[KI_SECTION_RATE]),
                        .f = KI_SCRATCH(b, double, count[KI_SECTION_F]),
                        .r = KI_SCRATCH(b, double, count[KI_SECTION_R]),
                        .r_s = KI_SCRATCH(b, double, count[KI_SECTION_R_S]),
                        .Q_lambda = KI_SCRATCH(b, double, count[KI_SECTION_Q_LAMBDA]),
                        .invariant = KI_SCRATCH(b, double, count[KI_SECTION_INVARIANT]),
                        .invariant_y = KI_SCRATCH(b, double, count[KI_SECTION_INVARIANT_Y])};
}

static keel_status evaluate(ki_builder *b, unsigned what, keel_terms *terms) {
    const keel_system *system = &b->model->system;
    const keel_state *s = b->start;
    keel_point at = {s->t, s->q, s->v, s->z, s->s, s->lambda, NULL};
    void *work;
    keel_status status = system->work_new(system, &work);
    if (status == KEEL_OK)
        status = system->evaluate(system, work, what, &at, terms);
    system->work_free(work);
    if (status == KEEL_ERROR_MEMORY)
        b->out_of_memory = true;
    return status;
}

static void report_undetermined(ki_builder *b, int i) {
    const ki_item *unknown = b->of[KEEL_EQ_AUXILIARY].at[i];
    ki_report(b, unknown->entry, unknown->entry->text_at,
              "the auxiliary equations do not determine '%s' near its start value %g: choose another one",
              unknown->name, b->start->s[i]);
}

/* r_s has an inverse at the first guess */
static void check_auxiliaries(ki_builder *b, keel_terms *terms) {
    int n_s = b->inputs.n_s;
    keel_pattern p = b->model->system.r_s;
    if (n_s == 0 || n_s > KI_DENSE_MAX || evaluate(b, KEEL_AUXILIARY, terms) != KEEL_OK)
        return;
    double *A = KI_SCRATCH(b, double, n_s *n_s);
    int *pivot = KI_SCRATCH(b, int, n_s);
    if (!A || !pivot)
        return;
    for (int e = 0; e < n_s; e++)
        for (int k = p.start[e]; k < p.start[e + 1]; k++) {
            const ki_item *equation = b->of[KEEL_EQ_AUXILIARY_EQUATION].at[e];
            if (!isfinite(terms->r_s[k])) {
                report_not_finite(b, equation, equation->entry->text_at, "the derivative of ");
                return;
            }
            A[e * n_s + p.index[k]] = terms->r_s[k];
        }
    int column = ki_dense_lu_factor(n_s, A, pivot);
    if (column >= 0)
        report_undetermined(b, column);
}

static bool are_finite(const double *values, int from, int to) {
    for (int i = from; i < to; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* Formulas may have values where their derivatives have none: sqrt(x) at x = 0. */
static void check_derivatives(ki_builder *b, const keel_terms *terms) {
    const keel_system *system = &b->model->system;
    for (int c = 0; c < b->inputs.m; c++) {
        const ki_item *item = c < system->n_h ? b->of[KEEL_EQ_HOLONOMIC].at[c]
                                              : b->of[KEEL_EQ_NONHOLONOMIC].at[c - system->n_h];
        if (!are_finite(terms->J, system->J.start[c], system->J.start[c + 1]) ||
            !are_finite(terms->rate, c, c + 1) || !are_finite(terms->xi, c, c + 1))
            report_not_finite(b, item, item->entry->text_at, "a derivative of ");
    }
    bool velocities_given = keel_equations_has_velocities(b->source);
    for (int i = 0; i < system->n_i; i++) {
        const ki_item *item = b->of[KEEL_EQ_INVARIANT].at[i];
        if (is_known_at_start(item, velocities_given) &&
            !are_finite(terms->invariant_y, system->invariant_y.start[i], system->invariant_y.start[i + 1]))
            report_not_finite(b, item, item->entry->text_at, "a derivative of ");
    }
    for (int i = 0; i < b->inputs.n; i++) {
        const ki_item *item = b->of[KEEL_EQ_COORDINATE].at[i];
        bool needs_lambda =
            system->Q_lambda.rows && system->Q_lambda.start[i] < system->Q_lambda.start[i + 1];
        bool finite = are_finite(terms->M, system->M.start[i], system->M.start[i + 1]) &&
                      (needs_lambda || are_finite(terms->Q, i, i + 1));
        if (!finite)
            ki_report(b, item->entry, item->entry->name_at,
                      "division by zero or domain error: the equation of motion of '%s' is not finite at the "
                      "start",
                      item->name);
    }
}

bool ki_check_start(ki_builder *b) {
    keel_terms terms = new_terms(b);
    if (ki_out_of_memory(b) || !make_state(b))
        return false;
    check_formulas(b);
    if (ki_builder_ok(b))
        check_auxiliaries(b, &terms);
    if (!ki_builder_ok(b))
        return false;
    /* second derivatives may be infinite where the motion is not: implicit methods will say so */
    keel_status status = evaluate(b, ~(unsigned)(KEEL_TANGENT | KEEL_VELOCITY_Q), &terms);
    if (status == KEEL_ERROR_SINGULAR)
        report_undetermined(b, 0);
    if (status != KEEL_OK)
        return false;
    check_derivatives(b, &terms);
    if (ki_builder_ok(b))
        ki_check_mass(b, &terms);
    return ki_builder_ok(b);
}
