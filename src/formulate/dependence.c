/* dependence.c - dependent constraints of any system: include/keel/dependence.h. */
#include "keel/dependence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formulate/dependence.h"
#include "formulate/independence.h"

/* Beyond so many numbers self-stresses are not kept. */
static const double MOST_STRESSES = 4e6;

/* Of the largest part in a self-stress: rows with less do not take part. */
static const double LEAST_PART = 1e-3;

void keel_dependence_clear(keel_dependence *dependence) {
    if (!dependence)
        return;
    free(dependence->dependent);
    free(dependence->shared);
    free(dependence->stress);
    *dependence = (keel_dependence){0};
}

static bool is_motion(const keel_system *system, int i) {
    return i < system->n_h && system->names.joint && !system->names.joint[i];
}

/* Rank of the joints' rows alone, usually minus here. */
static keel_status find_branch_loss(ki_independence *look, const keel_point *at, const keel_point *general,
                                    int *loss) {
    int here, usual;
    for (int i = 0; i < look->m; i++)
        look->ignored[i] = is_motion(look->system, i);
    keel_status status = ki_count_independent(look, at, &here);
    if (!status)
        status = ki_count_independent(look, general, &usual);
    memset(look->ignored, 0, (size_t)look->m * sizeof *look->ignored);
    *loss = status ? 0 : usual - here;
    return status;
}

/* The self-stress of each dependent row, as far as there are not too many. */
static keel_status keep_stresses(ki_independence *look, keel_dependence *dependence) {
    size_t m = (size_t)look->m, dependent = (size_t)dependence->dependent_count;
    keel_status status = KEEL_OK;
    if ((double)dependent * (double)m > MOST_STRESSES)
        return KEEL_OK;
    dependence->stress = calloc(dependent * m + 1, sizeof *dependence->stress);
    if (!dependence->stress)
        return KEEL_ERROR_MEMORY;
    for (size_t k = 0; !status && k < dependent; k++)
        status = ki_self_stress_of(look, dependence->dependent[k], dependence->stress + k * m);
    return status;
}

static keel_status list_dependent(ki_independence *look, keel_dependence *dependence) {
    size_t m = (size_t)look->m, dependent = m - (size_t)look->rank;
    bool *marked = calloc(m + 1, sizeof *marked);
    double *y = calloc((size_t)ki_stress_count(look) * m + 1, sizeof *y);
    dependence->dependent = calloc(dependent + 1, sizeof *dependence->dependent);
    dependence->shared = calloc(m + 1, sizeof *dependence->shared);
    keel_status status =
        marked && y && dependence->dependent && dependence->shared ? KEEL_OK : KEEL_ERROR_MEMORY;
    if (!status) {
        ki_self_stresses(look, y, marked);
        for (int i = 0; i < look->m; i++) {
            dependence->shared[i] = marked[i];
            if (!look->taken[i])
                dependence->dependent[dependence->dependent_count++] = i;
        }
        status = keep_stresses(look, dependence);
    }
    free(marked);
    free(y);
    return status;
}

static keel_status find(ki_independence *look, const keel_point *at, keel_dependence *dependence) {
    keel_status status = ki_find_independent(look, at);
    if (status)
        return status;
    dependence->rank = look->rank;
    dependence->rank_here = look->rank_here;
    dependence->least = look->least;
    dependence->most = look->most;
    keel_point general = *at;
    general.q = look->q;
    if (ki_is_singular(look))
        status = find_branch_loss(look, at, &general, &dependence->branch_loss);
    look->least = dependence->least;
    if (!status)
        status = ki_take_in_order(look, &general);
    return status ? status : list_dependent(look, dependence);
}

keel_status keel_dependence_find(const keel_system *system, const keel_point *at,
                                 keel_dependence *dependence) {
    if (!system || !at || !dependence) {
        if (dependence)
            *dependence = (keel_dependence){0};
        return KEEL_ERROR_INPUT;
    }
    ki_independence look = {0};
    void *work = NULL;
    *dependence = (keel_dependence){.m = keel_system_m(system), .least = INFINITY};
    keel_status status = system->work_new ? system->work_new(system, &work) : KEEL_OK;
    if (status >= 0 && !(status = ki_independence_init(&look, system, work, KI_FEW_ENTRIES)))
        status = find(&look, at, dependence);
    ki_independence_clear(&look);
    if (system->work_free && work)
        system->work_free(work);
    if (status < 0)
        keel_dependence_clear(dependence);
    return status;
}

/* ---- in words */

typedef struct words {
    char text[400];
    size_t used;
    int count;
    const char *last; /* rows of a joint stand together */
} words;

static void add_word(words *list, const char *quote, const char *name) {
    if (list->last && strcmp(list->last, name) == 0)
        return;
    int written = snprintf(list->text + list->used, sizeof list->text - list->used, "%s%s%s%s",
                           list->count ? ", " : "", quote, name, quote);
    if (written > 0 && list->used + (size_t)written < sizeof list->text)
        list->used += (size_t)written;
    list->text[list->used] = 0;
    list->last = name;
    list->count++;
}

/* How much of self-stress y is in row i, in natural sizes. */
static double part_of(const keel_system *system, const double *y, int i) {
    return fabs(y[i]) * (system->row_size ? system->row_size[i] : 1);
}

static void list_others(const keel_system *system, const double *y, int row, words *others, words *joints) {
    char buffer[32];
    double most = 0;
    int m = keel_system_m(system);
    for (int i = 0; i < m; i++)
        most = fmax(most, part_of(system, y, i));
    for (int i = 0; i < m; i++) {
        if (i == row || part_of(system, y, i) <= LEAST_PART * most)
            continue;
        if (system->names.joint && system->names.joint[i])
            add_word(joints, "", system->names.joint[i]);
        else
            add_word(others, "'", keel_system_name(system, KEEL_NAME_CONSTRAINT, i, buffer));
    }
}

const char *ki_repetition_words(const keel_system *system, const double *y, int row, char *text, int size) {
    char own[32];
    words others = {0}, joints = {0};
    const char *joint = system->names.joint ? system->names.joint[row] : NULL;
    if (y)
        list_others(system, y, row, &others, &joints);
    int used = snprintf(text, (size_t)size, "%s'%s'%s%s", is_motion(system, row) ? "the motion " : "",
                        keel_system_name(system, KEEL_NAME_CONSTRAINT, row, own), joint ? " of joint " : "",
                        joint ? joint : "");
    if (used < 0 || used >= size)
        return text;
    if (!y)
        snprintf(text + used, (size_t)(size - used), " repeats what others impose");
    else if (others.count + joints.count == 0)
        snprintf(text + used, (size_t)(size - used), " holds anyway");
    else
        snprintf(text + used, (size_t)(size - used), " repeats what %s%s%s%s impose%s", others.text,
                 others.count && joints.count ? " and " : "",
                 joints.count == 0  ? ""
                 : joints.count > 1 ? "joints "
                                    : "joint ",
                 joints.text, others.count + joints.count == 1 ? "s" : "");
    return text;
}

const char *keel_dependence_sentence(const keel_system *system, const keel_dependence *dependence, int k,
                                     char *text, int size) {
    if (!system || !dependence || !text)
        return "";
    const double *y = dependence->stress ? dependence->stress + (size_t)k * (size_t)dependence->m : NULL;
    return ki_repetition_words(system, y, dependence->dependent[k], text, size);
}
