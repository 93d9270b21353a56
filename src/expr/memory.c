/* memory.c - the only place of this layer that asks for memory. A test can put its own ki_expr_resize in
 * front. */
#include <stdint.h>
#include <stdlib.h>

#include "expr/graph.h"

void *ki_expr_resize(void *block, size_t count, size_t size) {
    if (size && count > SIZE_MAX / 2 / size)
        return NULL;
    size_t bytes = count * size;
    return realloc(block, bytes ? bytes : 1);
}
