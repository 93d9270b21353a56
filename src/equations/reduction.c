#include "equations/reduction.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "equations/prepare.h"
#include "equations/solve.h"

/* Coordinates of the model; constraints and coordinates that are named. */
enum { MOST_COORDINATES = 32 };

/* ---- the maps */

typedef struct reduced {
    keel_reduction reduction;
    int n, n_u, rooms, arcs;
    const int *left; /* [n_u] the coordinates u */
    const int *arc;  /* [arcs] those that have several branches */
} reduced;

/* The pose, q and v, stands in the section of invariants and the room in that of auxiliary equations, so that
 * they have machine code, too: the system has none of these, and nobody else asks for them. */
static void expand(const keel_reduction *reduction, void *work, double t, const double *u,
                   const double *u_rate, double *q, double *v) {
    const reduced *r = reduction->model;
    double values[2 * MOST_COORDINATES];
    keel_point at = {.t = t, .q = u, .v = u_rate};
    keel_terms terms = {.invariant = values};
    reduction->system->evaluate(reduction->system, work, KEEL_INVARIANTS, &at, &terms);
    memcpy(q, values, (size_t)r->n * sizeof *q);
    memcpy(v, values + r->n, (size_t)r->n * sizeof *v);
}

static double room(const keel_reduction *reduction, void *work, double t, const double *u) {
    const reduced *r = reduction->model;
    double values[2 * MOST_COORDINATES], least = 1;
    keel_point at = {.t = t, .q = u};
    keel_terms terms = {.r = values};
    reduction->system->evaluate(reduction->system, work, KEEL_AUXILIARY, &at, &terms);
    for (int k = 0; k < r->rooms; k++)
        least = values[k] >= least || isnan(least) ? least : values[k]; /* NaN stays */
    return least;
}

/* Branches of an arc are farther apart than that, by far, where there is room. */
static const double SAME_ARC = 1e-6;

static int shrink(const keel_reduction *reduction, void *work, double t, const double *q, const double *v,
                  double *u, double *u_rate) {
    const reduced *r = reduction->model;
    double there[2][MOST_COORDINATES];
    for (int j = 0; j < r->n_u; j++) {
        u[j] = q[r->left[j]];
        u_rate[j] = v[r->left[j]];
    }
    if (r->rooms && !(room(reduction, work, t, u) > KI_ROOM_AT_START))
        return 0;
    expand(reduction, work, t, u, u_rate, there[0], there[1]);
    for (int k = 0; k < r->arcs; k++)
        if (!(fabs(q[r->arc[k]] - there[0][r->arc[k]]) < SAME_ARC))
            return 0;
    return 1;
}

/* ---- formulas */

/* The formulas in the graph of the model: u are its symbols of the coordinates that are left. */
typedef struct writer {
    ki_builder *b;
    ki_graph *g;
    ki_solutions s;
    int n, n_u;
    int *left;                    /* [n_u] */
    int *place;                   /* [n] among u, -1: solved */
    ki_node *q, *v, *q_t, *gamma; /* [n] of u, u', t */
    ki_node *q_u;                 /* [n x n_u] */
    ki_node *M, *Q;               /* [n x n], [n] of the model, in u */
    ki_node *Q_u, *residual;      /* [n_u], [n_u] */
    ki_node energy, power;
} writer;

static ki_node plus(writer *w, ki_node a, ki_node b) {
    return ki_binary(w->g, KI_ADD, a, b);
}

static ki_node minus(writer *w, ki_node a, ki_node b) {
    return ki_binary(w->g, KI_SUB, a, b);
}

static ki_node times(writer *w, ki_node a, ki_node b) {
    return ki_binary(w->g, KI_MUL, a, b);
}

static ki_node rate_of_time(void *user, int id) {
    const writer *w = user;
    return ki_number(w->g, id == 0);
}

static ki_node D(writer *w, ki_node f) {
    return ki_total(w->g, f, ki_rate_along_motion, w->b);
}

/* Velocities of solved coordinates by those of u. */
static ki_node put_velocity(void *user, int id) {
    const writer *w = user;
    int i = id - w->b->inputs.v;
    return i >= 0 && i < w->n && w->place[i] < 0 ? w->v[i] : ki_symbol(w->g, id);
}

/* A formula of q, v and t as one of u, u' and t. */
static ki_node in_u(writer *w, ki_node f) {
    return ki_put_solutions(w->b, &w->s, ki_substitute(w->g, f, put_velocity, w));
}

typedef struct column {
    writer *w;
    int i;
} column;

