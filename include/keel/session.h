/* session.h - a model from a file to its answer in a few calls: open, check, run, look.
 *
 *     keel_diagnostics *log = keel_diagnostics_new();
 *     keel_model *model = keel_model_open("four_bar.yaml", NULL, 0, log);
 *     keel_trajectory *run = model ? keel_model_run(model, NULL, log) : NULL;
 *     for (long row = 0; row < keel_trajectory_rows(run); row++)
 *         printf("%g %g\n", keel_trajectory_value(run, row, 0), keel_trajectory_value(run, row, 1));
 *     for (int i = 0; i < keel_diagnostics_count(log); i++)
 *         puts(keel_diagnostics_get(log, i).text);
 *     keel_trajectory_free(run);
 *     keel_model_free(model);
 *     keel_diagnostics_free(log);
 *
 * Objects are opaque or read through functions, so that other languages need no layouts of structs
 * (docs/python.md is made of these calls). Every `_free` accepts NULL. A model may be shared by threads once
 * it is open; a trajectory is never written after it was returned; a simulation belongs to one thread.
 */
#ifndef KEEL_SESSION_H
#define KEEL_SESSION_H

#include "keel/modelfile.h"
#include "keel/results.h"
#include "keel/simulation.h"

/* ---- a model */

/* Reads a model file with some parameters replaced (`set` may be NULL if set_count is 0), assembles its start
 * and checks that it can move: all that `keel run` does before a run. NULL after messages, which say what is
 * wrong and where; *log may hold warnings after a success. To be freed with keel_model_free. */
KEEL_API keel_model *keel_model_open(const char *path, const keel_assignment *set, int set_count,
                                     keel_diagnostics *log);

/* The same for a text in memory, `name` being used in messages. */
KEEL_API keel_model *keel_model_open_text(const char *name, const char *text, const keel_assignment *set,
                                          int set_count, keel_diagnostics *log);

/* Sets what steers runs of the model: "method" ("bdf", "generalized-alpha/index3"), or any option of
 * docs/methods.md with its value as a text ("until" "2", "tolerance" "1e-9", "metric" "identity").
 * KEEL_ERROR_INPUT after a message. Not while a run of the model is under way. */
KEEL_API keel_status keel_model_set_option(keel_model *model, const char *name, const char *value,
                                           keel_diagnostics *log);

KEEL_API const keel_system *keel_model_system(const keel_model *model);
KEEL_API const char *keel_model_name(const keel_model *model);
KEEL_API int keel_model_is_mechanism(const keel_model *model);

/* Parameters with the values that counted, i from 0 to count - 1. */
KEEL_API int keel_model_parameter_count(const keel_model *model);
KEEL_API const char *keel_model_parameter_name(const keel_model *model, int i);
KEEL_API double keel_model_parameter_value(const keel_model *model, int i);

/* What `keel check` finds, as JSON (docs/python.md lists the keys): freedoms, rank, repeated and shared
 * joints, locked bodies, dependent constraints. To be freed with keel_text_free; NULL after a message. */
KEEL_API char *keel_model_check(const keel_model *model, keel_diagnostics *log);

KEEL_API void keel_text_free(char *text);

/* ---- a run, kept in memory */

typedef struct keel_trajectory keel_trajectory;

/* Who watches a run: `progress` after every accepted step, in the thread of the run; anything but 0 ends it,
 * what was reached is kept. */
typedef struct keel_watcher {
    int (*progress)(void *user, double t, double until);
    void *user;
    double interval; /* seconds that pass at least between two calls; 0: after every step */
} keel_watcher;

/* Runs the model from its start to its end. `watcher` may be NULL. NULL only when out of memory; a run that
 * failed has the rows up to there, keel_trajectory_status and the log say how it ended. The model must
 * outlive the trajectory. */
KEEL_API keel_trajectory *keel_model_run(const keel_model *model, const keel_watcher *watcher,
                                         keel_diagnostics *log);
KEEL_API void keel_trajectory_free(keel_trajectory *trajectory);

