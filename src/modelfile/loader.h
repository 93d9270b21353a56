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
    int problems;       /* how many there were */

    unsigned seen;           /* kinds of equations met, as bits 1 << keel_equation_kind */
    const char *name;        /* `name:` of the file, NULL: not given */
    const char *description; /* likewise */
    const ki_yaml *inputs;   /* the section of a system of equations; NULL: not given */
    const ki_yaml *units;    /* the section, checked for its form; NULL: not given */
    const ki_yaml *simulate; /* the section, checked for its form; NULL: not given */
    const ki_yaml *root;     /* of a mechanism, whose sections are read after the parameters; else NULL */
} ki_loader;

/* Reports a problem of the file. What its text needs, as a guess at a misspelt name, is only made for
 * messages that are kept: the others are counted. */
#define KI_COMPLAIN(loader, at, ...)                                                                         \
    (ki_loader_fail((loader), KEEL_ERROR_INPUT),                                                             \
     keel_diagnostics_count((loader)->diagnostics) < KEEL_DIAGNOSTICS_MAX                                    \
         ? keel_diagnostics_add((loader)->diagnostics, KEEL_ERROR, (at), __VA_ARGS__)                        \
         : keel_diagnostics_add((loader)->diagnostics, KEEL_ERROR, (at), "one more"))

/* Keeps the first failure, but lets running out of memory win. Positive statuses are no failure. */
void ki_loader_fail(ki_loader *loader, keel_status status);

/* The whole file: all sections but the values of `simulate` and the parts of a mechanism. */
void ki_load_root(ki_loader *loader, const ki_yaml *root);

/* The parts of a mechanism, once parameters have their last values, and the system they make. */
void ki_load_mechanism(ki_loader *loader, keel_model *model);

/* Sections `equations`, `outputs` and `draw`. */
void ki_load_equations(ki_loader *loader, const ki_yaml *section);
void ki_load_outputs(ki_loader *loader, const ki_yaml *section);
void ki_load_draw(ki_loader *loader, const ki_yaml *section);

/* Section `units`: its form, and later the units of the system's components. */
void ki_load_units(ki_loader *loader, const ki_yaml *section);
void ki_apply_units(ki_loader *loader, keel_system *system);

/* True unless an output is called like a column that results have anyway; that is reported. */
bool ki_expect_output_name(ki_loader *loader, const ki_yaml *entry);

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
int ki_mechanism_keys(const char *keys[KI_MAX_KEYS]); /* at the top level */

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

/* Calls visit for each block of a key `repeat`; what is no block is reported. */
void ki_each_block(ki_loader *loader, const ki_yaml *repeat, void (*visit)(void *user, const ki_yaml *map),
                   void *user);

/* The map `for` of a block: one variable or more. NULL after a message. */
const ki_yaml *ki_block_range(ki_loader *loader, const ki_yaml *map);

/* The two ends of a range `i: FROM..TO`, as formulas that begin at variable->formula_at. False after a
 * message. */
bool ki_split_range(ki_loader *loader, const ki_yaml *variable, const char **from, const char **to);

/* Reads what stands inside a repeat block; called for each block. */
typedef void ki_block_loader(ki_loader *loader, int block, const ki_yaml *map);

/* Value of a key `repeat`: a block or a list of blocks, each with its `for`. */
void ki_load_repeat(ki_loader *loader, int parent, const ki_yaml *repeat, ki_block_loader *inside);

#endif
