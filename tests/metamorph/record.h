/* record.h - what a run of a drawing tells, in the placement, the units and the numbering of the base. */
#ifndef METAMORPH_RECORD_H
#define METAMORPH_RECORD_H

#include "drawing.h"

enum { ROWS = 9 }; /* from the start to the end */

typedef struct body_state {
    mat R; /* from the drawn pose        */
    vec r; /* of the centre of mass      */
    vec velocity, spin;
} body_state;

typedef struct joint_load {
    vec force, torque; /* on the second body of the base */
    vec at;            /* where the force acts, about which the torque is */
} joint_load;

typedef struct record {
    bool ran;
    char message[400]; /* why not */
    int freedoms, singular_events, rows;
    bool shared[MOST_JOINTS]; /* by the joint's number in the base */
    double t[ROWS];
    body_state body[ROWS][MOST_BODIES + 1];
    joint_load load[ROWS][MOST_JOINTS];
} record;

/* Reads, assembles, checks and simulates a drawing, as `keel run` does. */
void record_run(const drawing *d, record *rec);

#endif
