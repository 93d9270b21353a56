#include "formulate/independence.h"

#include <math.h>
#include <string.h>

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
enum { LOOKS = 6, LOOKS_WHERE_SINGULAR = 24, LOOK_ITERATIONS = 25 };

/* Of the size of a row; and how many times that a violation may be that does not fall any more. */
static const double ROUND_OFF = 1e-14, STALLED = 1e3;

enum { JOINTS, MOTIONS, NONHOLONOMIC, CLASSES };

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

keel_status ki_independence_init(ki_independence *look, const keel_system *system, void *work) {
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
    look->H = KI_NEW(arena, double, (size_t)m *(size_t)n);
    look->L = KI_NEW(arena, double, (size_t)m *(size_t)m);
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
    look->stress = KI_NEW(arena, double, (size_t)m *(size_t)m);
    if (arena->failed)
        return KEEL_ERROR_MEMORY;
    classify(look);
    set_limits(look);
    return KEEL_OK;
}

void ki_independence_clear(ki_independence *look) {
    ki_arena_free(&look->arena);
    *look = (ki_independence){0};
}

double ki_open_limit(const keel_system *system, int i) {
    bool angle = !system->row_turns || system->row_turns[i];
    double size = angle ? 1 : system->extent;
    return MARGIN *
           (angle ? system->precision.angle : fmax(system->precision.length, system->precision.angle)) * size;
}

bool ki_is_round_off(const keel_system *system, int i, double amount) {
    if (!system->row_size || i < 0 || i >= keel_system_m(system))
        return false;
    double size = system->row_size[i];
    if (system->Phi_size && i < system->n_h)
        size = fmax(size, system->Phi_size[i]);
    return fabs(amount) <= STALLED * ROUND_OFF * size;
}

/* ---- taking rows --------------------------------------------------------------------------------------- */

static double *row_of(const ki_independence *look, int i) {
    return look->H + (size_t)i * (size_t)look->n;
}

/* H at a pose. Rows without a natural size of their own have the length that they were met with. */
static keel_status load(ki_independence *look, const keel_point *at) {
    const keel_system *sys = look->system;
    keel_pattern P = sys->J;
    keel_status status = sys->evaluate(sys, look->work, KEEL_JACOBIAN, at, &look->terms);
    if (status < 0)
        return KEEL_ERROR_CALLBACK;
    memset(look->H, 0, (size_t)look->m * (size_t)look->n * sizeof(double));
    for (int i = 0; i < look->m; i++) {
        double *row = row_of(look, i), square = 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++) {
            int j = P.index[k];
            row[j] = look->terms.J[k] * (sys->q_size ? sys->q_size[j] : 1);
            square += row[j] * row[j];
        }
        if (!isfinite(square))
            return KEEL_ERROR_NOT_FINITE;
        double own = sys->row_size ? sys->row_size[i] : sqrt(square);
        if (sys->row_size || 1 / own < look->scale[i] || look->scale[i] == 0)
            look->scale[i] = own > 0 ? 1 / own : 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            row[P.index[k]] *= look->scale[i];
    }
    return KEEL_OK;
}

static double length_of(int n, const double *x) {
    return sqrt(ki_dot(n, x, x));
}

/* The row of a class of which most is left; -1: none. */
static int longest(const ki_independence *look, int kind, const bool *among) {
    int best = -1;
    for (int i = 0; i < look->m; i++)
        if (!look->taken[i] && look->class_of[i] == kind && (!among || among[i]) &&
            (best < 0 || look->left[i] > look->left[best]))
            best = i;
    return best;
}

/* In place of what is left of a row that is not to be taken. */
static const double NEVER = -1;

