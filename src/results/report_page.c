/* report_page.c - the page of a run: everything a report shows as JSON, put into the template. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "keel/mechanism.h"
#include "results/derived.h"
#include "results/packed.h"
#include "results/page.h"
#include "results/scene.h"
#include "results/verdict.h"

/* Numbers of all columns together: beyond the first limit they go as single precision, beyond the second rows
 * are left out, but for these. */
#define PAGE_DOUBLES 2e6
#define PAGE_NUMBERS 8e6
#define LEAST_ROWS   500

static const char *const GROUP_WORDS[KI_GROUPS] = {
    [KI_COORDINATE] = "coordinate", [KI_VELOCITY] = "velocity",     [KI_STATE] = "state",
    [KI_AUXILIARY] = "auxiliary",   [KI_MULTIPLIER] = "multiplier", [KI_PROJECTION] = "auxiliary",
    [KI_OUTPUT] = "output",         [KI_ENERGY] = "energy",         [KI_AUDIT] = "audit",
    [KI_NEWTON] = "auxiliary",      [KI_VIOLATION] = "violation",
};

/* A page while it is written. */
typedef struct page {
    ki_json json;
    keel_record *record;
    void *work; /* of the system */
    ki_derived derived;
    long rows;
    long *pick; /* [rows] of the record */
    double *column;
    ki_packing packing;
} page;

static void write_column(page *p, const ki_derived_column *c) {
    ki_json_open(&p->json, NULL);
    ki_json_text(&p->json, "name", c->name);
    ki_json_text(&p->json, "group", c->group);
    ki_json_text(&p->json, "unit", c->unit);
    if (c->shared)
        ki_json_bool(&p->json, "shared", true);
    if (c->zero)
        ki_json_bool(&p->json, "zero", true);
    ki_json_packed(&p->json, "data", p->packing, c->data, p->rows, 1);
    ki_json_close(&p->json);
}

static double *pick_column(page *p, int i) {
    for (long k = 0; k < p->rows; k++)
        p->column[k] = ki_series_row(&p->record->rows, p->pick[k])[i];
    return p->column;
}

static void write_columns(page *p) {
    const ki_columns *columns = &p->record->columns;
    ki_json_open_list(&p->json, "columns");
    for (int i = 0; i < columns->count; i++) {
        const ki_column *c = &columns->column[i];
        const char *word = GROUP_WORDS[c->group];
        if (word)
            write_column(p, &(ki_derived_column){.name = c->name,
                                                 .group = word,
                                                 .unit = c->unit,
                                                 .shared = c->shared,
                                                 .data = pick_column(p, i)});
    }
    for (int i = 0; i < p->derived.count; i++) {
        const ki_derived_column *c = &p->derived.column[i];
        if (!c->silent)
            write_column(p, c);
    }
    ki_json_close_list(&p->json);
}

/* A column of the steps, or null if it has no number that means something (0 or less). */
static void write_step_column(page *p, const char *key, int column, double least) {
    const ki_series *steps = &p->record->steps;
    bool known = false;
    for (long i = 0; i < steps->rows; i++)
        known |= ki_series_row(steps, i)[column] >= least;
    if (known)
        ki_json_packed(&p->json, key, KI_F64, steps->values + column, steps->rows, KI_STEP_WIDTH);
    else
        ki_json_text(&p->json, key, NULL);
}

static const char *time_unit(const page *p) {
    return p->record->columns.count ? p->record->columns.column[0].unit : "";
}

static void write_steps(page *p) {
    const ki_series *steps = &p->record->steps;
    if (steps->rows == 0) {
        ki_json_text(&p->json, "steps", NULL);
        return;
    }
    ki_json_open(&p->json, "steps");
    ki_json_packed(&p->json, "t", KI_F64, steps->values + KI_STEP_T, steps->rows, KI_STEP_WIDTH);
    ki_json_packed(&p->json, "size", KI_F64, steps->values + KI_STEP_SIZE, steps->rows, KI_STEP_WIDTH);
    ki_json_text(&p->json, "unit", time_unit(p));
    write_step_column(p, "order", KI_STEP_ORDER, 1);
    write_step_column(p, "gap", KI_STEP_GAP, 0);
    ki_json_close(&p->json);
}

static void write_title(page *p, const keel_origin *origin) {
    char program[64];
    const char *name = origin && origin->name ? origin->name : p->record->path;
    snprintf(program, sizeof program, "keel %s", keel_version());
    ki_json_text(&p->json, "format", "keel-report");
    ki_json_integer(&p->json, "version", 1);
    ki_json_text(&p->json, "title", name ? name : "run");
    ki_json_text(&p->json, "description", origin ? origin->description : NULL);
    ki_json_text(&p->json, "program", program);
    ki_json_text(&p->json, "model_text", origin ? origin->model_text : NULL);
    ki_json_text(&p->json, "model_file", origin ? origin->model_file : NULL);
}

/* The JSON summary as a member; false when out of memory. */
static bool write_summary(page *p, const keel_origin *origin, const keel_result *result,
                          const char *message) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        return false;
    keel_status status =
        keel_summary_write(file, origin ? origin->name : NULL, p->record->system, result, message);
    bool good = fclose(file) == 0 && status == KEEL_OK;
    if (good)
        ki_json_raw(&p->json, "summary", text);
    free(text);
    return good;
}

