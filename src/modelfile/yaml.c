/* yaml.c - from libfyaml's events to a tree. */
#include "modelfile/yaml.h"

#include "base/foreign.h"
#include "modelfile/yaml_build.h"

const char *ki_yaml_kind_word(ki_yaml_kind kind) {
    static const char *const WORDS[] = {"nothing", "a single value", "a list", "a map"};
    return WORDS[kind];
}

keel_location ki_yaml_place(const ki_yaml_builder *b, const struct fy_mark *mark) {
    if (!mark)
        return (keel_location){b->source->file, 0, 0};
    return (keel_location){b->source->file, mark->line + 1, mark->column + 1};
}

static keel_status refuse(ki_yaml_builder *b, keel_location at, const char *message) {
    keel_diagnostics_add(b->diagnostics, KEEL_ERROR, at, "%s", message);
    return KEEL_ERROR_INPUT;
}

/* Place of the sign & or * before a name that libfyaml marks. */
static keel_location sign_before(keel_location name) {
    name.column--;
    return name;
}

static keel_status refuse_anchor_and_tag(ki_yaml_builder *b, struct fy_token *anchor, struct fy_token *tag) {
    if (anchor)
        return refuse(b, sign_before(ki_yaml_place(b, fy_token_start_mark(anchor))),
                      "anchors (&name) are not part of the model format: use a parameter or a definition");
    if (tag)
        return refuse(b, ki_yaml_place(b, fy_token_start_mark(tag)),
                      "tags (!name) are not part of the model format: remove the tag");
    return KEEL_OK;
}

static ki_yaml *new_node(ki_yaml_builder *b, ki_yaml_kind kind, keel_location at) {
    ki_yaml *node = KI_NEW(b->arena, ki_yaml, 1);
    if (!node)
        return NULL;
    node->kind = kind;
    node->at = at;
    return node;
}

static bool expects_key(const ki_yaml_builder *b) {
    return b->depth > 0 && b->open[b->depth - 1]->kind == KI_YAML_MAP && !b->key;
}

/* Hangs a value into the innermost open map or list, or makes it the root. */
static void attach(ki_yaml_builder *b, ki_yaml *node) {
    if (b->depth == 0) {
        b->root = node;
        return;
    }
    ki_yaml *parent = b->open[b->depth - 1];
    if (b->key) {
        node->key = b->key->text;
        node->key_at = b->key->at;
        if (node->kind == KI_YAML_MISSING)
            node->at = node->key_at;
        b->key = NULL;
    }
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    node->previous = parent->last;
    parent->last = node;
    parent->count++;
}

static bool mark_opens_flow(const ki_yaml_builder *b, const struct fy_mark *mark) {
    if (!mark || mark->input_pos >= b->source->length)
        return false;
    char c = b->source->text[mark->input_pos];
    return c == '{' || c == '[';
}

static keel_status open_container(ki_yaml_builder *b, struct fy_event *event, ki_yaml_kind kind) {
    const struct fy_mark *mark = fy_event_start_mark(event);
    keel_location at = ki_yaml_place(b, mark);
    if (expects_key(b))
        return refuse(b, at, "a key must be a text, not a map or a list");
    if (b->depth == KI_YAML_MAX_DEPTH) {
        keel_diagnostics_add(b->diagnostics, KEEL_ERROR, at, "maps and lists are nested more than %d deep",
                             KI_YAML_MAX_DEPTH);
        return KEEL_ERROR_INPUT;
    }
    ki_yaml *node = new_node(b, kind, at);
    if (!node)
        return KEEL_ERROR_MEMORY;
    node->in_flow = mark_opens_flow(b, mark);
    attach(b, node);
    b->open[b->depth++] = node;
    return KEEL_OK;
}

static keel_status close_container(ki_yaml_builder *b) {
    ki_yaml *node = b->open[--b->depth];
    return node->kind == KI_YAML_MAP ? ki_yaml_check_duplicates(b, node) : KEEL_OK;
}

static keel_status add_scalar(ki_yaml_builder *b, struct fy_event *event) {
    ki_yaml *node = new_node(b, KI_YAML_TEXT, ki_yaml_place(b, fy_event_start_mark(event)));
    if (!node)
        return KEEL_ERROR_MEMORY;
    node->in_flow = b->depth > 0 && b->open[b->depth - 1]->in_flow;
    keel_status status = ki_yaml_scalar(b, event->scalar.value, node);
    if (status != KEEL_OK)
        return status;
    if (!expects_key(b)) {
        attach(b, node);
        return KEEL_OK;
    }
    if (node->kind == KI_YAML_MISSING) {
        if (!node->at.line)
            node->at = b->open[b->depth - 1]->at;
        return refuse(b, node->at, "a key is missing before ':'");
    }
    b->key = node;
    return KEEL_OK;
}

