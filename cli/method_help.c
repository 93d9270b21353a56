/* What `keel help` tells of the words of a method beyond their one-line summaries: what they are, when to
 * take them, their options. Valid partners come from keel/method.h. */
#include <string.h>

#include "cli.h"

typedef struct story {
    const char *what, *when;
    const char *options; /* names of options, one blank apart; "" */
    const char *reference;
    const char *page; /* in docs/ */
} story;

#define ADAPTIVE_OPTIONS "tolerance absolute_tolerance first_step max_step max_steps"
#define IMPLICIT_OPTIONS "step tolerance scaling reference_mass newton newton_tolerance newton_report"

static const story INTEGRATORS[KEEL_INTEGRATORS] = {
    [KEEL_RK4] =
        {"The classical method with four evaluations a step. Steps have one length, which you choose; "
         "there is no error estimate.",
         "For steps given from outside, for teaching, and to measure orders. Otherwise dop853.",
         "step max_steps", "W. Kutta (1901)", "methods.md"},
    [KEEL_DOPRI5] =
        {"An explicit pair of orders 5 and 4, six evaluations a step, which chooses its steps from "
         "the tolerance. Rows between steps come from a polynomial.",
         "For loose tolerances (1e-3 to 1e-5), and for forces that jump. At tight ones dop853 needs "
         "fewer evaluations.",
         ADAPTIVE_OPTIONS " projected_error", "J. R. Dormand, P. J. Prince (1980)", "methods.md"},
    [KEEL_DOP853] =
        {"An explicit method of order 8 with error estimates of orders 5 and 3, twelve evaluations a "
         "step, which chooses its steps from the tolerance.",
         "The default (auto): smooth motion at any tolerance. Stiff systems want radau9; models that "
         "are expensive to evaluate adams.",
         ADAPTIVE_OPTIONS " projected_error",
         "J. R. Dormand, P. J. Prince (1981); E. Hairer, S. P. Norsett, G. Wanner (1993), "
         "section II.10",
         "methods.md"},
    [KEEL_ADAMS] =
        {"A multistep method that builds on earlier steps and chooses its order, 1 to 12, and its "
         "step: two evaluations a step at any order.",
         "For models that are expensive to evaluate with smooth motion, and for many rows of output: "
         "half the evaluations of dop853 at a tolerance of 1e-8. Not where forces jump often (the "
         "history is worthless then), nor for stiff systems.",
         ADAPTIVE_OPTIONS " order projected_error", "F. T. Krogh (1974); L. F. Shampine, M. K. Gordon (1975)",
         "adams.md"},
    [KEEL_RADAU5] = {"An implicit Runge-Kutta method of order 5 on the index-1 form: three stages solved by "
                     "Newton's method "
                     "with exact matrices, every step projected. Steps are chosen from the tolerance; fast "
                     "motions that they "
                     "do not follow are damped.",
                     "For stiff systems at loose tolerances (1e-1 to 1e-3); below, radau9 takes fewer steps. "
                     "auto turns to "
                     "either by itself when a run gets stiff.",
                     ADAPTIVE_OPTIONS " metric projection_mode projected_error",
                     "E. Hairer, G. Wanner (1996), section IV.8", "radau.md"},
    [KEEL_RADAU9] = {"The same with five stages and order 9: longer steps at tight tolerances.",
                     "For stiff springs and dampers, contact forces, fast controllers at tolerances of 1e-3 "
                     "and below. On smooth "
                     "motion without stiffness dop853 takes half the time. auto turns to it by itself when a "
                     "run gets stiff.",
                     ADAPTIVE_OPTIONS " metric projection_mode projected_error",
                     "E. Hairer, G. Wanner (1996, 1999)", "radau.md"},
    [KEEL_BDF] =
        {"Backward differentiation of variable order and step on the index-1 form, solved by Newton's "
         "method with exact matrices, every step projected. Steps and orders are those of CVODE.",
         "For stiff systems whose forces jump often, and as a second opinion on radau9, which is faster and "
         "more exact in most cases. On smooth motion without stiffness so are dop853 and adams.",
         ADAPTIVE_OPTIONS " order metric projection_mode projected_error",
         "E. Eich (1993); A. C. Hindmarsh and others, SUNDIALS (2005)", "bdf.md"},
    [KEEL_BDF_FIXED] =
        {"Backward differentiation with steps of one length and an order that you choose.",
         "To repeat the experiments of papers, to measure orders, and for index3 with steps from "
         "outside.",
         "step order max_steps metric projection_mode", "E. Eich (1993), theorem 3.2", "bdf.md"},
    [KEEL_IDA] =
        {"The equations of motion and of the constraints given together to IDA, which finds positions, "
         "velocities and multipliers in one Newton iteration.",
         "As a second opinion: it shares little with the other integrators. For everything else auto is "
         "faster and more accurate. Nothing guards it at singular poses.",
         ADAPTIVE_OPTIONS " order",
         "A. C. Hindmarsh and others, SUNDIALS (2005); C. W. Gear, B. Leimkuhler, G. K. Gupta (1985)",
         "ida.md"},
    [KEEL_NEWMARK] =
        {"The method of structural dynamics, implicit, with the constraints themselves solved in "
         "every step. beta = 1/4, gamma = 1/2 is the trapezoidal rule.",
         "To compare with programs that use it. With gamma = 1/2 nothing is damped and multipliers "
         "oscillate in index3: take projection, ggl, or generalized-alpha.",
         "newmark_beta newmark_gamma " IMPLICIT_OPTIONS, "N. M. Newmark (1959)", "index3.md"},
    [KEEL_HHT] =
        {"Newmark's method with forces taken between the ends of the step, which damps high frequencies "
         "and keeps order 2. Constraints are solved in every step.",
         "For stiff springs and flexible parts whose fast oscillations should fade instead of being "
         "followed. For accuracy alone dop853 is cheaper by far.",
         "hht_alpha " IMPLICIT_OPTIONS, "H. M. Hilber, T. J. R. Hughes, R. L. Taylor (1977)", "index3.md"},
    [KEEL_GENERALIZED_ALPHA] =
        {"Forces and inertia taken at two points within the step, so that a chosen part rho_infinity of the "
         "highest frequencies is left after it. Constraints are solved in every step.",
         "The first choice among the implicit methods of order 2, with rho_infinity 0.5 to 0.9: stiff "
         "springs, "
         "flexible parts, steps from outside.",
         "rho_infinity " IMPLICIT_OPTIONS,
         "J. Chung, G. M. Hulbert (1993); M. Arnold, O. Bruls, A. Cardona (2012)", "index3.md"},
    [KEEL_TRAPEZOIDAL] = {"Averages the ends of the step; implicit, of order 2, and nothing is damped. "
                          "Constraints are solved in every step.",
                          "To compare. In index3 without projection multipliers oscillate and grow; ggl or "
                          "projection stops that.",
                          IMPLICIT_OPTIONS, "the case beta = 1/4, gamma = 1/2 of N. M. Newmark (1959)",
                          "index3.md"},
    [KEEL_MIDPOINT] =
        {"Forces in the middle of the step, constraints at its end; implicit, of order 2. It keeps "
         "momentum, and energy where potential and constraints are at most quadratic.",
         "For long runs where momentum must not drift, of systems that do not know their energy, too. Not "
         "for "
         "stiff systems: nothing is damped.",
         IMPLICIT_OPTIONS, "O. Gonzalez (1996, 1999)", "conserving.md"},
    [KEEL_CONSERVING] =
        {"The midpoint rule with a discrete gradient of the energy, so that energy, or its balance with "
         "the work of forces, is kept to round-off for any length of step. Order 2.",
         "For long runs where energy must not change, of any model that knows its energy. Not for stiff "
         "systems: nothing is damped.",
         "solution augmented_penalty " IMPLICIT_OPTIONS,
         "O. Gonzalez (1996, 1999); J. C. Garcia Orden (2010)", "conserving.md"},
};

