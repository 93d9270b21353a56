/* twofold.h - numbers of about 31 digits, as the sum of two doubles (Dekker 1971). */
#ifndef KI_TWOFOLD_H
#define KI_TWOFOLD_H

#include <math.h>

typedef struct ki_twofold {
    double high, low;
} ki_twofold;

/* |high| is far above |low|. */
static inline ki_twofold ki_twofold_of(double high, double low) {
    double sum = high + low;
    return (ki_twofold){sum, low - (sum - high)};
}

static inline ki_twofold ki_twofold_add(ki_twofold a, ki_twofold b) {
    double sum = a.high + b.high, part = sum - a.high;
    double rest = (a.high - (sum - part)) + (b.high - part);
    return ki_twofold_of(sum, rest + (a.low + b.low));
}

static inline ki_twofold ki_twofold_multiply(ki_twofold a, ki_twofold b) {
    double product = a.high * b.high, rest = fma(a.high, b.high, -product);
    return ki_twofold_of(product, rest + (a.high * b.low + a.low * b.high));
}

static inline ki_twofold ki_twofold_negative(ki_twofold a) {
    return (ki_twofold){-a.high, -a.low};
}

/* Of 1 / x where x is a double. */
static inline ki_twofold ki_twofold_reciprocal(double x) {
    double first = 1 / x;
    return ki_twofold_of(first, fma(-first, x, 1) / x);
}

#endif
