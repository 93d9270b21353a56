/* auxiliary.c - the equations r(q,v,z,s,t) = 0 of the auxiliary unknowns s.
 *
 * r_s and r_q are exact. Before anything is solved, a matching of equations to unknowns (each equation takes
 * one unknown that it contains; augmenting paths, Kuhn 1955) shows whether the equations can determine s at
 * all; later it tells which equations determine the unknowns that a constraint depends on.
 */
#include "equations/builder.h"

static void add_derivative(void *user, int id, ki_node derivative) {
    ki_builder *b = user;
    const ki_inputs *at = &b->inputs;
    if (id >= at->q && id < at->v)
        ki_rows_add(b, &b->r_q, id - at->q, derivative);
    else if (id >= at->s && id < at->lambda)
        ki_rows_add(b, &b->r_s, id - at->s, derivative);
}

static void build_rows(ki_builder *b) {
    int n_s = b->inputs.n_s;
    ki_node *r = KI_SCRATCH(b, ki_node, n_s);
    ki_rows_init(b, &b->r_q, n_s, b->inputs.n);
    ki_rows_init(b, &b->r_s, n_s, n_s);
    for (int e = 0; r && e < n_s; e++) {
        r[e] = b->of[KEEL_EQ_AUXILIARY_EQUATION].at[e]->node;
        ki_gradient(b->graph, r[e], add_derivative, b);
        ki_rows_end(&b->r_q, e);
        ki_rows_end(&b->r_s, e);
    }
    ki_set_section(b, KI_SECTION_R, r, n_s);
    ki_set_section(b, KI_SECTION_R_S, b->r_s.node, b->r_s.count);
}

/* A search for an augmenting path; all arrays have one element per unknown (or equation). */
typedef struct search {
    const ki_rows *r_s;
    int *equation_of; /* of each unknown, -1: none yet */
    int *path, *via;  /* equations on the path, and the unknown tried from each */
    int *next;        /* where in its row each equation on the path goes on */
    int *seen, stamp;
} search;

/* Gives `equation` an unknown, moving others to different ones where needed. */
static bool augment(search *s, int equation) {
    int depth = 0;
    s->stamp++;
    s->path[0] = equation;
    s->next[0] = s->r_s->start[equation];
    while (depth >= 0) {
        if (s->next[depth] == s->r_s->start[s->path[depth] + 1]) {
            depth--;
            continue;
        }
        int unknown = s->r_s->index[s->next[depth]++];
        if (s->seen[unknown] == s->stamp)
            continue;
        s->seen[unknown] = s->stamp;
        s->via[depth] = unknown;
        int other = s->equation_of[unknown];
        if (other < 0) {
            for (; depth >= 0; depth--)
                s->equation_of[s->via[depth]] = s->path[depth];
            return true;
        }
        depth++;
        s->path[depth] = other;
        s->next[depth] = s->r_s->start[other];
    }
    return false;
}

static void match(ki_builder *b) {
    int n_s = b->inputs.n_s;
    search s = {.r_s = &b->r_s,
                .equation_of = b->equation_of,
                .path = KI_SCRATCH(b, int, n_s + 1),
                .via = KI_SCRATCH(b, int, n_s + 1),
                .next = KI_SCRATCH(b, int, n_s + 1),
                .seen = KI_SCRATCH(b, int, n_s)};
    if (ki_out_of_memory(b))
        return;
    for (int i = 0; i < n_s; i++)
        s.equation_of[i] = -1;
    for (int e = 0; e < n_s; e++)
        augment(&s, e);
}

/* An equation without unknowns is the cause, an unknown without an equation the effect: report one of them.
 */
static void check(ki_builder *b) {
    int before = b->errors;
    for (int e = 0; e < b->r_s.rows; e++) {
        const ki_item *equation = b->of[KEEL_EQ_AUXILIARY_EQUATION].at[e];
        if (b->r_s.start[e] == b->r_s.start[e + 1])
            ki_report(b, equation->entry, equation->entry->text_at,
                      "auxiliary equation '%s' does not depend on any auxiliary unknown", equation->name);
    }
    for (int i = 0; i < b->inputs.n_s && b->errors == before; i++) {
        const ki_item *unknown = b->of[KEEL_EQ_AUXILIARY].at[i];
        if (b->equation_of[i] < 0)
            ki_report(b, unknown->entry, unknown->entry->name_at,
                      "the auxiliary equations do not determine '%s'", unknown->name);
    }
}

bool ki_build_auxiliary(ki_builder *b) {
    if (b->inputs.n_s == 0)
        return true;
    b->equation_of = KI_SCRATCH(b, int, b->inputs.n_s);
    b->s_used = KI_SCRATCH(b, bool, b->inputs.n_s);
    build_rows(b);
    if (ki_out_of_memory(b))
        return false;
    match(b);
    if (ki_out_of_memory(b))
        return false;
    check(b);
    return true;
}
