/* model.h - a compiled system: what evaluate() works with. Never written after construction. */
#ifndef KI_EQUATIONS_MODEL_H
#define KI_EQUATIONS_MODEL_H

#include "base/arena.h"
#include "expr/expr.h"
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

extern const unsigned ki_section_bit[KI_SECTIONS]; /* KEEL_MASS, ... */

enum { KI_PROGRAMS_MAX = 32 };

/* One tape for the sections of `what`. */
typedef struct ki_program {
    unsigned what;
    ki_tape *tape;
} ki_program;

typedef struct ki_coupling ki_coupling;

typedef struct ki_model {
    keel_system system; /* what the caller holds; its `model` points back here */
    ki_arena arena;
    ki_inputs inputs;
    int count[KI_SECTIONS]; /* numbers in each section */
    unsigned available;     /* terms that are not empty */
    int programs;
    ki_program program[KI_PROGRAMS_MAX]; /* those for more terms first; the last ones are for single terms */
    ki_tape *outputs;                    /* NULL: none */
    ki_tape *drawing;                    /* x, y, z of every point to draw; NULL: none */
    keel_drawing drawn;
    ki_coupling *coupling; /* NULL: no constraint depends on an auxiliary */
} ki_model;

void ki_model_free(ki_model *model);

/* Connects the functions of the system. */
void ki_model_connect(ki_model *model);

/* A private scratch area. */
typedef struct ki_work {
    ki_arena arena;
    double *inputs;                         /* [inputs.count] */
    double *answers;                        /* of one program */
    double *program[KI_PROGRAMS_MAX];       /* work array of each tape */
    double *outputs;                        /* ... of the outputs' tape */
    double *drawing;                        /* ... of the drawing's */
    double *first, *second;                 /* ... of the two tapes of the coupling, */
    double *first_answers, *second_answers; /* and their answers */
    int *pivot;                             /* of the factored r_s of all components */
} ki_work;

#endif
