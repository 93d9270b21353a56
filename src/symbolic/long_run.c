/* long_run.c - a mechanism for long runs: a copy of it that formulas answer for, with what they solve.
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
#include "mechanism/reduction.h"
#include "symbolic/reduce.h"
#include "symbolic/write.h"

/* A mechanism with its formulas. */
typedef struct copy {
    ki_mech mech;
    ki_model *model; /* NULL: some part is not written */
} copy;

typedef struct long_run {
    ki_long_run shown; /* what the mechanism knows of it */
    pthread_mutex_t lock;
    copy full, left;               /* left: of what is left by parallelograms */
    keel_reduction parallelograms; /* from the one to the other */
    const keel_reduction *solved;  /* by formulas */
} long_run;

static keel_status make_copy(const ki_mech *mech, copy *c) {
    c->mech = *mech;
    c->mech.long_run = NULL;
    c->mech.system.model = &c->mech;
    c->mech.system.for_run = NULL;
    keel_status status = ki_is_written(mech) ? ki_write(mech, &c->model) : KEEL_OK;
    if (status || !c->model)
        return status;
    const keel_system *formulas = ki_prepared_system(c->model);
    if (formulas)
        ki_mech_use_formulas(&c->mech, formulas);
    return formulas ? KEEL_OK : KEEL_ERROR_MEMORY;
}

/* What was reduced before stays so. */
static keel_status reduce(const ki_mech *mech, long_run *l) {
    keel_system *system = &l->full.mech.system;
    if (!system->reduction) {
        keel_status status = l->full.model ? ki_reduce(&l->full.mech, &l->solved) : KEEL_OK;
        system->reduction = l->solved;
        return status;
    }
    keel_status status = make_copy(mech->reduced, &l->left);
    l->parallelograms = *system->reduction;
    l->parallelograms.system = &l->left.mech.system;
    system->reduction = &l->parallelograms;
    return status;
}

static void clear(long_run *l) {
    ki_reduction_free(l->solved);
    ki_model_free(l->full.model);
    ki_model_free(l->left.model);
    l->solved = NULL;
    l->full.model = l->left.model = NULL;
}

static keel_status make(const ki_mech *mech, long_run *l) {
    keel_status status = make_copy(mech, &l->full);
    if (!status)
        status = reduce(mech, l);
    if (status)
        clear(l);
    return status;
}

static const keel_system *for_run(const keel_system *system, double evaluations) {
    const ki_mech *mech = ki_mech_of(system);
    if (!(evaluations >= KI_EARNED))
        return system;
    long_run *l = (long_run *)mech->long_run;
    pthread_mutex_lock(&l->lock);
    if (!atomic_load(&l->shown.system) && make(mech, l) == KEEL_OK)
        atomic_store(&l->shown.system, &l->full.mech.system);
    pthread_mutex_unlock(&l->lock);
    return atomic_load(&l->shown.system);
}

static void free_long_run(ki_long_run *shown) {
    long_run *l = (long_run *)shown; /* its first member */
    clear(l);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

keel_status keel_mechanism_write(keel_system *system) {
    if (!system)
        return KEEL_ERROR_INPUT;
    ki_mech *mech = (ki_mech *)system; /* its first member */
    if (mech->long_run || (!ki_is_written(mech) && !(mech->reduced && ki_is_written(mech->reduced))))
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
