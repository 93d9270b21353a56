/* options.h - settings of a model, with options given as texts. */
#ifndef KI_SESSION_OPTIONS_H
#define KI_SESSION_OPTIONS_H

#include "keel/session.h"

/* The settings of the model with options set one after the other. KEEL_ERROR_INPUT after messages: all wrong
 * ones are told. */
keel_status ki_settings_with(const keel_model *model, const keel_assignment *options, int option_count,
                             keel_diagnostics *log, keel_settings *settings);

#endif
