/* settings.h - the numbers that steer a run.
 *
 * keel_settings is a plain struct: take keel_settings_default() and change what you need. One table
 * (keel_options) names every field, with its type, default, range, unit and help; the keys of `simulate:` in
 * a model file, `--option name=value` on the command line and the documentation come from it.
 */
#ifndef KEEL_SETTINGS_H
#define KEEL_SETTINGS_H

#include <stddef.h>

#include "keel/diagnostics.h"
#include "keel/method.h"

/* A symmetric matrix with one row per constraint (or per coordinate), as far as the user gave it. The arrays
 * belong to whoever set it and must live as long as the settings are used. */
typedef enum keel_gain_kind {
    KEEL_GAIN_AUTOMATIC, /* not given                                                   */
    KEEL_GAIN_SCALAR,    /* scalar times the identity                                   */
    KEEL_GAIN_NAMED,     /* diagonal: values[i] for the row called names[i]; all rows must be named */
    KEEL_GAIN_MATRIX     /* values [count x count]                                      */
} keel_gain_kind;

typedef struct keel_gain {
    keel_gain_kind kind;
    double scalar;
    int count;
    const char *const *names; /* [count] */
    const double *values;
} keel_gain;

typedef enum keel_metric {
    KEEL_METRIC_NATURAL, /* M; for implicit integrators with the damping and stiffness that act during a step
                          */
    KEEL_METRIC_MASS,
    KEEL_METRIC_IDENTITY,
    KEEL_METRIC_MATRIX
} keel_metric;
typedef enum keel_levels {
    KEEL_LEVELS_POSITION_VELOCITY,
    KEEL_LEVELS_POSITION,
    KEEL_LEVELS_VELOCITY,
    KEEL_LEVELS_VELOCITY_ACCELERATION, /* for integrators that carry accelerations */
    KEEL_LEVELS_ALL
} keel_levels;
typedef enum keel_projection_mode { KEEL_MODE_SEQUENTIAL, KEEL_MODE_JOINT } keel_projection_mode;
typedef enum keel_choice { KEEL_CHOICE_BEST, KEEL_CHOICE_SECOND, KEEL_CHOICE_WORST } keel_choice;
typedef enum keel_answer { KEEL_YES, KEEL_NO } keel_answer;
typedef enum keel_scaling { KEEL_SCALING_BOTH, KEEL_SCALING_RIGHT, KEEL_SCALING_NONE } keel_scaling;
typedef enum keel_newton { KEEL_NEWTON_MODIFIED, KEEL_NEWTON_FULL } keel_newton;
typedef enum keel_solution { KEEL_SOLUTION_NEWTON, KEEL_SOLUTION_AUGMENTED } keel_solution;
typedef enum keel_start_state {
    KEEL_START_CONSISTENT, /* put onto the constraints */
    KEEL_START_AS_GIVEN    /* off them on purpose, for methods that let it be */
} keel_start_state;
typedef enum keel_singular { KEEL_SINGULAR_CONTINUE, KEEL_SINGULAR_STOP } keel_singular;
typedef enum keel_code { KEEL_CODE_AUTO, KEEL_CODE_TAPE, KEEL_CODE_NATIVE } keel_code;

