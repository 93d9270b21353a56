/* settings.h - the numbers that steer a run.
 *
 * keel_settings is a plain struct: take keel_settings_default() and change what you need. One table
 * (keel_options) names every field, with its default, range, unit and help; the keys of `simulate:` in a
 * model file, `--option name=value` on the command line and the documentation come from it.
 */
#ifndef KEEL_SETTINGS_H
#define KEEL_SETTINGS_H

#include <stddef.h>

#include "keel/diagnostics.h"
#include "keel/method.h"

typedef struct keel_settings {
    keel_method method;

    double until;     /* end time                                                                    */
    double output;    /* distance of output rows in t; 0: a row for every step                       */
    double tolerance; /* relative error aimed at (adaptive integrators)                              */
    double absolute_tolerance; /* absolute error aimed at; 0: the same as `tolerance` */
    double step;       /* step size of a fixed-step integrator                                        */
    double first_step; /* first step of an adaptive integrator; 0: chosen                             */
    double max_step;   /* largest step of an adaptive integrator; 0: no limit                         */
    double max_steps;  /* most steps, accepted and rejected                                           */
    double projection_tolerance; /* violation that projection leaves, relative to the constraint's size */
    double start_tolerance; /* violation of the start that is repaired, relative to the constraint's size  */
} keel_settings;

KEEL_API keel_settings keel_settings_default(void);

/* One row of the option table. Every option is a real number. */
typedef struct keel_option {
    const char *name;
    size_t offset;      /* of the double in keel_settings */
    double initial;     /* default */
    double least, most; /* allowed range, both ends included */
    const char *unit;   /* "" when it has none */
    const char *help;
} keel_option;

/* The table; *count rows. */
KEEL_API const keel_option *keel_options(int *count);

/* Sets one option by name after checking its range. Problems are reported at the given places. */
KEEL_API keel_status keel_settings_set(keel_settings *settings, const char *name, keel_location name_at,
                                       double value, keel_location value_at, keel_diagnostics *diagnostics);

/* Rules that involve several fields (a fixed step needs `step`, `until` after the start). */
KEEL_API keel_status keel_settings_validate(const keel_settings *settings, double t_start,
                                            keel_diagnostics *diagnostics);

#endif
