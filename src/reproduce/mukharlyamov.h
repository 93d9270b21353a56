/* mukharlyamov.h - what mukharlyamov.c takes from other files. */
#ifndef KI_REPRODUCE_MUKHARLYAMOV_H
#define KI_REPRODUCE_MUKHARLYAMOV_H

#include "reproduce/paper.h"

/* Claims about all systems, on random ones. */
void ki_mukharlyamov_theory(ki_draft *draft);

#endif
