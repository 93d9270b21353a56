/* watch.h - looks out for singular poses.
 *
 * After every step the gap of J (gap.h) tells two things: whether a singular pose lies inside the step (a
 * search on the dense output finds its time), and whether one lies ahead (linear extrapolation), so that the
 * next step can straddle it.
 */
#ifndef KI_WATCH_H
#define KI_WATCH_H

#include "integrate/integrator.h"
#include "run/gap.h"

typedef struct ki_watch {
    bool active;
    ki_gap of;              /* how the gap is measured                   */
    double largest;         /* largest gap so far                        */
    double gap, before;     /* at the last two steps                     */
    double t, t_before;     /* their times                               */
    double steepest;        /* largest change per time between two steps of late */
    double steepest_inside; /* and ever between two samples inside a step */
    double smallest;        /* smallest gap met, and when                */
    double smallest_time;
    double logged;    /* time of the last singular pose reported   */
    double measured;  /* the last gap that was measured of the steps' own matrices ... */
    long measured_at; /* ... and which factorization of theirs that was                */
    double *y;        /* [n_y] scratch */
    /* Where constraints are held for others that repeat them, the gap is that of all constraints together,
     * and that of those held tells only where steps must not end. */
    double (*of_all)(void *user, double t, const double *y); /* NULL: all are held */
    void *user;
    double held, held_largest; /* of those held: after the last step, and the largest so far */
} ki_watch;

/* Memory from the arena. d must be factored at the start. `rank`: of J in general, -1: as there. */
void ki_watch_init(ki_watch *watch, ki_arena *arena, ki_dynamics *d, double t, int rank);

/* Another pose in the rest of the step, after the one that was found last. */
bool ki_watch_rest(ki_watch *watch, ki_integrator *in, ki_dynamics *rows, double *t_singular, double *gap);

/* From now on the gap is of_all(user, t, y). */
void ki_watch_all(ki_watch *watch, double (*of_all)(void *user, double t, const double *y), void *user,
                  double t, const double *y);

/* From now on steps of the integrator do not end next to a pose by chance; after each step anyway. */
void ki_watch_ends(ki_watch *watch, ki_integrator *in);

/* After an accepted step of the integrator. Returns true, with the time and the gap there, if a singular pose
 * lies inside the step. `rows` is the workspace for the search, at the pose afterwards. Sets in->singular_at
 * for the next step. */
bool ki_watch_step(ki_watch *watch, ki_integrator *in, ki_dynamics *rows, double *t_singular, double *gap);

#endif
