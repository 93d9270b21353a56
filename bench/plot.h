/* plot.h - line plots as small SVG files. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include <stdbool.h>

/* Points that are not finite, and on a logarithmic axis not positive, interrupt the line. */
typedef struct plot_line {
    const char *label;
    int count;
    const double *x, *y; /* [count] */
    bool dots;           /* a dot at every point */
} plot_line;

enum { PLOT_LINES_MAX = 8 };

typedef struct plot {
    const char *title, *x_label, *y_label;
    bool logarithmic; /* both axes */
    int line_count;
    plot_line lines[PLOT_LINES_MAX];
} plot;

/* Writes FOLDER/NAME. */
void plot_write(const plot *p, const char *folder, const char *name);

#endif
