/* reduce.c - a mechanism whose loops are solved (solved.h) as a system in their parameter u.
 *
 * With the kinetic energy m(u) u'^2 / 2 and the potential V(u) of the weights,
 *
 *     m u'' = Q,    Q = q_u . (applied forces along q) - V' - m' u'^2 / 2.
 *
 * Where nothing acts but weight, the natural speed w = sqrt(m) u' takes the place of u' (natural.h):
 *
 *     u' = w / M,   M w' = -V',   M = sqrt(m).
 *
 * Other forces may be stiff and hold u' all but constant: then it is w that varies. The applied forces are
 * those of forces.c, written in q and v = q_u u' of the mechanism. The pose, q and v, stands in the
 * section of invariants, so that it has machine code, too: the system has none of these (n_i = 0), and nobody
 * but `expand` asks for them.
 */
#include "symbolic/reduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "equations/natural.h"
#include "symbolic/solved.h"

/* Coordinates of the mechanism; letters for each of its bodies. */
enum { MOST_COORDINATES = 32, LETTERS_OF_BODY = 32 };

typedef struct reduced {
    keel_reduction reduction;
    int n; /* coordinates of the mechanism */
    ki_parameter u;
    const double *size;
    ki_model *model;
} reduced;

static void expand(const keel_reduction *reduction, void *work, double t, const double *u,
                   const double *speed, double *q, double *v) {
    const reduced *r = reduction->model;
    double values[2 * MOST_COORDINATES];
    keel_point at = {.t = t, .q = u, .v = speed};
    keel_terms terms = {.invariant = values};
    reduction->system->evaluate(reduction->system, work, KEEL_INVARIANTS, &at, &terms);
    memcpy(q, values, (size_t)r->n * sizeof *q);
    memcpy(v, values + r->n, (size_t)r->n * sizeof *v);
}

/* Whether x is y as closely as a state that satisfies constraints to round-off can be. */
static bool agrees(const reduced *r, const double *x, const double *y) {
    static const double NEAR = 1e-9;
    double most = 1;
    for (int i = 0; i < r->n; i++)
        most = fmax(most, fabs(x[i]) / r->size[i]);
    for (int i = 0; i < r->n; i++)
        if (!(fabs(x[i] - y[i]) <= NEAR * most * r->size[i]))
            return false;
    return true;
}

static double half_tangent(const ki_parameter *p, int k, const double *q) {
    return tan((p->angle[k] + p->factor[k] * q[p->q[k]]) / 2);
}

/* u and u' of a state that is on the branch. With (x, y) = (tan a_0/2, tan a_1/2): x' = (1 + x^2) a_0'/2, and
 * u' = (x y' - y x') / (x^2 + y^2). */
static void find_parameter(const ki_parameter *p, const double *q, const double *v, double *u,
                           double *u_rate) {
    *u = q[p->q[0]];
    *u_rate = v[p->q[0]];
    if (!p->polar)
        return;
    double x = half_tangent(p, 0, q), y = half_tangent(p, 1, q);
    double x_rate = (1 + x * x) * p->factor[0] * v[p->q[0]] / 2;
    double y_rate = (1 + y * y) * p->factor[1] * v[p->q[1]] / 2;
    *u = atan2(y, x);
    *u_rate = (x * y_rate - y * x_rate) / (x * x + y * y);
}

static int shrink(const keel_reduction *reduction, void *work, double t, const double *q, const double *v,
                  double *u, double *speed) {
    const reduced *r = reduction->model;
    const keel_system *system = reduction->system;
    double there[2][MOST_COORDINATES], u_rate;
    find_parameter(&r->u, q, v, u, &u_rate);
    *speed = u_rate;
    if (system->pull) /* w = M u' */
        system->pull(system, u, &u_rate, speed);
    expand(reduction, work, t, u, speed, there[0], there[1]);
    return agrees(r, q, there[0]) && agrees(r, v, there[1]);
}

