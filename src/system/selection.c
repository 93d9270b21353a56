#include "system/selection.h"

#include <stdlib.h>
#include <string.h>

/* A scratch area: that of the whole system, and room for what has a row per constraint. */
typedef struct selection_work {
    void *whole;
    const keel_system *system;
    keel_terms terms; /* J xi Phi rate tangent rate_q of all rows */
    double *lambda;   /* [m of whole] zero in rows left out, or those of all */
    double *shares;   /* of ki_sharing_find, ... */
    double *found_q;  /* [n_q] ... for this point, if it is known */
    double found_t;
    bool found;
    double *line; /* [m of selection] a row of Q_lambda */
    ki_arena arena;
} selection_work;

static const ki_selection *selection_of(const keel_system *system) {
    return system->model;
}

bool ki_needs_sharing(const keel_system *whole) {
    return whole->Q_lambda.rows > 0 || whole->f_needs_lambda;
}

void *ki_selection_whole_work(void *work) {
    return ((selection_work *)work)->whole;
}

static void work_free(void *work) {
    selection_work *w = work;
    if (!w)
        return;
    if (w->whole && w->system->work_free)
        w->system->work_free(w->whole);
    ki_arena_free(&w->arena);
    free(w);
}

static keel_status work_new(const keel_system *system, void **work) {
    const ki_selection *s = selection_of(system);
    const keel_system *whole = s->whole;
    selection_work *w = calloc(1, sizeof *w);
    if (!w)
        return KEEL_ERROR_MEMORY;
    int m = keel_system_m(whole);
    w->system = whole;
    ki_arena_init(&w->arena);
    w->terms.J = KI_NEW(&w->arena, double, keel_pattern_count(whole->J));
    w->terms.xi = KI_NEW(&w->arena, double, m);
    w->terms.Phi = KI_NEW(&w->arena, double, whole->n_h);
    w->terms.rate = KI_NEW(&w->arena, double, m);
    w->terms.tangent = KI_NEW(&w->arena, double, keel_pattern_count(whole->tangent));
    w->terms.rate_q = KI_NEW(&w->arena, double, keel_pattern_count(whole->rate_q));
    w->terms.Q_lambda = KI_NEW(&w->arena, double, keel_pattern_count(whole->Q_lambda));
    w->lambda = KI_NEW(&w->arena, double, m);
    w->shares = KI_NEW(&w->arena, double, s->shares ? ki_sharing_size(s->sharing) : 0);
    w->line = KI_NEW(&w->arena, double, m);
    w->found_q = KI_NEW(&w->arena, double, whole->n_q);
    keel_status status = w->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
    if (!status && whole->work_new)
        status = whole->work_new(whole, &w->whole);
    if (status < 0) {
        work_free(w);
        return status;
    }
    *work = w;
    return KEEL_OK;
}

/* The chosen ones of n values, numbered from `first` on. */
static void gather(const ki_selection *s, int first, int n, const double *from, double *to) {
    for (int i = first; i < first + n; i++)
        to[i] = from[s->row[i]];
}

/* The entries of chosen rows of a matrix with `above` rows before those of the constraints, and `below` after
 * them. */
static void gather_rows(const ki_selection *s, keel_pattern P, int above, int below, const double *from,
                        double *to) {
    int m = keel_system_m(&s->system), rows = above + m + below, skipped = keel_system_m(s->whole) - m;
    for (int i = 0; i < rows; i++) {
        int row = i < above ? i : i < above + m ? above + s->row[i - above] : i + skipped;
        size_t count = (size_t)(P.start[row + 1] - P.start[row]);
        memcpy(to, from + P.start[row], count * sizeof *to);
        to += count;
    }
}

