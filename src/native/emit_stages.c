/* emit_stages.c - stages of an explicit step in one function (stage_run.h): a loop in which rates are
 * combined to a point, evaluation, factorization and solve follow (emit_model.c), and the rate at the point
 * is written. All numbers of a stage are in known places: y = (q, v, W).
 *
 * The combination adds its terms in the order of src/linalg/combination.c, four or two components at a time:
 * all of v and q, in parts that find their sums in registers. */
#include "native/emit_stages.h"

#include <stddef.h>

#include "system/stage_run.h"

/* Components that are combined in one go. */
enum { MOST_TOGETHER = 16 };

/* The structs of combination.h and stage_run.h. */
static const char DECLARATIONS[] =
    "typedef double two __attribute__((vector_size(16), aligned(8), may_alias));\n"
    "typedef double four __attribute__((vector_size(32), aligned(8), may_alias));\n"
    "struct term { double weight; const double *k; };\n"
    "struct combination { int used; struct term term[16]; };\n"
    "struct stages {\n"
    "    double t, h;\n"
    "    const double *c;\n"
    "    const struct combination *row;\n"
    "    const double *y;\n"
    "    double *Y, *const *k;\n"
    "    int now, end;\n"
    "};\n\n";

_Static_assert(KI_TERMS_MAX == 16 && sizeof(ki_combination) == 33 * 8 &&
                   offsetof(ki_combination, term) == 8 && offsetof(ki_stage_run, Y) == 5 * 8 &&
                   offsetof(ki_stage_run, end) == 7 * 8 + sizeof(int),
               "the declarations above are those of the headers");

/* Four components, or two. */
static const char *type_at(int i, int end) {
    return end - i >= 4 ? "four" : "two";
}

static int next(int i, int end) {
    return end - i >= 4 ? i + 4 : i + 2;
}

/* Four terms at once, with a sum of their own, as long as there are four besides the last one. */
static void write_fours(int first, int end, ki_text *text) {
    ki_text_add(text, "        for (int left = others >> 2; left > 0; left--, a += 4) {\n");
    for (int i = first; i < end; i = next(i, end)) {
        const char *type = type_at(i, end);
        ki_text_add(text, "            sum_%d += ", i);
        for (int j = 0; j < 4; j++)
            ki_text_add(text, "%sa[%d].weight * *(const %s *)(a[%d].k + %d)",
                        j == 2 ? " + ("
                        : j    ? " + "
                               : "",
                        j, type, j, i);
        ki_text_add(text, ");\n");
    }
    ki_text_add(text, "        }\n");
}

/* part_<i> = or += term j of those that are left */
static void write_one(int first, int end, int j, ki_text *text) {
    for (int i = first; i < end; i = next(i, end)) {
        const char *type = type_at(i, end);
        ki_text_add(text, "            %s%spart_%d %s a[%d].weight * *(const %s *)(a[%d].k + %d);\n",
                    j ? "" : type, j ? "" : " ", i, j ? "+=" : "=", j, type, j, i);
    }
}

/* Up to three terms, with a sum of their own. */
static void write_rest(int first, int end, ki_text *text) {
    ki_text_add(text, "        const int rest = others & 3;\n        if (rest) {\n");
    write_one(first, end, 0, text);
    ki_text_add(text, "            if (rest > 1) {\n");
    write_one(first, end, 1, text);
    ki_text_add(text, "            }\n            if (rest > 2) {\n");
    write_one(first, end, 2, text);
    ki_text_add(text, "            }\n");
    for (int i = first; i < end; i = next(i, end))
        ki_text_add(text, "            sum_%d += part_%d;\n", i, i);
    ki_text_add(text, "        }\n");
}

