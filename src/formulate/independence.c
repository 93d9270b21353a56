#include "formulate/independence.h"

#include <math.h>
#include <string.h>

#include "formulate/taking.h"
#include "linalg/dense.h"

/* How many times the precision of a drawing its rows may differ by and still repeat each other: errors of
 * places add up along loops and are divided by the angles between their joints. */
static const double MARGIN = 30;

/* Rows that differ by more never repeat each other, however small their loop is in its mechanism. */
static const double LARGEST_LIMIT = 1e-3;

/* Without a precision: of the length of a row, as round-off of formulas leaves it. */
static const double LIMIT_OF_FORMULAS = 1e-10;

/* How far a look around goes, in natural sizes, and how many directions it tries. */
static const double LOOK_DISTANCE = 0.02;
enum { LOOKS = 6, LOOKS_WHERE_SINGULAR = 24, LOOKS_OF_LARGE = 2, MOST_TRIES = 48 };

static void classify(ki_independence *look) {
    const keel_system *sys = look->system;
    for (int i = 0; i < look->m; i++) {
        bool motion = sys->names.joint && !sys->names.joint[i];
        look->class_of[i] = i >= sys->n_h ? NONHOLONOMIC : motion ? MOTIONS : JOINTS;
    }
}

static void set_limits(ki_independence *look) {
    const keel_system *sys = look->system;
    double precision = fmax(sys->precision.length, sys->precision.angle);
    for (int i = 0; i < look->m; i++) {
        double part = sys->row_size && sys->extent > 0 ? fmax(1, sys->extent / sys->row_size[i]) : 1;
        bool length = sys->row_turns && !sys->row_turns[i];
        look->limit[i] = fmin(MARGIN * precision * (length ? part : 1), LARGEST_LIMIT);
        look->limit[i] = fmax(look->limit[i], LIMIT_OF_FORMULAS);
    }
}

keel_status ki_independence_init(ki_independence *look, const keel_system *system, void *work,
                                 double most_dense) {
    int m = keel_system_m(system), n = system->n_v;
    *look = (ki_independence){.system = system, .work = work, .m = m, .n = n};
    ki_arena *arena = &look->arena;
    ki_arena_init(arena);
    look->taken = KI_NEW(arena, bool, m);
    look->row = KI_NEW(arena, int, m);
    look->q = KI_NEW(arena, double, system->n_q);
    look->sample = KI_NEW(arena, double, (size_t)LOOKS_WHERE_SINGULAR *(size_t)system->n_q);
    look->terms.J = KI_NEW(arena, double, keel_pattern_count(system->J));
    look->terms.Phi = KI_NEW(arena, double, system->n_h);
    look->terms.rate = KI_NEW(arena, double, m);
    look->values = KI_NEW(arena, double, keel_pattern_count(system->J));
    bool large = (double)n * fmax(m, n - m) > most_dense; /* of rows, or of freedoms */
    if (large) {
        look->large = ki_row_choice_new(m, n);
        look->mark = KI_NEW(arena, bool, m);
    } else {
        look->H = KI_NEW(arena, double, (size_t)m *(size_t)n);
        look->L = KI_NEW(arena, double, (size_t)m *(size_t)m);
        look->stress = KI_NEW(arena, double, (size_t)m *(size_t)m);
    }
    look->left = KI_NEW(arena, double, m);
    look->scale = KI_NEW(arena, double, m);
    look->limit = KI_NEW(arena, double, m);
    look->order = KI_NEW(arena, int, m);
    look->class_of = KI_NEW(arena, int, m);
    look->x = KI_NEW(arena, double, n);
    look->y = KI_NEW(arena, double, m);
    look->trial = KI_NEW(arena, double, system->n_q);
    look->ignored = KI_NEW(arena, bool, m);
    look->step = KI_NEW(arena, double, n);
    look->size = KI_NEW(arena, double, n);
    if (arena->failed || (large && !look->large))
        return KEEL_ERROR_MEMORY;
    for (int j = 0; j < n; j++)
        look->size[j] = system->q_size ? system->q_size[j] : 1;
    classify(look);
    set_limits(look);
    return KEEL_OK;
}

void ki_independence_clear(ki_independence *look) {
    ki_row_choice_free(look->large);
    ki_arena_free(&look->arena);
    *look = (ki_independence){0};
}

double ki_open_limit(const keel_system *system, int i) {
    bool angle = !system->row_turns || system->row_turns[i];
    double size = angle ? 1 : system->extent;
    return MARGIN *
           (angle ? system->precision.angle : fmax(system->precision.length, system->precision.angle)) * size;
}

double ki_repeated_limit(const keel_system *system) {
    double precision = fmax(system->precision.length, system->precision.angle);
    return fmax(fmin(MARGIN * precision, LARGEST_LIMIT), LIMIT_OF_FORMULAS);
}

double ki_noise(unsigned *random) {
    *random = *random * 1664525u + 1013904223u;
    return (double)(*random >> 8) / 8388608.0 - 1;
}

/* A displacement of the natural size `distance` that the rows taken do not see; false: they leave none. */
static bool random_tangent(ki_independence *look, int count, double distance, double *x) {
    for (int j = 0; j < look->n; j++)
        x[j] = ki_noise(&look->random);
    double before = ki_length(look->n, x);
    if (look->large)
        ki_tangent_large(look, x);
    for (int again = 0; !look->large && again < 2; again++)
        for (int k = 0; k < count; k++) {
            const double *basis = ki_row_of(look, look->order[k]);
            ki_axpy(look->n, -ki_dot(look->n, basis, x), basis, x);
        }
    double length = ki_length(look->n, x), most = ki_max_norm(look->n, x);
    if (!(length > 1e-8 * before))
        return false;
    for (int j = 0; j < look->n; j++)
        x[j] *= distance / most;
    return true;
}

