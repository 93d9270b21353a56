/* combination.h - y + h sum_j weight_j k_j: what a row of a tableau does with the rates of its stages. The
 * last term is added last, (y + h sum of the others) + (h weight) k: it belongs to the stage that was just
 * evaluated, and nothing but one product and one sum waits for it. */
#ifndef KI_COMBINATION_H
#define KI_COMBINATION_H

enum { KI_TERMS_MAX = 16 };

/* The weights that are not zero, and their rates. src/native/emit_stages.c writes this struct down once more,
 * for the compiler. */
typedef struct ki_combination {
    int used;
    struct ki_term {
        double weight;
        const double *k;
    } term[KI_TERMS_MAX];
} ki_combination;

/* Of `count` weights and rates. */
ki_combination ki_combination_of(int count, const double *weights, double *const *k);

/* out [n] = y + h sum_j weight_j k_j, y = NULL: zero. All vectors have room for whole fours (four.h), which
 * are filled. `out` may be y. */
void ki_combine(const ki_combination *c, int n, double h, const double *y, double *out);

#endif
