/* emit_tape.c - a tape as C.
 *
 * Every instruction becomes a constant of its own (the tape lets values share places), and they are put into
 * another order: first all calls of the mathematical library with what they need, for nothing stays in a
 * register across a call; then the outputs one after another, each with what it still needs. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "expr/tape.h"
#include "native/emit.h"

/* An instruction: where it stands, and the values it needs. A value is an input, a constant, or the result of
 * an instruction, numbered in this order; the cosine of SINCOS has a number of its own. */
typedef struct step {
    const uint32_t *words; /* result, operands */
    ki_code code;
    int first, count; /* operands[first ...] */
    int value;        /* its first result */
} step;

typedef struct emitter {
    const ki_tape *tape;
    const ki_spelling *spelling;
    ki_text *text;
    step *steps;
    int step_count;
    int *operands, operand_count;
    int *place;   /* [places] the value that stands there */
    int *step_of; /* [values] the instruction that makes it, -1: none */
    int values;
    bool *done;   /* [steps] */
    bool *needed; /* [values] for an output that is wanted */
    int *stack;
} emitter;

#define X(name, operands) operands,
static const int OPERANDS[] = {KI_CODES(X)};
#undef X

static bool is_call(ki_code code) {
    return (code >= KI_CODE_SIN && code <= KI_CODE_TANH) || code == KI_CODE_EXP || code == KI_CODE_LOG ||
           code == KI_CODE_POW || code == KI_CODE_ATAN2 || code == KI_CODE_HYPOT || code == KI_CODE_SINCOS;
}

/* Operands of the instruction at `at`, and where they stand. */
static int operands_of(ki_code code, const uint32_t *at, const uint32_t **first) {
    if (code == KI_CODE_SUM) {
        *first = at + 1 + KI_TERM_KINDS;
        return (int)(2 * at[1 + KI_PLUS_PRODUCTS] + 2 * at[1 + KI_MINUS_PRODUCTS] + at[1 + KI_PLUS] +
                     at[1 + KI_MINUS]);
    }
    *first = at + (code == KI_CODE_SINCOS ? 2 : 1);
    return OPERANDS[code];
}

static void take_step(emitter *e, ki_code code, const uint32_t *at) {
    const uint32_t *operand;
    int count = operands_of(code, at, &operand), number = e->step_count++;
    e->steps[number] =
        (step){.words = at, .code = code, .first = e->operand_count, .count = count, .value = e->values};
    for (int k = 0; k < count; k++)
        e->operands[e->operand_count++] = e->place[operand[k]];
    for (int k = 0; k < (code == KI_CODE_SINCOS ? 2 : 1); k++) {
        e->step_of[e->values] = number;
        e->place[at[k]] = e->values++;
    }
}

/* Reads the words of the tape. */
static void take_steps(emitter *e) {
    const uint32_t *at = e->tape->words;
    while (*at != KI_CODE_END) {
        ki_code code = (ki_code)at[0];
        uint32_t count = at[1];
        at += 2;
        while (count--) {
            const uint32_t *operand;
            int operands = operands_of(code, at, &operand);
            take_step(e, code, at);
            at = operand + operands;
        }
    }
}

/* A constant that is not finite cannot be written as a number. */
static bool write_value(emitter *e, int value) {
    const ki_tape *tape = e->tape;
    if (value < tape->input_count || e->step_of[value] >= 0) {
        ki_text_add(e->text, "x%d", value);
        return true;
    }
    double number = tape->prepared[value - tape->input_count];
    if (!isfinite(number))
        return false;
    if (e->spelling->any && fabs(number) < 1000 && number == trunc(number))
        ki_text_add(e->text, number < 0 ? "(-%d)" : "%d", (int)fabs(number));
    else
        ki_text_number(e->text, number);
    return true;
}

