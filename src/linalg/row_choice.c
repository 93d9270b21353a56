#include "linalg/row_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pivot is no smaller than this part of the largest entry of its row, and of its column. */
static const double ROOK = 0.1;

/* Rows come in stages: those of which, compared with what they were, this part is left of the most that is
 * left of any. Short rows that have lost nothing are no worse than long ones: to let them wait makes the rows
 * that go before them long (ten times as many numbers in a grid of 20 x 20 cells). */
static const double STAGE = 0.03;

/* Entries that cancel down to this are zero: rows are of order one. */
static const double NOTHING = 1e-14;

enum { NO_ROW = -1, ROOK_WALK = 12, CANDIDATES = 16 };

typedef enum row_state { ABSENT, LIVE, TAKEN, DEPENDENT } row_state;

typedef struct sparse_row {
    row_state state;
    int count, room;
    int *column;
    double *value;
    double most, length; /* largest entry and length of what is left */
    double whole;        /* length before anything was taken */
    int next, previous;  /* in the list of rows with as many entries; previous = NO_ROW: first */
    bool listed;
} sparse_row;

typedef struct sparse_column {
    int count;       /* rows that are live and have an entry */
    int noted, room; /* in `row`, which may name rows that no longer have one, or one twice */
    int *row, *place;
    bool known; /* the largest entry in rows that may be taken: */
    int largest;
    double most;
} sparse_column;

struct ki_row_choice {
    int m, n;
    sparse_row *row;
    sparse_column *column;
    int *first; /* [n + 1] of the lists by number of entries */
    int fewest; /* no list below is used */
    int *place; /* [n] where the row at work has a column, counted from 1 */
    int *seen;  /* [m] the last scan that met a row */
    int scan;
    bool *may;              /* [m] rows that may be taken now */
    double *least;          /* [m] */
    double stage;           /* least entry of a pivot at present, compared with its row before */
    int count;              /* taken */
    int *p, *q;             /* [m] rows, columns in the order in which they were taken */
    double *pivot, *length; /* [m] */
    int *start;             /* [m + 1] multipliers of pivot k */
    int multipliers, room;
    int *target;
    double *multiplier;
    bool by_rows;   /* the same by rows are up to date: number l of row i came from pivot of[l] */
    int *row_start; /* [m + 1] */
    int *of;
    double *of_value;
    int by_rows_room;
    bool failed;
};

/* ---- memory */

static void *grow(ki_row_choice *c, void *old, int room, size_t size) {
    void *larger = realloc(old, (size_t)room * size);
    c->failed |= !larger;
    return larger;
}

static bool make_room(ki_row_choice *c, sparse_row *r, int count) {
    if (count <= r->room)
        return true;
    int room = 2 * count;
    int *column = grow(c, r->column, room, sizeof *column);
    r->column = column ? column : r->column;
    double *value = grow(c, r->value, room, sizeof *value);
    r->value = value ? value : r->value;
    r->room = c->failed ? r->room : room;
    return !c->failed;
}

static void note(ki_row_choice *c, int j, int i) {
    sparse_column *column = &c->column[j];
    if (column->noted == column->room) {
        int room = 2 * column->room + 8;
        int *row = grow(c, column->row, room, sizeof *row);
        column->row = row ? row : column->row;
        int *place = grow(c, column->place, room, sizeof *place);
        column->place = place ? place : column->place;
        if (c->failed)
            return;
        column->room = room;
    }
    column->row[column->noted++] = i;
    column->count++;
    column->known = false;
}

