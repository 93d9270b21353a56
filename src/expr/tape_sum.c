/* tape_sum.c - instructions for sums, and the basic parts of a program. */
#include "expr/tape.h"

#include <assert.h>

/* Longer sums are one instruction with a loop over its terms. Shorter ones are a chain of instructions that
 * take one or two terms each, of which many are alike and run together. */
enum { LONGEST_CHAIN = 5 };
_Static_assert((int)LONGEST_CHAIN >= (int)KI_LANES, "no lane of a long sum is empty");

enum { NO_KIND = KI_TERM_KINDS };

/* The start of a chain: a term of one kind and, mostly, one of another; the first that fits is taken. */
static const struct {
    int first, second;
    ki_code code;
} STARTS[] = {
    {KI_PLUS_PRODUCTS, KI_PLUS_PRODUCTS, KI_CODE_MULADD2},
    {KI_PLUS_PRODUCTS, KI_MINUS_PRODUCTS, KI_CODE_MULSUB2},
    {KI_PLUS_PRODUCTS, KI_PLUS, KI_CODE_MULADD},
    {KI_PLUS_PRODUCTS, KI_MINUS, KI_CODE_MULSUB},
    {KI_PLUS_PRODUCTS, NO_KIND, KI_CODE_MUL},
    {KI_MINUS_PRODUCTS, KI_PLUS, KI_CODE_SUBMUL},
    {KI_PLUS, KI_PLUS, KI_CODE_ADD},
    {KI_PLUS, KI_MINUS, KI_CODE_SUB},
    {KI_PLUS, NO_KIND, KI_CODE_COPY},
    {KI_MINUS_PRODUCTS, NO_KIND, KI_CODE_NEGMUL},
    {KI_MINUS, NO_KIND, KI_CODE_NEG},
};

/* A further link of a chain; the sum so far is its last operand, or its first. */
static const struct {
    int first, second;
    ki_code code;
    bool sum_first;
} LINKS[] = {
    {KI_PLUS_PRODUCTS, KI_PLUS_PRODUCTS, KI_CODE_MULADD2ADD, false},
    {KI_PLUS_PRODUCTS, NO_KIND, KI_CODE_MULADD, false},
    {KI_MINUS_PRODUCTS, NO_KIND, KI_CODE_SUBMUL, false},
    {KI_PLUS, NO_KIND, KI_CODE_ADD, false},
    {KI_MINUS, NO_KIND, KI_CODE_SUB, true},
};

/* The terms of a short sum that are not computed yet, by kind. */
typedef struct pending {
    ki_term term[KI_TERM_KINDS][LONGEST_CHAIN];
    int count[KI_TERM_KINDS + 1]; /* none of NO_KIND */
    int left;
} pending;

static bool add_operand(ki_program *p, int value) {
    if (!ki_expr_reserve(&p->operands, &p->operand_capacity, p->operand_count + 1, sizeof *p->operands))
        return false;
    p->operands[p->operand_count++] = value;
    return true;
}

bool ki_program_emit(ki_program *p, ki_code code, int result, int count, const int *operands) {
    if (result == KI_NONE || !ki_expr_reserve(&p->list, &p->capacity, p->count + 1, sizeof *p->list))
        return false;
    p->list[p->count++] = (ki_instruction){code, result, KI_NONE, p->operand_count, count, {0}};
    for (int i = 0; i < count; i++)
        if (!add_operand(p, operands[i]))
            return false;
    return true;
}

int ki_program_add_value(ki_program *p, ki_node node) {
    ki_graph *graph = p->graph;
    ki_cone *cone = &p->cone;
    if (node != KI_NONE && graph->mark[node] == graph->walks)
        return graph->place[node];
    int capacity = cone->capacity;
    if (graph->failed || !ki_expr_reserve(&cone->node, &capacity, cone->count + 1, sizeof *cone->node) ||
        !ki_expr_reserve(&cone->arg, &cone->capacity, cone->count + 1, sizeof *cone->arg))
        return KI_NONE;
    cone->node[cone->count] = node;
    if (node != KI_NONE) {
        graph->mark[node] = graph->walks;
        graph->place[node] = cone->count;
    }
    return cone->count++;
}

