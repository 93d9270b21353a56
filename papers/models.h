/* models.h - the model files of the experiments, as part of the program: it needs no folder to find them in.
 */
#ifndef PAPERS_MODELS_H
#define PAPERS_MODELS_H

#include <stddef.h>

/* The text of models/NAME.yaml, [*length], or NULL. */
const char *ki_model_text(const char *name, size_t *length);

#endif