/* Row i becomes a unit vector of the basis; the rows that are left lose what they have of it. */
static void take(ki_independence *look, int i, int count) {
    double *row = row_of(look, i), length = look->left[i];
    for (int j = 0; j < look->n; j++)
        row[j] /= length;
    look->L[(size_t)i * (size_t)look->m + (size_t)count] = length;
    look->taken[i] = true;
    look->order[count] = i;
    for (int k = 0; k < look->m; k++) {
        if (look->taken[k])
            continue;
        double *other = row_of(look, k), along = 0;
        for (int again = 0; again < 2; again++) { /* the second time takes out what round-off left */
            double part = ki_dot(look->n, other, row);
            ki_axpy(look->n, -part, row, other);
            along += part;
        }
        look->L[(size_t)k * (size_t)look->m + (size_t)count] = along;
        if (look->left[k] != NEVER)
            look->left[k] = length_of(look->n, other);
    }
}

/* What ends the taking. */
typedef struct taking {
    const bool *among;   /* NULL: all rows  */
    const bool *without; /* NULL: no row    */
    int classes;         /* of the first so many */
    int most;            /* rows at the most    */
    double floor;        /* of all limits       */
    const int
        *ranks; /* [classes] as many rows of each class, whatever is left of them; NULL: by the limits */
} taking;

/* Nothing is taken yet. */
static void begin_taking(ki_independence *look, taking by) {
    memset(look->taken, 0, (size_t)look->m * sizeof *look->taken);
    memset(look->L, 0, (size_t)look->m * (size_t)look->m * sizeof *look->L);
    for (int i = 0; i < look->m; i++)
        look->left[i] =
            look->ignored[i] || (by.without && by.without[i]) ? NEVER : length_of(look->n, row_of(look, i));
}

/* Takes rows of H; returns how many. */
static int take_all(ki_independence *look, taking by) {
    int count = 0;
    begin_taking(look, by);
    look->classes = by.classes;
    look->least = INFINITY;
    for (int kind = 0; kind < by.classes; kind++)
        for (int k = 0; by.ranks ? k < by.ranks[kind] : count < by.most; k++) {
            int i = longest(look, kind, by.among);
            double least = i < 0 ? INFINITY : by.ranks ? 0 : fmax(look->limit[i], by.floor);
            if (i < 0 || !(look->left[i] > least)) {
                look->least = by.ranks ? 0 : look->least;
                break;
            }
            look->least = fmin(look->least, look->left[i]);
            take(look, i, count++);
        }
    look->most = 0;
    for (int i = 0; i < look->m; i++)
        if (!look->taken[i])
            look->most = fmax(look->most, look->left[i]);
    return count;
}

static keel_status take_at(ki_independence *look, const keel_point *at, int *rank) {
    keel_status status = load(look, at);
    if (!status)
        *rank = take_all(look, (taking){.classes = CLASSES, .most = look->m});
    return status;
}

/* ---- a look around ------------------------------------------------------------------------------------- */

/* A number in [-1, 1]. */
static double noise(ki_independence *look) {
    look->random = look->random * 1664525u + 1013904223u;
    return (double)(look->random >> 8) / 8388608.0 - 1;
}

/* q <- q (+) C x */
void ki_move_naturally(const ki_independence *look, const double *x, double *q) {
    const keel_system *sys = look->system;
    for (int j = 0; j < look->n; j++)
        look->x[j] = x[j] * (sys->q_size ? sys->q_size[j] : 1);
    if (sys->advance)
        sys->advance(sys, q, look->x);
    else
        for (int j = 0; j < look->n; j++)
            q[j] += look->x[j];
}

/* A displacement of the natural size `distance` that the rows taken do not see; false: they leave none. */
static bool random_tangent(ki_independence *look, int count, double distance, double *x) {
    for (int j = 0; j < look->n; j++)
        x[j] = noise(look);
    double before = length_of(look->n, x);
    for (int again = 0; again < 2; again++)
        for (int k = 0; k < count; k++) {
            const double *basis = row_of(look, look->order[k]);
            ki_axpy(look->n, -ki_dot(look->n, basis, x), basis, x);
        }
    double length = length_of(look->n, x), most = ki_max_norm(look->n, x);
    if (!(length > 1e-8 * before))
        return false;
    for (int j = 0; j < look->n; j++)
        x[j] *= distance / most;
    return true;
}

/* What counts as nothing in Phi_i: round-off of the positions it is the difference of. */
static double round_off(const ki_independence *look, int i) {
    double size = look->scale[i] > 0 ? 1 / look->scale[i] : 1;
    return ROUND_OFF * (look->system->Phi_size ? fmax(size, look->system->Phi_size[i]) : size);
}

