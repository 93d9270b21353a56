/* One stage in its parts: evaluation of M, J, Q, xi and power, factorization, solve, and all together with
 * what ki_rate adds. Contenders: the equations by hand with the dense kernel, the model on its tape with the
 * same, the model as machine code, and C by hand for this mechanism alone from beginning to end. */
#include "andrews_stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "andrews_batch.h"
#include "andrews_by_hand.h"
#include "formulate/dynamics.h"
#include "keel/native.h"
#include "keel/run.h"
#include "linalg/saddle_code.h"

enum { ROUNDS = 40, COUNT = 5000 };
static const unsigned WHAT = KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI | KEEL_STATES | KEEL_POWER;

typedef struct contender {
    const char *name;
    const keel_system *system;
    bool straight;
    double q_first; /* the first coordinate */
    double y[15], a[7], lambda[6];
    ki_law law;
    ki_arena arena; /* of the law */
    ki_dynamics d;
    double evaluation, factor, solve, parts, stage; /* seconds, the least of all rounds */
} contender;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void begin(contender *c, const keel_state *at) {
    keel_settings settings = keel_settings_default();
    for (int i = 0; i < 7; i++) {
        c->y[i] = at->q[i];
        c->y[7 + i] = at->v[i];
    }
    c->q_first = at->q[0];
    ki_arena_init(&c->arena);
    if (ki_law_init(&c->law, &c->arena, c->system, &settings, NULL) ||
        ki_dynamics_init(&c->d, c->system, &c->law) || ki_rate(&c->d, 0, c->y, (double[15]){0})) {
        fprintf(stderr, "%s does not start\n", c->name);
        exit(1);
    }
}

static void evaluate(contender *c) {
    keel_point at = ki_point(&c->d, 0, c->y);
    c->system->evaluate(c->system, c->d.work, WHAT, &at, &c->d.at);
}

static void factor(contender *c) {
    if (!c->straight)
        keel_saddle_factor(c->d.K, c->d.at.M, c->d.at.J, NULL);
}

static void solve(contender *c) {
    const keel_terms *at = &c->d.at;
    if (c->straight)
        andrews_solve_by_hand(at->M, at->J, at->Q, at->xi, c->a, c->lambda);
    else
        keel_saddle_solve(c->d.K, at->Q, at->xi, c->a, c->lambda, NULL);
}

static void parts(contender *c) {
    keel_point at = ki_point(&c->d, 0, c->y);
    if (ki_saddle_accelerate(c->d.K, WHAT, &at, &c->d.at, c->a, c->lambda))
        return;
    evaluate(c);
    factor(c);
    solve(c);
}

/* All of ki_rate, at another q each time: factors must not be taken over. */
static void stage(contender *c) {
    double k[15];
    c->d.factored = false;
    ki_rate(&c->d, 0, c->y, k);
}

static void measure(contender *c, void (*part)(contender *), double *least) {
    double start = now();
    for (int i = 0; i < COUNT; i++) {
        c->y[0] = c->q_first + 1e-9 * (i & 1023);
        part(c);
    }
    *least = fmin(*least, (now() - start) / COUNT);
}

/* The four in turn: what disturbs one disturbs the others. */
static void measure_all(contender *list, int count) {
    for (int k = 0; k < count; k++)
        list[k].evaluation = list[k].factor = list[k].solve = list[k].parts = list[k].stage = INFINITY;
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < count; k++) {
            measure(&list[k], evaluate, &list[k].evaluation);
            measure(&list[k], factor, &list[k].factor);
            measure(&list[k], solve, &list[k].solve);
            measure(&list[k], parts, &list[k].parts);
            if (!list[k].straight)
                measure(&list[k], stage, &list[k].stage);
        }
}

static void print(const contender *list, int count) {
    printf("ns                 evaluation  factor   solve  all three  / straight  stage\n");
    for (int k = 0; k < count; k++) {
        const contender *c = &list[k];
        printf("%-18s %10.0f %7.0f %7.0f %10.0f %11.2f", c->name, 1e9 * c->evaluation, 1e9 * c->factor,
               1e9 * c->solve, 1e9 * c->parts, c->parts / list[count - 1].parts);
        if (c->straight)
            printf("\n");
        else
            printf(" %6.0f\n", 1e9 * c->stage);
    }
}

/* The contenders must agree; by hand another order of operations is taken. */
static void check(const contender *a, const contender *b) {
    for (int i = 0; i < 7; i++)
        if (!(fabs(a->a[i] - b->a[i]) <= 1e-9 * fabs(a->a[i]))) {
            fprintf(stderr, "%s and %s differ in acceleration %d: %.17g %.17g\n", a->name, b->name, i,
                    a->a[i], b->a[i]);
            exit(1);
        }
}

/* The model twice, as two systems: one stays on its tape. */
static keel_model *second_model(const keel_model *model, keel_native **native) {
    keel_status status;
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_model *second = keel_model_read(model->file, NULL, 0, messages, &status);
    *native = second ? keel_native_attach(second->system, NULL, messages) : NULL;
    if (!*native || keel_native_compile(*native, 1) != KEEL_NATIVE_READY) {
        fprintf(stderr, "no machine code\n");
        exit(1);
    }
    keel_diagnostics_free(messages);
    return second;
}

/* On the way: at the start, with forces in balance, residuals are larger than usual. */
static keel_result somewhere(const keel_model *model) {
    keel_settings settings = model->settings;
    keel_result result;
    settings.until = 0.02;
    if (keel_run(model->system, model->start, 1, &settings, NULL, NULL, &result))
        exit(1);
    return result;
}

/* With shortened formulas. */
static const keel_system *long_run(const keel_system *system) {
    return system->for_run ? system->for_run(system, INFINITY) : system;
}

static void with_all(const keel_system *hand, keel_model *model,
                     void (*use)(contender *, int, const char *, int), const char *name, int count) {
    keel_native *native;
    keel_model *compiled = second_model(model, &native);
    contender list[] = {{.name = "hand", .system = hand},
                        {.name = "tape", .system = long_run(model->system)},
                        {.name = "native", .system = long_run(compiled->system)},
                        {.name = "straight", .system = hand, .straight = true}};
    enum { CONTENDERS = sizeof list / sizeof *list };
    keel_result on_the_way = somewhere(model);
    for (int k = 0; k < CONTENDERS; k++) {
        begin(&list[k], on_the_way.final);
        parts(&list[k]);
        check(&list[0], &list[k]);
    }
    use(list, CONTENDERS, name, count);
    for (int k = 0; k < CONTENDERS; k++) {
        ki_dynamics_clear(&list[k].d);
        ki_arena_free(&list[k].arena);
    }
    keel_result_clear(&on_the_way);
    keel_native_detach(native);
    keel_model_free(compiled);
}

static void compare(contender *list, int contenders, const char *name, int count) {
    (void)name, (void)count;
    measure_all(list, contenders);
    print(list, contenders);
    keel_state at = {.q = list[0].y, .v = list[0].y + 7};
    andrews_batch(list[0].system, &at);
}

static void repeat(contender *list, int contenders, const char *name, int count) {
    for (int k = 0; k < contenders; k++)
        for (int i = 0; !strcmp(list[k].name, name) && i < count; i++)
            parts(&list[k]);
}

void andrews_stages(const keel_system *hand, keel_model *model) {
    with_all(hand, model, compare, NULL, 0);
}

void andrews_one_stage(const keel_system *hand, keel_model *model, const char *name, int count) {
    with_all(hand, model, repeat, name, count);
}
