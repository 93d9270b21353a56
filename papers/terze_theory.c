/* The holonomic half of the paper of terze.c. A double pendulum of unit masses and lengths, in the minimal
 * form of eq. 19 (two angles) and in Cartesian coordinates with two constraints, classical Runge-Kutta steps
 * of 0.01; and random systems for statements about all.
 *
 *     [ M  J^T ] [ x'' ]   [ Q  ]        R^T M x'' = R^T Q        x' = R z',  R^T M R z'' = R^T (Q - M R' z')
 *     [ J   0  ] [  l  ] = [ xi ]            J x'' = xi
 *          eq. 13                            eq. 17                        eq. 18
 */
#include "papers/terze_theory.h"

#include <math.h>
#include <string.h>

#include "formulate/taking.h"
#include "linalg/dense.h"
#include "papers/random_system.h"
#include "stabilize/stabilizer.h"

enum { ROWS = 201, COLUMNS = 9, SYSTEMS = 120 };

static const char MINIMAL[] = "keel: 1\n"
                              "name: double pendulum in angles\n"
                              "equations:\n"
                              "  coordinates: {a: 1, b: 2}\n"
                              "  kinetic: a'^2 + b'^2/2 + a'*b'*cos(a - b)\n"
                              "  potential: -9.81*(2*cos(a) + cos(b))\n"
                              "simulate: {until: 2, tolerance: 1e-8}\n";
static const char REDUNDANT[] = "keel: 1\n"
                                "name: double pendulum in Cartesian coordinates\n"
                                "equations:\n"
                                "  coordinates: {x1: sin(1), y1: -cos(1), x2: sin(1) + sin(2), "
                                "y2: -cos(1) - cos(2)}\n"
                                "  kinetic: (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2\n"
                                "  potential: 9.81*(y1 + y2)\n"
                                "  holonomic: {upper: x1^2 + y1^2 - 1, "
                                "lower: (x2 - x1)^2 + (y2 - y1)^2 - 1}\n"
                                "simulate: {until: 2, tolerance: 1e-8}\n";

/* t, the places of both masses and their velocities: of either model. */
static void pick_places(const keel_row *row, double *x) {
    x[0] = row->t;
    memcpy(x + 1, row->q, 4 * sizeof *x);
    memcpy(x + 5, row->v, 4 * sizeof *x);
}

static void pick_angles(const keel_row *row, double *x) {
    double a = row->q[0], b = row->q[1], wa = row->v[0], wb = row->v[1];
    const double places[] = {row->t,
                             sin(a),
                             -cos(a),
                             sin(a) + sin(b),
                             -cos(a) - cos(b),
                             wa * cos(a),
                             wa * sin(a),
                             wa * cos(a) + wb * cos(b),
                             wa * sin(a) + wb * sin(b)};
    memcpy(x, places, sizeof places);
}

void ki_terze_theory_prepare(ki_draft *d, ki_batch *batch, ki_terze_holonomic *e) {
    static const struct {
        const char *method;
        int choice;
        bool exact, angles;
    } KINDS[KI_TERZE_PENDULUMS] = {
        [KI_TERZE_MINIMAL] = {"rk4/index1/none", KEEL_CHOICE_BEST, false, true},
        [KI_TERZE_MINIMAL_EXACT] = {"dop853/index1/none", KEEL_CHOICE_BEST, true, true},
        [KI_TERZE_EXACT] = {"dop853/index1/projection", KEEL_CHOICE_BEST, true, false},
        [KI_TERZE_NONE] = {"rk4/nullspace/none", KEEL_CHOICE_BEST, false, false},
        [KI_TERZE_BEST] = {"rk4/nullspace/gradient", KEEL_CHOICE_BEST, false, false},
        [KI_TERZE_SECOND] = {"rk4/nullspace/gradient", KEEL_CHOICE_SECOND, false, false},
        [KI_TERZE_WORST] = {"rk4/nullspace/gradient", KEEL_CHOICE_WORST, false, false},
    };
    const keel_model *minimal = ki_draft_parse(d, "minimal", MINIMAL, sizeof MINIMAL - 1, NULL, 0);
    const keel_model *redundant = ki_draft_parse(d, "redundant", REDUNDANT, sizeof REDUNDANT - 1, NULL, 0);
    for (int i = 0; i < KI_TERZE_PENDULUMS; i++) {
        ki_trial *t = &e->run[i];
        if (!ki_trial_init(d, t, KINDS[i].angles ? minimal : redundant, KINDS[i].method))
            return;
        t->settings.output = 0.01;
        t->settings.step = KINDS[i].exact ? 0 : 0.01;
        t->settings.tolerance = t->settings.absolute_tolerance = 1e-13;
        t->settings.partition = KINDS[i].choice;
        ki_trial_record(d, t, COLUMNS, ROWS + 1, KINDS[i].angles ? pick_angles : pick_places);
        ki_batch_add(batch, d, 0.05, ki_trial_run, t);
    }
}

