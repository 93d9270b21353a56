/* The tables of methods. A new integrator, formulation or stabiliser is one row here and one file of its
 * own. */
#include "keel/method.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"

#define BIT(x)            (1u << (x))
#define ALL_FORMULATIONS  (BIT(KEEL_FORMULATIONS) - 1)
#define ALL_STABILIZERS   (BIT(KEEL_STABILIZERS) - 1)
#define NONE_OR_PROJECTED (BIT(KEEL_STABILIZE_NONE) | BIT(KEEL_PROJECTION))

/* Formulations that are solved together with the step; those that give a rate y' = f(t, y); those that keep
 * no partition of the coordinates, which a history of earlier steps would not survive; those whose rate is
 * the solution of the saddle-point system. */
#define IMPLICIT     (BIT(KEEL_INDEX3) | BIT(KEEL_INDEX2) | BIT(KEEL_GGL))
#define EXPLICIT     (ALL_FORMULATIONS & ~IMPLICIT)
#define MULTISTEP    (EXPLICIT & ~(BIT(KEEL_INDEPENDENT) | BIT(KEEL_PARTITIONED)))
#define SADDLE_POINT (BIT(KEEL_INDEX1) | BIT(KEEL_NULLSPACE) | BIT(KEEL_GENERALIZED_INVERSE))

/* Who chooses the length of steps. */
typedef enum step_choice { FIXED, ADAPTIVE, EITHER } step_choice;

static const struct {
    keel_word word;
    step_choice steps;
    unsigned formulations, stabilizers; /* valid partners, as bits */
} INTEGRATORS[KEEL_INTEGRATORS] = {
    [KEEL_RK4] = {{"rk4", "classical Runge-Kutta, order 4, fixed step"}, FIXED, EXPLICIT, ALL_STABILIZERS},
    [KEEL_DOPRI5] = {{"dopri5", "Dormand-Prince, order 5(4), adaptive step, dense output"},
                     ADAPTIVE,
                     EXPLICIT,
                     ALL_STABILIZERS},
    [KEEL_DOP853] = {{"dop853", "Dormand-Prince, order 8(5,3), adaptive step, dense output"},
                     ADAPTIVE,
                     EXPLICIT,
                     ALL_STABILIZERS},
    [KEEL_ADAMS] = {{"adams", "Adams, orders 1 to 12, adaptive order and step, few evaluations"},
                    ADAPTIVE,
                    MULTISTEP,
                    ALL_STABILIZERS},
    [KEEL_RADAU5] = {{"radau5", "Radau IIA, order 5, implicit, adaptive step, for stiff systems"},
                     ADAPTIVE,
                     SADDLE_POINT,
                     ALL_STABILIZERS},
    [KEEL_RADAU9] = {{"radau9", "Radau IIA, order 9, the same for tight tolerances"},
                     ADAPTIVE,
                     SADDLE_POINT,
                     ALL_STABILIZERS},
    [KEEL_BDF] = {{"bdf", "backward differentiation, orders 1 to 5, adaptive, for stiff systems (CVODE)"},
                  ADAPTIVE,
                  SADDLE_POINT,
                  ALL_STABILIZERS},
    [KEEL_BDF_FIXED] = {{"bdf-fixed", "backward differentiation, order 1 to 6 (option order), fixed step"},
                        FIXED,
                        SADDLE_POINT | BIT(KEEL_INDEX3),
                        ALL_STABILIZERS},
    [KEEL_IDA] = {{"ida", "backward differentiation on the implicit equations, for cross-checks (IDA)"},
                  ADAPTIVE,
                  BIT(KEEL_INDEX1) | BIT(KEEL_GGL),
                  BIT(KEEL_STABILIZE_NONE)},
    [KEEL_NEWMARK] = {{"newmark", "Newmark's method (options newmark_beta, newmark_gamma)"},
                      EITHER,
                      IMPLICIT,
                      NONE_OR_PROJECTED},
    [KEEL_HHT] = {{"hht", "Hilber-Hughes-Taylor, order 2, damps high frequencies (option hht_alpha)"},
                  EITHER,
                  IMPLICIT,
                  NONE_OR_PROJECTED},
    [KEEL_GENERALIZED_ALPHA] = {{"generalized-alpha",
                                 "order 2, damps high frequencies (option rho_infinity)"},
                                EITHER,
                                IMPLICIT,
                                NONE_OR_PROJECTED},
    [KEEL_TRAPEZOIDAL] = {{"trapezoidal", "trapezoidal rule, order 2, undamped"},
                          EITHER,
                          IMPLICIT,
                          NONE_OR_PROJECTED},
    [KEEL_MIDPOINT] = {{"midpoint", "implicit midpoint rule, order 2, undamped"},
                       EITHER,
                       BIT(KEEL_INDEX3),
                       NONE_OR_PROJECTED},
    [KEEL_CONSERVING] = {{"conserving", "discrete gradients, order 2, conserves energy"},
                         EITHER,
                         BIT(KEEL_INDEX3),
                         NONE_OR_PROJECTED},
};

