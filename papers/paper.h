/* paper.h - a paper while its claims, tables and figures are put together.
 *
 * The functions note a failure (no memory) in the draft instead of returning it; it is looked at once, at the
 * end. All texts that are not constant are copied.
 */
#ifndef PAPERS_PAPER_H
#define PAPERS_PAPER_H

#include <stdbool.h>

#include "base/arena.h"
#include "keel/diagnostics.h"
#include "keel/modelfile.h"
#include "keel/run.h"
#include "papers/batch.h"
#include "papers/reproduce.h"

enum { KI_DRAFT_MODELS = 16, KI_DRAFT_RESULTS = 1024 };

typedef struct ki_draft {
    keel_paper paper; /* first: keel_paper_free gets this address */
    ki_arena memory;
    keel_status status;
    int claim_room, figure_room, series_room, table_room, row_room;
    keel_model *models[KI_DRAFT_MODELS]; /* freed with the draft */
    int model_count;
    keel_result *results[KI_DRAFT_RESULTS]; /* cleared with the draft */
    int result_count;
    void *experiment;  /* the paper's own data, in `memory` */
    char failure[320]; /* a run that failed where it should not */
} ki_draft;

/* One paper: reads its models and adds its jobs; when they are done, draws the conclusions. */
typedef struct ki_paper_kind {
    keel_paper facts;
    void (*prepare)(ki_draft *draft, ki_batch *batch);
    void (*conclude)(ki_draft *draft);
} ki_paper_kind;

extern const ki_paper_kind KI_GARCIA, KI_TERZE, KI_EICH, KI_BOTTASSO, KI_MUKHARLYAMOV, KI_QUESTIONS;

/* A model that is part of the library, by the name of its file without ".yaml"; `set` as in keel_model_read.
 * NULL after a failure. */
const keel_model *ki_draft_model(ki_draft *draft, const char *name, const keel_assignment *set,
                                 int set_count);

/* The same for a text. */
const keel_model *ki_draft_parse(ki_draft *draft, const char *name, const char *text, size_t length,
                                 const keel_assignment *set, int set_count);

/* A result that is cleared with the draft. */
keel_result *ki_draft_result(ki_draft *draft);

/* `text` formatted, in the draft's memory. */
const char *ki_draft_text(ki_draft *draft, const char *format, ...) KEEL_PRINTF(2, 3);

/* Adds a claim; `measured` is formatted. */
void ki_claim(ki_draft *draft, const keel_claim *claim, const char *measured, ...) KEEL_PRINTF(3, 4);

static inline keel_verdict ki_verdict(bool agrees) {
    return agrees ? KEEL_AGREES : KEEL_DIFFERS;
}

/* |x - expected| <= tolerance; false for NaN. */
bool ki_near(double x, double expected, double tolerance);

/* x / expected within 1 / factor .. factor. */
bool ki_about(double x, double expected, double factor);

/* Begins a figure; series go to the last one begun. */
void ki_figure(ki_draft *draft, const keel_figure *figure);
void ki_series(ki_draft *draft, const char *name, int count, const double *x, const double *y, bool marks);

/* Begins a table; rows go to the last one begun. Cells are separated by tabs. */
void ki_table(ki_draft *draft, const char *title, const char *text, const char *columns);
void ki_table_row(ki_draft *draft, const char *cells, ...) KEEL_PRINTF(2, 3);

#endif
