/* reproduce.h - the experiments of five papers, recomputed: what they claim, what Keel measures, the figures.
 *
 *     keel_paper *papers[KEEL_PAPERS] = {0};
 *     keel_status status = keel_reproduce(1u << KEEL_PAPER_EICH, NULL, papers);
 *     ... papers[KEEL_PAPER_EICH]->claims ...
 *     keel_paper_free(papers[KEEL_PAPER_EICH]);
 *
 * The models are part of the program; nothing is read and nothing is written. The runs of all papers are
 * shared among threads; results do not depend on how many.
 */
#ifndef PAPERS_REPRODUCE_H
#define PAPERS_REPRODUCE_H

#include "keel/status.h"

enum {
    KEEL_PAPER_GARCIA,       /* 000: energy of velocity projection       */
    KEEL_PAPER_TERZE,        /* 001: constraint gradient projection      */
    KEEL_PAPER_EICH,         /* 002: coordinate projection with BDF      */
    KEEL_PAPER_BOTTASSO,     /* 003: scaling of index-3 integrators      */
    KEEL_PAPER_MUKHARLYAMOV, /* 004: generalized Baumgarte and penalty   */
    KEEL_PAPER_QUESTIONS,    /* questions that they leave open, a page of its own */
    KEEL_PAPERS
};

typedef enum keel_verdict {
    KEEL_AGREES,
    KEEL_DIFFERS,
    KEEL_NOT_COMPARABLE /* nothing to compare with, or nothing that a number could tell */
} keel_verdict;

/* "agrees", "differs", "not comparable". */
const char *keel_verdict_text(keel_verdict verdict);

typedef struct keel_claim {
    const char *id;       /* "002 table 3.1, TOL 1e-6"                         */
    const char *what;     /* the experiment and the quantity                   */
    const char *claim;    /* what the paper says                               */
    const char *measured; /* what Keel finds                                   */
    const char *why;      /* what the verdict rests on, why it differs         */
    keel_verdict verdict;
    int robust; /* 1: does not depend on details that the paper leaves open, so it must agree */
} keel_claim;

/* Points that are not finite, or cannot be drawn on a logarithmic axis, are left out. */
typedef struct keel_series {
    const char *name;
    int count;
    const double *x, *y; /* [count] */
    int marks;           /* 1: a mark at every point */
} keel_series;

typedef struct keel_figure {
    const char *name; /* a word for file names, "fig09"                                     */
    const char *title, *x_label, *y_label;
    const char *text; /* what is to be seen, for the most telling figures; otherwise NULL   */
    int x_log, y_log;
    int series_count;
    const keel_series *series;
} keel_figure;

typedef struct keel_table {
    const char *title, *text;
    int rows, columns;        /* the row of titles is not counted     */
    const char *const *cells; /* [(rows + 1) x columns], titles first */
} keel_table;

typedef struct keel_paper {
    const char *number, *name; /* "002", "eich"                        */
    const char *title;         /* of the experiments                   */
    const char *citation;
    const char *text; /* how the experiments were made        */
    int claim_count, figure_count, table_count;
    const keel_claim *claims;
    const keel_figure *figures;
    const keel_table *tables;
} keel_paper;

/* Number, name, title and citation of a paper, without claims. */
const keel_paper *keel_paper_facts(int paper);

/* Who watches. `progress` is called under a lock from the threads that do the work. Both may be NULL. */
typedef struct keel_reproduce_watch {
    int threads; /* 0: two */
    void *user;
    void (*progress)(void *user, int done, int all);
    const volatile int *stop; /* when it becomes non-zero the work ends with KEEL_INTERRUPTED */
} keel_reproduce_watch;

/* Makes the experiments of the papers whose bits are set; papers[i] is then the caller's to free. A run that
 * fails where it should not becomes a claim of its paper that differs. `watch` may be NULL. */
keel_status keel_reproduce(unsigned which, const keel_reproduce_watch *watch,
                           keel_paper *papers[KEEL_PAPERS]);
void keel_paper_free(keel_paper *paper);

#endif
