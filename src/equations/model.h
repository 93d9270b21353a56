/* model.h - a compiled system: what evaluate() works with. Never written after construction, but for what is
 * prepared for long runs (prepare.h), which does not change what a run computes. */
#ifndef KI_EQUATIONS_MODEL_H
#define KI_EQUATIONS_MODEL_H

#include <stdatomic.h>

#include "base/arena.h"
#include "expr/expr.h"
#include "expr/switches.h"
#include "keel/equations.h"
#include "keel/system.h"

/* The inputs of all formulas: t is number 0, then q, v, z, s, lambda, accelerations a, and w = s'. */
typedef struct ki_inputs {
    int n, n_z, n_s, m;
    int q, v, z, s, lambda, a, w; /* number of the first of each */
    int count;
} ki_inputs;

/* The parts of keel_terms, in the order in which a program computes them. */
typedef enum ki_section {
    KI_SECTION_M,
    KI_SECTION_J,
    KI_SECTION_Q,
    KI_SECTION_XI,
    KI_SECTION_PHI,
    KI_SECTION_RATE,
    KI_SECTION_F,
    KI_SECTION_R,
    KI_SECTION_R_S,
    KI_SECTION_Q_LAMBDA,
    KI_SECTION_ENERGY,
    KI_SECTION_POWER,
    KI_SECTION_TANGENT,
    KI_SECTION_RATE_Q,
    KI_SECTION_INVARIANT,
    KI_SECTION_INVARIANT_Y,
    KI_SECTIONS
} ki_section;

/* KEEL_MASS, ... In the header, so that src/native/ needs nothing of this layer but its structs. */
static const unsigned ki_section_bit[KI_SECTIONS] = {
    [KI_SECTION_M] = KEEL_MASS,
    [KI_SECTION_J] = KEEL_JACOBIAN,
    [KI_SECTION_Q] = KEEL_FORCE,
    [KI_SECTION_XI] = KEEL_XI,
    [KI_SECTION_PHI] = KEEL_POSITION,
    [KI_SECTION_RATE] = KEEL_VELOCITY,
    [KI_SECTION_F] = KEEL_STATES,
    [KI_SECTION_R] = KEEL_AUXILIARY,
    [KI_SECTION_R_S] = KEEL_AUXILIARY,
    [KI_SECTION_Q_LAMBDA] = KEEL_FORCE_LAMBDA,
    [KI_SECTION_ENERGY] = KEEL_ENERGY,
    [KI_SECTION_POWER] = KEEL_POWER,
    [KI_SECTION_TANGENT] = KEEL_TANGENT,
    [KI_SECTION_RATE_Q] = KEEL_VELOCITY_Q,
    [KI_SECTION_INVARIANT] = KEEL_INVARIANTS,
    [KI_SECTION_INVARIANT_Y] = KEEL_INVARIANTS,
};

enum { KI_PROGRAMS_MAX = 32 };

/* One tape for the sections of `what`. */
typedef struct ki_program {
    unsigned what;
    ki_tape *tape;
} ki_program;

/* Those for more terms first; the last ones are for single terms. */
typedef struct ki_programs {
    int count;
    ki_program at[KI_PROGRAMS_MAX];
} ki_programs;

typedef struct ki_coupling ki_coupling;
typedef struct ki_preparation ki_preparation;

/* Machine code for some of the programs (src/native/): the same operations as the tape, point in, terms out.
 */
typedef struct ki_native_code {
    void (*program[KI_PROGRAMS_MAX])(const keel_point *at, const double *w,
                                     keel_terms *terms); /* NULL: tape */
    unsigned reads[KI_PROGRAMS_MAX]; /* which vectors of the point a program reads, KI_READS_... */
    const keel_saddle_code *saddle;  /* of [M J^T; J -D]; NULL: none */
} ki_native_code;

enum {
    KI_READS_Q = 1 << 0,
    KI_READS_V = 1 << 1,
    KI_READS_Z = 1 << 2,
    KI_READS_S = 1 << 3,
    KI_READS_LAMBDA = 1 << 4,
    KI_READS_A = 1 << 5
};

typedef struct ki_model {
    keel_system system; /* what the caller holds; its `model` points back here */
    /* Of the shortened programs. May appear and go at any time; results do not depend on when. */
    _Atomic(const ki_native_code *) native; /* NULL: none */
    ki_arena arena;
    ki_inputs inputs;
    int count[KI_SECTIONS];      /* numbers in each section */
    unsigned available;          /* terms that are not empty */
    ki_programs given;           /* of the formulas as they are */
    ki_preparation *preparation; /* of the shortened ones; NULL: the given ones are */
    ki_tape *outputs;            /* NULL: none */
    ki_tape *drawing;            /* x, y, z of every point to draw; NULL: none */
    keel_drawing drawn;
    ki_coupling *coupling; /* NULL: no constraint depends on an auxiliary */
    ki_instants *instants; /* when formulas of t change over; NULL: never */
    ki_tape *sides;        /* the switching functions of the state; NULL: none */
} ki_model;

ki_model *ki_model_new(void); /* empty; NULL when out of memory */
void ki_model_free(ki_model *model);

/* Connects the functions of the system. */
void ki_model_connect(ki_model *model);

/* keel_system.work_new with the shortened programs. */
keel_status ki_prepared_work_new(const keel_system *system, void **work);

/* The largest program within each of the last sets of terms that were asked for. */
enum { KI_FOUND = 16 };
typedef struct ki_found {
    unsigned what; /* 0: nothing yet */
    int program;
} ki_found;

/* A private scratch area. */
typedef struct ki_work {
    ki_arena arena;
    const ki_programs *programs;            /* those in use: the given or the shortened ones */
    bool prepared;                          /* the shortened ones, which may have machine code */
    double *inputs;                         /* [inputs.count] */
    double *answers;                        /* of one program */
    double *program[KI_PROGRAMS_MAX];       /* work array of each tape */
    double *outputs;                        /* ... of the outputs' tape */
    double *drawing;                        /* ... of the drawing's */
    double *sides;                          /* ... of the switching functions' */
    double *instants;                       /* scratch of model->instants */
    double *first, *second;                 /* ... of the two tapes of the coupling, */
    double *first_answers, *second_answers; /* and their answers */
    int *pivot;                             /* of the factored r_s of all components */
    ki_found found[KI_FOUND];
} ki_work;

#endif
