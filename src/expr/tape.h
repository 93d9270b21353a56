/* tape.h - the inside of a tape, for the files tape*.c.
 *
 * A tape works on one array of doubles, [inputs | constants | outputs | temporaries], of the inputs only
 * those that are needed. Its program is a list of 32-bit words: runs of equal instructions, each run
 *
 *     code, number of instructions, and for each of them: the place of its result, the places of its operands
 */
#ifndef KI_TAPE_H
#define KI_TAPE_H

#include <stdint.h>

#include "expr/graph.h"

/* Every code with its number of operands; r is the result, a b c d e are the operands. Products are rounded
 * before they are added: there is no fused multiply-add. */
#define KI_CODES(X)                                                                                          \
    X(END, 0)                                                                                                \
    X(COPY, 1)                                                                                               \
    X(NEG, 1)                                                                                                \
    X(SIN, 1)                                                                                                \
    X(COS, 1)                                                                                                \
    X(TAN, 1)                                                                                                \
    X(ASIN, 1)                                                                                               \
    X(ACOS, 1)                                                                                               \
    X(ATAN, 1)                                                                                               \
    X(SINH, 1)                                                                                               \
    X(COSH, 1)                                                                                               \
    X(TANH, 1)                                                                                               \
    X(SQRT, 1)                                                                                               \
    X(EXP, 1)                                                                                                \
    X(LOG, 1)                                                                                                \
    X(ABS, 1)                                                                                                \
    X(SIGN, 1)                                                                                               \
    X(NOT, 1)                                                                                                \
    X(ADD, 2)                                                                                                \
    X(SUB, 2)                                                                                                \
    X(MUL, 2)                                                                                                \
    X(DIV, 2)                                                                                                \
    X(POW, 2)                                                                                                \
    X(ATAN2, 2)                                                                                              \
    X(MIN, 2)                                                                                                \
    X(MAX, 2)                                                                                                \
    X(HYPOT, 2)                                                                                              \
    X(LT, 2)                                                                                                 \
    X(LE, 2)                                                                                                 \
    X(EQ, 2)                                                                                                 \
    X(AND, 2)                                                                                                \
    X(OR, 2)                                                                                                 \
    X(IF, 3)         /* r = b if a is not zero, else c */                                                    \
    X(NEGMUL, 2)     /* r = -(a b) */                                                                        \
    X(MUL3, 3)       /* r = a b c */                                                                         \
    X(MULADD, 3)     /* r = a b + c */                                                                       \
    X(MULSUB, 3)     /* r = a b - c */                                                                       \
    X(SUBMUL, 3)     /* r = c - a b */                                                                       \
    X(MULADD2, 4)    /* r = a b + c d */                                                                     \
    X(MULSUB2, 4)    /* r = a b - c d */                                                                     \
    X(MULADD2ADD, 5) /* r = a b + c d + e */                                                                 \
    X(SINCOS, 1)     /* two results: sin a, cos a */                                                         \
    X(SUM, 0)        /* the numbers of terms of each kind (KI_TERM_KINDS of them) stand before the operands */

typedef enum ki_code {
#define X(name, operands) KI_CODE_##name,
    KI_CODES(X)
#undef X
        KI_CODE_COUNT
} ki_code;

/* The terms of KI_CODE_SUM, in this order: a b, -a b, a, -a */
enum { KI_PLUS_PRODUCTS, KI_MINUS_PRODUCTS, KI_PLUS, KI_MINUS, KI_TERM_KINDS };

/* ... and the sums that are added up side by side, see tape_run.c. */
enum { KI_LANES = 4 };

struct ki_tape {
    uint32_t *words;
    int word_count;
    int *inputs;      /* [input_count] which of the inputs stand at the places 0 .. */
    double *prepared; /* [constant_count + output_count] first values of the places that follow */
    int input_count, constant_count, output_count, temporary_count;
    long instructions;
};

/* An instruction before its operands have places: they are values of the program. */
typedef struct ki_instruction {
    ki_code code;
    int result, second;       /* `second`: the cosine of KI_CODE_SINCOS, else KI_NONE */
    int first, count;         /* operands[first .. first + count - 1] of the program */
    int terms[KI_TERM_KINDS]; /* of KI_CODE_SUM */
} ki_instruction;

/* The values of a program are the nodes of the cone, in its order, and further ones added by
 * ki_program_add_value. */
typedef struct ki_program {
    ki_graph *graph;
    ki_cone cone;
    const int *outputs; /* [output_count] values */
    int output_count;
    ki_instruction *list;
    int count, capacity;
    int *operands;
    int operand_count, operand_capacity;
} ki_program;

/* A term of a sum: sign x, or sign x y. */
typedef struct ki_term {
    int sign, x, y; /* values; y: KI_NONE if there is no second factor */
} ki_term;

/* Adds a value: a number, or (node is KI_NONE) the result of an instruction. KI_NONE when out of memory. */
int ki_program_add_value(ki_program *program, ki_node node);

/* Adds an instruction with its operands. This and all that follows: false when out of memory. */
bool ki_program_emit(ki_program *program, ki_code code, int result, int count, const int *operands);

/* Adds instructions for result = sum of the terms. */
bool ki_program_emit_sum(ki_program *program, int result, ki_term *terms, int count);

/* The steps of making a tape. Rewrites nodes into what instructions compute: powers into products, signs into
 * numbers. */
bool ki_tape_lower(ki_graph *graph, const ki_node *outputs, int count, ki_node *lowered);

/* Chooses instructions for the cone of the program, in an order of evaluation. */
bool ki_tape_select(ki_program *program);

/* Puts instructions of the same kind next to each other. */
bool ki_tape_order(ki_program *program);

/* Gives all values their places and writes the words of the tape. */
bool ki_tape_encode(const ki_program *program, ki_tape *tape);

#endif
