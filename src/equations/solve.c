#include "equations/solve.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* A factor c that is smaller than that, by the largest derivative of its constraint, tells nothing.
 * Derivatives by lengths and angles compare as c / sqrt(M_xx), which has the same unit for all coordinates x.
 */
static const double LEAST_FACTOR = 1e-6;

typedef struct solver {
    ki_builder *b;
    ki_graph *g;
    ki_solutions *s;
    int rows;
    ki_node *row;   /* [rows] what is left of the constraints, KI_NONE: solved */
    double *start;  /* [inputs.count + 1] */
    double *weight; /* [n] 1 / sqrt(M_xx) at the start */
} solver;

ki_node ki_put_solutions(ki_builder *b, const ki_solutions *s, ki_node f) {
    for (int k = 0; k < s->count; k++)
        f = ki_substitute_angle(b->graph, f, b->inputs.q + s->at[k].x, &s->at[k].angle);
    return f;
}

static ki_node number(solver *v, double value) {
    return ki_number(v->g, value);
}

static ki_node times(solver *v, ki_node a, ki_node b) {
    return ki_binary(v->g, KI_MUL, a, b);
}

static double at_start(solver *v, ki_node f) {
    return ki_evaluate(v->g, f, v->start);
}

/* ---- the derivatives of one constraint */

typedef struct slopes {
    solver *v;
    int best; /* coordinate with the largest number as derivative, -1: none */
    double factor, best_size, largest;
} slopes;

static void look_at_slope(void *user, int id, ki_node derivative) {
    slopes *s = user;
    const ki_inputs *at = &s->v->b->inputs;
    double value;
    if (id < at->q || id >= at->v)
        return;
    bool constant = ki_is_number(s->v->g, derivative, &value);
    if (!constant)
        value = at_start(s->v, derivative);
    double size = fabs(value) * s->v->weight[id - at->q];
    s->largest = fmax(s->largest, size);
    if (constant && isfinite(size) && size > s->best_size) {
        s->best = id - at->q;
        s->best_size = size;
        s->factor = value;
    }
}

/* ---- solutions */

/* Row c is solved: its solution goes into the others. */
static void add_solution(solver *v, int c, const ki_solution *solution) {
    int id = v->b->inputs.q + solution->x;
    v->s->at[v->s->count++] = *solution;
    v->s->solved[solution->x] = true;
    v->row[c] = KI_NONE;
    for (int i = 0; i < v->rows; i++)
        if (v->row[i] != KI_NONE)
            v->row[i] = ki_substitute_angle(v->g, v->row[i], id, &solution->angle);
}

/* (a) */
static bool solve_linear(solver *v, int c) {
    slopes s = {.v = v, .best = -1};
    double factor;
    ki_node f;
    ki_gradient(v->g, v->row[c], look_at_slope, &s);
    if (s.best < 0 || !(s.best_size > LEAST_FACTOR * s.largest) ||
        !ki_split_linear(v->g, v->row[c], v->b->inputs.q + s.best, &factor, &f))
        return false;
    ki_solution solution = {.x = s.best, .angle = {times(v, number(v, -1 / factor), f), KI_NONE, KI_NONE}};
    add_solution(v, c, &solution);
    return true;
}

/* The angle c x + b on the branch of the start, with its sine and cosine. */
static ki_angle arc_of(solver *v, ki_op op, ki_node w, double now) {
    ki_graph *g = v->g;
    double j = op == KI_SIN ? round(now / PI) : floor(now / PI);
    ki_node sign = number(v, fmod(j, 2) == 0 ? 1 : -1), one = number(v, 1);
    ki_node root = times(v, sign, ki_unary(g, KI_SQRT, ki_binary(g, KI_SUB, one, times(v, w, w))));
    ki_node arc =
        op == KI_SIN ? times(v, sign, ki_unary(g, KI_ASIN, w)) : ki_unary(g, KI_ACOS, times(v, sign, w));
    ki_node x = ki_binary(g, KI_ADD, number(v, j * PI), arc);
    return op == KI_SIN ? (ki_angle){x, w, root} : (ki_angle){x, root, w};
}

/* x = (arc - b) / c, c = 1 or -1: its sine and cosine; otherwise they are not needed often enough. */
static ki_angle angle_of(solver *v, const ki_sine_form *form, const ki_angle *arc) {
    ki_graph *g = v->g;
    ki_node c = number(v, form->slope);
    ki_angle x = {ki_binary(g, KI_DIV, ki_binary(g, KI_SUB, arc->x, form->shift), c), KI_NONE, KI_NONE};
    if (fabs(form->slope) != 1)
        return x;
    ki_node sine = ki_unary(g, KI_SIN, form->shift), cosine = ki_unary(g, KI_COS, form->shift);
    x.sine = times(v, c, ki_binary(g, KI_SUB, times(v, arc->sine, cosine), times(v, arc->cosine, sine)));
    x.cosine = ki_binary(g, KI_ADD, times(v, arc->cosine, cosine), times(v, arc->sine, sine));
    return x;
}

