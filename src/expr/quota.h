/* quota.h - how large the formulas of one model may become, all of them together.
 *
 * A text of some hundred bytes can ask for sums of any length and for derivatives of any number. What reads a
 * model begins a quota; all graphs and formulas of this thread count against it until it ends. Without one,
 * each formula has a quota of its own and graphs may grow as they like.
 */
#ifndef KI_QUOTA_H
#define KI_QUOTA_H

#include <stdbool.h>
#include <stddef.h>

#include "keel/diagnostics.h"

/* The usual limits; a quota may have a multiple of them. */
enum {
    KI_QUOTA_TERMS = 1000000, /* of all sums                                        */
    KI_QUOTA_PASSES = 250000, /* of repeat blocks, counted by those who expand them */
    KI_QUOTA_NODES = 6000000, /* operations, those of derivatives among them        */
    KI_QUOTA_TEXT = 1 << 27   /* characters read again for sums                     */
};

typedef struct ki_quota {
    double size; /* the multiple */
    double terms, text, nodes;
    bool too_large;     /* the nodes were too many */
    double most_nodes;  /* of a formula, ... */
    keel_location most; /* ... and which; its file must live as long as the quota */
} ki_quota;

/* `size` is positive. */
void ki_quota_begin(ki_quota *quota, double size);
void ki_quota_end(void);

/* That of this thread, or NULL. */
ki_quota *ki_quota_now(void);

/* A limit of this thread. */
double ki_quota_limit(double usual);

/* One more node; false if there are too many. */
bool ki_quota_take_node(void);

/* What lets a model be larger, for the end of messages. */
#define KI_QUOTA_ADVICE "if the model is meant to be so large, set KEEL_MODEL_SIZE=10 for ten times as much"

#endif
