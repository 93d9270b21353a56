/* prepare.h - shortened programs, for runs that are long enough to earn them.
 *
 * Shortening (expr.h) costs as much as some hundred thousand evaluations. A run begins with programs of the
 * formulas as they are given, and goes over to shortened ones when it has executed about as many
 * instructions as it costs to make them: so a short run pays nothing, and a long one at most twice. Each
 * workspace counts for itself (ki_work.left). When it goes over depends on the model and on what the run has
 * asked for, not on time, other runs or a compiler. Machine code is that of the shortened programs, and is
 * used by workspaces that have got there.
 *
 * The shortened programs are made once and shared; several threads may ask for them.
 */
#ifndef KI_EQUATIONS_PREPARE_H
#define KI_EQUATIONS_PREPARE_H

#include "equations/model.h"

/* What programs are made of. */
typedef struct ki_formulas {
    ki_graph *graph;
    const ki_node *section[KI_SECTIONS];
    int count[KI_SECTIONS];
    unsigned available;
    bool f_needs_lambda;
    int q, n;   /* the first coordinate among the inputs, and their number */
    int inputs; /* in all */
} ki_formulas;

/* False when out of memory. */
bool ki_make_programs(const ki_formulas *formulas, bool shortened, ki_programs *programs);
void ki_programs_clear(ki_programs *programs);

/* A copy of the formulas, whose graph is still that of the caller. NULL when out of memory. */
ki_preparation *ki_preparation_new(const ki_formulas *formulas, const ki_programs *given);
void ki_preparation_own(ki_preparation *p, ki_graph *graph);
void ki_preparation_free(ki_preparation *p);

/* NULL: they are too long to be shortened. */
const ki_formulas *ki_preparation_formulas(const ki_preparation *p);

/* Instructions after which a workspace has earned the shortened programs. */
double ki_preparation_price(const ki_model *model);

/* The shortened programs, made by the first who asks; without the memory for it, or if they are too long, the
 * given ones. */
const ki_programs *ki_shortened_programs(const ki_model *model);

/* Whether workspaces have them from their start: somebody asked for machine code. */
bool ki_begins_prepared(const ki_model *model);

#endif
