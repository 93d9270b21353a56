#include "base/foreign.h"

#include <stddef.h>

static _Thread_local const char *volatile inside;

void ki_foreign_begin(const char *library) {
    inside = library;
}

void ki_foreign_end(void) {
    inside = NULL;
}

const char *ki_foreign_library(void) {
    return inside;
}
