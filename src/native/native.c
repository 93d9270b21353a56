/* native.c - attach, compile, take over, detach. */
#include "keel/native.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "keel/mechanism.h"
#include "linalg/saddle_code.h"
#include "native/compiler.h"
#include "native/emit_model.h"

/* Seconds that a compiler may take, and bytes that the cache may have. */
static const double PATIENCE = 300, MOST_CODE = 256 << 20;

struct keel_native {
    ki_model *model;             /* NULL: the system is not made of formulas */
    const ki_programs *programs; /* of the model, shortened */
    keel_native_state state;
    ki_text text;
    ki_emitted emitted;
    ki_compiler compiler;
    ki_cache cache;
    char path[KI_PATH_MAX]; /* of the code in the cache */
    ki_compilation compilation;
    void *library; /* from dlopen */
    int file;      /* the bytes that it was loaded from */
    ki_native_code code;
    keel_saddle_code kernel;
    keel_diagnostics *diagnostics;
    double patience; /* with a compiler, in seconds */
};

static keel_native_state fail(keel_native *p, const char *format, const char *what, const char *reason) {
    char text[KI_PATH_MAX + KI_REASON_MAX + 64];
    snprintf(text, sizeof text, format, what, reason);
    keel_diagnostics_add(p->diagnostics, KEEL_WARNING, (keel_location){0},
                         "no machine code, the formulas run on the tape: %s", text);
    p->state = KEEL_NATIVE_FAILED;
    return p->state;
}

/* ---- load */

/* A function of the library; what a data pointer holds and what a function pointer holds is the same with
 * POSIX. */
static bool find(void *library, const char *name, void *function) {
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found;
}

static bool find_all(keel_native *p) {
    const keel_system *system = &p->model->system;
    char name[32];
    bool ok = true;
    for (int i = 0; i < p->programs->count; i++) {
        snprintf(name, sizeof name, "keel_program_%d", i);
        p->code.reads[i] = p->emitted.reads[i];
        if (p->emitted.has[i])
            ok = find(p->library, name, &p->code.program[i]) && ok;
    }
    if (!p->emitted.kernel)
        return ok;
    p->kernel.path = p->emitted.path;
    p->kernel.n = system->n_v;
    p->kernel.m = keel_system_m(system);
    p->code.saddle = &p->kernel;
    p->kernel.what = p->emitted.what;
    if (p->emitted.through)
        ok = find(p->library, "keel_accelerate", &p->kernel.accelerate) && ok;
    if (p->emitted.stages)
        ok = find(p->library, "keel_stages", &p->kernel.stages) && ok;
    ok = find(p->library, "keel_times", &p->kernel.times) && ok;
    ok = find(p->library, "keel_row_sums", &p->kernel.row_sums) && ok;
    return find(p->library, "keel_factor", &p->kernel.factor) &&
           find(p->library, "keel_solve", &p->kernel.solve) && ok;
}

static void unload(keel_native *p) {
    if (!p->library)
        return;
    dlclose(p->library);
    close(p->file);
    p->library = NULL;
}

/* Takes the code at p->path if it is there and good. */
static bool take_over(keel_native *p) {
    p->library = ki_cache_load(p->path, &p->file);
    if (!p->library)
        return false;
    if (!find_all(p)) {
        unload(p);
        return false;
    }
    atomic_store_explicit(&p->model->native, &p->code, memory_order_release);
    p->state = KEEL_NATIVE_READY;
    return true;
}

/* ---- attach */

static ki_hash key_of(const keel_native *p) {
    ki_hash hash = ki_hash_start();
    ki_hash_add(&hash, KEEL_VERSION, sizeof KEEL_VERSION);
    ki_hash_add(&hash, p->text.at, p->text.length);
    ki_compiler_hash(&p->compiler, &hash);
    return hash;
}

/* A cache that cannot be used is told of only when the compiler is asked for. */
static bool open_cache(keel_native *p, const char *given, char reason[KI_REASON_MAX]) {
    return ki_cache_open(&p->cache, given, reason) && ki_cache_path(&p->cache, key_of(p), p->path);
}

