/* emit_model.h - C text for a model: functions keel_program_<i>, keel_factor, keel_solve,
 * keel_accelerate, keel_stages. */
#ifndef KI_NATIVE_EMIT_MODEL_H
#define KI_NATIVE_EMIT_MODEL_H

#include "equations/model.h"
#include "native/text.h"

/* What the text has. */
typedef struct ki_emitted {
    bool has[KI_PROGRAMS_MAX];       /* a function for this program      */
    unsigned reads[KI_PROGRAMS_MAX]; /* what of the point it reads       */
    bool kernel;                     /* factor and solve                 */
    keel_saddle_path path;           /* which they go                    */
    bool through;                    /* evaluation, factor and solve     */
    bool stages;                     /* the same, for stages             */
    unsigned what;                   /* the terms of these two           */
    int programs;                    /* how many programs                */
} ki_emitted;

/* Of the shortened programs of a model. False when out of memory. */
bool ki_emit_model(const ki_model *model, const ki_programs *programs, ki_emitted *emitted, ki_text *text);

#endif
