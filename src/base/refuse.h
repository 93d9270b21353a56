/* refuse.h - public functions refuse NULL where they need something. */
#ifndef KI_REFUSE_H
#define KI_REFUSE_H

#include <stddef.h>

#include "keel/status.h"

/* What a function returns that makes something and tells its status beside it. */
static inline void *ki_refuse(keel_status *status) {
    if (status)
        *status = KEEL_ERROR_INPUT;
    return NULL;
}

#endif
