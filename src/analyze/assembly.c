/* assembly.c - a start that satisfies its constraints: include/keel/assemble.h, closing.c. */
#include "keel/assemble.h"

#include <math.h>
#include <string.h>

#include "analyze/assembly.h"
#include "formulate/branches.h"
#include "keel/mechanism.h"

/* A mass below this part of the largest one is none. What has no mass takes this part of the largest as its
 * weight, and everything a little of its own: a mass matrix may be singular without a zero on its diagonal.
 */
static const double NO_MASS = 1e-12, WEIGHT_OF_MASSLESS = 1e-3, OWN_WEIGHT = 1e-8;

/* A velocity violation that stops falling here is round-off; above, rows contradict each other. */
static const double ROUND_OFF = 1e-10;

/* The start nearest to the drawing takes a dense basis of all freedoms. */
enum { MOST_BY_DRAWING = 250 };
static const double MOST_ENTRIES_BY_DRAWING = 2e5;

keel_assembly_settings keel_assembly_settings_default(void) {
    return (keel_assembly_settings){
        .metric = KEEL_ASSEMBLE_MASS, .tolerance = 1e-13, .iterations = 400, .pose_rows = -1};
}

static void copy(double *to, const double *from, int n) {
    memcpy(to, from, (size_t)n * sizeof *to);
}

/* A = M, made positive definite, or the identity. */
static void fill_metric(ki_assembly *a) {
    keel_pattern P = a->d.system->M;
    const double *M = a->d.at.M;
    double most = 0;
    for (int j = 0; j < P.rows; j++)
        most = fmax(most, M[P.start[j + 1] - 1]);
    bool identity = a->settings.metric == KEEL_ASSEMBLE_IDENTITY || !(most > 0);
    for (int j = 0; j < P.rows; j++) {
        int diagonal = P.start[j + 1] - 1;
        for (int k = P.start[j]; k < diagonal; k++)
            a->A[k] = identity ? 0 : M[k];
        if (identity)
            a->A[diagonal] = 1;
        else if (M[diagonal] > NO_MASS * most)
            a->A[diagonal] = (1 + OWN_WEIGHT) * M[diagonal];
        else
            a->A[diagonal] = M[diagonal] + WEIGHT_OF_MASSLESS * most;
    }
}

/* Lengths and sizes of the holonomic rows, and scale = max_i sum_j J_ij^2 / A_jj / w_i^2. */
static void update_sizes(ki_assembly *a) {
    const keel_system *sys = a->d.system;
    keel_pattern P = sys->J;
    ki_position_sizes(&a->d, a->y, a->d.size);
    a->scale = 0;
    for (int i = 0; i < sys->n_h; i++) {
        double square = 0, weighed = 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++) {
            double J_2 = a->d.at.J[k] * a->d.at.J[k];
            square += J_2;
            weighed += J_2 / a->A[sys->M.start[P.index[k] + 1] - 1];
        }
        a->size[i] = fmax(a->size[i], a->d.size[i]);
        a->w[i] = fmax(a->w[i], sqrt(square));
        if (a->w[i] > 0)
            a->scale = fmax(a->scale, weighed / (a->w[i] * a->w[i]));
        else /* a row that sees no coordinate here */
            a->w[i] = 1;
    }
    if (!(a->scale > 0))
        a->scale = 1;
}

/* Rows that vanish by their natural size ask nothing of a step: what is left of them, as of a second hinge
 * that is out of line in the seventh digit, would be as good as any other row to the kernel, which knows no
 * sizes. */
static void leave_out_vanishing(ki_assembly *a) {
    const keel_system *sys = a->d.system;
    keel_pattern P = sys->J;
    for (int i = 0; a->looking && sys->row_size && i < sys->n_h; i++) {
        double square = 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++) {
            double entry = a->d.at.J[k] * (sys->q_size ? sys->q_size[P.index[k]] : 1);
            square += entry * entry;
        }
        for (int k = P.start[i]; sqrt(square) <= a->look.limit[i] * sys->row_size[i] && k < P.start[i + 1];
             k++)
            a->d.at.J[k] = 0;
    }
}

keel_status ki_assembly_linearize(ki_assembly *a) {
    keel_status status = ki_solve_auxiliaries(&a->d, a->t, a->y);
    if (!status)
        status = ki_evaluate_terms(&a->d, KEEL_MASS | KEEL_JACOBIAN, a->t, a->y);
    if (status)
        return status;
    fill_metric(a);
    leave_out_vanishing(a);
    update_sizes(a);
    return KEEL_OK;
}