/* Largest |Phi_i| / size_i of the first classes. */
static double largest_violation(const ki_independence *look, int classes) {
    double most = 0;
    for (int i = 0; i < look->system->n_h; i++)
        if (look->class_of[i] < classes && !look->ignored[i])
            most = fmax(most, fabs(look->terms.Phi[i]) * look->scale[i]);
    return most;
}

/* Largest |Phi_i| / round-off of the rows taken. */
static double largest_held(const ki_independence *look, int count) {
    double most = 0;
    for (int k = 0; k < count; k++) {
        int i = look->order[k];
        most = fmax(most, fabs(look->terms.Phi[i]) / round_off(look, i));
    }
    return most;
}

/* Whether the rows that were not taken are as near as the precision of the drawing asks for; without one, as
 * near as those that were taken need to be. */
static bool others_follow(const ki_independence *look, int classes) {
    for (int i = 0; i < look->system->n_h; i++)
        if (look->class_of[i] < classes && !look->taken[i] && !look->ignored[i] &&
            !(fabs(look->terms.Phi[i]) <= fmax(ki_open_limit(look->system, i), STALLED * round_off(look, i))))
            return false;
    return true;
}

/* The shortest displacement that changes the rows taken by minus `value`: L y = -value, x = basis^T y. */
static void closing_step(ki_independence *look, int count, const double *value, double *x) {
    memset(x, 0, (size_t)look->n * sizeof *x);
    for (int k = 0; k < count; k++) {
        int i = look->order[k];
        const double *L = look->L + (size_t)i * (size_t)look->m;
        double y = -value[i] * look->scale[i];
        for (int l = 0; l < k; l++)
            y -= L[l] * look->y[l];
        look->y[k] = y / L[k];
        ki_axpy(look->n, look->y[k], row_of(look, i), x);
    }
}

/* Newton's method on those rows that are independent as far as the violation allows to tell. */
static bool close_classes(ki_independence *look, const keel_point *at, int classes, double *q) {
    const keel_system *sys = look->system;
    keel_point there = *at;
    double previous = INFINITY;
    there.q = q;
    for (int iteration = 0; iteration < LOOK_ITERATIONS; iteration++) {
        if (load(look, &there) || sys->evaluate(sys, look->work, KEEL_POSITION, &there, &look->terms) < 0)
            return false;
        double violation = largest_violation(look, classes);
        if (!(violation < 1))
            return false;
        int count = take_all(look, (taking){.classes = classes, .most = look->m, .floor = violation});
        double held = largest_held(look, count);
        if (held <= 1 || (held <= STALLED && held > 0.5 * previous))
            return others_follow(look, classes);
        previous = held;
        closing_step(look, count, look->terms.Phi, look->step);
        if (!(ki_max_norm(look->n, look->step) < 0.5))
            return false;
        ki_move_naturally(look, look->step, q);
    }
    return false;
}

bool ki_close_rows(ki_independence *look, const keel_point *at, double *q) {
    return close_classes(look, at, NONHOLONOMIC, q);
}

bool ki_go_near(ki_independence *look, const keel_point *at, double *q, keel_status *status) {
    *status = load(look, at);
    if (*status)
        return false;
    int count = take_all(look, (taking){.classes = 1, .most = look->m});
    memcpy(q, at->q, (size_t)look->system->n_q * sizeof *q);
    if (!random_tangent(look, count, LOOK_DISTANCE, look->step))
        return false;
    ki_move_naturally(look, look->step, q);
    return close_classes(look, at, 1, q);
}

