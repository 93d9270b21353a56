/* turns.h - counts the turns of angles that a pose does not tell (keel_system.turns). */
#ifndef KI_RUN_TURNS_H
#define KI_RUN_TURNS_H

#include "keel/run.h"

/* At the ends of the last step, turns counted. */
typedef struct ki_turns {
    int count;
    double t[2];
    double *angle[2], *rate[2]; /* [count] */
    double *near;               /* [count] */
} ki_turns;

/* Memory; at the start angles are what the pose says. */
keel_status ki_turns_init(keel_simulation *sim);

/* After a step. */
void ki_count_turns(keel_simulation *sim);

/* Before outputs at time t of the last step. */
void ki_tell_turns(keel_simulation *sim, double t);

#endif
