/* crew.h - independent jobs, shared among threads.
 *
 * Jobs begin in the order of their numbers, each in the first thread that is free. A job writes only to its
 * own data, so that the outcome does not depend on the number of threads.
 */
#ifndef KI_CREW_H
#define KI_CREW_H

#include "keel/status.h"

typedef struct ki_crew {
    int threads;              /* most at the same time; the caller's is one of them */
    const volatile int *stop; /* no job begins once it is not 0; NULL: never */
    void *user;
    void (*work)(void *user, int job);
    /* Before and after a job, never two of these calls at a time: what jobs must know of each other. NULL:
     * not called. */
    void (*begin)(void *user, int job);
    void (*end)(void *user, int job);
} ki_crew;

/* Works off jobs 0 .. count - 1. KEEL_OK: all; KEEL_INTERRUPTED: some were not begun; KEEL_ERROR_MEMORY:
 * none. */
keel_status ki_crew_run(const ki_crew *crew, int count);

#endif