/* Multipliers are found by iteration, at one point. */
static keel_status find_shares(const ki_selection *s, selection_work *w, const keel_point *at) {
    const keel_system *whole = s->whole;
    keel_terms terms = {.J = w->terms.J};
    size_t bytes = (size_t)whole->n_q * sizeof *at->q;
    if (w->found && at->t == w->found_t && memcmp(at->q, w->found_q, bytes) == 0)
        return KEEL_OK;
    keel_status status = whole->evaluate(whole, w->whole, KEEL_JACOBIAN, at, &terms);
    if (status < 0)
        return status;
    ki_sharing_find(s->sharing, w->terms.J, w->shares);
    memcpy(w->found_q, at->q, bytes);
    w->found_t = at->t;
    w->found = !whole->n_s && !whole->J_needs_v;
    return KEEL_OK;
}

/* w->lambda, from the multipliers of the rows held. */
static keel_status share(const ki_selection *s, selection_work *w, const keel_point *at) {
    memset(w->lambda, 0, (size_t)keel_system_m(s->whole) * sizeof *w->lambda);
    for (int i = 0; i < keel_system_m(&s->system); i++)
        w->lambda[s->row[i]] = at->lambda[i];
    if (!s->shares)
        return KEEL_OK;
    keel_status status = find_shares(s, w, at);
    if (status < 0)
        return status;
    ki_share(s->sharing, w->shares, w->lambda);
    return KEEL_OK;
}

/* dQ/dlambda_0 = dQ/dlambda P: line[h] for each row held that row k, times `value`, depends on. */
static void add_shared(const ki_selection *s, const selection_work *w, int k, double value, double *line) {
    const int *rows;
    int group = s->sharing ? ki_sharing_group(s->sharing, k) : -1;
    if (group < 0) {
        line[s->place[k]] += value;
        return;
    }
    int count = ki_sharing_rows(s->sharing, group, &rows), own = 0;
    while (rows[own] != k)
        own++;
    for (int i = 0; i < count; i++)
        if (s->held[rows[i]])
            line[s->place[rows[i]]] += value * ki_shared_part(s->sharing, w->shares, group, own, i);
}

static void share_derivatives(const ki_selection *s, selection_work *w, const double *from, double *to) {
    keel_pattern all = s->whole->Q_lambda, P = s->system.Q_lambda;
    for (int i = 0; i < P.rows; i++) {
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            w->line[P.index[k]] = 0;
        for (int k = all.start[i]; k < all.start[i + 1]; k++)
            if (from[k] != 0)
                add_shared(s, w, all.index[k], from[k], w->line);
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            to[k] = w->line[P.index[k]];
    }
}

/* What depends on multipliers, or may. */
static const unsigned WITH_LAMBDA = KEEL_FORCE | KEEL_FORCE_LAMBDA | KEEL_STATES | KEEL_POWER | KEEL_TANGENT;

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    const ki_selection *s = selection_of(system);
    const keel_system *whole = s->whole;
    selection_work *w = work;
    keel_terms all = *terms;
    keel_point point = *at;
    all.J = w->terms.J, all.xi = w->terms.xi, all.Phi = w->terms.Phi, all.rate = w->terms.rate;
    all.tangent = w->terms.tangent, all.rate_q = w->terms.rate_q;
    all.Q_lambda = w->terms.Q_lambda;
    keel_status status = KEEL_OK;
    if (at->lambda && (what & (s->shares ? WITH_LAMBDA : (unsigned)KEEL_TANGENT)))
        status = share(s, w, at);
    if (status < 0)
        return status;
    point.lambda = at->lambda ? w->lambda : NULL;
    status = whole->evaluate(whole, w->whole, what, &point, &all);
    if (status < 0)
        return status;
    terms->energy = all.energy;
    terms->power = all.power;
    if (what & KEEL_JACOBIAN)
        gather_rows(s, whole->J, 0, 0, all.J, terms->J);
    if (what & KEEL_XI)
        gather(s, 0, keel_system_m(system), all.xi, terms->xi);
    if (what & KEEL_POSITION)
        gather(s, 0, system->n_h, all.Phi, terms->Phi);
    if (what & KEEL_VELOCITY)
        gather(s, 0, keel_system_m(system), all.rate, terms->rate);
    if (what & KEEL_TANGENT)
        gather_rows(s, whole->tangent, whole->n_v, whole->n_z, all.tangent, terms->tangent);
    if (what & KEEL_FORCE_LAMBDA)
        share_derivatives(s, w, all.Q_lambda, terms->Q_lambda);
    if (what & KEEL_VELOCITY_Q)
        gather_rows(s, whole->rate_q, 0, 0, all.rate_q, terms->rate_q);
    return status;
}