/* dv of least norm with J dv = -rate. */
static keel_status velocity_step(ki_assembly *a) {
    ki_dynamics *d = &a->d;
    double *v = ki_v(d, a->y);
    for (int i = 0; i < d->m; i++)
        d->b_m[i] = -d->at.rate[i];
    keel_status status = keel_saddle_factor(d->K, a->A, d->at.J, NULL);
    if (status >= 0)
        status = keel_saddle_solve(d->K, NULL, d->b_m, d->x, d->y, NULL);
    for (int j = 0; status >= 0 && j < d->system->n_v; j++)
        v[j] += d->x[j];
    return status < 0 ? status : KEEL_OK;
}

/* Rows that are asked of the pose only ask nothing of velocities. */
static void leave_out_pose_rows(ki_assembly *a) {
    keel_pattern P = a->d.system->J;
    int n_h = a->d.system->n_h;
    for (int i = n_h - a->settings.pose_rows; i < n_h; i++) {
        a->d.at.rate[i] = 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            a->d.at.J[k] = 0;
    }
}

/* In a singular pose the rows ask too little of velocities: those that satisfy them need not be along any
 * motion. The smallest ones along a branch are taken; *met: there are such. */
static keel_status choose_branch(ki_assembly *a, const keel_point *at, bool *met) {
    ki_branches branches;
    double least = INFINITY, norm, *v = KI_NEW(&a->d.arena, double, a->d.system->n_v);
    *met = false;
    if (!v)
        return KEEL_ERROR_MEMORY;
    keel_status status = ki_find_independent(&a->look, at);
    if (status || !ki_joints_are_singular(&a->look))
        return status;
    if (a->full != &a->look && (status = ki_find_independent(a->full, at)))
        return status;
    status = ki_find_branches(&branches, a->full, at);
    for (int b = 0; !status && b < branches.count; b++) {
        if (!ki_branch_velocity(&branches, b, at, a->pose_row, v, &norm))
            continue;
        a->branches += norm > 0; /* at rest the forces have still to choose */
        if (!(norm < least))
            continue;
        least = norm;
        *met = true;
        copy(ki_v(&a->d, a->y), v, a->d.system->n_v);
    }
    return status;
}

/* By the rows that are independent, if they can be told; rates and sizes of all rows are left in a->d. */
static keel_status meet_independent(ki_assembly *a, bool *met) {
    ki_dynamics *d = &a->d;
    keel_point at = ki_point(d, a->t, a->y);
    keel_status status = ki_solve_auxiliaries(d, a->t, a->y);
    if (status)
        return status;
    if ((status = choose_branch(a, &at, met)))
        return status;
    if (!*met) {
        copy(a->trial, a->y, d->n_y);
        if (a->by_drawing)
            ki_nearest_velocities(&a->nearest, &at, a->pose_row, ki_v(d, a->y));
        *met = ki_meet_rates(&a->look, &at, a->pose_row, ki_v(d, a->y));
        if (!*met) /* what contradicts each other is told as it can be shared best */
            copy(a->y, a->trial, d->n_y);
    }
    status = ki_assembly_linearize(a);
    if (!status)
        status = ki_evaluate_terms(d, KEEL_VELOCITY, a->t, a->y);
    leave_out_pose_rows(a);
    ki_velocity_sizes(d, ki_v(d, a->y), d->size);
    return status;
}

keel_status ki_assembly_velocities(ki_assembly *a, bool *met) {
    enum { MOST_ITERATIONS = 40 };
    ki_dynamics *d = &a->d;
    double previous = INFINITY;
    int worst;
    *met = true;
    if (a->looking && d->m) {
        keel_status status = meet_independent(a, met);
        if (status || *met)
            return status;
    }
    for (int iteration = 0; d->m && iteration < MOST_ITERATIONS; iteration++) {
        keel_status status = ki_assembly_linearize(a);
        if (!status)
            status = ki_evaluate_terms(d, KEEL_VELOCITY, a->t, a->y);
        if (status)
            return status;
        leave_out_pose_rows(a);
        ki_velocity_sizes(d, ki_v(d, a->y), d->size);
        double violation = ki_worst_relative(d->at.rate, d->size, d->m, &worst);
        *met = violation <= ROUND_OFF;
        if (violation <= a->settings.tolerance || !(violation <= 0.5 * previous))
            return KEEL_OK;
        previous = violation;
        if ((status = velocity_step(a)))
            return status;
    }
    return KEEL_OK;
}

