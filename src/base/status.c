#include "keel/status.h"

static const struct {
    keel_status status;
    const char *word, *text;
} TABLE[] = {
    {KEEL_OK, "ok", "done"},
    {KEEL_INTERRUPTED, "interrupted", "stopped on request"},
    {KEEL_INACCURATE, "inaccurate", "a linear solve ended above its tolerance"},
    {KEEL_INCONSISTENT, "inconsistent", "dependent constraints contradict each other"},
    {KEEL_ERROR_MEMORY, "memory", "out of memory"},
    {KEEL_ERROR_INPUT, "input", "the input is not a valid model"},
    {KEEL_ERROR_SINGULAR, "singular", "the equations of motion have no unique solution here"},
    {KEEL_ERROR_CONVERGENCE, "convergence", "an iteration did not converge"},
    {KEEL_ERROR_STEP_SIZE, "step_size", "the step size became too small"},
    {KEEL_ERROR_NOT_FINITE, "not_finite", "a model function returned NaN or infinity"},
    {KEEL_ERROR_START, "start", "the start violates a constraint"},
    {KEEL_ERROR_LIMIT, "limit", "a limit of the settings was reached"},
    {KEEL_ERROR_CALLBACK, "callback", "a function supplied by the user reported failure"},
    {KEEL_ERROR_IO, "io", "a file could not be read or written"},
};

const char *keel_status_word(keel_status status) {
    for (unsigned i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
        if (TABLE[i].status == status)
            return TABLE[i].word;
    return "unknown";
}

const char *keel_status_text(keel_status status) {
    for (unsigned i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
        if (TABLE[i].status == status)
            return TABLE[i].text;
    return "unknown status";
}

const char *keel_version(void) {
    return KEEL_VERSION;
}

keel_status keel_status_of_start(keel_status status) {
    return status < 0 && status != KEEL_ERROR_MEMORY && status != KEEL_ERROR_IO ? KEEL_ERROR_START : status;
}