/* Poses near by: the largest rank found there, and with it the pose in look->q. */
static keel_status look_around(ki_independence *look, const keel_point *at, int *rank) {
    const keel_system *sys = look->system;
    size_t bytes = (size_t)sys->n_q * sizeof(double);
    double best = 0;
    keel_point there = *at;
    look->random = 1;
    for (int k = 0; k < (*rank > look->rank_here ? LOOKS_WHERE_SINGULAR : LOOKS); k++) {
        keel_status status;
        if (!ki_go_near(look, at, look->trial, &status)) {
            if (status)
                return status;
            continue;
        }
        int found;
        there.q = look->trial;
        if ((status = take_at(look, &there, &found)))
            return status;
        memcpy(look->sample + (size_t)look->sample_count++ * (size_t)sys->n_q, look->trial, bytes);
        if (found > *rank || (found == *rank && found > look->rank_here && look->least > best)) {
            *rank = found;
            best = look->least;
            memcpy(look->q, look->trial, bytes);
        }
    }
    return KEEL_OK;
}

static void list_taken(ki_independence *look) {
    memset(look->class_rank, 0, sizeof look->class_rank);
    for (int i = 0, count = 0; i < look->m; i++)
        if (look->taken[i]) {
            look->row[count++] = i;
            look->class_rank[look->class_of[i]]++;
        }
}

keel_status ki_find_independent(ki_independence *look, const keel_point *at) {
    keel_point there = *at;
    memcpy(look->q, at->q, (size_t)look->system->n_q * sizeof(double));
    look->sample_count = 0;
    keel_status status = take_at(look, at, &look->rank_here);
    look->rank = look->rank_here;
    list_taken(look);
    memcpy(look->class_here, look->class_rank, sizeof look->class_here);
    int asked = 0;
    for (int i = 0; i < look->m; i++)
        asked += !look->ignored[i];
    if (!status && look->rank < asked && look->system->n_s == 0) { /* poses of others need their own s */
        status = look_around(look, at, &look->rank);
        there.q = look->q;
        int again;
        if (!status)
            status = take_at(look, &there, &again);
    }
    list_taken(look);
    return status;
}

bool ki_joints_are_singular(const ki_independence *look) {
    return look->class_here[JOINTS] < look->class_rank[JOINTS];
}

double ki_take_rows(ki_independence *look, const keel_point *at, const bool *among, keel_status *status) {
    *status = load(look, at);
    if (*status)
        return 0;
    int ranks[CLASSES];
    memcpy(ranks, look->class_rank, sizeof ranks);
    int count = take_all(look, (taking){.classes = CLASSES, .ranks = ranks, .among = among});
    list_taken(look);
    memcpy(look->class_rank, ranks, sizeof ranks);
    return count < look->rank ? 0 : look->least;
}

int ki_rank_above(ki_independence *look, const keel_point *at, double least, keel_status *status) {
    *status = load(look, at);
    return *status ? 0 : take_all(look, (taking){.classes = CLASSES, .most = look->rank, .floor = least});
}

keel_status ki_count_independent(ki_independence *look, const keel_point *at, int *rank) {
    return take_at(look, at, rank);
}

/* In general position a row either follows from those before it, or is off by far more than what noise
 * leaves: where the number of rows that are taken in order is not the rank, it was not told apart. */
keel_status ki_take_in_order(ki_independence *look, const keel_point *at) {
    keel_status status = load(look, at);
    if (status)
        return status;
    int count = 0;
    begin_taking(look, (taking){0});
    look->classes = CLASSES;
    for (int kind = 0; kind < CLASSES; kind++)
        for (int i = 0; i < look->m; i++)
            if (look->class_of[i] == kind && look->left[i] > sqrt(look->limit[i] * fmin(look->least, 1)))
                take(look, i, count++);
    if (count != look->rank)
        ki_take_rows(look, at, NULL, &status);
    return status;
}

