/* letters.h - symbols that stand for formulas of one coordinate u, with their derivatives by u.
 *
 * Formulas that are made of other ones several steps long would be differentiated through all steps again and
 * again. A letter stands for such a formula and knows its derivative, which is often shorter than what the
 * rules of differentiation give: the root S of f has the derivative f' / 2S, and 1 / S, of which many
 * formulas are made, is a letter, too. In the end every letter is replaced by what it stands for. */
#ifndef KI_SYMBOLIC_LETTERS_H
#define KI_SYMBOLIC_LETTERS_H

#include "symbolic/algebra.h"

typedef struct ki_letter {
    ki_node rate;  /* by u, with letters */
    ki_node plain; /* without letters */
} ki_letter;

typedef struct ki_letters {
    ki_graph *g;
    int u;     /* the symbol of u */
    int first; /* the symbol of the first letter */
    int count, most;
    ki_letter *letter; /* [most] */
} ki_letters;

/* The letter of a formula; its derivative follows from the rules. Numbers and symbols stay what they are. */
ki_node ki_letter_of(ki_letters *l, ki_node formula);

/* The same with a derivative that is known, or set later; KI_NONE until then. */
ki_node ki_letter_with(ki_letters *l, ki_node formula, ki_node rate);
void ki_letter_rate(ki_letters *l, ki_node letter, ki_node rate);

/* The derivative of a formula by u, with letters. */
ki_node ki_by_u(ki_letters *l, ki_node formula);

/* The formula without letters. */
ki_node ki_plain(ki_letters *l, ki_node formula);

#endif
