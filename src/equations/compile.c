/* compile.c - a description becomes a system: the list of parts, and the value of a setting. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "equations/coupling.h"
#include "equations/prepare.h"
#include "equations/scope.h"

/* Each part needs what the ones before it left in the builder. */
static bool (*const PARTS[])(ki_builder *b) = {
    ki_expand,            /* repeat blocks, names, parameters                */
    ki_link_names,        /* which coordinate a force is for, what is missing */
    ki_read_formulas,     /* text -> nodes                                   */
    ki_build_motion,      /* M, Q, Q_lambda                                  */
    ki_build_auxiliary,   /* r, r_s                                          */
    ki_build_constraints, /* Phi, J, rate, xi                                */
    ki_build_coupling,    /* ... through the auxiliaries                     */
    ki_build_energy,      /* energy, power                                   */
    ki_build_tangent,     /* tangent, rate_q                                 */
    ki_build_invariants,  /* invariants                                      */
    ki_build_programs,    /* nodes -> tapes                                  */
    ki_build_switches,    /* where formulas change over                      */
    ki_build_drawing,     /* what is looked at                               */
    ki_build_system,      /* sizes, patterns, names, functions               */
    ki_check_start,       /* the start state                                 */
};

static bool new_model(ki_builder *b) {
    b->model = ki_model_new();
    b->out_of_memory |= !b->model;
    return b->model;
}

keel_status keel_equations_compile(const keel_equations *equations, keel_diagnostics *diagnostics,
                                   keel_system **system, keel_state **start) {
    if (!equations || !system || !start)
        return KEEL_ERROR_INPUT;
    ki_builder b;
    *system = NULL;
    *start = NULL;
    bool going = ki_builder_init(&b, equations, diagnostics) && new_model(&b);
    for (unsigned i = 0; i < sizeof PARTS / sizeof *PARTS && going; i++)
        going = PARTS[i](&b);
    keel_status status = ki_builder_status(&b);
    if (status == KEEL_OK) {
        *system = &ki_builder_release(&b)->system;
        *start = b.start;
        b.start = NULL;
    }
    ki_builder_free(&b);
    return status;
}

static bool read_value(ki_builder *b, const char *text, keel_location where, keel_diagnostics *diagnostics,
                       double *value) {
    ki_reader reader = {.b = b, .context = KI_IN_SETTING};
    ki_scope scope = ki_reader_scope(&reader);
    ki_node node = ki_parse(b->graph, text, strlen(text), where, &scope, diagnostics);
    if (node == KI_NONE && (reader.broken || reader.missing))
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where, "'%s' uses a parameter that has no value", text);
    if (node == KI_NONE)
        return false;
    *value = ki_value_of(b, node);
    if (!isfinite(*value))
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where,
                             "division by zero or domain error: '%s' is not finite", text);
    return isfinite(*value);
}

/* Errors in the parameters themselves are reported when the description is compiled. */
keel_status keel_equations_value(const keel_equations *equations, const char *text, keel_location where,
                                 keel_diagnostics *diagnostics, double *value) {
    if (!equations || !text || !value)
        return KEEL_ERROR_INPUT;
    ki_builder b;
    keel_status status = KEEL_ERROR_MEMORY;
    if (ki_builder_init(&b, equations, NULL)) {
        b.only_parameters = true;
        ki_expand(&b);
        bool read = !ki_out_of_memory(&b) && read_value(&b, text, where, diagnostics, value);
        if (!ki_out_of_memory(&b))
            status = read ? KEEL_OK : KEEL_ERROR_INPUT;
    }
    ki_builder_free(&b);
    return status;
}

/* False after a parameter whose value is not finite. */
static bool all_finite(ki_builder *b, const ki_list *parameters) {
    for (int i = 0; i < parameters->count; i++) {
        const ki_item *item = parameters->at[i];
        if (!isfinite(ki_value_of(b, item->node)))
            ki_report(b, item->entry, item->entry->text_at,
                      "division by zero or domain error: '%s' is not finite", item->name);
    }
    return ki_builder_ok(b);
}

keel_status keel_equations_parameters(const keel_equations *equations, keel_diagnostics *diagnostics,
                                      void (*visit)(void *user, const char *name, double value), void *user) {
    if (!equations || !visit)
        return KEEL_ERROR_INPUT;
    ki_builder b;
    if (!ki_builder_init(&b, equations, diagnostics)) {
        ki_builder_free(&b);
        return KEEL_ERROR_MEMORY;
    }
    b.only_parameters = true;
    const ki_list *parameters = &b.of[KEEL_EQ_PARAMETER];
    ki_expand(&b);
    if (ki_builder_ok(&b) && all_finite(&b, parameters))
        for (int i = 0; i < parameters->count; i++)
            visit(user, parameters->at[i]->name, ki_value_of(&b, parameters->at[i]->node));
    keel_status status = ki_builder_status(&b);
    ki_builder_free(&b);
    return status;
}
