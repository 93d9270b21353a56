/* Work of an evaluation of a mechanism: mass matrix, constraints, forces, then one factorization and one
 * solve for the accelerations.
 *
 *     bench_mechanism_scaling MODEL.yaml N REPEATS
 *
 * reads the model with its parameter N and does it REPEATS times. mechanism_scaling.sh counts instructions.
 */
#include <stdio.h>
#include <stdlib.h>

#include "keel/keel.h"
#include "keel/mechanism.h"
#include "keel/modelfile.h"

static double *numbers(int n) {
    double *x = calloc((size_t)n + 1, sizeof *x);
    if (!x)
        exit(1);
    return x;
}

static void evaluate(const keel_system *sys, const keel_state *state, int repeats) {
    keel_terms terms = {.M = numbers(keel_pattern_count(sys->M)),
                        .J = numbers(keel_pattern_count(sys->J)),
                        .Q = numbers(sys->n_v),
                        .xi = numbers(keel_system_m(sys))};
    keel_point at = {.t = state->t, .q = state->q, .v = state->v, .lambda = state->lambda};
    double *x = numbers(sys->n_v), *y = numbers(keel_system_m(sys));
    void *work = NULL;
    keel_saddle *K = keel_saddle_new(sys->M, sys->J, NULL);
    if (!K || sys->work_new(sys, &work))
        exit(1);
    for (int k = 0; k < repeats; k++) {
        unsigned what = KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI;
        if (sys->evaluate(sys, work, what, &at, &terms) || keel_saddle_factor(K, terms.M, terms.J, NULL) ||
            keel_saddle_solve(K, terms.Q, terms.xi, x, y, NULL) < 0)
            exit(1);
    }
    keel_saddle_free(K);
    sys->work_free(work);
    double *const all[] = {terms.M, terms.J, terms.Q, terms.xi, x, y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

int main(int count, char **argument) {
    if (count != 4) {
        fprintf(stderr, "usage: %s MODEL.yaml N REPEATS\n", argument[0]);
        return 2;
    }
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_assignment set = {"N", argument[2]};
    keel_status status;
    keel_mechanism_facts facts;
    keel_model *model = keel_model_read(argument[1], &set, 1, messages, &status);
    if (!model || !keel_mechanism_look(model->system, &facts)) {
        fprintf(stderr, "%s\n",
                keel_diagnostics_count(messages) ? keel_diagnostics_get(messages, 0).text : "no mechanism");
        return 1;
    }
    evaluate(model->system, model->start, atoi(argument[3]));
    printf("%d bodies, %s, %d velocities, %d constraints\n", facts.bodies, facts.choice[facts.chosen],
           model->system->n_v, keel_system_m(model->system));
    keel_model_free(model);
    keel_diagnostics_free(messages);
    return 0;
}
