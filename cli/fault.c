/* fault.c - faults of the program or of a library, which end it: they are told first. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/foreign.h"
#include "cli.h"

static const int FAULTS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { FAULT_COUNT = sizeof FAULTS / sizeof *FAULTS };

/* What a signal handler may call. */
static void tell(const char *text) {
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

/* Ends the program if a library is at work. */
static void leave_library(void) {
    const char *library = ki_foreign_library();
    if (!library)
        return;
    tell("keel: error: out of memory in ");
    tell(library);
    tell(", or a fault of it\n");
    _exit(CLI_FAILED);
}

/* Libraries fault where an allocation failed that they did not look at: a failure like others. All else is a
 * mistake of the program, and ends as the system ends such programs. */
static void on_fault(int number) {
    leave_library();
    tell("keel: error: the program has a mistake and cannot go on; please report it with the command and its "
         "model\n");
    signal(number, SIG_DFL);
    raise(number);
}

void cli_catch_faults(void) {
    atexit(leave_library);      // HDF5 1.10 calls exit() where it cannot register an object
#ifndef __SANITIZE_ADDRESS__    /* which tells more */
    static char stack[1 << 14]; // the usual one may be what ran out
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    sigaltstack(&other, NULL);
    for (int i = 0; i < FAULT_COUNT; i++)
        sigaction(FAULTS[i], &action, NULL);
#else
    (void)on_fault;
    (void)FAULTS;
#endif
}