/* Unit vectors lose what the basis has of them, the one of which most is left first. */
int ki_freedoms(const ki_independence *look, double *x) {
    int n = look->n, count = 0, found = 0;
    for (int i = 0; i < look->m; i++)
        count += look->taken[i];
    for (; found < n - count; found++) {
        double *next = x + (size_t)found * (size_t)n, most = -1;
        int best = 0;
        for (int j = 0; j < n; j++) { /* what is left of e_j: 1 - sum of squares of the components j */
            double rest = 1;
            for (int k = 0; k < count; k++)
                rest -= row_of(look, look->order[k])[j] * row_of(look, look->order[k])[j];
            for (int k = 0; k < found; k++)
                rest -= x[(size_t)k * (size_t)n + (size_t)j] * x[(size_t)k * (size_t)n + (size_t)j];
            if (rest > most)
                most = rest, best = j;
        }
        memset(next, 0, (size_t)n * sizeof *next);
        next[best] = 1;
        for (int again = 0; again < 2; again++) {
            for (int k = 0; k < count; k++) {
                const double *basis = row_of(look, look->order[k]);
                ki_axpy(n, -ki_dot(n, basis, next), basis, next);
            }
            for (int k = 0; k < found; k++)
                ki_axpy(n, -ki_dot(n, x + (size_t)k * (size_t)n, next), x + (size_t)k * (size_t)n, next);
        }
        double length = length_of(n, next);
        for (int j = 0; j < n; j++)
            next[j] /= length;
    }
    return found;
}

bool ki_meet_rates(ki_independence *look, const keel_point *at, const bool *without, double *v) {
    enum { MOST = 20 };
    const keel_system *sys = look->system;
    keel_point there = *at;
    double previous = INFINITY;
    there.v = v;
    for (int iteration = 0; iteration < MOST; iteration++) {
        if (load(look, &there) || sys->evaluate(sys, look->work, KEEL_VELOCITY, &there, &look->terms) < 0)
            return false;
        double speed = 0, held = 0, others = 0;
        for (int j = 0; j < look->n; j++)
            speed = fmax(speed, fabs(v[j]) / (sys->q_size ? sys->q_size[j] : 1));
        for (int i = 0; i < look->m; i++)
            speed = without[i] ? speed : fmax(speed, fabs(look->terms.rate[i]) * look->scale[i]);
        int count = take_all(look, (taking){.classes = CLASSES, .most = look->m, .without = without});
        for (int i = 0; i < look->m; i++) {
            double off = without[i] ? 0 : fabs(look->terms.rate[i]) * look->scale[i];
            if (look->taken[i])
                held = fmax(held, off / ROUND_OFF);
            else
                others = fmax(others, off / look->limit[i]);
        }
        if (held <= speed || (held <= STALLED * speed && held > 0.5 * previous))
            return others <= speed;
        previous = held;
        closing_step(look, count, look->terms.rate, look->step);
        for (int j = 0; j < look->n; j++)
            v[j] += look->step[j] * (sys->q_size ? sys->q_size[j] : 1);
    }
    return false;
}

/* Far from closed, rows that repeat each other differ by as much as they are open, but not all do. */
static const double LARGEST_FLOOR = 0.1;

int ki_closing_steps(ki_independence *look, const keel_point *at, bool velocities, const bool *without,
                     double *x, double *Z, double *violation) {
    const keel_system *sys = look->system;
    unsigned what = velocities ? KEEL_VELOCITY : KEEL_POSITION;
    if (load(look, at) || sys->evaluate(sys, look->work, what, at, &look->terms) < 0)
        return -1;
    taking by = {.classes = CLASSES, .most = look->m, .without = without};
    *violation = 0;
    if (velocities) {
        for (int i = 0; i < look->m; i++)
            if (!without || !without[i])
                *violation = fmax(*violation, fabs(look->terms.rate[i]) * look->scale[i]);
    } else {
        *violation = largest_violation(look, NONHOLONOMIC);
        by.classes = NONHOLONOMIC;
        by.floor = fmin(*violation, LARGEST_FLOOR);
    }
    if (!isfinite(*violation))
        return -1;
    int count = take_all(look, by);
    closing_step(look, count, velocities ? look->terms.rate : look->terms.Phi, x);
    return ki_freedoms(look, Z);
}

double ki_repeated_limit(const keel_system *system) {
    double precision = fmax(system->precision.length, system->precision.angle);
    return fmax(fmin(MARGIN * precision, LARGEST_LIMIT), LIMIT_OF_FORMULAS);
}

static int count_taken(const ki_independence *look) {
    int count = 0;
    for (int i = 0; i < look->m; i++)
        count += look->taken[i];
    return count;
}

