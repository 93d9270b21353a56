#include "keel/settings.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"

#define NUMBER(name, initial, least, most, unit, help)                                                       \
    { #name, KEEL_OPTION_NUMBER, offsetof(keel_settings, name), initial, least, most, NULL, unit, help }
#define WORD(name, initial, words, help)                                                                     \
    { #name, KEEL_OPTION_WORD, offsetof(keel_settings, name), initial, 0, 0, words, "", help }
#define GAIN(name, least, unit, help)                                                                        \
    { #name, KEEL_OPTION_GAIN, offsetof(keel_settings, name), 0, least, 1e300, NULL, unit, help }

static const char *const METRICS[] = {[KEEL_METRIC_NATURAL] = "natural",
                                      [KEEL_METRIC_MASS] = "mass",
                                      [KEEL_METRIC_IDENTITY] = "identity",
                                      [KEEL_METRIC_MATRIX] = "matrix",
                                      NULL};
static const char *const LEVELS[] = {[KEEL_LEVELS_POSITION_VELOCITY] = "position_velocity",
                                     [KEEL_LEVELS_POSITION] = "position",
                                     [KEEL_LEVELS_VELOCITY] = "velocity",
                                     [KEEL_LEVELS_VELOCITY_ACCELERATION] = "velocity_acceleration",
                                     [KEEL_LEVELS_ALL] = "all",
                                     NULL};
static const char *const SCALINGS[] = {
    [KEEL_SCALING_BOTH] = "both", [KEEL_SCALING_RIGHT] = "right", [KEEL_SCALING_NONE] = "none", NULL};
static const char *const NEWTONS[] = {[KEEL_NEWTON_MODIFIED] = "modified", [KEEL_NEWTON_FULL] = "full", NULL};
static const char *const SOLUTIONS[] = {
    [KEEL_SOLUTION_NEWTON] = "newton", [KEEL_SOLUTION_AUGMENTED] = "augmented", NULL};
static const char *const STARTS[] = {
    [KEEL_START_CONSISTENT] = "consistent", [KEEL_START_AS_GIVEN] = "as_given", NULL};
static const char *const ANSWERS[] = {[KEEL_YES] = "yes", [KEEL_NO] = "no", NULL};
static const char *const MODES[] = {[KEEL_MODE_SEQUENTIAL] = "sequential", [KEEL_MODE_JOINT] = "joint", NULL};
static const char *const CHOICES[] = {
    [KEEL_CHOICE_BEST] = "best", [KEEL_CHOICE_SECOND] = "second", [KEEL_CHOICE_WORST] = "worst", NULL};
static const char *const SINGULAR[] = {
    [KEEL_SINGULAR_CONTINUE] = "continue", [KEEL_SINGULAR_STOP] = "stop", NULL};
static const char *const CODES[] = {
    [KEEL_CODE_AUTO] = "auto", [KEEL_CODE_TAPE] = "tape", [KEEL_CODE_NATIVE] = "native", NULL};

/* The one place where options are listed. */
static const keel_option OPTIONS[] = {
    NUMBER(until, 10, -1e300, 1e300, "time", "end time"),
    NUMBER(output, 0, 0, 1e300, "time", "distance of output rows; 0: one row for every step"),
    NUMBER(tolerance, 1e-6, 1e-14, 1, "", "relative error aimed at (adaptive integrators)"),
    NUMBER(absolute_tolerance, 0, 0, 1e300, "", "error aimed at, as a part of the scale; 0: as tolerance"),
    NUMBER(step, 0, 0, 1e300, "time", "step size of a fixed-step integrator"),
    NUMBER(first_step, 0, 0, 1e300, "time", "first step of an adaptive integrator; 0: chosen automatically"),
    NUMBER(max_step, 0, 0, 1e300, "time", "largest step of an adaptive integrator; 0: no limit"),
    NUMBER(max_steps, 1e7, 1, 1e15, "", "most steps, accepted and rejected together"),
    NUMBER(order, 0, 0, 12, "",
           "order of bdf-fixed (1 to 6) and adams (1 to 12), largest order of bdf and ida; 0: chosen"),
    NUMBER(projection_tolerance, 4e-15, 1e-16, 1e-2, "",
           "violation that projection leaves, relative to the constraint's size"),
    NUMBER(start_tolerance, 1e-3, 0, 1e300, "",
           "violation of the start that is repaired, relative to the constraint's size"),
    WORD(start_state, KEEL_START_CONSISTENT, STARTS,
         "the start is put onto the constraints, or taken as it is"),
    WORD(metric, KEEL_METRIC_NATURAL, METRICS, "metric of projections"),
    GAIN(metric_matrix, 0, "", "matrix of the metric 'matrix', a row for every coordinate"),
    WORD(levels, KEEL_LEVELS_POSITION_VELOCITY, LEVELS, "what projection corrects"),
    NUMBER(projection_penalty, 0, 0, 1e300, "", "penalty alpha of projections; 0: exact"),
    WORD(projection_mode, KEEL_MODE_SEQUENTIAL, MODES,
         "positions, then velocities, or both in one projection"),
    WORD(keep_invariants, KEEL_YES, ANSWERS, "projection and gradient keep the invariants of the model"),
    WORD(projected_error, KEEL_YES, ANSWERS,
         "error estimates without the part that projection removes (adaptive integrators)"),
    NUMBER(alpha, 0, 0, 1e300, "1/time", "classic Baumgarte: K_D = 2 alpha; 0: not given"),
    NUMBER(beta, 0, 0, 1e300, "1/time", "classic Baumgarte: K_P = beta^2; 0: not given"),
    GAIN(K_D, 0, "1/time", "generalized Baumgarte: damping, a number, a map of constraints or a matrix"),
    GAIN(K_P, 0, "1/time^2", "generalized Baumgarte: stiffness, a number, a map of constraints or a matrix"),
    GAIN(penalty, 0, "", "penalty masses of the constraints: a number, a map of constraints or a matrix"),
    GAIN(non_ideal, -1e300, "", "non-ideal part of the multipliers (generalized_inverse): a number or a map"),
    WORD(partition, KEEL_CHOICE_BEST, CHOICES, "which dependent coordinates a partition takes"),
    NUMBER(newmark_beta, 0.25, -1e300, 1e300, "", "beta of newmark; 1/4 with gamma 1/2: trapezoidal rule"),
    NUMBER(newmark_gamma, 0.5, -1e300, 1e300, "",
           "gamma of newmark; 1/2: order 2, more: damping and order 1"),
    NUMBER(hht_alpha, -0.1, -1e300, 1e300, "", "alpha of hht, -1/3 (most damping) to 0 (none)"),
    NUMBER(rho_infinity, 0.8, -1e300, 1e300, "",
           "what generalized-alpha leaves of the highest frequencies in a step, 0 to 1"),
    WORD(scaling, KEEL_SCALING_BOTH, SCALINGS,
         "scaling of implicit steps: equations and unknowns, unknowns, none"),
    WORD(reference_mass, KEEL_YES, ANSWERS, "scaling of implicit steps also by |M|/|J|"),
    WORD(newton, KEEL_NEWTON_MODIFIED, NEWTONS,
         "Newton matrices of implicit steps kept while they serve, or all new"),
    NUMBER(newton_tolerance, 1e-10, 1e-15, 1e-2, "", "relative size of the last Newton correction"),
    WORD(newton_report, KEEL_NO, ANSWERS,
         "rows with condition number and last corrections of Newton's method"),
    WORD(solution, KEEL_SOLUTION_NEWTON, SOLUTIONS, "how a conserving step is solved"),
    NUMBER(augmented_penalty, 1e3, 1e-300, 1e300, "", "penalty of solution 'augmented'"),
    WORD(singular, KEEL_SINGULAR_CONTINUE, SINGULAR, "what to do when a singular pose is passed"),
    NUMBER(base_steps, 10000, 0, 1e15, "",
           "steps after which a run begins anew from what a checkpoint holds; 0: never"),
    WORD(code, KEEL_CODE_AUTO, CODES, "what evaluates formulas: machine code if it pays, never, or always"),
};
enum { OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS };

const keel_option *keel_options(int *count) {
    if (count)
        *count = OPTION_COUNT;
    return OPTIONS;
}

static void *field(keel_settings *settings, const keel_option *option) {
    return (char *)settings + option->offset;
}

static void set_number(keel_settings *settings, const keel_option *option, double value) {
    memcpy(field(settings, option), &value, sizeof value);
}

static void set_word(keel_settings *settings, const keel_option *option, int value) {
    memcpy(field(settings, option), &value, sizeof value);
}

keel_settings keel_settings_default(void) {
    const char *reason;
    keel_settings settings = {.method = keel_method_choose(1, &reason)};
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (OPTIONS[i].type == KEEL_OPTION_NUMBER)
            set_number(&settings, &OPTIONS[i], OPTIONS[i].initial);
        else if (OPTIONS[i].type == KEEL_OPTION_WORD)
            set_word(&settings, &OPTIONS[i], (int)OPTIONS[i].initial);
    }
    return settings;
}

const keel_option *keel_option_find(const char *name, keel_location at, keel_diagnostics *diagnostics) {
    if (!name)
        return NULL;
    const char *names[OPTION_COUNT];
    for (int i = 0; i < OPTION_COUNT; i++) {
        names[i] = OPTIONS[i].name;
        if (strcmp(name, names[i]) == 0)
            return &OPTIONS[i];
    }
    const char *closest = ki_closest_name(name, names, OPTION_COUNT);
    if (closest)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, at, "unknown option '%s': did you mean '%s'?", name,
                             closest);
    else
        keel_diagnostics_add(diagnostics, KEEL_ERROR, at,
                             "unknown option '%s' (keel help run lists the options)", name);
    return NULL;
}

static keel_status wrong_type(const keel_option *option, keel_location at, keel_diagnostics *diagnostics) {
    char words[128] = "";
    size_t used = 0;
    for (int i = 0; option->words && option->words[i] && used < sizeof words; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", i ? ", " : "", option->words[i]);
    if (option->type == KEEL_OPTION_WORD)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, at, "option '%s' is one of the words %s", option->name,
                             words);
    else
        keel_diagnostics_add(diagnostics, KEEL_ERROR, at, "option '%s' is a number%s", option->name,
                             option->type == KEEL_OPTION_GAIN ? ", a map 'constraint: number' or a matrix"
                                                              : "");
    return KEEL_ERROR_INPUT;
}

keel_status keel_settings_set(keel_settings *settings, const char *name, keel_location name_at, double value,
                              keel_location value_at, keel_diagnostics *diagnostics) {
    if (!settings || !name)
        return KEEL_ERROR_INPUT;
    const keel_option *option = keel_option_find(name, name_at, diagnostics);
    if (!option)
        return KEEL_ERROR_INPUT;
    if (option->type == KEEL_OPTION_WORD)
        return wrong_type(option, value_at, diagnostics);
    if (!(value >= option->least && value <= option->most)) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, value_at,
                             "option '%s' is %g: it must be between %g and %g", name, value, option->least,
                             option->most);
        return KEEL_ERROR_INPUT;
    }
    if (option->type == KEEL_OPTION_NUMBER)
        set_number(settings, option, value);
    else
        memcpy(field(settings, option), &(keel_gain){.kind = KEEL_GAIN_SCALAR, .scalar = value},
               sizeof(keel_gain));
    return KEEL_OK;
}