/* False when out of memory. */
static bool attach(keel_native *p, const keel_native_options *options) {
    char reason[KI_REASON_MAX];
    p->programs = keel_equations_shortened(&p->model->system);
    if (!ki_emit_model(p->model, p->programs, &p->emitted, &p->text))
        return false;
    if (!p->emitted.programs) {
        fail(p, "the %s are too long to be compiled%s", "formulas", "");
    } else if (!ki_compiler_find(&p->compiler, options->compiler)) {
        p->compiler.program[0] = 0; /* told when it is asked for */
    } else if (open_cache(p, options->cache, reason)) {
        take_over(p);
    } else {
        keel_diagnostics_add(p->diagnostics, KEEL_WARNING, (keel_location){0},
                             "compiled code cannot be kept: %s", reason);
        p->cache.directory[0] = 0;
    }
    return true;
}

/* A mechanism without formulas has no tape to replace. */
static ki_model *model_of(const keel_system *system) {
    const keel_system *formulas = keel_mechanism_formulas(system);
    return keel_equations_inside(formulas ? formulas : system);
}

/* What long runs of the system use. */
static const keel_system *long_run_of(const keel_system *system) {
    return system->for_run ? system->for_run(system, HUGE_VAL) : system;
}

keel_native *keel_native_attach(const keel_system *system, const keel_native_options *options,
                                keel_diagnostics *diagnostics) {
    if (!system)
        return NULL;
    const keel_native_options none = {0};
    system = long_run_of(system);
    keel_native *native = system ? calloc(1, sizeof *native) : NULL;
    if (!native)
        return NULL;
    native->diagnostics = diagnostics;
    if (!options)
        options = &none;
    native->patience = options->patience > 0 ? options->patience : PATIENCE;
    native->model = model_of(system);
    if (!native->model)
        native->state = KEEL_NATIVE_FAILED;
    else if (!attach(native, options)) {
        keel_native_detach(native);
        return NULL;
    }
    return native;
}

int keel_native_is_due(const keel_system *system) {
    return system && (keel_mechanism_long_run(system) || keel_equations_prepared(system));
}

/* ---- compile */

static bool start(keel_native *p, char reason[KI_REASON_MAX]) {
    if (p->cache.directory[0] &&
        ki_compiler_start(&p->compiler, &p->cache, &p->text, p->patience, &p->compilation, reason))
        return true;
    /* nowhere to keep it: for this process only */
    return ki_cache_open_temporary(&p->cache) && ki_cache_path(&p->cache, key_of(p), p->path) &&
           ki_compiler_start(&p->compiler, &p->cache, &p->text, p->patience, &p->compilation, reason);
}

static keel_native_state finish(keel_native *p) {
    bool taken = ki_cache_keep(p->compilation.code, p->path);
    if (taken)
        p->compilation.code[0] = 0; /* it has another name now */
    ki_compiler_end(&p->compilation);
    taken = taken && take_over(p);
    ki_cache_prune(&p->cache, MOST_CODE);
    ki_cache_close(&p->cache, p->path);
    return taken ? KEEL_NATIVE_READY : fail(p, "what %s made cannot be loaded%s", p->compiler.program, "");
}

keel_native_state keel_native_compile(keel_native *p, int wait) {
    char reason[KI_REASON_MAX] = "";
    if (!p)
        return KEEL_NATIVE_FAILED;
    if (p->state == KEEL_NATIVE_READY || p->state == KEEL_NATIVE_FAILED)
        return p->state;
    if (p->state == KEEL_NATIVE_NONE) {
        if (!p->compiler.program[0])
            return fail(p, "there is no compiler '%s'%s (set CC, or see docs/native.md)", p->compiler.word[0],
                        "");
        if (!start(p, reason))
            return fail(p, "%s%s", reason, "");
        p->state = KEEL_NATIVE_COMPILING;
    }
    switch (ki_compiler_poll(&p->compilation, wait, reason)) {
    case 0:
        return p->state;
    case 1:
        return finish(p);
    default:
        ki_compiler_end(&p->compilation);
        ki_cache_close(&p->cache, p->path);
        return fail(p, "%s could not compile them, %s", p->compiler.program, reason);
    }
}

keel_native_state keel_native_state_of(const keel_native *native) {
    return native ? native->state : KEEL_NATIVE_FAILED;
}

void keel_native_detach(keel_native *native) {
    if (!native)
        return;
    if (native->model) {
        ki_compiler_end(&native->compilation);
        ki_cache_close(&native->cache, native->path);
        atomic_store_explicit(&native->model->native, NULL, memory_order_release);
        unload(native);
        ki_text_clear(&native->text);
    }
    free(native);
}
