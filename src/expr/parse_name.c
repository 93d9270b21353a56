/* parse_name.c - names: constants, variables of sums, and what the scope knows; with indices and primes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "expr/parser.h"

/* All names with a meaning of their own, functions first. */
static const ki_function FUNCTIONS[] = {
    {"sin", KI_SIN, 1, 1},   {"cos", KI_COS, 1, 1},     {"tan", KI_TAN, 1, 1},     {"asin", KI_ASIN, 1, 1},
    {"acos", KI_ACOS, 1, 1}, {"atan", KI_ATAN, 1, 1},   {"atan2", KI_ATAN2, 2, 2}, {"sinh", KI_SINH, 1, 1},
    {"cosh", KI_COSH, 1, 1}, {"tanh", KI_TANH, 1, 1},   {"sqrt", KI_SQRT, 1, 1},   {"exp", KI_EXP, 1, 1},
    {"log", KI_LOG, 1, 1},   {"abs", KI_ABS, 1, 1},     {"sign", KI_SIGN, 1, 1},   {"min", KI_MIN, 2, 0},
    {"max", KI_MAX, 2, 0},   {"hypot", KI_HYPOT, 2, 2}, {"if", KI_IF, 3, 3},
};

static const char *const RESERVED[] = {
    "sin",  "cos",  "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh",
    "tanh", "sqrt", "exp", "log",  "abs",  "sign", "min",   "max",  "hypot",
    "if",   "sum",  "pi",  "deg",  "t",    "and",  "or",    "not",  NULL,
};
enum { CALLABLE = 20 }; /* the first of them are called with arguments */

const char *const *ki_reserved_names(void) {
    return RESERVED;
}

const ki_function *ki_function_find(const ki_token *name) {
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
        if (ki_token_is(name, FUNCTIONS[i].name))
            return &FUNCTIONS[i];
    return NULL;
}

bool ki_parse_whole(ki_parser *p, const char *what, int *value) {
    static const double ROUNDING = 1e-9; /* of a number such as 0.3/0.1 that was computed */
    ki_token at = p->token;
    double number = 0;
    *value = 0;
    ki_node node = ki_parse_formula(p);
    if (node == KI_NONE)
        return false;
    if (p->skipping)
        return true;
    if (!ki_is_number(p->graph, node, &number))
        ki_parser_fail(p, &at, "%s must be a constant: it depends on something that changes", what);
    else if (!(fabs(number - round(number)) <= ROUNDING * fmax(1, fabs(number))))
        ki_parser_fail(p, &at, "%s must be a whole number, not %g", what, number);
    else if (fabs(number) > KI_WHOLE_NUMBER_MAX)
        ki_parser_fail(p, &at, "%s is too large: %g", what, number);
    else
        *value = (int)round(number);
    return !p->failed;
}

static bool fail_long(ki_parser *p, const ki_token *name) {
    ki_parser_fail(p, name, "the name %s is longer than %d characters", ki_token_quoted(name).text,
                   KI_NAME_MAX - 1);
    return false;
}

/* Appends the text of a token. */
static bool append_token(ki_parser *p, const ki_token *name, char *text, const ki_token *token) {
    size_t length = strlen(text);
    if (length + token->length >= KI_NAME_MAX)
        return fail_long(p, name);
    memcpy(text + length, token->text, token->length);
    text[length + token->length] = '\0';
    return true;
}

/* Appends a character and a whole number. */
static bool append_index(ki_parser *p, const ki_token *name, char *text, char before, int value) {
    size_t length = strlen(text), left = KI_NAME_MAX - length;
    int written = snprintf(text + length, left, "%c%d", before, value);
    if (written > 0 && (size_t)written + 1 < left) /* one more for the bracket */
        return true;
    return fail_long(p, name);
}

/* Indices in brackets; p->token is the opening one. */
static bool parse_indices(ki_parser *p, const ki_token *name, char text[KI_NAME_MAX]) {
    ki_token open = p->token;
    if (!ki_parser_nest(p, &open))
        return false;
    char before = '[';
    int index, count = 0;
    do {
        ki_parser_advance(p);
        if (++count > 2)
            ki_parser_fail(p, &p->previous, "a name has at most two indices");
        if (p->failed || !ki_parse_whole(p, "an index", &index) ||
            !append_index(p, name, text, before, index))
            return false;
        before = ',';
    } while (p->token.kind == KI_TOKEN_COMMA);
    p->nesting--;
    strcat(text, "]");
    return ki_parser_close(p, KI_TOKEN_UNBRACKET, &open);
}