ki_row_choice *ki_row_choice_new(int rows, int columns) {
    ki_row_choice *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    size_t m = (size_t)rows + 1, n = (size_t)columns + 2;
    c->m = rows, c->n = columns;
    c->row = calloc(m, sizeof *c->row);
    c->column = calloc(n, sizeof *c->column);
    c->first = calloc(n, sizeof *c->first);
    c->place = calloc(n, sizeof *c->place);
    c->seen = calloc(m, sizeof *c->seen);
    c->may = calloc(m, sizeof *c->may);
    c->least = calloc(m, sizeof *c->least);
    c->p = calloc(m, sizeof *c->p);
    c->q = calloc(m, sizeof *c->q);
    c->pivot = calloc(m, sizeof *c->pivot);
    c->length = calloc(m, sizeof *c->length);
    c->start = calloc(m + 1, sizeof *c->start);
    c->row_start = calloc(m + 2, sizeof *c->row_start);
    if (!c->row || !c->column || !c->first || !c->place || !c->seen || !c->may || !c->least || !c->p ||
        !c->q || !c->pivot || !c->length || !c->start || !c->row_start) {
        ki_row_choice_free(c);
        return NULL;
    }
    return c;
}

void ki_row_choice_free(ki_row_choice *c) {
    if (!c)
        return;
    for (int i = 0; c->row && i < c->m; i++) {
        free(c->row[i].column);
        free(c->row[i].value);
    }
    for (int j = 0; c->column && j < c->n; j++) {
        free(c->column[j].row);
        free(c->column[j].place);
    }
    free(c->row), free(c->column), free(c->first), free(c->place), free(c->seen), free(c->may);
    free(c->least), free(c->p), free(c->q), free(c->pivot), free(c->length), free(c->start);
    free(c->target), free(c->multiplier), free(c->row_start), free(c->of), free(c->of_value);
    free(c);
}

/* ---- rows by number of entries */

static void leave_list(ki_row_choice *c, int i) {
    sparse_row *r = &c->row[i];
    if (!r->listed)
        return;
    if (r->previous == NO_ROW)
        c->first[r->count] = r->next;
    else
        c->row[r->previous].next = r->next;
    if (r->next != NO_ROW)
        c->row[r->next].previous = r->previous;
    r->listed = false;
}

static void join_list(ki_row_choice *c, int i) {
    sparse_row *r = &c->row[i];
    if (r->state != LIVE || !c->may[i] || !(r->most >= c->stage * r->whole))
        return;
    r->previous = NO_ROW;
    r->next = c->first[r->count];
    if (r->next != NO_ROW)
        c->row[r->next].previous = i;
    c->first[r->count] = i;
    c->fewest = r->count < c->fewest ? r->count : c->fewest;
    r->listed = true;
}

static void measure(sparse_row *r) {
    double square = 0;
    r->most = 0;
    for (int k = 0; k < r->count; k++) {
        double value = fabs(r->value[k]);
        square += value * value;
        r->most = value > r->most ? value : r->most;
    }
    r->length = sqrt(square);
}

/* A live row with another state: its columns have one row less. */
static void retire(ki_row_choice *c, int i, row_state state) {
    sparse_row *r = &c->row[i];
    for (int k = 0; k < r->count; k++) {
        sparse_column *column = &c->column[r->column[k]];
        column->count--;
        column->known &= column->largest != i;
    }
    r->state = state;
}

/* A row that is new or has changed. */
static void judge(ki_row_choice *c, int i) {
    if (c->may[i] && !(c->row[i].length > c->least[i]))
        retire(c, i, DEPENDENT);
    else
        join_list(c, i);
}

