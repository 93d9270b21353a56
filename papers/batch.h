/* batch.h - the runs of all papers as one list of independent jobs. */
#ifndef PAPERS_BATCH_H
#define PAPERS_BATCH_H

#include "papers/reproduce.h"

struct ki_draft;

typedef struct ki_job {
    struct ki_draft *draft;
    /* A failure is told in `message` [size]; it is noted in the draft. */
    keel_status (*work)(void *data, char *message, int size);
    void *data;
    double cost; /* seconds, roughly: long ones begin first */
    keel_status status;
    char message[256];
} ki_job;

typedef struct ki_batch {
    ki_job *jobs;
    int count, room;
    keel_status status; /* KEEL_ERROR_MEMORY: a job could not be added */
} ki_batch;

void ki_batch_add(ki_batch *batch, struct ki_draft *draft, double cost,
                  keel_status (*work)(void *data, char *message, int size), void *data);

/* KEEL_OK when every job came to its end, whatever it found; KEEL_INTERRUPTED; KEEL_ERROR_MEMORY. */
keel_status ki_batch_run(ki_batch *batch, const keel_reproduce_watch *watch);
void ki_batch_clear(ki_batch *batch);

#endif
