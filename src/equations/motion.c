/* motion.c - the equations of motion, from the energies or from a mass matrix.
 *
 * Lagrangian form, with p_j = dT/dv_j and L = T - V:
 *
 *     d/dt p_j - dL/dq_j = Q_user_j      and      d/dt p = M v' + D p      give
 *     M_ij = dp_i/dv_j                   Q_j = Q_user_j - D p_j + dT/dq_j - dV/dq_j
 *
 * where D is the time derivative with q' = v, t' = 1 and v held. M must not depend on v: T is at most
 * quadratic in v (linear and constant terms, from moving frames, are welcome).
 *
 * Newton form: M as given, Q_j = Q_user_j - dV/dq_j.
 *
 * One reverse sweep over T gives all of p and dT/dq; then each p_j is small. So the work grows with the size
 * of the model, not with the square of the number of its coordinates.
 */
#include <stdlib.h>

#include "equations/builder.h"

ki_node ki_rate_along_motion(void *user, int id) {
    const ki_builder *b = user;
    const ki_inputs *at = &b->inputs;
    if (id == 0)
        return ki_number(b->graph, 1);
    if (id >= at->q && id < at->v)
        return ki_symbol(b->graph, id - at->q + at->v);
    if (id >= at->s && id < at->lambda)
        return ki_symbol(b->graph, id - at->s + at->w);
    return ki_number(b->graph, 0);
}

static ki_node minus(ki_builder *b, ki_node a, ki_node c) {
    return ki_binary(b->graph, KI_SUB, a, c);
}

static ki_node *zeros(ki_builder *b, int count) {
    ki_node *nodes = KI_SCRATCH(b, ki_node, count);
    for (int i = 0; nodes && i < count; i++)
        nodes[i] = ki_number(b->graph, 0);
    return nodes;
}

/* The gradient of an energy, sorted into its parts; those not wanted are NULL. */
typedef struct gradient {
    const ki_inputs *at;
    ki_node *q, *v, t;
} gradient;

static void sort_derivative(void *user, int id, ki_node derivative) {
    gradient *g = user;
    if (id == 0)
        g->t = derivative;
    else if (id < g->at->v)
        g->q[id - g->at->q] = derivative;
    else if (id < g->at->z && g->v)
        g->v[id - g->at->v] = derivative;
}

/* One column of a row of M, lower triangle only. */
typedef struct mass_row {
    ki_builder *b;
    int row;
    bool has_diagonal, depends_on_v;
} mass_row;

static void add_mass_entry(void *user, int id, ki_node derivative) {
    mass_row *r = user;
    int j = id - r->b->inputs.v;
    if (j < 0 || j > r->row || id >= r->b->inputs.z)
        return;
    ki_rows_add(r->b, &r->b->M, j, derivative);
    r->has_diagonal |= j == r->row;
    r->depends_on_v |= (ki_uses_of(r->b, derivative) & KI_USES_V) != 0;
}

/* M_ij = dp_i/dv_j; false if some entry depends on v */
static bool build_lagrangian_mass(ki_builder *b) {
    bool quadratic = true;
    ki_rows_init(b, &b->M, b->inputs.n, b->inputs.n);
    for (int i = 0; i < b->inputs.n && !ki_out_of_memory(b); i++) {
        mass_row row = {.b = b, .row = i};
        ki_gradient(b->graph, b->p[i], add_mass_entry, &row);
        if (!row.has_diagonal)
            ki_rows_add(b, &b->M, i, ki_number(b->graph, 0));
        ki_rows_end(&b->M, i);
        quadratic &= !row.depends_on_v;
    }
    return quadratic;
}

/* Looks for velocities in the second derivatives of one kinetic term. */
typedef struct quadratic_check {
    ki_builder *b;
    bool broken;
} quadratic_check;

static bool is_velocity(const ki_builder *b, int id) {
    return id >= b->inputs.v && id < b->inputs.z;
}

static void check_second_derivative(void *user, int id, ki_node derivative) {
    quadratic_check *check = user;
    if (is_velocity(check->b, id) && (ki_uses_of(check->b, derivative) & KI_USES_V))
        check->broken = true;
}

static void check_first_derivative(void *user, int id, ki_node derivative) {
    quadratic_check *check = user;
    if (is_velocity(check->b, id) && !check->broken)
        ki_gradient(check->b->graph, derivative, check_second_derivative, check);
}

static bool is_quadratic(ki_builder *b, ki_node T) {
    quadratic_check check = {.b = b};
    ki_gradient(b->graph, T, check_first_derivative, &check);
    return !check.broken;
}

static void report_not_quadratic(ki_builder *b) {
    const ki_list *list = &b->of[KEEL_EQ_KINETIC];
    int i = 0;
    while (i < list->count - 1 && is_quadratic(b, list->at[i]->node))
        i++;
    ki_report(b, list->at[i]->entry, list->at[i]->entry->text_at,
              "the kinetic energy must be quadratic in the velocities: its second derivatives may not depend "
              "on them");
}

static void build_lagrangian(ki_builder *b) {
    ki_kinetic_energy(b);
    b->T_q = zeros(b, b->inputs.n);
    b->p = zeros(b, b->inputs.n);
    if (!b->T_q || !b->p)
        return;
    gradient g = {.at = &b->inputs, .q = b->T_q, .v = b->p, .t = ki_number(b->graph, 0)};
    ki_gradient(b->graph, b->T, sort_derivative, &g);
    b->T_t = g.t;
    if (!build_lagrangian_mass(b))
        report_not_quadratic(b);
}

typedef struct mass_term {
    int row, column, order; /* row >= column */
    ki_node node;
} mass_term;

