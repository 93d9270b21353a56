/* shorten_classes.c - classes of equal functions, found by value. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/shorten.h"

enum { FIRST_SIZE = 256, CELL_BITS = 20, NEAR_BITS = 18, HAS_VALUE = 1, HAS_RATIO = 2 };

void ki_classes_free(ki_classes *all) {
    free(all->at);
    free(all->way);
    free(all->by_value.slot);
    free(all->by_ratio.slot);
    free(all->by_way.slot);
    free(all->near);
    *all = (ki_classes){0};
}

/* ---- keys */

/* Values that agree are in the same cell or in neighbours: a cell is 2^20 units in the last place wide. */
static uint64_t cell_of(double value) {
    uint64_t bits;
    value = fabs(value);
    memcpy(&bits, &value, sizeof bits);
    return bits >> CELL_BITS;
}

static double first_value(const ki_sample *s) {
    return s->value[0].high;
}

/* The same for all multiples of a function. */
static double ratio_of(const ki_sample *s) {
    return s->value[1].high / s->value[0].high;
}

static uint64_t hash_of_way(const ki_way *w) {
    uint64_t h = ki_shorten_mix((uint64_t)w->op), bits;
    memcpy(&bits, &w->number, sizeof bits);
    h = ki_shorten_mix(h ^ bits);
    for (int i = 0; i < 3; i++)
        h = ki_shorten_mix(h ^ (uint64_t)(uint32_t)w->arg[i]);
    return h;
}

static int *slot_at(const ki_index *index, uint64_t hash, int step) {
    return &index->slot[(hash + (uint64_t)step) & ((uint64_t)index->size - 1)];
}

static void put(ki_index *index, uint64_t hash, int item) {
    int step = 0;
    while (*slot_at(index, hash, step) != KI_NONE)
        step++;
    *slot_at(index, hash, step) = item;
    index->taken++;
}

/* Twice the size, empty. */
static bool enlarge(ki_index *index) {
    int size = index->size ? 2 * index->size : FIRST_SIZE;
    int *slot = ki_expr_resize(index->slot, (size_t)size, sizeof *slot);
    if (!slot)
        return false;
    for (int i = 0; i < size; i++)
        slot[i] = KI_NONE;
    *index = (ki_index){slot, size, 0};
    return true;
}

static bool is_full(const ki_index *index) {
    return 2 * (index->taken + 1) > index->size;
}

/* Most values that are looked for are not there: one look tells. */
static uint8_t *near_at(const ki_classes *all, uint64_t cell) {
    return &all->near[cell * 0x9e3779b97f4a7c15u >> (64 - NEAR_BITS)];
}

static void put_near(ki_classes *all, double key, int bit) {
    for (uint64_t cell = cell_of(key) - 1; cell != cell_of(key) + 2; cell++)
        *near_at(all, cell) |= (uint8_t)bit;
}

static void put_class(ki_classes *all, int c) {
    const ki_sample *s = &all->at[c].sample;
    put_near(all, first_value(s), HAS_VALUE);
    put_near(all, ratio_of(s), HAS_RATIO);
    put(&all->by_value, ki_shorten_mix(cell_of(first_value(s))), c);
    put(&all->by_ratio, ki_shorten_mix(cell_of(ratio_of(s))), c);
}

static bool reserve_keys(ki_classes *all) {
    if (!all->near) {
        all->near = ki_expr_resize(NULL, (size_t)1 << NEAR_BITS, sizeof *all->near);
        if (!all->near)
            return false;
        memset(all->near, 0, (size_t)1 << NEAR_BITS);
    }
    if (is_full(&all->by_value)) {
        if (!enlarge(&all->by_value) || !enlarge(&all->by_ratio))
            return false;
        for (int c = 0; c < all->count; c++)
            put_class(all, c);
    }
    if (is_full(&all->by_way)) {
        if (!enlarge(&all->by_way))
            return false;
        for (int i = 0; i < all->way_count; i++)
            put(&all->by_way, hash_of_way(&all->way[i]), i);
    }
    return true;
}

/* Room for one more class and way. */
static bool reserve(ki_classes *all) {
    all->failed = all->failed ||
                  !ki_expr_reserve(&all->at, &all->capacity, all->count + 1, sizeof *all->at) ||
                  !ki_expr_reserve(&all->way, &all->way_capacity, all->way_count + 1, sizeof *all->way) ||
                  !reserve_keys(all);
    return !all->failed;
}

/* ---- finding */

