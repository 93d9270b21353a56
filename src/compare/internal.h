/* internal.h - what the files of a comparison share. */
#ifndef KI_COMPARE_INTERNAL_H
#define KI_COMPARE_INTERNAL_H

#include <stdbool.h>

#include "keel/compare.h"

/* Where a quantity is found in a row. */
typedef enum ki_source {
    KI_FROM_Q,
    KI_FROM_V,
    KI_FROM_Z,
    KI_FROM_S,
    KI_FROM_LAMBDA,
    KI_FROM_OUTPUTS,
    KI_FROM_ENERGY,
    KI_SOURCES
} ki_source;

typedef struct ki_quantity {
    ki_source source;
    int i;
} ki_quantity;

typedef struct ki_quantities {
    ki_quantity *list; /* [count] */
    int count;
    bool chosen; /* named by the user: nothing is left out then */
} ki_quantities;

/* quantity.c: the quantities of a comparison; names as in CSV files. */
keel_status ki_quantities_choose(const keel_system *system, const keel_comparison_plan *plan,
                                 keel_diagnostics *diagnostics, ki_quantities *quantities);
char *ki_quantity_name(const keel_system *system, ki_quantity quantity); /* owned; NULL: out of memory */
double ki_quantity_value(ki_quantity quantity, const keel_row *row);
/* Leaves out outputs that depend on how dependent constraints share their load, unless they were asked for;
 * coordinates take their place if none is left. Returns how many were left out. */
int ki_quantities_drop_shared(const keel_system *system, ki_quantities *quantities, const int *output_shared);

/* norm.c: values [rows x columns] of two trajectories. */
keel_status ki_samples_new(keel_samples *trajectory, int rows, int columns);

/* scale[k], see compare.h. `other`, another approximation of the same values or NULL, tells what is only
 * noise. */
void ki_scales(int rows, int columns, const double *values, const double *other, double *scale);

/* Where a quantity jumps between two rows and is smooth before and after, as an angle does from pi to -pi, an
 * error of the time decides on which side a run is: these two rows do not count (NaN). Returns how many. */
int ki_leave_out_jumps(int rows, int columns, double *values, const double *scale);

/* max |a - b| / scale over one or more rows; infinite if something is not finite. Where b is NaN nothing
 * is compared. */
double ki_distance(int rows, int columns, const double *a, const double *b, const double *scale);

/* times.c */
typedef struct ki_times {
    int rows;
    double *t; /* [rows] */
    double spacing;
    double *given; /* [rows x quantities] of a given reference, otherwise NULL */
} ki_times;

/* Evenly spaced rows up to settings->until, as the settings ask for or about a hundred. */
keel_status ki_times_even(const keel_settings *settings, double t_start, ki_times *times);

/* The rows of a given reference between t_start and until. Messages are at the file `from`. */
keel_status ki_times_given(const keel_system *system, const keel_samples *given, const char *from,
                           double t_start, double until, const ki_quantities *quantities,
                           keel_diagnostics *diagnostics, ki_times *times);
void ki_times_clear(ki_times *times);

/* What runs have in common. */
typedef struct ki_problem {
    const keel_system *system;
    const keel_state *start;
    int velocities_given;
    const keel_settings *settings;
    const ki_quantities *quantities;
    int rows;        /* times to look at */
    const double *t; /* [rows]           */
    double limit;    /* CPU seconds      */
    const volatile int *stop;
} ki_problem;

/* One run of a problem. Its values at the problem's times are either stored, or compared at once. */
typedef struct ki_job {
    keel_comparison_run run;
    double *values;          /* [rows x quantities]; NULL: not wanted */
    const double *reference; /* [rows x quantities]; NULL: not compared */
    const double *scale;     /* [quantities] */
    double off_at;           /* when the error was first above KI_FAR times the tolerance; infinite: never */
    double pose_at;          /* the first singular pose; infinite: none */
    double open;             /* largest violation of a position, relative to its size */
    bool too_long;           /* the limit was reached */
    bool hopeless;           /* the coarser run before it was too long: not begun */
} ki_job;

/* execute.c */
void ki_execute(const ki_problem *problem, ki_job *job);

/* Executes jobs with so many threads, in their order. */
typedef struct ki_progress {
    const keel_comparison_plan *plan;
    int done, total;
} ki_progress;
keel_status ki_execute_all(const ki_problem *problem, ki_job *jobs, int count, ki_progress *progress);

/* reference.c: a trajectory that errors are measured against. */
typedef struct ki_reference {
    double *values; /* [rows x quantities] */
    double *scale;  /* [quantities]        */
    char text[232];
    double uncertainty;         /* NAN: unknown                        */
    double seconds, mean_step;  /* of the tight run; 0: none succeeded */
    keel_method method;         /* ... its method                      */
    long steps;                 /* ... and its steps                   */
    int jumps;                  /* rows of which were left out         */
    keel_comparison_run failed; /* what tells why when none succeeded  */
} ki_reference;

/* `given`: values [rows x quantities] to take instead of own ones, or NULL. */
keel_status ki_reference_find(const ki_problem *problem, const double *given, const char *given_name,
                              ki_progress *progress, ki_reference *reference);
void ki_reference_clear(ki_reference *reference);

/* growth.c: how errors of the state, in parts of its scales, show in quantities, in parts of their ranges. */
typedef struct ki_growth {
    bool known;
    double mean;    /* largest later on, mean over the run */
    double at_once; /* the same at the time of the error   */
    int worst;      /* the quantity that grows most; -1    */
} ki_growth;

/* KEEL_OK also when nothing could be measured. */
keel_status ki_growth_measure(const ki_problem *problem, const ki_reference *reference, int threads,
                              ki_growth *growth);

/* why.c */
#define KI_FAR 100.0 /* errors above so many tolerances want a reason */

/* Fills `why` of the runs with errors above KI_FAR times their tolerance. */
keel_status ki_explain(const ki_problem *problem, const ki_reference *reference, ki_job *jobs, int count,
                       int threads);

/* plan.c */
/* "auto" and all valid methods of the table; with nothing to keep, one of each integrator. The caller frees.
 */
keel_method *ki_all_methods(const keel_system *system, int *count);
/* Steps h_k near mean/4^k that meet the times t_0 + i spacing of a run of length span. */
void ki_default_steps(double mean, double span, double spacing, double steps[3]);
/* 1 if the method runs on steps, 0 on tolerances. */
bool ki_takes_steps(keel_method method, const keel_comparison_plan *plan);

/* rank.c */
/* Evaluations to reach an error, interpolated in logarithms between runs; NAN if it is not reached. */
double ki_cost(const keel_comparison_run *runs, int count, double error);
/* From runs in groups of one method each to methods, order, target and decades. */
keel_status ki_rank(keel_comparison *result);

/* A note, printf-like. */
keel_status ki_note(keel_comparison *result, const char *format, ...) KEEL_PRINTF(2, 3);

#endif
