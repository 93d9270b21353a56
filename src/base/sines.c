#include "base/sines.h"
#include "base/hints.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

KI_TWICE static void sines_cosines(int count, const double *restrict x, double *restrict sine,
                                   double *restrict cosine) {
    static const uint64_t MAGNITUDE = ~(uint64_t)0 >> 1;
    const uint64_t near = bits_of(KI_SINE_RANGE) - 1;
    uint64_t far = 0; /* the first bit: one of them is out of range, or NaN */
    for (int i = 0; i < count; i++) {
        double k, s, c;
        ki_sine_cosine_reduced(x[i], &k, &s, &c);
        /* k + 1.5 2^52 ends in the bits of k: the last one exchanges, the one before is a sign */
        const uint64_t quadrant = bits_of(k + 0x1.8p52), turned = -(quadrant & 1);
        const uint64_t exchange = (bits_of(s) ^ bits_of(c)) & turned;
        sine[i] = of_bits(bits_of(s) ^ exchange ^ (quadrant >> 1 << 63));
        cosine[i] = of_bits(bits_of(c) ^ exchange ^ ((quadrant + 1) >> 1 << 63));
        far |= near - (bits_of(x[i]) & MAGNITUDE);
    }
    for (int i = 0; i < count && far >> 63; i++)
        ki_sine_cosine(x[i], &sine[i], &cosine[i]);
}

void ki_sines_cosines(int count, const double *x, double *sine, double *cosine) {
    sines_cosines(count, x, sine, cosine);
}
