/* emit_stages.h - what surrounds a stage in the function keel_stages (saddle_code.h). */
#ifndef KI_NATIVE_EMIT_STAGES_H
#define KI_NATIVE_EMIT_STAGES_H

#include "keel/system.h"
#include "native/text.h"

/* Up to the point of a stage: q, v and t in it are Y[i], Y[n_v + i] and t. */
void ki_emit_stages_begin(const keel_system *system, ki_text *text);

/* From v', in u<i>, and the terms on: to the end of the function. */
void ki_emit_stages_end(const keel_system *system, ki_text *text);

#endif
