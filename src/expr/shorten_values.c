/* shorten_values.c - values at random points and bounds of their errors.
 *
 * Values have about 31 digits. With u one unit of their last place, r the result and e_a, e_b the errors of
 * the arguments,
 *
 *     a + b:  e_a + e_b + u |r|        a b:  |a| e_b + |b| e_a + u |r|        sin a:  e_a + u
 *
 * and by the same rules, but from numbers that may be wrong by the last digit of a double, the noise:
 * formulas that agree to the noise only are equal for a user who meant cos 30deg and not the double next to
 * it.
 */
#include <float.h>

#include "expr/shorten.h"

static const double U = 0x1p-98;       /* sums of two doubles are not rounded to their last place */
static const double ROUNDED = 0x1p-53; /* doubles are */

/* What is compared to the noise must stand well above it at as many points as tell functions apart. */
static const double SIGNIFICANT = 1e-11;
enum { POINTS_ENOUGH = 5 };

uint64_t ki_shorten_mix(uint64_t h) {
    h += 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    return h ^ h >> 31;
}

/* 0 .. 1 */
static double fraction(uint64_t h) {
    return (double)(h >> 11) * 0x1p-53;
}

/* Either sign. Of order 1 at the first points; near 0 and near a quarter of a turn, where differences of
 * sines and cosines lose digits; then of all sizes: where one symbol is small and another one large, a small
 * coefficient shows. */
static double random_number(uint64_t seed, int point) {
    uint64_t h = ki_shorten_mix(seed * KI_POINTS + (uint64_t)point);
    double x = fraction(ki_shorten_mix(h)), size;
    if (point < 2)
        size = 0.3 + 1.7 * x;
    else if (point == 2)
        size = 1e-3 * (0.3 + x);
    else if (point == 3)
        size = 1.57 + 1e-3 * x;
    else
        size = pow(10, 5 * x - 3);
    return h & 1 ? -size : size;
}

static ki_sample random_sample(uint64_t seed) {
    ki_sample s = {0};
    for (int k = 0; k < KI_POINTS; k++)
        s.value[k].high = random_number(seed, k);
    return s;
}

ki_sample ki_sample_of_symbol(int id) {
    return random_sample(ki_shorten_mix((uint64_t)id));
}

/* Whole numbers are meant as they are. */
ki_sample ki_sample_of_number(double value) {
    ki_sample s = {0};
    double noise = value == rint(value) ? 0 : DBL_EPSILON * fabs(value);
    for (int k = 0; k < KI_POINTS; k++) {
        s.value[k].high = value;
        s.noise[k] = s.rounding[k] = noise;
    }
    return s;
}

ki_sample ki_sample_negative(const ki_sample *a) {
    ki_sample s = *a;
    for (int k = 0; k < KI_POINTS; k++)
        s.value[k] = ki_twofold_negative(s.value[k]);
    return s;
}

static ki_sample sum_of(const ki_sample *a, const ki_sample *b) {
    ki_sample s;
    for (int k = 0; k < KI_POINTS; k++) {
        s.value[k] = ki_twofold_add(a->value[k], b->value[k]);
        s.error[k] = a->error[k] + b->error[k] + U * fabs(s.value[k].high);
        s.noise[k] = a->noise[k] + b->noise[k];
        s.rounding[k] = a->rounding[k] + b->rounding[k] + ROUNDED * fabs(s.value[k].high);
    }
    return s;
}

static ki_sample product_of(const ki_sample *a, const ki_sample *b) {
    ki_sample s;
    for (int k = 0; k < KI_POINTS; k++) {
        double x = fabs(a->value[k].high), y = fabs(b->value[k].high);
        s.value[k] = ki_twofold_multiply(a->value[k], b->value[k]);
        s.error[k] = x * b->error[k] + y * a->error[k] + U * x * y;
        s.noise[k] = x * b->noise[k] + y * a->noise[k];
        s.rounding[k] = x * b->rounding[k] + y * a->rounding[k] + ROUNDED * x * y;
    }
    return s;
}

/* sin x and cos x for |x| <= 0.4, by their series */
static void small_sine(ki_twofold x, ki_twofold *sine, ki_twofold *cosine) {
    enum { TERMS = 28 }; /* 0.4^29 / 29! is less than 1e-42 */
    ki_twofold term = {1, 0}, sum[2] = {{1, 0}, {0, 0}};
    for (int n = 1; n <= TERMS; n++) {
        term = ki_twofold_multiply(ki_twofold_multiply(term, x), ki_twofold_reciprocal(n));
        sum[n % 2] = ki_twofold_add(sum[n % 2], n % 4 < 2 ? term : ki_twofold_negative(term));
    }
    *cosine = sum[0];
    *sine = sum[1];
}

/* Turns are taken off, then eighths of the angle doubled: sin 2x = 2 sin x cos x, cos 2x = 1 - 2 sin^2 x */
static void sine_of(ki_twofold x, ki_twofold *sine, ki_twofold *cosine) {
    static const ki_twofold TURN = {6.283185307179586477, 2.4492935982947064e-16}, ONE = {1, 0};
    ki_twofold turns = {-rint(x.high / TURN.high), 0}, s, c;
    x = ki_twofold_add(x, ki_twofold_multiply(turns, TURN));
    small_sine((ki_twofold){x.high / 8, x.low / 8}, &s, &c);
    for (int i = 0; i < 3; i++) {
        ki_twofold twice = {-2 * s.high, -2 * s.low}, square = ki_twofold_multiply(twice, s);
        s = ki_twofold_negative(ki_twofold_multiply(twice, c));
        c = ki_twofold_add(ONE, square);
    }
    *sine = s;
    *cosine = c;
}

