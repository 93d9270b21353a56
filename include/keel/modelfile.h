/* modelfile.h - reading models from YAML files. The format is described in docs/model-format.md. */
#ifndef KEEL_MODELFILE_H
#define KEEL_MODELFILE_H

#include "keel/assemble.h"
#include "keel/diagnostics.h"
#include "keel/settings.h"
#include "keel/system.h"

/* A parameter replaced from outside: `--set g=1.62`. */
typedef struct keel_assignment {
    const char *name, *value;
} keel_assignment;

typedef struct keel_model {
    char *name; /* `name:` of the file, or the file's name   */
    keel_system *system;
    keel_system *assembly; /* mechanisms: what a start must satisfy (keel_compiled); else NULL */
    keel_state *drawn;     /* mechanisms: the drawn state of `assembly`; else NULL */
    keel_state *start;
    int velocities_given; /* see keel_run                              */
    int is_mechanism;     /* bodies and joints, not equations          */
    keel_settings settings;
    const char *text; /* the file as it was read, `file` its name       */
    const char *file;
    const char *description; /* `description:` of the file, or NULL       */
    int parameter_count;
    const char **parameter_name; /* [parameter_count], with the values that counted */
    double *parameter_value;
    struct ki_arena *memory; /* holds all of that, and what `settings` points to */
} keel_model;

/* Reads a file, or a text already in memory (`name` is used in messages). Every problem found is reported
 * with line and column. NULL on failure, with *status: KEEL_ERROR_IO, KEEL_ERROR_INPUT or
 * KEEL_ERROR_MEMORY. */
KEEL_API keel_model *keel_model_read(const char *path, const keel_assignment *set, int set_count,
                                     keel_diagnostics *diagnostics, keel_status *status);
KEEL_API keel_model *keel_model_parse(const char *name, const char *text, size_t length,
                                      const keel_assignment *set, int set_count,
                                      keel_diagnostics *diagnostics, keel_status *status);
KEEL_API void keel_model_free(keel_model *model);

/* keel_assemble for the start of a model, with its start values as constraints. A start that satisfies
 * everything already stays as it is. `report` may be NULL. */
KEEL_API keel_status keel_model_assemble(keel_model *model, keel_diagnostics *diagnostics,
                                         keel_assembly_report *report);

/* All that has to be done before a run: assembles the start of a mechanism, as above, with a note that tells
 * what moved (not with `start_state: as_given`), and looks whether it can move. Other models stay as they
 * are. KEEL_ERROR_START if there is no such start, KEEL_ERROR_INPUT if joints lock a body or one has no
 * inertia where it can move; messages tell where and why. */
KEEL_API keel_status keel_model_prepare(keel_model *model, keel_diagnostics *diagnostics);

#endif