/* -(c y) with a number c is (-c) y, and -c is a number. */
static bool move_sign(ki_program *p, ki_term *t) {
    double value;
    if (t->sign > 0)
        return true;
    if (t->y != KI_NONE && ki_is_number(p->graph, p->cone.node[t->y], NULL)) {
        int swap = t->x;
        t->x = t->y;
        t->y = swap;
    }
    if (!ki_is_number(p->graph, p->cone.node[t->x], &value))
        return true;
    t->sign = 1;
    t->x = ki_program_add_value(p, ki_number(p->graph, -value));
    return t->x != KI_NONE;
}

static int kind_of(const ki_term *t) {
    if (t->y != KI_NONE)
        return t->sign > 0 ? KI_PLUS_PRODUCTS : KI_MINUS_PRODUCTS;
    return t->sign > 0 ? KI_PLUS : KI_MINUS;
}

static bool emit_long_sum(ki_program *p, int result, const ki_term *terms, int count) {
    if (!ki_program_emit(p, KI_CODE_SUM, result, 0, NULL))
        return false;
    ki_instruction *sum = &p->list[p->count - 1];
    for (int kind = 0; kind < KI_TERM_KINDS; kind++)
        for (int i = 0; i < count; i++) {
            const ki_term *t = &terms[i];
            if (kind_of(t) != kind)
                continue;
            sum->terms[kind]++;
            if (!add_operand(p, t->x) || (t->y != KI_NONE && !add_operand(p, t->y)))
                return false;
        }
    sum->count = p->operand_count - sum->first;
    return true;
}

static bool fits(const pending *left, int first, int second) {
    if (first == second)
        return left->count[first] >= 2;
    return left->count[first] && (second == NO_KIND || left->count[second]);
}

static int take(pending *left, int kind, int *operands) {
    if (kind == NO_KIND)
        return 0;
    left->left--;
    ki_term t = left->term[kind][--left->count[kind]];
    operands[0] = t.x;
    operands[1] = t.y;
    return t.y == KI_NONE ? 1 : 2;
}

static bool start_chain(ki_program *p, pending *left, int final, int *sum) {
    int i = 0, operands[4];
    while (!fits(left, STARTS[i].first, STARTS[i].second))
        i++;
    int n = take(left, STARTS[i].first, operands);
    n += take(left, STARTS[i].second, operands + n);
    *sum = left->left ? ki_program_add_value(p, KI_NONE) : final;
    return ki_program_emit(p, STARTS[i].code, *sum, n, operands);
}

static bool add_link(ki_program *p, pending *left, int final, int *sum) {
    int i = 0, n = 0, operands[5];
    while (!fits(left, LINKS[i].first, LINKS[i].second))
        i++;
    if (LINKS[i].sum_first)
        operands[n++] = *sum;
    n += take(left, LINKS[i].first, operands + n);
    n += take(left, LINKS[i].second, operands + n);
    if (!LINKS[i].sum_first)
        operands[n++] = *sum;
    *sum = left->left ? ki_program_add_value(p, KI_NONE) : final;
    return ki_program_emit(p, LINKS[i].code, *sum, n, operands);
}

static bool emit_chain(ki_program *p, int result, const ki_term *terms, int count) {
    pending left = {.left = count};
    for (int i = count - 1; i >= 0; i--) { /* terms are taken from the end: the first one first */
        int kind = kind_of(&terms[i]);
        left.term[kind][left.count[kind]++] = terms[i];
    }
    int sum;
    bool ok = start_chain(p, &left, result, &sum);
    while (ok && left.left)
        ok = add_link(p, &left, result, &sum);
    return ok;
}

bool ki_program_emit_sum(ki_program *p, int result, ki_term *terms, int count) {
    assert(count > 0);
    for (int i = 0; i < count; i++)
        if (!move_sign(p, &terms[i]))
            return false;
    return count > LONGEST_CHAIN ? emit_long_sum(p, result, terms, count)
                                 : emit_chain(p, result, terms, count);
}
