#include "base/crew.h"

#include <pthread.h>
#include <stdlib.h>

/* What the threads share. */
typedef struct queue {
    const ki_crew *crew;
    pthread_mutex_t lock;
    int count, next, done;
} queue;

/* The next job, begun; -1 when there is none, or none is wanted any more. */
static int take(queue *q) {
    const ki_crew *crew = q->crew;
    int job = -1;
    pthread_mutex_lock(&q->lock);
    if (q->next < q->count && !(crew->stop && *crew->stop)) {
        job = q->next++;
        if (crew->begin)
            crew->begin(crew->user, job);
    }
    pthread_mutex_unlock(&q->lock);
    return job;
}

static void *work(void *user) {
    queue *q = user;
    for (int job; (job = take(q)) >= 0;) {
        q->crew->work(q->crew->user, job);
        pthread_mutex_lock(&q->lock);
        q->done++;
        if (q->crew->end)
            q->crew->end(q->crew->user, job);
        pthread_mutex_unlock(&q->lock);
    }
    return NULL;
}

keel_status ki_crew_run(const ki_crew *crew, int count) {
    queue q = {.crew = crew, .count = count};
    int wanted = crew->threads < count ? crew->threads : count, started = 0;
    pthread_t *others = calloc((size_t)(wanted > 0 ? wanted : 1), sizeof *others);
    if (!others || pthread_mutex_init(&q.lock, NULL)) {
        free(others);
        return KEEL_ERROR_MEMORY;
    }
    // this thread works as well, so that the work is done even if no other can be started
    while (started < wanted - 1 && pthread_create(&others[started], NULL, work, &q) == 0)
        started++;
    work(&q);
    for (int i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    pthread_mutex_destroy(&q.lock);
    free(others);
    return q.done < count ? KEEL_INTERRUPTED : KEEL_OK;
}
