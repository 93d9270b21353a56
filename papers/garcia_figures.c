/* The figures of the experiment in garcia.c: which quantities of which runs they show. */
#include <math.h>

#include "papers/garcia.h"

/* `text` goes with the picture, NULL: the data only. */
typedef struct figure {
    const char *name, *title, *y_label;
    int runs[3], run_count;
    ki_garcia_quantity what[2];
    int what_count;
    double until;
    const char *text;
} figure;

static const figure FIGURES[] = {
    {"fig03",
     "Figure 3: positions, dt = 0.04, no projection",
     "q1, q2",
     {KI_GARCIA_FINE},
     1,
     {KI_GARCIA_Q1, KI_GARCIA_Q2},
     2,
     10,
     "The motion without projection at dt = 0.04."},
    {"fig04",
     "Figure 4: velocities, dt = 0.04, no projection",
     "q1', q2'",
     {KI_GARCIA_FINE},
     1,
     {KI_GARCIA_V1, KI_GARCIA_V2},
     2,
     10,
     NULL},
    {"fig05",
     "Figure 5: energy, dt = 0.04, no projection",
     "E",
     {KI_GARCIA_FINE},
     1,
     {KI_GARCIA_ENERGY},
     1,
     10,
     NULL},
    {"fig06",
     "Figure 6: multiplier, dt = 0.04, no projection",
     "L",
     {KI_GARCIA_FINE},
     1,
     {KI_GARCIA_LAMBDA},
     1,
     10,
     NULL},
    {"fig07",
     "Figure 7: constraint, dt = 0.04, no projection",
     "Phi",
     {KI_GARCIA_FINE},
     1,
     {KI_GARCIA_PHI},
     1,
     10,
     NULL},
    {"fig08",
     "Figure 8: velocity constraint, dt = 0.04, no projection",
     "Phi'",
     {KI_GARCIA_FINE},
     1,
     {KI_GARCIA_RATE},
     1,
     10,
     NULL},
    {"fig09",
     "Figure 9: energy, dt = 0.1",
     "E",
     {KI_GARCIA_PLAIN, KI_GARCIA_MASS, KI_GARCIA_W_1},
     3,
     {KI_GARCIA_ENERGY},
     1,
     10,
     "The paper: without projection the energy is kept and the integration fails at 5.2 s; M avoids growth, "
     "W "
     "causes it (0.53 at 10 s). Keel: the same, without the failure."},
    {"fig10",
     "Figure 10: multiplier, dt = 0.1",
     "L",
     {KI_GARCIA_PLAIN, KI_GARCIA_MASS, KI_GARCIA_W_1},
     3,
     {KI_GARCIA_LAMBDA},
     1,
     10,
     "The paper: large oscillations of the multiplier without projection, just before the failure. Keel: the "
     "oscillations are those of the step equations, and the run passes them."},
    {"fig11",
     "Figure 11: constraint, dt = 0.1",
     "Phi",
     {KI_GARCIA_PLAIN, KI_GARCIA_MASS, KI_GARCIA_W_1},
     3,
     {KI_GARCIA_PHI},
     1,
     10,
     NULL},
    {"fig12",
     "Figure 12: velocity constraint, dt = 0.1",
     "Phi'",
     {KI_GARCIA_PLAIN, KI_GARCIA_MASS, KI_GARCIA_W_1},
     3,
     {KI_GARCIA_RATE},
     1,
     10,
     "The paper: the violation grows without projection, which it takes for the cause of the failure; both "
     "metrics reduce it. Keel: without projection Phi' changes sign with every step, grows to 0.75 and falls "
     "again; it stays bounded."},
    {"fig14",
     "Figure 14: velocity constraint, dt = 0.1, projected",
     "Phi'",
     {KI_GARCIA_MASS, KI_GARCIA_W_1, KI_GARCIA_W_20},
     3,
     {KI_GARCIA_RATE},
     1,
     10,
     "The paper: a penalty of 20 brings the violation with W down to what M has with 1."},
    {"fig15",
     "Figure 15: energy, dt = 0.1, projected",
     "E",
     {KI_GARCIA_MASS, KI_GARCIA_W_1, KI_GARCIA_W_20},
     3,
     {KI_GARCIA_ENERGY},
     1,
     10,
     "The paper: the larger penalty adds more energy (0.67 at 10 s)."},
    {"fig16",
     "Figure 16: velocity constraint, dt = 0.1, projected, to 50 s",
     "Phi'",
     {KI_GARCIA_MASS, KI_GARCIA_W_20},
     2,
     {KI_GARCIA_RATE},
     1,
     50,
     "The paper: with M the violation stays small; with W and alpha = 20 it grows with the energy until the "
     "integration fails at 35.5 s. Keel: the growth is there, the failure is not."},
};

static const char *const NAMES[KI_GARCIA_QUANTITIES] = {"t", "q1",  "q2",   "q1'",       "q2'",    "L",
                                                        "E", "Phi", "Phi'", "Delta E_p", "balance"};

static void add_figure(ki_draft *d, const garcia *g, const figure *f) {
    ki_figure(
        d, &(keel_figure){
               .name = f->name, .title = f->title, .x_label = "t", .y_label = f->y_label, .text = f->text});
    for (int r = 0; r < f->run_count; r++)
        for (int k = 0; k < f->what_count; k++) {
            const ki_record *of = g->run[f->runs[r]].record;
            ki_series(d, f->what_count > 1 ? NAMES[f->what[k]] : KI_GARCIA_KINDS[f->runs[r]].label,
                      ki_garcia_at(f->runs[r], f->until) + 1, of->x[KI_GARCIA_T], of->x[f->what[k]], false);
        }
}

/* Figure 13b: the slope of the other line of velocities whose projection changes no energy is -kappa q1/q2.
 */
static void add_kernels(ki_draft *d) {
    enum { POINTS = 101 };
    double q1[POINTS], one[POINTS], twenty[POINTS], printed[POINTS];
    for (int i = 0; i < POINTS; i++) {
        double angle = 3.14159265358979 / 2 * i / (POINTS - 1), q2 = cos(angle);
        q1[i] = sin(angle);
        one[i] = ki_garcia_kappa(q1[i], q2, 1);
        twenty[i] = ki_garcia_kappa(q1[i], q2, 20);
        printed[i] = ki_garcia_kappa_printed(q1[i], q2);
    }
    ki_figure(d, &(keel_figure){.name = "fig13",
                                .title = "Figure 13b: kappa of the second line, A = W",
                                .x_label = "q1",
                                .y_label = "kappa"});
    ki_series(d, "alpha = 1", POINTS, q1, one, false);
    ki_series(d, "alpha = 20", POINTS, q1, twenty, false);
    ki_series(d, "as printed", POINTS, q1, printed, false);
}

void ki_garcia_figures(ki_draft *d, const garcia *g) {
    for (unsigned i = 0; i < sizeof FIGURES / sizeof *FIGURES; i++)
        add_figure(d, g, &FIGURES[i]);
    add_kernels(d);
}