static int find_way(const ki_classes *all, const ki_way *w) {
    uint64_t hash = hash_of_way(w);
    for (int step = 0;; step++) {
        int i = *slot_at(&all->by_way, hash, step);
        if (i == KI_NONE)
            return KI_NONE;
        const ki_way *other = &all->way[i];
        if (other->op == w->op && !memcmp(other->arg, w->arg, sizeof w->arg) &&
            !memcmp(&other->number, &w->number, sizeof w->number))
            return i;
    }
}

/* Goes through the classes whose key is near: the next one after `from`, which starts as {0, 0}; KI_NONE: no
 * more. */
typedef struct looking {
    int neighbour, step;
} looking;

static int next_near(const ki_classes *all, const ki_index *index, double (*key)(const ki_sample *s),
                     double wanted, looking *from) {
    for (; from->neighbour < 3; from->neighbour++, from->step = 0) {
        uint64_t cell = cell_of(wanted) + (uint64_t)from->neighbour - 1, hash = ki_shorten_mix(cell);
        for (;;) {
            int c = *slot_at(index, hash, from->step++);
            if (c == KI_NONE)
                break;
            uint64_t apart = cell_of(key(&all->at[c].sample)) - cell_of(wanted) + 2;
            if (apart <= 4)
                return c;
        }
    }
    return KI_NONE;
}

/* The class of these values, as a reference with its sign; KI_NONE: there is none. */
static ki_ref find_value(const ki_classes *all, const ki_sample *s) {
    looking at = {0, 0};
    for (;;) {
        int c = next_near(all, &all->by_value, first_value, first_value(s), &at);
        if (c == KI_NONE)
            return KI_NONE;
        int sign = ki_samples_agree(s, &all->at[c].sample);
        if (sign)
            return 2 * c + (sign < 0);
    }
}

/* ---- adding */

/* The sum of relative errors. */
static double error_of(const ki_sample *s) {
    double sum = 0;
    for (int k = 0; k < KI_POINTS; k++)
        sum += s->rounding[k] / (DBL_MIN + fabs(s->value[k].high));
    return sum;
}

