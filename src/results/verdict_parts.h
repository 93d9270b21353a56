/* verdict_parts.h - what the verdicts of a run and of a file share. */
#ifndef KI_VERDICT_PARTS_H
#define KI_VERDICT_PARTS_H

#include "results/verdict.h"

/* What is still called good: violation relative to the constraint's size, drift relative to the energy. */
#define KI_GOOD_VIOLATION 1e-6
#define KI_GOOD_DRIFT     1e-3

/* One line of the verdict, one of the facts; lists that are open. */
void ki_judge(ki_json *json, bool ok, const char *format, ...) KEEL_PRINTF(3, 4);
void ki_fact(ki_json *json, const char *label, const char *format, ...) KEEL_PRINTF(3, 4);

/* 1: true, 0: false, -1: not known */
void ki_write_finished(ki_json *json, int finished);

#endif