typedef struct keel_settings {
    keel_method method;

    double until;     /* end time                                                                   */
    double output;    /* distance of output rows in t; 0: a row for every step                      */
    double tolerance; /* relative error aimed at (adaptive integrators)                             */
    double absolute_tolerance; /* error aimed at, as a part of the scale (docs/scales.md); 0: as tolerance */
    double step;       /* step size of a fixed-step integrator                                       */
    double first_step; /* first step of an adaptive integrator; 0: chosen                            */
    double max_step;   /* largest step of an adaptive integrator; 0: no limit                        */
    double max_steps;  /* most steps, accepted and rejected                                          */
    double order;      /* order of a method that lets one choose; 0: its own choice                  */
    double projection_tolerance; /* violation that projection leaves, relative to the constraint's size */
    double start_tolerance; /* violation of the start that is repaired, relative to the constraint's size */
    int start_state;        /* a keel_start_state                                                         */

    /* projection: docs/projection.md */
    int metric;              /* a keel_metric                                                              */
    keel_gain metric_matrix; /* for KEEL_METRIC_MATRIX: a row per velocity                                 */
    int levels;              /* a keel_levels                                                              */
    double projection_penalty; /* 0: exact; alpha > 0: penalty projection */
    int projection_mode;       /* a keel_projection_mode: positions, then velocities, or both at once */
    int keep_invariants; /* a keel_answer: projection and gradient keep the invariants (docs/invariants.md) */
    int projected_error; /* a keel_answer: the error estimate without the part that projection removes */

    /* Baumgarte and penalty: docs/baumgarte.md, docs/penalty.md */
    double alpha, beta; /* classic: K_D = 2 alpha, K_P = beta^2; 0: not given                         */
    keel_gain K_D, K_P;
    keel_gain penalty;   /* penalty masses                                                             */
    keel_gain non_ideal; /* u of the generalized inverse, a vector (scalar or named)                   */

    /* partition: docs/partition.md */
    int partition; /* a keel_choice                                                              */

    /* implicit integrators: docs/index3.md, docs/conserving.md */
    double newmark_beta, newmark_gamma; /* of newmark                                                */
    double hht_alpha;                   /* of hht, -1/3 .. 0                                         */
    double rho_infinity;     /* of generalized-alpha: what is left of high frequencies after a step, 0 .. 1 */
    int scaling;             /* a keel_scaling: of the unknowns and equations of an implicit step    */
    int reference_mass;      /* a keel_answer: multipliers also scaled by |M|/|J|                    */
    int newton;              /* a keel_newton                                                        */
    double newton_tolerance; /* relative size of the last correction                                 */
    int newton_report;       /* a keel_answer: condition and corrections of every step in the rows    */
    int solution;            /* a keel_solution: of the conserving step                               */
    double augmented_penalty; /* of KEEL_SOLUTION_AUGMENTED                                           */

    int singular;      /* a keel_singular: what to do when a singular pose is passed                 */
    double base_steps; /* steps after which a run begins anew from what a checkpoint holds; 0: never
                          (docs/checkpoint.md) */
    int code; /* a keel_code: what evaluates formulas. The program reads it; keel_run takes the system as it
                 is (keel/native.h) */
} keel_settings;

KEEL_API keel_settings keel_settings_default(void);

typedef enum keel_option_type {
    KEEL_OPTION_NUMBER, /* a double                             */
    KEEL_OPTION_WORD,   /* an int: place of a word in `words`   */
    KEEL_OPTION_GAIN    /* a keel_gain                          */
} keel_option_type;

/* One row of the option table. */
typedef struct keel_option {
    const char *name;
    keel_option_type type;
    size_t offset;            /* of the field in keel_settings                 */
    double initial;           /* default: number, or place of the word         */
    double least, most;       /* allowed range of a number, or of a gain's scalar; both ends included */
    const char *const *words; /* NULL-terminated                               */
    const char *unit;         /* "" when it has none                           */
    const char *help;
} keel_option;

/* The table; *count rows. */
KEEL_API const keel_option *keel_options(int *count);

/* The option called `name`, or NULL after reporting it with a suggestion. */
KEEL_API const keel_option *keel_option_find(const char *name, keel_location at,
                                             keel_diagnostics *diagnostics);

/* Sets one option after checking it. A number given to a gain makes it a scalar gain. Problems are reported
 * at the given places, also a value of the wrong type. */
KEEL_API keel_status keel_settings_set(keel_settings *settings, const char *name, keel_location name_at,
                                       double value, keel_location value_at, keel_diagnostics *diagnostics);
KEEL_API keel_status keel_settings_set_word(keel_settings *settings, const char *name, keel_location name_at,
                                            const char *word, keel_location word_at,
                                            keel_diagnostics *diagnostics);
KEEL_API keel_status keel_settings_set_gain(keel_settings *settings, const char *name, keel_location name_at,
                                            const keel_gain *gain, keel_location gain_at,
                                            keel_diagnostics *diagnostics);

/* Sets an option, or "method", from a text: a number, a word, "bdf" or "generalized-alpha/index3". */
KEEL_API keel_status keel_settings_set_text(keel_settings *settings, const char *name, const char *text,
                                            keel_location where, keel_diagnostics *diagnostics);

/* Rules that involve several fields (a fixed step needs `step`, `until` after the start). */
KEEL_API keel_status keel_settings_validate(const keel_settings *settings, double t_start,
                                            keel_diagnostics *diagnostics);

#endif
