/* shorten_classes.c - classes of equal functions, found by their normal forms. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/shorten.h"

void ki_classes_free(ki_classes *all) {
    ki_forms_free(&all->forms);
    free(all->at);
    free(all->way);
    free(all->by_form.slot);
    free(all->by_residue.slot);
    free(all->by_ratio.slot);
    free(all->by_way.slot);
    free(all->near);
    *all = (ki_classes){0};
}

/* ---- keys */

static uint64_t hash_of_way(const ki_way *w) {
    uint64_t h = ki_shorten_mix((uint64_t)w->op), bits;
    memcpy(&bits, &w->number, sizeof bits);
    h = ki_shorten_mix(h ^ bits);
    for (int i = 0; i < 3; i++)
        h = ki_shorten_mix(h ^ (uint64_t)(uint32_t)w->arg[i]);
    return h;
}

/* The same for a function and its negative. Residues are as good as random: they are their own hash. */
static uint32_t unsigned_residue(uint32_t r) {
    uint32_t minus = ki_residue_minus(r);
    return r < minus ? r : minus;
}

/* Most residues that are looked for are not there: one look tells. */
enum { NEAR_BITS = 16, HAS_VALUE = 1, HAS_RATIO = 2 };

static uint8_t *near_at(const ki_classes *all, uint32_t key) {
    return &all->near[key & ((1u << NEAR_BITS) - 1)];
}

static void put_class(ki_classes *all, int c) {
    const ki_class *x = &all->at[c];
    ki_index_put(&all->by_form, ki_forms_hash(&all->forms, x->form), c);
    ki_index_put(&all->by_residue, unsigned_residue(x->residue.at[0]), c);
    ki_index_put(&all->by_ratio, x->ratio, c);
    *near_at(all, unsigned_residue(x->residue.at[0])) |= HAS_VALUE;
    *near_at(all, x->ratio) |= HAS_RATIO;
}

static bool reserve_keys(ki_classes *all) {
    if (!all->near) {
        all->near = ki_expr_resize(NULL, (size_t)1 << NEAR_BITS, sizeof *all->near);
        if (!all->near)
            return false;
        memset(all->near, 0, (size_t)1 << NEAR_BITS);
    }
    if (ki_index_is_full(&all->by_form)) {
        if (!ki_index_enlarge(&all->by_form) || !ki_index_enlarge(&all->by_residue) ||
            !ki_index_enlarge(&all->by_ratio))
            return false;
        for (int c = 0; c < all->count; c++)
            put_class(all, c);
    }
    if (ki_index_is_full(&all->by_way)) {
        if (!ki_index_enlarge(&all->by_way))
            return false;
        for (int i = 0; i < all->way_count; i++)
            ki_index_put(&all->by_way, hash_of_way(&all->way[i]), i);
    }
    return true;
}

/* Room for one more class and way. */
static bool reserve(ki_classes *all) {
    all->failed = all->failed || all->forms.failed ||
                  !ki_expr_reserve(&all->at, &all->capacity, all->count + 1, sizeof *all->at) ||
                  !ki_expr_reserve(&all->way, &all->way_capacity, all->way_count + 1, sizeof *all->way) ||
                  !reserve_keys(all);
    return !all->failed;
}

/* ---- finding */

static int find_way(const ki_classes *all, const ki_way *w) {
    uint64_t hash = hash_of_way(w);
    for (int step = 0;; step++) {
        int i = ki_index_at(&all->by_way, hash, step);
        if (i == KI_NONE)
            return KI_NONE;
        const ki_way *other = &all->way[i];
        if (other->op == w->op && !memcmp(other->arg, w->arg, sizeof w->arg) &&
            !memcmp(&other->number, &w->number, sizeof w->number))
            return i;
    }
}

/* The class with this form, as a reference with its sign. */
static ki_ref find_form(const ki_classes *all, ki_form form) {
    uint64_t hash = ki_forms_hash(&all->forms, form);
    for (int step = 0;; step++) {
        int c = ki_index_at(&all->by_form, hash, step);
        if (c == KI_NONE)
            return KI_NONE;
        int sign = ki_forms_compare(&all->forms, all->at[c].form, form);
        if (sign)
            return 2 * c + (sign < 0);
    }
}

/* ---- adding */

