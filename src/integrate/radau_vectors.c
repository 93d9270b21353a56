/* The vector operations of a Radau step, each in one pass over all stages: what a pass needs of the stages
 * stays in registers. Addresses and matrices are copied first: the compiler must take it that what is stored
 * may change them where they come from. */
#include "base/four.h"
#include "integrate/radau.h"

typedef const double (*matrix)[KI_RADAU_STAGES];

/* The i-th four of every stage */
KI_INLINE void load(int stages, double *const *x, int i, ki_four *out) {
    for (int s = 0; s < stages; s++)
        out[s] = *ki_const_four_at(x[s], i);
}

typedef struct addresses {
    double *of[KI_RADAU_STAGES];
} addresses;

KI_INLINE addresses copy_addresses(int stages, double *const *x) {
    addresses copy;
    for (int s = 0; s < stages; s++)
        copy.of[s] = x[s];
    return copy;
}

typedef struct weights {
    double of[KI_RADAU_STAGES][KI_RADAU_STAGES];
} weights;

KI_INLINE weights copy_weights(int stages, matrix A) {
    weights copy;
    for (int s = 0; s < stages; s++)
        for (int j = 0; j < stages; j++)
            copy.of[s][j] = A[s][j];
    return copy;
}

/* out = A x; the order of the sum is that of ki_radau_combine */
KI_INLINE void multiply(int stages, const weights *A, const ki_four *x, ki_four *out) {
    for (int s = 0; s < stages; s++) {
        const double *row = A->of[s];
        out[s] = row[0] * x[0] + row[1] * x[1];
        if (stages == 3)
            out[s] += row[2] * x[2];
        else
            out[s] = out[s] + (row[2] * x[2] + row[3] * x[3]) + row[4] * x[4];
    }
}

KI_INLINE void transform_stages(int stages, int padded, matrix A, double *const *x, double *const *out) {
    weights a = copy_weights(stages, A);
    addresses x_at = copy_addresses(stages, x), out_at = copy_addresses(stages, out);
    for (int i = 0; i < padded; i += KI_FOUR) {
        ki_four from[KI_RADAU_STAGES], to[KI_RADAU_STAGES];
        load(stages, x_at.of, i, from);
        multiply(stages, &a, from, to);
        for (int s = 0; s < stages; s++)
            *ki_four_at(out_at.of[s], i) = to[s];
    }
}

KI_TWICE static void transform(int stages, int padded, matrix A, double *const *x, double *const *out) {
    if (stages == 3)
        transform_stages(3, padded, A, x, out);
    else
        transform_stages(5, padded, A, x, out);
}

void ki_radau_transform(const ki_radau *self, matrix A, double *const *x, double *const *out) {
    transform(self->table->stages, self->padded, A, x, out);
}

/* F_1 <- g x_1 - W_1,  F_2 + i F_3 <- (a + ib) (x_2 + i x_3) - (W_2 + i W_3) with x = T^-1 F */
KI_INLINE void residual_stages(int stages, int padded, matrix T_inverse, const double *step, double *const *W,
                               double *const *F) {
    weights T = copy_weights(stages, T_inverse);
    addresses F_at = copy_addresses(stages, F), W_at = copy_addresses(stages, W);
    for (int i = 0; i < padded; i += KI_FOUR) {
        ki_four rate[KI_RADAU_STAGES], x[KI_RADAU_STAGES], w[KI_RADAU_STAGES];
        load(stages, F_at.of, i, rate);
        load(stages, W_at.of, i, w);
        multiply(stages, &T, rate, x);
        *ki_four_at(F_at.of[0], i) = step[0] * x[0] - w[0];
        for (int s = 1; s < stages; s += 2) {
            double a = step[s], b = step[s + 1];
            *ki_four_at(F_at.of[s], i) = a * x[s] - b * x[s + 1] - w[s];
            *ki_four_at(F_at.of[s + 1], i) = a * x[s + 1] + b * x[s] - w[s + 1];
        }
    }
}

KI_TWICE static void residual(int stages, int padded, matrix T_inverse, const double *step, double *const *W,
                              double *const *F) {
    if (stages == 3)
        residual_stages(3, padded, T_inverse, step, W, F);
    else
        residual_stages(5, padded, T_inverse, step, W, F);
}

/* F <- h A F - Z */
KI_INLINE void residual_of_stages(int stages, int padded, matrix A, double *const *Z, double *const *F) {
    weights a = copy_weights(stages, A);
    addresses F_at = copy_addresses(stages, F), Z_at = copy_addresses(stages, Z);
    for (int i = 0; i < padded; i += KI_FOUR) {
        ki_four rate[KI_RADAU_STAGES], x[KI_RADAU_STAGES];
        load(stages, F_at.of, i, rate);
        multiply(stages, &a, rate, x);
        for (int s = 0; s < stages; s++)
            *ki_four_at(F_at.of[s], i) = x[s] - *ki_const_four_at(Z_at.of[s], i);
    }
}