static const story FORMULATIONS[KEEL_FORMULATIONS] = {
    [KEEL_INDEX1] =
        {"The constraints are differentiated twice and solved together with the equations of motion: "
         "[M J^T; J 0] [v'; lambda] = [Q; xi].",
         "Always, unless there is a reason against it. Alone it drifts: leave projection on.", "",
         "Lagrange's equations of the first kind, as in Z. Terze, J. Naudet, D. Lefeber (2003), "
         "eq. 13-15",
         "index1.md"},
    [KEEL_NULLSPACE] =
        {"The same equations, solved on a basis of the motions that the constraints leave free.",
         "As a check on index1, and where nearly dependent constraints are suspected to spoil its "
         "elimination. Not for large models: its matrices are full.",
         "", "J. W. Kamman, R. L. Huston (1984); Z. Terze, J. Naudet, D. Lefeber (2003)", "nullspace.md"},
    [KEEL_INDEPENDENT] =
        {"Only independent velocities are integrated; dependent ones follow from the velocity "
         "level of the constraints.",
         "Where velocities must satisfy their constraints exactly without projection.", "partition",
         "R. A. Wehage, E. J. Haug (1982)", "partition.md"},
    [KEEL_PARTITIONED] =
        {"Independent coordinates and velocities are integrated, all others solved from the "
         "constraints: there is nothing that could drift.",
         "For short runs of small mechanisms. projection needs no choice of coordinates, and "
         "works on large systems.",
         "partition", "R. A. Wehage, E. J. Haug (1982)", "partition.md"},
    [KEEL_PENALTY] =
        {"Constraints become heavy masses with springs and dampers: M + J^T A J instead of "
         "multipliers. The constraints hold only nearly.",
         "For soft constraints that really are springs, for passing singular poses without caring "
         "for digits, and to compare with the literature.",
         "penalty K_D K_P alpha beta", "R. G. Mukharlyamov, C. T. Deressa (2014), eq. 22-34", "penalty.md"},
    [KEEL_AUGMENTED] = {"The penalty form, iterated until the multipliers are exact.",
                        "As an independent check of index1.", "penalty",
                        "E. Bayo, R. Ledesma (1996); R. G. Mukharlyamov, C. T. Deressa (2014)", "penalty.md"},
    [KEEL_GENERALIZED_INVERSE] =
        {"index1 with the shortest multipliers where constraints depend on each other, "
         "plus a part that you give.",
         "For dependent constraints (a third hinge) where multipliers in forces and rows "
         "must be definite, with pre-stress as non_ideal.",
         "non_ideal", "R. G. Mukharlyamov, C. T. Deressa (2014), eq. 6-13", "redundancy.md"},
    [KEEL_INDEX3] =
        {"Phi = 0 itself is solved together with the step: positions do not drift, nothing is "
         "differentiated twice. Velocities satisfy their level to the order of the method.",
         "With the implicit methods: stiff and flexible systems, given steps. With undamped rules "
         "add projection.",
         "scaling reference_mass newton newton_tolerance levels",
         "M. Arnold, O. Bruls, A. Cardona (2012); C. L. Bottasso, D. Dopico, L. Trainelli (2008)",
         "index3.md"},
    [KEEL_INDEX2] =
        {"J v = tau is solved together with the step; positions drift slowly, and chosen steps do not "
         "see that.",
         "For comparison only. ggl and index3/projection hold both levels.",
         "scaling reference_mass newton newton_tolerance",
         "C. L. Bottasso, D. Dopico, L. Trainelli "
         "(2008)",
         "index3.md"},
    [KEEL_GGL] =
        {"Position and velocity level are both solved in the step, with a second multiplier that moves "
         "positions back.",
         "With implicit methods where both levels must hold without projection.",
         "scaling reference_mass newton newton_tolerance", "C. W. Gear, B. Leimkuhler, G. K. Gupta (1985)",
         "ida.md"},
};