/* Which stabilisers make sense with a formulation. One that solves J v' = xi takes them all. Independent
 * velocities satisfy the velocity level already, partitioned coordinates both levels: Baumgarte terms have
 * nothing to act on there. The modified Lagrange equations live from the violation: Baumgarte terms belong to
 * them, a correction behind their back not. */
static const struct {
    keel_word word;
    unsigned stabilizers;
    keel_stabilize preferred;
} FORMULATIONS[KEEL_FORMULATIONS] = {
    [KEEL_INDEX1] = {{"index1", "accelerations and multipliers from one saddle-point solve"},
                     ALL_STABILIZERS,
                     KEEL_PROJECTION},
    [KEEL_NULLSPACE] = {{"nullspace", "motion projected on the null space of J"},
                        ALL_STABILIZERS,
                        KEEL_PROJECTION},
    [KEEL_INDEPENDENT] = {{"independent", "independent velocities integrated, dependent ones solved for"},
                          BIT(KEEL_STABILIZE_NONE) | BIT(KEEL_PROJECTION) | BIT(KEEL_GRADIENT),
                          KEEL_PROJECTION},
    [KEEL_PARTITIONED] = {{"partitioned", "independent coordinates and velocities integrated (Wehage-Haug)"},
                          BIT(KEEL_STABILIZE_NONE),
                          KEEL_STABILIZE_NONE},
    [KEEL_PENALTY] = {{"penalty", "modified Lagrange equations: constraints as heavy spring-dampers"},
                      BIT(KEEL_STABILIZE_NONE) | BIT(KEEL_BAUMGARTE),
                      KEEL_BAUMGARTE},
    [KEEL_AUGMENTED] = {{"augmented", "penalty iterated to the exact multipliers"},
                        ALL_STABILIZERS,
                        KEEL_PROJECTION},
    [KEEL_GENERALIZED_INVERSE] = {{"generalized_inverse",
                                   "least-norm multipliers plus a given non-ideal part"},
                                  ALL_STABILIZERS,
                                  KEEL_PROJECTION},
    [KEEL_INDEX3] = {{"index3", "displacements and multipliers from the constraints themselves"},
                     NONE_OR_PROJECTED,
                     KEEL_STABILIZE_NONE},
    [KEEL_INDEX2] = {{"index2", "the same from the velocity level of the constraints"},
                     NONE_OR_PROJECTED,
                     KEEL_STABILIZE_NONE},
    [KEEL_GGL] = {{"ggl", "stabilised index 2: all levels kept in one implicit system"},
                  NONE_OR_PROJECTED,
                  KEEL_STABILIZE_NONE},
};

static const keel_word STABILIZERS[KEEL_STABILIZERS] = {
    [KEEL_STABILIZE_NONE] = {"none", "nothing"},
    [KEEL_BAUMGARTE] = {"baumgarte", "constraints as damped oscillators: Phi'' + K_D Phi' + K_P Phi = 0"},
    [KEEL_PROJECTION] = {"projection", "position and velocity projected after every step"},
    [KEEL_GRADIENT] = {"gradient", "dependent coordinates, chosen by the constraint gradients, corrected"},
};

keel_word keel_integrator_word(keel_integrator integrator) {
    return INTEGRATORS[integrator].word;
}

