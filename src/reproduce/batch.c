#include "reproduce/batch.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

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

/* What the threads share. */
typedef struct crew {
    ki_batch *batch;
    const keel_reproduce_watch *watch;
    pthread_mutex_t lock;
    int next, done;
} crew;

static bool stopped(const crew *c) {
    return c->watch->stop && *c->watch->stop;
}

static ki_job *take(crew *c) {
    pthread_mutex_lock(&c->lock);
    ki_job *job = c->next < c->batch->count && !stopped(c) ? &c->batch->jobs[c->next++] : NULL;
    pthread_mutex_unlock(&c->lock);
    return job;
}

static void *work(void *user) {
    crew *c = user;
    for (ki_job *job; (job = take(c));) {
        job->status = job->work(job->data, job->message, sizeof job->message);
        pthread_mutex_lock(&c->lock);
        c->done++;
        if (c->watch->progress)
            c->watch->progress(c->watch->user, c->done, c->batch->count);
        pthread_mutex_unlock(&c->lock);
    }
    return NULL;
}

/* Long ones first. */
static int longer_first(const void *a, const void *b) {
    const ki_job *one = a, *other = b;
    return (one->cost < other->cost) - (one->cost > other->cost);
}

keel_status ki_batch_run(ki_batch *batch, const keel_reproduce_watch *watch) {
    enum { MOST = 64 };
    pthread_t threads[MOST];
    crew c = {.batch = batch, .watch = watch};
    int wanted = watch->threads > 0 ? watch->threads : 2, started = 0;
    if (batch->status)
        return batch->status;
    qsort(batch->jobs, (size_t)batch->count, sizeof *batch->jobs, longer_first);
    if (pthread_mutex_init(&c.lock, NULL))
        return KEEL_ERROR_MEMORY;

    // this thread works as well, so that the work is done even if no other can be started
    while (started < wanted - 1 && started < MOST && pthread_create(&threads[started], NULL, work, &c) == 0)
        started++;
    work(&c);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&c.lock);
    return c.done < batch->count ? KEEL_INTERRUPTED : KEEL_OK;
}
