/* equations.h - systems written as formulas.
 *
 * A keel_equations is the text of a model, name by name, with the place each formula stands at; compiling it
 * gives a keel_system with exact M, Q, J, tau, xi. The YAML reader builds one; a C program may build its own:
 *
 *     keel_equations *e = keel_equations_new();
 *     keel_location here = {0};
 *     keel_equations_add(e, 0, KEEL_EQ_PARAMETER, "g", here, "9.81", here);
 *     keel_equations_add(e, 0, KEEL_EQ_COORDINATE, "x", here, "1", here);          start value of x
 *     keel_equations_add(e, 0, KEEL_EQ_KINETIC, NULL, here, "x'^2/2", here);
 *     ...
 *     keel_equations_compile(e, diagnostics, &system, &start);
 *
 * docs/model-format.md and docs/expressions.md describe what the formulas may say.
 */
#ifndef KEEL_EQUATIONS_H
#define KEEL_EQUATIONS_H

#include "keel/diagnostics.h"
#include "keel/system.h"

typedef enum keel_equation_kind {
    KEEL_EQ_PARAMETER,  /* name = expression of other parameters                                 */
    KEEL_EQ_DEFINITION, /* name = expression of anything; its derivative is name'                */
    KEEL_EQ_COORDINATE, /* name, start value                                                     */
    KEEL_EQ_VELOCITY,   /* coordinate, start value of its velocity                               */
    KEEL_EQ_KINETIC,    /* no name; several are added                                            */
    KEEL_EQ_POTENTIAL,  /* no name; several are added                                            */
    KEEL_EQ_MASS,  /* "x" (diagonal) or "x,y" (symmetric pair), entry of the mass matrix; entries are added */
    KEEL_EQ_FORCE, /* coordinate, force on it; several are added                            */
    KEEL_EQ_HOLONOMIC,          /* name, expression that is zero                                         */
    KEEL_EQ_NONHOLONOMIC,       /* name, expression that is zero                                         */
    KEEL_EQ_STATE,              /* name, start value                                                     */
    KEEL_EQ_STATE_RATE,         /* name of a state, its time derivative                                  */
    KEEL_EQ_AUXILIARY,          /* name, first guess of its start value                                  */
    KEEL_EQ_AUXILIARY_EQUATION, /* name (of the equation), expression that is zero                 */
    KEEL_EQ_OUTPUT,             /* name, expression of anything, accelerations x'' and multipliers too   */
    KEEL_EQ_INVARIANT,          /* name, expression that keeps its value along every motion; may use the words
                                   kinetic, potential and energy */
    KEEL_EQ_SCALE,              /* coordinate or state, how large it is: what its errors are measured by */
    KEEL_EQ_DRAW_X,             /* name of a point to look at, its coordinates: no part of the results */
    KEEL_EQ_DRAW_Y,
    KEEL_EQ_DRAW_Z,   /* every point has all three */
    KEEL_EQ_DRAW_LINE /* "P,Q": a line between two such points; its text says nothing */
} keel_equation_kind;

typedef struct keel_equations keel_equations;

/* NULL when out of memory. */
KEEL_API keel_equations *keel_equations_new(void);
KEEL_API void keel_equations_free(keel_equations *equations);

/* Opens a block whose entries are repeated for variable = from .. to (both expressions of parameters and of
 * the variables of the enclosing blocks), inside block `parent` (0: the top level). Returns its number, or -1
 * when out of memory. Entries of the block may use `variable`, also as an index in names: "x[i]". */
KEEL_API int keel_equations_repeat(keel_equations *equations, int parent, const char *variable,
                                   const char *from, const char *to, keel_location where);

/* Adds one entry to a block (0: the top level). All text is copied. `name` is NULL where the kind takes none.
 * `name_at` and `text_at` are where they stand, for messages; the formula must stand in the file as it is in
 * `text` (line breaks included) for columns inside it to be right. */
KEEL_API keel_status keel_equations_add(keel_equations *equations, int block, keel_equation_kind kind,
                                        const char *name, keel_location name_at, const char *text,
                                        keel_location text_at);

/* Replaces the text of a top-level parameter. KEEL_ERROR_INPUT when there is none of that name; the message
 * names the closest one. */
KEEL_API keel_status keel_equations_set(keel_equations *equations, const char *parameter, const char *text,
                                        keel_diagnostics *diagnostics);

/* Compiles into a system (free with keel_equations_system_free) and its start state (free with
 * keel_state_free). Velocities without a start value are zero. Checks what can be checked without solving:
 * names, syntax, finite values at the start, a positive definite mass matrix, constraints that depend on an
 * unknown. Up to KEEL_DIAGNOSTICS_MAX problems are reported at once. The system does not need `equations`
 * afterwards. */
KEEL_API keel_status keel_equations_compile(const keel_equations *equations, keel_diagnostics *diagnostics,
                                            keel_system **system, keel_state **start);
KEEL_API void keel_equations_system_free(keel_system *system);

/* 1 if any KEEL_EQ_VELOCITY entry exists: only then are start velocities the user's word. */
KEEL_API int keel_equations_has_velocities(const keel_equations *equations);

/* What a system of equations has to look at: named points, and lines between them. 0 points for systems
 * that have none, or are no equations. The lines are pairs of point numbers. `work` is a scratch area of the
 * system (work_new). */
typedef struct keel_drawing {
    int point_count, line_count;
    const char *const *name; /* [point_count] */
    const int (*line)[2];    /* [line_count]  */
    int planar;              /* z is 0 for all of them */
} keel_drawing;
KEEL_API keel_drawing keel_equations_drawing(const keel_system *system);
KEEL_API void keel_equations_draw(const keel_system *system, void *work, const keel_point *at,
                                  double (*points)[3]);

/* What evaluates a system of equations now: "native" machine code (keel/native.h) or the "tape"; NULL for
 * other systems. */
KEEL_API const char *keel_equations_code(const keel_system *system);

/* What keel/native.h works on: the inside of a system of equations, NULL for other systems. */
KEEL_API void *keel_equations_inside(const keel_system *system);

/* For the same: the programs that machine code is made of, shortened when they are first asked for
 * (docs/native.md); and whether they are made. */
KEEL_API const void *keel_equations_shortened(const keel_system *system);
KEEL_API int keel_equations_prepared(const keel_system *system);

/* Value of an expression of numbers and the model's parameters (for settings such as `until: 2*pi/Omega`). */
KEEL_API keel_status keel_equations_value(const keel_equations *equations, const char *text,
                                          keel_location where, keel_diagnostics *diagnostics, double *value);

/* Calls visit(user, name, value) for every parameter, in the order of the description. Problems of parameters
 * are reported; `visit` is then not called. */
KEEL_API keel_status keel_equations_parameters(const keel_equations *equations, keel_diagnostics *diagnostics,
                                               void (*visit)(void *user, const char *name, double value),
                                               void *user);

#endif