/* With unit vectors e_k of the basis, rows taken are H_i = sum_k L_ik e_k with a triangular L, and others H_d
 * = sum_k L_dk e_k, as far as they are repeated: H_d = sum_i c_i H_i with c L = L_d. Here y = -c. */
static void combine(const ki_independence *look, int d, int count, double *y) {
    size_t m = (size_t)look->m;
    const double *L_d = look->L + (size_t)d * m;
    memset(y, 0, m * sizeof *y);
    for (int k = count - 1; k >= 0; k--) {
        double c = L_d[k];
        for (int l = k + 1; l < count; l++)
            c += y[look->order[l]] * look->L[(size_t)look->order[l] * m + (size_t)k];
        y[look->order[k]] = -c / look->L[(size_t)look->order[k] * m + (size_t)k];
    }
}

void ki_parts_of_row(const ki_independence *look, int row, double *y) {
    combine(look, row, count_taken(look), y);
    for (int i = 0; i < look->m; i++)
        y[i] *= -look->scale[i] / look->scale[row];
}

double ki_remainder(const ki_independence *look, int row, double *p) {
    const double *L = look->L + (size_t)row * (size_t)look->m;
    memcpy(p, row_of(look, row), (size_t)look->n * sizeof *p);
    double left = length_of(look->n, p), whole = left * left;
    for (int k = count_taken(look) - 1; k >= 0; k--)
        whole += L[k] * L[k];
    return whole > 0 ? left / sqrt(whole) : 0;
}

int ki_self_stresses(const ki_independence *look, double *y, bool *shared) {
    static const double LEAST_SHARE = 1e-8, LEAST_SHARE_DRAWN = 1e-4;
    int m = look->m, count, dependent = 0;
    double least = fmax(look->system->precision.length, look->system->precision.angle) > 0 ? LEAST_SHARE_DRAWN
                                                                                           : LEAST_SHARE;
    count = count_taken(look);
    for (int d = 0; d < m; d++) {
        if (look->taken[d] || look->ignored[d] || look->class_of[d] >= look->classes)
            continue;
        double *stress = y + (size_t)dependent++ * (size_t)m;
        combine(look, d, count, stress);
        stress[d] = 1;
        for (int i = 0; i < m; i++) {
            if (shared)
                shared[i] |= fabs(stress[i]) > least;
            stress[i] *= look->scale[i];
        }
    }
    return dependent;
}

double ki_worst_contradiction(ki_independence *look, const keel_point *at, double least, int n_h) {
    const keel_system *sys = look->system;
    double most = 0, *stress = look->stress;
    if (load(look, at) || sys->evaluate(sys, look->work, KEEL_POSITION, at, &look->terms) < 0)
        return 0;
    take_all(look, (taking){.classes = NONHOLONOMIC, .most = look->m, .floor = least});
    int count = ki_self_stresses(look, stress, NULL);
    for (int k = 0; k < count; k++) {
        double sum = 0;
        for (int i = 0; i < n_h; i++)
            sum += stress[(size_t)k * (size_t)look->m + (size_t)i] * look->terms.Phi[i];
        most = fmax(most, fabs(sum));
    }
    return most;
}

/* ---- for others */

keel_status ki_load_rows(ki_independence *look, const keel_point *at) {
    return load(look, at);
}

keel_status ki_take_joints(ki_independence *look, const keel_point *at) {
    keel_status status = load(look, at);
    if (!status)
        take_all(look, (taking){.classes = 1, .most = look->m});
    return status;
}

void ki_difference(ki_independence *look, const double *from, const double *to, double *x) {
    const keel_system *sys = look->system;
    for (int i = 0; i < sys->n_q; i++)
        look->trial[i] = to[i] - from[i];
    if (sys->pull)
        sys->pull(sys, from, look->trial, x);
    else
        memcpy(x, look->trial, (size_t)look->n * sizeof *x);
    for (int j = 0; sys->q_size && j < look->n; j++)
        x[j] /= sys->q_size[j];
}

bool ki_close_joints(ki_independence *look, const keel_point *at, double *q) {
    return close_classes(look, at, 1, q);
}
