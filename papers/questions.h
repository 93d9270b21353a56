/* questions.h - questions that the five papers leave open, answered by maps over what they left to choice.
 *
 * Each question is one file: its runs, and the tables, figures and claims made of them. `keel reproduce
 * questions` shows them as a page of their own.
 */
#ifndef PAPERS_QUESTIONS_H
#define PAPERS_QUESTIONS_H

#include "papers/experiment.h"

typedef struct ki_question {
    size_t size; /* of its own data */
    void (*prepare)(ki_draft *draft, ki_batch *batch, void *data);
    void (*conclude)(ki_draft *draft, const void *data);
} ki_question;

extern const ki_question KI_QUESTION_GAIN; /* when does projection lower the error of BDF?               */
extern const ki_question KI_QUESTION_MULTIPLIERS; /* which order has lambda in every method?             */
extern const ki_question KI_QUESTION_RULES;       /* which gain rules keep order and stability?             */
extern const ki_question KI_QUESTION_ENERGY;      /* velocity projection or GGL: energy over long times     */
extern const ki_question KI_QUESTION_BRANCHES;    /* which methods keep the branch at folds?                */
extern const ki_question KI_QUESTION_MASSES;      /* for which penalty masses and steps does rk4 fail?      */

#endif