/* The verdict of a run that has just ended, or (`result` NULL) of the rows alone; false when out of memory.
 */
static bool write_verdict(page *p, const keel_origin *origin, const keel_result *result,
                          const char *message) {
    ki_energy_scale scale = {0};
    const double *v_rate;
    bool known = p->record->fits;
    bool good = !known || ki_energy_scale_init(&scale, p->record->system) == KEEL_OK;
    for (long k = 0; known && good && k < p->rows; k += 1 + p->rows / 500) {
        keel_point at = ki_record_point(p->record, p->pick[k], &v_rate);
        ki_energy_scale_show(&scale, &at);
    }
    if (result) {
        scale.row_drift = fmax(0, ki_record_largest(p->record, "energy_drift"));
        ki_write_verdict(&p->json, p->record->system, result, message, &scale);
    } else {
        ki_write_verdict_of_rows(&p->json, p->record, origin ? origin->until : NULL, scale.kinetic);
    }
    ki_energy_scale_clear(&scale);
    return good;
}

static bool write_outcome(page *p, const keel_origin *origin, const keel_result *result,
                          const char *message) {
    const keel_record *record = p->record;
    bool stored = !result && record->report && ki_write_stored_verdict(&p->json, record->report);
    if (!stored && !write_verdict(p, origin, result, message))
        return false;
    ki_write_rows(&p->json, record->rows.seen, p->rows);
    ki_json_close_list(&p->json);
    if (result)
        return write_summary(p, origin, result, message);
    ki_json_raw(&p->json, "summary", record->summary ? record->summary : "null");
    return true;
}

static keel_status write_scene(page *p) {
    keel_mechanism_facts facts;
    const keel_record *record = p->record;
    int joints = record->fits && keel_mechanism_look(record->system, &facts) ? facts.joints : 0;
    int first = p->derived.count - 2 * joints;
    bool *shared = calloc((size_t)joints + 1, sizeof *shared);
    if (!shared)
        return KEEL_ERROR_MEMORY;
    bool known = joints && first >= 0 && strcmp(p->derived.column[first].group, "reaction") == 0;
    for (int j = 0; known && j < joints; j++)
        shared[j] = p->derived.column[first + 2 * j].shared;
    keel_status status = ki_write_scene(&p->json, record, p->work, shared);
    free(shared);
    return status;
}

/* Which rows the page shows, how precise, and what is computed from them. */
static keel_status prepare(page *p) {
    keel_record *record = p->record;
    keel_status status = ki_series_end(&record->rows);
    if (!status)
        status = ki_series_end(&record->steps);
    double columns = record->columns.count + ki_derived_count(record);
    double most = fmax(LEAST_ROWS, floor(PAGE_NUMBERS / fmax(columns, 1)));
    p->rows = (double)record->rows.rows > most ? (long)most : record->rows.rows;
    p->packing = (double)p->rows * columns > PAGE_DOUBLES ? KI_F32 : KI_F64;
    p->pick = calloc((size_t)p->rows + 1, sizeof *p->pick);
    p->column = calloc((size_t)p->rows + 1, sizeof *p->column);
    if (!p->pick || !p->column)
        return KEEL_ERROR_MEMORY;
    ki_pick_rows(record->rows.rows, p->rows, p->pick);
    if (!status && record->fits && record->system->work_new)
        status = record->system->work_new(record->system, &p->work);
    if (!status && record->fits)
        status = ki_derive(record, p->work, p->pick, p->rows, &p->derived);
    return status;
}

static keel_status write_page(page *p, const keel_origin *origin, const keel_result *result,
                              const char *message) {
    ki_json_open(&p->json, NULL);
    write_title(p, origin);
    if (!write_outcome(p, origin, result, message))
        return KEEL_ERROR_MEMORY;
    ki_json_integer(&p->json, "rows", p->rows);
    ki_json_packed(&p->json, "time", KI_F64, pick_column(p, 0), p->rows, 1);
    ki_json_text(&p->json, "time_unit", time_unit(p));
    write_columns(p);
    write_steps(p);
    keel_status status = write_scene(p);
    ki_json_close(&p->json);
    return status;
}

keel_status keel_page_write(FILE *file, keel_record *record, const keel_origin *origin,
                            const keel_result *result, const char *message) {
    if (!file || !record)
        return KEEL_ERROR_INPUT;
    char *text = NULL;
    size_t length = 0;
    if (keel_record_rows(record) == 0)
        return KEEL_ERROR_INPUT;
    page p = {.record = record, .json.file = open_memstream(&text, &length)};
    if (!p.json.file)
        return KEEL_ERROR_MEMORY;
    keel_status status = prepare(&p);
    if (!status)
        status = write_page(&p, origin ? origin : keel_record_origin(record), result, message);
    if (fclose(p.json.file) && !status)
        status = KEEL_ERROR_MEMORY;
    if (!status)
        status = ki_page_put(file, text, length);
    if (p.work && record->system->work_free)
        record->system->work_free(p.work);
    ki_derived_clear(&p.derived);
    free(p.pick);
    free(p.column);
    free(text);
    return status;
}
