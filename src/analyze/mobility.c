/* mobility.c - rank of the joints' rows and what follows from it: include/keel/mobility.h. */
#include "keel/mobility.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/mobility.h"

void keel_mobility_clear(keel_mobility *mobility) {
    if (!mobility)
        return;
    for (int i = 0; i < mobility->repetition_count; i++)
        free(mobility->repetitions[i].others);
    free(mobility->repetitions);
    free(mobility->shared);
    free(mobility->body);
    free(mobility->locked);
    free(mobility->lockers);
    *mobility = (keel_mobility){0};
}

double ki_mobility_zero(const keel_system *system) {
    double precision = fmax(system->precision.length, system->precision.angle);
    return precision > 1e-9 ? KI_MOBILITY_ZERO_DRAWN : KI_MOBILITY_ZERO;
}

bool ki_is_angle(const keel_system *system, int row) {
    char buffer[KEEL_UNIT];
    return strcmp(keel_system_unit(system, KEEL_UNIT_CONSTRAINT, row, buffer), "rad") == 0;
}

/* Whose rows they are: those of motions are left out of the look. */
static keel_status list_rows(ki_look *look, int joints) {
    const keel_system *sys = look->system;
    look->joint_of = KI_NEW(&look->arena, int, look->m);
    if (look->arena.failed)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < look->m; i++)
        look->joint_of[i] = -1;
    for (int j = 0; j < joints; j++) {
        int n_h = 0, n_n = 0, first_n = 0;
        int first = keel_mechanism_joint_row(sys, j, &n_h, &n_n, &first_n);
        for (int k = 0; !keel_mechanism_joint_is_tree(sys, j) && k < n_h + n_n; k++, look->rows++)
            look->joint_of[k < n_h ? first + k : first_n + k - n_h] = j;
    }
    for (int i = 0; i < look->m; i++)
        look->of.ignored[i] = look->joint_of[i] < 0;
    return KEEL_OK;
}

/* Displacements that the rows taken at a pose allow. */
keel_status ki_find_basis(ki_look *look) {
    size_t most = (size_t)ki_most_freedoms(&look->of);
    if (!look->basis)
        look->basis = KI_NEW(&look->arena, double, most *(size_t)look->n);
    if (look->arena.failed)
        return KEEL_ERROR_MEMORY;
    look->basis_count = ki_freedoms(&look->of, look->basis);
    return KEEL_OK;
}

/* Rank of all rows, motions included: how many freedoms the motions use up in general. */
static keel_status count_driven(ki_look *look, keel_mobility *mobility) {
    int all;
    if (!mobility->motions)
        return KEEL_OK;
    memset(look->of.ignored, 0, (size_t)look->m * sizeof *look->of.ignored);
    keel_status status = ki_count_independent(&look->of, &look->general, &all);
    if (status)
        return status;
    mobility->driven = all - mobility->rank;
    return mobility->driven < mobility->motions ? ki_share_with_motions(look, mobility) : KEEL_OK;
}

/* What the pose itself allows, which is less or more than usual. */
static keel_status look_here(ki_look *look, keel_mobility *mobility) {
    int rank;
    keel_status status = ki_count_independent(&look->of, &look->at, &rank);
    if (!status)
        status = ki_find_basis(look);
    if (!status)
        ki_find_locked_velocities(look, mobility);
    mobility->rank_here = rank;
    return status;
}

/* What it is like in general: rows are called dependent in their order, so that of two that say the same it
 * is the later one. */
static keel_status look_in_general(ki_look *look, const keel_mechanism_facts *facts,
                                   keel_mobility *mobility) {
    keel_status status = ki_take_in_order(&look->of, &look->general);
    if (!status)
        status = ki_find_basis(look);
    if (!status)
        status = ki_find_repetitions(look, mobility);
    if (!status)
        status = ki_find_locked(look, mobility);
    if (!status)
        status = ki_find_lockers(look, facts, mobility);
    return status;
}

