/* emit_names.c - sums of products in the order of ki_dot, and what values and entries are called. */
#include <stdio.h>

#include "linalg/dense.h"
#include "native/emit_saddle.h"

/* Which of the four running sums of ki_dot_long(count), or of the rest (4), takes the product at `place`.
 * Short sums have only the first. */
static int sum_of(int place, int count) {
    if (count <= KI_SHORT)
        return 0;
    return place < count / 4 * 4 ? place % 4 : 4;
}

static bool write_partial(ki_text *text, const ki_product_text *list, int products, int sum, int count) {
    bool any = false;
    for (int i = 0; i < products; i++)
        if (sum_of(list[i].place, count) == sum) {
            ki_text_add(text, any ? " + %s" : "%s", list[i].text);
            any = true;
        }
    return any;
}

static bool has_partial(const ki_product_text *list, int products, int sum, int count) {
    for (int i = 0; i < products; i++)
        if (sum_of(list[i].place, count) == sum)
            return true;
    return false;
}

/* ((s0 + s2) + (s1 + s3)) + rest, without the sums that have no product */
void ki_write_dot(ki_text *text, const ki_product_text *list, int products, int count) {
    static const int ORDER[2][2] = {{0, 2}, {1, 3}};
    if (count <= KI_SHORT) {
        write_partial(text, list, products, 0, count);
        return;
    }
    bool any = false;
    for (int half = 0; half < 2; half++) {
        bool first = has_partial(list, products, ORDER[half][0], count),
             second = has_partial(list, products, ORDER[half][1], count);
        if (!first && !second)
            continue;
        ki_text_add(text, any ? " + ((" : "((");
        if (first)
            write_partial(text, list, products, ORDER[half][0], count);
        ki_text_add(text, first && second ? ") + (" : "");
        if (second)
            write_partial(text, list, products, ORDER[half][1], count);
        ki_text_add(text, "))");
        any = true;
    }
    if (!has_partial(list, products, 4, count))
        return;
    ki_text_add(text, any ? " + " : "");
    write_partial(text, list, products, 4, count);
}

/* Names: in registers where the code goes through, in memory where factor and solve are apart. */
const char *ki_name_of_value(const ki_saddle_text *e, char matrix, int p, char buffer[32]) {
    const char *format = e->through ? (matrix == 'A' ? "M_%d" : "J_%d") : (matrix == 'A' ? "A[%d]" : "J[%d]");
    snprintf(buffer, 32, format, p);
    return buffer;
}

/* An entry of a factor ('l', 'y' or 's') with `columns` columns, as the solve reads it. */
const char *ki_name_of_entry(const ki_saddle_text *e, char factor, int i, int j, int columns,
                             char buffer[32]) {
    if (e->through)
        snprintf(buffer, 32, "%c%d_%d", factor, i, j);
    else
        snprintf(buffer, 32, "%c[%d]", factor == 'l' ? 'L' : factor == 'y' ? 'Y' : 'S', i * columns + j);
    return buffer;
}

const char *ki_name_of_inverse(const ki_saddle_text *e, char pivot, int i, char buffer[32]) {
    snprintf(buffer, 32, e->through ? "%c%d" : "%c[%d]", pivot, i);
    return buffer;
}