keel_status keel_settings_set_word(keel_settings *settings, const char *name, keel_location name_at,
                                   const char *word, keel_location word_at, keel_diagnostics *diagnostics) {
    if (!settings || !name || !word)
        return KEEL_ERROR_INPUT;
    const keel_option *option = keel_option_find(name, name_at, diagnostics);
    if (!option)
        return KEEL_ERROR_INPUT;
    for (int i = 0; option->words && option->words[i]; i++)
        if (strcmp(word, option->words[i]) == 0) {
            set_word(settings, option, i);
            return KEEL_OK;
        }
    return wrong_type(option, word_at, diagnostics);
}

keel_status keel_settings_set_gain(keel_settings *settings, const char *name, keel_location name_at,
                                   const keel_gain *gain, keel_location gain_at,
                                   keel_diagnostics *diagnostics) {
    if (!settings || !name || !gain)
        return KEEL_ERROR_INPUT;
    const keel_option *option = keel_option_find(name, name_at, diagnostics);
    if (!option)
        return KEEL_ERROR_INPUT;
    if (option->type != KEEL_OPTION_GAIN)
        return wrong_type(option, gain_at, diagnostics);
    memcpy(field(settings, option), gain, sizeof *gain);
    return KEEL_OK;
}

/* Says why a method is not valid and what could stand in its place, in the words of the parser. */
/* The whole of a text as a finite number. */
static bool read_number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

