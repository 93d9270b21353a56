/* Which columns form a panel, and where the products of its rows go. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/panels.h"

/* A column joins the panel before it if that adds no more zeros than this part of the panel. */
static const double MOST_ZEROS = 0.25;

typedef struct columns {
    int *parent, *count, *start, *row; /* of L, below the diagonal */
} columns;

/* Whether column k can be the next of a panel of `width` columns that ends at k - 1 and has *zeros so far. */
static bool joins(const ki_panels *F, const columns *L, int k, int width, double *zeros) {
    if (L->parent[k - 1] != k || (F->order[k] < F->n) != (F->order[k - 1] < F->n))
        return false;
    double more = (double)width * (L->count[k] + 1 - L->count[k - 1]) + *zeros;
    double whole = 0.5 * (width + 1) * (width + 2) + (double)(width + 1) * L->count[k];
    if (more > MOST_ZEROS * whole)
        return false;
    *zeros = more;
    return true;
}

/* Panels from left to right; counts them, or writes when there is room. */
static int find_panels(ki_panels *F, const columns *L) {
    int count = 0;
    for (int first = 0, end; first < F->size; first = end) {
        double zeros = 0;
        for (end = first + 1; end < F->size && joins(F, L, end, end - first, &zeros);)
            end++;
        if (F->panel)
            F->panel[count] = (ki_panel){.first = first,
                                         .width = end - first,
                                         .rows = L->count[end - 1],
                                         .of_J = F->order[first] >= F->n};
        count++;
    }
    return count;
}

/* Places of the numbers and of the rows below. False if there are more than an int can count. */
static bool place_panels(ki_panels *F, long *below, long *largest) {
    long value = 0;
    *below = *largest = 0;
    F->entries = 0;
    F->multiplications = 0;
    for (int s = 0; s < F->count; s++) {
        ki_panel *panel = &F->panel[s];
        long width = panel->width, rows = panel->rows, whole = (width + rows) * width;
        panel->shape = KI_SHAPE(panel->width, panel->rows);
        panel->value = (int)value;
        panel->below = (int)*below;
        value += whole;
        *below += rows;
        *largest = whole > *largest ? whole : *largest;
        if (rows > KI_FEW_ROWS && ki_panels_wide_work((int)width, (int)rows) > *largest)
            *largest = ki_panels_wide_work((int)width, (int)rows);
        F->entries += width * (width + 1) / 2 + width * rows;
        for (long c = 0; c < width; c++) {
            double under = (double)(rows + width - 1 - c);
            F->multiplications += 0.5 * under * (under + 3);
        }
        if (value > INT_MAX || *below > INT_MAX)
            return false;
    }
    F->value_count = (int)value;
    return true;
}

void ki_panels_of_columns(const ki_panels *F, int *panel_of) {
    for (int s = 0; s < F->count; s++)
        for (int c = 0; c < F->panel[s].width; c++)
            panel_of[F->panel[s].first + c] = s;
}