bool ki_go_near(ki_independence *look, const keel_point *at, double *q, keel_status *status) {
    *status = ki_load_rows(look, at);
    if (*status)
        return false;
    int count = ki_take_all(look, (taking){.classes = 1, .most = look->m});
    memcpy(q, at->q, (size_t)look->system->n_q * sizeof *q);
    if (!random_tangent(look, count, LOOK_DISTANCE, look->step))
        return false;
    ki_move_naturally(look, look->step, q);
    return ki_close_joints(look, at, q);
}

/* Whether ranks a of the classes are those of a more general pose than b. Joints come first: where motions
 * replace joints that depend on each other in a singular pose, all together may have the usual rank there. */
static int compare_ranks(const int *a, const int *b) {
    for (int kind = 0; kind < CLASSES; kind++)
        if (a[kind] != b[kind])
            return a[kind] > b[kind] ? 1 : -1;
    return 0;
}

/* Whether the joints were closed by going back to where the look began: where several loops have a condition
 * of the second order each, Newton's method halves a displacement that is along no branch again and again. */
static bool falls_back(ki_independence *look, const keel_point *at) {
    static const double PART = 0.1;
    size_t n_q = (size_t)look->system->n_q;
    double *pose = look->sample + (size_t)look->sample_count * n_q; /* room for the next one */
    memcpy(pose, look->trial, n_q * sizeof *pose);
    ki_difference(look, at->q, pose, look->step);
    memcpy(look->trial, pose, n_q * sizeof *pose);
    return ki_max_norm(look->n, look->step) < PART * LOOK_DISTANCE;
}

/* Poses near by: the largest ranks found there, and with them the pose in look->q. */
static keel_status look_around(ki_independence *look, const keel_point *at) {
    const keel_system *sys = look->system;
    size_t bytes = (size_t)sys->n_q * sizeof(double);
    double best = 0;
    keel_point there = *at;
    look->random = 1;
    int looks = look->large ? LOOKS_OF_LARGE : LOOKS;
    int usual[CLASSES];
    memcpy(usual, look->class_here, sizeof usual);
    for (int k = 0, tries = 0; k < looks && tries < MOST_TRIES; k++, tries++) {
        keel_status status;
        if (!ki_go_near(look, at, look->trial, &status)) {
            if (status)
                return status;
            continue;
        }
        bool back = falls_back(look, at);
        int found;
        there.q = look->trial;
        if ((status = ki_count_independent(look, &there, &found)))
            return status;
        ki_list_taken(look);
        int better = compare_ranks(look->class_rank, usual);
        bool singular = compare_ranks(usual, look->class_here) > 0;
        if (back && better <= 0 && !singular) { /* it has seen nothing new */
            k--;
            continue;
        }
        memcpy(look->sample + (size_t)look->sample_count++ * (size_t)sys->n_q, look->trial, bytes);
        if (better > 0 || (better == 0 && singular && look->least > best)) {
            memcpy(usual, look->class_rank, sizeof usual);
            best = look->least;
            memcpy(look->q, look->trial, bytes);
        }
        if (better > 0 && !look->large)
            looks = LOOKS_WHERE_SINGULAR;
    }
    return KEEL_OK;
}

keel_status ki_find_independent(ki_independence *look, const keel_point *at) {
    keel_point there = *at;
    memcpy(look->q, at->q, (size_t)look->system->n_q * sizeof(double));
    look->sample_count = 0;
    keel_status status = ki_count_independent(look, at, &look->rank_here);
    look->rank = look->rank_here;
    ki_list_taken(look);
    memcpy(look->class_here, look->class_rank, sizeof look->class_here);
    int asked = 0;
    for (int i = 0; i < look->m; i++)
        asked += !look->ignored[i];
    if (!status && look->rank < asked && look->system->n_s == 0) { /* poses of others need their own s */
        status = look_around(look, at);
        there.q = look->q;
        if (!status)
            status = ki_count_independent(look, &there, &look->rank);
    }
    ki_list_taken(look);
    return status;
}

bool ki_is_singular(const ki_independence *look) {
    return compare_ranks(look->class_here, look->class_rank) != 0;
}

void ki_ranks_to_tell(const ki_independence *look, int *here, int *usual) {
    bool of_all = look->rank_here < look->rank;
    *here = of_all ? look->rank_here : look->class_here[JOINTS];
    *usual = of_all ? look->rank : look->class_rank[JOINTS];
}

bool ki_joints_are_singular(const ki_independence *look) {
    return look->class_here[JOINTS] < look->class_rank[JOINTS];
}

bool ki_only_velocities_are_singular(const ki_independence *look) {
    return !ki_joints_are_singular(look) && look->class_here[MOTIONS] == look->class_rank[MOTIONS];
}

void ki_difference(ki_independence *look, const double *from, const double *to, double *x) {
    const keel_system *sys = look->system;
    for (int i = 0; i < sys->n_q; i++)
        look->trial[i] = to[i] - from[i];
    if (sys->pull)
        sys->pull(sys, from, look->trial, x);
    else
        memcpy(x, look->trial, (size_t)look->n * sizeof *x);
    for (int j = 0; j < look->n; j++)
        x[j] /= look->size[j];
}
