/* papers.h - what the programs share that recompute the experiments of papers. They end at the first failure.
 */
#ifndef BENCH_PAPERS_H
#define BENCH_PAPERS_H

#include <stdio.h>
#include <stdlib.h>

#include "keel/keel.h"
#include "keel/modelfile.h"

static inline keel_model *read_model(const char *folder, const char *name) {
    char path[512];
    keel_status status;
    snprintf(path, sizeof path, "%s/%s.yaml", folder, name);
    keel_model *model = keel_model_read(path, NULL, 0, NULL, &status);
    if (!model) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    return model;
}

static inline keel_method method_of(const char *text) {
    keel_method method;
    if (keel_method_parse(text, (keel_location){0}, NULL, &method)) {
        fprintf(stderr, "no such method: %s\n", text);
        exit(1);
    }
    return method;
}

/* `observer` may be NULL. The result is the caller's to clear. */
static inline keel_result run(const keel_model *model, const keel_settings *settings,
                              const keel_observer *observer) {
    keel_result result;
    if (keel_run(model->system, model->start, model->velocities_given, settings, observer, NULL, &result)) {
        char method[64];
        fprintf(stderr, "a run of %s failed: %s\n", keel_method_text(settings->method, method),
                keel_status_text(result.status));
        exit(1);
    }
    return result;
}

/* Opens FOLDER/NAME for writing. */
static inline FILE *create_file(const char *folder, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "cannot write %s\n", path);
        exit(1);
    }
    return file;
}

/* A full disk shows here at the latest. */
static inline void close_file(FILE *file) {
    int failed = ferror(file);
    if (fclose(file) || failed) {
        fprintf(stderr, "a file could not be written completely\n");
        exit(1);
    }
}

#endif
