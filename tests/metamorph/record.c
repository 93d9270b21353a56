/* record.c - runs a drawing, and takes what it did back into the base. */
#include "record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "keel/mobility.h"
#include "keel/modelfile.h"
#include "keel/run.h"

/* A run that takes more steps than any of these mechanisms needs, or so many seconds of the processor, is
 * ended. */
#define MOST_STEPS   20000
#define MOST_SECONDS 30

typedef struct recorder {
    const drawing *d;
    const keel_system *system;
    record *rec;
    void *work;
    int body_number[MOST_BODIES + 1], joint_index[MOST_JOINTS]; /* of the system's parts: in the base, in d */
    clock_t start;
} recorder;

static vec vector(const double *x) {
    return (vec){x[0], x[1], x[2]};
}

static void map_parts(recorder *to) {
    const drawing *d = to->d;
    for (int i = 1; i <= d->bodies; i++)
        for (int b = 1; b <= d->bodies; b++)
            if (!strcmp(keel_mechanism_body_name(to->system, i), d->body[b].name))
                to->body_number[i] = b;
    for (int i = 0; i < d->joints; i++)
        for (int j = 0; j < d->joints; j++)
            if (!strcmp(keel_mechanism_joint_name(to->system, i), d->joint[j].name))
                to->joint_index[i] = j;
}

/* x = L (R x_base + p), so x_base = R^T (x / L - p); rotations and vectors likewise. */
static void record_body(const recorder *to, int row, int b, const keel_pose *pose, const double twist[6]) {
    const placement *at = &to->d->placed;
    const drawn_body *drawn = &to->d->body[to->body_number[b]];
    body_state *state = &to->rec->body[row][drawn->number];
    mat R;
    memcpy(R.a, pose->R, sizeof R.a);
    state->R = tensor_turned(transpose(at->turn), R);
    vec r = vector(pose->r);
    if (to->d->planar)
        r.z = drawn->centre.z;
    state->r = turned_back(at->turn, sub(scale(1 / at->length, r), at->shift));
    state->spin = turned_back(at->turn, scale(at->time, vector(twist)));
    state->velocity = turned_back(at->turn, scale(at->time / at->length, vector(twist + 3)));
}

static keel_status record_bodies(const recorder *to, int row, const keel_point *at) {
    keel_pose poses[MOST_BODIES + 1];
    int n = to->system->n_v;
    double *J = calloc(6 * (size_t)n + 1, sizeof *J);
    keel_status status = J ? keel_mechanism_poses(to->system, to->work, at, poses) : KEEL_ERROR_MEMORY;
    for (int b = 1; status >= 0 && b <= to->d->bodies; b++) {
        double twist[6] = {0};
        status = keel_mechanism_body_jacobian(to->system, to->work, at, b, J);
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < n; k++)
                twist[i] += J[i * n + k] * at->v[k];
        record_body(to, row, b, &poses[b], twist);
    }
    free(J);
    return status;
}

/* Where the place of a joint on one of its bodies is now. */
static vec joint_place(const recorder *to, const drawn_joint *joint, int side, const keel_pose *poses) {
    mat R;
    for (int i = 1; i <= to->d->bodies; i++)
        if (to->body_number[i] == joint->body[side]) {
            memcpy(R.a, poses[i].R, sizeof R.a);
            return add(vector(poses[i].r), turned(R, sub(joint->at[side], vector(poses[i].drawn))));
        }
    return joint->at[side];
}

/* A reaction acts on the second body, at its place: after an exchange the other body's place is meant. */
static keel_status record_loads(const recorder *to, int row, const keel_point *at, const double *v_rate) {
    const placement *placed = &to->d->placed;
    double force_unit = placed->time * placed->time / (placed->mass * placed->length);
    keel_reaction reactions[MOST_JOINTS];
    keel_pose poses[MOST_BODIES + 1];
    keel_status status = keel_mechanism_reactions(to->system, to->work, at, v_rate, reactions);
    if (status >= 0)
        status = keel_mechanism_poses(to->system, to->work, at, poses);
    for (int i = 0; status >= 0 && i < to->d->joints; i++) {
        const drawn_joint *joint = &to->d->joint[to->joint_index[i]];
        vec force = vector(reactions[i].force), torque = vector(reactions[i].torque);
        joint_load *load = &to->rec->load[row][joint->number];
        if (joint->exchanged) {
            vec arm = sub(joint_place(to, joint, 1, poses), joint_place(to, joint, 0, poses));
            torque = scale(-1, add(torque, cross(arm, force)));
            force = scale(-1, force);
        }
        vec place = joint_place(to, joint, joint->exchanged ? 0 : 1, poses);
        load->at = turned_back(placed->turn, sub(scale(1 / placed->length, place), placed->shift));
        load->force = turned_back(placed->turn, scale(force_unit, force));
        load->torque = turned_back(placed->turn, scale(force_unit / placed->length, torque));
    }
    return status;
}