/* (b) for the coordinate with the largest |A| */
typedef struct arc_form {
    int x;
    ki_sine_form form;
    ki_node w;
    double factor; /* |A| at the start */
} arc_form;

static bool find_arc(solver *v, int c, arc_form *best) {
    const ki_inputs *at = &v->b->inputs;
    *best = (arc_form){.x = -1};
    for (int x = 0; x < at->n; x++) {
        arc_form a = {.x = x};
        if (v->s->solved[x] || !ki_split_sine(v->g, v->row[c], at->q + x, at->count, &a.form))
            continue;
        a.w = ki_unary(v->g, KI_NEG, ki_binary(v->g, KI_DIV, a.form.rest, a.form.factor));
        a.factor = fabs(at_start(v, a.form.factor));
        double w = at_start(v, a.w);
        if (1 - w * w > KI_ROOM_AT_START && a.factor > best->factor)
            *best = a;
    }
    return best->x >= 0;
}

static void add_room(solver *v, const arc_form *a) {
    ki_solutions *s = v->s;
    s->room[s->rooms++] = ki_binary(v->g, KI_SUB, number(v, 1), times(v, a->w, a->w));
    if (ki_is_number(v->g, a->form.factor, NULL))
        return;
    ki_node relative = times(v, number(v, 1 / a->factor), a->form.factor);
    s->room[s->rooms++] = times(v, relative, relative);
}

static bool solve_arc(solver *v, int c) {
    arc_form a;
    if (!find_arc(v, c, &a))
        return false;
    double now = a.form.slope * v->start[v->b->inputs.q + a.x] + at_start(v, a.form.shift);
    ki_angle arc = arc_of(v, a.form.op, a.w, now);
    ki_solution solution = {.x = a.x, .is_arc = true, .angle = angle_of(v, &a.form, &arc)};
    add_room(v, &a);
    add_solution(v, c, &solution);
    return true;
}

/* All 1 where some coordinate has no mass of its own. */
static void find_weights(solver *v) {
    const ki_rows *M = &v->b->M;
    int n = v->b->inputs.n;
    bool known = M->rows == n;
    for (int i = 0; known && i < n; i++) {
        double mass = 0;
        for (int k = M->start[i]; k < M->start[i + 1]; k++)
            if (M->index[k] == i)
                mass = at_start(v, M->node[k]);
        v->weight[i] = 1 / sqrt(mass);
        known = mass > 0 && isfinite(v->weight[i]);
    }
    for (int i = 0; !known && i < n; i++)
        v->weight[i] = 1;
}

static bool begin(solver *v) {
    ki_builder *b = v->b;
    const ki_inputs *at = &b->inputs;
    v->rows = b->of[KEEL_EQ_HOLONOMIC].count;
    v->row = KI_SCRATCH(b, ki_node, v->rows);
    v->start = KI_SCRATCH(b, double, at->count + 1);
    v->weight = KI_SCRATCH(b, double, at->n);
    v->s->at = KI_SCRATCH(b, ki_solution, v->rows);
    v->s->solved = KI_SCRATCH(b, bool, at->n);
    v->s->room = KI_SCRATCH(b, ki_node, 2 * v->rows);
    if (ki_out_of_memory(b))
        return false;
    for (int c = 0; c < v->rows; c++)
        v->row[c] = b->of[KEEL_EQ_HOLONOMIC].at[c]->node;
    v->start[0] = b->start->t;
    memcpy(v->start + at->q, b->start->q, (size_t)at->n * sizeof *v->start);
    find_weights(v);
    return true;
}

/* One more row by one of the two forms. A row that the others have made zero says nothing of its own. */
static bool solve_one(solver *v, bool (*solve)(solver *v, int c)) {
    for (int c = 0; c < v->rows; c++) {
        if (v->row[c] != KI_NONE && ki_is_zero(v->g, v->row[c]))
            v->row[c] = KI_NONE;
        if (v->row[c] != KI_NONE && solve(v, c))
            return true;
    }
    return false;
}

static bool is_done(const solver *v) {
    for (int c = 0; c < v->rows; c++)
        if (v->row[c] != KI_NONE)
            return false;
    return true;
}

bool ki_solve_constraints(ki_builder *b, ki_solutions *s) {
    *s = (ki_solutions){0};
    solver v = {.b = b, .g = b->graph, .s = s};
    if (!begin(&v))
        return false;
    while (solve_one(&v, solve_linear) || solve_one(&v, solve_arc))
        ;
    for (int k = 0; k < s->rooms; k++)
        s->room[k] = ki_put_solutions(b, s, s->room[k]);
    return is_done(&v) && !ki_out_of_memory(b);
}