/* The formula of an instruction; letters a to e stand for its operands, as in tape.h. */
static const char *const FORMULA[KI_CODE_COUNT] = {
    [KI_CODE_COPY] = "a",
    [KI_CODE_NEG] = "-a",
    [KI_CODE_SIN] = "ki_sine(a)",
    [KI_CODE_COS] = "ki_cosine(a)",
    [KI_CODE_TAN] = "tan(a)",
    [KI_CODE_ASIN] = "asin(a)",
    [KI_CODE_ACOS] = "acos(a)",
    [KI_CODE_ATAN] = "atan(a)",
    [KI_CODE_SINH] = "sinh(a)",
    [KI_CODE_COSH] = "cosh(a)",
    [KI_CODE_TANH] = "tanh(a)",
    [KI_CODE_SQRT] = "sqrt(a)",
    [KI_CODE_EXP] = "exp(a)",
    [KI_CODE_LOG] = "log(a)",
    [KI_CODE_ABS] = "fabs(a)",
    [KI_CODE_SIGN] = "a > 0 ? 1 : a < 0 ? -1 : a",
    [KI_CODE_NOT] = "a == 0",
    [KI_CODE_ADD] = "a + b",
    [KI_CODE_SUB] = "a - b",
    [KI_CODE_MUL] = "a * b",
    [KI_CODE_DIV] = "a / b",
    [KI_CODE_POW] = "pow(a, b)",
    [KI_CODE_ATAN2] = "atan2(a, b)",
    [KI_CODE_MIN] = "b < a || b != b ? b : a",
    [KI_CODE_MAX] = "b > a || b != b ? b : a",
    [KI_CODE_HYPOT] = "hypot(a, b)",
    [KI_CODE_LT] = "a < b",
    [KI_CODE_LE] = "a <= b",
    [KI_CODE_EQ] = "a == b",
    [KI_CODE_AND] = "a != 0 && b != 0",
    [KI_CODE_OR] = "a != 0 || b != 0",
    [KI_CODE_IF] = "a != 0 ? b : c",
    [KI_CODE_NEGMUL] = "-(a * b)",
    [KI_CODE_MUL3] = "a * b * c",
    [KI_CODE_MULADD] = "a * b + c",
    [KI_CODE_MULSUB] = "a * b - c",
    [KI_CODE_SUBMUL] = "c - a * b",
    [KI_CODE_MULADD2] = "a * b + c * d",
    [KI_CODE_MULSUB2] = "a * b - c * d",
    [KI_CODE_MULADD2ADD] = "a * b + c * d + e",
};

/* ... of those that are macros (ki_spelling.any) */
static const char *const MACRO[KI_CODE_COUNT] = {
    [KI_CODE_SIGN] = "KI_LAW_SIGN(a)",  [KI_CODE_NOT] = "KI_LAW_NOT(a)",
    [KI_CODE_MIN] = "KI_LAW_MIN(a, b)", [KI_CODE_MAX] = "KI_LAW_MAX(a, b)",
    [KI_CODE_LT] = "KI_LAW_LT(a, b)",   [KI_CODE_LE] = "KI_LAW_LE(a, b)",
    [KI_CODE_EQ] = "KI_LAW_EQ(a, b)",   [KI_CODE_AND] = "KI_LAW_AND(a, b)",
    [KI_CODE_OR] = "KI_LAW_OR(a, b)",   [KI_CODE_IF] = "KI_LAW_IF(a, b, c)",
};

static const char *type_of(const emitter *e) {
    return e->spelling->any ? "REAL" : "double";
}

static bool is_letter(char c) {
    return c >= 'a' && c <= 'z';
}

/* A letter that stands alone is an operand, others belong to the name of a function. */
static bool write_formula(emitter *e, const step *s) {
    bool macro = e->spelling->any && MACRO[s->code];
    const char *formula = macro ? MACRO[s->code] : FORMULA[s->code];
    assert(formula);
    for (const char *c = formula; *c; c++) {
        bool alone = is_letter(*c) && !is_letter(c[1]) && !(c > formula && is_letter(c[-1]));
        if (alone && !write_value(e, e->operands[s->first + (*c - 'a')]))
            return false;
        if (!alone)
            ki_text_add(e->text, "%c", *c);
    }
    return true;
}

static bool is_product(int kind) {
    return kind == KI_PLUS_PRODUCTS || kind == KI_MINUS_PRODUCTS;
}

/* Term `number` of a sum, with its sign. */
static bool write_term(emitter *e, const step *s, int number) {
    const uint32_t *terms = s->words + 1;
    int kind = 0, at = s->first;
    for (; number >= (int)terms[kind]; kind++) {
        number -= (int)terms[kind];
        at += (int)terms[kind] * (is_product(kind) ? 2 : 1);
    }
    at += number * (is_product(kind) ? 2 : 1);
    ki_text_add(e->text, kind == KI_PLUS_PRODUCTS || kind == KI_PLUS ? " + " : " - ");
    bool ok = write_value(e, e->operands[at]);
    if (is_product(kind)) {
        ki_text_add(e->text, " * ");
        ok = write_value(e, e->operands[at + 1]) && ok;
    }
    return ok;
}

/* The lanes of tape_run.c. They start with their first term: such sums have more terms than lanes. */
static bool write_sum(emitter *e, const step *s) {
    static const char *const BEFORE[KI_LANES] = {"((", ") + (", ")) + ((", ") + ("};
    int count = 0;
    for (int kind = 0; kind < KI_TERM_KINDS; kind++)
        count += (int)s->words[1 + kind];
    assert(count > KI_LANES);
    for (int lane = 0; lane < KI_LANES; lane++) {
        ki_text_add(e->text, "%s", BEFORE[lane]);
        for (int i = lane; i < count; i += KI_LANES)
            if (!write_term(e, s, i))
                return false;
    }
    ki_text_add(e->text, "))");
    return true;
}

static bool write_sine_cosine(emitter *e, const step *s) {
    ki_text_add(e->text, "    %s x%d, x%d;\n    ki_sine_cosine(", type_of(e), s->value, s->value + 1);
    bool ok = write_value(e, e->operands[s->first]);
    ki_text_add(e->text, ", &x%d, &x%d);\n", s->value, s->value + 1);
    return ok;
}