static const story STABILIZERS[KEEL_STABILIZERS] = {
    [KEEL_STABILIZE_NONE] = {"Nothing is done against drift.",
                             "To measure drift; with formulations that hold the constraints themselves "
                             "(partitioned, index3, ggl); for models without constraints.",
                             "", "-", "methods.md"},
    [KEEL_BAUMGARTE] =
        {"Violations enter the accelerations like a damped oscillator, so that they fade.",
         "For compatibility with other programs and papers, and for fixed steps where a bounded "
         "violation is enough. It stops at singular poses. Otherwise projection: no gains, fewer "
         "steps, violations at round-off.",
         "alpha beta K_D K_P", "J. Baumgarte (1972)", "baumgarte.md"},
    [KEEL_PROJECTION] =
        {"After every step positions and velocities move to the nearest point that satisfies the "
         "constraints, in the metric of the mass matrix; the integrator goes on from there.",
         "Almost always: it keeps constraints of any rank at round-off, costs no factorization "
         "of its own, and passes singular poses.",
         "metric metric_matrix levels projection_mode projection_tolerance projection_penalty "
         "keep_invariants projected_error",
         "E. Eich (1993)", "projection.md"},
    [KEEL_GRADIENT] =
        {"Dependent coordinates, chosen by the constraint gradients, are corrected; the independent "
         "ones stay as integrated.",
         "Where the correction should touch as few coordinates as possible, or to follow the "
         "paper.",
         "partition", "Z. Terze, J. Naudet, D. Lefeber (2003); W. Blajer and others (1994)", "partition.md"},
};