static bool begin(ki_builder *b, const ki_mech *mech, ki_solved *x) {
    int n = mech->system.n_v;
    *b = (ki_builder){.T = KI_NONE, .V = KI_NONE, .E = KI_NONE, .graph = ki_graph_new()};
    ki_arena_init(&b->arena);
    b->shortened = true; /* kinematics have no workspace to tell them which formulas a run has got to */
    b->model = ki_model_new();
    b->inputs = (ki_inputs){.n = 1, .q = 1, .v = 2, .z = 3, .s = 3, .lambda = 3, .a = 3, .w = 4, .count = 4};
    *x = (ki_solved){.mech = mech, .b = b};
    x->l = (ki_letters){.g = b->graph, .u = b->inputs.q, .first = b->inputs.count, .count = 2 * n};
    x->l.most = 2 * n + LETTERS_OF_BODY * mech->body_count;
    x->l.letter = KI_SCRATCH(b, ki_letter, x->l.most);
    x->q = KI_SCRATCH(b, ki_node, n);
    x->q_u = KI_SCRATCH(b, ki_node, n);
    x->turn = KI_SCRATCH(b, ki_turn, n);
    return b->model && !ki_out_of_memory(b);
}

/* ---- applied forces */

static ki_node unit_speed(void *user, int id) {
    const ki_solved *x = user;
    int v = id - x->l.first - x->mech->system.n_v;
    return v >= 0 && v < x->mech->system.n_v ? x->q_u[v] : ki_symbol(x->l.g, id);
}

static vec at_unit_speed(ki_solved *x, vec y) {
    for (int i = 0; i < 3; i++)
        y.x[i] = ki_substitute(x->l.g, y.x[i], unit_speed, x);
    return y;
}

static bool writer_new(ki_solved *x, ki_writer *w) {
    const keel_system *s = &x->mech->system;
    ki_builder *b = x->b;
    *w = (ki_writer){.mech = x->mech, .g = x->l.g, .arena = &b->arena};
    w->q = x->l.first;
    w->v = w->q + s->n_v;
    w->body = KI_SCRATCH(b, ki_moving, x->mech->body_count);
    w->column = KI_SCRATCH(b, ki_column, s->n_v);
    w->force = KI_SCRATCH(b, vec, x->mech->body_count);
    w->torque = KI_SCRATCH(b, vec, x->mech->body_count);
    w->Q = KI_SCRATCH(b, ki_node, s->n_v);
    w->turn = x->turn;
    return !ki_out_of_memory(b);
}

/* Q of the forces, their potential and power; q and v are letters. False: some force is not written. */
static bool apply_forces(ki_solved *x, ki_node *Q, ki_node *potential, ki_node *power) {
    ki_graph *g = x->l.g;
    ki_writer w;
    *Q = *potential = *power = number(g, 0);
    if (!x->mech->force_count && !x->mech->layout->rubbing_count)
        return true;
    if (!writer_new(x, &w) || !ki_symbolic_bodies(&w) || !ki_symbolic_forces(&w))
        return false;
    for (int j = 0; j < x->mech->system.n_v; j++)
        *Q = plus(g, *Q, times(g, x->q_u[j], w.Q[j]));
    for (int k = 1; k < x->mech->body_count; k++) {
        ki_node turning = dot(g, at_unit_speed(x, w.body[k].omega), w.torque[k]);
        *Q = plus(g, *Q, plus(g, turning, dot(g, at_unit_speed(x, w.body[k].v), w.force[k])));
    }
    *potential = w.potential;
    *power = w.power;
    return true;
}

/* ---- the system */

/* The velocity of the system: u', or w. */
static ki_node speed_of(ki_solved *x) {
    return ki_symbol(x->l.g, x->b->inputs.v);
}

/* sqrt(m) */
static ki_node natural_mass(ki_solved *x) {
    return ki_unary(x->l.g, KI_SQRT, ki_plain(&x->l, x->m));
}