keel_status keel_settings_set_text(keel_settings *settings, const char *name, const char *text,
                                   keel_location where, keel_diagnostics *diagnostics) {
    double value;
    if (!settings || !name || !text)
        return KEEL_ERROR_INPUT;
    if (strcmp(name, "method") == 0)
        return keel_method_parse(text, where, diagnostics, &settings->method);
    const keel_option *option = keel_option_find(name, where, diagnostics);
    if (!option)
        return KEEL_ERROR_INPUT;
    if (option->type == KEEL_OPTION_WORD)
        return keel_settings_set_word(settings, name, where, text, where, diagnostics);
    if (read_number(text, &value))
        return keel_settings_set(settings, name, where, value, where, diagnostics);
    keel_diagnostics_add(diagnostics, KEEL_ERROR, where, "'%s' is not a number%s", text,
                         option->type == KEEL_OPTION_GAIN
                             ? "; a map or a matrix stands in the model file, under 'simulate'"
                             : "");
    return KEEL_ERROR_INPUT;
}

static void report_method(keel_method m, keel_diagnostics *diagnostics) {
    const keel_location nowhere = {0};
    char text[64];
    if ((unsigned)m.integrator < KEEL_INTEGRATORS && (unsigned)m.formulation < KEEL_FORMULATIONS &&
        (unsigned)m.stabilize < KEEL_STABILIZERS)
        keel_method_parse(keel_method_text(m, text), nowhere, diagnostics, &m);
    else
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere,
                             "the settings name an unknown integrator, formulation or stabiliser");
}

