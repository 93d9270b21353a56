/* invariants.c - quantities I(q,v,z,t) that keep their value along every motion, and dI/d(q,v,z). */
#include "equations/builder.h"

bool ki_build_invariants(ki_builder *b) {
    const ki_list *list = &b->of[KEEL_EQ_INVARIANT];
    ki_node *I = KI_SCRATCH(b, ki_node, list->count);
    if (!I)
        return false;
    for (int i = 0; i < list->count; i++)
        I[i] = list->at[i]->node;
    ki_rows_of_gradients(b, I, list->count, 2 * b->inputs.n + b->inputs.n_z, &b->invariant_y);
    if (ki_out_of_memory(b))
        return false;
    for (int i = 0; i < list->count; i++)
        if (b->invariant_y.start[i] == b->invariant_y.start[i + 1])
            ki_report(b, list->at[i]->entry, list->at[i]->entry->text_at,
                      "invariant '%s' does not depend on any coordinate, velocity or state",
                      list->at[i]->name);
    ki_set_section(b, KI_SECTION_INVARIANT, I, list->count);
    ki_set_section(b, KI_SECTION_INVARIANT_Y, b->invariant_y.node, b->invariant_y.count);
    return ki_builder_ok(b);
}