static keel_status assembly_init(ki_assembly *a, const keel_system *system,
                                 const keel_assembly_settings *settings, const keel_state *state) {
    *a = (ki_assembly){.settings = settings ? *settings : keel_assembly_settings_default(), .t = state->t};
    if (a->settings.pose_rows < 0)
        a->settings.pose_rows = keel_mechanism_pose_rows(system);
    a->law = (ki_law){.formulation = KEEL_INDEX1, .metric = KEEL_METRIC_MASS};
    keel_status status = ki_dynamics_init(&a->d, system, &a->law);
    if (status)
        return status;
    ki_arena *arena = &a->d.arena;
    int n_y = a->d.n_y, n_h = system->n_h, n_s = system->n_s;
    a->y = KI_NEW(arena, double, n_y), a->trial = KI_NEW(arena, double, n_y);
    a->first = KI_NEW(arena, double, n_y), a->best = KI_NEW(arena, double, n_y);
    a->s = KI_NEW(arena, double, n_s), a->best_s = KI_NEW(arena, double, n_s);
    a->drawn = KI_NEW(arena, double, n_h);
    a->Phi = KI_NEW(arena, double, n_h), a->best_Phi = KI_NEW(arena, double, n_h);
    a->x = KI_NEW(arena, double, system->n_v);
    a->A = KI_NEW(arena, double, keel_pattern_count(system->M));
    a->D = KI_NEW(arena, double, a->d.m), a->w = KI_NEW(arena, double, a->d.m);
    a->size = KI_NEW(arena, double, a->d.m);
    a->pose_row = KI_NEW(arena, bool, a->d.m);
    if (arena->failed)
        return KEEL_ERROR_MEMORY;
    for (int i = system->n_h - a->settings.pose_rows; i < system->n_h; i++)
        a->pose_row[i] = true;
    a->looking = a->d.m && system->n_s == 0;
    a->by_drawing =
        a->looking && a->settings.metric == KEEL_ASSEMBLE_DRAWING && system->n_v <= MOST_BY_DRAWING &&
        (double)a->d.m * system->n_v <= MOST_ENTRIES_BY_DRAWING && keel_mechanism_look(system, NULL);
    if (a->looking && (status = ki_independence_init(&a->look, system, a->d.work, KI_FEW_ENTRIES)))
        return status;
    a->full = &a->look;
    if (a->by_drawing && a->look.large) {
        a->full = &a->full_look;
        if ((status = ki_independence_init(a->full, system, a->d.work, INFINITY)))
            return status;
    }
    if (a->by_drawing && (status = ki_nearest_init(&a->nearest, system, a->full)))
        return status;
    copy(ki_q(a->y), state->q, system->n_q);
    copy(ki_v(&a->d, a->y), state->v, system->n_v);
    copy(ki_z(&a->d, a->y), state->z, system->n_z);
    copy(a->d.s, state->s, n_s);
    copy(a->first, a->y, n_y);
    return KEEL_OK;
}

/* Phi at the first pose. */
static keel_status begin(ki_assembly *a, keel_assembly_report *report) {
    ki_dynamics *d = &a->d;
    int bad = 0;
    keel_status status = ki_solve_auxiliaries(d, a->t, a->y);
    if (!status)
        status = ki_evaluate_terms(d, KEEL_POSITION | KEEL_VELOCITY, a->t, a->y);
    if (!status && !ki_all_finite(d->at.Phi, d->system->n_h, &bad))
        status = KEEL_ERROR_NOT_FINITE;
    if (status)
        return status;
    copy(a->s, d->s, d->system->n_s);
    copy(a->Phi, d->at.Phi, d->system->n_h);
    for (int i = 0; i < d->system->n_h; i++)
        report->before = fmax(report->before, fabs(a->Phi[i]));
    copy(a->drawn, a->Phi, d->system->n_h);
    leave_out_pose_rows(a);
    for (int i = 0; i < d->m; i++)
        report->velocity_before = fmax(report->velocity_before, fabs(d->at.rate[i]));
    return KEEL_OK;
}

/* What the assembly did, from a->y, a->Phi and the rates in a->d. */
static void fill_report(const ki_assembly *a, bool closed, keel_assembly_report *report) {
    const keel_system *sys = a->d.system;
    int worst = -1;
    report->iterations = a->iterations;
    for (int i = 0; i < sys->n_h; i++) {
        report->after = fmax(report->after, fabs(a->Phi[i]));
        if (worst < 0 || fabs(a->Phi[i]) / a->size[i] > fabs(a->Phi[worst]) / a->size[worst])
            worst = i;
    }
    report->worst = closed ? -1 : worst;
    for (int i = 0; i < a->d.m; i++)
        report->velocity_after = fmax(report->velocity_after, fabs(a->d.at.rate[i]));
    for (int j = 0; j < sys->n_q; j++)
        report->moved = fmax(report->moved, fabs(a->y[j] - a->first[j]));
    for (int j = sys->n_q; j < sys->n_q + sys->n_v; j++)
        report->velocity_moved = fmax(report->velocity_moved, fabs(a->y[j] - a->first[j]));
}