/* The row of which the others leave least, if that is little: of those taken last. */
static void find_nearest(const ki_look *look, keel_mobility *mobility) {
    static const double LITTLE = 0.02; /* in natural sizes; joints that are drawn to be different have more */
    int nearest = -1;
    for (int i = 0; i < look->m; i++)
        if (look->of.taken[i] && look->of.left[i] < LITTLE &&
            (nearest < 0 || look->of.left[i] < look->of.left[nearest]))
            nearest = i;
    if (nearest < 0)
        return;
    double amount = look->of.left[nearest] * look->system->row_size[nearest];
    mobility->nearest = look->joint_of[nearest];
    if (ki_is_angle(look->system, nearest))
        mobility->nearest_angle = amount;
    else
        mobility->nearest_length = amount;
}

static keel_status find_all(ki_look *look, const keel_mechanism_facts *facts, double most_entries,
                            keel_mobility *mobility) {
    look->m = keel_system_m(look->system);
    look->n = mobility->n_v;
    keel_status status = ki_independence_init(&look->of, look->system, look->work, KI_FEW_ENTRIES);
    if (!status)
        status = list_rows(look, mobility->joints);
    if (status)
        return status;
    mobility->conditions = look->rows;
    mobility->motions = look->m - look->rows;
    mobility->gruebler += mobility->motions;
    status = ki_find_tied(look, mobility);
    if (status || (most_entries > 0 && (double)look->m * mobility->n_v > most_entries))
        return status;
    if ((status = ki_find_independent(&look->of, &look->at)))
        return status;
    find_nearest(look, mobility);
    mobility->rank = look->of.rank;
    mobility->freedoms = mobility->n_v - mobility->rank;
    look->general = look->at;
    look->general.q = look->of.q;
    if (!(status = look_here(look, mobility)))
        status = look_in_general(look, facts, mobility);
    if (!status)
        status = count_driven(look, mobility);
    mobility->known = status == KEEL_OK;
    return status;
}

static keel_status allocate(keel_mobility *mobility) {
    mobility->repetitions = calloc((size_t)mobility->joints + 1, sizeof *mobility->repetitions);
    mobility->shared = calloc((size_t)mobility->joints + 1, sizeof *mobility->shared);
    mobility->body = calloc((size_t)mobility->bodies + 1, sizeof *mobility->body);
    mobility->locked = calloc((size_t)mobility->n_v + 1, sizeof *mobility->locked);
    return mobility->repetitions && mobility->shared && mobility->body && mobility->locked
               ? KEEL_OK
               : KEEL_ERROR_MEMORY;
}

keel_status keel_mobility_find(const keel_system *system, const keel_state *state, double most_entries,
                               keel_mobility *mobility) {
    if (!system || !state || !mobility) {
        if (mobility)
            *mobility = (keel_mobility){0};
        return KEEL_ERROR_INPUT;
    }
    keel_mechanism_facts facts;
    *mobility = (keel_mobility){0};
    if (!keel_mechanism_look(system, &facts))
        return KEEL_ERROR_INPUT;
    *mobility = (keel_mobility){.bodies = facts.bodies,
                                .joints = facts.joints,
                                .n_v = system->n_v,
                                .gruebler = facts.gruebler,
                                .nearest = -1};
    ki_look look = {.system = system,
                    .at = {state->t, state->q, state->v, state->z, state->s, state->lambda, NULL}};
    ki_arena_init(&look.arena);
    keel_status status = allocate(mobility);
    if (!status && system->work_new)
        status = system->work_new(system, &look.work);
    if (status >= 0)
        status = find_all(&look, &facts, most_entries, mobility);
    ki_independence_clear(&look.of);
    ki_arena_free(&look.arena);
    if (system->work_free && look.work)
        system->work_free(look.work);
    if (status < 0)
        keel_mobility_clear(mobility);
    return status;
}
