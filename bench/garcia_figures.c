/* The figures of the experiment in garcia.c: which quantities of which runs they show, and what the paper
 * says about them. */
#include <math.h>

#include "garcia.h"
#include "plot.h"

/* The figures: which quantities of which runs to which time; `claim` goes under the picture, NULL: no
 * picture. */
typedef struct figure {
    int number;
    const char *title, *y_label;
    int runs[3], run_count;
    quantity what[2];
    int what_count;
    double until;
    const char *claim;
} figure;

static const figure FIGURES[] = {
    {3,
     "Positions, dt = 0.04, no projection",
     "q1, q2",
     {FINE},
     1,
     {Q1, Q2},
     2,
     10,
     "Figure 3: the motion without projection at dt = 0.04."},
    {4, "Velocities, dt = 0.04, no projection", "q1', q2'", {FINE}, 1, {V1, V2}, 2, 10, NULL},
    {5, "Energy, dt = 0.04, no projection", "E", {FINE}, 1, {ENERGY}, 1, 10, NULL},
    {6, "Multiplier, dt = 0.04, no projection", "L", {FINE}, 1, {LAMBDA}, 1, 10, NULL},
    {7, "Constraint, dt = 0.04, no projection", "Phi", {FINE}, 1, {PHI}, 1, 10, NULL},
    {8, "Velocity constraint, dt = 0.04, no projection", "Phi'", {FINE}, 1, {RATE}, 1, 10, NULL},
    {9,
     "Energy, dt = 0.1",
     "E",
     {PLAIN, MASS, W_1},
     3,
     {ENERGY},
     1,
     10,
     "Figure 9. The paper: without projection the energy is kept and the integration fails at 5.2 "
     "s; M avoids growth, W causes it (0.53 at 10 s). Keel: the same, without the failure."},
    {10,
     "Multiplier, dt = 0.1",
     "L",
     {PLAIN, MASS, W_1},
     3,
     {LAMBDA},
     1,
     10,
     "Figure 10. The paper: large oscillations of the multiplier without projection, just before "
     "the failure. Keel: the oscillations are those of the step equations, and the run passes them."},
    {11, "Constraint, dt = 0.1", "Phi", {PLAIN, MASS, W_1}, 3, {PHI}, 1, 10, NULL},
    {12,
     "Velocity constraint, dt = 0.1",
     "Phi'",
     {PLAIN, MASS, W_1},
     3,
     {RATE},
     1,
     10,
     "Figure 12. The paper: the violation grows without projection, which it takes for the cause of "
     "the failure; both metrics reduce it. Keel: without projection Phi' changes sign with every "
     "step, grows to 0.75 and falls again; it stays bounded."},
    {14,
     "Velocity constraint, dt = 0.1, projected",
     "Phi'",
     {MASS, W_1, W_20},
     3,
     {RATE},
     1,
     10,
     "Figure 14. The paper: a penalty of 20 brings the violation with W down to what M has with 1."},
    {15,
     "Energy, dt = 0.1, projected",
     "E",
     {MASS, W_1, W_20},
     3,
     {ENERGY},
     1,
     10,
     "Figure 15. The paper: the larger penalty adds more energy (0.67 at 10 s)."},
    {16,
     "Velocity constraint, dt = 0.1, projected, to 50 s",
     "Phi'",
     {MASS, W_20},
     2,
     {RATE},
     1,
     50,
     "Figure 16. The paper: with M the violation stays small; with W and alpha = 20 it grows with "
     "the energy until the integration fails at 35.5 s. Keel: the growth is there, the failure is "
     "not."},
};
enum { FIGURE_COUNT = sizeof FIGURES / sizeof *FIGURES };

static const char *const COLUMNS[QUANTITIES] = {"t", "q1", "q2",  "q1'",  "q2'",
                                                "L", "E",  "Phi", "Phi'", "Delta E_p"};

