/* simulate.c - the section `simulate`: method, start time, and every option of the option table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "modelfile/loader.h"

int ki_simulate_keys(const char *keys[KI_MAX_KEYS]) {
    int options, count = 0;
    const keel_option *option = keel_options(&options);
    keys[count++] = "method";
    keys[count++] = "start";
    for (int i = 0; i < options && count < KI_MAX_KEYS; i++)
        keys[count++] = option[i].name;
    return count;
}

/* The row of the option table, or NULL for the keys that have none. */
static const keel_option *option_of(const char *key) {
    int count;
    const keel_option *option = keel_options(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(option[i].name, key) == 0)
            return &option[i];
    return NULL;
}

static void expect_word(ki_loader *loader, const ki_yaml *value, const keel_option *option) {
    char words[128] = "";
    size_t used = 0;
    for (int i = 0; option->words[i] && used < sizeof words; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", i ? ", " : "", option->words[i]);
    if (value->kind == KI_YAML_MAP || value->kind == KI_YAML_LIST)
        KI_COMPLAIN(loader, value->at, "option '%s' is one of the words %s, not %s", option->name, words,
                    ki_yaml_kind_word(value->kind));
    else
        ki_expect_formula(loader, value, "the value of", value->key);
}

static void expect_value(ki_loader *loader, const ki_yaml *value) {
    const keel_option *option = option_of(value->key);
    if (option && option->type == KEEL_OPTION_WORD)
        expect_word(loader, value, option);
    else if (option && option->offset == offsetof(keel_settings, non_ideal) && value->kind == KI_YAML_LIST)
        KI_COMPLAIN(loader, value->at,
                    "option 'non_ideal' is a vector: a number or a map 'constraint: number'");
    else if (option && option->type == KEEL_OPTION_GAIN)
        ki_expect_gain(loader, value);
    else if (strcmp(value->key, "method") != 0 || ki_expect_text(loader, value))
        ki_expect_formula(loader, value, "the value of", value->key);
}

void ki_load_simulate(ki_loader *loader, const ki_yaml *section) {
    if (!ki_expect_map(loader, section, "until: 10, method: auto, ..."))
        return;
    const char *keys[KI_MAX_KEYS];
    int count = ki_simulate_keys(keys);
    for (const ki_yaml *entry = section->first; entry; entry = entry->next) {
        int i = 0;
        while (i < count && strcmp(keys[i], entry->key) != 0)
            i++;
        if (i == count)
            ki_unknown_key(loader, entry, "in 'simulate'", keys, count);
        else
            expect_value(loader, entry);
    }
    loader->simulate = section;
}

static keel_status apply_gain(ki_loader *loader, const ki_yaml *entry, keel_diagnostics *diagnostics,
                              keel_settings *settings) {
    keel_gain gain;
    keel_status status = ki_read_gain(loader, entry, diagnostics, &gain);
    return status != KEEL_OK
               ? status
               : keel_settings_set_gain(settings, entry->key, entry->key_at, &gain, entry->at, diagnostics);
}

static keel_status apply(ki_loader *loader, const ki_yaml *entry, keel_diagnostics *diagnostics,
                         keel_settings *settings, double *t_start) {
    if (strcmp(entry->key, "method") == 0)
        return keel_method_parse(entry->text, entry->formula_at, diagnostics, &settings->method);
    const keel_option *option = option_of(entry->key);
    if (option && option->type == KEEL_OPTION_WORD)
        return keel_settings_set_word(settings, entry->key, entry->key_at, entry->text, entry->formula_at,
                                      diagnostics);
    if (option && option->type == KEEL_OPTION_GAIN && entry->kind != KI_YAML_TEXT)
        return apply_gain(loader, entry, diagnostics, settings);
    double value;
    keel_status status =
        keel_equations_value(loader->equations, entry->formula, entry->formula_at, diagnostics, &value);
    if (status != KEEL_OK)
        return status;
    if (strcmp(entry->key, "start") != 0)
        return keel_settings_set(settings, entry->key, entry->key_at, value, entry->formula_at, diagnostics);
    if (!isfinite(value)) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, entry->formula_at,
                             "the start time is not a finite number");
        return KEEL_ERROR_INPUT;
    }
    *t_start = value;
    return KEEL_OK;
}

/* An end that the file itself gives, and before its start; another may come from outside. */
static keel_status check_end(const ki_loader *loader, const keel_settings *settings, double t_start,
                             keel_diagnostics *diagnostics) {
    const ki_yaml *entry = loader->simulate ? loader->simulate->first : NULL;
    while (entry && strcmp(entry->key, "until") != 0)
        entry = entry->next;
    if (!entry || settings->until > t_start)
        return KEEL_OK;
    keel_diagnostics_add(diagnostics, KEEL_ERROR, entry->at,
                         "the end time %g is not after the start time %g: set 'until'", settings->until,
                         t_start);
    return KEEL_ERROR_INPUT;
}

static bool same_message(keel_diagnostic a, keel_diagnostic b) {
    return a.where.line == b.where.line && a.where.column == b.where.column && strcmp(a.text, b.text) == 0;
}

/* A formula of `simulate` meets the same broken parameters as the equations: say it once. */
static void add_new_messages(keel_diagnostics *list, const keel_diagnostics *more) {
    for (int i = 0; i < keel_diagnostics_count(more); i++) {
        keel_diagnostic message = keel_diagnostics_get(more, i);
        bool known = false;
        for (int k = 0; k < keel_diagnostics_count(list) && !known; k++)
            known = same_message(message, keel_diagnostics_get(list, k));
        if (!known)
            keel_diagnostics_add(list, message.severity, message.where, "%s", message.text);
    }
}

void ki_apply_simulate(ki_loader *loader, keel_settings *settings, double *t_start) {
    keel_diagnostics *messages = keel_diagnostics_new();
    if (!messages) {
        ki_loader_fail(loader, KEEL_ERROR_MEMORY);
        return;
    }
    const ki_yaml *entry = loader->simulate ? loader->simulate->first : NULL;
    for (; entry; entry = entry->next)
        ki_loader_fail(loader, apply(loader, entry, messages, settings, t_start));
    if (loader->status == KEEL_OK)
        ki_loader_fail(loader, check_end(loader, settings, *t_start, messages));
    if (loader->diagnostics)
        add_new_messages(loader->diagnostics, messages);
    keel_diagnostics_free(messages);
}
