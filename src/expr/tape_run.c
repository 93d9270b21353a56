/* tape_run.c - runs a tape.
 *
 * Every kind of instruction has its own loop over a run of them, and jumps to the next run by itself where
 * the compiler can take the address of a label. */
#include <math.h>
#include <string.h>

#include "base/sine.h"
#include "expr/tape.h"

/* Term k belongs to lane k mod KI_LANES: no term waits for the one before. -0 + a is a, also if that is a
 * zero. Returns where the next instruction stands. */
static const uint32_t *run_sum(const uint32_t *at, double *w) {
    const uint32_t *terms = at + 1, *x = terms + KI_TERM_KINDS, *end;
    double lane[KI_LANES] = {-0., -0., -0., -0.};
    unsigned k = 0;
    for (end = x + 2 * (size_t)terms[KI_PLUS_PRODUCTS]; x < end; x += 2)
        lane[k++ % KI_LANES] += w[x[0]] * w[x[1]];
    for (end = x + 2 * (size_t)terms[KI_MINUS_PRODUCTS]; x < end; x += 2)
        lane[k++ % KI_LANES] -= w[x[0]] * w[x[1]];
    for (end = x + terms[KI_PLUS]; x < end; x++)
        lane[k++ % KI_LANES] += w[x[0]];
    for (end = x + terms[KI_MINUS]; x < end; x++)
        lane[k++ % KI_LANES] -= w[x[0]];
    w[at[0]] = (lane[0] + lane[1]) + (lane[2] + lane[3]);
    return x;
}

static const uint32_t *run_sine_cosine(const uint32_t *at, double *w) {
    ki_sine_cosine(w[at[2]], &w[at[0]], &w[at[1]]);
    return at + 3;
}

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* the address of a label */
#define LABEL(name, operands) &&code_##name,
/* NOLINTBEGIN(bugprone-macro-parentheses): names of labels */
#define BEGIN                                                                                                \
    static const void *const LABELS[] = {KI_CODES(LABEL)};                                                   \
    goto *LABELS[*at];
#define CASE(name) code_##name
#define NEXT       goto *LABELS[*at]
/* NOLINTEND(bugprone-macro-parentheses) */
#define FINISH
#else
#define BEGIN                                                                                                \
    for (;;)                                                                                                 \
        switch (*at) {
#define CASE(name) case KI_CODE_##name
#define NEXT       continue
#define FINISH     }
#endif

/* A run of instructions that each do `step`, which moves `at` to the next one. */
#define RUN(name, step)                                                                                      \
    CASE(name) : {                                                                                           \
        uint32_t count = at[1];                                                                              \
        at += 2;                                                                                             \
        do {                                                                                                 \
            step;                                                                                            \
        } while (--count);                                                                                   \
        NEXT;                                                                                                \
    }

#define A                       w[at[1]]
#define B                       w[at[2]]
#define C                       w[at[3]]
#define D                       w[at[4]]
#define E                       w[at[5]]
#define RESULT(operands, value) (w[at[0]] = (value), at += 1 + (operands))
#define RUN1(name, value)       RUN(name, RESULT(1, value))
#define RUN2(name, value)       RUN(name, RESULT(2, value))
#define RUN3(name, value)       RUN(name, RESULT(3, value))

/* clang-format off */
static void run(const uint32_t *at, double *w) {
    BEGIN
    RUN1(COPY, A)
    RUN1(NEG, -A)
    RUN1(SIN, ki_sine(A))
    RUN1(COS, ki_cosine(A))
    RUN1(TAN, tan(A))
    RUN1(ASIN, asin(A))
    RUN1(ACOS, acos(A))
    RUN1(ATAN, atan(A))
    RUN1(SINH, sinh(A))
    RUN1(COSH, cosh(A))
    RUN1(TANH, tanh(A))
    RUN1(SQRT, sqrt(A))
    RUN1(EXP, exp(A))
    RUN1(LOG, log(A))
    RUN1(ABS, fabs(A))
    RUN1(SIGN, ki_sign(A))
    RUN1(NOT, A == 0)
    RUN2(ADD, A + B)
    RUN2(SUB, A - B)
    RUN2(MUL, A * B)
    RUN2(DIV, A / B)
    RUN2(POW, pow(A, B))
    RUN2(ATAN2, atan2(A, B))
    RUN2(MIN, B < A || B != B ? B : A)
    RUN2(MAX, B > A || B != B ? B : A)
    RUN2(HYPOT, hypot(A, B))
    RUN2(LT, A < B)
    RUN2(LE, A <= B)
    RUN2(EQ, A == B)
    RUN2(AND, A != 0 && B != 0)
    RUN2(OR, A != 0 || B != 0)
    RUN2(NEGMUL, -(A * B))
    RUN3(IF, A != 0 ? B : C)
    RUN3(MUL3, A * B * C)
    RUN3(MULADD, A * B + C)
    RUN3(MULSUB, A * B - C)
    RUN3(SUBMUL, C - A * B)
    RUN(MULADD2, RESULT(4, A * B + C * D))
    RUN(MULSUB2, RESULT(4, A * B - C * D))
    RUN(MULADD2ADD, RESULT(5, A * B + C * D + E))
    RUN(SINCOS, at = run_sine_cosine(at, w))
    RUN(SUM, at = run_sum(at, w))
    CASE(END) : return;
    FINISH
}
/* clang-format on */

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

void ki_tape_run(const ki_tape *tape, const double *inputs, double *work, double *values) {
    for (int i = 0; i < tape->input_count; i++)
        work[i] = inputs[tape->inputs[i]];
    run(tape->words, work);
    if (tape->output_count)
        memcpy(values, work + tape->input_count + tape->constant_count,
               (size_t)tape->output_count * sizeof *values);
}
