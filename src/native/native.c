/* native.c - attach, compile, take over, detach. */
#include "keel/native.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keel/mechanism.h"
#include "linalg/saddle_code.h"
#include "native/compiler.h"
#include "native/emit_model.h"

struct keel_native {
    ki_model *model; /* NULL: not a system of equations */
    keel_diagnostics *diagnostics;
    keel_native_state state;
    ki_text text;
    ki_emitted emitted;
    ki_compiler compiler;
    ki_cache cache;
    char path[KI_PATH_MAX]; /* of the code in the cache */
    ki_compilation compilation;
    void *library; /* from dlopen */
    ki_native_code code;
    keel_saddle_code kernel;
};

static keel_native_state fail(keel_native *native, const char *format, const char *what, const char *reason) {
    char text[KI_PATH_MAX + KI_REASON_MAX + 64];
    snprintf(text, sizeof text, format, what, reason);
    keel_diagnostics_add(native->diagnostics, KEEL_WARNING, (keel_location){0},
                         "no machine code, the formulas run on the tape: %s", text);
    native->state = KEEL_NATIVE_FAILED;
    return native->state;
}

/* ---- load */

/* A function of the library; what a data pointer holds and what a function pointer holds is the same with
 * POSIX. */
static bool find(void *library, const char *name, void *function) {
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found;
}

static bool find_all(keel_native *native) {
    const keel_system *system = &native->model->system;
    char name[32];
    bool ok = true;
    for (int i = 0; i < native->model->programs; i++) {
        snprintf(name, sizeof name, "keel_program_%d", i);
        native->code.reads[i] = native->emitted.reads[i];
        if (native->emitted.has[i])
            ok = find(native->library, name, &native->code.program[i]) && ok;
    }
    if (!native->emitted.kernel)
        return ok;
    native->kernel.path = native->emitted.path;
    native->kernel.n = system->n_v;
    native->kernel.m = keel_system_m(system);
    native->code.saddle = &native->kernel;
    native->kernel.what = native->emitted.what;
    if (native->emitted.through)
        ok = find(native->library, "keel_accelerate", &native->kernel.accelerate) && ok;
    if (native->emitted.stage)
        ok = find(native->library, "keel_stage", &native->kernel.stage) && ok;
    ok = find(native->library, "keel_times", &native->kernel.times) && ok;
    ok = find(native->library, "keel_row_sums", &native->kernel.row_sums) && ok;
    return find(native->library, "keel_factor", &native->kernel.factor) &&
           find(native->library, "keel_solve", &native->kernel.solve) && ok;
}

/* Takes the code at native->path if it is there and good. */
static bool take_over(keel_native *native) {
    if (!ki_cache_check(native->path))
        return false;
    native->library = dlopen(native->path, RTLD_NOW | RTLD_LOCAL);
    if (!native->library)
        return false;
    if (!find_all(native)) {
        dlclose(native->library);
        native->library = NULL;
        return false;
    }
    atomic_store_explicit(&native->model->native, &native->code, memory_order_release);
    native->state = KEEL_NATIVE_READY;
    return true;
}

/* ---- attach */

static ki_hash key_of(const keel_native *native) {
    ki_hash hash = ki_hash_add((ki_hash){0}, KEEL_VERSION, sizeof KEEL_VERSION);
    hash = ki_hash_add(hash, native->text.at, native->text.length);
    return ki_compiler_hash(&native->compiler, hash);
}

/* A cache that cannot be used is told of only when the compiler is asked for. */
static bool open_cache(keel_native *native, const char *given, char reason[KI_REASON_MAX]) {
    return ki_cache_open(&native->cache, given, reason) &&
           ki_cache_path(&native->cache, key_of(native), native->path);
}

keel_native *keel_native_attach(keel_system *system, const keel_native_options *options,
                                keel_diagnostics *diagnostics) {
    const keel_native_options none = {0};
    char reason[KI_REASON_MAX];
    keel_native *native = calloc(1, sizeof *native);
    options = options ? options : &none;
    if (!native)
        return NULL;
    const keel_system *formulas = keel_mechanism_formulas(system);
    native->model = keel_equations_inside(formulas ? formulas : system);
    native->diagnostics = diagnostics;
    if (!native->model) {
        native->state = KEEL_NATIVE_FAILED; /* a mechanism without formulas: there is no tape to replace */
        return native;
    }
    if (!ki_emit_model(native->model, &native->emitted, &native->text)) {
        keel_native_detach(native);
        return NULL;
    }
    if (!native->emitted.programs) {
        fail(native, "the %s are too long to be compiled%s", "formulas", "");
    } else if (!ki_compiler_find(&native->compiler, options->compiler)) {
        native->compiler.program[0] = 0; /* told when it is asked for */
    } else if (open_cache(native, options->cache, reason)) {
        take_over(native);
    } else {
        keel_diagnostics_add(diagnostics, KEEL_WARNING, (keel_location){0},
                             "compiled code cannot be kept: %s", reason);
        native->cache.directory[0] = 0;
    }
    return native;
}

/* ---- compile */

static bool start(keel_native *native, char reason[KI_REASON_MAX]) {
    if (native->cache.directory[0] &&
        ki_compiler_start(&native->compiler, &native->cache, &native->text, &native->compilation, reason))
        return true;
    /* nowhere to keep it: for this process only */
    return ki_cache_open_temporary(&native->cache) &&
           ki_cache_path(&native->cache, key_of(native), native->path) &&
           ki_compiler_start(&native->compiler, &native->cache, &native->text, &native->compilation, reason);
}

static keel_native_state finish(keel_native *native) {
    bool taken = ki_cache_keep(native->compilation.code, native->path);
    if (taken)
        native->compilation.code[0] = 0; /* it has another name now */
    ki_compiler_end(&native->compilation);
    taken = taken && take_over(native);
    ki_cache_close(&native->cache, native->path);
    return taken ? KEEL_NATIVE_READY
                 : fail(native, "what %s made cannot be loaded%s", native->compiler.program, "");
}

keel_native_state keel_native_compile(keel_native *native, int wait) {
    char reason[KI_REASON_MAX] = "";
    if (native->state == KEEL_NATIVE_READY || native->state == KEEL_NATIVE_FAILED)
        return native->state;
    if (native->state == KEEL_NATIVE_NONE) {
        if (!native->compiler.program[0])
            return fail(native, "there is no compiler '%s'%s (set CC, or see docs/native.md)",
                        native->compiler.word[0], "");
        if (!start(native, reason))
            return fail(native, "%s%s", reason, "");
        native->state = KEEL_NATIVE_COMPILING;
    }
    switch (ki_compiler_poll(&native->compilation, wait, reason)) {
    case 0:
        return native->state;
    case 1:
        return finish(native);
    default:
        ki_compiler_end(&native->compilation);
        ki_cache_close(&native->cache, native->path);
        return fail(native, "%s could not compile them, %s", native->compiler.program, reason);
    }
}

keel_native_state keel_native_state_of(const keel_native *native) {
    return native->state;
}

void keel_native_detach(keel_native *native) {
    if (!native)
        return;
    ki_compiler_end(&native->compilation);
    ki_cache_close(&native->cache, native->path);
    if (native->model)
        atomic_store_explicit(&native->model->native, NULL, memory_order_release);
    if (native->library)
        dlclose(native->library);
    ki_text_clear(&native->text);
    free(native);
}
