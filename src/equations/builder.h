/* builder.h - what is known while a description is compiled.
 *
 * Compiling is a list of parts (compile.c), each of which reads what the ones before it left in the builder:
 *
 *     expand.c          repeat blocks -> items: one per entry and pass, names with their indices evaluated
 *     link.c            what each item speaks of, and whether the model has all its pieces
 *     formulas.c        every item's text -> a node of the expression graph
 *       resolve.c       formulas that use one another in any order: parameters, definitions, rates of states
 *       scope.c         what a name means in a formula, and whether it may be used there
 *     motion.c          kinetic, potential, mass, forces -> M, Q, Q_lambda
 *     auxiliary.c       auxiliary equations -> r, r_s
 *     constraints.c     holonomic, nonholonomic -> Phi, J, rate, xi
 *     coupling_build.c  derivatives of constraints through the auxiliaries they depend on
 *     energy.c          energy and power
 *     tangent.c         derivatives of the equations: tangent, rate_q
 *     invariants.c      invariants and their derivatives
 *     programs.c        nodes -> tapes, one for each set of terms that is asked for together
 *     switching.c       where formulas change over from one branch to another
 *     drawing.c         points and lines to look at
 *     system.c          sizes, patterns, names
 *     start.c           the start state, and what can be checked at it
 */
#ifndef KI_EQUATIONS_BUILDER_H
#define KI_EQUATIONS_BUILDER_H

#include "equations/description.h"
#include "equations/model.h"
#include "equations/table.h"
#include "expr/expr.h"

/* What a formula depends on, as bits. */
enum {
    KI_USES_T = 1 << 0,
    KI_USES_Q = 1 << 1,
    KI_USES_S = 1 << 2,
    KI_USES_Z = 1 << 3,
    KI_USES_V = 1 << 4,
    KI_USES_LAMBDA = 1 << 5,
    KI_USES_A = 1 << 6 /* accelerations */
};

/* Repeat variables in force, innermost first. */
typedef struct ki_binding ki_binding;
struct ki_binding {
    const char *variable;
    double value;
    const ki_binding *outer;
};

typedef enum ki_item_state { KI_ITEM_PENDING, KI_ITEM_DONE, KI_ITEM_FAILED } ki_item_state;

/* One entry in one pass of its repeat blocks. */
struct ki_item {
    const ki_entry *entry;
    const ki_binding *bindings;
    const char *name;   /* indices evaluated; NULL: none */
    const char *second; /* mass: the second coordinate of "x,y"; otherwise NULL */
    int index;          /* place in the list of its kind */

    ki_item_state state; /* of its formula */
    ki_node node;        /* its formula; for coordinates, states and auxiliaries: the start value */
    unsigned uses;       /* what the formula depends on, KI_USES_... */
    ki_node derivative;  /* definitions: total time derivative once asked for, else KI_NONE */
    unsigned derivative_uses;

    ki_item *about;       /* velocity, force, mass: the coordinate; coordinate: its start velocity or NULL;
                             rate: the state; state: its rate */
    ki_item *about_other; /* mass: the second coordinate */

    ki_item *waits_for;                    /* resolve.c: the item whose value is needed first */
    ki_item *first_waiting, *next_waiting; /* resolve.c: those that wait for this one; link of that list */
};

typedef struct ki_list {
    ki_item **at;
    int count, capacity;
} ki_list;

/* A sparse matrix of nodes, built row by row. */
typedef struct ki_rows {
    int rows, cols, count, capacity, index_capacity;
    int *start;    /* [rows + 1], in the builder's arena */
    int *index;    /* [count] */
    ki_node *node; /* [count] */
} ki_rows;

typedef struct ki_builder {
    const keel_equations *source;
    keel_diagnostics *diagnostics;
    ki_graph *graph;
    ki_arena arena;
    bool out_of_memory;
    int errors;
    bool *reported; /* [entries] an error of this entry was reported: one is enough */

    /* expand */
    bool only_parameters; /* keel_equations_value needs no more */
    ki_list of[KI_KINDS];
    ki_table quantities;  /* parameters, definitions, coordinates, states, auxiliaries */
    ki_table constraints; /* both kinds */
    ki_table auxiliary_equations, outputs, invariants, drawn;
    long passes;                /* items and passes of repeat blocks so far */
    bool too_many;              /* of them */
    bool *block_failed;         /* [blocks] the range of this block is wrong */
    bool names_complete;        /* all names are known: an unknown one is an error */
    bool incomplete;            /* some names could not be made: more errors would only be follow-ups */
    const ki_item *undecided;   /* a parameter that was needed to expand, but had no value yet, ... */
    keel_location undecided_at; /* ... and where it was needed */

    /* resolve */
    ki_item *queue_first, *queue_last; /* to be tried */

    /* formulas */
    ki_inputs inputs; /* the numbered inputs */
    ki_node T, V, E;  /* energies once asked for, else KI_NONE; Newton form: T = v^T M v / 2 */

    /* motion */
    ki_node T_t, V_t;   /* partial derivatives with respect to t */
    ki_node *p;         /* [n] dT/dv; Newton form: NULL */
    ki_node *T_q, *V_q; /* [n] */
    ki_node *Q_user;    /* [n] sums of the force entries */
    ki_rows M, Q_lambda;

    /* auxiliary */
    ki_rows r_q, r_s;
    int *equation_of; /* [n_s] the equation that determines each auxiliary, -1: none */

    /* constraints */
    ki_rows J;
    ki_rows Phi_s;     /* n_h x n_s */
    bool *s_used;      /* [n_s] constraints depend on this auxiliary, directly or through other auxiliaries */
    int *component_of; /* [n_s] its component of the coupling, -1: not used */

    /* derivatives with respect to y = (q, v, z), which are neighbours among the inputs */
    ki_rows tangent, rate_q, invariant_y;

    /* what fills each section of keel_terms */
    const ki_node *section[KI_SECTIONS]; /* [model->count[section]] */

    ki_model *model;
    keel_state *start;
} ki_builder;

