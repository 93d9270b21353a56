/* norm.c - the error norm of a comparison. */
#include <math.h>
#include <stdlib.h>

#include "compare/internal.h"

/* A range below this part of the largest value is round-off. */
#define NOTHING 1e-12

/* Up to this part of the largest value a range may be the noise of an integrator; two approximations that
 * differ as much as they vary tell. */
#define NOISE 1e-6

keel_status ki_samples_new(keel_samples *x, int rows, int columns) {
    *x = (keel_samples){.rows = rows, .columns = columns};
    size_t r = (size_t)rows, c = (size_t)columns;
    x->names = calloc(c + 1, sizeof *x->names);
    x->t = calloc(r + 1, sizeof *x->t);
    x->values = calloc(r * c + 1, sizeof *x->values);
    return x->names && x->t && x->values ? KEEL_OK : KEEL_ERROR_MEMORY;
}

void keel_samples_clear(keel_samples *x) {
    if (!x)
        return;
    for (int i = 0; x->names && i < x->columns; i++)
        free(x->names[i]);
    free(x->names);
    free(x->t);
    free(x->values);
    *x = (keel_samples){0};
}

/* Range of column k, and how far the two approximations are apart. */
static double range_of(int rows, int columns, int k, const double *values, const double *other,
                       double *apart) {
    double least = INFINITY, most = -INFINITY;
    *apart = 0;
    for (long i = k; i < (long)rows * columns; i += columns) {
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
        if (other)
            *apart = fmax(*apart, fabs(values[i] - other[i]));
    }
    return most - least;
}

void ki_scales(int rows, int columns, const double *values, const double *other, double *scale) {
    double largest = 0;
    for (long i = 0; i < (long)rows * columns; i++)
        largest = fmax(largest, fabs(values[i]));
    for (int k = 0; k < columns; k++) {
        double apart, range = range_of(rows, columns, k, values, other, &apart);
        bool constant = !(range > NOTHING * largest) || (range <= NOISE * largest && apart > 0.1 * range);
        scale[k] = constant ? (largest > 0 ? largest : 1) : range;
    }
}

int ki_leave_out_jumps(int rows, int columns, double *values, const double *scale) {
    static const double JUMP = 0.5, SMOOTH = 0.1;
    int jumps = 0;
    for (int k = 0; k < columns; k++) {
        double before = INFINITY;
        for (int i = 0; i + 2 < rows; i++) {
            double *x = &values[(long)i * columns + k];
            double now = fabs(x[columns] - x[0]) / scale[k];
            double after = fabs(x[2 * columns] - x[columns]) / scale[k];
            if (now > JUMP && before < SMOOTH && after < SMOOTH) {
                x[0] = x[columns] = NAN;
                jumps++;
            }
            before = now;
        }
    }
    return jumps;
}

double ki_distance(int rows, int columns, const double *a, const double *b, const double *scale) {
    double distance = 0;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) {
            long at = (long)i * columns + k;
            double d = isnan(b[at]) ? 0 : fabs(a[at] - b[at]) / scale[k];
            if (!isfinite(d))
                return INFINITY;
            distance = fmax(distance, d);
        }
    return distance;
}
