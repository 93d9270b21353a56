/* independence.h - which constraints are independent: in general, and in one pose.
 *
 * Every row and every displacement has a natural size (keel_system.row_size, q_size). With R = diag(row_size)
 * and C = diag(q_size) the entries of
 *
 *     H = R^-1 J C
 *
 * are numbers of order one whatever the units, the place and the orientation of a mechanism. Rows of H are
 * taken one after the other, each time the one of which those taken before leave most, orthogonal to them (a
 * QR factorization with exchanges). A row of which less is left than the precision of the drawing allows to
 * tell apart from nothing,
 *
 *     left_i <= MARGIN precision extent / row_size_i,
 *
 * is repeated. Joints come first, then motions and start values, then nonholonomic rows: a motion that says
 * what the joints say already is the one that repeats.
 *
 * Large systems are taken apart by sparse elimination instead (row_choice.h), which leaves of a row at least
 * as much as an orthogonal projection, and gives some displacement where another system has the shortest one.
 *
 * In a singular pose more rows depend on each other than usual. So the rank of a pose is taken for the usual
 * one only after a look around: the mechanism is moved a little along the displacements that its joints
 * allow, put back onto them, and looked at again, several times. The usual rank is the largest one found.
 */
#ifndef KI_INDEPENDENCE_H
#define KI_INDEPENDENCE_H

#include <stdbool.h>

#include "base/arena.h"
#include "keel/system.h"
#include "linalg/row_choice.h"

typedef struct ki_independence ki_independence;
struct ki_independence {
    const keel_system *system;
    void *work; /* a scratch area of the system; not owned */
    int m, n;
    ki_arena arena;

    int rank;          /* the usual one */
    int class_rank[3]; /* ... of joints, motions and nonholonomic rows */
    int class_here[3]; /* ... in the pose that was asked for */
    int rank_here;     /* in the pose that was asked for; less: it is singular */
    double
        least;   /* of the rows taken: the smallest length that was left, in the pose where they were taken */
    double most; /* of the others: the largest */
    bool *taken; /* [m] */
    bool *ignored; /* [m] rows that are not to be looked at; set by who asks */
    int *row;      /* [rank] those, increasing */
    double *q;     /* [n_q] the pose in which they were taken: the one asked for unless that is singular */

    /* samples of a singular pose: poses on its branches near by, [sample_count] of [n_q] */
    int sample_count;
    double *sample;

    /* scratch; H, L and stress are NULL in large systems */
    keel_terms terms;     /* J, Phi */
    ki_row_choice *large; /* takes the rows of a large system, NULL in others */
    double *values;       /* [entries of J] H, in large systems */
    bool *mark;           /* [m] in large systems */
    double *H;            /* [m x n] rows become what is left of them, then an orthonormal basis       */
    double *L;            /* [m x m] row = sum_k L_ik basis_k of the rows taken                        */
    double *left;         /* [m] */
    double
        *size; /* [n] natural sizes of displacements: what the system states, else 1 until others are set */
    double *scale;   /* [m] 1 / size of a row */
    bool sizes_kept; /* poses that are only tried do not tell how long a row may get */
    double *limit;   /* [m] what is left of a repeated row at most */
    int *order;      /* [m] rows in the order in which they were taken, the others behind them    */
    int *class_of;   /* [m] */
    int classes;     /* of which rows were taken last: the first so many */
    double *x, *y;   /* [n], [m] */
    double *trial;   /* [n_q] */
    double *step;    /* [n] */
    double *stress;  /* [m x m] */
    unsigned random;
};

/* Entries of J up to which full matrices cost little. */
#define KI_FEW_ENTRIES 4e4

/* Memory for looks at a system, as a large one if J or a basis of its freedoms has more than `most_dense`
 * entries; KEEL_OK or KEEL_ERROR_MEMORY. Clear it after a failure, too. */
keel_status ki_independence_init(ki_independence *look, const keel_system *system, void *work,
                                 double most_dense);
void ki_independence_clear(ki_independence *look);

/* Rank here and in general, and the rows to hold, near a pose on the constraints. KEEL_ERROR_CALLBACK,
 * KEEL_ERROR_NOT_FINITE. */
keel_status ki_find_independent(ki_independence *look, const keel_point *at);

/* Moves a state next to a singular pose onto the rows of which more than `least` is left after those before
 * them. What is left of the others is of second order in how far the state was off. To Phi and the rates of
 * holonomic rows `more` is added. */
bool ki_close_next_to_pose(ki_independence *look, const keel_point *at, double least, const keel_terms *more,
                           double *q, double *v);

/* Whether the pose that was asked for has other ranks, of a class at least, than poses near by. */
bool ki_is_singular(const ki_independence *look);

/* The ranks that tell so: of all rows, or of the joints where motions make up for them. */
void ki_ranks_to_tell(const ki_independence *look, int *here, int *usual);

/* Whether the rows of joints are more dependent than usual in the pose that was asked for: branches meet
 * there. */
bool ki_joints_are_singular(const ki_independence *look);

