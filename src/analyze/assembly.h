/* assembly.h - the parts of keel_assemble.
 *
 * Rows of different units are weighed by w_i, the largest length of row i of J so far: Phi_i / w_i is how far
 * the coordinates are from satisfying row i. What is to fall is
 *
 *     |Phi|_w = sqrt(sum_i (Phi_i / w_i)^2).
 *
 * Whether a row is closed is judged by its natural size (docs/sizes.md). Rows that repeat others within the
 * precision of the drawing are closed as far as that: near the end the independent ones are closed alone
 * (formulate/independence.h).
 */
#ifndef KI_ASSEMBLY_H
#define KI_ASSEMBLY_H

#include "analyze/nearest.h"
#include "formulate/independence.h"
#include "formulate/sizes.h"
#include "keel/assemble.h"

typedef struct ki_assembly {
    keel_assembly_settings settings;
    ki_law law;
    ki_dynamics d;
    double t;
    double *y;        /* [n_y] the present state                        */
    double *s;        /* [n_s] its auxiliaries                          */
    double *Phi;      /* [n_h] its violation                            */
    double *trial;    /* [n_y] a state that is tried                    */
    double *x;        /* [n_v] a displacement                           */
    double *A;        /* the metric, entries of the pattern M           */
    double *D;        /* [m] of Levenberg-Marquardt steps               */
    double *w;        /* [m] the largest length of the rows so far        */
    double *size;     /* [m] the largest size of the rows so far          */
    double scale;     /* largest (J A^-1 J^T)_ii / w_i^2, nearly        */
    double mu;        /* Levenberg-Marquardt: D_i = mu scale w_i^2      */
    double *drawn;    /* [n_h] the violation there */
    double *first;    /* [n_y] where the assembly began                 */
    double *best;     /* [n_y] the best state of all attempts           */
    double *best_s;   /* [n_s] */
    double *best_Phi; /* [n_h] */
    unsigned random;  /* of disturbed attempts; always the same numbers */
    int iterations;
    ki_independence look;             /* of systems without auxiliaries */
    ki_independence full_look, *full; /* with full matrices, which the nearest start and branches take */
    bool looking;
    ki_nearest nearest; /* KEEL_ASSEMBLE_DRAWING */
    bool by_drawing, nearest_found;
    bool *pose_row; /* [m] rows that ask nothing of velocities */
    int branches;   /* along which the start values can be met, in a singular pose; 0: it is none */
} ki_assembly;

/* Where all rows of a mechanism cannot be closed, joints come first: rows of motions and start values then
 * count this much less, w_i being so much larger. */
#define KI_LESS 1e3

/* M, J, the metric and the sizes at (t, y). */
keel_status ki_assembly_linearize(ki_assembly *a);

/* Moves a->y until Phi = 0, or as near as it can get. *closed tells which. (closing.c) */
keel_status ki_assembly_close(ki_assembly *a, bool *closed);

/* The velocities nearest to those of a->y with J v = tau. *met: there are such. rate and sizes of the rows
 * are left in a->d. */
keel_status ki_assembly_velocities(ki_assembly *a, bool *met);

/* Adds an error for each contradiction between rows of a mechanism; KEEL_ERROR_START, or KEEL_ERROR_MEMORY.
 * (contradiction.c) */
keel_status ki_report_contradictions(ki_assembly *a, bool velocity, keel_diagnostics *diagnostics);

/* Adds a note for each spring that is loaded though no start value or motion names it, the largest energies
 * first. (loads.c) */
keel_status ki_note_loads(const keel_system *system, const keel_state *state, keel_diagnostics *diagnostics);

/* For other systems: adds an error for each joint, or constraint that belongs to no joint, with rows
 * |value_i| > limit size_i. `velocity`: the values are rates. (open_rows.c) */
void ki_report_open(const keel_system *system, const double *value, const double *size, int rows,
                    double limit, bool velocity, keel_diagnostics *diagnostics);

#endif
