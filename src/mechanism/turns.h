/* turns.h - angles in outputs that a pose tells only up to whole turns. */
#ifndef KI_MECHANISM_TURNS_H
#define KI_MECHANISM_TURNS_H

#include "mechanism/work.h"

/* Which of the inputs of the outputs these are, and what the system says of them. */
keel_status ki_find_wound(ki_mech *mech);

/* The inputs of the outputs, of them the turns nearest to the values that were told last. */
void ki_take_turns(const ki_mech *mech, const ki_mech_work *w, double *inputs);

#endif