KI_TWICE static void residual_by_stages(int stages, int padded, matrix A, double *const *Z,
                                        double *const *F) {
    if (stages == 3)
        residual_of_stages(3, padded, A, Z, F);
    else
        residual_of_stages(5, padded, A, Z, F);
}

void ki_radau_residual(const ki_radau *self, double h) {
    const ki_radau_table *T = self->table;
    if (self->by_stages) {
        residual_by_stages(T->stages, self->padded, (matrix)self->coupled.A, self->Z, self->F);
        return;
    }
    double step[KI_RADAU_STAGES] = {h / T->real};
    for (int p = 0; p < T->stages / 2; p++)
        ki_radau_pair_step(T, p, h, &step[1 + 2 * p], &step[2 + 2 * p]);
    residual(T->stages, self->padded, T->T_inverse, step, self->W, self->F);
}

KI_TWICE static double size(int stages, int padded, const double *inverse, double *const *F) {
    ki_four most = {0, 0, 0, 0};
    double largest = 0;
    for (int s = 0; s < stages; s++)
        for (int i = 0; i < padded; i += KI_FOUR) {
            ki_four scaled = *ki_const_four_at(F[s], i) * *ki_const_four_at(inverse, i);
            ki_four_most(&most, &scaled);
        }
    for (int k = 0; k < KI_FOUR; k++)
        largest = most[k] > largest || isnan(most[k]) ? most[k] : largest;
    return largest;
}

double ki_radau_size(const ki_radau *self) {
    return size(self->table->stages, self->padded, self->inverse, self->F);
}

/* gamma that makes F - gamma (F - F_last) smallest, in the norm of the allowed estimate */
KI_TWICE static double secant_factor(int stages, int padded, const double *inverse, double *const *F,
                                     double *const *F_last) {
    ki_four above = {0, 0, 0, 0}, below = {0, 0, 0, 0};
    for (int s = 0; s < stages; s++)
        for (int i = 0; i < padded; i += KI_FOUR) {
            ki_four scale = *ki_const_four_at(inverse, i), f = *ki_const_four_at(F[s], i) * scale;
            ki_four change = f - *ki_const_four_at(F_last[s], i) * scale;
            above += f * change;
            below += change * change;
        }
    double sum = ki_four_sum(&below);
    return sum > 0 ? ki_four_sum(&above) / sum : 0;
}

KI_INLINE void correct_stages(int stages, int padded, double gamma, ki_radau *self) {
    weights T = copy_weights(stages, self->table->T);
    addresses F = copy_addresses(stages, self->F), F_last = copy_addresses(stages, self->F_last),
              moved = copy_addresses(stages, self->moved), W = copy_addresses(stages, self->W),
              Z = copy_addresses(stages, self->Z);
    for (int i = 0; i < padded; i += KI_FOUR) {
        ki_four w[KI_RADAU_STAGES], z[KI_RADAU_STAGES];
        for (int s = 0; s < stages; s++) {
            ki_four f = *ki_const_four_at(F.of[s], i), step = f;
            if (gamma != 0) /* else nothing of a correction before, which may not have been finite */
                step -=
                    gamma * (*ki_const_four_at(moved.of[s], i) + (f - *ki_const_four_at(F_last.of[s], i)));
            *ki_four_at(moved.of[s], i) = step;
            *ki_four_at(F_last.of[s], i) = f;
            w[s] = *ki_const_four_at(W.of[s], i) + step;
            *ki_four_at(W.of[s], i) = w[s];
        }
        multiply(stages, &T, w, z);
        for (int s = 0; s < stages; s++)
            *ki_four_at(Z.of[s], i) = z[s];
    }
}

KI_TWICE static void correct(double gamma, ki_radau *self) {
    if (self->table->stages == 3)
        correct_stages(3, self->padded, gamma, self);
    else
        correct_stages(5, self->padded, gamma, self);
}

KI_TWICE static void add(int stages, int padded, double *const *F, double *const *Z) {
    for (int s = 0; s < stages; s++) {
        const double *from = F[s];
        double *to = Z[s];
        for (int i = 0; i < padded; i += KI_FOUR)
            *ki_four_at(to, i) += *ki_const_four_at(from, i);
    }
}

void ki_radau_correct(ki_radau *self, bool secant) {
    if (self->by_stages) {
        add(self->table->stages, self->padded, self->F, self->Z);
        return;
    }
    double gamma = 0;
    if (secant)
        gamma = secant_factor(self->table->stages, self->padded, self->inverse, self->F, self->F_last);
    correct(gamma, self);
}