/* What is almost constant at the points is no angle to learn from: cos(1e-9 x) is not 1. */
static bool turns(const ki_sample *a) {
    double low = a->value[0].high, high = low;
    for (int k = 1; k < KI_POINTS; k++) {
        low = fmin(low, a->value[k].high);
        high = fmax(high, a->value[k].high);
    }
    return low == high || high - low > 0.5;
}

static uint64_t seed_of(ki_op op, const ki_ref ref[3]) {
    uint64_t h = ki_shorten_mix(1000000007u + (uint64_t)op);
    for (int i = 0; i < ki_op_arity(op); i++)
        h = ki_shorten_mix(h ^ (uint64_t)(uint32_t)ref[i]);
    return h;
}

/* The argument has no minus (straighten in shorten_classes.c). */
static ki_sample turned(ki_op op, const ki_ref ref[3], const ki_sample *a) {
    static const double LARGEST_ANGLE = 1e4, ERROR = 1e-26; /* as far as 2 pi has its digits */
    ki_sample s = turns(a) ? *a : random_sample(seed_of(KI_SIN, ref));
    for (int k = 0; k < KI_POINTS; k++) {
        ki_twofold sine, cosine;
        bool large = !(fabs(s.value[k].high) < LARGEST_ANGLE);
        sine_of(large ? (ki_twofold){1, 0} : s.value[k], &sine, &cosine);
        s.error[k] = large ? 1 : fmin(s.error[k] + ERROR, 1);
        s.noise[k] = fmin(s.noise[k], 1);
        s.rounding[k] = fmin(s.rounding[k] + ROUNDED, 1);
        s.value[k] = op == KI_SIN ? sine : cosine;
    }
    return s;
}

/* a / b is a times some function of b, unless b is a number. */
static ki_sample quotient_of(const ki_ref ref[3], const ki_sample *a, const ki_sample *b) {
    double number;
    ki_sample inverse = random_sample(seed_of(KI_DIV, (const ki_ref[3]){ref[1], ref[1], KI_NONE}));
    if (ki_sample_is_number(b, &number) && number != 0) {
        ki_twofold reciprocal = ki_twofold_reciprocal(number);
        inverse = ki_sample_of_number(1 / number);
        for (int k = 0; k < KI_POINTS; k++)
            inverse.value[k] = reciprocal;
    }
    return product_of(a, &inverse);
}

ki_sample ki_sample_of(ki_op op, const ki_ref ref[3], const ki_sample arg[3]) {
    switch (op) {
    case KI_ADD:
        return sum_of(&arg[0], &arg[1]);
    case KI_MUL:
        return product_of(&arg[0], &arg[1]);
    case KI_DIV:
        return quotient_of(ref, &arg[0], &arg[1]);
    case KI_SIN:
    case KI_COS:
        return turned(op, ref, &arg[0]);
    default:
        return random_sample(seed_of(op, ref));
    }
}

static double difference(const ki_sample *a, const ki_sample *b, int sign, int k) {
    ki_twofold minus = sign > 0 ? ki_twofold_negative(b->value[k]) : b->value[k];
    return fabs(ki_twofold_add(a->value[k], minus).high);
}

static bool is_significant(const ki_sample *a, const double *error) {
    int good = 0;
    for (int k = 0; k < KI_POINTS; k++)
        good += error[k] <= SIGNIFICANT * fabs(a->value[k].high);
    return good >= POINTS_ENOUGH;
}

static bool agree(const ki_sample *a, const ki_sample *b, int sign, bool to_noise) {
    for (int k = 0; k < KI_POINTS; k++) {
        double bound = a->error[k] + b->error[k] + (to_noise ? a->noise[k] + b->noise[k] : 0);
        if (!(difference(a, b, sign, k) <= bound))
            return false;
    }
    return true;
}

int ki_samples_agree(const ki_sample *a, const ki_sample *b) {
    int sign = (a->value[0].high < 0) == (b->value[0].high < 0) ? 1 : -1;
    if (!is_significant(a, a->error) || !is_significant(b, b->error))
        return 0;
    bool to_noise = is_significant(a, a->noise) && is_significant(b, b->noise);
    return agree(a, b, sign, to_noise) ? sign : 0;
}

bool ki_sample_is_zero(const ki_sample *a) {
    for (int k = 0; k < KI_POINTS; k++)
        if (!isfinite(a->error[k]) || !(fabs(a->value[k].high) <= a->error[k] + a->noise[k]))
            return false;
    return true;
}

/* The shortest decimal number that is as good as x. */
static double shortest(double x, double error) {
    for (int digits = 0; x != 0 && digits < DBL_DIG; digits++) {
        double unit = pow(10, digits - floor(log10(fabs(x)))), rounded = rint(x * unit) / unit;
        if (fabs(rounded - x) <= error)
            return rounded;
    }
    return x;
}

bool ki_sample_is_number(const ki_sample *a, double *number) {
    int best = 0;
    for (int k = 1; k < KI_POINTS; k++)
        best = a->noise[k] < a->noise[best] ? k : best;
    ki_sample constant = *a;
    for (int k = 0; k < KI_POINTS; k++) {
        constant.value[k] = a->value[best];
        constant.error[k] = a->error[best];
        constant.noise[k] = a->noise[best];
    }
    double x = a->value[best].high;
    *number = shortest(x, a->error[best] + a->noise[best]);
    return agree(a, &constant, 1, true) && a->error[best] + a->noise[best] <= 1e-14 * fabs(x);
}
