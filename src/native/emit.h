/* emit.h - C text for the programs of a model and its linear systems.
 *
 *     text := struct declarations, one function for each program that is worth it, factor, solve
 *
 * The text does the operations of the tape (src/expr/tape_run.c) and of the kernel (src/linalg/saddle_dense.c
 * or panels.c, whichever path is taken) in the same order: compiled without contraction of products and sums
 * it gives the same numbers, bit by bit.
 */
#ifndef KI_NATIVE_EMIT_H
#define KI_NATIVE_EMIT_H

#include "expr/expr.h"
#include "keel/saddle.h"
#include "native/text.h"

/* How inputs and outputs of a tape are written in C. With `any` numbers are of the type REAL, and what needs
 * another form where REAL is no single number (choices, comparisons) is a macro, KI_LAW_IF and so on; outputs
 * that are not wanted are left out, the others stay what they are bit by bit. */
typedef struct ki_spelling {
    const void *user;
    void (*input)(const void *user, int number, ki_text *text);
    void (*output)(const void *user, int number, ki_text *text);
    bool any;
    bool (*wanted)(const void *user, int number); /* of an output; NULL: all are */
} ki_spelling;

/* Instructions of a tape. */
long ki_emit_length(const ki_tape *tape);

/* The statements of a tape: inputs read, outputs written at the end. False: a number of it cannot be written
 * in C, or memory ran out; what was added to the text is then of no use. */
bool ki_emit_tape(const ki_tape *tape, const ki_spelling *spelling, ki_text *text);

/* Functions keel_factor and keel_solve (saddle_code.h) for the patterns and the path of K. False when out of
 * memory, or when they would have more than `most` operations. */
bool ki_emit_saddle(const keel_saddle *K, long most, ki_text *text);

/* Dense path: the rest of a function that has M_<p>, J_<p>, Q_<i> and xi_<i>: factors and solves as the two
 * above, from `k` to `x` and `y`. False when out of memory. */
bool ki_emit_through(const keel_saddle *K, ki_text *text);

/* The same for a stage (saddle_code.h): leaves v' in u<i> and the multipliers in w<i>; the function goes on.
 */
bool ki_emit_stage(const keel_saddle *K, ki_text *text);

#endif
