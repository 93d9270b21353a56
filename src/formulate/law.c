#include "formulate/law.h"

#include "linalg/dense.h"

void ki_gain_apply(const ki_gain *K, double factor, const double *x, double *out) {
    for (int i = 0; i < K->rows; i++)
        out[i] += factor * (K->full ? ki_dot(K->rows, K->values + i * K->rows, x) : K->values[i] * x[i]);
}
