/* coupling_build.c - which auxiliary equations stand behind the constraints, and the tapes for them. The
 * mathematics is in coupling.h. */
#include <stdlib.h>
#include <string.h>

#include "equations/coupling.h"

static int compare_ints(const void *x, const void *y) {
    int a = *(const int *)x, c = *(const int *)y;
    return (a > c) - (a < c);
}

/* Everything that the used unknowns depend on through their equations is used as well. */
static void close_used(ki_builder *b) {
    int *stack = KI_SCRATCH(b, int, b->inputs.n_s), depth = 0;
    if (!stack)
        return;
    for (int i = 0; i < b->inputs.n_s; i++)
        if (b->s_used[i])
            stack[depth++] = i;
    while (depth) {
        int e = b->equation_of[stack[--depth]];
        for (int k = b->r_s.start[e]; k < b->r_s.start[e + 1]; k++) {
            int other = b->r_s.index[k];
            if (!b->s_used[other])
                stack[depth++] = other;
            b->s_used[other] = true;
        }
    }
}

/* s(q,t) must follow from positions alone, or the constraint would be one on accelerations. */
static void check_equations(ki_builder *b) {
    for (int i = 0; i < b->inputs.n_s; i++) {
        if (!b->s_used[i])
            continue;
        const ki_item *equation = b->of[KEEL_EQ_AUXILIARY_EQUATION].at[b->equation_of[i]];
        unsigned uses = ki_uses_of(b, equation->node);
        if (uses & (KI_USES_V | KI_USES_Z))
            ki_report(b, equation->entry, equation->entry->text_at,
                      "a constraint depends on '%s', so its equation '%s' may not depend on a %s",
                      b->of[KEEL_EQ_AUXILIARY].at[i]->name, equation->name,
                      uses & KI_USES_V ? "velocity" : "state");
    }
}