/* The order is a whole number that the integrator has; a multistep method of order k needs k steps. */
static keel_status check_order(const keel_settings *settings, double t_start, keel_diagnostics *diagnostics) {
    static const int HIGHEST[KEEL_INTEGRATORS] = {
        [KEEL_ADAMS] = 12, [KEEL_BDF] = 5, [KEEL_BDF_FIXED] = 6, [KEEL_IDA] = 5};
    const keel_location nowhere = {0};
    keel_integrator integrator = settings->method.integrator;
    const char *name = keel_integrator_word(integrator).name;
    double order = settings->order, steps = (settings->until - t_start) / settings->step;
    if (HIGHEST[integrator] == 0)
        return KEEL_OK;
    if (order != floor(order) || order > HIGHEST[integrator]) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere,
                             "option 'order' is %g: %s has the orders 1 to %d (0: its own choice)", order,
                             name, HIGHEST[integrator]);
        return KEEL_ERROR_INPUT;
    }
    double needed = order > 0 ? order : HIGHEST[integrator];
    if (integrator == KEEL_BDF_FIXED && settings->step > 0 && steps < needed * (1 - 1e-9)) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere,
                             "%s of order %g needs %g steps or more: the step %g allows %.3g until t = %g",
                             name, needed, needed, settings->step, steps, settings->until);
        return KEEL_ERROR_INPUT;
    }
    return KEEL_OK;
}

/* Projected accelerations are of use only to an integrator that goes on from them. */
static keel_status check_levels(const keel_settings *settings, keel_diagnostics *diagnostics) {
    static const bool CARRIES[KEEL_INTEGRATORS] = {
        [KEEL_NEWMARK] = true, [KEEL_HHT] = true, [KEEL_GENERALIZED_ALPHA] = true, [KEEL_TRAPEZOIDAL] = true};
    int levels = settings->levels;
    bool asked = settings->method.stabilize == KEEL_PROJECTION &&
                 (levels == KEEL_LEVELS_VELOCITY_ACCELERATION || levels == KEEL_LEVELS_ALL);
    if (!asked || CARRIES[settings->method.integrator])
        return KEEL_OK;
    keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0},
                         "levels '%s' needs an integrator that carries accelerations: newmark, hht, "
                         "generalized-alpha, trapezoidal",
                         LEVELS[levels]);
    return KEEL_ERROR_INPUT;
}

/* Parameters of the structural integrators outside of what makes sense, with the reason. Only those of the
 * integrator in use count. */
static keel_status check_rule(const keel_settings *settings, keel_diagnostics *diagnostics) {
    const struct {
        keel_integrator of;
        bool wrong;
        const char *name;
        double value;
        const char *reason;
    } RULES[] = {
        {KEEL_NEWMARK, !(settings->newmark_beta > 0), "newmark_beta", settings->newmark_beta,
         "it must be above 0, the rule would be explicit and the multipliers not determined"},
        {KEEL_NEWMARK, !(settings->newmark_gamma >= 0.5), "newmark_gamma", settings->newmark_gamma,
         "it must be 1/2 or more, the rule would be unstable"},
        {KEEL_HHT, !(settings->hht_alpha >= -1.0 / 3 - 1e-12 && settings->hht_alpha <= 0), "hht_alpha",
         settings->hht_alpha,
         "it must be between -1/3 and 0, the rule would be unstable at high frequencies"},
        {KEEL_GENERALIZED_ALPHA, !(settings->rho_infinity >= 0 && settings->rho_infinity <= 1),
         "rho_infinity", settings->rho_infinity,
         "it must be between 0 and 1, a part of an amplitude that does not grow"},
    };
    keel_status status = KEEL_OK;
    for (unsigned i = 0; i < sizeof RULES / sizeof *RULES; i++)
        if (RULES[i].of == settings->method.integrator && RULES[i].wrong) {
            keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0}, "option '%s' is %g: %s",
                                 RULES[i].name, RULES[i].value, RULES[i].reason);
            status = KEEL_ERROR_INPUT;
        }
    return status;
}

