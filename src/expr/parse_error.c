/* parse_error.c - what is said about a formula that cannot be read. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "expr/graph.h"
#include "expr/parser.h"

ki_node ki_parser_fail(ki_parser *p, const ki_token *at, const char *format, ...) {
    char text[512];
    if (p->failed || at->kind == KI_TOKEN_BAD)
        return p->failed = true, KI_NONE;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    keel_diagnostics_add(p->diagnostics, KEEL_ERROR, at->where, "%s", text);
    p->failed = true;
    return KI_NONE;
}

ki_quote ki_token_quoted(const ki_token *token) {
    enum { SHOWN = 40 };
    ki_quote quote;
    int shown = token->length < SHOWN ? (int)token->length : SHOWN;
    snprintf(quote.text, sizeof quote.text, "'%.*s%s'", shown, token->text ? token->text : "",
             token->length > SHOWN ? "..." : "");
    return quote;
}

ki_node ki_parser_fail_value(ki_parser *p) {
    const ki_token *token = &p->token, *before = &p->previous;
    ki_quote this = ki_token_quoted(token), last = ki_token_quoted(before);
    if (token->kind == KI_TOKEN_END && !before->text)
        return ki_parser_fail(p, token, "the formula is empty");
    if (token->kind == KI_TOKEN_END)
        return ki_parser_fail(p, token, "the formula ends after %s: a value is missing here", last.text);
    if (!before->text)
        return ki_parser_fail(p, token, "unexpected %s at the start: a value is missing here", this.text);
    if (token->kind == KI_TOKEN_TIMES && before->kind == KI_TOKEN_TIMES)
        return ki_parser_fail(p, token, "unexpected '*' after '*': a power is written '^'");
    return ki_parser_fail(p, token, "unexpected %s after %s: a value is missing here", this.text, last.text);
}

ki_node ki_parser_fail_operator(ki_parser *p) {
    const ki_token *token = &p->token, *before = &p->previous;
    ki_quote this = ki_token_quoted(token), last = ki_token_quoted(before);
    switch (token->kind) {
    case KI_TOKEN_CLOSE:
        return ki_parser_fail(p, token, "unexpected ')': there is no '(' to match it");
    case KI_TOKEN_UNBRACKET:
        return ki_parser_fail(p, token, "unexpected ']': there is no '[' to match it");
    case KI_TOKEN_COMMA:
        if (before->kind == KI_TOKEN_NUMBER)
            return ki_parser_fail(p, token, "unexpected ',': numbers are written with a point, as in 1.5");
        return ki_parser_fail(p, token, "unexpected ',' outside of the arguments of a function");
    case KI_TOKEN_NUMBER:
    case KI_TOKEN_NAME:
    case KI_TOKEN_OPEN:
        return ki_parser_fail(
            p, token, "unexpected %s after %s: an operator is missing; a product is written '%.*s*%.*s'",
            this.text, last.text, (int)strlen(last.text) - 2, last.text + 1, (int)strlen(this.text) - 2,
            this.text + 1);
    case KI_TOKEN_BRACKET:
        return ki_parser_fail(p, token, "unexpected '[' after %s: only a name can have an index", last.text);
    case KI_TOKEN_PRIME:
        return ki_parser_fail(p, token, "unexpected ' after %s: only a name can have a derivative",
                              last.text);
    default:
        return ki_parser_fail(p, token, "unexpected %s after %s", this.text, last.text);
    }
}

/* Why op(a, b) of two numbers is not a finite number. */
static const char *reason(ki_op op, double a, double b) {
    switch (op) {
    case KI_DIV:
        return b == 0 ? "division by zero" : NULL;
    case KI_SQRT:
        return a < 0 ? "sqrt of a negative number" : NULL;
    case KI_LOG:
        return a <= 0 ? "log of a number that is not positive" : NULL;
    case KI_ASIN:
        return a < -1 || a > 1 ? "asin of a number outside of -1 .. 1" : NULL;
    case KI_ACOS:
        return a < -1 || a > 1 ? "acos of a number outside of -1 .. 1" : NULL;
    case KI_POW:
        if (a == 0 && b < 0)
            return "division by zero: 0 to a negative power";
        return a < 0 && b != floor(b) ? "a negative number to a power that is not whole" : NULL;
    default:
        return NULL;
    }
}

ki_node ki_parser_make(ki_parser *p, const ki_token *at, ki_op op, ki_node a, ki_node b) {
    if (p->skipping)
        return ki_number(p->graph, 0);
    bool two = ki_op_arity(op) == 2;
    ki_node result = two ? ki_binary(p->graph, op, a, b) : ki_unary(p->graph, op, a);
    double x = 0, y = 0;
    bool numbers = ki_is_number(p->graph, a, &x) && (!two || ki_is_number(p->graph, b, &y));
    if (op == KI_DIV && ki_is_zero(p->graph, b))
        return ki_parser_fail(p, at, "division by zero");
    if (result == KI_NONE || !numbers || ki_is_number(p->graph, result, NULL))
        return result;
    const char *why = reason(op, x, y);
    return ki_parser_fail(p, at, "%s", why ? why : "the result is too large for a number");
}
