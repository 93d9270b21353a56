/* subject.h - one mechanism, run as drawn and as its twin, and how its variants compare with that. */
#ifndef METAMORPH_SUBJECT_H
#define METAMORPH_SUBJECT_H

#include "compare.h"
#include "variants.h"

typedef struct subject {
    const family *family;
    drive_mode mode;
    uint64_t seed;
    drawing base;
    record run, twin;
    bool has_twin;
} subject;

/* Limits of what may differ: of the motion, and of loads. */
typedef struct limits {
    double motion, load;
} limits;

/* What is being run, for a program that crashes. */
extern char running[256];

/* Draws it, runs it and its twin. */
void draw_subject(subject *on, const family *f, drive_mode mode, uint64_t seed);

/* 100 times the tolerance that the variant was run with, and 1e4 times its rounding if that is more; of loads
 * 100 times as much. */
limits usual_limits(const drawing *d, const variant *v);

/* The base itself: it runs, has the mobility of its family, passes its singular poses, and moves and bears
 * loads like its twin. */
bool base_fails(const subject *on, char *text, size_t size);

/* Whether the variant `d` fails. It is compared with the base, or with the twin where the base does not run
 * or `with_twin` asks for it. */
bool variant_fails(const subject *on, const variant *v, const drawing *d, limits most, bool with_twin,
                   char *text, size_t size);

#endif
