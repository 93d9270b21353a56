/* write.c - a compiled mechanism as formulas: the same M, Q, J, xi, from tapes or machine code.
 *
 * What is asked for in steps is written; the rest (reactions, outputs, poses) stays with the recursions. The
 * derivatives of the equations are exact here, of R = M a + J^T lambda - Q and C = J a - xi row by row.
 */
#include <stdlib.h>

#include "equations/builder.h"
#include "mechanism/mech_system.h"
#include "symbolic/write.h"
#include "symbolic/writer.h"

/* Formulas grow with the number of bodies, but a tape of many instructions gains nothing over a recursion. */
enum { MOST_BODIES = 100, MOST_TANGENT_ROWS = 40 };

static void number_inputs(const keel_system *system, ki_inputs *in) {
    *in = (ki_inputs){.n = system->n_v, .m = keel_system_m(system)};
    in->q = 1;
    in->v = in->q + in->n;
    in->z = in->s = in->lambda = in->v + in->n;
    in->a = in->lambda + in->m;
    in->w = in->count = in->a + in->n;
}

static bool begin(ki_builder *b, const ki_mech *mech, ki_writer *w) {
    const keel_system *system = &mech->system;
    int m = keel_system_m(system);
    *b = (ki_builder){.T = KI_NONE, .V = KI_NONE, .E = KI_NONE, .graph = ki_graph_new()};
    ki_arena_init(&b->arena);
    b->model = ki_model_new();
    number_inputs(system, &b->inputs);
    if (b->model)
        b->model->system.has_drivers = system->has_drivers;
    *w = (ki_writer){.mech = mech, .g = b->graph, .arena = &b->arena, .q = b->inputs.q, .v = b->inputs.v};
    w->body = KI_SCRATCH(b, ki_moving, mech->body_count);
    w->column = KI_SCRATCH(b, ki_column, system->n_v);
    w->force = KI_SCRATCH(b, vec, mech->body_count);
    w->torque = KI_SCRATCH(b, vec, mech->body_count);
    w->Q = KI_SCRATCH(b, ki_node, system->n_v);
    w->M = KI_SCRATCH(b, ki_node, keel_pattern_count(system->M));
    w->J = KI_SCRATCH(b, ki_node, keel_pattern_count(system->J));
    w->Phi = KI_SCRATCH(b, ki_node, m);
    w->rate = KI_SCRATCH(b, ki_node, m);
    w->curve = KI_SCRATCH(b, ki_node, m);
    return b->model && !ki_out_of_memory(b);
}

/* R and C; NULL when out of memory */
static ki_node *residual(ki_builder *b, const ki_writer *w) {
    const keel_system *s = &w->mech->system;
    ki_graph *g = w->g;
    int n = s->n_v, m = keel_system_m(s);
    ki_node *R = KI_SCRATCH(b, ki_node, n + m);
    if (!R)
        return NULL;
    for (int i = 0; i < n; i++)
        R[i] = minus(g, number(g, 0), w->Q[i]);
    for (int i = 0; i < n; i++)
        for (int k = s->M.start[i]; k < s->M.start[i + 1]; k++) {
            int j = s->M.index[k];
            R[i] = plus(g, R[i], times(g, w->M[k], ki_symbol(g, b->inputs.a + j)));
            if (j != i)
                R[j] = plus(g, R[j], times(g, w->M[k], ki_symbol(g, b->inputs.a + i)));
        }
    for (int c = 0; c < m; c++) {
        R[n + c] = w->curve[c];
        for (int k = s->J.start[c]; k < s->J.start[c + 1]; k++) {
            int j = s->J.index[k];
            R[j] = plus(g, R[j], times(g, w->J[k], ki_symbol(g, b->inputs.lambda + c)));
            R[n + c] = plus(g, R[n + c], times(g, w->J[k], ki_symbol(g, b->inputs.a + j)));
        }
    }
    return R;
}

static void write_tangent(ki_builder *b, const ki_writer *w) {
    int n = b->inputs.n, m = b->inputs.m;
    ki_node *R = n + m <= MOST_TANGENT_ROWS ? residual(b, w) : NULL;
    if (!R)
        return;
    ki_rows_of_gradients(b, R, n + m, 2 * n, &b->tangent);
    ki_rows_of_gradients(b, w->rate, m, n, &b->rate_q);
    ki_set_section(b, KI_SECTION_TANGENT, b->tangent.node, b->tangent.count);
    ki_set_section(b, KI_SECTION_RATE_Q, b->rate_q.node, b->rate_q.count);
}

static void set_sections(ki_builder *b, const ki_writer *w) {
    const keel_system *s = &w->mech->system;
    int m = keel_system_m(s);
    ki_node *xi = KI_SCRATCH(b, ki_node, m), *scalar = KI_SCRATCH(b, ki_node, 2);
    if (!xi || !scalar)
        return;
    for (int c = 0; c < m; c++)
        xi[c] = minus(w->g, number(w->g, 0), w->curve[c]);
    scalar[0] = plus(w->g, w->kinetic, w->potential);
    scalar[1] = w->power;
    ki_set_section(b, KI_SECTION_M, w->M, keel_pattern_count(s->M));
    ki_set_section(b, KI_SECTION_J, w->J, keel_pattern_count(s->J));
    ki_set_section(b, KI_SECTION_Q, w->Q, s->n_v);
    ki_set_section(b, KI_SECTION_XI, xi, m);
    ki_set_section(b, KI_SECTION_PHI, w->Phi, s->n_h);
    ki_set_section(b, KI_SECTION_RATE, w->rate, m);
    ki_set_section(b, KI_SECTION_ENERGY, scalar, 1);
    ki_set_section(b, KI_SECTION_POWER, scalar + 1, 1);
}

static bool write_all(ki_builder *b, ki_writer *w) {
    if (!ki_symbolic_bodies(w) || !ki_symbolic_rows(w) || !ki_symbolic_forces(w))
        return false;
    ki_symbolic_inertia(w);
    set_sections(b, w);
    write_tangent(b, w);
    return !ki_out_of_memory(b) && ki_build_programs(b);
}

/* Sizes and patterns of the inner system: those of the mechanism, but for the derivatives. */
static void finish(ki_builder *b, const ki_mech *mech) {
    keel_system *s = &b->model->system;
    *s = keel_system_default();
    s->n_q = s->n_v = mech->system.n_v;
    s->n_h = mech->system.n_h;
    s->M = mech->system.M;
    s->J = mech->system.J;
    s->tangent = ki_pattern_of(b, &b->tangent);
    s->rate_q = ki_pattern_of(b, &b->rate_q);
    s->has_energy = 1;
    s->has_drivers = mech->system.has_drivers;
    b->model->inputs = b->inputs;
    ki_model_connect(b->model);
}

bool ki_is_written(const ki_mech *mech) {
    const keel_system *system = &mech->system;
    return system->n_q == system->n_v && !system->n_z && !system->n_n && !system->Q_lambda.rows &&
           mech->body_count - 1 <= MOST_BODIES;
}

keel_status ki_write(const ki_mech *mech, ki_model **model) {
    ki_builder b;
    ki_writer w;
    *model = NULL;
    bool written = begin(&b, mech, &w) && write_all(&b, &w);
    keel_status status = ki_builder_status(&b);
    if (written && status == KEEL_OK) {
        finish(&b, mech);
        status = ki_builder_status(&b);
    }
    if (written && status == KEEL_OK)
        *model = ki_builder_release(&b);
    ki_builder_free(&b);
    return status;
}
