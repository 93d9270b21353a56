/* long_run.c - a mechanism for long runs: a copy of it that formulas answer for.
 *
 * Writing formulas and shortening them costs as much as a hundred thousand evaluations, and gains little
 * until there is machine code. So nothing is written before a run expects that many (keel_system.for_run);
 * the copy is made then, once, and shares all else with the mechanism, which owns it.
 */
#include <pthread.h>
#include <stdlib.h>

#include "equations/prepare.h"
#include "keel/mechanism.h"
#include "mechanism/mech_system.h"
#include "symbolic/write.h"

typedef struct long_run {
    ki_long_run shown; /* what the mechanism knows of it */
    pthread_mutex_t lock;
    ki_mech copy;
    ki_model *model; /* its formulas; NULL: some part is not written */
} long_run;

static keel_status make(const ki_mech *mech, long_run *l) {
    l->copy = *mech;
    l->copy.long_run = NULL;
    l->copy.system.model = &l->copy;
    l->copy.system.for_run = NULL;
    keel_status status = ki_write(mech, &l->model);
    if (status || !l->model)
        return status;
    const keel_system *formulas = ki_prepared_system(l->model);
    if (formulas) {
        ki_mech_use_formulas(&l->copy, formulas);
        return KEEL_OK;
    }
    ki_model_free(l->model);
    l->model = NULL;
    return KEEL_ERROR_MEMORY;
}

static const keel_system *for_run(const keel_system *system, double evaluations) {
    const ki_mech *mech = ki_mech_of(system);
    if (!(evaluations >= KI_EARNED))
        return system;
    long_run *l = (long_run *)mech->long_run;
    pthread_mutex_lock(&l->lock);
    if (!atomic_load(&l->shown.system) && make(mech, l) == KEEL_OK)
        atomic_store(&l->shown.system, &l->copy.system);
    pthread_mutex_unlock(&l->lock);
    return atomic_load(&l->shown.system);
}

static void free_long_run(ki_long_run *shown) {
    long_run *l = (long_run *)shown; /* its first member */
    ki_model_free(l->model);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

keel_status keel_mechanism_write(keel_system *system) {
    if (!system)
        return KEEL_ERROR_INPUT;
    ki_mech *mech = (ki_mech *)system; /* its first member */
    if (mech->long_run || !ki_is_written(mech))
        return KEEL_OK;
    long_run *l = calloc(1, sizeof *l);
    if (!l || pthread_mutex_init(&l->lock, NULL)) {
        free(l);
        return KEEL_ERROR_MEMORY;
    }
    l->shown.free = free_long_run;
    mech->long_run = &l->shown;
    system->for_run = for_run;
    return KEEL_OK;
}