static void add_to_q_u(void *user, int id, ki_node derivative) {
    const column *c = user;
    int j = id - c->w->b->inputs.q;
    if (j >= 0 && j < c->w->n)
        c->w->q_u[c->i * c->w->n_u + c->w->place[j]] = derivative;
}

static bool writer_begin(writer *w, ki_builder *b) {
    int n = b->inputs.n;
    w->b = b;
    w->g = b->graph;
    w->n = n;
    w->left = KI_SCRATCH(b, int, n);
    w->place = KI_SCRATCH(b, int, n);
    for (int i = 0; w->left && w->place && i < n; i++) {
        w->place[i] = w->s.solved[i] ? -1 : w->n_u;
        if (!w->s.solved[i])
            w->left[w->n_u++] = i;
    }
    w->q = KI_SCRATCH(b, ki_node, n);
    w->v = KI_SCRATCH(b, ki_node, n);
    w->q_t = KI_SCRATCH(b, ki_node, n);
    w->gamma = KI_SCRATCH(b, ki_node, n);
    w->q_u = KI_SCRATCH(b, ki_node, n * n);
    w->M = KI_SCRATCH(b, ki_node, n * n);
    w->Q = KI_SCRATCH(b, ki_node, n);
    w->Q_u = KI_SCRATCH(b, ki_node, n);
    w->residual = KI_SCRATCH(b, ki_node, n);
    return !ki_out_of_memory(b) && w->n_u > 0;
}

static void write_map(writer *w) {
    for (int i = 0; i < w->n * w->n_u; i++)
        w->q_u[i] = ki_number(w->g, 0);
    for (int i = 0; i < w->n; i++) {
        column c = {w, i};
        w->q[i] = ki_put_solutions(w->b, &w->s, ki_symbol(w->g, w->b->inputs.q + i));
        w->v[i] = D(w, w->q[i]);
        w->gamma[i] = D(w, w->v[i]);
        w->q_t[i] = ki_total(w->g, w->q[i], rate_of_time, w);
        ki_gradient(w->g, w->q[i], add_to_q_u, &c);
    }
}

static void write_terms(writer *w) {
    const ki_rows *M = &w->b->M;
    int n = w->n;
    for (int i = 0; i < n * n; i++)
        w->M[i] = ki_number(w->g, 0);
    for (int i = 0; i < n; i++) {
        w->Q[i] = in_u(w, w->b->section[KI_SECTION_Q][i]);
        for (int k = M->start[i]; k < M->start[i + 1]; k++) {
            int j = M->index[k];
            w->M[i * n + j] = w->M[j * n + i] = in_u(w, M->node[k]);
        }
    }
}

/* sum over k of x_k y_k, the y `step` apart */
static ki_node dot(writer *w, const ki_node *x, const ki_node *y, int step) {
    ki_node sum = ki_number(w->g, 0);
    for (int k = 0; k < w->n; k++)
        sum = plus(w, sum, times(w, x[k], y[k * step]));
    return sum;
}

/* (q_u)_a . x */
static ki_node along(writer *w, int a, const ki_node *x) {
    return dot(w, x, w->q_u + a, w->n_u);
}

/* M_u [n_u x n_u], Q_u, and M_u u'' - Q_u */
static void write_motion(writer *w, ki_node *M_u) {
    int n = w->n, n_u = w->n_u;
    ki_node *x = KI_SCRATCH(w->b, ki_node, n);
    if (!x)
        return;
    for (int i = 0; i < n; i++)
        x[i] = minus(w, w->Q[i], dot(w, w->M + i * n, w->gamma, 1));
    for (int a = 0; a < n_u; a++)
        w->Q_u[a] = along(w, a, x);
    for (int a = 0; a < n_u; a++) {
        for (int i = 0; i < n; i++)
            x[i] = dot(w, w->M + i * n, w->q_u + a, n_u);
        for (int c = 0; c <= a; c++)
            M_u[a * n_u + c] = M_u[c * n_u + a] = along(w, c, x);
    }
    for (int a = 0; a < n_u; a++) {
        w->residual[a] = ki_unary(w->g, KI_NEG, w->Q_u[a]);
        for (int c = 0; c < n_u; c++)
            w->residual[a] = plus(w, w->residual[a],
                                  times(w, M_u[a * n_u + c], ki_symbol(w->g, w->b->inputs.a + w->left[c])));
    }
}

