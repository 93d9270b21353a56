/* status.h - the outcome of every call that can fail.
 *
 *   0   done
 *   >0  done, but worth knowing
 *   <0  not done; nothing was changed that the caller relies on
 */
#ifndef KEEL_STATUS_H
#define KEEL_STATUS_H

#ifdef __cplusplus
#define KEEL_LINKAGE extern "C"
#else
#define KEEL_LINKAGE
#endif

#if defined(__GNUC__)
#define KEEL_API                 KEEL_LINKAGE __attribute__((visibility("default")))
#define KEEL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define KEEL_API KEEL_LINKAGE
#define KEEL_PRINTF(text, first)
#endif

typedef enum keel_status {
    KEEL_OK = 0,

    KEEL_INTERRUPTED = 1,  /* the caller asked to stop; everything so far is valid             */
    KEEL_INACCURATE = 2,   /* a linear solve ended above its tolerance; the residual tells how far */
    KEEL_INCONSISTENT = 3, /* dependent constraint rows contradict each other; least-squares answer given */

    KEEL_ERROR_MEMORY = -1,      /* out of memory                                               */
    KEEL_ERROR_INPUT = -2,       /* bad data from the user: the diagnostics say what and where   */
    KEEL_ERROR_SINGULAR = -3,    /* the mass matrix or the saddle-point matrix has no inverse    */
    KEEL_ERROR_CONVERGENCE = -4, /* an iteration did not converge                                */
    KEEL_ERROR_STEP_SIZE = -5,   /* the step size fell below round-off of t                      */
    KEEL_ERROR_NOT_FINITE = -6,  /* a model function returned NaN or infinity                    */
    KEEL_ERROR_START = -7,       /* the start violates a constraint by more than is repaired silently */
    KEEL_ERROR_LIMIT = -8,       /* a limit of the settings was reached (steps)                  */
    KEEL_ERROR_CALLBACK = -9,    /* a function supplied by the user reported failure             */
    KEEL_ERROR_IO = -10          /* a file could not be read or written                          */
} keel_status;

/* A short stable word for a status, e.g. "ok", "step_size". Never NULL. */
KEEL_API const char *keel_status_word(keel_status status);

/* A sentence for a status. Never NULL. */
KEEL_API const char *keel_status_text(keel_status status);

/* The status of a model that fails before its first step: KEEL_ERROR_START whatever failed, but for memory
 * and files, which are no fault of the model. */
KEEL_API keel_status keel_status_of_start(keel_status status);

/* The version of the library, "major.minor.patch". */
KEEL_API const char *keel_version(void);

#endif
