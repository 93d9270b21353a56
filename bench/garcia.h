/* garcia.h - the runs of the experiment in garcia.c, and its figures. */
#ifndef BENCH_GARCIA_H
#define BENCH_GARCIA_H

#include "papers.h"

enum { SAMPLES_MAX = 501 };

typedef enum quantity { T, Q1, Q2, V1, V2, LAMBDA, ENERGY, PHI, RATE, PROJECTED, QUANTITIES } quantity;

/* One run, step by step: x[quantity][step]. */
typedef struct trace {
    const char *label;
    double step, until;
    int metric; /* -1: no projection */
    double alpha;
    double x[QUANTITIES][SAMPLES_MAX];
    int count, most_iterations;
    keel_result result;
} trace;

enum { FINE, PLAIN, MASS, W_1, W_20, RUNS };

/* The sample at time t. */
int garcia_at(const trace *of, double t);

/* Smallest eigenvalue of B^s at q in the metric W. */
double garcia_eigenvalue_W(double q1, double q2);

/* kappa of figure 13b at q. */
double garcia_kappa(double q1, double q2, double alpha);

/* Figures and a table of their data, in Markdown. */
void garcia_print_figures(const trace traces[RUNS]);

/* Data as CSV, the most telling figures as SVG. */
void garcia_write_figures(const trace traces[RUNS], const char *data_folder, const char *image_folder);

#endif
