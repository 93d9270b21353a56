/* prepare.c - what a model needs before its first step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "keel/mobility.h"
#include "keel/modelfile.h"

/* The start of a model is given by decimal numbers of a file: changes below this part of it are theirs. */
static const double SEEN = 1e-12;

static double degrees(double angle) {
    return angle * 45 / atan(1);
}

/* "'rod' moved by 0.01 and turned by 2 degrees, 'crank' ...": the bodies that moved most. */
static void describe_moved(const keel_model *model, int bodies, char *text, size_t size) {
    enum { TOLD = 2 };
    int count = 0;
    keel_moved_body *moved = calloc((size_t)bodies + 1, sizeof *moved);
    if (!moved || keel_find_moved_bodies(model->system, model->start, moved, &count) || count == 0)
        snprintf(text, size, "no body moved");
    for (int i = 0, used = 0; i < count && i < TOLD && used < (int)size; i++)
        used += snprintf(text + used, size - (size_t)used, "%s'%s' moved by %.3g and turned by %.3g degrees",
                         i ? ", " : "", keel_mechanism_body_name(model->system, moved[i].body),
                         moved[i].distance, degrees(moved[i].angle));
    free(moved);
}

static void tell_moved(const keel_model *model, int bodies, const keel_assembly_report *report,
                       keel_diagnostics *diagnostics) {
    char most[300];
    double size = 1;
    for (int i = 0; i < model->system->n_q; i++)
        size = fmax(size, fabs(model->start->q[i]));
    if (!(report->moved > SEEN * size))
        return;
    describe_moved(model, bodies, most, sizeof most);
    keel_diagnostics_add(diagnostics, KEEL_NOTE, (keel_location){0},
                         "assembled: joints and start values were off by up to %.3g; %s (keel assemble tells "
                         "more)",
                         report->before, most);
}

static keel_status assemble_start(keel_model *model, keel_diagnostics *diagnostics) {
    keel_mechanism_facts facts;
    keel_assembly_report report;
    if (!keel_mechanism_look(model->system, &facts) || model->settings.start_state == KEEL_START_AS_GIVEN)
        return KEEL_OK;
    keel_status status = keel_model_assemble(model, diagnostics, &report);
    if (status >= 0)
        tell_moved(model, facts.bodies, &report, diagnostics);
    if (status == KEEL_ERROR_START &&
        report.worst < 0) /* a body that is locked explains why it cannot move */
        keel_mobility_refuse(model->system, model->start, diagnostics);
    return keel_status_of_start(status);
}

keel_status keel_model_prepare(keel_model *model, keel_diagnostics *diagnostics) {
    if (!model)
        return KEEL_ERROR_INPUT;
    keel_status status = assemble_start(model, diagnostics);
    if (status >= 0)
        status = keel_mobility_refuse(model->system, model->start, diagnostics);
    return status < 0 ? status : KEEL_OK;
}
