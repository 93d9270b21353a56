/* keel check - looks at a model without running it: sizes, degrees of freedom, dependent constraints, and
 * whether it can start. */
#include <math.h>
#include <stdlib.h>

#include "cli.h"
#include "keel/dependence.h"
#include "keel/run.h"

enum { HELP, SET };

static const cli_flag FLAGS[] = {
    [HELP] = {"help", 'h', NULL, "this text"},
    [SET] = {"set", 0, "NAME=VALUE", "replace a parameter of the model; may be repeated"},
};
enum { FLAG_COUNT = sizeof FLAGS / sizeof *FLAGS };

/* At most so many violated constraints are listed, the worst first. */
enum { LISTED = 10 };

/* What is known of the start. */
typedef struct findings {
    const keel_system *system;
    keel_point at;
    double *Phi, *rate;
    keel_dependence found;
} findings;

static void help(FILE *file) {
    fprintf(
        file,
        "usage: keel check MODEL [flags]\n\n"
        "Reads the model and tells its size, degrees of freedom, which constraints depend on others, and\n"
        "whether it can start. Exit code 0 if a run can start, 2 if not.\n\n");
    cli_flags_help(file, FLAGS, FLAG_COUNT);
}

static void label(const char *text) {
    printf("  %-20s ", text);
}

static void write_sizes(const keel_system *system) {
    label("coordinates");
    printf("%d", system->n_q);
    if (system->n_v != system->n_q)
        printf(" (%d velocities)", system->n_v);
    printf("\n");
    label("constraints");
    printf("%d holonomic, %d nonholonomic\n", system->n_h, system->n_n);
    if (system->n_z) {
        label("first-order states");
        printf("%d\n", system->n_z);
    }
    if (system->n_s) {
        label("auxiliary unknowns");
        printf("%d\n", system->n_s);
    }
    for (int i = 0; i < system->n_i; i++) {
        char buffer[32];
        label(i ? "" : "invariants");
        printf("%s\n", keel_system_name(system, KEEL_NAME_INVARIANT, i, buffer));
    }
}

/* Evaluates Phi and the velocity violation at the point, then the rank of J. */
static keel_status evaluate(findings *f) {
    const keel_system *system = f->system;
    int m = keel_system_m(system);
    void *work = NULL;
    f->Phi = calloc((size_t)m + 1, sizeof(double));
    f->rate = calloc((size_t)m + 1, sizeof(double));
    if (!f->Phi || !f->rate)
        return KEEL_ERROR_MEMORY;
    keel_status status = system->work_new ? system->work_new(system, &work) : KEEL_OK;
    if (status >= 0) {
        keel_terms terms = {.Phi = f->Phi, .rate = f->rate};
        status = system->evaluate(system, work, KEEL_POSITION | KEEL_VELOCITY, &f->at, &terms);
    }
    if (system->work_free)
        system->work_free(work);
    if (status < 0 || m == 0)
        return status;
    return keel_dependence_find(system, &f->at, &f->found);
}

static const char *constraint_name(const keel_system *system, int row, char buffer[32]) {
    return keel_system_name(system, KEEL_NAME_CONSTRAINT, row, buffer);
}

/* "rod, copy" of the constraints whose mark is `mark`, or "none" */
static void write_marked(const findings *f, const char *text, int mark) {
    char buffer[32];
    int written = 0;
    label(text);
    for (int i = 0; i < keel_system_m(f->system); i++)
        if (f->found.shared[i] == mark)
            printf("%s%s", written++ ? ", " : "", constraint_name(f->system, i, buffer));
    printf("%s\n", written ? "" : "none");
}

/* Which constraints are combinations of the others, and for every constraint whether its multiplier is unique
 * or can be shifted to others without a change of the motion. */
static void write_dependent(const findings *f) {
    const keel_dependence *found = &f->found;
    char buffer[32];
    if (!found->dependent_count) {
        label("multipliers unique");
        printf("all\n");
        return;
    }
    label("dependent");
    for (int k = 0; k < found->dependent_count; k++)
        printf("%s%s", k ? ", " : "", constraint_name(f->system, found->dependent[k], buffer));
    printf("\n");
    write_marked(f, "multipliers shared", 1);
    write_marked(f, "multipliers unique", 0);
}

