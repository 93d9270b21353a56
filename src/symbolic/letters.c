/* letters.c - see letters.h. */
#include "symbolic/letters.h"

#include <assert.h>

static ki_node rate_of(void *user, int id) {
    const ki_letters *l = user;
    return id >= l->first ? l->letter[id - l->first].rate : number(l->g, id == l->u);
}

static ki_node plain_of(void *user, int id) {
    const ki_letters *l = user;
    return id >= l->first ? l->letter[id - l->first].plain : ki_symbol(l->g, id);
}

ki_node ki_by_u(ki_letters *l, ki_node formula) {
    return ki_total(l->g, formula, rate_of, l);
}

ki_node ki_plain(ki_letters *l, ki_node formula) {
    return ki_substitute(l->g, formula, plain_of, l);
}

ki_node ki_letter_with(ki_letters *l, ki_node formula, ki_node rate) {
    assert(l->count < l->most);
    l->letter[l->count] = (ki_letter){rate, ki_plain(l, formula)};
    return ki_symbol(l->g, l->first + l->count++);
}

ki_node ki_letter_of(ki_letters *l, ki_node formula) {
    return ki_is_number(l->g, formula, NULL) ? formula : ki_letter_with(l, formula, ki_by_u(l, formula));
}

static void find_id(void *user, int id) {
    *(int *)user = id;
}

void ki_letter_rate(ki_letters *l, ki_node letter, ki_node rate) {
    int id = l->first;
    if (letter == KI_NONE)
        return;
    ki_symbols_of(l->g, letter, find_id, &id);
    l->letter[id - l->first].rate = rate;
}