/* The three places of a method, in the order in which they are written. */
static const struct {
    const char *what, *before, *after; /* how it is written */
    int count;
    const story *stories;
} PLACES[3] = {
    {"integrator", "", "[/FORMULATION[/STABILIZE]]", KEEL_INTEGRATORS, INTEGRATORS},
    {"formulation", "INTEGRATOR/", "[/STABILIZE]", KEEL_FORMULATIONS, FORMULATIONS},
    {"stabiliser", "INTEGRATOR/FORMULATION/", "", KEEL_STABILIZERS, STABILIZERS},
};

static const char *word_at(int place, int i) {
    return cli_topic((cli_topic_kind)(CLI_TOPIC_INTEGRATOR + place), i).name;
}

static bool is_valid(const int words[3]) {
    return keel_method_is_valid((keel_method){.integrator = (keel_integrator)words[0],
                                              .formulation = (keel_formulation)words[1],
                                              .stabilize = (keel_stabilize)words[2]});
}

/* One line: a partner at place `row`, and what may stand at place `item` with it. */
static void write_partner(int words[3], int row, int item) {
    char text[512];
    size_t used = (size_t)snprintf(text, sizeof text, "%-20s ", word_at(row, words[row]));
    int found = 0;
    for (int i = 0; i < PLACES[item].count && used < sizeof text; i++) {
        words[item] = i;
        if (is_valid(words))
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", found++ ? ", " : "",
                                     word_at(item, i));
    }
    if (!found)
        return;
    printf("    ");
    cli_write_paragraph(stdout, text, 4, 25);
}

/* An integrator: its formulations, with their stabilisers; others: partners, with the integrators. */
static void write_partners(int place, int i) {
    int row = place == 1 ? 2 : 1, item = place == 0 ? 2 : 0, words[3] = {0};
    words[place] = i;
    printf("\n  %ss and their %ss\n", PLACES[row].what, PLACES[item].what);
    for (words[row] = 0; words[row] < PLACES[row].count; words[row]++)
        write_partner(words, row, item);
}

static void write_left_out(const char *word) {
    keel_method method;
    char text[64];
    if (keel_method_parse(word, (keel_location){0}, NULL, &method) == KEEL_OK)
        printf("    %-20s %s\n", "if left out", keel_method_text(method, text));
}

/* The rows of the option table whose names are in a list. */
static void write_options(const char *list) {
    int count;
    const keel_option *options = keel_options(&count);
    if (*list)
        printf("\n  options (--option NAME=VALUE)\n");
    for (const char *name = list; *name;) {
        size_t length = strcspn(name, " ");
        for (int i = 0; i < count; i++)
            if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0) {
                char initial[CLI_TITLE], text[512];
                snprintf(text, sizeof text, "%-20s %-17s %s", options[i].name,
                         cli_option_default(&options[i], initial), options[i].help);
                printf("    ");
                cli_write_paragraph(stdout, text, 4, 43);
            }
        name += length + strspn(name + length, " ");
    }
}

static const char *steps_of(keel_integrator integrator) {
    if (!keel_integrator_takes_step(integrator))
        return "chosen from the tolerance";
    return keel_integrator_is_adaptive(integrator)
               ? "fixed with the option step, else chosen from the tolerance"
               : "fixed: the option step";
}

void cli_write_method_word(cli_topic_kind kind, int i) {
    int place = (int)kind - CLI_TOPIC_INTEGRATOR;
    const story *told = &PLACES[place].stories[i];
    keel_word word = cli_topic(kind, i);
    printf("%s - %s\n\n  %s, --method %s%s%s\n\n  ", word.name, word.summary, PLACES[place].what,
           PLACES[place].before, word.name, PLACES[place].after);
    cli_write_paragraph(stdout, told->what, 2, 2);
    printf("\n  when to use it\n    ");
    cli_write_paragraph(stdout, told->when, 4, 4);
    write_partners(place, i);
    if (place == 0) {
        write_left_out(word.name);
        printf("    %-20s %s\n", "steps", steps_of((keel_integrator)i));
    }
    write_options(told->options);
    printf("\n  reference  ");
    cli_write_paragraph(stdout, told->reference, 13, 13);
    cli_write_page(told->page);
}
