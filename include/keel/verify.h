/* verify.h - how sure is a run? Estimates of its global error (docs/verify.md).
 *
 * The motion is computed twice more beside the run, by other methods and at tighter tolerances:
 *
 *     A   the method auto,                        tolerance / 1000
 *     B   another integrator,                     tolerance / 1000
 *
 * and every row of the run is compared with theirs:
 *
 *     error = max(|run - A|, |A - B| / 30)       the second as far as the tolerance of B does not explain it
 *
 * A is so much more exact that |run - A| is the error of the run; B is there in case A and the run are wrong
 * alike.
 *
 *     keel_verification verification;
 *     keel_verify(&system, start, 1, &settings, &observer, diagnostics, &result, &verification);
 *
 * or, row by row, keel_verifier.
 */
#ifndef KEEL_VERIFY_H
#define KEEL_VERIFY_H

#include "keel/run.h"

/* Estimated errors of a row, in the units of its values; NaN where there is no estimate. The arrays belong to
 * the verifier and hold until its next call. */
typedef struct keel_errors {
    const double *q, *v, *z, *lambda, *outputs; /* [n_q], [n_v], [n_z], [m], [n_outputs] */
} keel_errors;

/* What was found so far. */
typedef struct keel_verification {
    int verified;          /* 1: there are estimates up to `t`                                       */
    double t;              /* of the last row that was compared                                      */
    double tolerance;      /* of A and B                                                             */
    keel_method method[2]; /* A and B                                                                */
    char reason[232];      /* why there are no estimates (further on), or why B gave up; "" if neither */
    int parted;            /* 1: the motions are no longer the same from `parted_time` on              */
    double parted_time;    /* when a coordinate was first off by a twentieth of its size, or a velocity by a
                              fifth */
    int parted_velocity, parted_index; /* 1: velocity `parted_index`, 0: that coordinate */
    double growth_time;          /* time in which the difference grew tenfold before that; 0: at once, as
                                    where motions take different branches or one misses a switch           */
    double largest_q, largest_v; /* largest relative error of a coordinate or velocity over all rows      */
    keel_errors final;           /* of the last row; owned by the verifier                                 */
} keel_verification;

typedef struct keel_verifier keel_verifier;

/* For a run with these settings from this start. NULL with *status when out of memory. What cannot be started
 * is told by `reason`. */
KEEL_API keel_verifier *keel_verifier_new(const keel_system *system, const keel_state *start,
                                          int velocities_given, const keel_settings *settings,
                                          keel_status *status);
KEEL_API void keel_verifier_free(keel_verifier *verifier);

/* When *stop becomes non-zero its runs end where they are, as that of a keel_observer; `stop` may be NULL. */
KEEL_API void keel_verifier_stop_at(keel_verifier *verifier, const volatile int *stop);

/* Compares the next row of the run, times increasing. KEEL_ERROR_MEMORY, or KEEL_OK. */
KEEL_API keel_status keel_verifier_row(keel_verifier *verifier, const keel_row *row, keel_errors *errors);
/* What parted first, under its name in results, into `buffer`. */
KEEL_API const char *keel_verification_parted_in(const keel_system *system,
                                                 const keel_verification *verification, char buffer[64]);

KEEL_API keel_verification keel_verifier_result(const keel_verifier *verifier);

/* keel_run with a verifier beside it: the rows of the observer are compared. The verifier is for `final` and
 * must be freed. */
KEEL_API keel_status keel_verify(const keel_system *system, const keel_state *start, int velocities_given,
                                 const keel_settings *settings, const keel_observer *observer,
                                 keel_diagnostics *diagnostics, keel_result *result,
                                 keel_verification *verification, keel_verifier **verifier);

#endif