/* Distance of two runs in the columns 1 .. 8, root mean square over the rows. */
static double apart(const ki_terze_holonomic *e, int run, int other) {
    const ki_record *a = e->run[run].record, *b = e->run[other].record;
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        for (int k = 1; k < COLUMNS; k++)
            sum += pow(a->x[k][i] - b->x[k][i], 2);
    return sqrt(sum / ROWS);
}

/* Largest violation of both constraints and their rates over the rows. */
static double violation_of(const ki_terze_holonomic *e, int run) {
    double most = 0;
    for (int i = 0; i < ROWS; i++) {
        double *const *c = e->run[run].record->x;
        double x = c[3][i] - c[1][i], y = c[4][i] - c[2][i], u = c[7][i] - c[5][i], w = c[8][i] - c[6][i];
        double upper = c[1][i] * c[1][i] + c[2][i] * c[2][i] - 1, lower = x * x + y * y - 1;
        double upper_rate = c[1][i] * c[5][i] + c[2][i] * c[6][i], lower_rate = x * u + y * w;
        most = fmax(most, fmax(fmax(fabs(upper), fabs(lower)), fmax(fabs(upper_rate), fabs(lower_rate))));
    }
    return most;
}

/* What random systems tell. */
typedef struct theory {
    double forms;         /* accelerations by eq. 13, 17 and 18, relative difference */
    int same, holonomic;  /* systems whose dependent coordinates are the same at both levels; of so many */
    int differ, mixed;    /* ... different, where some constraints bind velocities only */
    double worst_to_best; /* length of a velocity correction, geometric mean            */
    int tries;
} theory;

static keel_settings with_method(const char *method, int choice) {
    keel_settings s = keel_settings_default();
    s.method = ki_method(method);
    s.partition = choice;
    return s;
}

/* Accelerations at (q, v) = state, a consistent one. */
static keel_status accelerate(const ki_random_system *s, const char *method, const double *state, double *a) {
    ki_bench b;
    keel_settings settings = with_method(method, KEEL_CHOICE_BEST);
    int n = s->kind.n;
    keel_status status = ki_bench_open(&b, &s->system, &settings);
    double *k = status ? NULL : KI_NEW(&b.arena, double, b.d.n_y + KI_FOUR);
    if (k) {
        memcpy(b.y, state, (size_t)(2 * n) * sizeof *state);
        if (b.law.gradient || b.law.formulation == KEEL_INDEPENDENT)
            status = ki_choose_partition(&b.d, 0, b.y);
        if (!status)
            status = ki_rate(&b.d, 0, b.y, k);
        memcpy(a, b.d.x, (size_t)n * sizeof *a);
    }
    ki_bench_close(&b);
    return status;
}

static keel_status try_forms(const ki_random_system *s, ki_arena *arena, unsigned *seed, theory *t) {
    static const char *const METHODS[] = {"rk4/index1/none", "rk4/nullspace/none", "rk4/independent/none"};
    int n = s->kind.n;
    double *state = KI_NEW(arena, double, 5 * n), *a = state + 2 * n;
    keel_status status = state ? KEEL_OK : KEEL_ERROR_MEMORY;
    if (!status) {
        ki_random_vector(n, state + n, seed);
        status = ki_make_compatible(s, state + n);
    }
    for (int i = 0; i < 3 && !status; i++)
        status = accelerate(s, METHODS[i], state, a + i * n);
    for (int i = 1; i < 3 && !status; i++)
        t->forms = fmax(t->forms, ki_length_between(a, a + i * n, n) / ki_length(n, a));
    return status;
}

