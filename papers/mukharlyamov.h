/* mukharlyamov.h - what mukharlyamov.c takes from other files. */
#ifndef PAPERS_MUKHARLYAMOV_H
#define PAPERS_MUKHARLYAMOV_H

#include "papers/experiment.h"

/* Claims about all systems, on random ones. */
void ki_mukharlyamov_theory(ki_draft *draft);

/* Runs from a start off the constraints: one with full gains, and pairs of numbers. */
enum { KI_DECAY_PAIRS = 3 };
typedef struct ki_decay {
    ki_trial full, pair[KI_DECAY_PAIRS];
} ki_decay;

bool ki_decay_prepare(ki_draft *draft, ki_batch *batch, ki_decay *decay, const keel_model *model);
void ki_decay_claim(ki_draft *draft, const ki_decay *decay);

#endif