/* Motions that say what others say already; of joints the mobility has told. */
static void write_motions(const findings *f) {
    char text[600];
    const char *const *joint = f->system->names.joint;
    for (int k = 0, written = 0; joint && k < f->found.dependent_count; k++) {
        int row = f->found.dependent[k];
        if (row >= f->system->n_h || joint[row])
            continue;
        label(written++ ? "" : "dependent motions");
        printf("%s\n", keel_dependence_sentence(f->system, &f->found, k, text, sizeof text));
    }
}

/* How clear the decision was. */
static void write_gap(const keel_dependence *found) {
    /* rows that differ by more were told apart by the precision, not by round-off */
    bool drawn = found->most > 1e-10;
    label("rank gap");
    if (!found->dependent_count)
        printf("none: all rows count, the smallest remainder is %.2g", found->least);
    else if (found->rank == 0 && found->most == 0)
        printf("none: all rows are zero");
    else if (found->rank == 0)
        printf("none: no row counts, the largest remainder is %.2g", found->most);
    else if (found->most == 0)
        printf("infinite: the remainder %.2g counts, 0 does not", found->least);
    else
        printf("%.2g: the remainder %.2g counts, %.2g does not", found->least / found->most, found->least,
               found->most);
    printf("%s\n", drawn && found->dependent_count ? ": within the precision of the drawing" : "");
}

/* In a singular pose. */
static void write_pose(const keel_dependence *found) {
    if (found->rank_here == found->rank && found->branch_loss == 0)
        return;
    label("singular start");
    if (found->rank_here == found->rank) {
        printf("the start is a singular pose of the joints, whose rank is %d less than usually; branches "
               "meet here\n",
               found->branch_loss);
        return;
    }
    printf("the start is a singular pose: rank %d, usually %d; %s\n", found->rank_here, found->rank,
           found->branch_loss ? "branches meet here" : "what is driven is at a dead point");
}

static void write_rank(const findings *f) {
    const keel_system *system = f->system;
    int m = keel_system_m(system);
    label("degrees of freedom");
    printf("%d\n", system->n_v - f->found.rank);
    if (!m)
        return;
    label("rank");
    printf("%d of %d constraints are independent\n", f->found.rank, m);
    write_gap(&f->found);
    write_pose(&f->found);
    write_dependent(f);
    write_motions(f);
}

/* Lists the constraints that are violated most at one level, crossing them out as it goes. */
static void write_violations(const findings *f, const char *level, double *values, int count) {
    char buffer[32];
    for (int listed = 0; listed < LISTED; listed++) {
        int worst = -1;
        for (int i = 0; i < count; i++)
            if (fabs(values[i]) > (worst < 0 ? 0 : fabs(values[worst])))
                worst = i;
        if (worst < 0)
            return;
        printf("    %-10s %-16s %.3g\n", level, constraint_name(f->system, worst, buffer), values[worst]);
        values[worst] = 0;
    }
}

static bool is_violated(const findings *f) {
    bool any = false;
    for (int i = 0; i < keel_system_m(f->system); i++)
        any = any || f->rate[i] != 0 || (i < f->system->n_h && f->Phi[i] != 0);
    return any;
}

static void write_start(const findings *f, keel_status status, const keel_result *result) {
    label("start");
    if (status == KEEL_ERROR_INPUT) {
        printf("not tried: the settings are wrong\n");
    } else if (status < 0) {
        printf("%s%s\n", keel_status_text(status), is_violated(f) ? "; violations as given:" : "");
        write_violations(f, "position", f->Phi, f->system->n_h);
        write_violations(f, "velocity", f->rate, keel_system_m(f->system));
    } else if (result->start_position_moved > 0 || result->start_velocity_moved > 0) {
        printf("consistent after moving");
        if (result->start_position_moved > 0)
            printf(" coordinates by up to %.2g", result->start_position_moved);
        if (result->start_velocity_moved > 0)
            printf("%s velocities by up to %.2g", result->start_position_moved > 0 ? "," : "",
                   result->start_velocity_moved);
        printf("\n");
    } else {
        printf("consistent as given\n");
    }
}

/* A mechanism that cannot move, or not in a way that is determined. */
static void write_refused(void) {
    label("start");
    printf("not tried: see the errors\n");
}

