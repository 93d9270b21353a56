/* yaml_build.h - a tree under construction; shared by yaml.c and its parts. */
#ifndef KI_MODELFILE_YAML_BUILD_H
#define KI_MODELFILE_YAML_BUILD_H

#include <libfyaml.h>

#include "modelfile/yaml.h"

typedef struct ki_yaml_builder {
    const ki_source *source;
    ki_arena *arena;
    keel_diagnostics *diagnostics;
    ki_yaml *root;
    ki_yaml *open[KI_YAML_MAX_DEPTH]; /* maps and lists not yet closed */
    ki_yaml *key;                     /* key read, value not yet */
    int depth, documents, nodes;
    bool duplicates; /* some map has the same key twice */
} ki_yaml_builder;

/* Fills text and formula of a scalar from its token; NULL: an empty value. */
keel_status ki_yaml_scalar(ki_yaml_builder *b, struct fy_token *token, ki_yaml *node);

/* The value of a scalar that stands in the file as `raw`, quotes not included. NULL when out of memory. */
char *ki_yaml_text(ki_arena *arena, const char *raw, size_t length, enum fy_scalar_style style);

/* Reports keys that a finished map has twice. */
keel_status ki_yaml_check_duplicates(ki_yaml_builder *b, const ki_yaml *map);

/* Reports why libfyaml stopped. */
void ki_yaml_report(ki_yaml_builder *b, struct fy_diag *diag);

/* Place of a mark; of no mark: unknown. */
keel_location ki_yaml_place(const ki_yaml_builder *b, const struct fy_mark *mark);

#endif
