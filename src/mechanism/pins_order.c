#include "mechanism/pins_order.h"

#include <stdlib.h>
#include <string.h>

/* ---- minimum degree ------------------------------------------------------------------------------------ */

/* More neighbours than these, and S is not sparse. */
enum { MOST = 24 };

/* Nodes that are left, with their neighbours, and queues of those of each degree. */
typedef struct graph {
    int (*neighbour)[MOST];
    int *degree;
    int *next, *previous; /* in its queue; -1: none */
    int first[MOST + 1], last[MOST + 1];
} graph;

static void leave(graph *G, int i) {
    int d = G->degree[i], before = G->previous[i], after = G->next[i];
    *(before < 0 ? &G->first[d] : &G->next[before]) = after;
    *(after < 0 ? &G->last[d] : &G->previous[after]) = before;
}

static void queue_up(graph *G, int i) {
    int d = G->degree[i];
    G->next[i] = -1;
    G->previous[i] = G->last[d];
    *(G->last[d] < 0 ? &G->first[d] : &G->next[G->last[d]]) = i;
    G->last[d] = i;
}

/* False if i has too many neighbours. */
static bool connect(graph *G, int i, int j) {
    for (int k = 0; k < G->degree[i]; k++)
        if (G->neighbour[i][k] == j)
            return true;
    if (G->degree[i] == MOST)
        return false;
    G->neighbour[i][G->degree[i]++] = j;
    return true;
}

static void disconnect(graph *G, int i, int j) {
    int k = 0;
    while (G->neighbour[i][k] != j)
        k++;
    G->neighbour[i][k] = G->neighbour[i][--G->degree[i]];
}

/* Takes a node out; its neighbours become neighbours of each other. */
static bool take_out(graph *G, int i) {
    bool sparse = true;
    for (int a = 0; a < G->degree[i] && sparse; a++) {
        int j = G->neighbour[i][a];
        leave(G, j);
        disconnect(G, j, i);
        for (int b = 0; b < G->degree[i] && sparse; b++)
            if (b != a)
                sparse = connect(G, j, G->neighbour[i][b]);
        queue_up(G, j);
    }
    return sparse;
}

static bool connect_all(const ki_pins *pins, graph *G) {
    bool sparse = true;
    for (int b = 1; b < pins->body_count; b++)
        for (int s = pins->body[b].side; s < pins->body[b + 1].side; s++)
            for (int r = pins->body[b].side; r < s && sparse; r++) {
                int p = pins->side[s] / 2, q = pins->side[r] / 2;
                sparse = p == q || (connect(G, p, q) && connect(G, q, p));
            }
    return sparse;
}

static bool find_order(const ki_pins *pins, graph *G, int *order) {
    bool sparse = connect_all(pins, G);
    for (int d = 0; d <= MOST; d++)
        G->first[d] = G->last[d] = -1;
    for (int i = 0; i < pins->count; i++)
        queue_up(G, i);
    for (int k = 0; k < pins->count && sparse; k++) {
        int d = 0;
        while (G->first[d] < 0)
            d++;
        order[k] = G->first[d];
        leave(G, order[k]);
        sparse = take_out(G, order[k]);
    }
    return sparse;
}

bool ki_pins_order(const ki_pins *pins, ki_arena *scratch, int *order) {
    size_t n = (size_t)pins->count;
    graph G = {.neighbour = ki_arena_alloc(scratch, n, sizeof *G.neighbour),
               .degree = KI_NEW(scratch, int, n),
               .next = KI_NEW(scratch, int, n),
               .previous = KI_NEW(scratch, int, n)};
    return !scratch->failed && find_order(pins, &G, order);
}

/* ---- columns of the factor ----------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

/* Adds a row to a column under construction, unless it is there. */
static int add_row(int *rows, int count, int row) {
    for (int k = 0; k < count; k++)
        if (rows[k] == row)
            return count;
    rows[count] = row;
    return count + 1;
}

/* Rows of column k: pins after it that share a body with it, and what the columns left behind whose first row
 * it is: `child` of it, then `sibling`. */
