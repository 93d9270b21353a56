#include "expr/dimension.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/graph.h"

static const ki_dimension UNKNOWN = {.known = false}, PURE = {.known = true};
static const ki_dimension ANGLE = {.known = true, .power = {[KI_RADIAN] = 1}};

/* a b^s */
static ki_dimension product(const ki_dimension *a, const ki_dimension *b, double s) {
    ki_dimension result = {.known = a->known && b->known};
    for (int k = 0; k < KI_BASES; k++)
        result.power[k] = a->power[k] + s * b->power[k];
    return result.known ? result : UNKNOWN;
}

static bool is_pure(const ki_dimension *a) {
    return a->known && a->power[KI_KILOGRAM] == 0 && a->power[KI_METRE] == 0 && a->power[KI_SECOND] == 0;
}

/* Terms of a sum: one that is not known is as the other must be. */
static ki_dimension sum(const ki_dimension *a, const ki_dimension *b) {
    if (!a->known || !b->known)
        return a->known ? *a : *b;
    for (int k = 0; k < KI_RADIAN; k++)
        if (a->power[k] != b->power[k])
            return UNKNOWN;
    return a->power[KI_RADIAN] != 0 ? *b : *a; /* v - r omega is a velocity */
}

/* 1/4, 1/3, 1/2, 1, 2, 3, 4, of either sign */
static bool is_simple(double factor) {
    double size = fabs(factor), other = size < 1 ? 1 / size : size;
    return other == 1 || other == 2 || other == 3 || other == 4;
}

/* What a node is made of, by the places in its cone. */
typedef struct view {
    ki_graph *graph;
    const ki_cone *cone;
    const ki_dimension *at;
} view;

static bool is_number(const view *v, int place, double *value) {
    return place != KI_NONE && ki_is_number(v->graph, v->cone->node[place], value);
}

static ki_dimension factor(const view *v, int place) {
    double value;
    if (!is_number(v, place, &value))
        return v->at[place];
    return is_simple(value) ? PURE : UNKNOWN;
}

static ki_dimension power(const view *v, const int arg[3]) {
    ki_dimension base = factor(v, arg[0]);
    double exponent;
    if (is_number(v, arg[1], &exponent))
        return product(&PURE, &base, exponent);
    return is_pure(&base) ? PURE : UNKNOWN;
}

static ki_dimension combine(const view *v, ki_op op, const int arg[3]) {
    const ki_dimension *a = arg[0] == KI_NONE ? &UNKNOWN : &v->at[arg[0]];
    const ki_dimension *b = arg[1] == KI_NONE ? &UNKNOWN : &v->at[arg[1]];
    ki_dimension left, right;
    switch (op) {
    case KI_NEG:
    case KI_ABS:
        return *a;
    case KI_ADD:
    case KI_SUB:
    case KI_MIN:
    case KI_MAX:
    case KI_HYPOT:
        return sum(a, b);
    case KI_IF:
        return sum(b, &v->at[arg[2]]);
    case KI_MUL:
    case KI_DIV:
        left = factor(v, arg[0]);
        right = factor(v, arg[1]);
        return product(&left, &right, op == KI_MUL ? 1 : -1);
    case KI_SQRT:
        return product(&PURE, a, 0.5);
    case KI_POW:
        return power(v, arg);
    case KI_ASIN:
    case KI_ACOS:
    case KI_ATAN:
    case KI_ATAN2:
        return ANGLE;
    default:
        return PURE; /* sines, exponentials, conditions */
    }
}

ki_dimension ki_dimension_of(ki_graph *graph, ki_node f, ki_dimension (*of)(void *user, int id), void *user) {
    ki_cone cone = {0};
    if (f == KI_NONE || !ki_cone_make(graph, &f, 1, &cone))
        return UNKNOWN;
    ki_dimension *at = calloc((size_t)cone.count, sizeof *at), result = UNKNOWN;
    view v = {graph, &cone, at};
    for (int i = 0; at && i < cone.count; i++) {
        const ki_expression *node = &graph->nodes[cone.node[i]];
        if (node->op == KI_SYMBOL)
            at[i] = of(user, node->arg[0]);
        else if (node->op != KI_NUMBER)
            at[i] = combine(&v, node->op, cone.arg[i]);
    }
    if (at)
        result = at[cone.count - 1];
    free(at);
    ki_cone_free(&cone);
    return result;
}

/* ---- text -----------------------------------------------------------------------------------------------
 */

/* Units with a name of their own; energies are called as torques are, since nothing tells them apart. */
static const char *named(const double power[KI_BASES]) {
    static const struct {
        double power[3];
        const char *name;
    } NAMED[] = {
        {{1, 1, -2}, "N"},   {{1, 2, -2}, "N m"},   {{1, 2, -3}, "W"},      {{1, 0, -2}, "N/m"},
        {{1, 1, -1}, "N s"}, {{1, 2, -1}, "N m s"}, {{1, -1, -2}, "N/m^2"},
    };
    for (size_t i = 0; i < sizeof NAMED / sizeof *NAMED; i++)
        if (memcmp(NAMED[i].power, power, sizeof NAMED[i].power) == 0)
            return NAMED[i].name;
    return NULL;
}

/* The bases with a power of the given sign, "kg m^2"; returns how many. */
static int write_bases(const double power[KI_BASES], int sign, char text[KI_DIMENSION_TEXT]) {
    static const char *const BASE[KI_BASES] = {"kg", "m", "s", "rad"};
    static const int ORDER[KI_BASES] = {KI_RADIAN, KI_KILOGRAM, KI_METRE, KI_SECOND};
    int count = 0;
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < KI_BASES; i++) {
        int k = ORDER[i];
        double p = sign * power[k];
        if (!(p > 0))
            continue;
        used += (size_t)snprintf(text + used, KI_DIMENSION_TEXT - used, "%s%s", count++ ? " " : "", BASE[k]);
        if (p != 1)
            used += (size_t)snprintf(text + used, KI_DIMENSION_TEXT - used, "^%.4g", p);
    }
    return count;
}

const char *ki_dimension_text(const ki_dimension *dimension, char text[KI_DIMENSION_TEXT]) {
    char above[KI_DIMENSION_TEXT], below[KI_DIMENSION_TEXT];
    double power[KI_BASES];
    if (!dimension->known)
        return "";
    memcpy(power, dimension->power, sizeof power);
    for (int k = 0; k < KI_BASES; k++)
        if (fabs(power[k]) > 99)
            return "";
        else
            power[k] += 0; /* no -0, which memcmp would tell from 0 */
    if (power[KI_KILOGRAM] != 0 || power[KI_METRE] != 0)
        power[KI_RADIAN] = 0;
    const char *name = named(power);
    if (name)
        return name;
    int over = write_bases(power, 1, above), under = write_bases(power, -1, below);
    if (under)
        snprintf(text, KI_DIMENSION_TEXT, under > 1 ? "%.24s/(%.24s)" : "%.24s/%.24s", over ? above : "1",
                 below);
    else
        snprintf(text, KI_DIMENSION_TEXT, "%.48s", over ? above : "1");
    return text;
}