/* p_i, and Q_i + D p_i, of the model */
static ki_node momentum(writer *w, int i, ki_node *push) {
    const ki_builder *b = w->b;
    if (b->p) {
        *push = plus(w, b->Q_user[i], minus(w, b->T_q[i], b->V_q[i]));
        return b->p[i];
    }
    ki_node p = ki_number(w->g, 0);
    for (int r = 0; r < w->n; r++)
        for (int k = b->M.start[r]; k < b->M.start[r + 1]; k++) {
            int c = b->M.index[k], other = r == i ? c : r;
            if (r == i || c == i)
                p = plus(w, p, times(w, b->M.node[k], ki_symbol(w->g, b->inputs.v + other)));
        }
    *push = plus(w, b->section[KI_SECTION_Q][i], D(w, p));
    return p;
}

static void write_energy(writer *w) {
    w->energy = in_u(w, w->b->section[KI_SECTION_ENERGY][0]);
    w->power = in_u(w, w->b->section[KI_SECTION_POWER][0]);
    for (int i = 0; i < w->n; i++) {
        ki_node push, p;
        if (ki_is_zero(w->g, w->q_t[i]))
            continue;
        p = in_u(w, momentum(w, i, &push));
        w->energy = minus(w, w->energy, times(w, p, w->q_t[i]));
        ki_node work = plus(w, times(w, in_u(w, push), w->q_t[i]), times(w, p, D(w, w->q_t[i])));
        w->power = minus(w, w->power, work);
    }
}

/* ---- the system in u, in a graph of its own */

typedef struct copier {
    const writer *w;
    ki_builder *to;
} copier;

static ki_node put_symbol(void *user, int id) {
    const copier *c = user;
    const ki_inputs *from = &c->w->b->inputs, *to = &c->to->inputs;
    if (id >= from->a)
        id = to->a + c->w->place[id - from->a];
    else if (id >= from->v)
        id = to->v + c->w->place[id - from->v];
    else if (id >= from->q)
        id = to->q + c->w->place[id - from->q];
    return ki_symbol(c->to->graph, id);
}

/* `count` nodes as nodes of the other graph */
static ki_node *copy(copier *c, const ki_node *nodes, int count) {
    ki_node *copies = KI_SCRATCH(c->to, ki_node, count);
    for (int i = 0; copies && i < count; i++)
        copies[i] = ki_copy_node(c->w->g, nodes[i], put_symbol, c, c->to->graph);
    return copies;
}

static void set_section(copier *c, ki_section section, const ki_node *nodes, int count) {
    ki_set_section(c->to, section, copy(c, nodes, count), count);
}

static void set_mass(copier *c, const ki_node *M_u) {
    ki_builder *b = c->to;
    int n = b->inputs.n;
    const ki_node *M = copy(c, M_u, n * n);
    ki_rows_init(b, &b->M, n, n);
    for (int i = 0; M && i < n; i++) {
        for (int j = 0; j <= i; j++)
            if (i == j || !ki_is_zero(b->graph, M[i * n + j]))
                ki_rows_add(b, &b->M, j, M[i * n + j]);
        ki_rows_end(&b->M, i);
    }
    ki_set_section(b, KI_SECTION_M, b->M.node, b->M.count);
}

static void set_tangent(copier *c) {
    ki_builder *b = c->to;
    int n = b->inputs.n;
    const ki_node *residual = copy(c, c->w->residual, n);
    if (residual)
        ki_rows_of_gradients(b, residual, n, 2 * n, &b->tangent);
    ki_set_section(b, KI_SECTION_TANGENT, b->tangent.node, b->tangent.count);
}

static bool set_sections(copier *c, const ki_node *M_u) {
    const writer *w = c->w;
    set_mass(c, M_u);
    set_section(c, KI_SECTION_Q, w->Q_u, w->n_u);
    set_section(c, KI_SECTION_ENERGY, &w->energy, 1);
    set_section(c, KI_SECTION_POWER, &w->power, 1);
    set_section(c, KI_SECTION_R, w->s.room, w->s.rooms);
    set_tangent(c);
    ki_node *pose = KI_SCRATCH(c->to, ki_node, 2 * w->n);
    if (!pose)
        return false;
    memcpy(pose, w->q, (size_t)w->n * sizeof *pose);
    memcpy(pose + w->n, w->v, (size_t)w->n * sizeof *pose);
    set_section(c, KI_SECTION_INVARIANT, pose, 2 * w->n);
    return !ki_out_of_memory(c->to) && ki_build_programs(c->to);
}

