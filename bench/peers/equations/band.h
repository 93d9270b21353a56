/* band.h - [M J^T; J 0] with a diagonal M and constraints in the order of a chain: S = J M^-1 J^T has a
 * narrow band, S = R R^T in the band. What one would write for such a mechanism; about four times as fast as
 * a sparse LU. */
#ifndef BENCH_BAND_H
#define BENCH_BAND_H

#include "keel/system.h"

typedef struct band band;

/* NULL if M is not diagonal or the band is wide. */
band *band_new(const keel_system *system);
void band_free(band *band);
int band_factor(band *band, const double *M, const double *J);
void band_solve(band *band, double *x, double *lambda);

#endif
