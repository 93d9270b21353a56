/* shorten_forms.h - polynomials in normal form: what two formulas are compared by.
 *
 * A form is a sum of terms
 *
 *     mantissa 2^exponent a_1^p_1 a_2^p_2 ...          mantissa odd, different terms different monomials
 *
 * over atoms: symbols, numbers, the sine and cosine of an angle, and whatever else a formula has, of which
 * nothing is assumed but that it is equal to itself. A number with a short mantissa is a coefficient; any
 * other one is an atom, so that nothing follows from numbers that are nearly related: 0.1 + 0.2 is not 0.3,
 * and cos^2 + sin^2 of a drawn angle is not 1. Of sines it is known that
 *
 *     s^2 = 1 - c^2,   sin(a + b) = s_a c_b + c_a s_b,   cos(a + b) = c_a c_b - s_a s_b
 *
 * and s^2 is always replaced, so a function has one form only. All arithmetic is exact. What would overflow,
 * or has more terms than is worth it, has no form.
 *
 * Residues are the values of forms at two points in the field of whole numbers modulo 2^31 - 1, of which
 * equal functions have equal ones. They tell cheaply that two functions are not equal; that they are is
 * told by their forms alone.
 */
#ifndef KI_SHORTEN_FORMS_H
#define KI_SHORTEN_FORMS_H

#include <stdbool.h>
#include <stdint.h>

enum { KI_RESIDUES = 2 };

typedef struct ki_residue {
    uint32_t at[KI_RESIDUES];
} ki_residue;

typedef struct ki_term {
    int monomial, exponent;
    int64_t mantissa;
} ki_term;

/* Terms first .. first + count - 1 of the table, by increasing monomial. count 0: the form of 0; -1: there is
 * none. */
typedef struct ki_form {
    int first, count;
} ki_form;

typedef enum ki_atom_kind {
    KI_ATOM_NUMBER,
    KI_ATOM_CLASS,
    KI_ATOM_INVERSE,
    KI_ATOM_COSINE,
    KI_ATOM_SINE
} ki_atom_kind;

/* a: mantissa of a number; class; angles a 2^c times monomial b, or, with b < 0, class -1 - b. The cosine
 * of an angle stands before its sine. */
typedef struct ki_atom {
    ki_atom_kind kind;
    int b, c;
    int64_t a;
    ki_residue residue;
} ki_atom;

typedef struct ki_power {
    int atom, power;
} ki_power;

/* Powers by increasing atom. Monomial 0 is 1. */
typedef struct ki_monomial {
    int first, count;
    ki_residue residue;
} ki_monomial;

/* Places by a hash; -1: free. A power of two of them, at most half taken. */
typedef struct ki_index {
    int *slot;
    int size, taken;
} ki_index;

typedef struct ki_forms {
    ki_atom *atom;
    int atoms, atom_capacity;
    ki_power *power;
    int powers, power_capacity;
    ki_monomial *monomial;
    int monomials, monomial_capacity;
    ki_term *term;
    int terms, term_capacity;
    ki_index by_atom, by_monomial;
    int *place, place_capacity; /* of a monomial among the terms that are being made; -1: not there */
    bool failed;                /* out of memory */
} ki_forms;

void ki_forms_free(ki_forms *f);

ki_form ki_forms_number(ki_forms *f, double value);
ki_form ki_forms_class(ki_forms *f, int class_number); /* an atom of its own */
ki_form ki_forms_sum(ki_forms *f, ki_form a, ki_form b, bool minus);
ki_form ki_forms_product(ki_forms *f, ki_form a, ki_form b);

/* a / b, where b is the form of a class */
ki_form ki_forms_quotient(ki_forms *f, ki_form a, ki_form b, int class_b);

/* sin or cos of a, which is the form of a class */
ki_form ki_forms_turn(ki_forms *f, ki_form a, int class_a, bool sine);

/* The terms of `a` again, with the other sign. */
ki_form ki_forms_negative(ki_forms *f, ki_form a);

/* Whether `a` is a number, a double exactly. */
bool ki_forms_is_number(const ki_forms *f, ki_form a, double *value);

/* Whether b is a number times a, a double exactly. */
bool ki_forms_is_multiple(ki_forms *f, ki_form a, ki_form b, double *number);

/* 1: they are the same; -1: but for the sign; 0: they are not. */
int ki_forms_compare(const ki_forms *f, ki_form a, ki_form b);
uint64_t ki_forms_hash(const ki_forms *f, ki_form a); /* the same for a form and its negative */
ki_residue ki_forms_residue(const ki_forms *f, ki_form a);

/* Forgets all forms from `first` on but a, which may have another place then. */
ki_form ki_forms_keep(ki_forms *f, int first, ki_form a);

/* ---- atoms and monomials, for shorten_forms.c */

/* The atom that is equal to x, made if there is none. The cosine of an angle is asked for before its sine,
 * which then is the next atom. KI_NONE when out of memory. */
int ki_forms_atom(ki_forms *f, ki_atom x);

int ki_forms_one(ki_forms *f);
int ki_forms_power(ki_forms *f, int atom, int power);

/* The product of two monomials is the result times 1 - c^2 for each cosine c in squared[]; if there are more
 * than KI_MOST_SQUARED, *squares tells, and the result is not to be used. */
enum { KI_MOST_SQUARED = 4 };
int ki_forms_times(ki_forms *f, int m, int n, int squared[KI_MOST_SQUARED], int *squares);

/* ---- tables and residues, for all files shorten*.c */

/* Every bit of the result depends on every bit of h. */
uint64_t ki_shorten_mix(uint64_t h);

void ki_index_put(ki_index *index, uint64_t hash, int item);
bool ki_index_is_full(const ki_index *index);
bool ki_index_enlarge(ki_index *index); /* twice the size, empty; false when out of memory */

static inline int ki_index_at(const ki_index *index, uint64_t hash, int step) {
    return index->slot[(hash + (uint64_t)step) & ((uint64_t)index->size - 1)];
}

#define KI_PRIME 0x7fffffffu

static inline uint32_t ki_residue_times(uint32_t a, uint32_t b) {
    uint64_t product = (uint64_t)a * b, folded = (product & KI_PRIME) + (product >> 31);
    return (uint32_t)(folded >= KI_PRIME ? folded - KI_PRIME : folded);
}

static inline uint32_t ki_residue_plus(uint32_t a, uint32_t b) {
    uint32_t sum = a + b;
    return sum >= KI_PRIME ? sum - KI_PRIME : sum;
}

static inline uint32_t ki_residue_minus(uint32_t a) {
    return a ? KI_PRIME - a : 0;
}

uint32_t ki_residue_inverse(uint32_t a);

#endif
