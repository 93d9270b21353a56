/* scene.c - which rows are frames; the points and lines of a model of equations. */
#include <math.h>

#include "keel/equations.h"
#include "results/scene_parts.h"

void ki_pick_rows(long rows, long count, long *pick) {
    for (long k = 0; k < count; k++)
        pick[k] = count > 1 ? (long)((double)k * (double)(rows - 1) / (double)(count - 1) + 0.5) : 0;
}

void ki_json_numbers(ki_json *json, const char *key, const double *values, int count) {
    ki_json_raw(json, key, "[");
    for (int k = 0; k < count; k++)
        fprintf(json->file, "%s%.9g", k ? ", " : "", isfinite(values[k]) ? values[k] : 0);
    fputc(']', json->file);
}

void ki_scene_reset(ki_scene *s) {
    for (int k = 0; k < 3; k++) {
        s->low[k] = INFINITY;
        s->high[k] = -INFINITY;
    }
}

void ki_scene_widen(ki_scene *s, const double origin[3], const double at[3], double radius) {
    for (int k = 0; k < 3; k++) {
        s->low[k] = fmin(s->low[k], origin[k] + at[k] - radius);
        s->high[k] = fmax(s->high[k], origin[k] + at[k] + radius);
    }
}

double ki_scene_size(const ki_scene *s) {
    double square = 0;
    for (int k = 0; k < 3; k++)
        if (s->high[k] > s->low[k])
            square += (s->high[k] - s->low[k]) * (s->high[k] - s->low[k]);
    return square > 0 ? sqrt(square) : 1;
}

void ki_scene_frames(const ki_scene *s) {
    ki_json_integer(s->json, "frames", s->frames);
    ki_json_packed(s->json, "frame_time", KI_F64, s->time, s->frames, 1);
}

void ki_json_empty_list(ki_json *json, const char *key) {
    ki_json_open_list(json, key);
    ki_json_close_list(json);
}

static void write_lines(ki_json *json, const keel_drawing *drawing) {
    ki_json_open_list(json, "lines");
    for (int i = 0; i < drawing->line_count; i++) {
        ki_json_open_list(json, NULL);
        for (int k = 0; k < 2; k++)
            ki_json_text(json, NULL, drawing->name[drawing->line[i][k]]);
        ki_json_close_list(json);
    }
    ki_json_close_list(json);
}

/* tracks[point][frame][3], and the size of the largest frame */
static keel_status trace_points(ki_scene *s, int points, float **tracks, double *largest) {
    double(*at)[3] = ki_arena_alloc(&s->arena, (size_t)points, sizeof *at);
    *tracks = KI_NEW(&s->arena, float, s->frames *points * 3);
    if (!at || !*tracks)
        return KEEL_ERROR_MEMORY;
    double size = 0;
    for (long f = 0; f < s->frames; f++) {
        static const double HERE[3] = {0};
        const double *v_rate;
        ki_scene_reset(s);
        keel_point here = ki_record_point(s->record, s->pick[f], &v_rate);
        keel_equations_draw(s->system, s->work, &here, at);
        for (int i = 0; i < points; i++) {
            ki_scene_widen(s, HERE, at[i], 0);
            for (int k = 0; k < 3; k++)
                (*tracks)[(i * s->frames + f) * 3 + k] = (float)at[i][k];
        }
        size = fmax(size, ki_scene_size(s));
    }
    *largest = size;
    return KEEL_OK;
}

static keel_status write_drawing(ki_scene *s, const keel_drawing *drawing) {
    float *tracks;
    char unit[KEEL_UNIT];
    double size = 1;
    keel_status status = trace_points(s, drawing->point_count, &tracks, &size);
    if (status < 0)
        return status;
    ki_json *json = s->json;
    ki_json_open(json, "scene");
    ki_json_integer(json, "dimension", drawing->planar ? 2 : 3);
    ki_json_numbers(json, "up", drawing->planar ? (const double[3]){0, 1, 0} : (const double[3]){0, 0, 1}, 3);
    ki_json_number(json, "size", size);
    ki_json_text(json, "unit", keel_system_unit(s->system, KEEL_UNIT_LENGTH, 0, unit));
    ki_json_text(json, "force_unit", "");
    ki_json_raw(json, "bodies", "[{\"name\": \"ground\", \"shapes\": []}]");
    ki_json_empty_list(json, "points");
    ki_json_empty_list(json, "joints");
    ki_json_empty_list(json, "springs");
    ki_json_open_list(json, "tracks");
    for (int i = 0; i < drawing->point_count; i++) {
        ki_json_open(json, NULL);
        ki_json_text(json, "name", drawing->name[i]);
        ki_json_floats(json, "data", tracks + i * s->frames * 3, s->frames * 3);
        ki_json_close(json);
    }
    ki_json_close_list(json);
    write_lines(json, drawing);
    ki_scene_frames(s);
    ki_json_floats(json, "poses", NULL, 0);
    ki_json_text(json, "forces", NULL);
    ki_json_close(json);
    return KEEL_OK;
}

static keel_status choose_frames(ki_scene *s) {
    s->frames = s->record->rows.rows < KI_FRAMES ? s->record->rows.rows : KI_FRAMES;
    s->pick = KI_NEW(&s->arena, long, s->frames);
    s->time = KI_NEW(&s->arena, double, s->frames);
    if (s->arena.failed)
        return KEEL_ERROR_MEMORY;
    ki_pick_rows(s->record->rows.rows, s->frames, s->pick);
    for (long f = 0; f < s->frames; f++)
        s->time[f] = ki_series_row(&s->record->rows, s->pick[f])[0];
    return KEEL_OK;
}

keel_status ki_write_scene(ki_json *json, const keel_record *record, void *work, const bool *shared) {
    ki_scene s = {.json = json, .record = record, .system = record->system, .work = work, .shared = shared};
    keel_drawing drawing = record->fits ? keel_equations_drawing(record->system) : (keel_drawing){0};
    bool is_mechanism = record->fits && keel_mechanism_look(record->system, &s.facts);
    if (!is_mechanism && drawing.point_count == 0) {
        ki_json_text(json, "scene", NULL);
        return KEEL_OK;
    }
    ki_arena_init(&s.arena);
    ki_scene_reset(&s);
    keel_status status = choose_frames(&s);
    if (status == KEEL_OK)
        status = is_mechanism ? ki_write_mechanism(&s) : write_drawing(&s, &drawing);
    ki_arena_free(&s.arena);
    return status;
}