static keel_point point_of_row(const keel_row *row) {
    return (keel_point){row->t, row->q, row->v, row->z, row->s, row->lambda, NULL};
}

static keel_point point_of_state(const keel_state *state) {
    return (keel_point){state->t, state->q, state->v, state->z, state->s, state->lambda, NULL};
}

static int check(keel_model *model, keel_diagnostics *diagnostics) {
    int shown = keel_diagnostics_count(diagnostics);
    keel_status status = keel_model_prepare(model, diagnostics);
    bool refused = status == KEEL_ERROR_INPUT; /* a start, but bodies that cannot move */
    keel_simulation *simulation = NULL;
    if (status >= 0)
        simulation = keel_simulation_new(model->system, model->start, model->velocities_given,
                                         &model->settings, diagnostics, &status);
    keel_row row = {0};
    keel_result result = {0};
    if (simulation) {
        status = keel_simulation_row(simulation, model->start->t, &row);
        keel_simulation_result(simulation, &result);
    }
    // the rank belongs to the start as it was made consistent, if it had to be and could be
    bool consistent = simulation && status >= 0;
    bool moved = consistent && result.start_position_moved > 0;
    findings f = {.system = model->system, .at = moved ? point_of_row(&row) : point_of_state(model->start)};
    keel_status evaluated = evaluate(&f);

    printf("%s\n", model->name);
    write_sizes(model->system);
    if (evaluated >= 0)
        evaluated = cli_write_mobility(model);
    if (evaluated >= 0) {
        write_rank(&f);
        if (refused)
            write_refused();
        else
            write_start(&f, consistent ? KEEL_OK : status, &result);
    } else {
        cli_error("check", "at the start: %s", keel_status_text(evaluated));
    }
    fflush(stdout);
    cli_show(diagnostics, shown);

    keel_dependence_clear(&f.found);
    free(f.Phi);
    free(f.rate);
    keel_result_clear(&result);
    keel_simulation_free(simulation);
    if (consistent && evaluated >= 0)
        return CLI_OK;
    if (status == KEEL_ERROR_MEMORY || evaluated == KEEL_ERROR_MEMORY)
        return CLI_FAILED;
    return cli_answered(CLI_BAD_INPUT);
}

/* Reads all arguments: CLI_END when there is a model to check, HELP, or CLI_WRONG after telling the user. */
static int parse(int argc, char **argv, const char **path, keel_assignment *set, int *set_count) {
    cli_arguments arguments = {.argc = argc, .argv = argv, .flags = FLAGS, .flag_count = FLAG_COUNT};
    int flag;
    while ((flag = cli_next(&arguments)) != CLI_END && flag != CLI_WRONG && flag != HELP) {
        keel_assignment *next = &set[*set_count];
        if (flag == SET) {
            if (!cli_split("check", "set", arguments.value, &next->name, &next->value))
                return CLI_WRONG;
            ++*set_count;
        } else if (*path) {
            cli_error("check", "one model at a time, but got '%s' and '%s'", *path, arguments.value);
            return CLI_WRONG;
        } else {
            *path = arguments.value;
        }
    }
    if (flag == CLI_END && !*path) {
        cli_error("check", "which model? usage: keel check MODEL");
        return CLI_WRONG;
    }
    return flag;
}

static int main_check(int argc, char **argv) {
    keel_diagnostics *diagnostics = keel_diagnostics_new();
    keel_assignment *set = calloc((size_t)argc, sizeof *set);
    const char *path = NULL;
    int set_count = 0, code = CLI_BAD_INPUT;
    int flag = set && diagnostics ? parse(argc, argv, &path, set, &set_count) : CLI_WRONG;
    if (flag == HELP) {
        help(stdout);
        code = CLI_OK;
    } else if (flag == CLI_END) {
        keel_model *model = cli_read_model("check", path, set, set_count, diagnostics, &code);
        if (model)
            code = check(model, diagnostics);
        keel_model_free(model);
    }
    free(set);
    keel_diagnostics_free(diagnostics);
    return code;
}

const cli_command CLI_CHECK = {"check",
                               "tell degrees of freedom, dependent constraints and whether a model can start",
                               main_check, help};