/* A choice that is known not to last. */
static void warn_of_undamped(const keel_settings *s, keel_diagnostics *diagnostics) {
    bool undamped = s->method.integrator == KEEL_TRAPEZOIDAL ||
                    (s->method.integrator == KEEL_NEWMARK && s->newmark_gamma <= 0.5) ||
                    (s->method.integrator == KEEL_HHT && s->hht_alpha >= 0) ||
                    (s->method.integrator == KEEL_GENERALIZED_ALPHA && s->rho_infinity >= 1);
    if (undamped && s->method.formulation == KEEL_INDEX3 && s->method.stabilize == KEEL_STABILIZE_NONE &&
        s->step > 0)
        keel_diagnostics_add(
            diagnostics, KEEL_WARNING, (keel_location){0},
            "%s/index3/none damps nothing: with steps of given length the multipliers of its steps "
            "oscillate and may grow until Newton's method fails; projection, ggl or a rule that damps "
            "stop that",
            keel_integrator_word(s->method.integrator).name);
}

/* Steps and rows must be few enough to be counted, and far enough apart for times to differ. */
static keel_status check_spacing(const keel_settings *settings, double t_start,
                                 keel_diagnostics *diagnostics) {
    static const double MOST = 1e12;
    const keel_location nowhere = {0};
    double span = settings->until - t_start;
    struct {
        const char *name;
        double value;
    } spacings[] = {{"step", keel_integrator_takes_step(settings->method.integrator) ? settings->step : 0},
                    {"output", settings->output}};
    for (int i = 0; i < 2; i++)
        if (spacings[i].value > 0 && span / spacings[i].value > MOST) {
            keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere,
                                 "option '%s' is %g: that makes more than %g between t = %g and %g",
                                 spacings[i].name, spacings[i].value, MOST, t_start, settings->until);
            return KEEL_ERROR_INPUT;
        }
    return KEEL_OK;
}

/* A start off the constraints goes with methods that know accelerations only, and do not put states back. */
static keel_status check_start(const keel_settings *settings, keel_diagnostics *diagnostics) {
    keel_formulation f = settings->method.formulation;
    keel_stabilize s = settings->method.stabilize;
    bool lets_be = (s == KEEL_STABILIZE_NONE || s == KEEL_BAUMGARTE) && f != KEEL_INDEPENDENT &&
                   f != KEEL_PARTITIONED && f != KEEL_INDEX3 && f != KEEL_INDEX2 && f != KEEL_GGL;
    char method[64];
    if (settings->start_state == KEEL_START_CONSISTENT || lets_be)
        return KEEL_OK;
    keel_diagnostics_add(
        diagnostics, KEEL_ERROR, (keel_location){0},
        "start_state = as_given: the first step of %s would end on the constraints, however far "
        "the start is from them; take baumgarte, or none, with index1, nullspace, penalty, "
        "augmented or generalized_inverse",
        keel_method_text(settings->method, method));
    return KEEL_ERROR_INPUT;
}

keel_status keel_settings_validate(const keel_settings *settings, double t_start,
                                   keel_diagnostics *diagnostics) {
    if (!settings)
        return KEEL_ERROR_INPUT;
    keel_location nowhere = {0};
    keel_status status = KEEL_OK;
    if (!(settings->until > t_start)) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere,
                             "the end time %g is not after the start time %g: set 'until'", settings->until,
                             t_start);
        status = KEEL_ERROR_INPUT;
    }
    if (!keel_method_is_valid(settings->method)) {
        report_method(settings->method, diagnostics);
        status = KEEL_ERROR_INPUT;
    } else if (!keel_integrator_is_adaptive(settings->method.integrator) && settings->step == 0) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere,
                             "%s takes a fixed step: give one, 'step: 0.01' under simulate or --step 0.01",
                             keel_integrator_word(settings->method.integrator).name);
        status = KEEL_ERROR_INPUT;
    }
    if (!status)
        status = check_levels(settings, diagnostics);
    if (!status)
        status = check_start(settings, diagnostics);
    if (!status)
        status = check_rule(settings, diagnostics);
    if (!status)
        warn_of_undamped(settings, diagnostics);
    if (!status)
        status = check_spacing(settings, t_start, diagnostics);
    return status ? status : check_order(settings, t_start, diagnostics);
}
