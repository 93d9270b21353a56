/* expr.h - formulas: parse, simplify, differentiate exactly, evaluate fast.
 *
 * A graph holds expressions as nodes; equal subexpressions are one node (hash consing), constants are folded
 * and the trivial identities applied as nodes are made. Derivatives are again nodes of the graph. A tape is a
 * straight-line program that computes a set of nodes from an input vector, every shared subexpression once,
 * without allocation.
 *
 *     ki_graph *g = ki_graph_new();
 *     ki_node x = ki_symbol(g, 0), f = ki_unary(g, KI_SIN, ki_binary(g, KI_MUL, x, x));
 *     ki_node df = ki_total(g, f, ...);
 *     ki_tape *tape = ki_tape_new(g, &df, 1, 1);
 *
 * Symbols are numbered inputs 0 .. n_inputs-1; what they mean (t, q_i, v_i, ...) is known to the caller only.
 */
#ifndef KI_EXPR_H
#define KI_EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "keel/diagnostics.h"

typedef int ki_node; /* a node of a graph; KI_NONE: no node (out of memory, or an error already reported) */
enum { KI_NONE = -1 };

typedef enum ki_op {
    KI_NUMBER,
    KI_SYMBOL,
    /* one argument */
    KI_NEG,
    KI_SIN,
    KI_COS,
    KI_TAN,
    KI_ASIN,
    KI_ACOS,
    KI_ATAN,
    KI_SINH,
    KI_COSH,
    KI_TANH,
    KI_SQRT,
    KI_EXP,
    KI_LOG,
    KI_ABS,
    KI_SIGN,
    KI_NOT,
    /* two arguments */
    KI_ADD,
    KI_SUB,
    KI_MUL,
    KI_DIV,
    KI_POW,
    KI_ATAN2,
    KI_MIN,
    KI_MAX,
    KI_HYPOT,
    KI_LT,
    KI_LE,
    KI_EQ,
    KI_AND,
    KI_OR, /* 1 or 0; a > b is b < a, a != b is not (a = b) */
    /* three arguments */
    KI_IF /* if(c, a, b): a where c is not zero, else b; only the chosen value counts, the other may be
             infinite or NaN */
} ki_op;

typedef struct ki_graph ki_graph;

ki_graph *ki_graph_new(void); /* NULL when out of memory */
void ki_graph_free(ki_graph *graph);
bool ki_graph_failed(const ki_graph *graph); /* an allocation failed somewhere: check once after building */

/* Making nodes. An argument KI_NONE gives KI_NONE. Any finite-looking simplification must be valid for all
 * finite arguments (0 * x is 0, x - x is 0, x / x stays). */
ki_node ki_number(ki_graph *graph, double value);
ki_node ki_symbol(ki_graph *graph, int id);
ki_node ki_unary(ki_graph *graph, ki_op op, ki_node a);
ki_node ki_binary(ki_graph *graph, ki_op op, ki_node a, ki_node b);
ki_node ki_if(ki_graph *graph, ki_node c, ki_node a, ki_node b);

/* Looking at nodes. */
bool ki_is_number(const ki_graph *graph, ki_node a, double *value); /* value may be NULL */
bool ki_is_zero(const ki_graph *graph, ki_node a);

/* Calls visit(user, id) once for every symbol that `a` depends on, in increasing order of id. */
void ki_symbols_of(ki_graph *graph, ki_node a, void (*visit)(void *user, int id), void *user);

/* Reverse-mode gradient of f: calls visit(user, id, df/dsymbol) once for each symbol with a derivative that
 * is not identically zero, in increasing order of id. Cost and size are a small multiple of the size of f,
 * whatever the number of symbols. Kinks: d|x| = sign(x), min/max/if follow the chosen branch, sign and
 * comparisons have derivative 0. */
bool ki_gradient(ki_graph *graph, ki_node f, void (*visit)(void *user, int id, ki_node derivative),
                 void *user);

/* Forward derivative: sum over symbols of df/dsymbol * rate(user, symbol). `rate` returns KI_NONE-free nodes;
 * a zero number for symbols held fixed. With rate(q_i) = v_i, rate(t) = 1 this is the total time derivative.
 */
ki_node ki_total(ki_graph *graph, ki_node f, ki_node (*rate)(void *user, int id), void *user);