keel_status ki_row_choice_load(ki_row_choice *c, keel_pattern P, const double *values, const bool *without) {
    c->count = c->multipliers = 0;
    c->failed = c->by_rows = false;
    for (int j = 0; j < c->n; j++)
        c->column[j].count = c->column[j].noted = 0;
    for (int i = 0; i < c->m; i++) {
        sparse_row *r = &c->row[i];
        r->count = 0;
        r->listed = false;
        r->state = without && without[i] ? ABSENT : LIVE;
        if (r->state == ABSENT || !make_room(c, r, P.start[i + 1] - P.start[i]))
            continue;
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            if (fabs(values[k]) > NOTHING) {
                r->column[r->count] = P.index[k];
                r->value[r->count++] = values[k];
                note(c, P.index[k], i);
            }
        measure(r);
        r->whole = r->length > 0 ? r->length : 1;
    }
    return c->failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

/* ---- pivots */

static int place_of(const sparse_row *r, int j) {
    for (int k = 0; k < r->count; k++)
        if (r->column[k] == j)
            return k;
    return -1;
}

/* Strikes rows from the notes of a column that no longer have an entry, and finds the others. */
static void tidy(ki_row_choice *c, int j) {
    sparse_column *column = &c->column[j];
    int kept = 0;
    c->scan++;
    for (int k = 0; k < column->noted; k++) {
        int i = column->row[k];
        if (c->seen[i] == c->scan || c->row[i].state != LIVE)
            continue;
        c->seen[i] = c->scan;
        int place = place_of(&c->row[i], j);
        if (place < 0)
            continue;
        column->row[kept] = i;
        column->place[kept++] = place;
    }
    column->noted = column->count = kept;
}

/* The largest entry of column j in rows that may be taken. */
static const sparse_column *largest_of_column(ki_row_choice *c, int j) {
    sparse_column *column = &c->column[j];
    if (column->known)
        return column;
    column->largest = NO_ROW, column->most = 0, column->known = true;
    tidy(c, j);
    for (int k = 0; k < column->noted; k++) {
        int i = column->row[k];
        double value = c->may[i] ? fabs(c->row[i].value[column->place[k]]) : 0;
        if (value > column->most)
            column->most = value, column->largest = i;
    }
    return column;
}

/* The column of a row with fewest rows, among large entries. */
static int column_for(const ki_row_choice *c, const sparse_row *r) {
    int best = -1;
    for (int k = 0; k < r->count; k++) {
        if (!(fabs(r->value[k]) >= ROOK * r->most))
            continue;
        int fewer = best < 0 ? -1 : c->column[r->column[k]].count - c->column[r->column[best]].count;
        if (fewer < 0 || (fewer == 0 && fabs(r->value[k]) > fabs(r->value[best])))
            best = k;
    }
    return best;
}

/* From a row to a pivot that is large in its row and its column: by the largest entries of columns and rows
 * in turn. */
static void walk(ki_row_choice *c, int *row, int *place) {
    *place = column_for(c, &c->row[*row]);
    for (int step = 0; step < ROOK_WALK; step++) {
        const sparse_row *r = &c->row[*row];
        int j = r->column[*place];
        const sparse_column *column = largest_of_column(c, j);
        if (fabs(r->value[*place]) >= ROOK * column->most)
            return;
        *row = column->largest;
        r = &c->row[*row];
        *place = place_of(r, j);
        if (fabs(r->value[*place]) >= ROOK * r->most)
            return;
        if (step == ROOK_WALK - 1)
            return;
        for (int k = 0; k < r->count; k++)
            if (fabs(r->value[k]) == r->most)
                *place = k;
    }
}

/* What a pivot fills in at most (Markowitz, Management Science 3, 1957). */
static double fill(const ki_row_choice *c, const sparse_row *r, int j) {
    return (r->count - 1.0) * (c->column[j].count - 1.0);
}

typedef struct choice {
    int row, place;
    double fill;
} choice;

/* The pivots of row i that are large in their row and column and fill in less than the best so far. */
static void try_row(ki_row_choice *c, int i, choice *best) {
    const sparse_row *r = &c->row[i];
    for (int k = 0; k < r->count; k++) {
        int j = r->column[k];
        double value = fabs(r->value[k]);
        if (!(value >= ROOK * r->most) || !(fill(c, r, j) < best->fill))
            continue;
        if (value >= ROOK * largest_of_column(c, j)->most)
            *best = (choice){i, k, fill(c, r, j)};
    }
}

/* Among the rows with fewest entries the pivot that fills in least. */
static void choose(ki_row_choice *c, int *row, int *place) {
    choice best = {.row = NO_ROW, .fill = INFINITY};
    int tried = 0;
    for (int count = c->fewest; count <= c->n && tried < CANDIDATES; count++)
        for (int i = c->first[count]; i != NO_ROW && tried < CANDIDATES; i = c->row[i].next, tried++)
            try_row(c, i, &best);
    if (best.row == NO_ROW)
        walk(c, row, place);
    else
        *row = best.row, *place = best.place;
    tidy(c, c->row[*row].column[*place]);
}

static void keep_multiplier(ki_row_choice *c, int i, double value) {
    if (c->multipliers == c->room) {
        int room = 2 * c->room + 1024;
        int *target = grow(c, c->target, room, sizeof *target);
        c->target = target ? target : c->target;
        double *multiplier = grow(c, c->multiplier, room, sizeof *multiplier);
        c->multiplier = multiplier ? multiplier : c->multiplier;
        if (c->failed)
            return;
        c->room = room;
    }
    c->target[c->multipliers] = i;
    c->multiplier[c->multipliers++] = value;
}

/* row <- row - factor pivot row, without column q. */
static void subtract(ki_row_choice *c, int i, const sparse_row *pivot, int q, double factor) {
    sparse_row *r = &c->row[i];
    if (!make_room(c, r, r->count + pivot->count))
        return;
    for (int k = 0; k < r->count; k++)
        c->place[r->column[k]] = k + 1;
    int before = r->count;
    for (int k = 0; k < pivot->count; k++) {
        int j = pivot->column[k], place = c->place[j];
        c->column[j].known = false;
        if (place) {
            r->value[place - 1] -= factor * pivot->value[k];
        } else if (fabs(factor * pivot->value[k]) > NOTHING) {
            r->column[r->count] = j;
            r->value[r->count++] = -factor * pivot->value[k];
            note(c, j, i);
        }
    }
    for (int k = 0; k < before; k++)
        c->place[r->column[k]] = 0;
    int kept = 0;
    for (int k = 0; k < r->count; k++) {
        int j = r->column[k];
        if (j == q || !(fabs(r->value[k]) > NOTHING)) {
            c->column[j].count--;
            continue;
        }
        r->column[kept] = j;
        r->value[kept++] = r->value[k];
    }
    r->count = kept;
    measure(r);
}

/* Takes row i with its entry number `place`. */
static void eliminate(ki_row_choice *c, int i, int place) {
    sparse_row *r = &c->row[i];
    int k = c->count++, q = r->column[place];
    c->p[k] = i, c->q[k] = q;
    c->pivot[k] = r->value[place];
    c->length[k] = r->length;
    c->start[k] = c->multipliers;
    leave_list(c, i);
    retire(c, i, TAKEN);
    for (int l = 0; l < c->column[q].noted && !c->failed; l++) { /* as the walk has left it */
        int other = c->column[q].row[l];
        if (other == i)
            continue;
        double factor = c->row[other].value[c->column[q].place[l]] / c->pivot[k];
        keep_multiplier(c, other, factor);
        leave_list(c, other);
        subtract(c, other, r, q, factor);
        judge(c, other);
    }
    c->start[k + 1] = c->multipliers;
}

/* The next stage; false: nothing is left of any row that may be taken. */
static bool next_stage(ki_row_choice *c) {
    double most = 0;
    for (int i = 0; i < c->m; i++)
        if (c->row[i].state == LIVE && c->may[i])
            most = fmax(most, c->row[i].most / c->row[i].whole);
    c->stage = STAGE * most;
    c->fewest = c->n + 1;
    for (int j = 0; j <= c->n; j++)
        c->first[j] = NO_ROW;
    for (int i = 0; i < c->m; i++) {
        c->row[i].listed = false;
        if (c->row[i].state == LIVE && most > 0)
            judge(c, i);
    }
    return c->fewest <= c->n;
}

/* A listed row with fewest entries. */
static int next_row(ki_row_choice *c) {
    while (c->fewest <= c->n && c->first[c->fewest] == NO_ROW)
        c->fewest++;
    return c->fewest <= c->n ? c->first[c->fewest] : NO_ROW;
}

keel_status ki_row_choice_take(ki_row_choice *c, const bool *among, const double *least, int most) {
    memcpy(c->may, among, (size_t)c->m * sizeof *c->may);
    memcpy(c->least, least, (size_t)c->m * sizeof *c->least);
    for (int j = 0; j < c->n; j++)
        c->column[j].known = false;
    while (c->count < most && !c->failed && next_stage(c))
        for (int i = next_row(c); i != NO_ROW && c->count < most && !c->failed; i = next_row(c)) {
            int place;
            choose(c, &i, &place);
            eliminate(c, i, place);
        }
    return c->failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

/* ---- what was found */

int ki_row_choice_count(const ki_row_choice *c) {
    return c->count;
}

int ki_row_choice_row(const ki_row_choice *c, int k) {
    return c->p[k];
}

int ki_row_choice_column(const ki_row_choice *c, int k) {
    return c->q[k];
}

double ki_row_choice_length(const ki_row_choice *c, int k) {
    return c->length[k];
}

long ki_row_choice_numbers(const ki_row_choice *c) {
    long numbers = c->multipliers;
    for (int k = 0; k < c->count; k++)
        numbers += c->row[c->p[k]].count;
    return numbers;
}

double ki_row_choice_rest(const ki_row_choice *c, int row) {
    const sparse_row *r = &c->row[row];
    return r->state == LIVE || r->state == DEPENDENT ? r->length : -1;
}

void ki_row_choice_solve(const ki_row_choice *c, double *b, double *x) {
    for (int k = 0; k < c->count; k++)
        for (int l = c->start[k]; b[c->p[k]] != 0 && l < c->start[k + 1]; l++)
            b[c->target[l]] -= c->multiplier[l] * b[c->p[k]];
    for (int k = c->count - 1; k >= 0; k--) {
        const sparse_row *r = &c->row[c->p[k]];
        double sum = b[c->p[k]];
        for (int l = 0; l < r->count; l++)
            if (r->column[l] != c->q[k])
                sum -= r->value[l] * x[r->column[l]];
        x[c->q[k]] = sum / c->pivot[k];
    }
}

/* The multipliers in the order of the rows they were taken from. */
static bool sort_by_rows(ki_row_choice *c) {
    if (c->by_rows)
        return true;
    if (c->by_rows_room < c->multipliers) {
        int *of = grow(c, c->of, c->room, sizeof *of);
        c->of = of ? of : c->of;
        double *of_value = grow(c, c->of_value, c->room, sizeof *of_value);
        c->of_value = of_value ? of_value : c->of_value;
        if (c->failed)
            return false;
        c->by_rows_room = c->room;
    }
    int *start = c->row_start;
    memset(start, 0, ((size_t)c->m + 2) * sizeof *start);
    for (int l = 0; l < c->multipliers; l++)
        start[c->target[l] + 2]++;
    for (int i = 0; i < c->m; i++)
        start[i + 2] += start[i + 1];
    for (int k = 0; k < c->count; k++)
        for (int l = c->start[k]; l < c->start[k + 1]; l++) {
            int at = start[c->target[l] + 1]++;
            c->of[at] = k;
            c->of_value[at] = c->multiplier[l];
        }
    return c->by_rows = true;
}

keel_status ki_row_choice_combine(ki_row_choice *c, double *w, double *combination) {
    if (!sort_by_rows(c))
        return KEEL_ERROR_MEMORY;
    memset(combination, 0, (size_t)c->m * sizeof *combination);
    for (int k = 0; k < c->count; k++) {
        const sparse_row *r = &c->row[c->p[k]];
        double z = w[c->q[k]] / c->pivot[k];
        for (int l = 0; z != 0 && l < r->count; l++)
            w[r->column[l]] -= z * r->value[l];
        w[c->q[k]] = 0;
        combination[c->p[k]] = z;
    }
    for (int k = c->count - 1; k >= 0; k--) {
        int i = c->p[k];
        for (int l = c->row_start[i]; combination[i] != 0 && l < c->row_start[i + 1]; l++)
            combination[c->p[c->of[l]]] -= c->of_value[l] * combination[i];
    }
    return KEEL_OK;
}