/* The sum of relative errors. */
static double error_of(const ki_sample *s) {
    double sum = 0;
    for (int k = 0; k < KI_POINTS; k++)
        sum += s->rounding[k] / (DBL_MIN + fabs(s->value[k]));
    return sum;
}

static void add_way(ki_classes *all, ki_way w) {
    int i = all->way_count++;
    ki_class *c = &all->at[w.of];
    w.next = KI_NONE;
    all->way[i] = w;
    ki_index_put(&all->by_way, hash_of_way(&w), i);
    if (c->first == KI_NONE)
        c->first = i;
    else
        all->way[c->last].next = i;
    c->last = i;
    if (error_of(&w.sample) >= error_of(&c->sample))
        return;
    c->sample = w.sample;
    if (!all->searching)
        memcpy(c->rounding, w.sample.rounding, sizeof c->rounding);
}

static uint32_t ratio_of(ki_residue r) {
    return ki_residue_times(r.at[1], ki_residue_inverse(r.at[0]));
}

static ki_ref new_class(ki_classes *all, ki_form form, ki_way w) {
    int c = w.of = all->count++;
    ki_residue residue = ki_forms_residue(&all->forms, form);
    all->at[c] = (ki_class){.form = form,
                            .residue = residue,
                            .ratio = ratio_of(residue),
                            .sample = w.sample,
                            .first = KI_NONE,
                            .last = KI_NONE};
    memcpy(all->at[c].rounding, w.sample.rounding, sizeof w.sample.rounding);
    put_class(all, c);
    add_way(all, w);
    return 2 * c;
}

/* -f of a way for f: the minus goes into an argument. False: it cannot. */
static bool negate(ki_way *w) {
    if (w->op == KI_ADD) {
        ki_ref first = w->arg[0] ^ 1, second = w->arg[1] ^ 1;
        bool swap = first & 1 && !(second & 1);
        w->arg[0] = swap ? second : first;
        w->arg[1] = swap ? first : second;
    } else if (w->op == KI_MUL || w->op == KI_DIV || w->op == KI_SIN) {
        w->arg[w->op == KI_MUL] ^= 1;
    } else {
        return false;
    }
    w->sample = ki_sample_negative(&w->sample);
    return true;
}

/* One more way for a function that is known. */
static void add_to(ki_classes *all, ki_ref same, ki_way w) {
    if ((same & 1 && !negate(&w)) || find_way(all, &w) != KI_NONE)
        return;
    w.of = ki_class_of(same);
    add_way(all, w);
}

/* A way to a function of this form, made after `mark`. No form: it is a class of its own. */
static ki_ref add(ki_classes *all, ki_way w, int mark, ki_form form) {
    double number;
    if (form.count < 0)
        form = ki_forms_class(&all->forms, all->count);
    if (!reserve(all))
        return KI_NONE;
    if (w.op != KI_NUMBER && ki_forms_is_number(&all->forms, form, &number)) {
        ki_forms_keep(&all->forms, mark, (ki_form){0, 0});
        return ki_classes_number(all, number);
    }
    ki_ref known = find_form(all, form);
    if (known == KI_NONE)
        return new_class(all, ki_forms_keep(&all->forms, mark, form), w);
    ki_forms_keep(&all->forms, mark, (ki_form){0, 0});
    add_to(all, known, w);
    return known;
}

ki_ref ki_classes_number(ki_classes *all, double value) {
    double size = fabs(value);
    ki_way w = {.op = KI_NUMBER,
                .arg = {KI_NONE, KI_NONE, KI_NONE},
                .number = size,
                .sample = ki_sample_of_number(size)};
    if (!reserve(all))
        return KI_NONE;
    int known = find_way(all, &w), mark = all->forms.terms;
    ki_ref x =
        known != KI_NONE ? 2 * all->way[known].of : add(all, w, mark, ki_forms_number(&all->forms, size));
    return x == KI_NONE ? x : x ^ (value < 0);
}

ki_ref ki_classes_symbol(ki_classes *all, int id) {
    ki_way w = {.op = KI_SYMBOL, .arg = {id, KI_NONE, KI_NONE}, .sample = ki_sample_of_symbol(id)};
    if (!reserve(all))
        return KI_NONE;
    int known = find_way(all, &w), mark = all->forms.terms;
    return known != KI_NONE ? 2 * all->way[known].of
                            : add(all, w, mark, ki_forms_class(&all->forms, all->count));
}

/* ---- operations */