/* f with symbols replaced: replace(user, id) gives the node to put for symbol id. */
ki_node ki_substitute(ki_graph *graph, ki_node f, ki_node (*replace)(void *user, int id), void *user);

/* f = slope x + rest, where x is symbol id, the slope is a number and the rest is free of x. False if f is
 * not of this form; f = x + sign(x) is not, whatever its derivative. */
bool ki_split_linear(ki_graph *graph, ki_node f, int id, double *slope, ki_node *rest);

/* f into another graph, which `replace` makes its nodes in. KI_NONE if that gives one. */
ki_node ki_copy_node(ki_graph *from, ki_node f, ki_node (*replace)(void *user, int id), void *user,
                     ki_graph *to);

/* Fewer operations for the same functions. Nodes that are equal by the rules of sums, products, sines and
 * cosines become one, whatever they look like (sin^2 + cos^2 is 1), computed in few operations for all nodes
 * that are asked for together; the symbols first .. first + symbols - 1 disappear where nothing depends on
 * them. To be told first: all nodes that will be asked for. NULL when out of memory. Results change by
 * round-off. */
typedef struct ki_shortener ki_shortener;

/* More nodes than that stay as they are: they are not what steps of small systems wait for. */
enum { KI_MOST_SHORTENED = 3000 };

ki_shortener *ki_shortener_new(ki_graph *graph, const ki_node *nodes, int count, int first, int symbols);
void ki_shortener_free(ki_shortener *shortener);

/* Replaces nodes, at most as many as were given. False when out of memory. */
bool ki_shorten(ki_shortener *shortener, ki_node *nodes, int count);

/* ---- parsing
 * -------------------------------------------------------------------------------------------------- */

/* What a name means is up to the scope. `name` is a full name: letters, digits, '_', '.', with evaluated
 * indices as in "x[3]" or "bar[3].angle"; primes is the number of ' after it. A name that is unknown: report
 * it at `where` and return KI_NONE. */
typedef struct ki_scope {
    void *user;
    ki_node (*lookup)(void *user, const char *name, int primes, keel_location where,
                      keel_diagnostics *diagnostics);
} ki_scope;

/* Parses a formula. docs/expressions.md is the grammar. `where` is the place of text[0]; messages carry the
 * line and column of the offending token, counted through line breaks in `text` (columns after a line break
 * count from 1). An index "name[expr]" must evaluate to a whole number: the parser evaluates it with the same
 * scope. `sum(i, a, b, expr)` adds expr for i = a..b. KI_NONE after an error (reported). Nesting is limited
 * (256) so that no text can overflow the stack. */
ki_node ki_parse(ki_graph *graph, const char *text, size_t length, keel_location where, const ki_scope *scope,
                 keel_diagnostics *diagnostics);

/* Expands indices in a name outside a formula, "x[i+1]" -> "x[3]", into `buffer`. False after an error
 * (reported), also for anything that is not a valid name. */
bool ki_parse_name(ki_graph *graph, const char *text, keel_location where, const ki_scope *scope,
                   keel_diagnostics *diagnostics, char *buffer, size_t size);

/* Names the language itself uses (functions, constants, units): not available for coordinates.
 * NULL-terminated list. */
const char *const *ki_reserved_names(void);

/* ---- evaluation
 * ------------------------------------------------------------------------------------------------ */

typedef struct ki_tape ki_tape; /* immutable, shared by threads */

/* A program for `count` nodes of inputs 0 .. n_inputs-1. NULL when out of memory. Does not need the graph
 * afterwards. */
ki_tape *ki_tape_new(ki_graph *graph, const ki_node *outputs, int count, int n_inputs);
void ki_tape_free(ki_tape *tape);

size_t ki_tape_work_size(const ki_tape *tape);           /* doubles */
void ki_tape_prepare(const ki_tape *tape, double *work); /* once per work array */

/* values[k] = value of output k. */
void ki_tape_run(const ki_tape *tape, const double *inputs, double *work, double *values);

long ki_tape_length(const ki_tape *tape); /* instructions */

/* Value of one node, for a few evaluations at compile time. */
double ki_evaluate(ki_graph *graph, ki_node a, const double *inputs);

#endif
