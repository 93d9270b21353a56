/* refuse_mobility.c - mechanisms that cannot move, or whose accelerations are not determined. */
#include "keel/mechanism.h"
#include "keel/mobility.h"

/* A run looks at the rank of J up to this number of entries (docs/redundancy.md). */
static const double MOST_ENTRIES = 1e5;

keel_status keel_mobility_refuse(const keel_system *system, const keel_state *state,
                                 keel_diagnostics *diagnostics) {
    keel_mechanism_facts facts;
    keel_mobility mobility;
    if (!system || !state)
        return KEEL_ERROR_INPUT;
    if (!keel_mechanism_look(system, &facts))
        return KEEL_OK;
    keel_status status = keel_mobility_find(system, state, MOST_ENTRIES, &mobility);
    if (status >= 0) {
        status = keel_mobility_check(system, &mobility, diagnostics);
        keel_mobility_clear(&mobility);
    }
    return status < 0 ? status : keel_inertia_check(system, state, MOST_ENTRIES, diagnostics);
}
