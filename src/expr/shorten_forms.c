/* shorten_forms.c - sums, products and turns of forms (shorten_forms.h). */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/graph.h"
#include "expr/shorten_forms.h"

/* What is longer is not compared: the products that are added up for one form, its terms, and the terms of
 * all forms together. */
enum { MOST_PRODUCTS = 4096, MOST_TERMS = 256, MOST_IN_ALL = 1 << 21 };

/* Mantissas of fewer bits are coefficients. */
enum { SHORT_MANTISSA = 20 };

/* Angles are taken apart up to this many terms, each up to this multiple. */
enum { MOST_ANGLES = 4, LARGEST_MULTIPLE = 3 };

static const ki_form NO_FORM = {0, -1};

/* ---- coefficients */

/* The mantissa becomes odd. */
static ki_term odd(ki_term t) {
    while (t.mantissa && !(t.mantissa & 1)) {
        t.mantissa /= 2;
        t.exponent++;
    }
    return t;
}

static bool times(int64_t a, int64_t b, int64_t *product) {
    if (a && llabs(b) > INT64_MAX / llabs(a))
        return false;
    *product = a * b;
    return true;
}

/* a 2^shift */
static bool shifted(int64_t a, int shift, int64_t *result) {
    return shift < 62 && times(a, (int64_t)1 << shift, result);
}

/* *a += b, of the same monomial. False: it overflows. */
static bool add_to_term(ki_term *a, ki_term b) {
    int64_t x = a->mantissa, y = b.mantissa;
    int exponent = a->exponent < b.exponent ? a->exponent : b.exponent;
    if (!x || !y) {
        *a = x ? *a : b;
        return true;
    }
    if (!shifted(x, a->exponent - exponent, &x) || !shifted(y, b.exponent - exponent, &y) ||
        (y > 0 ? x > INT64_MAX - y : x < -INT64_MAX - y))
        return false;
    *a = odd((ki_term){a->monomial, exponent, x + y});
    return true;
}

/* ---- making a form: terms come in any order */

static bool reserve_terms(ki_forms *f, int more) {
    f->failed = f->failed || !ki_expr_reserve(&f->term, &f->term_capacity, f->terms + more, sizeof *f->term);
    return !f->failed;
}

/* To the terms from `first` on. */
static bool put_term(ki_forms *f, int first, ki_term t) {
    int at = f->place[t.monomial];
    if (at != KI_NONE)
        return add_to_term(&f->term[at], t);
    if (f->terms - first >= MOST_PRODUCTS || !reserve_terms(f, 1))
        return false;
    f->place[t.monomial] = f->terms;
    f->term[f->terms++] = t;
    return true;
}

static int by_monomial(const void *a, const void *b) {
    int x = ((const ki_term *)a)->monomial, y = ((const ki_term *)b)->monomial;
    return (x > y) - (x < y);
}

/* The terms from `first` on become a form. */
static ki_form close_form(ki_forms *f, int first, bool good) {
    int count = 0;
    for (int i = first; i < f->terms; i++) {
        ki_term t = f->term[i];
        f->place[t.monomial] = KI_NONE;
        if (t.mantissa)
            f->term[first + count++] = t;
    }
    f->terms = first;
    if (!good || f->failed || count > MOST_TERMS || first > MOST_IN_ALL)
        return NO_FORM;
    if (count > 1)
        qsort(f->term + first, (size_t)count, sizeof *f->term, by_monomial);
    f->terms += count;
    return (ki_form){first, count};
}

static ki_form one_term(ki_forms *f, ki_term t) {
    int first = f->terms;
    return close_form(f, first, t.monomial != KI_NONE && put_term(f, first, t));
}

/* t times 1 - c^2 for each squared sine, of which `squares` are left */
static bool put_squared(ki_forms *f, int first, ki_term t, const int *squared, int squares) {
    int none[KI_MOST_SQUARED], more;
    if (!squares)
        return put_term(f, first, t);
    int square = ki_forms_power(f, squared[0], 2);
    int with = square == KI_NONE ? KI_NONE : ki_forms_times(f, t.monomial, square, none, &more);
    return with != KI_NONE && put_squared(f, first, t, squared + 1, squares - 1) &&
           put_squared(f, first, (ki_term){with, t.exponent, -t.mantissa}, squared + 1, squares - 1);
}

