/* loader.h - from a YAML tree to equations and settings. */
#ifndef KI_MODELFILE_LOADER_H
#define KI_MODELFILE_LOADER_H

#include "keel/equations.h"
#include "keel/modelfile.h"
#include "modelfile/yaml.h"

typedef struct ki_loader {
    ki_arena *arena; /* of the reading */
    ki_arena *kept;  /* of the model: what its settings point to */
    keel_diagnostics *diagnostics;
    keel_equations *equations;
    keel_status status; /* the first problem; later ones are still looked for, but nothing is compiled */

    unsigned seen;           /* kinds of equations met, as bits 1 << keel_equation_kind */
    const char *name;        /* `name:` of the file, NULL: not given */
    const ki_yaml *simulate; /* the section, checked for its form; NULL: not given */
} ki_loader;

/* Reports a problem of the file. */
#define KI_COMPLAIN(loader, at, ...)                                                                         \
    (ki_loader_fail((loader), KEEL_ERROR_INPUT),                                                             \
     keel_diagnostics_add((loader)->diagnostics, KEEL_ERROR, (at), __VA_ARGS__))

/* Keeps the first failure, but lets running out of memory win. Positive statuses are no failure. */
void ki_loader_fail(ki_loader *loader, keel_status status);

/* The whole file: all sections but the values of `simulate`. */
void ki_load_root(ki_loader *loader, const ki_yaml *root);

/* Sections `equations` and `outputs`. */
void ki_load_equations(ki_loader *loader, const ki_yaml *section);
void ki_load_outputs(ki_loader *loader, const ki_yaml *section);

/* Section `simulate`: its form, and later its values. */
void ki_load_simulate(ki_loader *loader, const ki_yaml *section);
void ki_apply_simulate(ki_loader *loader, keel_settings *settings, double *t_start);

/* Options that are matrices (gain.c). True if the value is a formula, a map of formulas or a square list of
 * lists of formulas; otherwise it is reported. */
bool ki_expect_gain(ki_loader *loader, const ki_yaml *value);

/* The gain that a map or a list of lists means; its memory is that of loader->kept. */
keel_status ki_read_gain(ki_loader *loader, const ki_yaml *value, keel_diagnostics *diagnostics,
                         keel_gain *gain);

/* The keys of a section; returns their number, at most KI_MAX_KEYS. */
enum { KI_MAX_KEYS = 64 };
int ki_equations_keys(const char *keys[KI_MAX_KEYS]);
int ki_simulate_keys(const char *keys[KI_MAX_KEYS]);

/* Reports an entry whose key is not among the allowed ones: with the closest of them, with the section it
 * belongs into, or with all of them. `place` is "in 'equations'". */
void ki_unknown_key(ki_loader *loader, const ki_yaml *entry, const char *place, const char *const *keys,
                    int count);

/* True if a section is a map; an empty section is one without entries. Otherwise it is reported, with its
 * form, e.g. "name: formula". */
bool ki_expect_map(ki_loader *loader, const ki_yaml *section, const char *form);

/* True if a value is a text that is not empty. Otherwise it is reported: `what` is e.g. "the start value of"
 * and `name` what it belongs to. */
bool ki_expect_formula(ki_loader *loader, const ki_yaml *value, const char *what, const char *name);

/* True if a value is a text, or nothing; otherwise it is reported. */
bool ki_expect_text(ki_loader *loader, const ki_yaml *value);

/* Adds the formula `value` to the equations, name and place being those of its key; what as above. */
void ki_load_formula(ki_loader *loader, int block, keel_equation_kind kind, const ki_yaml *value,
                     const char *what);

/* Reads what stands inside a repeat block; called for each block. */
typedef void ki_block_loader(ki_loader *loader, int block, const ki_yaml *map);

/* Value of a key `repeat`: a block or a list of blocks, each with its `for`. */
void ki_load_repeat(ki_loader *loader, int parent, const ki_yaml *repeat, ki_block_loader *inside);

#endif