bool ki_classes_is_number(const ki_classes *all, ki_ref x, double *value) {
    const ki_way *w = &all->way[all->at[ki_class_of(x)].first];
    *value = x & 1 ? -w->number : w->number;
    return w->op == KI_NUMBER;
}

static ki_sample sample_of_ref(const ki_classes *all, ki_ref x) {
    const ki_sample *s = &all->at[ki_class_of(x)].sample;
    return x & 1 ? ki_sample_negative(s) : *s;
}

static bool is_neutral(const ki_classes *all, ki_op op, ki_ref x) {
    double value;
    return ki_classes_is_number(all, x, &value) && value == (op == KI_MUL);
}

/* One of the forms that differ by signs and order only: a minus in front, which is returned, and the rest. */
static int straighten(ki_op op, ki_ref arg[3]) {
    int minus = 0;
    bool swap = false;
    if (op == KI_MUL || op == KI_DIV) {
        minus = (arg[0] ^ arg[1]) & 1;
        arg[0] &= ~1, arg[1] &= ~1;
        swap = op == KI_MUL && arg[1] < arg[0];
    } else if (op == KI_SIN || op == KI_COS) {
        minus = op == KI_SIN && arg[0] & 1;
        arg[0] &= ~1;
    } else if (op == KI_ADD) {
        minus = arg[0] & arg[1] & 1;
        arg[0] ^= minus, arg[1] ^= minus;
        swap = arg[0] & 1 || (!(arg[1] & 1) && arg[1] < arg[0]);
    }
    if (swap) {
        ki_ref first = arg[0];
        arg[0] = arg[1], arg[1] = first;
    }
    return minus;
}

/* Of straightened arguments: only the second one of a sum may have a minus. */
static ki_form form_of(ki_classes *all, ki_op op, const ki_ref arg[3]) {
    ki_forms *f = &all->forms;
    int first = ki_class_of(arg[0]), second = ki_op_arity(op) > 1 ? ki_class_of(arg[1]) : first;
    ki_form a = all->at[first].form, b = all->at[second].form;
    switch (op) {
    case KI_ADD: {
        ki_form sum = ki_forms_sum(f, a, b, (arg[0] ^ arg[1]) & 1);
        if (arg[0] & 1 && sum.count > 0)
            return ki_forms_negative(f, sum);
        return sum;
    }
    case KI_MUL:
        return ki_forms_product(f, a, b);
    case KI_DIV:
        return ki_forms_quotient(f, a, b, second);
    case KI_SIN:
    case KI_COS:
        return ki_forms_turn(f, a, first, op == KI_SIN);
    default:
        return (ki_form){0, -1};
    }
}

static ki_sample sample_of(const ki_classes *all, ki_op op, const ki_ref arg[3]) {
    ki_sample sample[3] = {0};
    for (int i = 0; i < ki_op_arity(op); i++)
        sample[i] = sample_of_ref(all, arg[i]);
    return ki_sample_of(op, arg, sample);
}

/* x^n by squaring, as on a tape */
static ki_ref whole_power(ki_classes *all, ki_ref x, int n) {
    if (n == 1 || x == KI_NONE)
        return x;
    ki_ref half = whole_power(all, x, n / 2), even = ki_classes_apply(all, KI_MUL, half, half, KI_NONE);
    return n % 2 ? ki_classes_apply(all, KI_MUL, even, x, KI_NONE) : even;
}

static ki_ref apply_straight(ki_classes *all, ki_op op, const ki_ref arg[3]) {
    ki_way w = {.op = op, .arg = {arg[0], arg[1], arg[2]}};
    if (!reserve(all))
        return KI_NONE;
    int known = find_way(all, &w), mark = all->forms.terms;
    if (known != KI_NONE)
        return 2 * all->way[known].of;
    w.sample = sample_of(all, op, arg);
    return add(all, w, mark, form_of(all, op, arg));
}

ki_ref ki_classes_apply(ki_classes *all, ki_op op, ki_ref a, ki_ref b, ki_ref c) {
    ki_ref arg[3] = {a, b, c};
    double n;
    for (int i = 0; i < ki_op_arity(op); i++)
        if (arg[i] == KI_NONE)
            return KI_NONE;
    if (op == KI_NEG)
        return a ^ 1;
    if (op == KI_POW && ki_classes_is_number(all, b, &n) && n >= 1 && n <= KI_LARGEST_PRODUCT_POWER &&
        n == floor(n))
        return whole_power(all, a, (int)n);
    if (op == KI_SUB) {
        op = KI_ADD;
        arg[1] ^= 1;
    }
    int minus = straighten(op, arg);
    for (int i = 0; (op == KI_MUL || op == KI_ADD) && i < 2; i++)
        if (is_neutral(all, op, arg[i]))
            return arg[1 - i] ^ minus;
    ki_ref x = apply_straight(all, op, arg);
    return x == KI_NONE ? x : x ^ minus;
}

