/* constraints.c - holonomic Phi(q,s,t) = 0 and nonholonomic Psi(q,v,s,t) = 0 constraints.
 *
 * With D the time derivative along the motion, q' = v, s' = w, t' = 1, and v and w held:
 *
 *                 row of J          rate       xi
 *     Phi         dPhi/dq           D Phi      -D D Phi
 *     Psi         dPsi/dv           Psi        -D Psi
 *
 * What is added where Phi depends on auxiliaries s(q,t) is in coupling_build.c; the pattern of J is already
 * widened here.
 */
#include <stdlib.h>

#include "equations/coupling.h"

/* The item of row c: holonomic rows come first. */
static ki_item *row_item(const ki_builder *b, int c) {
    int n_h = b->of[KEEL_EQ_HOLONOMIC].count;
    return c < n_h ? b->of[KEEL_EQ_HOLONOMIC].at[c] : b->of[KEEL_EQ_NONHOLONOMIC].at[c - n_h];
}

static void add_holonomic_derivative(void *user, int id, ki_node derivative) {
    ki_builder *b = user;
    const ki_inputs *at = &b->inputs;
    if (id >= at->q && id < at->v)
        ki_rows_add(b, &b->J, id - at->q, derivative);
    else if (id >= at->s && id < at->lambda) {
        ki_rows_add(b, &b->Phi_s, id - at->s, derivative);
        b->s_used[id - at->s] = true;
        b->model->system.has_drivers = 1; /* s may depend on t */
    } else if (id < at->q) {              /* t is the one input before q */
        b->model->system.has_drivers = 1;
    }
}

static void add_nonholonomic_derivative(void *user, int id, ki_node derivative) {
    ki_builder *b = user;
    const ki_inputs *at = &b->inputs;
    if (id >= at->v && id < at->z) {
        ki_rows_add(b, &b->J, id - at->v, derivative);
        if (ki_uses_of(b, derivative) & KI_USES_V)
            b->model->system.J_needs_v = 1;
    } else if (id >= at->s && id < at->lambda) {
        b->s_used[id - at->s] = true;
    }
}

static void build_rows(ki_builder *b) {
    int n_h = b->of[KEEL_EQ_HOLONOMIC].count;
    ki_rows_init(b, &b->J, b->inputs.m, b->inputs.n);
    ki_rows_init(b, &b->Phi_s, n_h, b->inputs.n_s);
    for (int c = 0; c < b->inputs.m && !ki_out_of_memory(b); c++) {
        ki_gradient(b->graph, row_item(b, c)->node,
                    c < n_h ? add_holonomic_derivative : add_nonholonomic_derivative, b);
        ki_rows_end(&b->J, c);
        if (c < n_h)
            ki_rows_end(&b->Phi_s, c);
    }
}

static ki_node rest(void *user, int id) {
    ki_builder *b = user;
    return id >= b->inputs.v && id < b->inputs.z ? ki_number(b->graph, 0) : ki_symbol(b->graph, id);
}

/* Psi = B v with B free of v does no work; Psi is that if it is linear in v and vanishes at v = 0. */
static void look_for_drivers(ki_builder *b, ki_node Psi) {
    if (b->model->system.J_needs_v || !ki_is_zero(b->graph, ki_substitute(b->graph, Psi, rest, b)))
        b->model->system.has_drivers = 1;
}

static void build_rates(ki_builder *b) {
    int n_h = b->of[KEEL_EQ_HOLONOMIC].count, m = b->inputs.m;
    ki_node *Phi = KI_SCRATCH(b, ki_node, n_h);
    ki_node *rate = KI_SCRATCH(b, ki_node, m), *xi = KI_SCRATCH(b, ki_node, m);
    for (int c = 0; Phi && rate && xi && c < m; c++) {
        ki_node constraint = row_item(b, c)->node;
        if (c < n_h)
            Phi[c] = constraint;
        else
            look_for_drivers(b, constraint);
        rate[c] = c < n_h ? ki_total(b->graph, constraint, ki_rate_along_motion, b) : constraint;
        xi[c] = ki_unary(b->graph, KI_NEG, ki_total(b->graph, rate[c], ki_rate_along_motion, b));
    }
    ki_set_section(b, KI_SECTION_PHI, Phi, n_h);
    ki_set_section(b, KI_SECTION_RATE, rate, m);
    ki_set_section(b, KI_SECTION_XI, xi, m);
}

static void check_rows(ki_builder *b) {
    for (int c = 0; c < b->inputs.m; c++) {
        const ki_item *item = row_item(b, c);
        bool undecided =
            c < b->Phi_s.rows && b->Phi_s.start[c] < b->Phi_s.start[c + 1] && !b->model->coupling;
        if (b->J.start[c] < b->J.start[c + 1] || undecided)
            continue;
        if (item->entry->kind == KEEL_EQ_NONHOLONOMIC && (ki_uses_of(b, item->node) & KI_USES_Q))
            ki_report(b, item->entry, item->entry->text_at,
                      "constraint '%s' does not depend on any velocity: put it under holonomic", item->name);
        else
            ki_report(b, item->entry, item->entry->text_at,
                      "constraint '%s' does not depend on any coordinate", item->name);
    }
}

bool ki_build_constraints(ki_builder *b) {
    build_rows(b);
    if (ki_out_of_memory(b))
        return false;
    build_rates(b);
    /* only with sound auxiliary equations is it known what they make of the constraints */
    if (b->inputs.n_s && b->errors == 0)
        ki_find_components(b);
    if (ki_out_of_memory(b))
        return false;
    check_rows(b);
    ki_set_section(b, KI_SECTION_J, b->J.node, b->J.count);
    return ki_builder_ok(b);
}
