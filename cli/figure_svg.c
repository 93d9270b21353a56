/* Line plots as small SVG files. */
#include <math.h>
#include <stdbool.h>

#include "reproduce.h"

enum { LINES_MAX = 8 }; /* more share colours */

/* The sheet and the frame of the plot on it. */
static const double WIDTH = 640, HEIGHT = 360, LEFT = 72, RIGHT = 624, TOP = 56, BOTTOM = 312;

/* Told apart by people who see colours differently, and in print by their dashes. */
static const char *const COLOURS[LINES_MAX] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                               "#56b4e9", "#e69f00", "#000000", "#777777"};
static const char *const DASHES[LINES_MAX] = {"none", "6 3", "2 2", "9 3 2 3", "none", "6 3", "2 2", "none"};

/* One direction: values (or their decimal logarithms) from `least` to `most` become places `begin` to `end`.
 */
typedef struct axis {
    bool logarithmic;
    double least, most, step;
    double begin, end;
} axis;

/* What is drawn for a value; NaN if it cannot be. */
static double drawn(const axis *a, double value) {
    if (!a->logarithmic)
        return isfinite(value) ? value : NAN;
    return value > 0 && isfinite(value) ? log10(value) : NAN;
}

static double place(const axis *a, double value) {
    return a->begin + (drawn(a, value) - a->least) / (a->most - a->least) * (a->end - a->begin);
}

/* A distance of ticks of 1, 2 or 5 times a power of ten that gives about six of them. */
static double tick_step(double range, bool logarithmic) {
    double rough = range / 6, power = pow(10, floor(log10(rough))), digit = rough / power;
    double step = power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
    return logarithmic ? fmax(1, round(step)) : step;
}

/* From the lines: x ends where the values do, y at a tick. */
static axis fit(const keel_figure *f, bool of_x) {
    axis a = {.logarithmic = of_x ? f->x_log : f->y_log, .least = INFINITY, .most = -INFINITY};
    for (int i = 0; i < f->series_count; i++)
        for (int k = 0; k < f->series[i].count; k++) {
            double value = drawn(&a, (of_x ? f->series[i].x : f->series[i].y)[k]);
            a.least = fmin(a.least, value); /* fmin and fmax pass over a NaN */
            a.most = fmax(a.most, value);
        }
    if (!(a.most - a.least > 1e-9 * fmax(fabs(a.most), fabs(a.least)))) /* constant, or nothing at all */
        a.least = isfinite(a.least) ? a.least - 0.5 : 0, a.most = a.least + 1;
    a.step = tick_step(a.most - a.least, a.logarithmic);
    if (!of_x) {
        a.least = a.step * floor(a.least / a.step + 1e-9);
        a.most = a.step * ceil(a.most / a.step - 1e-9);
    }
    a.begin = of_x ? LEFT : BOTTOM;
    a.end = of_x ? RIGHT : TOP;
    return a;
}

static void write_tick(FILE *out, const axis *a, double value, bool of_x) {
    double at = a->begin + (value - a->least) / (a->most - a->least) * (a->end - a->begin);
    char text[32];
    value = fabs(value) < 1e-9 * a->step ? 0 : value;
    snprintf(text, sizeof text, a->logarithmic ? "1e%g" : "%.6g", value);
    if (of_x)
        fprintf(out,
                "<path class=\"g\" d=\"M%.1f %g V%g\"/><text x=\"%.1f\" y=\"%g\" "
                "text-anchor=\"middle\">%s</text>\n",
                at, BOTTOM, TOP, at, BOTTOM + 16, text);
    else
        fprintf(
            out,
            "<path class=\"g\" d=\"M%g %.1f H%g\"/><text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
            LEFT, at, RIGHT, LEFT - 6, at + 4, text);
}

static void write_axis(FILE *out, const axis *a, bool of_x) {
    double first = ceil(a->least / a->step - 1e-9);
    for (int i = 0; (first + i) * a->step <= a->most + 1e-9 * a->step; i++)
        write_tick(out, a, (first + i) * a->step, of_x);
}

static void write_line(FILE *out, const keel_series *line, const axis *x, const axis *y, int number) {
    bool pen_down = false;
    fprintf(out, "<path class=\"l\" stroke=\"%s\" stroke-dasharray=\"%s\" d=\"", COLOURS[number],
            DASHES[number]);
    for (int k = 0; k < line->count; k++) {
        double at_x = place(x, line->x[k]), at_y = place(y, line->y[k]);
        bool known = isfinite(at_x) && isfinite(at_y);
        if (known)
            fprintf(out, "%s%.1f %.1f", pen_down ? " " : "M", at_x, at_y);
        pen_down = known;
    }
    fputs("\"/>\n", out);
    for (int k = 0; k < line->count && line->marks; k++) {
        double at_x = place(x, line->x[k]), at_y = place(y, line->y[k]);
        if (isfinite(at_x) && isfinite(at_y))
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n", at_x, at_y,
                    COLOURS[number]);
    }
}

/* One row under the title; a letter is about six wide. */
static void write_legend(FILE *out, const keel_figure *f) {
    double at = LEFT, y = TOP - 12;
    for (int i = 0; i < f->series_count; i++) {
        const char *label = f->series[i].name, *colour = COLOURS[i % LINES_MAX],
                   *dashes = DASHES[i % LINES_MAX];
        int letters = 0;
        while (label[letters])
            letters++;
        fprintf(out, "<path class=\"l\" stroke=\"%s\" stroke-dasharray=\"%s\" d=\"M%g %g h22\"/>", colour,
                dashes, at, y);
        fprintf(out, "<text x=\"%g\" y=\"%g\">%s</text>\n", at + 27, y + 4, label);
        at += 45 + 6.2 * letters;
    }
}

void cli_figure_svg(FILE *out, const keel_figure *f) {
    axis x = fit(f, true), y = fit(f, false);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" "
            "height=\"%g\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
            "<title>%s</title>\n"
            "<style>.l{fill:none;stroke-width:1.5;stroke-linejoin:round}.g{stroke:#ddd}</style>\n"
            "<rect width=\"%g\" height=\"%g\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, f->title, WIDTH, HEIGHT);
    write_axis(out, &x, true);
    write_axis(out, &y, false);
    fprintf(out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" stroke=\"#222\"/>\n", LEFT,
            TOP, RIGHT - LEFT, BOTTOM - TOP);
    for (int i = 0; i < f->series_count; i++)
        write_line(out, &f->series[i], &x, &y, i % LINES_MAX);
    write_legend(out, f);
    fprintf(out, "<text x=\"%g\" y=\"22\" font-size=\"14\">%s</text>\n", LEFT, f->title);
    fprintf(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%s</text>\n", (LEFT + RIGHT) / 2,
            HEIGHT - 12, f->x_label);
    fprintf(out,
            "<text transform=\"translate(16 %g) rotate(-90)\" text-anchor=\"middle\">%s</text>\n</svg>\n",
            (TOP + BOTTOM) / 2, f->y_label);
}
