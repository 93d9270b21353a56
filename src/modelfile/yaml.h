/* yaml.h - YAML text as a tree of bounded depth and size.
 *
 * The tree is built from libfyaml's events, which need no recursion, and lives in an arena. What the model
 * format has no use for is refused: anchors, aliases, tags, keys that are not text, several documents.
 */
#ifndef KI_MODELFILE_YAML_H
#define KI_MODELFILE_YAML_H

#include "modelfile/source.h"

enum {
    KI_YAML_MAX_DEPTH = 64,     /* nested maps and lists          */
    KI_YAML_MAX_TEXT = 1 << 20, /* bytes of one scalar            */
    KI_YAML_MAX_NODES = 1 << 20 /* scalars, maps, lists of a file */
};

typedef enum ki_yaml_kind { KI_YAML_MISSING, KI_YAML_TEXT, KI_YAML_LIST, KI_YAML_MAP } ki_yaml_kind;

typedef struct ki_yaml ki_yaml;
struct ki_yaml {
    ki_yaml_kind kind; /* MISSING: nothing after the colon, or null */
    keel_location at;  /* where it begins; of a missing value: where its key begins */
    bool in_flow;      /* written with { } or [ ], or standing inside of them */

    const char *text;         /* TEXT: the value, lines folded */
    const char *formula;      /* TEXT: as it stands in the file, so that columns inside it are right */
    keel_location formula_at; /* where `formula` begins */

    const char *key; /* of an entry of a map, else NULL */
    keel_location key_at;

    ki_yaml *first, *last;    /* MAP, LIST: entries */
    int count;                /* of entries */
    ki_yaml *next, *previous; /* neighbours in the same map or list */
};

/* The root of the text's only document. Problems are reported. NULL with KEEL_ERROR_INPUT when the text is no
 * YAML or uses what is refused, or with KEEL_ERROR_MEMORY. With *status KEEL_ERROR_INPUT and a tree there are
 * duplicate keys only: the tree may be looked at for further problems. */
ki_yaml *ki_yaml_read(const ki_source *source, ki_arena *arena, keel_diagnostics *diagnostics,
                      keel_status *status);

/* "a map", "a list", "a single value", "nothing" */
const char *ki_yaml_kind_word(ki_yaml_kind kind);

#endif
