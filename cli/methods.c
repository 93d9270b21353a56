/* keel methods - the tables of keel/method.h, for people or as Markdown. docs/methods.md holds the latter. */
#include <string.h>

#include "cli.h"

enum { HELP, MARKDOWN };

static const cli_flag FLAGS[] = {
    [HELP] = {"help", 'h', NULL, "this text"},
    [MARKDOWN] = {"markdown", 0, NULL, "the same as Markdown tables; docs/methods.md is made of them"},
};
enum { FLAG_COUNT = sizeof FLAGS / sizeof *FLAGS };

static void help(FILE *file) {
    fprintf(
        file,
        "usage: keel methods [flags]\n\n"
        "Lists the words of --method INTEGRATOR[/FORMULATION[/STABILIZE]] and how they may be combined.\n\n");
    cli_flags_help(file, FLAGS, FLAG_COUNT);
}

/* A table of texts; row 0 has the titles. */
enum { MOST_ROWS = 16, MOST_COLUMNS = KEEL_INTEGRATORS + 1 };

typedef struct table {
    int rows, columns;
    const char *cell[MOST_ROWS][MOST_COLUMNS];
    bool is_code[MOST_ROWS][MOST_COLUMNS]; /* something that the user writes as it stands */
} table;

static void set(table *t, int row, int column, const char *text, bool is_code) {
    t->cell[row][column] = text;
    t->is_code[row][column] = is_code;
    t->rows = row >= t->rows ? row + 1 : t->rows;
    t->columns = column >= t->columns ? column + 1 : t->columns;
}

/* Columns below each other, the first title two blanks to the left, no blanks at the end of a line. */
static void write_text(const table *t) {
    int width[MOST_COLUMNS] = {0};
    for (int r = 0; r < t->rows; r++)
        for (int c = 0; c < t->columns; c++) {
            int length = (int)strlen(t->cell[r][c]) - (r || c ? 0 : 2);
            width[c] = length > width[c] ? length : width[c];
        }
    for (int r = 0; r < t->rows; r++) {
        int last = t->columns - 1, gap = r ? 2 : 0;
        while (last > 0 && !t->cell[r][last][0])
            last--;
        for (int c = 0; c <= last; c++) {
            printf("%*s%s", gap, "", t->cell[r][c]);
            gap = width[c] - (int)strlen(t->cell[r][c]) + (r || c ? 2 : 4);
        }
        printf("\n");
    }
}

static void write_markdown(const table *t) {
    for (int r = 0; r < t->rows; r++) {
        for (int c = 0; c < t->columns; c++) {
            const char *text = t->cell[r][c], *quote = t->is_code[r][c] ? "`" : "";
            printf("|%s%s%s%s ", text[0] ? " " : "", quote, text, quote);
        }
        printf("|\n");
        for (int c = 0; r == 0 && c < t->columns; c++)
            printf("|---%s", c + 1 == t->columns ? "|\n" : "");
    }
}

static void write_table(const table *t, bool markdown) {
    (markdown ? write_markdown : write_text)(t);
    printf("\n");
}

static void set_word(table *t, int row, keel_word word) {
    set(t, row, 0, word.name, true);
    set(t, row, 1, word.summary, false);
}

static table integrators(void) {
    table t = {.cell = {{"integrator", ""}}};
    for (int i = 0; i < KEEL_INTEGRATORS; i++)
        set_word(&t, i + 1, keel_integrator_word((keel_integrator)i));
    return t;
}

static table formulations(void) {
    table t = {.cell = {{"formulation", ""}}};
    for (int i = 0; i < KEEL_FORMULATIONS; i++)
        set_word(&t, i + 1, keel_formulation_word((keel_formulation)i));
    return t;
}

static table stabilizers(void) {
    table t = {.cell = {{"stabilize", ""}}};
    for (int i = 0; i < KEEL_STABILIZERS; i++)
        set_word(&t, i + 1, keel_stabilize_word((keel_stabilize)i));
    return t;
}

static bool is_valid(int integrator, int formulation, int stabilize) {
    return keel_method_is_valid((keel_method){.integrator = (keel_integrator)integrator,
                                              .formulation = (keel_formulation)formulation,
                                              .stabilize = (keel_stabilize)stabilize});
}

/* True if the integrator takes the formulation, with whatever stabiliser. */
static bool takes(int integrator, int formulation) {
    bool any = false;
    for (int s = 0; s < KEEL_STABILIZERS; s++)
        any = any || is_valid(integrator, formulation, s);
    return any;
}

/* True if the formulation takes the stabiliser, with whatever integrator. */
static bool fits(int formulation, int stabilize) {
    bool any = false;
    for (int i = 0; i < KEEL_INTEGRATORS; i++)
        any = any || is_valid(i, formulation, stabilize);
    return any;
}

/* What a method without its third word gets. */
static const char *left_out(int formulation) {
    char text[64];
    keel_method method;
    int i = 0;
    while (i < KEEL_INTEGRATORS - 1 && !takes(i, formulation))
        i++;
    snprintf(text, sizeof text, "%s/%s", keel_integrator_word((keel_integrator)i).name,
             keel_formulation_word((keel_formulation)formulation).name);
    if (keel_method_parse(text, (keel_location){0}, NULL, &method) != KEEL_OK)
        return "-";
    return keel_stabilize_word(method.stabilize).name;
}