static bool write_step(emitter *e, const step *s) {
    if (s->code == KI_CODE_SINCOS)
        return write_sine_cosine(e, s);
    ki_text_add(e->text, "    const %s x%d = ", type_of(e), s->value);
    bool ok = s->code == KI_CODE_SUM ? write_sum(e, s) : write_formula(e, s);
    ki_text_add(e->text, ";\n");
    return ok;
}

/* Writes the instruction that makes a value, after those it needs. */
static bool require(emitter *e, int value) {
    int depth = 0;
    if (e->step_of[value] < 0 || e->done[e->step_of[value]])
        return true;
    e->stack[depth++] = e->step_of[value];
    while (depth) {
        int number = e->stack[depth - 1];
        const step *s = &e->steps[number];
        int waiting = -1;
        for (int k = 0; k < s->count && waiting < 0; k++) {
            int needed = e->step_of[e->operands[s->first + k]];
            if (needed >= 0 && !e->done[needed])
                waiting = needed;
        }
        if (waiting >= 0) {
            e->stack[depth++] = waiting;
            continue;
        }
        depth--;
        e->done[number] = true;
        if (!write_step(e, s))
            return false;
    }
    return true;
}

static bool is_wanted(const emitter *e, int output) {
    return !e->spelling->wanted || e->spelling->wanted(e->spelling->user, output);
}

static int output_value(const emitter *e, int output) {
    return e->place[e->tape->input_count + e->tape->constant_count + output];
}

static void find_needed(emitter *e) {
    for (int i = 0; i < e->tape->output_count; i++)
        if (is_wanted(e, i))
            e->needed[output_value(e, i)] = true;
    for (int i = e->step_count - 1; i >= 0; i--) {
        const step *s = &e->steps[i];
        bool needed = e->needed[s->value] || (s->code == KI_CODE_SINCOS && e->needed[s->value + 1]);
        for (int k = 0; needed && k < s->count; k++)
            e->needed[e->operands[s->first + k]] = true;
        if (needed && s->code == KI_CODE_SINCOS)
            e->needed[s->value] = true;
    }
}

static bool write_all(emitter *e) {
    const ki_tape *tape = e->tape;
    find_needed(e);
    for (int i = 0; i < tape->input_count; i++) {
        if (!e->needed[i])
            continue;
        ki_text_add(e->text, "    const %s x%d = ", type_of(e), i);
        e->spelling->input(e->spelling->user, tape->inputs[i], e->text);
        ki_text_add(e->text, ";\n");
    }
    for (int i = 0; i < e->step_count; i++)
        if (is_call(e->steps[i].code) && e->needed[e->steps[i].value] && !require(e, e->steps[i].value))
            return false;
    for (int i = 0; i < tape->output_count; i++) {
        int value = output_value(e, i);
        if (!is_wanted(e, i))
            continue;
        if (!require(e, value))
            return false;
        ki_text_add(e->text, "    ");
        e->spelling->output(e->spelling->user, i, e->text);
        bool constant = e->spelling->any && value >= tape->input_count && e->step_of[value] < 0;
        ki_text_add(e->text, constant ? " = KI_LAW_NUMBER(" : " = ");
        if (!write_value(e, value))
            return false;
        ki_text_add(e->text, constant ? ");\n" : ";\n");
    }
    return true;
}

/* Values that are there from the start: inputs, constants, and outputs that are constants. */
static void take_places(emitter *e) {
    const ki_tape *tape = e->tape;
    e->values = tape->input_count + tape->constant_count + tape->output_count;
    for (int i = 0; i < e->values; i++) {
        e->place[i] = i;
        e->step_of[i] = -1;
    }
}

long ki_emit_length(const ki_tape *tape) {
    return tape->instructions;
}

bool ki_emit_tape(const ki_tape *tape, const ki_spelling *spelling, ki_text *text) {
    size_t places = (size_t)tape->input_count + (size_t)tape->constant_count + (size_t)tape->output_count +
                    (size_t)tape->temporary_count,
           steps = (size_t)tape->instructions, words = (size_t)tape->word_count;
    emitter e = {.tape = tape, .spelling = spelling, .text = text};
    e.steps = calloc(steps + 1, sizeof *e.steps);
    e.operands = calloc(words + 1, sizeof *e.operands);
    e.place = calloc(places + 1, sizeof *e.place);
    e.step_of = calloc(places + 2 * steps + 1, sizeof *e.step_of);
    e.done = calloc(steps + 1, sizeof *e.done);
    e.needed = calloc(places + 2 * steps + 1, sizeof *e.needed);
    e.stack = calloc(steps + 1, sizeof *e.stack);
    bool ok = e.steps && e.operands && e.place && e.step_of && e.done && e.needed && e.stack;
    if (ok) {
        take_places(&e);
        take_steps(&e);
        ok = write_all(&e);
    }
    free(e.steps);
    free(e.operands);
    free(e.place);
    free(e.step_of);
    free(e.done);
    free(e.needed);
    free(e.stack);
    return ok && !text->failed;
}
