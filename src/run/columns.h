/* columns.h - what the components of a system are called in results. */
#ifndef KI_COLUMNS_H
#define KI_COLUMNS_H

#include <stdbool.h>

#include "keel/run.h"

/* 1 if v is the time derivative of q component by component: a velocity is then called after its coordinate.
 */
static inline bool ki_velocity_is_rate(const keel_system *system) {
    return system->n_q == system->n_v && !system->kinematics;
}

/* The name of velocity i without a prime. */
static inline const char *ki_velocity_name(const keel_system *system, int i, char buffer[32]) {
    return keel_system_name(system, ki_velocity_is_rate(system) ? KEEL_NAME_Q : KEEL_NAME_V, i, buffer);
}

/* The name of the constraint that was violated most, or NULL if there is none. */
static inline const char *ki_worst_name(const keel_system *system, const keel_violation *violation,
                                        char buffer[32]) {
    if (violation->worst < 0 || violation->worst >= keel_system_m(system))
        return NULL;
    return keel_system_name(system, KEEL_NAME_CONSTRAINT, violation->worst, buffer);
}

static inline const char *ki_event_word(keel_event_kind kind) {
    static const char *const WORDS[] = {[KEEL_EVENT_SINGULAR] = "singular",
                                        [KEEL_EVENT_PARTITION] = "partition",
                                        [KEEL_EVENT_METHOD] = "method",
                                        [KEEL_EVENT_METRIC] = "metric"};
    return WORDS[kind];
}

static inline double ki_factorizations_per_step(const keel_counts *count) {
    return count->steps ? (double)count->factorizations / (double)count->steps : 0;
}

/* 1 if somebody looked at how near to singular the poses were. */
static inline bool ki_gap_is_known(const keel_result *result) {
    return result->final && result->gap_smallest >= 0;
}

#endif