/* The parts. Each returns false when compiling cannot go on: errors were reported, or memory ran out. */
bool ki_expand(ki_builder *b);
bool ki_link_names(ki_builder *b);
bool ki_read_formulas(ki_builder *b);
bool ki_build_auxiliary(ki_builder *b);
bool ki_build_motion(ki_builder *b);
bool ki_build_constraints(ki_builder *b);
bool ki_build_energy(ki_builder *b);
bool ki_build_tangent(ki_builder *b);
bool ki_build_invariants(ki_builder *b);
bool ki_build_system(ki_builder *b);
bool ki_build_programs(ki_builder *b);
bool ki_build_switches(ki_builder *b);
bool ki_build_drawing(ki_builder *b);
bool ki_check_start(ki_builder *b);

/* builder.c: life, errors, memory */
bool ki_builder_init(ki_builder *b, const keel_equations *source, keel_diagnostics *diagnostics);
void ki_builder_free(ki_builder *b);
bool ki_out_of_memory(const ki_builder *b);
ki_model *ki_builder_release(ki_builder *b); /* the model, which is the caller's from now on */
bool ki_builder_ok(const ki_builder *b);     /* no error and no failed allocation so far */
keel_status ki_builder_status(const ki_builder *b);

/* Reports an error of an entry (NULL: of none); only the first of each entry is shown. */
void ki_report(ki_builder *b, const ki_entry *entry, keel_location where, const char *format, ...)
    KEEL_PRINTF(4, 5);
/* Where the diagnostics of a formula go: nowhere once the entry had an error. */
keel_diagnostics *ki_diagnostics_for(ki_builder *b, const ki_entry *entry);
void ki_count_error(ki_builder *b, const ki_entry *entry);

bool ki_list_add(ki_builder *b, ki_list *list, ki_item *item);

/* Zeroed arrays in the builder's arena; NULL when out of memory, which ki_out_of_memory remembers. */
#define KI_SCRATCH(b, type, count) ((type *)ki_scratch((b), (size_t)(count), sizeof(type)))
void *ki_scratch(ki_builder *b, size_t count, size_t size);

/* Sparse rows: init, then for each row in order its entries by increasing column and ki_rows_end. */
void ki_rows_init(ki_builder *b, ki_rows *rows, int row_count, int cols);
void ki_rows_add(ki_builder *b, ki_rows *rows, int column, ki_node node);
void ki_rows_end(ki_rows *rows, int row);
void ki_rows_free(ki_rows *rows);
keel_pattern ki_pattern_of(ki_builder *b, const ki_rows *rows); /* in the model's arena */

/* Sum of nodes, added pairwise: depth grows with the logarithm of their number. Overwrites the array. */
ki_node ki_sum(ki_graph *graph, ki_node *nodes, int count);

/* The symbols a node depends on, as KI_USES_... bits. */
unsigned ki_uses_of(ki_builder *b, ki_node node);

/* What fills a section of keel_terms; the array must live as long as the builder. */
void ki_set_section(ki_builder *b, ki_section section, const ki_node *nodes, int count);

/* formulas.c: the number a start value, a range or a setting evaluates to. */
double ki_value_of(ki_builder *b, ki_node node);

/* energy.c: T, V, and E = T + V, or E = p^T v - T + V where T has terms linear in v or free of v.
 * KI_NONE if a formula they are made of has an error, or when out of memory. */
ki_node ki_kinetic_energy(ki_builder *b);
ki_node ki_potential_energy(ki_builder *b);
ki_node ki_energy(ki_builder *b);

/* energy.c: x^T M x / 2 with M as given by the mass entries, x_i being input number x + i. */
ki_node ki_quadratic_form(ki_builder *b, int x);

/* tangent.c: derivatives of nodes with respect to the first `cols` of y = (q, v, z), row by row. False if
 * some node depends on an auxiliary: the rows are then not complete. */
bool ki_rows_of_gradients(ki_builder *b, const ki_node *nodes, int count, int cols, ki_rows *rows);

/* motion.c: time derivative with q' = v, t' = 1, s' = w and all else held; user is the builder. */
ki_node ki_rate_along_motion(void *user, int id);

#endif
