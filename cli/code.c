/* What evaluates the formulas of a run: the option 'code'. */
#include <math.h>
#include <time.h>

#include "cli.h"

/* Seconds after which a run is long enough for the compiler to be started, and between two looks at it. */
#define COMPILE_AFTER 0.5
#define LOOK_AFTER    0.02

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_code_start(cli_code *code, const keel_model *model, keel_diagnostics *diagnostics) {
    bool automatic = model->settings.code == KEEL_CODE_AUTO;
    *code = (cli_code){.system = automatic ? model->system : NULL, .next = HUGE_VAL};
    if (automatic)
        code->next = seconds() + COMPILE_AFTER;
    if (model->settings.code != KEEL_CODE_NATIVE)
        return;
    code->native = keel_native_attach(model->system, NULL, diagnostics);
    if (code->native)
        keel_native_compile(code->native, 1);
}

/* Who did not ask for machine code does not miss it. */
static void attach_earned(cli_code *code) {
    if (!keel_native_is_due(code->system))
        return;
    code->native = keel_native_attach(code->system, NULL, NULL);
    code->system = NULL;
}

void cli_code_follow(cli_code *code) {
    if (code->system)
        attach_earned(code);
    if (!code->native || code->next == HUGE_VAL || seconds() < code->next)
        return;
    keel_native_state state = keel_native_compile(code->native, 0);
    code->next = state == KEEL_NATIVE_COMPILING ? seconds() + LOOK_AFTER : HUGE_VAL;
}

void cli_code_end(cli_code *code) {
    keel_native_detach(code->native);
    code->native = NULL;
}