static keel_status start_document(ki_yaml_builder *b, struct fy_event *event) {
    if (b->documents++ == 0)
        return KEEL_OK;
    return refuse(b, ki_yaml_place(b, fy_event_start_mark(event)),
                  "a second YAML document begins here: a model file holds one model");
}

static keel_status count_node(ki_yaml_builder *b, struct fy_event *event) {
    if (++b->nodes <= KI_YAML_MAX_NODES)
        return KEEL_OK;
    keel_diagnostics_add(b->diagnostics, KEEL_ERROR, ki_yaml_place(b, fy_event_start_mark(event)),
                         "the file has more than %d entries: use 'repeat' for a model of this size",
                         KI_YAML_MAX_NODES);
    return KEEL_ERROR_INPUT;
}

static keel_status take_node(ki_yaml_builder *b, struct fy_event *event) {
    struct fy_token *anchor = NULL, *tag = NULL;
    if (event->type == FYET_SCALAR)
        anchor = event->scalar.anchor, tag = event->scalar.tag;
    else if (event->type == FYET_MAPPING_START)
        anchor = event->mapping_start.anchor, tag = event->mapping_start.tag;
    else
        anchor = event->sequence_start.anchor, tag = event->sequence_start.tag;
    keel_status status = refuse_anchor_and_tag(b, anchor, tag);
    if (status == KEEL_OK)
        status = count_node(b, event);
    if (status != KEEL_OK)
        return status;
    if (event->type == FYET_SCALAR)
        return add_scalar(b, event);
    return open_container(b, event, event->type == FYET_MAPPING_START ? KI_YAML_MAP : KI_YAML_LIST);
}

static keel_status take_event(ki_yaml_builder *b, struct fy_event *event) {
    switch (event->type) {
    case FYET_DOCUMENT_START:
        return start_document(b, event);
    case FYET_SCALAR:
    case FYET_MAPPING_START:
    case FYET_SEQUENCE_START:
        return take_node(b, event);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        return close_container(b);
    case FYET_ALIAS:
        return refuse(b, sign_before(ki_yaml_place(b, fy_event_start_mark(event))),
                      "aliases (*name) are not part of the model format; a formula cannot begin with '*'");
    default:
        return KEEL_OK;
    }
}

/* Feeds all events of the parser into the tree. */
static keel_status take_all(ki_yaml_builder *b, struct fy_parser *parser, struct fy_diag *diag) {
    for (;;) {
        struct fy_event *event = fy_parser_parse(parser);
        if (!event) {
            if (!fy_parser_get_stream_error(parser))
                return KEEL_ERROR_MEMORY;
            ki_yaml_report(b, diag);
            return KEEL_ERROR_INPUT;
        }
        bool end = event->type == FYET_STREAM_END;
        keel_status status = take_event(b, event);
        fy_parser_event_free(parser, event);
        if (end || status != KEEL_OK)
            return status;
    }
}

/* Runs libfyaml over the masked text; its messages are collected, never printed. */
static keel_status build(ki_yaml_builder *b, const char *masked) {
    struct fy_diag_cfg quiet;
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    quiet.output_fn = NULL;
    ki_foreign_begin("libfyaml");
    struct fy_diag *diag = fy_diag_create(&quiet);
    if (!diag) {
        ki_foreign_end();
        return KEEL_ERROR_MEMORY;
    }
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg config = {.search_path = "",
                                  .flags = FYPCF_QUIET | FYPCF_JSON_NONE | FYPCF_SLOPPY_FLOW_INDENTATION |
                                           FYPCF_ALLOW_DUPLICATE_KEYS | FYPCF_DEFAULT_VERSION_1_2,
                                  .diag = diag};
    struct fy_parser *parser = fy_parser_create(&config);
    keel_status status = KEEL_ERROR_MEMORY;
    if (parser && fy_parser_set_string(parser, masked, b->source->length) == 0)
        status = take_all(b, parser, diag);
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    ki_foreign_end();
    return status;
}

ki_yaml *ki_yaml_read(const ki_source *source, ki_arena *arena, keel_diagnostics *diagnostics,
                      keel_status *status) {
    ki_yaml_builder b = {.source = source, .arena = arena, .diagnostics = diagnostics};
    char *masked = ki_source_mask(source, arena);
    *status = masked ? build(&b, masked) : KEEL_ERROR_MEMORY;
    if (*status != KEEL_OK)
        return NULL;
    if (!b.root) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){source->file, 1, 1},
                             source->length
                                 ? "the file has no content, only comments or white space: a model "
                                   "begins with 'keel: 1'"
                                 : "the file is empty: a model begins with 'keel: 1'");
        *status = KEEL_ERROR_INPUT;
        return NULL;
    }
    if (b.duplicates)
        *status = KEEL_ERROR_INPUT;
    return b.root;
}