static void write_data(const figure *f, const trace *traces, const char *folder) {
    char name[32];
    snprintf(name, sizeof name, "fig%02d.csv", f->number);
    FILE *out = create_file(folder, name);
    fputs("t", out);
    for (int r = 0; r < f->run_count; r++)
        for (int k = 0; k < f->what_count; k++)
            fprintf(out, ",\"%s (%s)\"", COLUMNS[f->what[k]], traces[f->runs[r]].label);
    fputs("\n", out);
    for (int i = 0; i <= garcia_at(&traces[f->runs[0]], f->until); i++) {
        fprintf(out, "%.10g", traces[f->runs[0]].x[T][i]);
        for (int r = 0; r < f->run_count; r++)
            for (int k = 0; k < f->what_count; k++)
                fprintf(out, ",%.17g", traces[f->runs[r]].x[f->what[k]][i]);
        fputs("\n", out);
    }
    close_file(out);
}

/* Figure 13: the slope of the other line of velocities whose projection changes no energy is -kappa q1/q2. */
static void write_kernels(const char *folder) {
    FILE *out = create_file(folder, "fig13.csv");
    fputs("q1,q2,\"kappa (alpha = 1)\",\"kappa (alpha = 20)\",\"smallest eigenvalue of B^s\"\n", out);
    for (int i = 0; i <= 100; i++) {
        double angle = 3.14159265358979 / 2 * i / 100, q1 = sin(angle), q2 = cos(angle);
        fprintf(out, "%.10g,%.10g,%.10g,%.10g,%.10g\n", q1, q2, garcia_kappa(q1, q2, 1),
                garcia_kappa(q1, q2, 20), garcia_eigenvalue_W(q1, q2));
    }
    close_file(out);
}

static void draw(const figure *f, const trace *traces, const char *folder) {
    char name[32];
    plot p = {.title = f->title, .x_label = "t", .y_label = f->y_label};
    for (int r = 0; r < f->run_count; r++)
        for (int k = 0; k < f->what_count; k++) {
            const trace *of = &traces[f->runs[r]];
            p.lines[p.line_count++] =
                (plot_line){.label = f->what_count > 1 ? COLUMNS[f->what[k]] : of->label,
                            .count = garcia_at(of, f->until) + 1,
                            .x = of->x[T],
                            .y = of->x[f->what[k]]};
        }
    snprintf(name, sizeof name, "fig%02d.svg", f->number);
    plot_write(&p, folder, name);
}

void garcia_print_figures(const trace traces[RUNS]) {
    printf("\n## The figures\n\n");
    for (int i = 0; i < FIGURE_COUNT; i++)
        if (FIGURES[i].claim)
            printf("%s\n\n![%s](images/garcia/fig%02d.svg)\n\n", FIGURES[i].claim, FIGURES[i].title,
                   FIGURES[i].number);
    printf("The data of all figures are written by `make papers` to `build/garcia`:\n\n"
           "| file | t and, for each run, | runs | to |\n"
           "|---|---|---|---|\n");
    for (int i = 0; i < FIGURE_COUNT; i++) {
        const figure *f = &FIGURES[i];
        printf("| fig%02d.csv | %s | ", f->number, f->y_label);
        for (int r = 0; r < f->run_count; r++)
            printf("%s%s%s", r ? "; " : "", f->runs[r] == FINE ? "" : "dt 0.1, ", traces[f->runs[r]].label);
        printf(" | %g s |\n", f->until);
    }
    printf("| fig13.csv | kappa of figure 13b (as corrected: (a + 2 alpha S)/(mu a^2 + 2 alpha S), "
           "S = q1^2 + a^2 mu q2^2) and the smallest eigenvalue of B^s, over q1, q2 | | |\n");
}

void garcia_write_figures(const trace traces[RUNS], const char *data_folder, const char *image_folder) {
    for (int i = 0; i < FIGURE_COUNT; i++) {
        write_data(&FIGURES[i], traces, data_folder);
        if (FIGURES[i].claim)
            draw(&FIGURES[i], traces, image_folder);
    }
    write_kernels(data_folder);
}
