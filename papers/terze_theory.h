/* terze_theory.h - the holonomic half of the paper of terze.c: a double pendulum, and random systems. */
#ifndef PAPERS_TERZE_THEORY_H
#define PAPERS_TERZE_THEORY_H

#include "papers/experiment.h"

/* Runs of the double pendulum: in angles, and in Cartesian coordinates with each way to keep them. */
enum {
    KI_TERZE_MINIMAL,
    KI_TERZE_MINIMAL_EXACT,
    KI_TERZE_EXACT,
    KI_TERZE_NONE,
    KI_TERZE_BEST,
    KI_TERZE_SECOND,
    KI_TERZE_WORST,
    KI_TERZE_PENDULUMS
};

typedef struct ki_terze_holonomic {
    ki_trial run[KI_TERZE_PENDULUMS];
} ki_terze_holonomic;

void ki_terze_theory_prepare(ki_draft *draft, ki_batch *batch, ki_terze_holonomic *e);
void ki_terze_theory_claims(ki_draft *draft, const ki_terze_holonomic *e);

#endif