/* x, x[3], bar[2].tip.x, stage[2].bar[1].angle */
bool ki_parse_full_name(ki_parser *p, const ki_token *name, char text[KI_NAME_MAX]) {
    text[0] = '\0';
    if (!append_token(p, name, text, name))
        return false;
    while (!p->failed && p->token.kind == KI_TOKEN_BRACKET) {
        if (!parse_indices(p, name, text))
            return false;
        ki_token member = p->token;
        if (!ki_parser_accept(p, KI_TOKEN_MEMBER))
            break;
        if (!append_token(p, name, text, &member))
            return false;
    }
    return !p->failed;
}

static const ki_local *find_local(const ki_parser *p, const char *name) {
    const ki_local *local = p->locals;
    while (local && !ki_token_is(&local->name, name))
        local = local->outer;
    return local;
}

static ki_node parse_constant(ki_parser *p, const ki_token *name, double value) {
    ki_token_kind next = p->token.kind;
    if (next == KI_TOKEN_OPEN || next == KI_TOKEN_BRACKET || next == KI_TOKEN_PRIME)
        return ki_parser_fail(p, &p->token, "unexpected %s: %s is a constant",
                              ki_token_quoted(&p->token).text, ki_token_quoted(name).text);
    return ki_number(p->graph, value);
}

static ki_node look_up(ki_parser *p, const ki_token *name, const char *text, int primes) {
    const ki_local *local = find_local(p, text);
    if (local && primes)
        return ki_parser_fail(p, name, "'%s' counts the terms of a sum: it has no derivative", text);
    if (local)
        return local->value;
    if (p->skipping)
        return ki_number(p->graph, 0);
    ki_node node = p->scope->lookup(p->scope->user, text, primes, name->where, p->diagnostics);
    p->failed = p->failed || node == KI_NONE;
    return node;
}

static ki_node parse_variable(ki_parser *p, const ki_token *name) {
    char text[KI_NAME_MAX];
    int primes = 0;
    if (!ki_parse_full_name(p, name, text))
        return KI_NONE;
    while (ki_parser_accept(p, KI_TOKEN_PRIME))
        primes++;
    return p->failed ? KI_NONE : look_up(p, name, text, primes);
}

static ki_node fail_unknown_function(ki_parser *p, const ki_token *name) {
    char text[KI_NAME_MAX];
    ki_quote quoted = ki_token_quoted(name);
    snprintf(text, sizeof text, "%.*s", (int)(name->length < sizeof text ? name->length : sizeof text - 1),
             name->text);
    const char *closest = ki_closest_name(text, RESERVED, CALLABLE);
    if (closest)
        return ki_parser_fail(p, name, "unknown function %s: did you mean '%s'?", quoted.text, closest);
    return ki_parser_fail(p, name, "unknown function %s: a product is written '%.*s*(...)'", quoted.text,
                          (int)strlen(quoted.text) - 2, quoted.text + 1);
}

ki_node ki_parse_named(ki_parser *p) {
    ki_token name = p->token;
    bool is_sum = ki_token_is(&name, "sum"), is_function = is_sum || ki_function_find(&name);
    ki_parser_advance(p);
    if (ki_token_is(&name, "pi"))
        return parse_constant(p, &name, KI_PI);
    if (ki_token_is(&name, "deg"))
        return parse_constant(p, &name, KI_DEGREE);
    bool called = p->token.kind == KI_TOKEN_OPEN;
    if (is_function && !called)
        return ki_parser_fail(p, &name, "the function %s needs its arguments in parentheses",
                              ki_token_quoted(&name).text);
    if (!called)
        return parse_variable(p, &name);
    if (!is_function)
        return fail_unknown_function(p, &name);
    if (!ki_parser_nest(p, &name))
        return KI_NONE;
    ki_node value = is_sum ? ki_parse_sum(p, &name) : ki_parse_call(p, &name);
    p->nesting--;
    return value;
}