/* The best pose of a mechanism that cannot be closed: its joints closed if they can be. */
static keel_status close_joints_first(ki_assembly *a) {
    const keel_system *sys = a->d.system;
    int before = a->iterations;
    bool closed, by_drawing = a->by_drawing;
    for (int i = 0; i < sys->n_h; i++)
        a->w[i] *= sys->names.joint[i] ? 1 : KI_LESS;
    copy(a->y, a->first, a->d.n_y);
    copy(a->Phi, a->drawn, sys->n_h);
    a->iterations = 0;
    a->by_drawing = false; /* which was tried in vain */
    keel_status status = ki_assembly_close(a, &closed);
    a->by_drawing = by_drawing;
    a->iterations += before;
    return status;
}

static keel_status assemble(ki_assembly *a, keel_diagnostics *diagnostics, keel_assembly_report *report) {
    bool closed = true, met = true;
    keel_status status = begin(a, report);
    if (!status && a->d.system->n_h)
        status = ki_assembly_close(a, &closed);
    if (!status && !closed && keel_mechanism_look(a->d.system, NULL))
        status = close_joints_first(a);
    if (!status)
        status = ki_assembly_velocities(a, &met);
    if (status)
        return status;
    fill_report(a, closed, report);
    if (a->branches > 1)
        keel_diagnostics_add(
            diagnostics, KEEL_NOTE, (keel_location){0},
            "the drawn pose is singular: %d branches of motion meet there on which the start "
            "values and motions are met; the one that moves least is taken; a start value "
            "that only another has chooses that one",
            a->branches);
    if (closed && met)
        return KEEL_OK;
    if (keel_mechanism_look(a->d.system, NULL))
        return ki_report_contradictions(a, closed, diagnostics);
    if (!closed)
        ki_report_open(a->d.system, a->Phi, a->size, a->d.system->n_h, a->settings.tolerance, false,
                       diagnostics);
    else
        ki_report_open(a->d.system, a->d.at.rate, a->d.size, a->d.m, ROUND_OFF, true, diagnostics);
    return KEEL_ERROR_START;
}

/* A failure that is no matter of joints: the model could not be evaluated. */
static void report_failure(const ki_assembly *a, keel_status status, keel_diagnostics *diagnostics) {
    char name[32], part[160];
    keel_location nowhere = {0}, where = {0};
    const keel_system *sys = a->d.system;
    const ki_trouble *trouble = &a->d.trouble;
    if (trouble->kind == KI_TROUBLE_AUXILIARY)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere,
                             "the start cannot be assembled: Newton's method for the auxiliary unknown '%s' "
                             "does not converge",
                             keel_system_name(sys, KEEL_NAME_S, trouble->index, name));
    else if (status == KEEL_ERROR_NOT_FINITE && sys->explain &&
             sys->explain(sys, a->d.work, a->t, part, sizeof part, &where))
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where,
                             "the start cannot be assembled: %s is not finite at t = %.10g", part, a->t);
    else
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere, "the start cannot be assembled: %s",
                             keel_status_text(status));
}

keel_status keel_assemble(const keel_system *system, const keel_assembly_settings *settings,
                          keel_state *state, keel_diagnostics *diagnostics, keel_assembly_report *report) {
    if (!system || !state)
        return KEEL_ERROR_INPUT;
    ki_assembly a;
    keel_assembly_report own;
    report = report ? report : &own;
    *report = (keel_assembly_report){.worst = -1};
    keel_status status = assembly_init(&a, system, settings, state);
    if (!status)
        status = assemble(&a, diagnostics, report);
    if (status == KEEL_OK || status == KEEL_ERROR_START) {
        copy(state->q, ki_q(a.y), system->n_q);
        copy(state->v, ki_v(&a.d, a.y), system->n_v);
        copy(state->s, a.d.s, system->n_s);
    } else {
        report_failure(&a, status, diagnostics);
    }
    ki_nearest_clear(&a.nearest);
    ki_independence_clear(&a.look);
    ki_independence_clear(&a.full_look);
    ki_dynamics_clear(&a.d);
    return status;
}
