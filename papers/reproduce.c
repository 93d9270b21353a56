/* reproduce.c - all papers: prepare, do the work of all of them together, conclude. */
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "papers/paper.h"

static const ki_paper_kind *const PAPERS[KEEL_PAPERS] = {
    [KEEL_PAPER_GARCIA] = &KI_GARCIA,
    [KEEL_PAPER_TERZE] = &KI_TERZE,
    [KEEL_PAPER_EICH] = &KI_EICH,
    [KEEL_PAPER_BOTTASSO] = &KI_BOTTASSO,
    [KEEL_PAPER_MUKHARLYAMOV] = &KI_MUKHARLYAMOV,
    [KEEL_PAPER_QUESTIONS] = &KI_QUESTIONS,
};

const char *keel_verdict_text(keel_verdict verdict) {
    static const char *const TEXTS[] = {"agrees", "differs", "not comparable"};
    return TEXTS[verdict];
}

const keel_paper *keel_paper_facts(int paper) {
    return &PAPERS[paper]->facts;
}

void keel_paper_free(keel_paper *paper) {
    if (!paper)
        return;
    ki_draft *d = (ki_draft *)paper;
    if (!d)
        return;
    for (int i = 0; i < d->result_count; i++)
        keel_result_clear(d->results[i]);
    for (int i = 0; i < d->model_count; i++)
        keel_model_free(d->models[i]);
    ki_arena_free(&d->memory);
    free(d);
}

static ki_draft *begin(int paper, ki_batch *batch) {
    ki_draft *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->paper = PAPERS[paper]->facts;
    ki_arena_init(&d->memory);
    PAPERS[paper]->prepare(d, batch);
    return d;
}

/* Order of texts with numbers in them: "figure 9" before "figure 10". */
static int natural_order(const char *a, const char *b) {
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *a_end, *b_end;
            long x = strtol(a, &a_end, 10), y = strtol(b, &b_end, 10);
            if (x != y)
                return x < y ? -1 : 1;
            a = a_end, b = b_end;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++, b++;
        }
    }
    return (*a != 0) - (*b != 0);
}

/* Claims by their place in the paper; there are few, and an insertion keeps those of one place in order. */
static void sort_claims(ki_draft *d) {
    keel_claim *claims = (keel_claim *)d->paper.claims;
    for (int i = 1; i < d->paper.claim_count; i++) {
        keel_claim moved = claims[i];
        int k = i;
        for (; k > 0 && natural_order(claims[k - 1].id, moved.id) > 0; k--)
            claims[k] = claims[k - 1];
        claims[k] = moved;
    }
}

/* The conclusions, or the run that failed. */
static void finish(ki_draft *d, int paper) {
    if (!*d->failure) {
        PAPERS[paper]->conclude(d);
        sort_claims(d);
        return;
    }
    ki_claim(d,
             &(keel_claim){.id = ki_draft_text(d, "%s runs", d->paper.number),
                           .what = "all runs of the experiments",
                           .claim = "they come to their end",
                           .why = "without them nothing can be concluded",
                           .verdict = KEEL_DIFFERS,
                           .robust = 1},
             "%s", d->failure);
}

/* The first failure of a paper's jobs, in the order of the batch. */
static void note_failures(const ki_batch *batch) {
    for (int i = 0; i < batch->count; i++) {
        const ki_job *job = &batch->jobs[i];
        if (job->status && !*job->draft->failure)
            strncpy(job->draft->failure, *job->message ? job->message : keel_status_text(job->status),
                    sizeof job->draft->failure - 1);
    }
}

keel_status keel_reproduce(unsigned which, const keel_reproduce_watch *watch,
                           keel_paper *papers[KEEL_PAPERS]) {
    if (!papers)
        return KEEL_ERROR_INPUT;
    ki_batch batch = {0};
    ki_draft *drafts[KEEL_PAPERS] = {0};
    keel_status status = KEEL_OK;
    for (int i = 0; i < KEEL_PAPERS && !status; i++)
        if (which & 1u << i) {
            drafts[i] = begin(i, &batch);
            status = drafts[i] ? drafts[i]->status : KEEL_ERROR_MEMORY;
        }
    if (!status)
        status = ki_batch_run(&batch, watch ? watch : &(keel_reproduce_watch){0});
    if (!status)
        note_failures(&batch);
    for (int i = 0; i < KEEL_PAPERS; i++) {
        if (drafts[i] && !status) {
            finish(drafts[i], i);
            status = drafts[i]->status;
        }
        papers[i] = drafts[i] ? &drafts[i]->paper : NULL;
    }
    for (int i = 0; i < KEEL_PAPERS && status; i++) {
        keel_paper_free(papers[i]);
        papers[i] = NULL;
    }
    ki_batch_clear(&batch);
    return status;
}
