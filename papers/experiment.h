/* experiment.h - a run of Keel as a job, and what is kept of its rows. */
#ifndef PAPERS_EXPERIMENT_H
#define PAPERS_EXPERIMENT_H

#include "papers/paper.h"

/* Numbers of every row: x[column][row]. */
typedef struct ki_record {
    int columns, room, count;
    double **x;
    void (*pick)(const keel_row *row, double *values); /* [columns] */
} ki_record;

typedef struct ki_trial {
    const keel_model *model;
    const keel_state *start; /* NULL: that of the model */
    keel_settings settings;
    ki_record *record;    /* may be NULL */
    keel_status expected; /* how it ought to end: KEEL_OK unless said otherwise */
    bool may_fail;        /* ... or with any failure, which is what the experiment asks */
    keel_result *result;
    char message[256];   /* the first error */
    int most_iterations; /* of Newton's method in a step, where rows tell it */
    double *lambda;      /* [m] the multipliers that the last step was solved for; NULL: not asked for */
} ki_trial;

/* A method that is known to exist. */
keel_method ki_method(const char *text);

/* A run of the model as its file says, with another method. False if the model is NULL or there is no memory.
 */
bool ki_trial_init(ki_draft *draft, ki_trial *trial, const keel_model *model, const char *method);

/* Asks for a record with room for so many rows. */
void ki_trial_record(ki_draft *draft, ki_trial *trial, int columns, int room,
                     void (*pick)(const keel_row *row, double *values));

/* Asks for ki_trial.lambda. Rows have the multipliers of the index-1 form, which a paper may not mean. */
void ki_trial_own_multipliers(ki_draft *draft, ki_trial *trial);

/* The work of a job whose data is a ki_trial: fails if the run does not end as expected. */
keel_status ki_trial_run(void *trial, char *message, int size);

/* An exact run of the model to time t: dop853 with projection at tolerance 1e-13. */
bool ki_trial_exact(ki_draft *draft, ki_trial *trial, const keel_model *model, double t);

/* Largest |a_i - b_i|; Euclidean length of a - b. */
double ki_largest_difference(const double *a, const double *b, int n);
double ki_length_between(const double *a, const double *b, int n);

/* Largest |x_i - from| of the first `count`. */
double ki_largest(const double *x, int count, double from);

#endif
