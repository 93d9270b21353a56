/* andrews_batch.h - what four trajectories of Andrews' mechanism at a time would cost. */
#ifndef BENCH_ANDREWS_BATCH_H
#define BENCH_ANDREWS_BATCH_H

#include "keel/system.h"

/* Prints the time of accelerations near `at`, for each of four trajectories. */
void andrews_batch(const keel_system *hand, const keel_state *at);

#endif
