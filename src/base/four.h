/* four.h - four doubles at a time, or two: vectors of the compiler, whose operations are those of the single
 * numbers on every processor. Arrays for them are padded to whole fours. */
#ifndef KI_FOUR_H
#define KI_FOUR_H

#include "base/hints.h"

enum { KI_FOUR = 4 };

/* At any address. Passed by address only: how one is passed by value depends on the processor. */
typedef double ki_four __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long ki_four_bits __attribute__((vector_size(32), aligned(8), may_alias));

typedef double ki_two __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long ki_two_bits __attribute__((vector_size(16), aligned(8), may_alias));

/* n numbers fill so much of an array. */
static inline int ki_padded(int n) {
    return (n + KI_FOUR - 1) / KI_FOUR * KI_FOUR;
}

KI_INLINE ki_four *ki_four_at(double *x, int i) {
    return (ki_four *)(x + i);
}

KI_INLINE const ki_four *ki_const_four_at(const double *x, int i) {
    return (const ki_four *)(x + i);
}

KI_INLINE ki_two *ki_two_at(double *x, int i) {
    return (ki_two *)(x + i);
}

/* The last two numbers of x, then the first two of y. */
KI_INLINE void ki_four_between(ki_four *to, const ki_four *x, const ki_four *y) {
#if defined __clang__
    *to = __builtin_shufflevector(*x, *y, 2, 3, 4, 5);
#else
    *to = __builtin_shuffle(*x, *y, (ki_four_bits){2, 3, 4, 5});
#endif
}

/* most <- the larger one of |x| and most; a NaN stays. */
KI_INLINE void ki_four_most(ki_four *most, const ki_four *x) {
    static const long long MAGNITUDE = 0x7fffffffffffffff;
    ki_four_bits size_bits = *(const ki_four_bits *)x & MAGNITUDE;
    ki_four size = (ki_four)size_bits;
    ki_four_bits take = (size > *most) | (size != size);
    *most = (ki_four)((take & size_bits) | (~take & (ki_four_bits)*most));
}

KI_INLINE double ki_four_sum(const ki_four *x) {
    return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}

#endif
