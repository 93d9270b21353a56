/* tape_select.c - instructions for nodes: sums and products that nobody else needs are computed by the
 * instruction that uses them. */
#include <stdlib.h>

#include "expr/tape.h"

typedef struct selector {
    ki_program *p;
    int *uses;          /* [cone.count] how often a value is needed */
    int *user;          /* the last node that needs it */
    bool *absorbed;     /* it is computed by the instruction of its only user */
    int *sine, *cosine; /* of an argument: the node that is its sine, its cosine */
    bool *done;
    ki_term *terms;
    int term_count, term_capacity;
    ki_term *stack;
    int depth, stack_capacity;
} selector;

static ki_op op_at(const ki_program *p, int place) {
    return p->graph->nodes[p->cone.node[place]].op;
}

static bool is_additive(ki_op op) {
    return op == KI_ADD || op == KI_SUB || op == KI_NEG;
}

static void count_uses(selector *s) {
    ki_program *p = s->p;
    for (int i = 0; i < p->cone.count; i++) {
        s->uses[i] = 0;
        s->absorbed[i] = s->done[i] = false;
        s->sine[i] = s->cosine[i] = KI_NONE;
        for (int k = 0; k < ki_op_arity(op_at(p, i)); k++) {
            int arg = p->cone.arg[i][k];
            s->uses[arg]++;
            s->user[arg] = i;
        }
        if (op_at(p, i) == KI_SIN)
            s->sine[p->cone.arg[i][0]] = i;
        if (op_at(p, i) == KI_COS)
            s->cosine[p->cone.arg[i][0]] = i;
    }
    for (int i = 0; i < p->output_count; i++)
        s->uses[p->outputs[i]] += 2;
}

/* A product takes one of its factors in, if that is a product that nobody else needs. */
static bool is_inner_factor(const selector *s, int place) {
    int user = s->user[place];
    const int *factor = s->p->cone.arg[user];
    int other = factor[0] == place ? factor[1] : factor[0];
    return op_at(s->p, user) == KI_MUL && !s->absorbed[user] && !s->absorbed[other];
}

/* Users come after what they use: going backwards, each is decided before its operands. */
static void absorb(selector *s) {
    for (int i = s->p->cone.count - 1; i >= 0; i--) {
        ki_op op = op_at(s->p, i);
        if (s->uses[i] != 1 || (!is_additive(op) && op != KI_MUL))
            continue;
        s->absorbed[i] = is_additive(op_at(s->p, s->user[i])) || (op == KI_MUL && is_inner_factor(s, i));
    }
}

static bool push_term(selector *s, int sign, int place) {
    if (!ki_expr_reserve(&s->stack, &s->stack_capacity, s->depth + 1, sizeof *s->stack))
        return false;
    s->stack[s->depth++] = (ki_term){sign, place, KI_NONE};
    return true;
}

static bool expand(selector *s, int sign, int place) {
    const int *arg = s->p->cone.arg[place];
    ki_op op = op_at(s->p, place);
    if (op == KI_NEG)
        return push_term(s, -sign, arg[0]);
    return push_term(s, op == KI_SUB ? -sign : sign, arg[1]) && push_term(s, sign, arg[0]);
}

/* All terms of the sum that stands at `place`, through the sums it absorbs. */
static bool collect_terms(selector *s, int place) {
    s->term_count = 0;
    if (!expand(s, 1, place))
        return false;
    while (s->depth) {
        ki_term t = s->stack[--s->depth];
        ki_op op = op_at(s->p, t.x);
        if (s->absorbed[t.x] && is_additive(op)) {
            if (!expand(s, t.sign, t.x))
                return false;
            continue;
        }
        if (s->absorbed[t.x]) {
            t.y = s->p->cone.arg[t.x][1];
            t.x = s->p->cone.arg[t.x][0];
        }
        if (!ki_expr_reserve(&s->terms, &s->term_capacity, s->term_count + 1, sizeof *s->terms))
            return false;
        s->terms[s->term_count++] = t;
    }
    return true;
}

static bool emit_sum(selector *s, int place) {
    return collect_terms(s, place) && ki_program_emit_sum(s->p, place, s->terms, s->term_count);
}

