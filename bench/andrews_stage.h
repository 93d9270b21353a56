/* andrews_stage.h - what one right-hand side of Andrews' mechanism costs. */
#ifndef BENCH_ANDREWS_STAGE_H
#define BENCH_ANDREWS_STAGE_H

#include "keel/modelfile.h"

/* Prints evaluation, factorization, solve and the whole stage (ki_rate), in nanoseconds. */
void andrews_stages(const keel_system *hand, keel_model *model);

/* Evaluation, factorization and solve of one contender, `count` times. */
void andrews_one_stage(const keel_system *hand, keel_model *model, const char *name, int count);

#endif
