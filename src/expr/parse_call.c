/* parse_call.c - functions with their arguments, and sums. */
#include <stdio.h>

#include "expr/parser.h"

/* if(c, a, b) with a constant c: the other branch is only checked for its syntax, so that it may name what
 * does not exist, as in if(i > 1, x[i-1], 0). */
static bool is_not_chosen(const ki_parser *p, const ki_function *f, const ki_node *arg, int k) {
    double c;
    if (f->op != KI_IF || k == 0 || k > 2 || !ki_is_number(p->graph, arg[0], &c))
        return false;
    return (c != 0) != (k == 1);
}

/* Adds argument number k to those before it; min and max of many are built pair by pair. */
static bool take_argument(ki_parser *p, const ki_token *name, const ki_function *f, ki_node *arg, int k) {
    int skip = is_not_chosen(p, f, arg, k);
    p->skipping += skip;
    ki_node value = ki_parse_formula(p);
    p->skipping -= skip;
    if (value == KI_NONE)
        return false;
    if (k > 0 && !f->most)
        arg[0] = ki_parser_make(p, name, f->op, arg[0], value);
    else if (k < 3)
        arg[k] = value;
    return arg[0] != KI_NONE;
}

static ki_node fail_count(ki_parser *p, const ki_token *name, const ki_function *f, int given) {
    char number[16] = "none";
    if (given)
        snprintf(number, sizeof number, "%d", given);
    return ki_parser_fail(p, name, "%s takes %d%s argument%s, %s given", f->name, f->least,
                          f->most ? "" : " or more", f->least == 1 && f->most ? "" : "s", number);
}

ki_node ki_parse_call(ki_parser *p, const ki_token *name) {
    const ki_function *f = ki_function_find(name);
    ki_token open = p->token;
    ki_node arg[3] = {KI_NONE, KI_NONE, KI_NONE};
    int given = 0;
    ki_parser_advance(p);
    if (p->token.kind != KI_TOKEN_CLOSE)
        do {
            if (!take_argument(p, name, f, arg, given++))
                return KI_NONE;
        } while (ki_parser_accept(p, KI_TOKEN_COMMA));
    if (!ki_parser_close(p, KI_TOKEN_CLOSE, &open))
        return KI_NONE;
    if (given < f->least || (f->most && given > f->most))
        return fail_count(p, name, f, given);
    if (!f->most)
        return arg[0];
    return f->op == KI_IF ? ki_if(p->graph, arg[0], arg[1], arg[2])
                          : ki_parser_make(p, name, f->op, arg[0], arg[1]);
}

/* The term for one value of the variable. */
static ki_node parse_term(ki_parser *p, ki_local *variable, int i) {
    variable->value = ki_number(p->graph, i);
    variable->outer = p->locals;
    p->locals = variable;
    ki_node term = ki_parse_formula(p);
    p->locals = variable->outer;
    return term;
}

static bool check_terms(ki_parser *p, const ki_token *name, int from, int to) {
    double terms = (double)to - from + 1;
    double most = KI_QUOTA_TERMS * p->quota->size;
    if (terms + p->quota->terms > most) {
        ki_parser_fail(p, name,
                       "all sums of a model may have %.0f terms together, with this one they have "
                       "%.0f; " KI_QUOTA_ADVICE,
                       most, terms + p->quota->terms);
        return false;
    }
    p->quota->terms += terms;
    return true;
}

/* Reads the term again for each value of the variable. */
static ki_node add_terms(ki_parser *p, const ki_token *name, ki_local *variable, int from, int to) {
    ki_lexer lexer = p->lexer;
    ki_token token = p->token, previous = p->previous;
    ki_node total = ki_number(p->graph, 0);
    for (int i = from; i <= to && total != KI_NONE; i++) {
        p->lexer = lexer;
        p->token = token;
        p->previous = previous;
        ki_node term = parse_term(p, variable, i);
        if (p->failed) /* perhaps by the token after the term */
            return KI_NONE;
        total = ki_parser_make(p, name, KI_ADD, total, term);
        p->quota->text += (double)(p->lexer.at - lexer.at);
        if (p->quota->text > KI_QUOTA_TEXT * p->quota->size)
            return ki_parser_fail(p, name,
                                  "the terms of all sums of a model may have %.0f characters together, "
                                  "here they have more; " KI_QUOTA_ADVICE,
                                  KI_QUOTA_TEXT * p->quota->size);
    }
    return total;
}

static bool expect_comma(ki_parser *p, const ki_token *name) {
    if (ki_parser_accept(p, KI_TOKEN_COMMA))
        return true;
    ki_parser_fail(p, name, "sum is written sum(i, from, to, term)");
    return false;
}

static bool parse_sum_variable(ki_parser *p, const ki_token *name, ki_local *variable) {
    variable->name = p->token;
    const char *const *reserved = ki_reserved_names();
    if (!ki_parser_accept(p, KI_TOKEN_NAME)) {
        ki_parser_fail(p, name, "sum is written sum(i, from, to, term)");
        return false;
    }
    for (; *reserved; reserved++)
        if (ki_token_is(&variable->name, *reserved)) {
            ki_parser_fail(p, &variable->name,
                           "'%s' cannot be the variable of a sum: it has a meaning already", *reserved);
            return false;
        }
    return expect_comma(p, name);
}

/* sum(i, a, b, expr) */
ki_node ki_parse_sum(ki_parser *p, const ki_token *name) {
    ki_token open = p->token;
    ki_local variable;
    int from, to;
    ki_parser_advance(p);
    if (!parse_sum_variable(p, name, &variable) || !ki_parse_whole(p, "the first value of a sum", &from) ||
        !expect_comma(p, name) || !ki_parse_whole(p, "the last value of a sum", &to) ||
        !expect_comma(p, name))
        return KI_NONE;
    ki_node total;
    if (p->skipping || to < from) {
        p->skipping++;
        total = parse_term(p, &variable, 0);
        p->skipping--;
        if (total != KI_NONE)
            total = ki_number(p->graph, 0);
    } else {
        total = check_terms(p, name, from, to) ? add_terms(p, name, &variable, from, to) : KI_NONE;
    }
    return total != KI_NONE && ki_parser_close(p, KI_TOKEN_CLOSE, &open) ? total : KI_NONE;
}
