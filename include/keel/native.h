/* native.h - machine code for systems made from equations, and for mechanisms that are written as formulas.
 *
 * A system compiled from formulas is evaluated by a tape. Here its formulas, and the linear systems of its M
 * and J where these are small, are written as C, compiled with the system's compiler, kept in a cache and
 * loaded. The code does the same operations in the same order: results are the same numbers whenever it takes
 * over.
 *
 *     keel_native *native = keel_native_attach(system, NULL, diagnostics);  // code from the cache, if it is
 * there keel_native_compile(native, 1);                                       // else: compile and wait
 *     keel_run(system, ...);
 *     keel_native_detach(native);                                           // before the system is freed
 *
 * This part of the library reads the environment (CC, PATH, KEEL_CACHE, XDG_CACHE_HOME, HOME, TMPDIR), starts
 * the compiler and writes into the cache; nothing else in Keel does, and nothing calls it but the program.
 * docs/native.md has the theory.
 */
#ifndef KEEL_NATIVE_H
#define KEEL_NATIVE_H

#include "keel/diagnostics.h"
#include "keel/system.h"

typedef struct keel_native keel_native;

typedef enum keel_native_state {
    KEEL_NATIVE_NONE,      /* no code in the cache, and the compiler was not started    */
    KEEL_NATIVE_COMPILING, /* the compiler works                                        */
    KEEL_NATIVE_READY,     /* the system runs its machine code                          */
    KEEL_NATIVE_FAILED     /* it does not, and will not: a message says why             */
} keel_native_state;

typedef struct keel_native_options {
    const char *compiler; /* command with arguments; NULL: $CC, or else cc             */
    const char *cache;    /* directory; NULL: $KEEL_CACHE, $XDG_CACHE_HOME/keel or ~/.cache/keel */
    double patience;      /* seconds after which a compiler is ended; 0: 300                */
} keel_native_options;

/* Writes the code of what long runs of the system use (keel_system.for_run), and takes what the cache has of
 * it. `options` may be NULL. Warnings say why
 * there is no machine code: a system that is not made of equations, no compiler, a cache that others may
 * write to. NULL only when out of memory. The system must live until keel_native_detach; several threads may
 * run it meanwhile, the calls here are for one. */
KEEL_API keel_native *keel_native_attach(const keel_system *system, const keel_native_options *options,
                                         keel_diagnostics *diagnostics);

/* Whether some run of the system was long enough for the shortened formulas that the code is made of
 * (keel_system.for_run): otherwise attaching has to make them, and no run has used them yet. */
KEEL_API int keel_native_is_due(const keel_system *system);

/* Starts the compiler unless that was done before, looks whether it is ready, and lets the system go over to
 * its code. `wait`: not before it is ready; runs that take these programs and begin later use it from their
 * start. */
KEEL_API keel_native_state keel_native_compile(keel_native *native, int wait);

KEEL_API keel_native_state keel_native_state_of(const keel_native *native);

/* Ends a compiler that is still at work, lets the system go back to its tape and gives all back. No other
 * thread may evaluate the system at that time. */
KEEL_API void keel_native_detach(keel_native *native);

#endif
