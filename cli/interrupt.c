#include <signal.h>
#include <stdbool.h>

#include "cli.h"

static volatile sig_atomic_t stop;

static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNAL_COUNT = sizeof SIGNALS / sizeof *SIGNALS };

/* nohup has runs go on when their terminal is closed. (That shells ignore SIGINT for what they start in the
 * background is no such wish.) */
static bool is_wanted(int number) {
    struct sigaction now;
    return number != SIGHUP || sigaction(number, NULL, &now) || now.sa_handler != SIG_IGN;
}

static void set_all(void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNAL_COUNT; i++)
        if (is_wanted(SIGNALS[i]))
            sigaction(SIGNALS[i], &action, NULL);
}

/* The first signal asks the run to stop, the next one of either kind finds the default again and kills. */
static void on_signal(int number) {
    (void)number;
    stop = 1;
    set_all(SIG_DFL);
}

const volatile int *cli_catch_interrupts(void) {
    set_all(on_signal);
    return &stop;
}
