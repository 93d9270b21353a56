#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* Seconds between two drawings, and before the first: a short run shows nothing. */
#define REDRAW_AFTER 0.1
#define WAIT_BEFORE  0.3

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int terminal_width(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void cli_progress_start(cli_progress *progress, double t_start, bool wanted) {
    *progress =
        (cli_progress){.wanted = wanted && isatty(STDERR_FILENO), .t_start = t_start, .began = seconds()};
    progress->last = progress->began + WAIT_BEFORE - REDRAW_AFTER;
}

void cli_progress_show(cli_progress *progress, double t, double until) {
    if (!progress->wanted)
        return;
    double now = seconds();
    if (now - progress->last < REDRAW_AFTER)
        return;
    progress->last = now;

    // time that is left if the rest goes as fast as the part that is done
    double done = fmin(1, (t - progress->t_start) / (until - progress->t_start));
    double left = done > 0 ? (now - progress->began) * (1 - done) / done : 0;
    char text[160], bar[31];
    int filled = (int)(done * (double)(sizeof bar - 1));
    memset(bar, ' ', sizeof bar - 1);
    memset(bar, '=', (size_t)filled);
    bar[sizeof bar - 1] = 0;
    snprintf(text, sizeof text, "[%s] %3d %%  t = %.4g of %.4g  %.0f s left", bar, (int)(100 * done), t,
             until, left);

    // one column stays free: a full line would wrap and could not be taken back
    fprintf(stderr, "\r\033[K%.*s", terminal_width() - 1, text);
    fflush(stderr);
    progress->drawn = true;
}

void cli_progress_end(cli_progress *progress) {
    if (progress->drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    progress->drawn = false;
}
