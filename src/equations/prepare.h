/* prepare.h - shortened programs, for runs that are long enough to earn them.
 *
 * Shortening (expr.h) costs as much as some hundred thousand evaluations. A run says before its start how
 * many evaluations it expects (keel_system.for_run): a short one uses programs of the formulas as they are
 * given, a long one the shortened ones from its first evaluation on. So what a run computes depends on the
 * model and on what it was asked for, not on time, other runs or a compiler. Machine code is that of the
 * shortened programs.
 *
 * All of it is made once and shared; several threads may ask for it.
 */
#ifndef KI_EQUATIONS_PREPARE_H
#define KI_EQUATIONS_PREPARE_H

#include "equations/model.h"

/* Evaluations that earn it. Measured: shortening costs as much as 60 to 130 thousand runs of the longest
 * tape, and machine code saves most of each. */
#define KI_EARNED 1e5

/* What programs are made of. */
typedef struct ki_formulas {
    ki_graph *graph;
    const ki_node *section[KI_SECTIONS];
    int count[KI_SECTIONS];
    unsigned available;
    bool f_needs_lambda, drivers; /* as of the system */
    int q, n;                     /* the first coordinate among the inputs, and their number */
    int inputs;                   /* in all */
} ki_formulas;

/* False when out of memory. */
bool ki_make_programs(const ki_formulas *formulas, bool shortened, ki_programs *programs);
void ki_programs_clear(ki_programs *programs);

/* A copy of the formulas, whose graph is still that of the caller. NULL when out of memory. */
ki_preparation *ki_preparation_new(const ki_formulas *formulas, const ki_programs *given);
void ki_preparation_free(ki_preparation *p);

/* Takes over the graph of the formulas, for long runs of the model; false: they are too long to be shortened,
 * and the graph is still the caller's. */
bool ki_preparation_keep(ki_preparation *p, ki_model *model, ki_graph *graph);

/* NULL: they are too long to be shortened. */
const ki_formulas *ki_preparation_formulas(const ki_preparation *p);

/* Whether long runs have other programs than short ones. */
bool ki_is_shortened_for_runs(const ki_model *model);

/* The shortened programs, made by the first who asks; without the memory for it, or if they are too long, the
 * given ones. */
const ki_programs *ki_shortened_programs(const ki_model *model);

/* keel_system.for_run of a model. */
const keel_system *ki_equations_for_run(const keel_system *system, double evaluations);

/* The system of the model whose workspaces begin with the shortened programs, made by the first who asks;
 * that of the model itself where nothing is shortened. NULL when out of memory. */
const keel_system *ki_prepared_system(ki_model *model);

#endif
