/* switching.h - steps end where formulas of the model change over from one branch to another.
 *
 * Switches of time are known beforehand: steps end there, and the model is asked at no time beyond while a
 * step is taken (ki_stay_between), so that no stage sees the other branch. Switches of the state are found on
 * the dense output of the step that has passed one. One-step methods take that step again, up to just behind
 * the switch; methods with a history end it there. In all cases the integrator begins anew behind the switch:
 * what it remembers belongs to the other branch.
 */
#ifndef KI_SWITCHING_H
#define KI_SWITCHING_H

#include "integrate/integrator.h"
#include "keel/run.h"

enum { KI_LOOKS = 4 }; /* two on either side of a switch */

typedef struct ki_switching {
    bool of_time;
    void *work; /* a scratch area of the system with all coordinates; NULL: there are no switches */
    double t_first, t_last; /* the model is asked between these */
    double at, after;       /* the next switch of time, and the first time behind it */
    double passed;          /* the last one */
    double usual;           /* a step that nothing has cut */
    long met;               /* switches of both kinds that were passed */
    double *y_begin;        /* [n_y] where the integrator begins anew */

    /* switches of the state */
    int count;
    double *g_start, *g;  /* [count] at the two ends of the last step */
    double *g_here;       /* [count] scratch */
    double *inside;       /* [places x count] g inside the last step, by a guess */
    double *largest;      /* [count] |g| of those that are steep, so far; 0 of others */
    double noise;         /* errors of steps, in parts of that: beyond by less is chance */
    signed char *side;    /* [count] sign of g before the last step; 0: neither yet, or nobody looks */
    double *y_old, t_old; /* [n_y] the state before the last step, to take it again */
    double *y;            /* [n_y] scratch */
    double cut;           /* the step ends here because of a switch of the state; infinity: it need not */
    double *latest;       /* [count] when each was passed last */
    int *returned;        /* [count] how often in a row it was passed again at once */
    bool *ignored;        /* [count] passed without end: left to the error control */
    double *y_there, *k, *k_behind; /* [n_y] scratch */
    int missed;                     /* steps in a row that were taken again and have not reached the switch */
    bool on_switch;                 /* some function is zero where the last step began */
    bool is_cut;                    /* the last step ended because of it */
    bool renew;                     /* the last step has ended behind a switch of the state */

    /* what the caller asks for (advance.c) */
    double halt; /* the step ends here: the caller wants to set inputs there; infinity: it need not */
    bool jumped; /* an input was set since the last step, or the halt of fixed steps */

    /* scratch for motions that jump */
    double last_before;                         /* the last time before the switch that was passed */
    double *Phi[KI_LOOKS], *rate[KI_LOOKS], *J; /* [m] by time, [entries of J] */
} ki_switching;

/* Looks for the first switch of time from t on. After a failure too, ki_switching_clear must be called. */
keel_status ki_switching_init(keel_simulation *sim, double t);
void ki_switching_clear(keel_simulation *sim);

/* The workspaces are new: they learn between which times they may ask. */
void ki_tell_switches(keel_simulation *sim);

/* After the end of the run has moved: the next switch of time may be there now. */
void ki_look_for_switches(keel_simulation *sim);

/* Begins anew with the inputs that were set since the last step, if any were. */
keel_status ki_meet_inputs(keel_simulation *sim);

/* Where the next step ends at the latest. */
double ki_step_limit(const keel_simulation *sim);

/* One accepted step of the integrator, cut at switches. */
keel_status ki_step_to_switch(keel_simulation *sim);

#endif