keel_word keel_formulation_word(keel_formulation formulation) {
    return FORMULATIONS[formulation].word;
}

keel_word keel_stabilize_word(keel_stabilize stabilize) {
    return STABILIZERS[stabilize];
}

int keel_integrator_is_adaptive(keel_integrator integrator) {
    return INTEGRATORS[integrator].steps != FIXED;
}

int keel_integrator_takes_step(keel_integrator integrator) {
    return INTEGRATORS[integrator].steps != ADAPTIVE;
}

/* What the integrator and the formulation both take. */
static unsigned stabilizers_of(keel_method m) {
    return INTEGRATORS[m.integrator].stabilizers & FORMULATIONS[m.formulation].stabilizers;
}

int keel_integrator_takes(keel_integrator integrator, keel_formulation formulation) {
    return (INTEGRATORS[integrator].formulations & BIT(formulation)) != 0;
}

int keel_method_is_valid(keel_method m) {
    return (unsigned)m.integrator < KEEL_INTEGRATORS && (unsigned)m.formulation < KEEL_FORMULATIONS &&
           (unsigned)m.stabilize < KEEL_STABILIZERS && keel_integrator_takes(m.integrator, m.formulation) &&
           (stabilizers_of(m) & BIT(m.stabilize));
}

int keel_formulation_takes(keel_formulation formulation, keel_stabilize stabilize) {
    return (FORMULATIONS[formulation].stabilizers & BIT(stabilize)) != 0;
}

keel_method keel_method_auto(void) {
    const char *reason;
    keel_method method = keel_method_choose(1, &reason);
    method.automatic = 1;
    return method;
}

keel_method keel_method_choose(int kept, const char **reason) {
    const char *ignored;
    reason = reason ? reason : &ignored;
    if (kept == 0) {
        *reason =
            "order 8 takes the fewest evaluations on smooth motion, and there are no constraints to keep";
        return (keel_method){KEEL_DOP853, KEEL_INDEX1, KEEL_STABILIZE_NONE, 0};
    }
    *reason = "order 8 takes the fewest evaluations on smooth motion, and projection keeps constraints of "
              "any rank at "
              "round-off without a factorization of its own";
    return (keel_method){KEEL_DOP853, KEEL_INDEX1, KEEL_PROJECTION, 0};
}

const char *keel_method_text(keel_method m, char buffer[64]) {
    if (!buffer)
        return "";
    snprintf(buffer, 64, "%s/%s/%s", INTEGRATORS[m.integrator].word.name,
             FORMULATIONS[m.formulation].word.name, STABILIZERS[m.stabilize].name);
    return buffer;
}

/* One of the three lists of words, as the parser sees it. */
typedef struct word_list {
    const char *what; /* "integrator", ... */
    const char *names[16];
    int count;
} word_list;

static word_list integrators(void) {
    word_list list = {.what = "integrator"};
    for (int i = 0; i < KEEL_INTEGRATORS; i++)
        list.names[list.count++] = INTEGRATORS[i].word.name;
    return list;
}

static word_list formulations_of(keel_integrator integrator) {
    word_list list = {.what = "formulation"};
    for (int i = 0; i < KEEL_FORMULATIONS; i++)
        if (keel_integrator_takes(integrator, (keel_formulation)i))
            list.names[list.count++] = FORMULATIONS[i].word.name;
    return list;
}

static word_list stabilizer_words(keel_method m) {
    word_list list = {.what = "stabiliser"};
    for (int i = 0; i < KEEL_STABILIZERS; i++)
        if (stabilizers_of(m) & BIT(i))
            list.names[list.count++] = STABILIZERS[i].name;
    return list;
}

static void join(const word_list *list, char *buffer, size_t size) {
    size_t used = 0;
    buffer[0] = 0;
    for (int i = 0; i < list->count && used < size; i++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? ", " : "", list->names[i]);
}

