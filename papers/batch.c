#include "papers/batch.h"

#include <stdlib.h>

#include "base/crew.h"

void ki_batch_add(ki_batch *batch, struct ki_draft *draft, double cost,
                  keel_status (*work)(void *data, char *message, int size), void *data) {
    if (batch->count == batch->room) {
        int room = batch->room ? 2 * batch->room : 64;
        ki_job *jobs = realloc(batch->jobs, (size_t)room * sizeof *jobs);
        if (!jobs) {
            batch->status = KEEL_ERROR_MEMORY;
            return;
        }
        batch->jobs = jobs;
        batch->room = room;
    }
    batch->jobs[batch->count++] = (ki_job){.draft = draft, .work = work, .data = data, .cost = cost};
}

void ki_batch_clear(ki_batch *batch) {
    free(batch->jobs);
    *batch = (ki_batch){0};
}

/* What the jobs of a batch share. */
typedef struct progress {
    ki_batch *batch;
    const keel_reproduce_watch *watch;
    int done;
} progress;

static void work(void *user, int i) {
    ki_job *job = &((progress *)user)->batch->jobs[i];
    job->status = job->work(job->data, job->message, sizeof job->message);
}

static void end(void *user, int i) {
    progress *p = user;
    (void)i;
    p->done++;
    if (p->watch->progress)
        p->watch->progress(p->watch->user, p->done, p->batch->count);
}

/* Long ones first. */
static int longer_first(const void *a, const void *b) {
    const ki_job *one = a, *other = b;
    return (one->cost < other->cost) - (one->cost > other->cost);
}

keel_status ki_batch_run(ki_batch *batch, const keel_reproduce_watch *watch) {
    progress p = {.batch = batch, .watch = watch};
    ki_crew crew = {.threads = watch->threads > 0 ? watch->threads : 2,
                    .stop = watch->stop,
                    .user = &p,
                    .work = work,
                    .end = end};
    if (batch->status)
        return batch->status;
    qsort(batch->jobs, (size_t)batch->count, sizeof *batch->jobs, longer_first);
    return ki_crew_run(&crew, batch->count);
}