static int root_of(int *parent, int i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* component_of[s]: unknowns that meet in an equation belong together (union-find); -1: not used. The number
 * of components is returned; they are numbered by their first unknown. */
static int number_components(ki_builder *b, int *component_of) {
    int n_s = b->inputs.n_s, count = 0, *parent = KI_SCRATCH(b, int, n_s);
    if (!parent)
        return 0;
    for (int i = 0; i < n_s; i++)
        parent[i] = i;
    for (int i = 0; i < n_s; i++) {
        int e = b->equation_of[i];
        for (int k = b->r_s.start[e]; b->s_used[i] && k < b->r_s.start[e + 1]; k++)
            parent[root_of(parent, b->r_s.index[k])] = root_of(parent, i);
    }
    for (int i = 0; i < n_s; i++)
        component_of[i] = -1;
    for (int i = 0; i < n_s; i++) {
        if (!b->s_used[i])
            continue;
        int root = root_of(parent, i);
        if (component_of[root] < 0)
            component_of[root] = count++;
        component_of[i] = component_of[root];
    }
    return count;
}

/* The unknowns and equations of each component, in one array of each cut into pieces. */
static void collect_members(ki_builder *b, ki_coupling *coupling) {
    int n_s = b->inputs.n_s, filled = 0;
    int *s = KI_NEW(&b->model->arena, int, n_s), *equation = KI_NEW(&b->model->arena, int, n_s);
    if (!s || !equation)
        return;
    for (int i = 0; i < n_s; i++)
        if (b->component_of[i] >= 0)
            coupling->component[b->component_of[i]].k++;
    for (int c = 0; c < coupling->components; c++) {
        coupling->component[c].s = s + filled;
        coupling->component[c].equation = equation + filled;
        filled += coupling->component[c].k;
        coupling->component[c].k = 0;
    }
    for (int i = 0; i < n_s; i++) {
        if (b->component_of[i] < 0)
            continue;
        ki_component *component = &coupling->component[b->component_of[i]];
        long at = component->s - s + component->k++;
        s[at] = i;
        equation[at] = b->equation_of[i];
    }
}

/* The coordinates in the equations of each component. */
static void collect_columns(ki_builder *b, ki_coupling *coupling) {
    int *cols = KI_NEW(&b->model->arena, int, b->r_q.count), *mark = KI_SCRATCH(b, int, b->inputs.n);
    if (!cols || !mark)
        return;
    for (int c = 0; c < coupling->components; c++) {
        ki_component *component = &coupling->component[c];
        int count = 0;
        for (int i = 0; i < component->k; i++)
            for (int k = b->r_q.start[component->equation[i]]; k < b->r_q.start[component->equation[i] + 1];
                 k++)
                if (mark[b->r_q.index[k]] != c + 1) {
                    mark[b->r_q.index[k]] = c + 1;
                    cols[count++] = b->r_q.index[k];
                }
        qsort(cols, (size_t)count, sizeof *cols, compare_ints);
        component->cols = cols;
        component->n_cols = count;
        cols += count;
    }
}

typedef struct row_entry {
    int column;
    ki_node node;
} row_entry;

static int compare_entries(const void *x, const void *y) {
    return compare_ints(&((const row_entry *)x)->column, &((const row_entry *)y)->column);
}

/* Appends row c with its own entries, and zeros in the columns of the components it depends on. */
static void widen_row(ki_builder *b, const ki_rows *own, int c, row_entry *entries, int *mark) {
    const ki_coupling *coupling = b->model->coupling;
    int count = 0, n_h = b->Phi_s.rows;
    for (int k = own->start[c]; k < own->start[c + 1]; k++) {
        mark[own->index[k]] = c + 1;
        entries[count++] = (row_entry){own->index[k], own->node[k]};
    }
    for (int k = c < n_h ? b->Phi_s.start[c] : 0; c < n_h && k < b->Phi_s.start[c + 1]; k++) {
        const ki_component *component = &coupling->component[b->component_of[b->Phi_s.index[k]]];
        for (int j = 0; j < component->n_cols; j++)
            if (mark[component->cols[j]] != c + 1) {
                mark[component->cols[j]] = c + 1;
                entries[count++] = (row_entry){component->cols[j], ki_number(b->graph, 0)};
            }
    }
    qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    for (int k = 0; k < count; k++)
        ki_rows_add(b, &b->J, entries[k].column, entries[k].node);
    ki_rows_end(&b->J, c);
}

static void widen_jacobian(ki_builder *b) {
    ki_rows own = b->J;
    row_entry *entries = KI_SCRATCH(b, row_entry, b->inputs.n);
    int *mark = KI_SCRATCH(b, int, b->inputs.n);
    ki_rows_init(b, &b->J, own.rows, own.cols);
    for (int c = 0; c < own.rows && !ki_out_of_memory(b); c++)
        widen_row(b, &own, c, entries, mark);
    ki_rows_free(&own);
}

void ki_find_components(ki_builder *b) {
    close_used(b);
    check_equations(b);
    b->component_of = KI_SCRATCH(b, int, b->inputs.n_s);
    if (!ki_builder_ok(b))
        return;
    int components = number_components(b, b->component_of);
    if (components == 0)
        return;
    ki_coupling *coupling = KI_NEW(&b->model->arena, ki_coupling, 1);
    if (!coupling)
        return;
    b->model->coupling = coupling;
    coupling->components = components;
    coupling->component = KI_NEW(&b->model->arena, ki_component, components);
    if (!coupling->component)
        return;
    collect_members(b, coupling);
    collect_columns(b, coupling);
    if (!ki_out_of_memory(b))
        widen_jacobian(b);
}

static ki_node entry_of(const ki_builder *b, const ki_rows *rows, int row, int column) {
    const int *from = rows->index + rows->start[row];
    size_t count = (size_t)(rows->start[row + 1] - rows->start[row]);
    const int *found = count ? bsearch(&column, from, count, sizeof *from, compare_ints) : NULL;
    return found ? rows->node[found - rows->index] : ki_number(b->graph, 0);
}

/* r_q v + r_t: the rate of r with s held */
static ki_node rate_with_s_held(void *user, int id) {
    const ki_builder *b = user;
    return id >= b->inputs.s ? ki_number(b->graph, 0) : ki_rate_along_motion(user, id);
}

/* The nodes of one component, appended to both lists. */
static void append_component(ki_builder *b, ki_component *component, ki_rows *first, ki_rows *second) {
    int k = component->k;
    component->r_s = first->count;
    for (int i = 0; i < k * k; i++)
        ki_rows_add(b, first, 0, entry_of(b, &b->r_s, component->equation[i / k], component->s[i % k]));
    component->rate = first->count;
    component->curvature = second->count;
    for (int i = 0; i < k; i++) {
        ki_node r = b->section[KI_SECTION_R][component->equation[i]];
        ki_rows_add(b, first, 0, ki_total(b->graph, r, rate_with_s_held, b));
        ki_node Dr = ki_total(b->graph, r, ki_rate_along_motion, b);
        ki_rows_add(b, second, 0, ki_total(b->graph, Dr, ki_rate_along_motion, b));
    }
    component->r_q = first->count;
    for (int i = 0; i < component->n_cols * k; i++)
        ki_rows_add(b, first, 0, entry_of(b, &b->r_q, component->equation[i % k], component->cols[i / k]));
    component->pivot = b->model->coupling->pivots;
    b->model->coupling->pivots += k;
}

/* Row c depends on a component: the Phi_s of all its unknowns, and where its columns stand in J. */
static void append_through(ki_builder *b, int c, int number, ki_rows *first) {
    ki_coupling *coupling = b->model->coupling;
    const ki_component *component = &coupling->component[number];
    int *slot = KI_NEW(&b->model->arena, int, component->n_cols), at = b->J.start[c];
    for (int j = 0; slot && j < component->n_cols; j++) {
        while (b->J.index[at] != component->cols[j])
            at++;
        slot[j] = at;
    }
    coupling->through[coupling->throughs++] =
        (ki_through){.row = c, .component = number, .Phi_s = first->count, .slot = slot};
    for (int i = 0; i < component->k; i++)
        ki_rows_add(b, first, 0, entry_of(b, &b->Phi_s, c, component->s[i]));
}

static void append_throughs(ki_builder *b, ki_rows *first) {
    ki_coupling *coupling = b->model->coupling;
    int *last_row = KI_SCRATCH(b, int, coupling->components);
    coupling->through = KI_NEW(&b->model->arena, ki_through, b->Phi_s.count);
    if (!last_row || !coupling->through)
        return;
    for (int c = 0; c < b->Phi_s.rows; c++)
        for (int k = b->Phi_s.start[c]; k < b->Phi_s.start[c + 1]; k++) {
            int number = b->component_of[b->Phi_s.index[k]];
            if (last_row[number] == c + 1)
                continue;
            last_row[number] = c + 1;
            append_through(b, c, number, first);
        }
}

bool ki_build_coupling(ki_builder *b) {
    ki_coupling *coupling = b->model->coupling;
    if (!coupling)
        return true;
    ki_rows first = {0}, second = {0}; /* used as lists of nodes */
    for (int c = 0; c < coupling->components; c++)
        append_component(b, &coupling->component[c], &first, &second);
    append_throughs(b, &first);
    coupling->first_count = first.count;
    coupling->second_count = second.count;
    if (!ki_out_of_memory(b)) {
        coupling->first = ki_tape_new(b->graph, first.node, first.count, b->inputs.count);
        coupling->second = ki_tape_new(b->graph, second.node, second.count, b->inputs.count);
    }
    ki_rows_free(&first);
    ki_rows_free(&second);
    if (!coupling->first || !coupling->second)
        b->out_of_memory = true;
    return !ki_out_of_memory(b);
}