/* ---- noticing */

/* Residue k of x + y or x y. */
static inline uint32_t residue_of(const ki_classes *all, ki_op op, ki_ref x, ki_ref y, int k) {
    uint32_t a = all->at[ki_class_of(x)].residue.at[k], b = all->at[ki_class_of(y)].residue.at[k];
    if (op == KI_MUL)
        return ki_residue_times(a, b);
    return ki_residue_plus(a, (x ^ y) & 1 ? ki_residue_minus(b) : b);
}

/* Whether a class with the residues of x + y or x y exists, up to the sign. */
static bool may_be_class(const ki_classes *all, ki_op op, ki_ref x, ki_ref y) {
    uint32_t first = unsigned_residue(residue_of(all, op, x, y, 0)), second;
    if (!(*near_at(all, first) & HAS_VALUE))
        return false;
    second = unsigned_residue(residue_of(all, op, x, y, 1));
    for (int step = 0;; step++) {
        int c = ki_index_at(&all->by_residue, first, step);
        if (c == KI_NONE)
            return false;
        const ki_residue *s = &all->at[c].residue;
        if (unsigned_residue(s->at[0]) == first && unsigned_residue(s->at[1]) == second)
            return true;
    }
}

void ki_classes_notice(ki_classes *all, ki_op op, ki_ref x, ki_ref y) {
    ki_ref arg[3] = {x, y, KI_NONE};
    if (!may_be_class(all, op, x, y) || !reserve(all))
        return;
    straighten(op, arg);
    ki_way w = {.op = op, .arg = {arg[0], arg[1], KI_NONE}};
    if (find_way(all, &w) != KI_NONE)
        return;
    int mark = all->forms.terms;
    ki_form form = form_of(all, op, arg);
    ki_ref known = form.count < 0 ? KI_NONE : find_form(all, form);
    ki_forms_keep(&all->forms, mark, (ki_form){0, 0});
    if (known == KI_NONE)
        return;
    w.sample = sample_of(all, op, arg);
    add_to(all, known, w);
}

/* Class c as a multiple of x y, if it is one. That is a class itself then. */
static void try_multiple(ki_classes *all, int c, ki_ref x, ki_ref y) {
    enum { MOST_PRODUCTS = 64 }; /* long ones are hardly ever multiples by a double */
    double factor;
    int mark = all->forms.terms;
    if (all->at[ki_class_of(x)].form.count * all->at[ki_class_of(y)].form.count > MOST_PRODUCTS)
        return;
    ki_form product =
        ki_forms_product(&all->forms, all->at[ki_class_of(x)].form, all->at[ki_class_of(y)].form);
    bool found = ki_forms_is_multiple(&all->forms, product, all->at[c].form, &factor);
    ki_forms_keep(&all->forms, mark, (ki_form){0, 0});
    if (!found)
        return;
    ki_ref of = ki_classes_apply(all, KI_MUL, x, y, KI_NONE), number = ki_classes_number(all, factor);
    if (of != KI_NONE && number != KI_NONE)
        ki_classes_notice(all, KI_MUL, number & ~1, of);
}

void ki_classes_notice_multiple(ki_classes *all, ki_ref x, ki_ref y) {
    uint32_t wanted = ki_residue_times(all->at[ki_class_of(x)].ratio, all->at[ki_class_of(y)].ratio);
    if (!wanted || !(*near_at(all, wanted) & HAS_RATIO))
        return;
    uint32_t product = unsigned_residue(residue_of(all, KI_MUL, x, y, 0));
    for (int step = 0;; step++) {
        int c = ki_index_at(&all->by_ratio, wanted, step);
        if (c == KI_NONE)
            return;
        if (all->at[c].ratio != wanted)
            continue;
        if (unsigned_residue(all->at[c].residue.at[0]) != product) /* else it is a class itself */
            try_multiple(all, c, x, y);
        return;
    }
}
