/* lexer.c - tokens of a formula with their places. Columns count characters; as everything but plain ASCII is
 * an error, that only matters for where the formula itself begins. */
#include "expr/lexer.h"

#include <string.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name_character(char c) {
    return is_letter(c) || is_digit(c) || c == '_';
}

/* The character `ahead` places further on; NUL beyond the end. */
static char peek(const ki_lexer *lexer, const char *at, size_t ahead) {
    return (size_t)(lexer->end - at) > ahead ? at[ahead] : '\0';
}

static void skip_space(ki_lexer *lexer) {
    for (; lexer->at < lexer->end; lexer->at++) {
        char c = *lexer->at;
        if (c == '\n') {
            lexer->where.line++;
            lexer->where.column = 1;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            lexer->where.column++;
        } else {
            return;
        }
    }
}

static const char *skip_digits(const ki_lexer *lexer, const char *at) {
    while (is_digit(peek(lexer, at, 0)))
        at++;
    return at;
}

/* digits, a point and digits, an exponent; false if the exponent has no digits or a second point follows */
static bool scan_number(const ki_lexer *lexer, const char **end) {
    const char *at = skip_digits(lexer, lexer->at);
    bool good = true;
    if (peek(lexer, at, 0) == '.')
        at = skip_digits(lexer, at + 1);
    char c = peek(lexer, at, 0);
    if (c == 'e' || c == 'E') {
        char sign = peek(lexer, at, 1);
        const char *digits = at + 1 + (sign == '+' || sign == '-');
        at = skip_digits(lexer, digits);
        good = at > digits;
    }
    while (peek(lexer, at, 0) == '.' || (!good && is_name_character(peek(lexer, at, 0)))) {
        at++;
        good = false;
    }
    *end = at;
    return good;
}

static ki_token bad_token(ki_token token) {
    token.kind = KI_TOKEN_BAD;
    return token;
}

static ki_token lex_number(ki_lexer *lexer, ki_token token) {
    enum { SHOWN = 40 };
    const char *end;
    bool good = scan_number(lexer, &end);
    token.kind = KI_TOKEN_NUMBER;
    token.length = (size_t)(end - lexer->at);
    int shown = token.length < SHOWN ? (int)token.length : SHOWN;
    const char *more = token.length > SHOWN ? "..." : "";
    if (!good) {
        keel_diagnostics_add(lexer->diagnostics, KEEL_ERROR, token.where, "malformed number '%.*s%s'", shown,
                             token.text, more);
        return bad_token(token);
    }
    if (token.length > KI_NUMBER_LENGTH || !ki_lexer_read_number(token.text, token.length, &token.number)) {
        keel_diagnostics_add(lexer->diagnostics, KEEL_ERROR, token.where, "number '%.*s%s' is too %s", shown,
                             token.text, more, token.length > KI_NUMBER_LENGTH ? "long" : "large");
        return bad_token(token);
    }
    return token;
}

bool ki_token_is(const ki_token *token, const char *name) {
    return token->length == strlen(name) && !memcmp(token->text, name, token->length);
}

/* The end of a name's characters; a bad token if a point in it is not followed by a letter. */
static ki_token scan_name(ki_lexer *lexer, ki_token token, ki_token_kind kind) {
    const char *at = lexer->at;
    while (is_name_character(peek(lexer, at, 0)) ||
           (peek(lexer, at, 0) == '.' && is_letter(peek(lexer, at, 1))))
        at++;
    token.kind = kind;
    token.length = (size_t)(at - token.text);
    if (peek(lexer, at, 0) != '.')
        return token;
    token.where.column += (int)token.length;
    keel_diagnostics_add(lexer->diagnostics, KEEL_ERROR, token.where,
                         "a '.' in a name must be followed by a letter");
    return bad_token(token);
}

static ki_token lex_name(ki_lexer *lexer, ki_token token) {
    static const struct {
        const char *word;
        ki_token_kind kind;
    } WORDS[] = {{"and", KI_TOKEN_AND}, {"or", KI_TOKEN_OR}, {"not", KI_TOKEN_NOT}};
    token = scan_name(lexer, token, KI_TOKEN_NAME);
    for (size_t i = 0; token.kind == KI_TOKEN_NAME && i < sizeof WORDS / sizeof *WORDS; i++)
        if (ki_token_is(&token, WORDS[i].word))
            token.kind = WORDS[i].kind;
    return token;
}

static ki_token lex_sign(ki_lexer *lexer, ki_token token) {
    static const struct {
        const char *text;
        ki_token_kind kind;
    } SIGNS[] = {
        {"<=", KI_TOKEN_LE},   {">=", KI_TOKEN_GE},     {"==", KI_TOKEN_EQ},       {"!=", KI_TOKEN_NE},
        {"<", KI_TOKEN_LT},    {">", KI_TOKEN_GT},      {"+", KI_TOKEN_PLUS},      {"-", KI_TOKEN_MINUS},
        {"*", KI_TOKEN_TIMES}, {"/", KI_TOKEN_DIVIDE},  {"^", KI_TOKEN_POWER},     {"(", KI_TOKEN_OPEN},
        {")", KI_TOKEN_CLOSE}, {"[", KI_TOKEN_BRACKET}, {"]", KI_TOKEN_UNBRACKET}, {",", KI_TOKEN_COMMA},
        {"'", KI_TOKEN_PRIME},
    };
    size_t left = (size_t)(lexer->end - lexer->at);
    for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++) {
        size_t length = strlen(SIGNS[i].text);
        if (length <= left && !memcmp(lexer->at, SIGNS[i].text, length)) {
            token.kind = SIGNS[i].kind;
            token.length = length;
            return token;
        }
    }
    ki_lexer_report(lexer);
    return bad_token(token);
}

ki_token ki_lexer_next(ki_lexer *lexer) {
    bool member = lexer->after_index && peek(lexer, lexer->at, 0) == '.';
    skip_space(lexer);
    ki_token token = {KI_TOKEN_END, lexer->at, 0, 0, lexer->where};
    lexer->after_index = false;
    if (lexer->at == lexer->end)
        return token;
    char c = *lexer->at;
    if (member)
        token = scan_name(lexer, token, KI_TOKEN_MEMBER); /* .tip.x of bar[2].tip.x */
    else if (is_digit(c) || (c == '.' && is_digit(peek(lexer, lexer->at, 1))))
        token = lex_number(lexer, token);
    else if (is_letter(c) || c == '_')
        token = lex_name(lexer, token);
    else
        token = lex_sign(lexer, token);
    lexer->at += token.length;
    lexer->where.column += (int)token.length;
    lexer->after_index = token.kind == KI_TOKEN_UNBRACKET;
    return token;
}
