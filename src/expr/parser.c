/* parser.c - operators and values. The levels of the operators, from loose to tight:
 *
 *     or | and | not | < <= > >= == != (no chains) | + - | * / | - + in front of a value | ^ (from the right)
 */
#include "expr/parser.h"

#include <string.h>

enum {
    LEVEL_OR = 1,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_ADD,
    LEVEL_MULTIPLY,
    LEVEL_SIGN,
    LEVEL_POWER
};

typedef struct operator_rule {
    ki_token_kind kind;
    ki_op op;
    int level;
    bool swapped; /* a > b is b < a */
} operator_rule;

static const operator_rule OPERATORS[] = {
    {KI_TOKEN_OR, KI_OR, LEVEL_OR, false},           {KI_TOKEN_AND, KI_AND, LEVEL_AND, false},
    {KI_TOKEN_LT, KI_LT, LEVEL_COMPARE, false},      {KI_TOKEN_LE, KI_LE, LEVEL_COMPARE, false},
    {KI_TOKEN_GT, KI_LT, LEVEL_COMPARE, true},       {KI_TOKEN_GE, KI_LE, LEVEL_COMPARE, true},
    {KI_TOKEN_EQ, KI_EQ, LEVEL_COMPARE, false},      {KI_TOKEN_NE, KI_EQ, LEVEL_COMPARE, false},
    {KI_TOKEN_PLUS, KI_ADD, LEVEL_ADD, false},       {KI_TOKEN_MINUS, KI_SUB, LEVEL_ADD, false},
    {KI_TOKEN_TIMES, KI_MUL, LEVEL_MULTIPLY, false}, {KI_TOKEN_DIVIDE, KI_DIV, LEVEL_MULTIPLY, false},
    {KI_TOKEN_POWER, KI_POW, LEVEL_POWER, false},
};

static ki_node parse_level(ki_parser *p, int level);

void ki_parser_advance(ki_parser *p) {
    p->previous = p->token;
    p->token = ki_lexer_next(&p->lexer);
    if (p->token.kind == KI_TOKEN_BAD)
        p->failed = true;
}

bool ki_parser_accept(ki_parser *p, ki_token_kind kind) {
    if (p->token.kind != kind)
        return false;
    ki_parser_advance(p);
    return true;
}

bool ki_parser_close(ki_parser *p, ki_token_kind kind, const ki_token *open) {
    if (ki_parser_accept(p, kind))
        return true;
    char close = kind == KI_TOKEN_CLOSE ? ')' : ']', opened = kind == KI_TOKEN_CLOSE ? '(' : '[';
    if (p->token.kind == KI_TOKEN_NUMBER || p->token.kind == KI_TOKEN_NAME ||
        p->token.kind == KI_TOKEN_OPEN || p->token.kind == KI_TOKEN_PRIME ||
        p->token.kind == KI_TOKEN_BRACKET)
        ki_parser_fail_operator(p);
    else if (open->where.line == p->token.where.line)
        ki_parser_fail(p, &p->token, "missing '%c' to match '%c' at column %d", close, opened,
                       open->where.column);
    else
        ki_parser_fail(p, &p->token, "missing '%c' to match '%c' at line %d, column %d", close, opened,
                       open->where.line, open->where.column);
    return false;
}

bool ki_parser_nest(ki_parser *p, const ki_token *at) {
    if (p->nesting == KI_NESTING_MAX) {
        ki_parser_fail(p, at, "nested more than %d levels deep", KI_NESTING_MAX);
        return false;
    }
    p->nesting++;
    return true;
}

static const operator_rule *operator_of(ki_token_kind kind) {
    for (size_t i = 0; i < sizeof OPERATORS / sizeof *OPERATORS; i++)
        if (OPERATORS[i].kind == kind)
            return &OPERATORS[i];
    return NULL;
}

/* A name for pi / 180 directly after a number or a parenthesis: 30 deg */
static ki_node parse_unit(ki_parser *p, ki_node value) {
    ki_token unit = p->token;
    if (unit.kind != KI_TOKEN_NAME || !ki_token_is(&unit, "deg"))
        return value;
    ki_parser_advance(p);
    return ki_parser_make(p, &unit, KI_MUL, value, ki_number(p->graph, KI_DEGREE));
}

static ki_node parse_group(ki_parser *p) {
    ki_token open = p->token;
    if (!ki_parser_nest(p, &open))
        return KI_NONE;
    ki_parser_advance(p);
    ki_node value = parse_level(p, LEVEL_OR);
    p->nesting--;
    return value != KI_NONE && ki_parser_close(p, KI_TOKEN_CLOSE, &open) ? parse_unit(p, value) : KI_NONE;
}

static ki_node parse_value(ki_parser *p) {
    switch (p->token.kind) {
    case KI_TOKEN_NUMBER: {
        double number = p->token.number;
        ki_parser_advance(p);
        return parse_unit(p, ki_number(p->graph, number));
    }
    case KI_TOKEN_NAME:
        return ki_parse_named(p);
    case KI_TOKEN_OPEN:
        return parse_group(p);
    default:
        return ki_parser_fail_value(p);
    }
}