static bool put_product(ki_forms *f, int first, ki_term a, ki_term b) {
    int squared[KI_MOST_SQUARED], squares;
    ki_term t = {ki_forms_times(f, a.monomial, b.monomial, squared, &squares), a.exponent + b.exponent, 0};
    return t.monomial != KI_NONE && squares <= KI_MOST_SQUARED &&
           times(a.mantissa, b.mantissa, &t.mantissa) && put_squared(f, first, t, squared, squares);
}

/* ---- forms */

static bool is_form(ki_form a) {
    return a.count >= 0;
}

ki_form ki_forms_keep(ki_forms *f, int first, ki_form a) {
    if (a.count > 0)
        memmove(f->term + first, f->term + a.first, (size_t)a.count * sizeof *f->term);
    f->terms = first + (a.count > 0 ? a.count : 0);
    return (ki_form){first, a.count};
}

ki_form ki_forms_number(ki_forms *f, double value) {
    int exponent, one = ki_forms_one(f);
    double fraction = frexp(value, &exponent);
    if (!isfinite(value) || one == KI_NONE)
        return NO_FORM;
    ki_term t = odd((ki_term){one, exponent - 53, (int64_t)ldexp(fraction, 53)});
    if (!t.mantissa)
        return (ki_form){f->terms, 0};
    if (llabs(t.mantissa) >> SHORT_MANTISSA) {
        t.monomial =
            ki_forms_power(f, ki_forms_atom(f, (ki_atom){.kind = KI_ATOM_NUMBER, .a = llabs(t.mantissa)}), 1);
        t.mantissa = t.mantissa < 0 ? -1 : 1;
    }
    return one_term(f, t);
}

ki_form ki_forms_class(ki_forms *f, int class_number) {
    int atom = ki_forms_atom(f, (ki_atom){.kind = KI_ATOM_CLASS, .a = class_number});
    return one_term(f, (ki_term){ki_forms_power(f, atom, 1), 0, 1});
}

ki_form ki_forms_negative(ki_forms *f, ki_form a) {
    int first = f->terms;
    if (!is_form(a) || !reserve_terms(f, a.count))
        return NO_FORM;
    for (int i = 0; i < a.count; i++) {
        ki_term t = f->term[a.first + i];
        t.mantissa = -t.mantissa;
        f->term[f->terms++] = t;
    }
    return (ki_form){first, a.count};
}

ki_form ki_forms_sum(ki_forms *f, ki_form a, ki_form b, bool minus) {
    int first = f->terms, i = 0, j = 0;
    bool good = is_form(a) && is_form(b) && reserve_terms(f, a.count + b.count);
    while (good && (i < a.count || j < b.count)) {
        ki_term x = i < a.count ? f->term[a.first + i] : (ki_term){INT_MAX, 0, 0};
        ki_term y = j < b.count ? f->term[b.first + j] : (ki_term){INT_MAX, 0, 0};
        int monomial = x.monomial < y.monomial ? x.monomial : y.monomial;
        if (minus)
            y.mantissa = -y.mantissa;
        ki_term sum = x.monomial == monomial ? x : y;
        if (x.monomial == y.monomial)
            good = add_to_term(&sum, y);
        i += x.monomial == monomial;
        j += y.monomial == monomial;
        if (sum.mantissa)
            f->term[f->terms++] = sum;
    }
    ki_form result = {first, f->terms - first};
    if (good && result.count <= MOST_TERMS && first <= MOST_IN_ALL)
        return result;
    f->terms = first;
    return NO_FORM;
}

ki_form ki_forms_product(ki_forms *f, ki_form a, ki_form b) {
    int first = f->terms;
    bool good = is_form(a) && is_form(b) && a.count * b.count <= MOST_PRODUCTS;
    for (int i = 0; good && i < a.count; i++)
        for (int j = 0; good && j < b.count; j++)
            good = put_product(f, first, f->term[a.first + i], f->term[b.first + j]);
    return close_form(f, first, good);
}

