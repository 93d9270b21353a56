#include "linalg/combination.h"

#include <stddef.h>

#include "base/four.h"

ki_combination ki_combination_of(int count, const double *weights, double *const *k) {
    ki_combination c = {0};
    for (int j = 0; j < count; j++)
        if (weights[j] != 0)
            c.term[c.used++] = (struct ki_term){weights[j], k[j]};
    return c;
}

/* sum += `terms` products from number j on, of four components from i on. */
KI_INLINE void add_terms(const ki_combination *c, int j, int terms, int i, ki_four *sum) {
    const struct ki_term *a = c->term + j;
    ki_four part = a[0].weight * *ki_const_four_at(a[0].k, i);
    if (terms > 1)
        part += a[1].weight * *ki_const_four_at(a[1].k, i);
    if (terms == 3)
        part += a[2].weight * *ki_const_four_at(a[2].k, i);
    if (terms == 4)
        part += a[2].weight * *ki_const_four_at(a[2].k, i) + a[3].weight * *ki_const_four_at(a[3].k, i);
    *sum += part;
}

/* Up to sixteen components: names, as arrays do not always stay in registers. */
typedef struct sums {
    ki_four a, b, c, d;
} sums;

KI_INLINE void add_to_sums(const ki_combination *c, int j, int terms, int i, int fours, sums *sum) {
    add_terms(c, j, terms, i, &sum->a);
    if (fours > 1)
        add_terms(c, j, terms, i + KI_FOUR, &sum->b);
    if (fours > 2)
        add_terms(c, j, terms, i + 2 * KI_FOUR, &sum->c);
    if (fours > 3)
        add_terms(c, j, terms, i + 3 * KI_FOUR, &sum->d);
}

/* out = (y + h sum) + weight k */
KI_INLINE void finish(double h, const ki_four *sum, const double *y, double weight, const double *k,
                      double *out, int i) {
    ki_four all = h * *sum;
    if (y)
        all += *ki_const_four_at(y, i);
    if (k)
        all += weight * *ki_const_four_at(k, i);
    *ki_four_at(out, i) = all;
}

/* The combination for `fours` times four components from i on, each with all of its terms: no sum leaves its
 * register, and the weights are loaded once. */
KI_INLINE void combine_fours(const ki_combination *c, double h, const double *y, double *out, int i,
                             int fours) {
    sums sum = {{0}, {0}, {0}, {0}};
    int j = 0, others = c->used - 1;
    const double *k = others >= 0 ? c->term[others].k : NULL;
    double weight = k ? h * c->term[others].weight : 0;
    for (; j + 4 <= others; j += 4)
        add_to_sums(c, j, 4, i, fours, &sum);
    if (others - j == 1)
        add_to_sums(c, j, 1, i, fours, &sum);
    else if (others - j == 2)
        add_to_sums(c, j, 2, i, fours, &sum);
    else if (others - j == 3)
        add_to_sums(c, j, 3, i, fours, &sum);
    finish(h, &sum.a, y, weight, k, out, i);
    if (fours > 1)
        finish(h, &sum.b, y, weight, k, out, i + KI_FOUR);
    if (fours > 2)
        finish(h, &sum.c, y, weight, k, out, i + 2 * KI_FOUR);
    if (fours > 3)
        finish(h, &sum.d, y, weight, k, out, i + 3 * KI_FOUR);
}

/* Short vectors have functions of their own, which find all they need in registers. */
KI_TWICE static void combine_1(const ki_combination *c, double h, const double *y, double *out) {
    combine_fours(c, h, y, out, 0, 1);
}

KI_TWICE static void combine_2(const ki_combination *c, double h, const double *y, double *out) {
    combine_fours(c, h, y, out, 0, 2);
}

KI_TWICE static void combine_3(const ki_combination *c, double h, const double *y, double *out) {
    combine_fours(c, h, y, out, 0, 3);
}

KI_TWICE static void combine_4(const ki_combination *c, double h, const double *y, double *out) {
    combine_fours(c, h, y, out, 0, 4);
}

KI_TWICE static void combine(const ki_combination *c, int n, double h, const double *y, double *out) {
    int i = 0, fours = ki_padded(n) / KI_FOUR;
    for (; fours >= 4; fours -= 4, i += 4 * KI_FOUR)
        combine_fours(c, h, y, out, i, 4);
    for (; fours > 0; fours--, i += KI_FOUR)
        combine_fours(c, h, y, out, i, 1);
}

void ki_combine(const ki_combination *c, int n, double h, const double *y, double *out) {
    if (n > 4 * KI_FOUR)
        combine(c, n, h, y, out);
    else if (n > 3 * KI_FOUR)
        combine_4(c, h, y, out);
    else if (n > 2 * KI_FOUR)
        combine_3(c, h, y, out);
    else if (n > KI_FOUR)
        combine_2(c, h, y, out);
    else
        combine_1(c, h, y, out);
}
