/* saddle_code.h - machine code for the kernel of one pair of patterns, made elsewhere (src/native/).
 *
 * It works on the places of the path that is taken, dense or sparse, and does its operations in the same
 * order, only without those on entries that no value can reach: what it leaves there is what the path leaves,
 * up to the sign of a zero. Whatever is out of the ordinary it gives back, and the path does it again.
 */
#ifndef KI_SADDLE_CODE_H
#define KI_SADDLE_CODE_H

#include <stdbool.h>

#include "keel/saddle.h"

/* Where the numbers are. src/native/emit_saddle.c writes this struct down once more, for the compiler. */
typedef struct ki_saddle_places {
    double *A, *J;               /* the values, as they are factored        */
    const double *D;             /* [m]                                     */
    double *panels;              /* sparse: values of panels.h              */
    double *L_A;                 /* dense: see saddle_dense.c               */
    double *d_inverse;           /* of L_A, or of the panels                */
    double *Y, *L_S, *p_inverse; /* dense                                   */
    double *S_size;              /* [m]                                     */
    double threshold;            /* a pivot of S above it times S_ii needs no judgement */
    double tolerance;            /* of each component of a residual, relative to its terms */
    /* dense: a pivot that is not above is raised by delta S_ii, if delta is not zero, and the residual of its
     * row may be the part `left` of its terms */
    double delta, left;
    int *raised; /* [m] 1 where it was */
} ki_saddle_places;

/* What `factor` did. */
enum { KI_CODE_NOTHING, KI_CODE_ALL, KI_CODE_BUT_S };

struct keel_saddle_code {
    keel_saddle_path path; /* dense or sparse */
    int n, m;
    /* Factors the values of A and J and keeps them: KI_CODE_NOTHING if a pivot of A is not positive,
     * KI_CODE_BUT_S if some pivot of S needs a judgement; on the sparse path KI_CODE_NOTHING then too. */
    int (*factor)(const ki_saddle_places *at, const double *A, const double *J);
    /* Solves; 0 and nothing written if the residual is above `tolerance`, by components and in the norm. Not
     * looked at from a tolerance of 1 on. r may be x, and s may be y. */
    int (*solve)(const ki_saddle_places *at, const double *r, const double *s, double *x, double *y);
    /* All in one, where somebody knows how the values and the right-hand side come about: makes them from
     * `input`, with what else `what` asks for, leaves them in `output`, factors and solves. Its maker and its
     * user agree about these. 0: only `output` is filled. NULL: there is none. */
    int (*accelerate)(const ki_saddle_places *at, const void *input, void *output, double *x, double *y);
    unsigned what;
    /* The same one after another, where only x matters and what `run` asks for: no residual is looked at but
     * that of rows whose pivots were raised. 0: it came to one that is not finite, or whose matrix is not as
     * good as KI_STAGE_CONDITION asks for. NULL: there is none. */
    int (*stages)(const ki_saddle_places *at, void *run);
    /* out = A x and out = |J| x with values of these patterns; `out` is none of the others. */
    void (*times)(const double *A, const double *x, double *out);
    void (*row_sums)(const double *J, const double *x, double *out);
};

/* accelerate() with the code in use; false if there is none for `what`, or it could not finish: all is to be
 * done again then. */
bool ki_saddle_accelerate(keel_saddle *K, unsigned what, const void *input, void *output, double *x,
                          double *y);

/* In a stage of an explicit step one application of the factors is enough where the diagonal entries of A and
 * S are not above their pivots by more than this factor: what refinement could gain is then below 1e-11 of
 * the accelerations, and mostly nothing. The end of the step is refined. */
#define KI_STAGE_CONDITION 1e4

/* stages() of the code in use, and its first argument. */
typedef struct ki_stage_code {
    int (*stages)(const ki_saddle_places *at, void *run);
    const ki_saddle_places *places;
} ki_stage_code;

/* Looked up once for stages that follow each other; K keeps its factors. NULL if there is none for `what`,
 * and the first time after it gave back. */
ki_stage_code ki_saddle_begin_stages(keel_saddle *K, unsigned what);

/* It gave back: what is out of the ordinary will be so in the next stages, too. */
void ki_saddle_pause_stages(keel_saddle *K, ki_stage_code *code);

/* Factors for ki_saddle_solve_stage and nothing else, in an order of their own where that saves work; false
 * where it does not, or where this A and J are no good for it: keel_saddle_factor then. They are prepared
 * once, when it is known whether K may have machine code at any time. */
keel_status ki_saddle_prepare_stages(keel_saddle *K, bool may_have_code);
bool ki_saddle_factor_stage(keel_saddle *K, const double *A, const double *J);
bool ki_saddle_has_stage_factors(const keel_saddle *K);

/* Multiplications of a factorization that serves a stage, if there is no machine code. False when out of
 * memory.
 */
bool ki_saddle_work_of_stage(const keel_saddle *K, double *work);

/* keel_saddle_solve with the numbers of stages(), by the factors of A, J and D = 0. */
keel_status ki_saddle_solve_stage(keel_saddle *K, const double *r, const double *s, double *x, double *y);

/* One application of the factors, not refined: for what round-off does not matter to. Where pivots were
 * raised, or nearly, that would be another matrix, and all is as in keel_saddle_solve. */
keel_status ki_saddle_solve_once(keel_saddle *K, const double *r, const double *s, double *x, double *y);

/* The same for iterations that judge what they leave: rows whose pivots were raised count as combinations of
 * the others, whatever their right-hand side, if that was agreed upon (ki_saddle_leave_rest). */
keel_status ki_saddle_solve_leaving(keel_saddle *K, const double *r, const double *s, double *x, double *y);

/* From now on, where dependent rows contradict each other a little, what is left of the residual, up to the
 * part `most` of its terms, may stand in those rows whose pivots failed, instead of being shared by least
 * squares among all: for systems whose rows repeat each other, evaluated off the constraints. */
void ki_saddle_leave_rest(keel_saddle *K, double most);

/* times() and row_sums() of the code in use; false if there is none. */
bool ki_saddle_times(const keel_saddle *K, const double *A, const double *x, double *out);
bool ki_saddle_row_sums(const keel_saddle *K, const double *J, const double *x, double *out);

/* Takes the code for the factorizations to come; NULL, or code for other sizes or another path: none. Called
 * before a factorization, never between one and its solves. */
void ki_saddle_use(keel_saddle *K, const keel_saddle_code *code);

#endif
