/* shorten_values.c - what ways to compute a function round off, at points of all sizes.
 *
 * With u the rounding of one operation, r the result and e_a, e_b the errors of the arguments,
 *
 *     a + b:  e_a + e_b + u |r|        a b:  |a| e_b + |b| e_a + u |r|        sin a:  e_a + u
 */
#include <math.h>

#include "expr/shorten.h"

static const double ROUNDED = 0x1p-53;

/* 0 .. 1 */
static double fraction(uint64_t h) {
    return (double)(h >> 11) * 0x1p-53;
}

/* Either sign. Of order 1 at the first points; near 0 and near a quarter of a turn, where differences of
 * sines and cosines lose digits; then of all sizes that units may give. */
static double random_number(uint64_t seed, int point) {
    static const int LARGEST = 40; /* powers of two */
    uint64_t h = ki_shorten_mix(seed * KI_POINTS + (uint64_t)point), more = ki_shorten_mix(h);
    double x = fraction(more), size;
    if (point < 2)
        size = 0.3 + 1.7 * x;
    else if (point == 2)
        size = 0x1p-10 * (0.3 + x);
    else if (point == 3)
        size = 1.57 + 0x1p-10 * x;
    else
        size = ldexp(0.5 + x, (int)(ki_shorten_mix(more) % (uint64_t)(2 * LARGEST + 1)) - LARGEST);
    return h & 1 ? -size : size;
}

static ki_sample random_sample(uint64_t seed) {
    ki_sample s;
    for (int k = 0; k < KI_POINTS; k++) {
        s.value[k] = random_number(seed, k);
        s.rounding[k] = ROUNDED * fabs(s.value[k]);
    }
    return s;
}

ki_sample ki_sample_of_symbol(int id) {
    ki_sample s = random_sample(ki_shorten_mix((uint64_t)id));
    for (int k = 0; k < KI_POINTS; k++)
        s.rounding[k] = 0;
    return s;
}

/* Whole numbers are meant as they are. */
ki_sample ki_sample_of_number(double value) {
    ki_sample s;
    for (int k = 0; k < KI_POINTS; k++) {
        s.value[k] = value;
        s.rounding[k] = value == rint(value) ? 0 : 2 * ROUNDED * fabs(value);
    }
    return s;
}

ki_sample ki_sample_negative(const ki_sample *a) {
    ki_sample s = *a;
    for (int k = 0; k < KI_POINTS; k++)
        s.value[k] = -s.value[k];
    return s;
}

static ki_sample sum_of(const ki_sample *a, const ki_sample *b) {
    ki_sample s;
    for (int k = 0; k < KI_POINTS; k++) {
        s.value[k] = a->value[k] + b->value[k];
        s.rounding[k] = a->rounding[k] + b->rounding[k] + ROUNDED * fabs(s.value[k]);
    }
    return s;
}

static ki_sample product_of(const ki_sample *a, const ki_sample *b) {
    ki_sample s;
    for (int k = 0; k < KI_POINTS; k++) {
        double x = fabs(a->value[k]), y = fabs(b->value[k]);
        s.value[k] = a->value[k] * b->value[k];
        s.rounding[k] = x * b->rounding[k] + y * a->rounding[k] + ROUNDED * x * y;
    }
    return s;
}

static uint64_t seed_of(ki_op op, const ki_ref ref[3]) {
    uint64_t h = ki_shorten_mix(1000000007u + (uint64_t)op);
    for (int i = 0; i < ki_op_arity(op); i++)
        h = ki_shorten_mix(h ^ (uint64_t)(uint32_t)ref[i]);
    return h;
}

static ki_sample turned(ki_op op, const ki_sample *a) {
    ki_sample s;
    for (int k = 0; k < KI_POINTS; k++) {
        s.value[k] = ki_op_value(op, a->value[k], 0, 0);
        s.rounding[k] = fmin(a->rounding[k] + ROUNDED, 1);
    }
    return s;
}

/* The size of the other operations does not matter: all ways have them with the same arguments. */
ki_sample ki_sample_of(ki_op op, const ki_ref ref[3], const ki_sample arg[3]) {
    ki_sample inverse;
    switch (op) {
    case KI_ADD:
        return sum_of(&arg[0], &arg[1]);
    case KI_MUL:
        return product_of(&arg[0], &arg[1]);
    case KI_DIV:
        inverse = random_sample(seed_of(KI_DIV, (const ki_ref[3]){ref[1], ref[1], KI_NONE}));
        return product_of(&arg[0], &inverse);
    case KI_SIN:
    case KI_COS:
        return turned(op, &arg[0]);
    default:
        return random_sample(seed_of(op, ref));
    }
}