static void kinematics(const keel_system *system, const double *q, const double *v, double *q_rate) {
    const keel_system *whole = selection_of(system)->whole;
    whole->kinematics(whole, q, v, q_rate);
}

static void advance(const keel_system *system, double *q, const double *dv) {
    const keel_system *whole = selection_of(system)->whole;
    whole->advance(whole, q, dv);
}

static void pull(const keel_system *system, const double *q, const double *dq, double *dv) {
    const keel_system *whole = selection_of(system)->whole;
    whole->pull(whole, q, dq, dv);
}

static void rigid(const keel_system *system, void *work, const keel_point *at, keel_rigid *answer) {
    const keel_system *whole = selection_of(system)->whole;
    whole->rigid(whole, ki_selection_whole_work(work), at, answer);
}

static int explain(const keel_system *system, void *work, double t, char *text, int size,
                   keel_location *where) {
    const keel_system *whole = selection_of(system)->whole;
    return whole->explain(whole, ki_selection_whole_work(work), t, text, size, where);
}

/* The pattern of chosen rows, in the terms of gather_rows. */
static keel_pattern select_pattern(ki_selection *s, keel_pattern P, int above, int below) {
    int m = keel_system_m(&s->system), rows = above + m + below, skipped = keel_system_m(s->whole) - m;
    if (P.rows == 0)
        return P;
    int *start = KI_NEW(&s->arena, int, rows + 1), *index = KI_NEW(&s->arena, int, keel_pattern_count(P));
    for (int i = 0; start && index && i < rows; i++) {
        int row = i < above ? i : i < above + m ? above + s->row[i - above] : i + skipped;
        int count = P.start[row + 1] - P.start[row];
        memcpy(index + start[i], P.index + P.start[row], (size_t)count * sizeof *index);
        start[i + 1] = start[i] + count;
    }
    return (keel_pattern){rows, P.cols, start, index};
}

/* The rows held on which the multiplier of row k depends are marked with `mark`. */
static void mark_parts(const ki_selection *s, int k, int mark, int *marks) {
    const int *rows = &k;
    int group = s->sharing ? ki_sharing_group(s->sharing, k) : -1;
    int count = group < 0 ? 1 : ki_sharing_rows(s->sharing, group, &rows);
    for (int i = 0; i < count; i++)
        if (s->held[rows[i]])
            marks[s->place[rows[i]]] = mark;
}

/* The pattern of dQ/dlambda P. */
static keel_pattern select_derivatives(ki_selection *s) {
    keel_pattern all = s->whole->Q_lambda;
    int m = keel_system_m(&s->system), n = all.rows, *start = KI_NEW(&s->arena, int, n + 1);
    int *marks = KI_NEW(&s->arena, int, m), *index = NULL;
    if (n == 0 || !start || !marks)
        return (keel_pattern){0};
    for (int pass = 0; pass < 2; pass++) {
        int count = 0;
        for (int i = 0; i < n; i++) {
            int mark = pass * n + i + 1;
            for (int k = all.start[i]; k < all.start[i + 1]; k++)
                mark_parts(s, all.index[k], mark, marks);
            for (int h = 0; all.start[i + 1] > all.start[i] && h < m; h++)
                if (marks[h] == mark) {
                    if (index)
                        index[count] = h;
                    count++;
                }
            start[i + 1] = count;
        }
        if (!index && !(index = KI_NEW(&s->arena, int, count)))
            return (keel_pattern){0};
    }
    return (keel_pattern){n, m, start, index};
}