/* Row `row` in panel t, counted from the top of its square. */
static int position(const ki_panels *F, const ki_panel *t, int row) {
    if (row < t->first + t->width)
        return row - t->first;
    int low = 0, high = t->rows - 1;
    const int *below = F->row + t->below;
    while (low < high) {
        int middle = (low + high) / 2;
        if (below[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return t->width + low;
}

int ki_panels_slot(const ki_panels *F, const int *panel_of, int row, int column) {
    const ki_panel *t = &F->panel[panel_of[column]];
    return t->value + position(F, t, row) * t->width + column - t->first;
}

/* How many offsets each panel has, and where those of its rows begin (panels.h); their number, -1 if there
 * are more than an int can count. */
static long count_offsets(ki_panels *F, const int *panel_of) {
    long count = 0;
    for (int s = 0; s < F->count; s++) {
        ki_panel *panel = &F->panel[s];
        const int *row = F->row + panel->below;
        long before = count, rows = panel->rows;
        if (rows <= KI_FEW_ROWS)
            count += rows * (rows + 1) / 2;
        for (int b = 0; b < rows && rows > KI_FEW_ROWS; b++) {
            const ki_panel *t = &F->panel[panel_of[row[b]]];
            bool first = b == 0 || panel_of[row[b - 1]] != panel_of[row[b]];
            int *shift = &F->shift[panel->below + b];
            F->base[panel->below + b] = t->value + row[b] - t->first;
            *shift = first ? (int)count - b : shift[-1];
            count += first ? rows - b : 0;
        }
        if (count > INT_MAX)
            return -1;
        panel->offsets = (int)(count - before);
    }
    return count;
}

/* Panels that have products for others, by the one that gets the next of them. */
typedef struct senders {
    int *head, *next; /* [count] a list for each, -1: its end */
    int *at;          /* [count] the row of a panel that is next */
    int *first;       /* [count] of its offsets */
    int *where;       /* [size] of a row in the panel that gets */
} senders;

static void send_next(const ki_panels *F, const int *panel_of, senders *from, int s) {
    const ki_panel *panel = &F->panel[s];
    if (from->at[s] >= panel->rows)
        return;
    int t = panel_of[F->row[panel->below + from->at[s]]];
    from->next[s] = from->head[t];
    from->head[t] = s;
}

/* The offsets of rows of panel s that belong to panel t; the place of each of its rows in t is known. */
static void place_products(ki_panels *F, senders *from, int s, const ki_panel *t) {
    const ki_panel *panel = &F->panel[s];
    const int *row = F->row + panel->below;
    int rows = panel->rows, begin = from->at[s], b = begin;
    bool few = rows <= KI_FEW_ROWS;
    for (; b < rows && row[b] < t->first + t->width; b++) {
        int *offset =
            F->offset + (few ? from->first[s] + b * rows - b * (b - 1) / 2 - b : F->shift[panel->below + b]);
        for (int a = b; a < rows && (few || b == begin); a++)
            offset[a] = few ? t->value + from->where[row[a]] * t->width + row[b] - t->first
                            : from->where[row[a]] * t->width;
    }
    from->at[s] = b;
}

/* Where products go, panel after panel of those that get them: as much work as there are offsets and rows. */
static void find_offsets(ki_panels *F, const int *panel_of, senders *from) {
    for (int s = 0, first = 0; s < F->count; s++) {
        from->head[s] = -1;
        from->at[s] = 0;
        from->first[s] = first;
        first += F->panel[s].offsets;
    }
    for (int s = 0; s < F->count; s++)
        send_next(F, panel_of, from, s);
    for (int number = 0; number < F->count; number++) {
        const ki_panel *t = &F->panel[number];
        for (int i = 0; i < t->width; i++)
            from->where[t->first + i] = i;
        for (int i = 0; i < t->rows; i++)
            from->where[F->row[t->below + i]] = t->width + i;
        for (int s = from->head[number], next; s >= 0; s = next) {
            next = from->next[s];
            place_products(F, from, s, t);
            send_next(F, panel_of, from, s);
        }
    }
}

static bool find_targets(ki_panels *F, const int *panel_of, ki_arena *arena) {
    long offsets = count_offsets(F, panel_of);
    size_t count = (size_t)F->count;
    int *scratch = offsets < 0 ? NULL : malloc((4 * count + (size_t)F->size + 1) * sizeof(int));
    F->offset = scratch ? KI_NEW(arena, int, offsets + 1) : NULL;
    if (F->offset) {
        senders from = {scratch, scratch + count, scratch + 2 * count, scratch + 3 * count,
                        scratch + 4 * count};
        find_offsets(F, panel_of, &from);
    }
    free(scratch);
    return F->offset;
}

static void copy_rows(ki_panels *F, const columns *L) {
    for (int s = 0; s < F->count; s++) {
        const ki_panel *panel = &F->panel[s];
        int last = panel->first + panel->width - 1;
        if (panel->rows)
            memcpy(F->row + panel->below, L->row + L->start[last], (size_t)panel->rows * sizeof(int));
    }
}

static bool make_panels(ki_panels *F, const columns *L, int *panel_of, ki_arena *arena) {
    long below, largest;
    F->count = find_panels(F, L);
    F->panel = KI_NEW(arena, ki_panel, F->count);
    if (!F->panel)
        return F->count == 0;
    find_panels(F, L);
    if (!place_panels(F, &below, &largest))
        return false;
    F->row = KI_NEW(arena, int, below);
    F->base = KI_NEW(arena, int, below);
    F->shift = KI_NEW(arena, int, below);
    F->value = KI_NEW(arena, double, F->value_count);
    F->d_inverse = KI_NEW(arena, double, F->size);
    F->taken = KI_NEW(arena, double, F->size);
    F->work = KI_NEW(arena, double, largest);
    if (arena->failed)
        return false;
    copy_rows(F, L);
    ki_panels_of_columns(F, panel_of);
    return find_targets(F, panel_of, arena);
}

/* scratch is [5 x size + 1] */
static bool find_columns(const ki_lower *K, columns *L, int *scratch) {
    int size = K->size, *mark = scratch + 2 * size, *next = scratch + 3 * size;
    L->parent = scratch;
    L->count = scratch + size;
    L->start = scratch + 4 * size;
    long entries = ki_tree(K, L->parent, L->count, mark);
    L->row = entries < 0 ? NULL : malloc(((size_t)entries + 1) * sizeof(int));
    if (!L->row)
        return false;
    L->start[0] = 0;
    for (int j = 0; j < size; j++) {
        next[j] = L->start[j];
        L->start[j + 1] = L->start[j] + L->count[j];
    }
    ki_fill_columns(K, L->parent, mark, next, L->row);
    return true;
}

bool ki_panels_analyse(ki_panels *F, const ki_lower *K, int n, const int *order, const int *diagonal,
                       ki_arena *arena) {
    *F = (ki_panels){.size = K->size, .n = n, .order = order, .diagonal = diagonal};
    columns L = {0};
    int *scratch = malloc((5 * (size_t)K->size + 1) * sizeof(int));
    bool made = scratch && find_columns(K, &L, scratch);
    made = made && make_panels(F, &L, scratch + 2 * K->size, arena);
    free(L.row);
    free(scratch);
    return made && !arena->failed;
}