/* Which coordinates are dependent by the gradients of the holonomic constraints alone (eq. 23) and by all
 * rows (eq. 24, 26). */
static keel_status try_partitions(const ki_random_system *s, unsigned *seed, theory *t) {
    ki_bench b;
    keel_settings settings = with_method("rk4/index1/gradient", KEEL_CHOICE_BEST);
    keel_status status = ki_bench_open(&b, &s->system, &settings);
    int n = s->kind.n;
    if (!status) {
        ki_random_vector(2 * n, b.y, seed);
        status = ki_choose_partition(&b.d, 0, b.y);
    }
    ki_partition by_gradients;
    ki_partition_init(&by_gradients, &b.arena, n, s->system.n_h);
    if (!status && b.arena.failed)
        status = KEEL_ERROR_MEMORY;
    if (!status) {
        if (s->system.n_h)
            ki_partition_choose(&by_gradients, s->system.M, b.d.at.M, s->system.J, b.d.at.J,
                                KI_PARTITION_BEST);
        bool same = by_gradients.rank == b.d.by_velocity.rank;
        for (int i = 0; i < n; i++)
            same = same && by_gradients.is_dependent[i] == b.d.by_velocity.is_dependent[i];
        t->holonomic += s->kind.nonholonomic == 0;
        t->mixed += s->kind.nonholonomic > 0;
        t->same += s->kind.nonholonomic == 0 && same;
        t->differ += s->kind.nonholonomic > 0 && !same;
    }
    ki_bench_close(&b);
    return status;
}

/* M-norm of what a violated velocity is corrected by, with the best or the worst dependent coordinates. */
static keel_status correction(const ki_random_system *s, int choice, const double *v, double *size) {
    ki_bench b;
    keel_settings settings = with_method("rk4/index1/gradient", choice);
    int n = s->kind.n;
    keel_status status = ki_bench_open(&b, &s->system, &settings);
    if (!status) {
        memcpy(b.y + n, v, (size_t)n * sizeof *v);
        status = ki_choose_partition(&b.d, 0, b.y);
    }
    if (!status)
        status = ki_settle(&b.d, KEEL_GRADIENT, 0, b.y);
    *size = 0;
    for (int i = 0; i < n && !status; i++)
        for (int j = 0; j < n; j++)
            *size += (b.y[n + i] - v[i]) * s->M[i * n + j] * (b.y[n + j] - v[j]);
    *size = sqrt(*size);
    ki_bench_close(&b);
    return status;
}

static keel_status try_corrections(const ki_random_system *s, ki_arena *arena, unsigned *seed, theory *t) {
    double best, worst, *v = KI_NEW(arena, double, s->kind.n);
    if (!v)
        return KEEL_ERROR_MEMORY;
    ki_random_vector(s->kind.n, v, seed);
    keel_status status = correction(s, KEEL_CHOICE_BEST, v, &best);
    if (!status)
        status = correction(s, KEEL_CHOICE_WORST, v, &worst);
    if (!status) {
        t->worst_to_best += log(worst / best);
        t->tries++;
    }
    return status;
}

static keel_status try_all(theory *t) {
    unsigned seed = 2003;
    keel_status status = KEEL_OK;
    *t = (theory){0};
    for (int i = 0; i < SYSTEMS && !status; i++) {
        int n = 4 + i % 17, m = 1 + i % (n / 2);
        ki_random_kind kind = {
            .n = n, .m = m, .rank = m, .curvature = 0.5, .force = 1, .nonholonomic = i % 2 ? (m + 1) / 2 : 0};
        ki_arena arena;
        ki_arena_init(&arena);
        ki_random_system *s = ki_random_system_new(&arena, &kind, &seed);
        status = s ? try_forms(s, &arena, &seed, t) : KEEL_ERROR_MEMORY;
        if (!status)
            status = try_partitions(s, &seed, t);
        if (!status && kind.nonholonomic == 0)
            status = try_corrections(s, &arena, &seed, t);
        ki_arena_free(&arena);
    }
    t->worst_to_best = exp(t->worst_to_best / (t->tries ? t->tries : 1));
    return status;
}