/* a b, or a b c if one factor is an absorbed product */
static bool emit_product(selector *s, int place) {
    const int *arg = s->p->cone.arg[place];
    for (int k = 0; k < 2; k++)
        if (s->absorbed[arg[k]]) {
            const int *inner = s->p->cone.arg[arg[k]];
            return ki_program_emit(s->p, KI_CODE_MUL3, place, 3, (int[]){inner[0], inner[1], arg[1 - k]});
        }
    return ki_program_emit(s->p, KI_CODE_MUL, place, 2, arg);
}

static bool emit_sine_cosine(selector *s, int arg) {
    int sine = s->sine[arg], cosine = s->cosine[arg];
    s->done[sine] = s->done[cosine] = true;
    if (!ki_program_emit(s->p, KI_CODE_SINCOS, sine, 1, &arg))
        return false;
    s->p->list[s->p->count - 1].second = cosine;
    return true;
}

static ki_code code_of(ki_op op) {
    static const ki_code CODES[] = {
        [KI_NEG] = KI_CODE_NEG,     [KI_SIN] = KI_CODE_SIN,   [KI_COS] = KI_CODE_COS,
        [KI_TAN] = KI_CODE_TAN,     [KI_ASIN] = KI_CODE_ASIN, [KI_ACOS] = KI_CODE_ACOS,
        [KI_ATAN] = KI_CODE_ATAN,   [KI_SINH] = KI_CODE_SINH, [KI_COSH] = KI_CODE_COSH,
        [KI_TANH] = KI_CODE_TANH,   [KI_SQRT] = KI_CODE_SQRT, [KI_EXP] = KI_CODE_EXP,
        [KI_LOG] = KI_CODE_LOG,     [KI_ABS] = KI_CODE_ABS,   [KI_SIGN] = KI_CODE_SIGN,
        [KI_NOT] = KI_CODE_NOT,     [KI_ADD] = KI_CODE_ADD,   [KI_SUB] = KI_CODE_SUB,
        [KI_MUL] = KI_CODE_MUL,     [KI_DIV] = KI_CODE_DIV,   [KI_POW] = KI_CODE_POW,
        [KI_ATAN2] = KI_CODE_ATAN2, [KI_MIN] = KI_CODE_MIN,   [KI_MAX] = KI_CODE_MAX,
        [KI_HYPOT] = KI_CODE_HYPOT, [KI_LT] = KI_CODE_LT,     [KI_LE] = KI_CODE_LE,
        [KI_EQ] = KI_CODE_EQ,       [KI_AND] = KI_CODE_AND,   [KI_OR] = KI_CODE_OR,
        [KI_IF] = KI_CODE_IF,
    };
    return CODES[op];
}

static bool emit_node(selector *s, int place) {
    ki_op op = op_at(s->p, place);
    const int *arg = s->p->cone.arg[place];
    if (ki_op_arity(op) == 0 || s->absorbed[place] || s->done[place])
        return true;
    if (is_additive(op))
        return emit_sum(s, place);
    if (op == KI_MUL)
        return emit_product(s, place);
    if ((op == KI_SIN || op == KI_COS) && s->sine[arg[0]] != KI_NONE && s->cosine[arg[0]] != KI_NONE)
        return emit_sine_cosine(s, arg[0]);
    return ki_program_emit(s->p, code_of(op), place, ki_op_arity(op), arg);
}

static bool allocate(selector *s, size_t count) {
    s->uses = ki_expr_resize(NULL, count, sizeof *s->uses);
    s->user = ki_expr_resize(NULL, count, sizeof *s->user);
    s->sine = ki_expr_resize(NULL, count, sizeof *s->sine);
    s->cosine = ki_expr_resize(NULL, count, sizeof *s->cosine);
    s->absorbed = ki_expr_resize(NULL, count, sizeof *s->absorbed);
    s->done = ki_expr_resize(NULL, count, sizeof *s->done);
    return s->uses && s->user && s->sine && s->cosine && s->absorbed && s->done;
}

bool ki_tape_select(ki_program *program) {
    selector s = {.p = program};
    bool ok = allocate(&s, (size_t)program->cone.count);
    if (ok) {
        count_uses(&s);
        absorb(&s);
    }
    for (int i = 0, nodes = program->cone.count; ok && i < nodes; i++)
        ok = emit_node(&s, i);
    free(s.uses);
    free(s.user);
    free(s.sine);
    free(s.cosine);
    free(s.absorbed);
    free(s.done);
    free(s.terms);
    free(s.stack);
    return ok;
}