/* Checks that `word` is in the list; otherwise says what could stand there. */
static keel_status expect(const word_list *list, const char *word, const char *kind, const char *partner,
                          keel_location where, keel_diagnostics *diagnostics) {
    for (int i = 0; i < list->count; i++)
        if (strcmp(word, list->names[i]) == 0)
            return KEEL_OK;
    char possible[256];
    join(list, possible, sizeof possible);
    const char *closest = ki_closest_name(word, list->names, list->count);
    keel_diagnostics_add(diagnostics, KEEL_ERROR, where, "%s%s%s has no %s '%s'%s%s%s (possible: %s)",
                         kind ? kind : "", kind ? " " : "", partner, list->what, word,
                         closest ? ": did you mean '" : "", closest ? closest : "", closest ? "'?" : "",
                         possible);
    return KEEL_ERROR_INPUT;
}

/* Splits "a/b/c" into at most three words; returns their number, 0 if there are more, or one is empty or too
 * long. */
static int split(const char *text, char words[3][32]) {
    int count = 0;
    for (const char *begin = text;; count++) {
        size_t length = strcspn(begin, "/");
        if (count == 3 || length == 0 || length >= 32)
            return 0;
        memcpy(words[count], begin, length);
        words[count][length] = 0;
        if (begin[length] == 0)
            return count + 1;
        begin += length + 1;
    }
}

/* What is left out. In index-3 form undamped rules let the multipliers of steps of given length oscillate and
 * grow; velocities on their constraints stop that (docs/index3.md). */
static keel_stabilize preferred(keel_method m) {
    bool undamped = m.integrator == KEEL_NEWMARK || m.integrator == KEEL_TRAPEZOIDAL;
    if (undamped && m.formulation == KEEL_INDEX3)
        return KEEL_PROJECTION;
    keel_stabilize usual = FORMULATIONS[m.formulation].preferred;
    return stabilizers_of(m) & BIT(usual) ? usual : KEEL_STABILIZE_NONE;
}

static int index_of(const char *word, keel_word (*word_at)(int)) {
    int i = 0;
    while (strcmp(word_at(i).name, word) != 0)
        i++;
    return i;
}

static keel_word integrator_at(int i) {
    return INTEGRATORS[i].word;
}
static keel_word formulation_at(int i) {
    return FORMULATIONS[i].word;
}
static keel_word stabilizer_at(int i) {
    return STABILIZERS[i];
}

keel_status keel_method_parse(const char *text, keel_location where, keel_diagnostics *diagnostics,
                              keel_method *method) {
    if (!text || !method)
        return KEEL_ERROR_INPUT;
    char words[3][32];
    if (strcmp(text, "auto") == 0) {
        *method = keel_method_auto();
        return KEEL_OK;
    }
    int count = split(text, words);
    if (count == 0) {
        keel_diagnostics_add(
            diagnostics, KEEL_ERROR, where,
            "'%.60s' is not a method: write INTEGRATOR[/FORMULATION[/STABILIZE]], for example "
            "dop853/index1/projection, or auto",
            text);
        return KEEL_ERROR_INPUT;
    }
    word_list list = integrators();
    if (expect(&list, words[0], NULL, "keel", where, diagnostics))
        return KEEL_ERROR_INPUT;
    *method = (keel_method){0};
    method->integrator = (keel_integrator)index_of(words[0], integrator_at);
    method->formulation = KEEL_INDEX1;
    while (!keel_integrator_takes(method->integrator, method->formulation))
        method->formulation++;
    list = formulations_of(method->integrator);
    if (count > 1) {
        if (expect(&list, words[1], "integrator", words[0], where, diagnostics))
            return KEEL_ERROR_INPUT;
        method->formulation = (keel_formulation)index_of(words[1], formulation_at);
    }
    method->stabilize = preferred(*method);
    list = stabilizer_words(*method);
    if (count > 2) {
        int narrowed = stabilizers_of(*method) != FORMULATIONS[method->formulation].stabilizers;
        char both[96];
        snprintf(both, sizeof both, "%s with formulation %s", words[0], words[1]);
        if (expect(&list, words[2], narrowed ? "integrator" : "formulation", narrowed ? both : words[1],
                   where, diagnostics))
            return KEEL_ERROR_INPUT;
        method->stabilize = (keel_stabilize)index_of(words[2], stabilizer_at);
    }
    return KEEL_OK;
}
