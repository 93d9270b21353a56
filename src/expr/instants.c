/* instants.c - when functions of t change sign: roots isolated by interval arithmetic.
 *
 * On [a, b] a function g has no root if 0 is not among the values that interval arithmetic gives; it has at
 * most one if g is continuous and 0 is not among those of g'. Otherwise the interval is halved, the left half
 * first, until it is as short as round-off: there the signs at both ends decide.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "expr/graph.h"
#include "expr/interval.h"
#include "expr/switches.h"

/* g and g', arguments first. */
typedef struct instant_function {
    int count;
    ki_op *op;
    int (*arg)[3];
    double *value;            /* of numbers */
    int g, slope;             /* where they stand */
    bool is_linear, is_exact; /* g = slope t + rest; slope 1 or -1: its sign is never wrong */
    double root;              /* of a linear one */
} instant_function;

struct ki_instants {
    int count, longest;
    instant_function *function;
};

/* A search in one function. */
typedef struct root_search {
    const instant_function *f;
    double *value;         /* [longest] */
    ki_interval *interval; /* [longest] */
    double shortest;       /* interval that is still halved */
    long left;             /* so many more intervals are looked at */
} root_search;

enum { MOST_INTERVALS = 200000 };

static ki_node rate_of_time(void *user, int id) {
    (void)id;
    return ki_number(user, 1);
}

static bool copy_cone(const ki_graph *graph, const ki_cone *cone, instant_function *f) {
    size_t n = (size_t)cone->count;
    f->count = cone->count;
    f->op = ki_expr_resize(NULL, n, sizeof *f->op);
    f->arg = ki_expr_resize(NULL, n, sizeof *f->arg);
    f->value = ki_expr_resize(NULL, n, sizeof *f->value);
    if (!f->op || !f->arg || !f->value)
        return false;
    for (int i = 0; i < cone->count; i++) {
        f->op[i] = graph->nodes[cone->node[i]].op;
        f->value[i] = 0;
        for (int k = 0; k < 3; k++) /* the first argument where there is none: never looked at */
            f->arg[i][k] = cone->arg[i][k] == KI_NONE ? 0 : cone->arg[i][k];
        ki_is_number(graph, cone->node[i], &f->value[i]);
    }
    return true;
}

static int place_of(const ki_cone *cone, ki_node node) {
    int i = 0;
    while (cone->node[i] != node)
        i++;
    return i;
}

static bool make_function(ki_graph *graph, ki_node g, int t, instant_function *f) {
    ki_node roots[2] = {g, ki_total(graph, g, rate_of_time, graph)}, rest;
    double slope, offset;
    ki_cone cone;
    if (roots[1] == KI_NONE || !ki_cone_make(graph, roots, 2, &cone))
        return false;
    bool made = copy_cone(graph, &cone, f);
    f->g = place_of(&cone, roots[0]);
    f->slope = place_of(&cone, roots[1]);
    ki_cone_free(&cone);
    if (made && ki_split_linear(graph, g, t, &slope, &rest) && slope != 0 &&
        ki_is_number(graph, rest, &offset)) {
        f->is_linear = true;
        f->is_exact = fabs(slope) == 1;
        f->root = -offset / slope;
    }
    return made && !ki_graph_failed(graph);
}

ki_instants *ki_instants_new(ki_graph *graph, const ki_node *g, int count, int t) {
    ki_instants *instants = ki_expr_resize(NULL, 1, sizeof *instants);
    if (!instants)
        return NULL;
    *instants = (ki_instants){0};
    instants->function = ki_expr_resize(NULL, (size_t)count, sizeof *instants->function);
    for (int i = 0; instants->function && i < count; i++) {
        instant_function *f = &instants->function[instants->count++];
        *f = (instant_function){0};
        if (!make_function(graph, g[i], t, f)) {
            ki_instants_free(instants);
            return NULL;
        }
        instants->longest = f->count > instants->longest ? f->count : instants->longest;
    }
    if (!instants->function) {
        free(instants);
        return NULL;
    }
    return instants;
}

void ki_instants_free(ki_instants *instants) {
    for (int i = 0; instants && i < instants->count; i++) {
        free(instants->function[i].op);
        free(instants->function[i].arg);
        free(instants->function[i].value);
    }
    if (instants)
        free(instants->function);
    free(instants);
}

/* Values, and intervals in whole doubles. */
enum { DOUBLES_PER_INTERVAL = (sizeof(ki_interval) + sizeof(double) - 1) / sizeof(double) };

size_t ki_instants_work_size(const ki_instants *instants) {
    return (size_t)instants->longest * (1 + DOUBLES_PER_INTERVAL);
}

