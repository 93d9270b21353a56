/* Who is how fast at which error. */
#include <math.h>
#include <string.h>

#include "table.h"

const double LEVEL[LEVELS] = {1e-3, 1e-6, 1e-9};

#define ENGINES   "simbody mujoco dart ode"
#define FOUR_BARS "fourbar-1 fourbar-2 fourbar-10 fourbar-40 fourbar-100 fourbar-400 fourbar-1000"
#define OTHERS    "bricard chain-10 chain-100 chain-1000 chain-10000 slidercrank"

const promise PROMISES[] = {
    {"Andrews from its model file against hand-written equations", "andrews", "hem5 arkode cvode ida radau5",
     2},
    {"Andrews as bodies against Simbody and MuJoCo", "a03", "simbody mujoco", 100},
    {"large mechanisms against Simbody, DART and ODE", "chain-1000 fourbar-40", "simbody dart ode", 10},
    {"N-four-bar against the best engine for mechanisms", FOUR_BARS, ENGINES, 5},
    {"N-four-bar against the best peer, hand-written equations among them", FOUR_BARS, NULL, 5},
    {"Bricard, chains, slider-crank against the best engine for mechanisms", OTHERS, ENGINES, 5},
    {"Bricard, chains, slider-crank against the best peer, hand-written equations among them", OTHERS, NULL,
     5},
    {"stiff problems against IDA, CVODE and RADAU5", "governor flexcrank", "ida cvode radau5", 2},
};
const int PROMISE_COUNT = sizeof PROMISES / sizeof *PROMISES;

/* Seconds where the line between two runs meets the error. */
static double between(const point *a, const point *b, double error) {
    double weight = log(error / a->error_q) / log(b->error_q / a->error_q);
    return a->cpu * pow(b->cpu / a->cpu, weight);
}

double seconds_at(const curve *c, double error) {
    double least = NAN;
    const point *before = NULL;
    for (int i = 0; i < c->count; i++) {
        const point *p = &c->points[i];
        if (!p->good || !isfinite(p->error_q))
            continue;
        if (p->error_q <= error) {
            double seconds = p->cpu;
            if (before && before->error_q > error && p->error_q > 0)
                seconds = fmin(seconds, between(before, p, error));
            least = fmin(least, seconds);
        }
        before = p;
    }
    return least;
}

bool has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static const curve *best(const table *t, const char *problem, bool own, const char *solvers, double error,
                         double *seconds) {
    const curve *winner = NULL;
    *seconds = NAN;
    for (int i = 0; i < t->count; i++) {
        const curve *c = &t->curves[i];
        if (strcmp(c->problem, problem) != 0 || is_keel(c) != own ||
            (solvers && !has_word(solvers, c->solver)))
            continue;
        double here = seconds_at(c, error);
        if (here < *seconds || (isnan(*seconds) && here > 0)) {
            *seconds = here;
            winner = c;
        }
    }
    return winner;
}

const curve *best_own(const table *t, const char *problem, double error, double *seconds) {
    return best(t, problem, true, NULL, error, seconds);
}

const curve *find_curve(const table *t, const char *problem, const char *solver, const char *method) {
    for (int i = 0; i < t->count; i++) {
        const curve *c = &t->curves[i];
        if (c->done && strcmp(c->problem, problem) == 0 && strcmp(c->solver, solver) == 0 &&
            strcmp(c->method, method) == 0)
            return c;
    }
    return NULL;
}

bool compare_at(const table *t, const promise *p, const char *problem, double error, comparison *result) {
    const curve *own = find_curve(t, problem, "keel", "auto");
    if (!own)
        return false;
    result->winner = best(t, problem, false, p->peers, error, &result->peer);
    result->keel = seconds_at(own, error);
    result->ratio = result->peer / result->keel;
    return true;
}