/* Y_i = (y_i + h sum_j weight_j k_ji) + (h weight_last) k_last,i for i in [first, end) */
static void write_part(int first, int end, ki_text *text) {
    ki_text_add(text, "    {\n        const struct term *a = c->term;\n");
    for (int i = first; i < end; i = next(i, end))
        ki_text_add(text, "        %s sum_%d = {0};\n", type_at(i, end), i);
    write_fours(first, end, text);
    write_rest(first, end, text);
    for (int i = first; i < end; i = next(i, end))
        ki_text_add(text,
                    "        *(%s *)(Y + %d) = (h * sum_%d + *(const %s *)(y + %d)) + "
                    "weight * *(const %s *)(last->k + %d);\n",
                    type_at(i, end), i, i, type_at(i, end), i, type_at(i, end), i);
    ki_text_add(text, "    }\n");
}

static void write_combine(int count, ki_text *text) {
    ki_text_add(text, "static inline void combine(const struct combination *c, double h, const double *y,\n"
                      "                           double *restrict Y) {\n"
                      "    const int others = c->used - 1;\n"
                      "    const struct term *const last = c->term + others;\n"
                      "    const double weight = h * last->weight;\n");
    for (int i = 0; i < count; i += MOST_TOGETHER)
        write_part(i, count - i < MOST_TOGETHER ? count : i + MOST_TOGETHER, text);
    ki_text_add(text, "}\n\n");
}

void ki_emit_stages_begin(const keel_system *system, ki_text *text) {
    ki_text_add(text, "%s", DECLARATIONS);
    write_combine(2 * system->n_v, text);
    ki_text_add(text, "int keel_stages(const struct places *k, struct stages *s) {\n"
                      "    const double h = s->h;\n"
                      "    double *const Y = s->Y;\n"
                      "    for (; s->now < s->end; s->now++) {\n"
                      "    const struct combination *const c = &s->row[s->now];\n"
                      "    const double t = s->t + s->c[s->now] * h;\n"
                      "    double *const rate = s->k[s->now];\n"
                      "    if (c->used)\n"
                      "        combine(c, h, s->y, Y);\n");
}

/* W' = power - sum of lambda_i (J v - rate)_i over driven constraints, as in src/formulate/rate.c. */
static void write_power(const keel_system *system, ki_text *text) {
    ki_text_add(text, "    double drivers = 0;\n");
    for (int i = 0; system->has_drivers && i < system->J.rows; i++) {
        ki_text_add(text, "    drivers += w%d * (0.", i);
        for (int p = system->J.start[i]; p < system->J.start[i + 1]; p++)
            ki_text_add(text, " + J_%d * Y[%d]", p, system->n_v + system->J.index[p]);
        ki_text_add(text, " - rate_%d);\n", i);
    }
    ki_text_add(text, "    rate[%d] = power_0%s;\n", 2 * system->n_v,
                system->has_drivers ? " - drivers" : "");
}

/* x, in u<i>, is finite if its sum is; a sum that overflows gives back what the general way will find. */
static void write_finite(int n, ki_text *text) {
    ki_text_add(text, "    const double sum = u0");
    for (int i = 1; i < n; i++)
        ki_text_add(text, " + u%d", i);
    ki_text_add(text, ";\n    if (!(fabs(sum) <= LARGEST))\n        return 0;\n");
}

/* (q', v') in the pieces that the next combination reads: from smaller ones a processor cannot hand over what
 * is on its way to memory. */
static void write_rate(int n, ki_text *text) {
    for (int i = 0; i < 2 * n; i = next(i, 2 * n)) {
        const char *type = type_at(i, 2 * n);
        ki_text_add(text, "    *(%s *)(rate + %d) = (%s){", type, i, type);
        for (int j = i; j < next(i, 2 * n); j++)
            if (j < n)
                ki_text_add(text, "%sY[%d]", j > i ? ", " : "", n + j);
            else
                ki_text_add(text, "%su%d", j > i ? ", " : "", j - n);
        ki_text_add(text, "};\n");
    }
}

void ki_emit_stages_end(const keel_system *system, ki_text *text) {
    write_finite(system->n_v, text);
    write_power(system, text);
    write_rate(system->n_v, text);
    ki_text_add(text, "    }\n    return 1;\n}\n\n");
}