static int column_rows(const ki_pins *pins, int k, const int *child, const int *sibling, int *rows) {
    int count = 0;
    for (int side = 0; side < 2; side++) {
        int b = pins->pin[k].body[side];
        for (int s = pins->body[b].side; b > 0 && s < pins->body[b + 1].side; s++)
            if (pins->side[s] / 2 > k)
                count = add_row(rows, count, pins->side[s] / 2);
    }
    for (int c = child[k]; c >= 0; c = sibling[c])
        for (int a = pins->start[c] + 1; a < pins->start[c + 1]; a++)
            count = add_row(rows, count, pins->row[a]);
    qsort(rows, (size_t)count, sizeof *rows, by_number);
    return count;
}

/* start and row; room for the rows is there, MOST for each column. */
static void list_rows(ki_pins *pins, int *child, int *sibling) {
    for (int k = 0; k < pins->count; k++)
        child[k] = sibling[k] = -1;
    for (int k = 0; k < pins->count; k++) {
        int *rows = pins->row + pins->start[k], count = column_rows(pins, k, child, sibling, rows);
        pins->start[k + 1] = pins->start[k] + count;
        if (count > 0) {
            sibling[k] = child[rows[0]];
            child[rows[0]] = k;
        }
    }
}

/* The block in a row and a column that it has. */
static int block_at(const ki_pins *pins, int row, int column) {
    int a = pins->start[column];
    while (pins->row[a] != row)
        a++;
    return a;
}

static int count_targets(const ki_pins *pins) {
    int count = 0;
    for (int k = 0; k < pins->count; k++) {
        int rows = pins->start[k + 1] - pins->start[k];
        count += rows * (rows - 1) / 2;
    }
    return count;
}

static void list_targets(ki_pins *pins) {
    int *target = pins->target;
    for (int k = 0; k < pins->count; k++)
        for (int a = pins->start[k]; a < pins->start[k + 1]; a++)
            for (int b = pins->start[k]; b < a; b++)
                *target++ = block_at(pins, pins->row[a], pins->row[b]);
}

static int by_block(const void *a, const void *b) {
    const ki_side_pair *x = a, *y = b;
    return x->block != y->block ? by_number(&x->block, &y->block) : by_number(&x->body, &y->body);
}

static void list_pairs(ki_pins *pins) {
    pins->pair_count = 0;
    for (int b = 1; b < pins->body_count; b++)
        for (int s = pins->body[b].side; s < pins->body[b + 1].side; s++)
            for (int r = pins->body[b].side; r < s; r++) {
                bool later = pins->side[s] > pins->side[r];
                int row = pins->side[later ? s : r], column = pins->side[later ? r : s];
                pins->pair[pins->pair_count++] =
                    (ki_side_pair){row, column, b, block_at(pins, row / 2, column / 2), false};
            }
    qsort(pins->pair, (size_t)pins->pair_count, sizeof *pins->pair, by_block);
    pins->empty_count = 0;
    for (int k = 0, block = 0; block < pins->start[pins->count]; block++) {
        bool empty = k == pins->pair_count || pins->pair[k].block != block;
        if (empty)
            pins->empty[pins->empty_count++] = block;
        for (bool first = true; k < pins->pair_count && pins->pair[k].block == block; first = false)
            pins->pair[k++].first = first;
    }
}

void ki_pins_columns(ki_pins *pins, ki_arena *arena, ki_arena *scratch) {
    int n = pins->count;
    int *child = KI_NEW(scratch, int, n), *sibling = KI_NEW(scratch, int, n);
    int *rows = KI_NEW(scratch, int, (size_t)n *MOST);
    pins->start = KI_NEW(arena, int, n + 1);
    if (scratch->failed || !pins->start)
        return;
    pins->row = rows;
    list_rows(pins, child, sibling);
    pins->row = KI_NEW(arena, int, pins->start[n]);
    pins->empty = KI_NEW(arena, int, pins->start[n]);
    pins->target = KI_NEW(arena, int, count_targets(pins));
    if (arena->failed)
        return;
    if (pins->start[n])
        memcpy(pins->row, rows, (size_t)pins->start[n] * sizeof(int));
    list_targets(pins);
    list_pairs(pins);
}
