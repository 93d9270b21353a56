/* lexer.h - a formula cut into tokens. */
#ifndef KI_LEXER_H
#define KI_LEXER_H

#include "expr/expr.h"

typedef enum ki_token_kind {
    KI_TOKEN_END,
    KI_TOKEN_BAD, /* an error that was reported */
    KI_TOKEN_NUMBER,
    KI_TOKEN_NAME,
    KI_TOKEN_MEMBER, /* .tip.x directly after an index */
    KI_TOKEN_AND,
    KI_TOKEN_OR,
    KI_TOKEN_NOT,
    KI_TOKEN_LT,
    KI_TOKEN_LE,
    KI_TOKEN_GT,
    KI_TOKEN_GE,
    KI_TOKEN_EQ,
    KI_TOKEN_NE,
    KI_TOKEN_PLUS,
    KI_TOKEN_MINUS,
    KI_TOKEN_TIMES,
    KI_TOKEN_DIVIDE,
    KI_TOKEN_POWER,
    KI_TOKEN_OPEN,    /* (  */
    KI_TOKEN_CLOSE,   /* )  */
    KI_TOKEN_BRACKET, /* [  */
    KI_TOKEN_UNBRACKET,
    KI_TOKEN_COMMA,
    KI_TOKEN_PRIME
} ki_token_kind;

typedef struct ki_token {
    ki_token_kind kind;
    const char *text;
    size_t length;
    double number; /* of a KI_TOKEN_NUMBER */
    keel_location where;
} ki_token;

typedef struct ki_lexer {
    const char *at, *end;
    keel_location where; /* of *at */
    keel_diagnostics *diagnostics;
    bool after_index; /* the last token was ']' */
} ki_lexer;

/* The next token; from the end on always KI_TOKEN_END. */
ki_token ki_lexer_next(ki_lexer *lexer);

/* Whether the token is this name. */
bool ki_token_is(const ki_token *token, const char *name);

/* The number written in `text`, digits with an optional point and exponent; false if it overflows or has more
 * than KI_NUMBER_LENGTH characters. Does not depend on the locale. */
enum { KI_NUMBER_LENGTH = 1000 };
bool ki_lexer_read_number(const char *text, size_t length, double *number);

/* Reports the character at the place of the lexer, which no formula may contain, and what to write instead.
 */
void ki_lexer_report(const ki_lexer *lexer);

#endif
