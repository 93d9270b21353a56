/* mobility.c - rank of the joints' rows and what follows from it: include/keel/mobility.h. */
#include "keel/mobility.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/mobility.h"

static const double MOST_ENTRIES = 4e6;

void keel_mobility_clear(keel_mobility *mobility) {
    for (int i = 0; i < mobility->repetition_count; i++)
        free(mobility->repetitions[i].others);
    free(mobility->repetitions);
    free(mobility->shared);
    free(mobility->body);
    free(mobility->locked);
    free(mobility->lockers);
    *mobility = (keel_mobility){0};
}

/* The places of the rows of cut joints. */
static keel_status list_rows(ki_look *look, int joints) {
    const keel_system *sys = look->system;
    look->row_of = KI_NEW(&look->arena, int, keel_system_m(sys));
    look->joint_of = KI_NEW(&look->arena, int, keel_system_m(sys));
    if (look->arena.failed)
        return KEEL_ERROR_MEMORY;
    for (int j = 0; j < joints; j++) {
        int n_h = 0, n_n = 0, first_n = 0;
        int first = keel_mechanism_joint_row(sys, j, &n_h, &n_n, &first_n);
        for (int k = 0; !keel_mechanism_joint_is_tree(sys, j) && k < n_h + n_n; k++) {
            look->joint_of[look->rows] = j;
            look->row_of[look->rows++] = k < n_h ? first + k : first_n + k - n_h;
        }
    }
    return KEEL_OK;
}

/* The listed rows of a Jacobian as a matrix of their own, scaled to unit length. */
static keel_status take_rows(ki_look *look, const double *J) {
    keel_pattern P = look->system->J;
    int count = 0;
    for (int i = 0; i < look->rows; i++)
        count += P.start[look->row_of[i] + 1] - P.start[look->row_of[i]];
    int *start = KI_NEW(&look->arena, int, look->rows + 1), *index = KI_NEW(&look->arena, int, count);
    look->values = KI_NEW(&look->arena, double, count);
    look->length = KI_NEW(&look->arena, double, look->rows);
    if (look->arena.failed)
        return KEEL_ERROR_MEMORY;
    for (int i = 0, at = 0; i < look->rows; i++) {
        double square = 0;
        for (int k = P.start[look->row_of[i]]; k < P.start[look->row_of[i] + 1]; k++)
            square += J[k] * J[k];
        look->length[i] = square > 0 ? sqrt(square) : 1;
        for (int k = P.start[look->row_of[i]]; k < P.start[look->row_of[i] + 1]; k++, at++) {
            index[at] = P.index[k];
            look->values[at] = J[k] / look->length[i];
        }
        start[i + 1] = at;
    }
    look->J = (keel_pattern){look->rows, P.cols, start, index};
    return KEEL_OK;
}

static keel_status evaluate_rows(ki_look *look, int joints) {
    const keel_system *sys = look->system;
    double *J = KI_NEW(&look->arena, double, keel_pattern_count(sys->J));
    keel_terms terms = {.J = J};
    keel_status status = look->arena.failed ? KEEL_ERROR_MEMORY : list_rows(look, joints);
    if (!status && keel_system_m(sys))
        status = sys->evaluate(sys, look->work, KEEL_JACOBIAN, &look->at, &terms);
    return status < 0 ? status : take_rows(look, J);
}

/* The null space of J is that of (J^T)^T: the rank of the transposed matrix has it. Without rows it is
 * everything. */
static keel_status find_basis(ki_look *look) {
    int n = look->J.cols, m = look->rows, count = keel_pattern_count(look->J);
    int *start = KI_NEW(&look->arena, int, n + 2), *index = KI_NEW(&look->arena, int, count);
    double *values = KI_NEW(&look->arena, double, count);
    keel_rank transposed = {0};
    if (look->arena.failed)
        return KEEL_ERROR_MEMORY;
    for (int k = 0; k < count; k++)
        start[look->J.index[k] + 2]++;
    for (int j = 0; j < n; j++)
        start[j + 2] += start[j + 1];
    for (int i = 0; i < m; i++)
        for (int k = look->J.start[i]; k < look->J.start[i + 1]; k++) {
            int place = start[look->J.index[k] + 1]++;
            index[place] = i;
            values[place] = look->values[k];
        }
    keel_status status = keel_rank_compute((keel_pattern){n, m, start, index}, values, 0, &transposed);
    if (status < 0)
        return status;
    look->basis_count = transposed.dependent_count;
    look->basis = KI_NEW(&look->arena, double, (size_t)look->basis_count *(size_t)n);
    if (look->basis && look->basis_count)
        memcpy(look->basis, transposed.null_space, (size_t)look->basis_count * (size_t)n * sizeof(double));
    keel_rank_clear(&transposed);
    return look->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

/* Rank of all rows, motions included: how many freedoms the motions use up. */
static keel_status count_driven(ki_look *look, keel_mobility *mobility) {
    const keel_system *sys = look->system;
    keel_rank all = {0};
    double *J = KI_NEW(&look->arena, double, keel_pattern_count(sys->J));
    keel_terms terms = {.J = J};
    if (!mobility->motions)
        return KEEL_OK;
    if (look->arena.failed)
        return KEEL_ERROR_MEMORY;
    keel_status status = sys->evaluate(sys, look->work, KEEL_JACOBIAN, &look->at, &terms);
    if (status >= 0)
        status = keel_rank_compute(sys->J, J, 0, &all);
    if (status < 0)
        return status;
    mobility->driven = all.rank - mobility->rank;
    keel_rank_clear(&all);
    return KEEL_OK;
}

static keel_status find_all(ki_look *look, const keel_mechanism_facts *facts, double most_entries,
                            keel_mobility *mobility) {
    keel_status status = evaluate_rows(look, mobility->joints);
    if (status)
        return status;
    mobility->conditions = look->rows;
    mobility->motions = keel_system_m(look->system) - look->rows;
    mobility->gruebler += mobility->motions;
    status = ki_find_tied(look, mobility);
    int larger = look->rows > mobility->n_v ? look->rows : mobility->n_v; /* the basis is up to n_v x n_v */
    if (status || (double)larger * mobility->n_v > most_entries)
        return status;
    if (look->rows && (status = keel_rank_compute(look->J, look->values, 0, &look->rank)))
        return status;
    mobility->rank = look->rank.rank;
    mobility->freedoms = mobility->n_v - mobility->rank;
    if (!(status = find_basis(look)))
        status = ki_find_repetitions(look, mobility);
    if (!status)
        status = ki_find_locked(look, mobility);
    if (!status)
        status = ki_find_lockers(look, facts, mobility);
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
    keel_mechanism_facts facts;
    *mobility = (keel_mobility){0};
    if (!keel_mechanism_look(system, &facts))
        return KEEL_ERROR_INPUT;
    *mobility = (keel_mobility){
        .bodies = facts.bodies, .joints = facts.joints, .n_v = system->n_v, .gruebler = facts.gruebler};
    ki_look look = {.system = system,
                    .at = {state->t, state->q, state->v, state->z, state->s, state->lambda, NULL}};
    ki_arena_init(&look.arena);
    keel_status status = allocate(mobility);
    if (!status && system->work_new)
        status = system->work_new(system, &look.work);
    if (status >= 0)
        status = find_all(&look, &facts, most_entries > 0 ? most_entries : MOST_ENTRIES, mobility);
    keel_rank_clear(&look.rank);
    ki_arena_free(&look.arena);
    if (system->work_free && look.work)
        system->work_free(look.work);
    if (status < 0)
        keel_mobility_clear(mobility);
    return status;
}