/* A value with what stands in front of it: - + not. */
static ki_node parse_front(ki_parser *p, int level) {
    ki_token front = p->token;
    bool is_not = front.kind == KI_TOKEN_NOT;
    if (!is_not && front.kind != KI_TOKEN_MINUS && front.kind != KI_TOKEN_PLUS)
        return parse_value(p);
    if (is_not && level > LEVEL_NOT)
        return ki_parser_fail(p, &front, "'not' must stand in parentheses here");
    if (!ki_parser_nest(p, &front))
        return KI_NONE;
    ki_parser_advance(p);
    ki_node value = parse_level(p, is_not ? LEVEL_NOT : LEVEL_SIGN);
    p->nesting--;
    if (value == KI_NONE || front.kind == KI_TOKEN_PLUS)
        return value;
    return ki_parser_make(p, &front, is_not ? KI_NOT : KI_NEG, value, KI_NONE);
}

static ki_node parse_power(ki_parser *p, const ki_token *at, ki_node base) {
    if (!ki_parser_nest(p, at))
        return KI_NONE;
    ki_node exponent = parse_level(p, LEVEL_SIGN);
    p->nesting--;
    return exponent == KI_NONE ? KI_NONE : ki_parser_make(p, at, KI_POW, base, exponent);
}

static ki_node parse_right_side(ki_parser *p, const operator_rule *rule, ki_node left) {
    ki_token at = p->token;
    ki_parser_advance(p);
    if (rule->level == LEVEL_POWER)
        return parse_power(p, &at, left);
    ki_node right = parse_level(p, rule->level + 1);
    if (right == KI_NONE)
        return KI_NONE;
    const operator_rule *next = operator_of(p->token.kind);
    if (rule->level == LEVEL_COMPARE && next && next->level == LEVEL_COMPARE)
        return ki_parser_fail(p, &p->token, "comparisons cannot be chained: write 'a < b and b < c'");
    ki_node result =
        ki_parser_make(p, &at, rule->op, rule->swapped ? right : left, rule->swapped ? left : right);
    return at.kind == KI_TOKEN_NE && result != KI_NONE ? ki_parser_make(p, &at, KI_NOT, result, KI_NONE)
                                                       : result;
}

/* A part of a formula with operators of this level and tighter ones. */
static ki_node parse_level(ki_parser *p, int level) {
    ki_node left = parse_front(p, level);
    while (left != KI_NONE) {
        const operator_rule *rule = operator_of(p->token.kind);
        if (!rule || rule->level < level)
            break;
        left = parse_right_side(p, rule, left);
    }
    return left;
}

ki_node ki_parse_formula(ki_parser *p) {
    return parse_level(p, LEVEL_OR);
}

/* `own` is the quota of this formula if it belongs to no model. */
static ki_parser start(ki_graph *graph, const char *text, size_t length, keel_location where,
                       const ki_scope *scope, keel_diagnostics *diagnostics, ki_quota *own) {
    *own = (ki_quota){.size = 1};
    where.line = where.line > 0 ? where.line : 1;
    where.column = where.column > 0 ? where.column : 1;
    ki_parser p = {.graph = graph, .scope = scope, .diagnostics = diagnostics};
    p.quota = ki_quota_now() ? ki_quota_now() : own;
    p.lexer = (ki_lexer){text, text + length, where, diagnostics, false};
    return p;
}

ki_node ki_parse(ki_graph *graph, const char *text, size_t length, keel_location where, const ki_scope *scope,
                 keel_diagnostics *diagnostics) {
    ki_quota own;
    ki_parser p = start(graph, text, length, where, scope, diagnostics, &own);
    double nodes = p.quota->nodes;
    ki_parser_advance(&p);
    ki_node result = ki_parse_formula(&p);
    if (result != KI_NONE && p.token.kind != KI_TOKEN_END)
        result = ki_parser_fail_operator(&p);
    if (p.quota->nodes - nodes > p.quota->most_nodes) {
        p.quota->most_nodes = p.quota->nodes - nodes;
        p.quota->most = where;
    }
    if (p.quota->too_large) /* which is told of all formulas */
        p.failed = true;
    else if (ki_graph_failed(graph))
        ki_parser_fail(&p, &p.token, "out of memory");
    return p.failed ? KI_NONE : result;
}

bool ki_parse_name(ki_graph *graph, const char *text, keel_location where, const ki_scope *scope,
                   keel_diagnostics *diagnostics, char *buffer, size_t size) {
    ki_quota own;
    ki_parser p = start(graph, text, strlen(text), where, scope, diagnostics, &own);
    char full[KI_NAME_MAX];
    ki_parser_advance(&p);
    ki_token name = p.token;
    if (name.kind != KI_TOKEN_NAME) {
        ki_parser_fail(&p, &name, "a name must start with a letter or '_'");
        return false;
    }
    ki_parser_advance(&p);
    if (!ki_parse_full_name(&p, &name, full))
        return false;
    if (p.token.kind != KI_TOKEN_END)
        ki_parser_fail(&p, &p.token, "unexpected %s after the name '%s'", ki_token_quoted(&p.token).text,
                       full);
    else if (strlen(full) >= size)
        ki_parser_fail(&p, &name, "the name '%s' is too long", full);
    else
        strcpy(buffer, full);
    return !p.failed;
}