/* q and v get their letters, the first 2 n. */
static void set_pose(ki_solved *x, bool natural, ki_node *pose) {
    int n = x->mech->system.n_v;
    ki_node u_rate = speed_of(x);
    if (natural)
        u_rate = ki_binary(x->l.g, KI_DIV, u_rate, natural_mass(x));
    for (int i = 0; i < n; i++) {
        pose[i] = ki_plain(&x->l, x->q[i]);
        pose[n + i] = ki_plain(&x->l, times(x->l.g, x->q_u[i], u_rate));
        x->l.letter[i].plain = pose[i];
        x->l.letter[n + i].plain = pose[n + i];
    }
}

/* M, Q, kinetic energy in u and u'. */
static void write_motion(ki_solved *x, ki_node force, ki_node term[3]) {
    ki_graph *g = x->l.g;
    ki_node half_square = times(g, number(g, 0.5), times(g, speed_of(x), speed_of(x)));
    term[0] = ki_plain(&x->l, x->m);
    term[1] = ki_plain(&x->l, minus(g, force, times(g, ki_by_u(&x->l, x->m), half_square)));
    term[2] = times(g, term[0], half_square);
}

/* ... in u and w */
static void write_natural_motion(ki_solved *x, ki_node force, ki_node term[3]) {
    ki_graph *g = x->l.g;
    term[0] = natural_mass(x);
    term[1] = ki_plain(&x->l, force);
    term[2] = times(g, number(g, 0.5), times(g, speed_of(x), speed_of(x)));
}

/* d(M a - Q) by a displacement of u and by the speed; a displacement d of a natural system moves u by d/M. */
static void set_tangent(ki_solved *x, bool natural, ki_node M, ki_node Q) {
    ki_builder *b = x->b;
    ki_node residual = minus(x->l.g, times(x->l.g, M, ki_symbol(x->l.g, b->inputs.a)), Q);
    ki_rows_of_gradients(b, &residual, 1, 2, &b->tangent);
    for (int k = 0; natural && k < b->tangent.count; k++)
        if (b->tangent.index[k] == 0)
            b->tangent.node[k] = ki_binary(x->l.g, KI_DIV, b->tangent.node[k], M);
    ki_set_section(b, KI_SECTION_TANGENT, b->tangent.node, b->tangent.count);
}

static void set_sections(ki_solved *x, bool natural, ki_node applied_force, ki_node potential,
                         ki_node power) {
    ki_graph *g = x->l.g;
    ki_builder *b = x->b;
    ki_node *term = KI_SCRATCH(b, ki_node, 4), force = minus(g, applied_force, ki_by_u(&x->l, x->V));
    if (!term)
        return;
    if (natural)
        write_natural_motion(x, force, term);
    else
        write_motion(x, force, term);
    term[2] = plus(g, term[2], ki_plain(&x->l, plus(g, x->V, potential)));
    term[3] = ki_plain(&x->l, power);
    ki_rows_init(b, &b->M, 1, 1);
    ki_rows_add(b, &b->M, 0, term[0]);
    ki_rows_end(&b->M, 0);
    ki_set_section(b, KI_SECTION_M, b->M.node, b->M.count);
    ki_set_section(b, KI_SECTION_Q, &term[1], 1);
    ki_set_section(b, KI_SECTION_ENERGY, &term[2], 1);
    ki_set_section(b, KI_SECTION_POWER, &term[3], 1);
    set_tangent(x, natural, term[0], term[1]);
}

/* u is named after its coordinate, or its own; all that it is read from are angles. */
static void name_system(const ki_mech *mech, const ki_parameter *u, bool natural, keel_system *s) {
    static const char *const OWN[] = {"turn"}, *const OWN_RATE[] = {"turn'"}, *const NATURAL[] = {"speed"};
    int q = u->q[0];
    if (mech->system.names.q)
        s->names.q = u->polar ? OWN : mech->system.names.q + q;
    if (mech->system.names.v)
        s->names.v = natural ? NATURAL : u->polar ? OWN_RATE : mech->system.names.v + q;
    s->units = mech->system.units;
    s->units.q = mech->system.units.q ? mech->system.units.q + q : NULL;
    s->units.v = mech->system.units.v && !natural ? mech->system.units.v + q : NULL;
    s->units.z = s->units.s = s->units.constraint = s->units.multiplier = s->units.output = NULL;
}

