/* tangent.c - derivatives of the equations themselves, for implicit methods and for projections.
 *
 *     tangent = d(R, C, -f) / d(q, v, z)      R = M a + J^T lambda - Q,  C = J a - xi,  a and lambda held
 *     rate_q  = d(rate) / dq
 *
 * R and C are not put together from M and J but written down anew, which keeps them short. With D' the time
 * derivative along q' = v, v' = a, t' = 1:
 *
 *     M a - Q     Lagrangian form: D' p - dT/dq + dV/dq - Q_user
 *                 Newton form: d(a^T M a / 2)/da + dV/dq - Q_user
 *     J^T lambda  = d(lambda^T Phi)/dq + d(lambda^T Psi)/dv
 *     C           = D' rate
 *
 * Then one reverse sweep gives one row: the work grows with the size of the model. Through auxiliaries
 * s(q,v,z,t) there are no symbolic derivatives: where an equation depends on them, its matrix is left without
 * rows.
 */
#include "equations/builder.h"

/* A row of derivatives with respect to the first `cols` of y = (q, v, z). */
typedef struct gradient_row {
    ki_builder *b;
    ki_rows *rows;
    bool through_auxiliary;
} gradient_row;

static void add_entry(void *user, int id, ki_node derivative) {
    gradient_row *row = user;
    const ki_inputs *at = &row->b->inputs;
    if (id >= at->q && id < at->q + row->rows->cols)
        ki_rows_add(row->b, row->rows, id - at->q, derivative);
    else if ((id >= at->s && id < at->lambda) || id >= at->w)
        row->through_auxiliary = true;
}

bool ki_rows_of_gradients(ki_builder *b, const ki_node *nodes, int count, int cols, ki_rows *rows) {
    gradient_row row = {.b = b, .rows = rows};
    ki_rows_init(b, rows, count, cols);
    for (int i = 0; i < count && !ki_out_of_memory(b) && !row.through_auxiliary; i++) {
        ki_gradient(b->graph, nodes[i], add_entry, &row);
        ki_rows_end(rows, i);
    }
    return !row.through_auxiliary;
}

/* D' of a symbol */
static ki_node rate_with_acceleration(void *user, int id) {
    const ki_builder *b = user;
    const ki_inputs *at = &b->inputs;
    return id >= at->v && id < at->z ? ki_symbol(b->graph, id - at->v + at->a)
                                     : ki_rate_along_motion(user, id);
}

/* Where the derivatives with respect to inputs first, first + 1, ... are added. */
typedef struct added_gradient {
    ki_builder *b;
    int first;
    ki_node *to; /* [n] */
} added_gradient;

static void add_derivative(void *user, int id, ki_node derivative) {
    added_gradient *g = user;
    int i = id - g->first;
    if (i >= 0 && i < g->b->inputs.n)
        g->to[i] = ki_binary(g->b->graph, KI_ADD, g->to[i], derivative);
}

/* to += d(scalar)/d(inputs first ... first + n - 1) */
static void add_gradient(ki_builder *b, ki_node scalar, int first, ki_node *to) {
    added_gradient g = {.b = b, .first = first, .to = to};
    ki_gradient(b->graph, scalar, add_derivative, &g);
}

/* sum lambda_c times the constraints of one kind, the first of which is row `first` */
static ki_node times_multipliers(ki_builder *b, keel_equation_kind kind, int first) {
    const ki_list *list = &b->of[kind];
    ki_node *terms = KI_SCRATCH(b, ki_node, list->count);
    for (int c = 0; terms && c < list->count; c++)
        terms[c] =
            ki_binary(b->graph, KI_MUL, ki_symbol(b->graph, b->inputs.lambda + first + c), list->at[c]->node);
    return terms ? ki_sum(b->graph, terms, list->count) : KI_NONE;
}

static void build_motion(ki_builder *b, ki_node *R) {
    const ki_inputs *at = &b->inputs;
    for (int j = 0; j < at->n; j++) {
        R[j] = ki_binary(b->graph, KI_SUB, b->V_q[j], b->Q_user[j]);
        if (b->p) {
            ki_node Dp = ki_total(b->graph, b->p[j], rate_with_acceleration, b);
            R[j] = ki_binary(b->graph, KI_ADD, R[j], ki_binary(b->graph, KI_SUB, Dp, b->T_q[j]));
        }
    }
    if (!b->p)
        add_gradient(b, ki_quadratic_form(b, at->a), at->a, R);
    add_gradient(b, times_multipliers(b, KEEL_EQ_HOLONOMIC, 0), at->q, R);
    add_gradient(b, times_multipliers(b, KEEL_EQ_NONHOLONOMIC, b->of[KEEL_EQ_HOLONOMIC].count), at->v, R);
}

/* R, C and -f, one after another; NULL when out of memory */
static ki_node *build_residual(ki_builder *b) {
    const ki_inputs *at = &b->inputs;
    ki_node *R = KI_SCRATCH(b, ki_node, at->n + at->m + at->n_z);
    if (!R)
        return NULL;
    build_motion(b, R);
    for (int c = 0; c < at->m; c++)
        R[at->n + c] = ki_total(b->graph, b->section[KI_SECTION_RATE][c], rate_with_acceleration, b);
    for (int i = 0; i < at->n_z; i++)
        R[at->n + at->m + i] = ki_unary(b->graph, KI_NEG, b->of[KEEL_EQ_STATE].at[i]->about->node);
    return R;
}

/* Keeps a matrix, or leaves it without rows. */
static void finish(ki_builder *b, ki_rows *rows, ki_section section, bool available) {
    if (!available)
        ki_rows_free(rows);
    ki_set_section(b, section, rows->node, rows->count);
}

bool ki_build_tangent(ki_builder *b) {
    const ki_inputs *at = &b->inputs;
    ki_node *residual = build_residual(b);
    if (ki_out_of_memory(b))
        return false;
    finish(b, &b->tangent, KI_SECTION_TANGENT,
           ki_rows_of_gradients(b, residual, at->n + at->m + at->n_z, 2 * at->n + at->n_z, &b->tangent));
    finish(b, &b->rate_q, KI_SECTION_RATE_Q,
           ki_rows_of_gradients(b, b->section[KI_SECTION_RATE], at->m, at->n, &b->rate_q));
    return !ki_out_of_memory(b);
}