static table combinations(void) {
    table t = {.cell = {{"combinations"}}};
    for (int s = 0; s < KEEL_STABILIZERS; s++)
        set(&t, 0, s + 1, keel_stabilize_word((keel_stabilize)s).name, true);
    set(&t, 0, KEEL_STABILIZERS + 1, "if left out", false);
    for (int f = 0; f < KEEL_FORMULATIONS; f++) {
        set(&t, f + 1, 0, keel_formulation_word((keel_formulation)f).name, true);
        for (int s = 0; s < KEEL_STABILIZERS; s++)
            set(&t, f + 1, s + 1, fits(f, s) ? "yes" : "-", false);
        set(&t, f + 1, KEEL_STABILIZERS + 1, left_out(f), true);
    }
    return t;
}

/* "yes": with every stabiliser of the formulation; "unstabilised": with `none` only; "-": not at all. */
static const char *how(int integrator, int formulation) {
    bool all = true;
    for (int s = 0; s < KEEL_STABILIZERS; s++)
        all = all && is_valid(integrator, formulation, s) == fits(formulation, s);
    if (!takes(integrator, formulation))
        return "-";
    return all ? "yes" : "unstabilised";
}

/* Which integrators take which formulations. */
static table partners(void) {
    table t = {.cell = {{"partners"}}};
    for (int i = 0; i < KEEL_INTEGRATORS; i++)
        set(&t, 0, i + 1, keel_integrator_word((keel_integrator)i).name, true);
    for (int f = 0; f < KEEL_FORMULATIONS; f++) {
        set(&t, f + 1, 0, keel_formulation_word((keel_formulation)f).name, true);
        for (int i = 0; i < KEEL_INTEGRATORS; i++)
            set(&t, f + 1, i + 1, how(i, f), false);
    }
    return t;
}

/* "exact", or "drifts, exact" where positions and velocities differ. */
static const char *kept(keel_promise promise) {
    static char text[KEEL_KEEPS_YIELDS + 1][KEEL_KEEPS_YIELDS + 1][32];
    char *words = text[promise.position][promise.velocity];
    const char *first = keel_keeping_word(promise.position), *second = keel_keeping_word(promise.velocity);
    snprintf(words, sizeof text[0][0], promise.position == promise.velocity ? "%s" : "%s, %s", first, second);
    return words;
}

/* How positions and velocities are kept. */
static table promises(void) {
    table t = {.cell = {{"promises"}}};
    for (int s = 0; s < KEEL_STABILIZERS; s++)
        set(&t, 0, s + 1, keel_stabilize_word((keel_stabilize)s).name, true);
    for (int f = 0; f < KEEL_FORMULATIONS; f++) {
        set(&t, f + 1, 0, keel_formulation_word((keel_formulation)f).name, true);
        for (int s = 0; s < KEEL_STABILIZERS; s++) {
            keel_method method = {.formulation = (keel_formulation)f, .stabilize = (keel_stabilize)s};
            set(&t, f + 1, s + 1, fits(f, s) ? kept(keel_method_promise(method)) : "-", false);
        }
    }
    return t;
}

static table energies(void) {
    table t = {.cell = {{"promises", "energy"}}};
    for (int i = 0; i < KEEL_INTEGRATORS; i++) {
        keel_method method = {.integrator = (keel_integrator)i};
        set(&t, i + 1, 0, keel_integrator_word(method.integrator).name, true);
        set(&t, i + 1, 1, keel_energy_promise_word(keel_method_promise(method).energy), false);
    }
    return t;
}

static table automatic(char with[64], char without[64]) {
    const char *reason;
    table t = {.cell = {{"auto", "", ""}}, .is_code = {{true}}};
    set(&t, 1, 0, "with constraints", false);
    set(&t, 1, 1, keel_method_text(keel_method_choose(1, &reason), with), true);
    set(&t, 1, 2, reason, false);
    set(&t, 2, 0, "without", false);
    set(&t, 2, 1, keel_method_text(keel_method_choose(0, &reason), without), true);
    set(&t, 2, 2, reason, false);
    return t;
}

static void write_methods(bool markdown) {
    char with[64], without[64];
    table tables[] = {integrators(),  formulations(), stabilizers(), partners(),
                      combinations(), promises(),     energies()};
    for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++)
        write_table(&tables[i], markdown);
    table last = automatic(with, without);
    (markdown ? write_markdown : write_text)(&last);
}

static int main_methods(int argc, char **argv) {
    cli_arguments arguments = {.argc = argc, .argv = argv, .flags = FLAGS, .flag_count = FLAG_COUNT};
    bool markdown = false;
    int flag;
    while ((flag = cli_next(&arguments)) == MARKDOWN)
        markdown = true;
    if (flag == HELP) {
        help(stdout);
        return CLI_OK;
    }
    if (flag == CLI_OPERAND)
        cli_error("methods", "takes no argument, but got '%s'", arguments.value);
    if (flag != CLI_END)
        return CLI_BAD_INPUT;
    write_methods(markdown);
    return CLI_OK;
}

const cli_command CLI_METHODS = {"methods", "list integrators, formulations and stabilisations", main_methods,
                                 help};