static const double *select_sizes(ki_selection *s, const double *size, int rows) {
    double *chosen = size ? KI_NEW(&s->arena, double, rows) : NULL;
    for (int i = 0; chosen && i < rows; i++)
        chosen[i] = size[s->row[i]];
    return chosen;
}

static const int *select_marks(ki_selection *s, const int *mark, int rows) {
    int *chosen = mark ? KI_NEW(&s->arena, int, rows) : NULL;
    for (int i = 0; chosen && i < rows; i++)
        chosen[i] = mark[s->row[i]];
    return chosen;
}

static const char *const *select_names(ki_selection *s, const char *const *name) {
    int m = keel_system_m(&s->system);
    const char **chosen = name ? KI_NEW(&s->arena, const char *, m) : NULL;
    for (int i = 0; chosen && i < m; i++)
        chosen[i] = name[s->row[i]];
    return chosen;
}

static void fill(ki_selection *s) {
    const keel_system *whole = s->whole;
    keel_system *sys = &s->system;
    int m = keel_system_m(sys);
    sys->J = select_pattern(s, whole->J, 0, 0);
    sys->tangent = select_pattern(s, whole->tangent, whole->n_v, whole->n_z);
    sys->rate_q = select_pattern(s, whole->rate_q, 0, 0);
    sys->Q_lambda = select_derivatives(s);
    sys->Phi_size = select_sizes(s, whole->Phi_size, sys->n_h);
    sys->row_size = select_sizes(s, whole->row_size, m);
    sys->row_turns = select_marks(s, whole->row_turns, m);
    sys->names.constraint = select_names(s, whole->names.constraint);
    sys->names.joint = select_names(s, whole->names.joint);
    sys->units.constraint = select_names(s, whole->units.constraint);
    sys->units.multiplier = select_names(s, whole->units.multiplier);
}

/* What does not go by rows stays; what is known of all rows only is left out. */
static void connect(ki_selection *s) {
    keel_system *sys = &s->system;
    sys->model = s;
    sys->work_new = work_new;
    sys->work_free = work_free;
    sys->evaluate = evaluate;
    sys->kinematics = sys->kinematics ? kinematics : NULL;
    sys->advance = sys->advance ? advance : NULL;
    sys->pull = sys->pull ? pull : NULL;
    sys->rigid = sys->rigid ? rigid : NULL;
    sys->explain = sys->explain ? explain : NULL;
    sys->law = NULL; /* the whole system is asked */
    sys->kernel = NULL;
    sys->for_run = NULL; /* asked of the whole system */
    sys->n_outputs = 0;
    sys->outputs = NULL;
}

ki_selection *ki_selection_new(const keel_system *whole, const int *row, int count, ki_sharing *sharing) {
    ki_selection *s = calloc(1, sizeof *s);
    if (!s) {
        ki_sharing_free(sharing);
        return NULL;
    }
    s->sharing = sharing;
    s->shares = sharing && ki_needs_sharing(whole);
    ki_arena_init(&s->arena);
    s->whole = whole;
    s->system = *whole;
    s->row = KI_NEW(&s->arena, int, count);
    s->held = KI_NEW(&s->arena, bool, keel_system_m(whole));
    s->place = KI_NEW(&s->arena, int, keel_system_m(whole));
    s->system.n_h = s->system.n_n = 0;
    for (int i = 0; !s->arena.failed && i < count; i++) {
        s->row[i] = row[i];
        s->held[row[i]] = true;
        s->place[row[i]] = i;
        s->system.n_h += row[i] < whole->n_h;
        s->system.n_n += row[i] >= whole->n_h;
    }
    if (!s->arena.failed)
        fill(s);
    connect(s);
    if (s->arena.failed) {
        ki_selection_free(s);
        return NULL;
    }
    return s;
}

void ki_selection_free(ki_selection *selection) {
    if (!selection)
        return;
    ki_sharing_free(selection->sharing);
    ki_arena_free(&selection->arena);
    free(selection);
}