/* Whether only nonholonomic rows are. */
bool ki_only_velocities_are_singular(const ki_independence *look);

/* Takes rows in this pose alone, as many as are usual, from those marked in `among` (NULL: all). Returns the
 * smallest length that was left of one: 0 in a singular pose, and smooth next to it. */
double ki_take_rows(ki_independence *look, const keel_point *at, const bool *among, keel_status *status);

/* The volume that the rows taken last span: the product of what was left of each. */
double ki_volume_taken(const ki_independence *look);

/* How many rows have more than `least` left here. */
int ki_rank_above(ki_independence *look, const keel_point *at, double least, keel_status *status);

/* How many rows are independent in this pose, and takes them. */
keel_status ki_count_independent(ki_independence *look, const keel_point *at, int *rank);

/* Takes look->rank rows in this pose, each one unless those before it say the same. */
keel_status ki_take_in_order(ki_independence *look, const keel_point *at);

/* An orthonormal basis of what the rows taken last allow, in natural sizes: x [ki_most_freedoms at most, n].
 * Returns how many there are. Of many freedoms of a large system, some random combinations: what stands still
 * in them stands still in all. */
int ki_most_freedoms(const ki_independence *look);
int ki_freedoms(const ki_independence *look, double *x);

/* A pose near by on the joints, in some direction that they allow, another one with every call; false: none
 * was found, or *status. */
bool ki_go_near(ki_independence *look, const keel_point *at, double *q, keel_status *status);

/* The parts of a look, for others that look: H at a point, with nothing taken; the rows of joints taken
 * there; the displacement in natural sizes from one pose to another near by; the
 * joints closed alone. */
keel_status ki_load_rows(ki_independence *look, const keel_point *at);
keel_status ki_take_joints(ki_independence *look, const keel_point *at);
void ki_difference(ki_independence *look, const double *from, const double *to, double *x);
bool ki_close_joints(ki_independence *look, const keel_point *at, double *q);

/* Moves the pose q until as many holonomic rows are closed as are independent, by the shortest displacements
 * in natural sizes; true if they are, and those that repeat them are open by no more than the precision of
 * the drawing. look->taken tells which is which. */
bool ki_close_rows(ki_independence *look, const keel_point *at, double *q);

/* The same for velocities: v changes by as little as possible. Rows marked in `without` [m] ask nothing. */
bool ki_meet_rates(ki_independence *look, const keel_point *at, const bool *without, double *v);

/* The shortest beta [n_h], in natural sizes, such that Phi = beta does not contradict itself at a point where
 * joints depend on each other: y^T (Phi - beta) = 0 for all states of self-stress y. Rows with no more than
 * `least` left count as dependent. Returns the largest |beta_i| in natural sizes. */
double ki_find_offset(ki_independence *look, const keel_point *at, double least, double *beta);

/* One step of either, for those who choose among all that close the rows to first order: the shortest one,
 * x [n], and an orthonormal basis of what the rows leave free, Z [n - rows taken, n], both in natural sizes.
 * With `without` (which may be NULL) for velocities, whose rates are met, else for the pose. *violation: the
 * largest, in natural sizes. Returns the number of vectors in Z, or -1 if the system cannot be evaluated. */
int ki_closing_steps(ki_independence *look, const keel_point *at, bool velocities, const bool *without,
                     double *x, double *Z, double *violation);

/* q <- q (+) C x: a displacement in natural sizes. */
void ki_move_naturally(const ki_independence *look, const double *x, double *q);

/* What is left at most of a row that repeats others: of its length, for rows in natural sizes. */
double ki_repeated_limit(const keel_system *system);

/* States of self-stress from the rows taken last: for each of the others one y with J^T y = 0, up to the
 * precision, into y [m - taken, m]; marks the rows that take part in any (NULL: not asked). Returns how many
 * there are. */
int ki_self_stresses(const ki_independence *look, double *y, bool *shared);

/* How many rows ki_self_stresses fills: of a large system a few, random combinations of all, in which every
 * row takes part that does so in any. */
int ki_stress_count(const ki_independence *look);

/* The one of them with y_d = 1 for row d, which was not taken: y [m]. */
keel_status ki_self_stress_of(ki_independence *look, int d, double *y);

/* Row `row` as a combination of the rows taken last, sum_i y_i J_i = J_row + what they leave of it: y [m]. */
void ki_parts_of_row(const ki_independence *look, int row, double *y);

/* What the rows taken last leave of another one, in natural sizes: p [n]. Returns its length as a part of the
 * whole row; 0 for a row of zeros. */
double ki_remainder(const ki_independence *look, int row, double *p);

/* How much of a row of holonomic constraints may stay open: round-off for rows that are held, the precision
 * of the drawing for rows that repeat others. Units of Phi_i. */
double ki_open_limit(const keel_system *system, int i);

/* Whether an amount in the unit of Phi_i is nothing but round-off of what it is the difference of. False for
 * systems without natural sizes: nothing is known. */
bool ki_is_round_off(const keel_system *system, int i, double amount);

#endif