/* Division by a power of two is exact; 1 / b is an atom otherwise. */
ki_form ki_forms_quotient(ki_forms *f, ki_form a, ki_form b, int class_b) {
    int first = f->terms;
    ki_form inverse;
    if (!is_form(a) || !is_form(b))
        return NO_FORM;
    ki_term divisor = b.count == 1 ? f->term[b.first] : (ki_term){0};
    if (divisor.monomial == 0 && divisor.mantissa == 1) {
        inverse = one_term(f, (ki_term){0, -divisor.exponent, 1});
    } else {
        int atom = ki_forms_atom(f, (ki_atom){.kind = KI_ATOM_INVERSE, .a = class_b});
        inverse = one_term(f, (ki_term){ki_forms_power(f, atom, 1), 0, 1});
    }
    ki_form quotient = ki_forms_product(f, a, inverse);
    if (!is_form(quotient))
        f->terms = first;
    return quotient;
}

/* ---- turns */

typedef struct turn {
    ki_form cosine, sine;
} turn;

static turn turn_of_angle(ki_forms *f, ki_atom angle) {
    angle.kind = KI_ATOM_COSINE;
    int cosine = ki_forms_atom(f, angle);
    angle.kind = KI_ATOM_SINE;
    int sine = ki_forms_atom(f, angle);
    return (turn){one_term(f, (ki_term){ki_forms_power(f, cosine, 1), 0, 1}),
                  one_term(f, (ki_term){ki_forms_power(f, sine, 1), 0, 1})};
}

static turn add_turns(ki_forms *f, turn a, turn b) {
    return (turn){
        ki_forms_sum(f, ki_forms_product(f, a.cosine, b.cosine), ki_forms_product(f, a.sine, b.sine), true),
        ki_forms_sum(f, ki_forms_product(f, a.sine, b.cosine), ki_forms_product(f, a.cosine, b.sine), false)};
}

/* A small whole multiple of a monomial is that many turns by it. */
static turn turn_of_term(ki_forms *f, ki_term t) {
    int64_t size = llabs(t.mantissa), multiple = 1;
    if (t.exponent >= 0 && shifted(size, t.exponent, &multiple) && multiple <= LARGEST_MULTIPLE) {
        size = 1;
        t.exponent = 0;
    } else {
        multiple = 1;
    }
    turn once = turn_of_angle(f, (ki_atom){.a = size, .b = t.monomial, .c = t.exponent}), all = once;
    for (int i = 1; i < multiple; i++)
        all = add_turns(f, all, once);
    if (t.mantissa < 0)
        all.sine = ki_forms_negative(f, all.sine);
    return all;
}

ki_form ki_forms_turn(ki_forms *f, ki_form a, int class_a, bool sine) {
    turn all = {ki_forms_number(f, 1), ki_forms_number(f, 0)};
    bool apart = is_form(a) && a.count <= MOST_ANGLES;
    for (int i = 0; apart && i < a.count; i++)
        all = add_turns(f, all, turn_of_term(f, f->term[a.first + i]));
    if (!apart || !is_form(all.sine) || !is_form(all.cosine))
        all = turn_of_angle(f, (ki_atom){.a = 1, .b = -1 - class_a});
    return sine ? all.sine : all.cosine;
}

/* ---- looking at forms */

static bool as_double(ki_term t, double *value) {
    *value = ldexp((double)t.mantissa, t.exponent);
    return llabs(t.mantissa) <= (int64_t)1 << 53 && isfinite(*value) &&
           (fabs(*value) >= 0x1p-1000 || !t.mantissa);
}

/* The number a monomial is: 1, or one atom. */
static bool number_of(const ki_forms *f, int monomial, int64_t *number) {
    const ki_monomial *m = &f->monomial[monomial];
    *number = 1;
    if (m->count == 0)
        return true;
    const ki_power *p = &f->power[m->first];
    const ki_atom *x = &f->atom[p->atom];
    *number = x->a;
    return m->count == 1 && p->power == 1 && x->kind == KI_ATOM_NUMBER;
}

static bool as_number(const ki_forms *f, ki_term t, double *value) {
    int64_t number;
    return number_of(f, t.monomial, &number) && times(number, t.mantissa, &t.mantissa) && as_double(t, value);
}