/* too_long: it cannot be natural */
static reduced *finish(ki_solved *x, bool natural, bool *too_long) {
    ki_builder *b = x->b;
    const ki_mech *mech = x->mech;
    keel_system *s = &b->model->system;
    reduced *r = KI_NEW(&b->model->arena, reduced, 1);
    if (!r)
        return NULL;
    *s = keel_system_default();
    s->n_q = s->n_v = 1;
    s->M = ki_pattern_of(b, &b->M);
    s->tangent = ki_pattern_of(b, &b->tangent);
    s->has_energy = 1;
    name_system(mech, &x->u, natural, s);
    b->model->inputs = b->inputs;
    ki_model_connect(b->model);
    *too_long = natural && !ki_make_natural(b->model);
    if (*too_long)
        return NULL;
    *r = (reduced){.n = mech->system.n_v, .u = x->u, .size = mech->system.q_size, .model = b->model};
    r->reduction =
        (keel_reduction){.system = s, .model = r, .reason = x->reason, .shrink = shrink, .expand = expand};
    return r;
}

static bool write_all(ki_solved *x, bool natural) {
    ki_builder *b = x->b;
    int n = x->mech->system.n_v;
    ki_node *pose = KI_SCRATCH(b, ki_node, 2 * n), Q, potential, power;
    if (!pose)
        return false;
    set_pose(x, natural, pose);
    if (!apply_forces(x, &Q, &potential, &power))
        return false;
    set_sections(x, natural, Q, potential, power);
    ki_set_section(b, KI_SECTION_INVARIANT, pose, 2 * n);
    return !ki_out_of_memory(b) && ki_build_programs(b);
}

/* With one of the bodies as crank; 0: as a ring. */
static keel_status reduce_in(const ki_mech *mech, int crank, bool natural, const keel_reduction **reduction,
                             bool *too_long) {
    ki_builder b;
    ki_solved x;
    *too_long = false;
    if (begin(&b, mech, &x) && (crank ? ki_solve_rods(&x, crank) : ki_solve_ring(&x)) &&
        write_all(&x, natural)) {
        reduced *r = finish(&x, natural, too_long);
        if (r && ki_builder_status(&b) == KEEL_OK) {
            *reduction = &r->reduction;
            ki_builder_release(&b);
        }
    }
    keel_status status = ki_builder_status(&b);
    ki_builder_free(&b);
    return status;
}

static bool is_simple(const ki_mech *mech) {
    const keel_system *s = &mech->system;
    return s->n_q == s->n_v && s->n_h > 0 && !s->n_n && !s->Q_lambda.rows && !mech->motion_count &&
           !mech->start_count && s->n_v <= MOST_COORDINATES && s->q_size;
}

static keel_status reduce_for(const ki_mech *mech, int crank, const keel_reduction **reduction) {
    bool weights_only = !mech->force_count && !mech->layout->rubbing_count, too_long;
    keel_status status = reduce_in(mech, crank, weights_only, reduction, &too_long);
    return too_long ? reduce_in(mech, crank, false, reduction, &too_long) : status;
}

keel_status ki_reduce(const ki_mech *mech, const keel_reduction **reduction) {
    keel_status status = KEEL_OK;
    *reduction = NULL;
    if (!is_simple(mech))
        return KEEL_OK;
    int least = mech->system.n_h == mech->system.n_v - 1; /* of a ring one condition is too many */
    int most = least ? mech->body_count - 1 : 0;
    for (int crank = least; crank <= most && status == KEEL_OK && !*reduction; crank++)
        status = reduce_for(mech, crank, reduction);
    return status;
}

void ki_reduction_free(const keel_reduction *reduction) {
    if (reduction)
        ki_model_free(((const reduced *)reduction->model)->model);
}