/* The same with options of this run only, as for keel_model_set_option: threads may run one model with
 * different ones. NULL also if an option is wrong, after messages. */
KEEL_API keel_trajectory *keel_model_run_with(const keel_model *model, const keel_assignment *options,
                                              int option_count, const keel_watcher *watcher,
                                              keel_diagnostics *log);

/* KEEL_OK, KEEL_INTERRUPTED, or what failed. */
KEEL_API keel_status keel_trajectory_status(const keel_trajectory *trajectory);

/* 1 if the run kept what its method promises (docs/verdict.md); otherwise 0, and `text` says what it did not
 * keep. */
KEEL_API int keel_trajectory_kept_promises(const keel_trajectory *trajectory, char *text, int size);

/* Rows and columns; columns are those of a CSV file (docs/results.md), then accelerations. Of more than
 * 200 000 rows every second one is left out, again and again: `rows_of_run` counts all. */
KEEL_API long keel_trajectory_rows(const keel_trajectory *trajectory);
KEEL_API long keel_trajectory_rows_of_run(const keel_trajectory *trajectory);
KEEL_API int keel_trajectory_columns(const keel_trajectory *trajectory);
KEEL_API const char *keel_trajectory_name(const keel_trajectory *trajectory, int column);
KEEL_API const char *keel_trajectory_unit(const keel_trajectory *trajectory, int column);

/* 1 if dependent constraints share it: one of many equally good values. */
KEEL_API int keel_trajectory_is_shared(const keel_trajectory *trajectory, int column);

/* The value in a row; NaN outside of the table. */
KEEL_API double keel_trajectory_value(const keel_trajectory *trajectory, long row, int column);

/* The whole table, row after row: [rows x columns], which belongs to the trajectory. */
KEEL_API const double *keel_trajectory_values(const keel_trajectory *trajectory);

/* Facts of the run: what summary files hold (docs/summary.md), as JSON. To be freed with keel_text_free. */
KEEL_API char *keel_trajectory_summary(const keel_trajectory *trajectory);

/* Writes the rows (.csv or .h5, by the name) or the page of the run (.html). KEEL_ERROR_IO or
 * KEEL_ERROR_INPUT after a message. */
KEEL_API keel_status keel_trajectory_save(const keel_trajectory *trajectory, const char *path,
                                          keel_diagnostics *log);

/* ---- a simulation led by the caller */

/* A simulation of a model with the settings given, or with those of the model (NULL). NULL after messages.
 * The model must outlive it. */
KEEL_API keel_simulation *keel_simulation_open(const keel_model *model, const keel_settings *settings,
                                               keel_diagnostics *log);

/* The same with the settings of the model and options of this simulation only. */
KEEL_API keel_simulation *keel_simulation_open_with(const keel_model *model, const keel_assignment *options,
                                                    int option_count, keel_diagnostics *log);

/* An empty row for keel_simulation_advance, for languages that know no structs. To be freed with
 * keel_row_free; NULL when out of memory. */
KEEL_API keel_row *keel_row_new(void);
KEEL_API void keel_row_free(keel_row *row);

/* The state in a row, into arrays of the system's sizes: keel_simulation_set_state goes on from there, where
 * keel_simulation_state is the end of the last step, which may lie beyond the row. */
KEEL_API keel_status keel_row_state(const keel_row *row, const keel_system *system, keel_state *state);

/* How many numbers the vectors of a state and the outputs have. */
enum { KEEL_SIZE_Q, KEEL_SIZE_V, KEEL_SIZE_Z, KEEL_SIZE_S, KEEL_SIZE_LAMBDA, KEEL_SIZE_OUTPUTS, KEEL_SIZES };
KEEL_API void keel_system_sizes(const keel_system *system, int sizes[KEEL_SIZES]);

/* ---- bodies of a mechanism, by handle */

/* Number of the body or joint of that name; -1 after a message with the nearest name. The ground is body 0.
 */
KEEL_API int keel_find_body(const keel_system *system, const char *name, keel_diagnostics *log);
KEEL_API int keel_find_joint(const keel_system *system, const char *name, keel_diagnostics *log);

#endif