static void add_way(ki_classes *all, ki_way w) {
    int i = all->way_count++;
    ki_class *c = &all->at[w.of];
    w.next = KI_NONE;
    all->way[i] = w;
    put(&all->by_way, hash_of_way(&w), i);
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

static ki_ref new_class(ki_classes *all, ki_way w) {
    int c = w.of = all->count++;
    all->at[c] = (ki_class){.sample = w.sample, .first = KI_NONE, .last = KI_NONE};
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

static ki_ref add(ki_classes *all, ki_way w) {
    if (!reserve(all))
        return KI_NONE;
    int known = find_way(all, &w);
    if (known != KI_NONE)
        return 2 * all->way[known].of;
    double number;
    if (w.op != KI_NUMBER && ki_sample_is_zero(&w.sample))
        return ki_classes_number(all, 0);
    if (w.op != KI_NUMBER && ki_sample_is_number(&w.sample, &number))
        return ki_classes_number(all, number);
    ki_ref same = find_value(all, &w.sample);
    if (same == KI_NONE)
        return new_class(all, w);
    add_to(all, same, w);
    return same;
}

ki_ref ki_classes_number(ki_classes *all, double value) {
    double size = fabs(value);
    ki_ref x = add(all, (ki_way){.op = KI_NUMBER,
                                 .arg = {KI_NONE, KI_NONE, KI_NONE},
                                 .number = size,
                                 .sample = ki_sample_of_number(size)});
    return x == KI_NONE ? x : x ^ (value < 0);
}

ki_ref ki_classes_symbol(ki_classes *all, int id) {
    return add(all,
               (ki_way){.op = KI_SYMBOL, .arg = {id, KI_NONE, KI_NONE}, .sample = ki_sample_of_symbol(id)});
}

/* ---- operations */

static ki_sample sample_of_ref(const ki_classes *all, ki_ref x) {
    const ki_sample *s = &all->at[ki_class_of(x)].sample;
    return x & 1 ? ki_sample_negative(s) : *s;
}

static bool is_number(const ki_classes *all, ki_ref x, double *value) {
    const ki_way *w = &all->way[all->at[ki_class_of(x)].first];
    *value = x & 1 ? -w->number : w->number;
    return w->op == KI_NUMBER;
}

static bool is_neutral(const ki_classes *all, ki_op op, ki_ref x) {
    double value;
    return is_number(all, x, &value) && value == (op == KI_MUL);
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

static ki_way way_of(const ki_classes *all, ki_op op, const ki_ref arg[3]) {
    ki_sample sample[3] = {0};
    ki_way w = {.op = op, .arg = {arg[0], arg[1], arg[2]}};
    for (int i = 0; i < ki_op_arity(op); i++)
        sample[i] = sample_of_ref(all, arg[i]);
    w.sample = ki_sample_of(op, arg, sample);
    return w;
}

/* x^n by squaring, as on a tape */
static ki_ref whole_power(ki_classes *all, ki_ref x, int n) {
    if (n == 1 || x == KI_NONE)
        return x;
    ki_ref half = whole_power(all, x, n / 2), even = ki_classes_apply(all, KI_MUL, half, half, KI_NONE);
    return n % 2 ? ki_classes_apply(all, KI_MUL, even, x, KI_NONE) : even;
}

ki_ref ki_classes_apply(ki_classes *all, ki_op op, ki_ref a, ki_ref b, ki_ref c) {
    ki_ref arg[3] = {a, b, c};
    double n;
    for (int i = 0; i < ki_op_arity(op); i++)
        if (arg[i] == KI_NONE)
            return KI_NONE;
    if (op == KI_NEG)
        return a ^ 1;
    if (op == KI_POW && is_number(all, b, &n) && n >= 1 && n <= KI_LARGEST_PRODUCT_POWER && n == floor(n))
        return whole_power(all, a, (int)n);
    if (op == KI_SUB) {
        op = KI_ADD;
        arg[1] ^= 1;
    }
    int minus = straighten(op, arg);
    for (int i = 0; (op == KI_MUL || op == KI_ADD) && i < 2; i++)
        if (is_neutral(all, op, arg[i]))
            return arg[1 - i] ^ minus;
    ki_ref x = add(all, way_of(all, op, arg));
    return x == KI_NONE ? x : x ^ minus;
}

/* ---- noticing */

/* Whether a class with such a key may exist. */
static bool is_there(const ki_classes *all, const ki_index *index, double (*key)(const ki_sample *s),
                     double wanted, int bit) {
    looking at = {0, 0};
    return *near_at(all, cell_of(wanted)) & bit && next_near(all, index, key, wanted, &at) != KI_NONE;
}

void ki_classes_notice(ki_classes *all, ki_op op, ki_ref x, ki_ref y) {
    double a = first_value(&all->at[ki_class_of(x)].sample), b = first_value(&all->at[ki_class_of(y)].sample);
    double wanted = op == KI_MUL ? a * b : (x & 1 ? -a : a) + (y & 1 ? -b : b);
    ki_ref arg[3] = {x, y, KI_NONE};
    if (!is_there(all, &all->by_value, first_value, wanted, HAS_VALUE) || !reserve(all))
        return;
    straighten(op, arg);
    if (find_way(all, &(ki_way){.op = op, .arg = {arg[0], arg[1], arg[2]}}) != KI_NONE)
        return;
    ki_way w = way_of(all, op, arg);
    ki_ref same = find_value(all, &w.sample);
    if (same != KI_NONE)
        add_to(all, same, w);
}

/* Class c as a multiple of x y, if it is one. */
static void try_multiple(ki_classes *all, int c, ki_ref x, ki_ref y) {
    const ki_sample *a = &all->at[ki_class_of(x)].sample, *b = &all->at[ki_class_of(y)].sample;
    const ki_sample *wanted = &all->at[c].sample;
    for (int k = 1; k < KI_POINTS; k++) {
        double ratio = wanted->value[k].high / wanted->value[0].high;
        double found = a->value[k].high * b->value[k].high / (a->value[0].high * b->value[0].high);
        if (!(fabs(ratio - found) <= 1e-10 * fabs(ratio)))
            return;
    }
    double factor = wanted->value[0].high / (a->value[0].high * b->value[0].high);
    ki_ref product = ki_classes_apply(all, KI_MUL, x, y, KI_NONE), number = ki_classes_number(all, factor);
    if (product != KI_NONE && number != KI_NONE)
        ki_classes_notice(all, KI_MUL, number & ~1, product);
}

void ki_classes_notice_multiple(ki_classes *all, ki_ref x, ki_ref y) {
    const ki_sample *a = &all->at[ki_class_of(x)].sample, *b = &all->at[ki_class_of(y)].sample;
    double wanted = ratio_of(a) * ratio_of(b);
    looking at = {0, 0};
    if (!is_there(all, &all->by_ratio, ratio_of, wanted, HAS_RATIO))
        return;
    int c = next_near(all, &all->by_ratio, ratio_of, wanted, &at);
    try_multiple(all, c, x, y);
}