static void claim(ki_draft *d, const keel_claim *of, bool agrees, const char *measured) {
    keel_claim claim = *of;
    claim.verdict = ki_verdict(agrees);
    claim.robust = 1;
    ki_claim(d, &claim, "%s", measured);
}

static void claim_pendulum(ki_draft *d, const ki_terze_holonomic *e) {
    static const char WHY[] = "double pendulum, 2 s, rk4 with steps of 0.01 against dop853 at 1e-13";
    double minimal = violation_of(e, KI_TERZE_MINIMAL), none = violation_of(e, KI_TERZE_NONE);
    double twins = apart(e, KI_TERZE_MINIMAL_EXACT, KI_TERZE_EXACT);
    claim(d,
          &(keel_claim){.id = "001 eq. 19",
                        .what = "minimal form: largest violation, and of eq. 17 without stabilisation; exact "
                                "motions of both forms apart by",
                        .claim = "no constraint violation of any kind",
                        .why = WHY},
          minimal < 1e-14 && none > 1e-9 && twins < 1e-9,
          ki_draft_text(d, "%.0e, %.0e; %.0e", minimal, none, twins));
    double error[3], held = 0;
    const double *moved[3];
    for (int i = 0; i < 3; i++) {
        error[i] = apart(e, KI_TERZE_BEST + i, KI_TERZE_EXACT);
        held = fmax(held, violation_of(e, KI_TERZE_BEST + i));
        moved[i] = &e->run[KI_TERZE_BEST + i].result->correction_position;
    }
    claim(d,
          &(keel_claim){.id = "001 section 5.1.1",
                        .what =
                            "positions: error along the trajectory and M-norm of a correction, best / second "
                            "/ worst partition; largest violation",
                        .claim = "every valid choice holds the constraints; a bad one spoils the motion",
                        .why = WHY},
          held < 1e-13 && error[0] < error[2] && *moved[0] < *moved[1] && *moved[1] < *moved[2],
          ki_draft_text(d, "%.1e / %.1e / %.1e, %.1e / %.1e / %.1e; %.0e", error[0], error[1], error[2],
                        *moved[0], *moved[1], *moved[2], held));
}

static void claim_systems(ki_draft *d, const theory *t) {
    static const char WHY[] = "120 random systems of 4 to 20 coordinates, full M; every second one has "
                              "nonholonomic constraints";
    claim(d,
          &(keel_claim){.id = "001 eq. 13, 17, 18",
                        .what = "accelerations by the three forms, largest relative difference",
                        .claim = "the same motion",
                        .why = WHY},
          t->forms < 1e-10, ki_draft_text(d, "%.0e", t->forms));
    claim(
        d,
        &(keel_claim){.id = "001 eq. 20",
                      .what = "velocities: M-norm of a correction, worst partition over best, geometric mean",
                      .claim = "the criterion makes corrections insensitive to errors",
                      .why = WHY},
        t->worst_to_best > 1.5, ki_draft_text(d, "%.2g times", t->worst_to_best));
    claim(
        d,
        &(keel_claim){.id = "001 section 5.2.1",
                      .what = "holonomic systems with the same dependent coordinates at both levels, of all",
                      .claim = "the same: eq. 23 and 24 are equal",
                      .why = WHY},
        t->same == t->holonomic, ki_draft_text(d, "%d of %d", t->same, t->holonomic));
    claim(d,
          &(keel_claim){
              .id = "001 section 5.2.2",
              .what = "systems with nonholonomic constraints whose dependent coordinates differ, of all",
              .claim = "different in general: eq. 23 and 26 do not match",
              .why = WHY},
          t->differ == t->mixed && t->mixed > 0, ki_draft_text(d, "%d of %d", t->differ, t->mixed));
}

void ki_terze_theory_claims(ki_draft *d, const ki_terze_holonomic *e) {
    theory t;
    claim_pendulum(d, e);
    keel_status status = try_all(&t);
    if (!status)
        claim_systems(d, &t);
    else
        claim(d,
              &(keel_claim){.id = "001 random systems",
                            .what = "all trials",
                            .claim = "they come to their end",
                            .why = "without them nothing can be concluded"},
              false, keel_status_text(status));
}