static int sign_at(root_search *s, double t) {
    const instant_function *f = s->f;
    double *x = s->value;
    for (int i = 0; i <= f->g; i++) {
        const int *arg = f->arg[i];
        x[i] = f->op[i] == KI_NUMBER   ? f->value[i]
               : f->op[i] == KI_SYMBOL ? t
                                       : ki_op_value(f->op[i], x[arg[0]], x[arg[1]], x[arg[2]]);
    }
    return (x[f->g] > 0) - (x[f->g] < 0);
}

static void enclose(root_search *s, double a, double b) {
    const instant_function *f = s->f;
    ki_interval *x = s->interval;
    for (int i = 0; i < f->count; i++) {
        const int *arg = f->arg[i];
        if (f->op[i] == KI_NUMBER)
            x[i] = (ki_interval){f->value[i], f->value[i], false};
        else if (f->op[i] == KI_SYMBOL)
            x[i] = (ki_interval){a, b, false};
        else
            x[i] = ki_interval_of(f->op[i], x[arg[0]], x[arg[1]], x[arg[2]]);
    }
}

static double smallest_step(double t) {
    return nextafter(fabs(t), INFINITY) - fabs(t);
}

/* The time in which round-off of g may hide its sign at t: a few units in the last place, and what interval
 * arithmetic says by the slope. */
static double hidden_time(root_search *s, double t, double least) {
    static const double MOST = 1e-9;
    if (s->f->is_exact)
        return 0;
    enclose(s, t, t);
    ki_interval g = s->interval[s->f->g], slope = s->interval[s->f->slope];
    double steep = fmax(fabs(slope.low), fabs(slope.high)), wide = g.high - g.low;
    double hidden = wide < MOST * fmax(1, fabs(t)) * steep ? wide / steep : MOST * fmax(1, fabs(t));
    return fmax(4 * least, isfinite(wide) ? hidden : 0);
}

/* Between a and b the sign changes once: neighbours of the change, moved apart by the times in which
 * round-off of g may hide it. */
static ki_instant narrow(root_search *s, double a, double b) {
    int sign_a = sign_at(s, a);
    double least = fmax(smallest_step(a), smallest_step(b));
    while (b - a > least) {
        double middle = a + 0.5 * (b - a);
        if (middle <= a || middle >= b)
            break;
        if (sign_at(s, middle) == sign_a)
            a = middle;
        else
            b = middle;
    }
    bool is_zero = sign_at(s, b) == 0;
    double margin = hidden_time(s, b, least);
    double after = is_zero ? nextafter(b, INFINITY) : b;
    return (ki_instant){a - margin, is_zero || !s->f->is_exact ? b : a, after + margin};
}

static bool find_root(root_search *s, double a, double b, ki_instant *found) {
    if (s->left-- <= 0)
        return false;
    enclose(s, a, b);
    ki_interval g = s->interval[s->f->g], slope = s->interval[s->f->slope];
    if (g.low > 0 || g.high < 0 || (g.low == 0 && g.high == 0))
        return false;
    bool once = !g.jumps && isfinite(g.low) && isfinite(g.high) && (slope.low > 0 || slope.high < 0);
    double middle = a + 0.5 * (b - a);
    if (once || b - a <= s->shortest || middle <= a || middle >= b) {
        if (sign_at(s, a) == sign_at(s, b))
            return false;
        *found = narrow(s, a, b);
        return true;
    }
    return find_root(s, a, middle, found) || find_root(s, middle, b, found);
}

/* A whole number of units in the last place, not a multiple of the root's own: the sign is asked. */
static bool find_linear(root_search *s, double a, double b, ki_instant *found) {
    double r = s->f->root, near = 8 * smallest_step(r) + DBL_MIN;
    if (!(r >= a - near && r <= b + near))
        return false;
    double low = fmax(a, r - near), high = fmin(b, r + near);
    if (!(low < high) || sign_at(s, low) == sign_at(s, high))
        return false;
    *found = narrow(s, low, high);
    return true;
}

bool ki_instants_next(const ki_instants *instants, double from, double until, double *work,
                      ki_instant *found) {
    bool any = false;
    for (int i = 0; i < instants->count && from < until; i++) {
        root_search s = {.f = &instants->function[i],
                         .value = work,
                         .interval = (ki_interval *)(work + instants->longest),
                         .shortest = 4 * fmax(smallest_step(from), smallest_step(until)),
                         .left = MOST_INTERVALS};
        ki_instant one;
        bool hit = s.f->is_linear ? find_linear(&s, from, until, &one) : find_root(&s, from, until, &one);
        if (!hit || (any && one.at >= found->at))
            continue;
        *found = one;
        any = true;
        until = one.at; /* the others only if they come before */
    }
    return any;
}