static bool builder_begin(ki_builder *b, int n) {
    *b = (ki_builder){.T = KI_NONE, .V = KI_NONE, .E = KI_NONE, .graph = ki_graph_new()};
    ki_arena_init(&b->arena);
    b->model = ki_model_new();
    int end = 1 + 2 * n;
    b->inputs = (ki_inputs){.n = n,
                            .q = 1,
                            .v = 1 + n,
                            .z = end,
                            .s = end,
                            .lambda = end,
                            .a = end,
                            .w = end + n,
                            .count = end + n};
    return b->graph && b->model;
}

/* ---- names */

/* "'x', 'y' follow from the constraints" */
static const char *reason_of(const writer *w, ki_arena *arena) {
    static const char follow[] = " from the constraints";
    const ki_list *names = &w->b->of[KEEL_EQ_COORDINATE];
    size_t size = sizeof follow + 10, at = 0;
    for (int i = 0; i < w->n; i++)
        size += strlen(names->at[i]->name) + 4;
    char *text = KI_NEW(arena, char, size);
    for (int i = 0; text && i < w->n; i++)
        if (w->place[i] < 0)
            at += (size_t)snprintf(text + at, size - at, "%s'%s'", at ? ", " : "", names->at[i]->name);
    if (text)
        snprintf(text + at, size - at, " %s%s", w->s.count > 1 ? "follow" : "follows", follow);
    return text;
}

/* Those of the coordinates that are left. */
static const char *const *names_left(const writer *w, ki_arena *arena, const char *const *all) {
    const char **names = KI_NEW(arena, const char *, w->n_u);
    for (int j = 0; names && j < w->n_u; j++)
        names[j] = all[w->left[j]];
    return names;
}

/* The model owns what it is reduced to. */
static void finish(writer *w, ki_builder *to) {
    ki_model *model = to->model;
    ki_arena *arena = &model->arena;
    keel_system *s = &model->system;
    reduced *r = KI_NEW(arena, reduced, 1);
    int *left = KI_NEW(arena, int, w->n_u), *arc = KI_NEW(arena, int, w->s.count);
    if (!r || !left || !arc)
        return;
    s->n_q = s->n_v = w->n_u;
    s->has_energy = 1;
    s->M = ki_pattern_of(to, &to->M);
    s->tangent = ki_pattern_of(to, &to->tangent);
    s->names.q = names_left(w, arena, w->b->model->system.names.q);
    s->names.v = names_left(w, arena, w->b->model->system.names.v);
    model->inputs = to->inputs;
    ki_model_connect(model);
    memcpy(left, w->left, (size_t)w->n_u * sizeof *left);
    *r = (reduced){.n = w->n, .n_u = w->n_u, .rooms = w->s.rooms, .left = left, .arc = arc};
    for (int k = 0; k < w->s.count; k++)
        if (w->s.at[k].is_arc)
            arc[r->arcs++] = w->s.at[k].x;
    r->reduction = (keel_reduction){.system = s,
                                    .model = r,
                                    .reason = reason_of(w, arena),
                                    .shrink = shrink,
                                    .expand = expand,
                                    .room = w->s.rooms ? room : NULL};
    if (ki_out_of_memory(to))
        return;
    w->b->model->reduced = ki_builder_release(to);
    r->reduction.system = ki_prepared_system(model);
    w->b->out_of_memory |= !r->reduction.system;
    w->b->reduction = &r->reduction;
}

static bool is_simple(const ki_builder *b) {
    const keel_system *s = &b->model->system;
    const ki_list *forces = &b->of[KEEL_EQ_FORCE];
    for (int i = 0; i < forces->count; i++)
        if (forces->at[i]->uses & KI_USES_LAMBDA)
            return false;
    return s->n_h && !s->n_n && !s->n_z && !s->n_s && !s->n_i && s->n_q <= MOST_COORDINATES;
}

bool ki_build_reduction(ki_builder *b) {
    writer w = {0};
    ki_builder to;
    if (!is_simple(b) || !ki_solve_constraints(b, &w.s) || !writer_begin(&w, b))
        return !ki_out_of_memory(b);
    ki_node *M_u = KI_SCRATCH(b, ki_node, w.n_u * w.n_u);
    write_map(&w);
    write_terms(&w);
    if (M_u)
        write_motion(&w, M_u);
    write_energy(&w);
    bool begun = builder_begin(&to, w.n_u);
    copier c = {&w, &to};
    if (begun && !ki_out_of_memory(b) && set_sections(&c, M_u))
        finish(&w, &to);
    b->out_of_memory = ki_out_of_memory(b) || ki_out_of_memory(&to);
    ki_builder_free(&to);
    return !b->out_of_memory;
}
