/* The questions of questions.h as one page. */
#include "papers/questions.h"

static const ki_question *const QUESTIONS[] = {&KI_QUESTION_GAIN,     &KI_QUESTION_MULTIPLIERS,
                                               &KI_QUESTION_RULES,    &KI_QUESTION_ENERGY,
                                               &KI_QUESTION_BRANCHES, &KI_QUESTION_MASSES};
enum { QUESTION_COUNT = sizeof QUESTIONS / sizeof *QUESTIONS };

typedef struct answers {
    void *data[QUESTION_COUNT];
} answers;

static void prepare(ki_draft *d, ki_batch *batch) {
    answers *a = d->experiment = KI_NEW(&d->memory, answers, 1);
    for (int i = 0; a && i < QUESTION_COUNT && !d->status; i++) {
        a->data[i] = ki_arena_alloc(&d->memory, 1, QUESTIONS[i]->size);
        if (a->data[i])
            QUESTIONS[i]->prepare(d, batch, a->data[i]);
        else
            d->status = KEEL_ERROR_MEMORY;
    }
    if (!a)
        d->status = KEEL_ERROR_MEMORY;
}

static void conclude(ki_draft *d) {
    const answers *a = d->experiment;
    for (int i = 0; i < QUESTION_COUNT; i++)
        QUESTIONS[i]->conclude(d, a->data[i]);
}

const ki_paper_kind KI_QUESTIONS = {
    .facts = {.number = "questions",
              .name = "questions",
              .title = "Open questions: maps over what the papers leave to choice",
              .citation = "Keel's own experiments, on the questions that the five papers raise",
              .text = "A claim that holds at one tolerance, step or mass may fail at the next. Each question "
                      "here is answered by a map, and its verdict is about the region in which the claim "
                      "holds. All runs are deterministic; the page is written by `keel reproduce questions "
                      "--pages docs`."},
    .prepare = prepare,
    .conclude = conclude,
};