static int compare_mass_terms(const void *x, const void *y) {
    const mass_term *a = x, *c = y;
    if (a->row != c->row)
        return a->row < c->row ? -1 : 1;
    if (a->column != c->column)
        return a->column < c->column ? -1 : 1;
    return a->order < c->order ? -1 : 1;
}

/* All mass entries and a zero on each diagonal, sorted by place. */
static mass_term *collect_mass_terms(ki_builder *b, int *count) {
    const ki_list *list = &b->of[KEEL_EQ_MASS];
    mass_term *term = KI_SCRATCH(b, mass_term, list->count + b->inputs.n);
    *count = 0;
    if (!term)
        return NULL;
    for (int i = 0; i < list->count; i++) {
        int x = list->at[i]->about->index;
        int y = list->at[i]->about_other ? list->at[i]->about_other->index : x;
        term[*count] = (mass_term){x > y ? x : y, x > y ? y : x, *count, list->at[i]->node};
        ++*count;
    }
    for (int i = 0; i < b->inputs.n; i++) {
        term[*count] = (mass_term){i, i, *count, ki_number(b->graph, 0)};
        ++*count;
    }
    qsort(term, (size_t)*count, sizeof *term, compare_mass_terms);
    return term;
}

static void build_newton(ki_builder *b) {
    int count;
    mass_term *term = collect_mass_terms(b, &count);
    ki_rows_init(b, &b->M, b->inputs.n, b->inputs.n);
    for (int k = 0; term && k < count;) {
        int row = term[k].row, column = term[k].column;
        ki_node sum = term[k].node;
        for (k++; k < count && term[k].row == row && term[k].column == column; k++)
            sum = ki_binary(b->graph, KI_ADD, sum, term[k].node);
        if (row == column || !ki_is_zero(b->graph, sum))
            ki_rows_add(b, &b->M, column, sum);
        ki_rows_end(&b->M, row);
    }
    ki_kinetic_energy(b);
}

static void build_potential(ki_builder *b) {
    ki_potential_energy(b);
    b->V_q = zeros(b, b->inputs.n);
    if (!b->V_q)
        return;
    gradient g = {.at = &b->inputs, .q = b->V_q, .t = ki_number(b->graph, 0)};
    ki_gradient(b->graph, b->V, sort_derivative, &g);
    b->V_t = g.t;
}

/* Q_user_j: force entries sorted by coordinate (counting sort), then added. */
static void build_user_forces(ki_builder *b) {
    const ki_list *list = &b->of[KEEL_EQ_FORCE];
    int n = b->inputs.n, *start = KI_SCRATCH(b, int, n + 2);
    ki_node *sorted = KI_SCRATCH(b, ki_node, list->count);
    b->Q_user = zeros(b, n);
    if (!start || !sorted || !b->Q_user)
        return;
    for (int i = 0; i < list->count; i++)
        start[list->at[i]->about->index + 2]++;
    for (int j = 0; j < n; j++)
        start[j + 2] += start[j + 1];
    for (int i = 0; i < list->count; i++)
        sorted[start[list->at[i]->about->index + 1]++] = list->at[i]->node;
    for (int j = 0; j < n; j++)
        b->Q_user[j] = ki_sum(b->graph, sorted + start[j], start[j + 1] - start[j]);
}

static void build_forces(ki_builder *b) {
    ki_node *Q = KI_SCRATCH(b, ki_node, b->inputs.n);
    for (int j = 0; Q && j < b->inputs.n; j++) {
        Q[j] = b->Q_user[j];
        if (b->p) {
            ki_node Dp = ki_total(b->graph, b->p[j], ki_rate_along_motion, b);
            Q[j] = minus(b, Q[j], minus(b, Dp, b->T_q[j]));
        }
        Q[j] = minus(b, Q[j], b->V_q[j]);
    }
    ki_set_section(b, KI_SECTION_Q, Q, b->inputs.n);
}

static void add_force_by_multiplier(void *user, int id, ki_node derivative) {
    ki_builder *b = user;
    if (id >= b->inputs.lambda && id < b->inputs.a)
        ki_rows_add(b, &b->Q_lambda, id - b->inputs.lambda, derivative);
}

/* dQ/dlambda; stays without rows when no force depends on a multiplier */
static void build_forces_by_multipliers(ki_builder *b) {
    const ki_list *list = &b->of[KEEL_EQ_FORCE];
    bool *row_uses_lambda = KI_SCRATCH(b, bool, b->inputs.n);
    if (!row_uses_lambda)
        return;
    for (int i = 0; i < list->count; i++)
        if (list->at[i]->uses & KI_USES_LAMBDA)
            row_uses_lambda[list->at[i]->about->index] = true;
    ki_rows_init(b, &b->Q_lambda, b->inputs.n, b->inputs.m);
    for (int j = 0; j < b->inputs.n; j++) {
        if (row_uses_lambda[j])
            ki_gradient(b->graph, b->Q_user[j], add_force_by_multiplier, b);
        ki_rows_end(&b->Q_lambda, j);
    }
    if (b->Q_lambda.count == 0)
        b->Q_lambda.rows = 0;
    ki_set_section(b, KI_SECTION_Q_LAMBDA, b->Q_lambda.node, b->Q_lambda.count);
}

bool ki_build_motion(ki_builder *b) {
    if (b->of[KEEL_EQ_KINETIC].count)
        build_lagrangian(b);
    else
        build_newton(b);
    build_potential(b);
    build_user_forces(b);
    if (ki_out_of_memory(b))
        return false;
    ki_set_section(b, KI_SECTION_M, b->M.node, b->M.count);
    build_forces(b);
    build_forces_by_multipliers(b);
    return !ki_out_of_memory(b);
}
