/* parser.h - the state of parsing one formula, shared by the files parse*.c. */
#ifndef KI_PARSER_H
#define KI_PARSER_H

#include "expr/lexer.h"
#include "expr/quota.h"

#define KI_PI     3.14159265358979323846
#define KI_DEGREE (KI_PI / 180)

enum {
    KI_NESTING_MAX = 256,
    KI_NAME_MAX = 256,            /* characters of a name with its indices */
    KI_WHOLE_NUMBER_MAX = 1 << 30 /* of indices and bounds of sums */
};

/* The variable of a sum while its terms are made. */
typedef struct ki_local {
    ki_token name;
    ki_node value;
    const struct ki_local *outer;
} ki_local;

typedef struct ki_parser {
    ki_graph *graph;
    const ki_scope *scope;
    keel_diagnostics *diagnostics;
    ki_lexer lexer;
    ki_token token, previous; /* the token to be read next, and the one before it */
    const ki_local *locals;
    int nesting;
    int skipping;    /* > 0: only the syntax counts; names are not looked up, every value is 0 */
    ki_quota *quota; /* of the model, or of this formula */
    bool failed;     /* an error was reported */
} ki_parser;

/* An operation of the language that takes arguments in parentheses. */
typedef struct ki_function {
    const char *name;
    ki_op op;
    int least, most; /* number of arguments */
} ki_function;

const ki_function *ki_function_find(const ki_token *name);

/* Reads the next token. */
void ki_parser_advance(ki_parser *p);

/* Reads the token if it is of that kind. */
bool ki_parser_accept(ki_parser *p, ki_token_kind kind);

/* Closing parenthesis or bracket for the token `open`; false after an error. */
bool ki_parser_close(ki_parser *p, ki_token_kind kind, const ki_token *open);

/* A whole formula; stops at the first token that cannot belong to it. */
ki_node ki_parse_formula(ki_parser *p);

/* The parts that start with a name; p->token is the name. */
ki_node ki_parse_named(ki_parser *p);
ki_node ki_parse_call(ki_parser *p, const ki_token *name);
ki_node ki_parse_sum(ki_parser *p, const ki_token *name);

/* The name with its evaluated indices, "x[3]" or "x[1,2]"; `name` has been read already. */
bool ki_parse_full_name(ki_parser *p, const ki_token *name, char text[KI_NAME_MAX]);

/* A formula that must be a whole number, of which `what` tells the use. */
bool ki_parse_whole(ki_parser *p, const char *what, int *value);

/* Deeper nesting; false after an error. Each success is undone with p->nesting--. */
bool ki_parser_nest(ki_parser *p, const ki_token *at);

/* Makes op(a) or op(a, b), an error at `at` if that is a number which is not finite. */
ki_node ki_parser_make(ki_parser *p, const ki_token *at, ki_op op, ki_node a, ki_node b);

/* Reports an error, unless one was reported already, and gives KI_NONE. */
ki_node ki_parser_fail(ki_parser *p, const ki_token *at, const char *format, ...) KEEL_PRINTF(3, 4);

/* "unexpected ..." for p->token where a value must stand, and where a formula must be over or go on with an
 * operator. */
ki_node ki_parser_fail_value(ki_parser *p);
ki_node ki_parser_fail_operator(ki_parser *p);

/* The text of a token in quotes, long ones cut. */
typedef struct ki_quote {
    char text[48];
} ki_quote;
ki_quote ki_token_quoted(const ki_token *token);

#endif