/* Rows come at equal distances; a row of the end that falls beside them is not needed. */
static keel_status take_row(void *user, const keel_row *row) {
    recorder *to = user;
    record *rec = to->rec;
    keel_point at = {row->t, row->q, row->v, row->z, row->s, row->lambda, NULL};
    if (rec->rows == ROWS)
        return KEEL_OK;
    rec->t[rec->rows] = row->t / to->d->placed.time;
    keel_status status = record_bodies(to, rec->rows, &at);
    if (status >= 0)
        status = record_loads(to, rec->rows, &at, row->v_rate);
    rec->rows++;
    return status;
}

static keel_status take_step(void *user, double t, double until) {
    const recorder *to = user;
    (void)t, (void)until;
    return (double)(clock() - to->start) / CLOCKS_PER_SEC > MOST_SECONDS ? KEEL_ERROR_CALLBACK : KEEL_OK;
}

static keel_status check_mobility(recorder *to, const keel_model *model, keel_diagnostics *messages) {
    keel_mobility mobility;
    keel_status status = keel_mobility_find(to->system, model->start, 0, &mobility);
    if (status < 0)
        return status;
    to->rec->freedoms = mobility.freedoms;
    for (int i = 0; i < to->d->joints; i++)
        to->rec->shared[to->d->joint[to->joint_index[i]].number] = mobility.shared[i];
    status = keel_mobility_check(to->system, &mobility, messages);
    keel_mobility_clear(&mobility);
    return status < 0 ? status : keel_inertia_check(to->system, model->start, 0, messages);
}

static keel_status simulate(recorder *to, const keel_model *model, keel_diagnostics *messages) {
    keel_settings settings = model->settings;
    keel_observer observer = {.user = to, .row = take_row, .step = take_step};
    keel_result result = {0};
    settings.max_steps = MOST_STEPS;
    keel_status status = to->system->work_new ? to->system->work_new(to->system, &to->work) : KEEL_OK;
    if (status >= 0)
        status = keel_run(to->system, model->start, model->velocities_given, &settings, &observer, messages,
                          &result);
    keel_check broken = keel_run_verdict_failed(&result.verdict);
    if (status >= 0 && broken < KEEL_CHECKS) {
        keel_diagnostics_add(messages, KEEL_ERROR, (keel_location){0}, "verdict '%s': %s",
                             keel_check_word(broken), result.verdict.check[broken].text);
        status = KEEL_ERROR_CONVERGENCE;
    }
    for (int i = 0; i < result.event_count; i++)
        to->rec->singular_events += result.events[i].kind == KEEL_EVENT_SINGULAR;
    keel_result_clear(&result);
    if (to->system->work_free)
        to->system->work_free(to->work);
    return status;
}

static void take_message(record *rec, keel_status status, const keel_diagnostics *messages) {
    snprintf(rec->message, sizeof rec->message, "%s", keel_status_text(status));
    for (int i = 0; i < keel_diagnostics_count(messages); i++) {
        keel_diagnostic message = keel_diagnostics_get(messages, i);
        if (message.severity == KEEL_ERROR) {
            snprintf(rec->message, sizeof rec->message, "%s", message.text);
            return;
        }
    }
}

void record_run(const drawing *d, record *rec) {
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status = KEEL_OK;
    char *text = drawing_text(d);
    keel_model *model = keel_model_parse(d->name, text, strlen(text), NULL, 0, messages, &status);
    memset(rec, 0, sizeof *rec);
    if (model) {
        recorder to = {.d = d, .system = model->system, .rec = rec, .start = clock()};
        map_parts(&to);
        status = keel_model_assemble(model, messages, NULL);
        if (status >= 0)
            status = check_mobility(&to, model, messages);
        if (status >= 0)
            status = simulate(&to, model, messages);
    }
    rec->ran = model && status >= 0 && rec->rows == ROWS;
    if (!rec->ran)
        take_message(rec, status, messages);
    keel_model_free(model);
    free(text);
    keel_diagnostics_free(messages);
}