bool ki_forms_is_number(const ki_forms *f, ki_form a, double *value) {
    *value = 0;
    return a.count == 0 || (a.count == 1 && as_number(f, f->term[a.first], value));
}

/* Coefficients of b over those of a, the same for all terms. */
static bool is_scaled(const ki_forms *f, ki_form a, ki_form b, ki_term *ratio) {
    const ki_term *x = f->term + a.first, *y = f->term + b.first;
    if (a.count != b.count || a.count < 1 || y->mantissa % x->mantissa)
        return false;
    *ratio = (ki_term){0, y->exponent - x->exponent, y->mantissa / x->mantissa};
    for (int i = 0; i < a.count; i++) {
        int64_t scaled;
        if (x[i].monomial != y[i].monomial || y[i].exponent - x[i].exponent != ratio->exponent ||
            !times(x[i].mantissa, ratio->mantissa, &scaled) || scaled != y[i].mantissa)
            return false;
    }
    return true;
}

/* a times a number atom p, which b has in its first term */
static bool is_multiple_by(ki_forms *f, ki_form a, ki_form b, int atom, double *number) {
    int first = f->terms;
    ki_term ratio, one = {ki_forms_power(f, atom, 1), 0, 1};
    ki_form by = one_term(f, one), product = ki_forms_product(f, a, by);
    bool found = is_form(product) && is_scaled(f, product, b, &ratio);
    if (found) {
        ratio.monomial = one.monomial;
        found = as_number(f, ratio, number);
    }
    f->terms = first;
    return found;
}

bool ki_forms_is_multiple(ki_forms *f, ki_form a, ki_form b, double *number) {
    ki_term ratio;
    if (a.count != b.count || a.count < 1)
        return false;
    if (is_scaled(f, a, b, &ratio))
        return as_double(ratio, number);
    ki_monomial m = f->monomial[f->term[b.first].monomial];
    for (int i = 0; i < m.count && !f->failed; i++) {
        int atom = f->power[m.first + i].atom;
        if (f->atom[atom].kind == KI_ATOM_NUMBER && is_multiple_by(f, a, b, atom, number))
            return true;
    }
    return false;
}

int ki_forms_compare(const ki_forms *f, ki_form a, ki_form b) {
    if (a.count != b.count)
        return 0;
    const ki_term *x = f->term + a.first, *y = f->term + b.first;
    int sign = a.count && x->mantissa == -y->mantissa ? -1 : 1;
    for (int i = 0; i < a.count; i++)
        if (x[i].monomial != y[i].monomial || x[i].exponent != y[i].exponent ||
            x[i].mantissa != sign * y[i].mantissa)
            return 0;
    return sign;
}

uint64_t ki_forms_hash(const ki_forms *f, ki_form a) {
    uint64_t h = ki_shorten_mix((uint64_t)a.count);
    for (int i = 0; i < a.count; i++) {
        const ki_term *t = &f->term[a.first + i];
        bool minus = f->term[a.first].mantissa < 0;
        h = ki_shorten_mix(h ^ ((uint64_t)(uint32_t)t->monomial << 32 | (uint32_t)t->exponent));
        h = ki_shorten_mix(h ^ (uint64_t)(minus ? -t->mantissa : t->mantissa));
    }
    return h;
}

/* 2^31 is 1. */
static uint32_t residue_of_coefficient(const ki_term *t) {
    uint32_t size = (uint32_t)((uint64_t)llabs(t->mantissa) % KI_PRIME);
    size = ki_residue_times(size, 1u << ((t->exponent % 31 + 31) % 31));
    return t->mantissa < 0 ? ki_residue_minus(size) : size;
}

ki_residue ki_forms_residue(const ki_forms *f, ki_form a) {
    ki_residue r = {{0}};
    for (int i = 0; i < a.count; i++) {
        const ki_term *t = &f->term[a.first + i];
        uint32_t coefficient = residue_of_coefficient(t);
        for (int k = 0; k < KI_RESIDUES; k++) {
            uint32_t at = f->monomial[t->monomial].residue.at[k];
            r.at[k] = ki_residue_plus(r.at[k], ki_residue_times(coefficient, at));
        }
    }
    return r;
}
