/* From a description to a system: check, choose the tree, build twice (with and without start values). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism/choice.h"
#include "mechanism/forces/force.h"
#include "mechanism/joint.h"
#include "mechanism/mech_names.h"
#include "mechanism/mech_system.h"
#include "mechanism/reaction.h"
#include "mechanism/shapes.h"
#include "mechanism/states.h"
#include "mechanism/tangent.h"
#include "mechanism/units.h"

static void report(keel_diagnostics *diagnostics, const ki_joint *joint) {
    keel_diagnostics_add(diagnostics, KEEL_ERROR, joint->where,
                         "the turns of joint '%s' are counted (by a gear, a torsion spring or a formula), "
                         "but it closes a loop of joints that are all counted, and an angle found from the "
                         "pose is known only up to full turns: let one joint of the loop be free of them",
                         joint->name);
}

/* In space, joints whose turns are counted must hang in the tree. */
static keel_status check_counted(const ki_mech *mech, const bool *counted, keel_diagnostics *diagnostics) {
    keel_status status = KEEL_OK;
    for (int j = 0; j < mech->described_joints; j++)
        if (counted[j] && !mech->joint[j].tree) {
            report(diagnostics, &mech->joint[j]);
            status = KEEL_ERROR_INPUT;
        }
    return status;
}

/* A gear keeps ratio c_0 - c_1 as drawn. */
static void set_couplings(ki_mech *mech) {
    for (int j = 0; j < mech->joint_count; j++) {
        ki_joint *joint = &mech->joint[j];
        double drawn[2];
        for (int k = 0; joint->type->couples && k < 2; k++) {
            const int *body = mech->joint[joint->other[k]].body;
            ki_measure c = {KI_MEASURE_JOINT, joint->other[k], 0, 0, {body[0], body[1]}};
            drawn[k] = ki_measure_drawn(mech, &c);
        }
        if (joint->type->couples)
            joint->length = joint->ratio * drawn[0] - drawn[1];
    }
}

static int gruebler(const ki_mech *mech) {
    int freedoms = mech->d * (mech->body_count - 1) - mech->motion_count;
    for (int j = 0; j < mech->described_joints; j++)
        freedoms -= mech->joint[j].type->couples ? 1 : ki_role(&mech->joint[j], mech->d)->conditions;
    return freedoms;
}

static void fill_facts(ki_mech *mech, const keel_mechanism_facts *choice) {
    keel_mechanism_facts *f = &mech->facts;
    *f = *choice;
    f->planar = mech->d == KI_PLANAR;
    f->bodies = mech->body_count - 1;
    f->joints = mech->described_joints;
    for (int j = 0; j < mech->described_joints; j++)
        f->tree_joints += mech->joint[j].tree;
    f->cut_joints = f->joints - f->tree_joints;
    f->gruebler = gruebler(mech);
}

/* Everything but the bodies and joints themselves. */
static keel_status complete(ki_mech *mech, const keel_mechanism *m, bool for_assembly,
                            keel_diagnostics *diagnostics) {
    ki_names names = {m, mech};
    keel_status states = ki_states_compile(&names, mech, for_assembly, diagnostics);
    keel_status status = ki_forces_compile(&names, mech, diagnostics);
    status = states ? states : status;
    keel_status motions = ki_motions_compile(&names, mech, diagnostics);
    keel_status starts = for_assembly ? ki_starts_compile(&names, mech, diagnostics) : KEEL_OK;
    keel_status outputs = ki_outputs_compile(&names, mech, diagnostics); /* all messages at once */
    status = status ? status : motions ? motions : starts ? starts : outputs;
    if (!status)
        status = ki_layout_build(mech);
    if (!status)
        status = ki_friction_build(mech);
    if (!status)
        status = ki_mech_name(mech);
    if (!status)
        status = ki_shapes_compile(m, mech);
    if (!status)
        status = ki_sizes_build(mech);
    /* assembly needs no derivatives of forces; with states they are differences (docs/mechanisms.md) */
    if (!status && !for_assembly && !mech->state_count)
        status = ki_colouring_build(mech);
    if (!status && !for_assembly)
        status = ki_switching_build(mech);
    if (!status)
        ki_mech_connect(mech);
    if (!status && !for_assembly)
        status = ki_units_build(&names, mech);
    return status;
}

static keel_status build(const keel_mechanism *m, const ki_tree *tree, const keel_mechanism_facts *choice,
                         bool for_assembly, const bool *counted, keel_diagnostics *diagnostics,
                         ki_mech **out) {
    ki_mech *mech = *out = ki_skeleton_new(m, tree);
    if (!mech)
        return KEEL_ERROR_MEMORY;
    keel_status status = check_counted(mech, counted, diagnostics);
    if (status)
        return status;
    set_couplings(mech);
    status = complete(mech, m, for_assembly, diagnostics);
    if (status)
        return status;
    fill_facts(mech, choice);
    char rule[200];
    status = keel_system_validate(&mech->system, rule, sizeof rule);
    if (status < 0)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0}, "the mechanism: %s", rule);
    return status;
}

/* Sets the coordinate, or with a prime the velocity, that a measure is, if it is one of the tree's. */
static void set_coordinate(const ki_mech *mech, const ki_measure *measure, int primes, double value,
                           keel_state *state) {
    if (measure->kind != KI_MEASURE_JOINT || !mech->joint[measure->object].tree)
        return;
    const ki_joint *joint = &mech->joint[measure->object];
    const ki_joint_role *role = ki_role(joint, mech->d);
    if (role->kinematics || measure->component >= role->n_v)
        return;
    if (primes == 0)
        state->q[joint->q + measure->component] = value;
    else if (primes == 1)
        state->v[joint->v + measure->component] = value;
}

/* Driven coordinates as they are at t = 0. */
static keel_status draw_motions(const ki_mech *mech, keel_state *state) {
    void *work;
    if (mech->motion_count == 0)
        return KEEL_OK;
    keel_status status = ki_mech_work_new(&mech->system, &work);
    for (int i = 0; !status && i < mech->motion_count; i++) {
        double law[3];
        ki_motion_law(mech, work, i, 0, law);
        for (int primes = 0; primes < 2; primes++)
            if (isfinite(law[primes]))
                set_coordinate(mech, &mech->motion[i].measure, primes, law[primes], state);
    }
    if (!status)
        ki_mech_work_free(work);
    return status;
}

/* The drawn pose at rest, as far as the coordinates can show it. Joints that have start values or are driven
 * begin there, and carry what hangs from them along: other joints keep their angles. */
static keel_state *draw(const ki_mech *mech) {
    keel_state *state = keel_state_new(&mech->system);
    if (!state)
        return NULL;
    ki_drawn_coordinates(mech, state->q);
    for (int i = 0; i < mech->start_count; i++)
        set_coordinate(mech, &mech->start[i].measure, mech->start[i].measure.primes, mech->start[i].value,
                       state);
    if (draw_motions(mech, state)) {
        keel_state_free(state);
        return NULL;
    }
    return state;
}

/* Patterns count with int, and no machine wants more. */
static keel_status check_entries(const keel_mechanism *m, const ki_tree *tree,
                                 keel_diagnostics *diagnostics) {
    const double most = 2e8;
    double entries = 0;
    keel_status status = ki_tree_entries(m, tree, &entries);
    if (status || entries <= most)
        return status;
    keel_diagnostics_add(
        diagnostics, KEEL_ERROR, (keel_location){0},
        "a branch of %d joints in relative coordinates makes matrices of about %.2g entries: "
        "take 'coordinates: auto' or 'absolute'; joints whose turns are counted (gears, torsion "
        "springs, angles in forces) stay in the branch all the same",
        tree->deepest, entries);
    return KEEL_ERROR_INPUT;
}

/* What is being made; index 0: the system, 1: its assembly. */
typedef struct pair {
    ki_tree tree[2];
    ki_mech *mech[2];
    keel_state *drawn[2];
} pair;

static keel_status compile(const keel_mechanism *m, bool *counted, ki_arena *arena,
                           keel_diagnostics *diagnostics, pair *made) {
    keel_mechanism_facts choice = {0};
    keel_status status = m->planar ? KEEL_OK : ki_counted_joints(m, counted);
    if (!status)
        status = ki_choose_tree(m, counted, arena, &made->tree[0], &choice);
    if (!status)
        status = check_entries(m, &made->tree[0], diagnostics);
    if (!status)
        status = ki_assembly_tree(m, counted, arena, &made->tree[0], &made->tree[1]);
    /* first with the start values, which brings all messages */
    for (int i = 1; i >= 0 && !status; i--)
        status = build(m, &made->tree[i], &choice, i == 1, counted, diagnostics, &made->mech[i]);
    if (status)
        return status;
    made->drawn[0] = keel_state_new(&made->mech[0]->system);
    made->drawn[1] = draw(made->mech[1]);
    if (!made->drawn[0] || !made->drawn[1])
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < m->state_count; i++)
        made->drawn[0]->z[i] = m->state[i].start;
    return keel_mechanism_transfer(&made->mech[1]->system, made->drawn[1], &made->mech[0]->system,
                                   made->drawn[0]);
}

keel_status keel_mechanism_compile(const keel_mechanism *m, keel_diagnostics *diagnostics,
                                   keel_compiled *compiled) {
    if (!m || !compiled) {
        if (compiled)
            *compiled = (keel_compiled){0};
        return KEEL_ERROR_INPUT;
    }
    ki_arena arena;
    pair made = {0};
    *compiled = (keel_compiled){0};
    keel_status status = ki_description_check(m, diagnostics);
    if (status < 0)
        return status;
    ki_arena_init(&arena);
    bool *counted = KI_NEW(&arena, bool, m->joint_count);
    status = arena.failed ? KEEL_ERROR_MEMORY : compile(m, counted, &arena, diagnostics, &made);
    ki_arena_free(&arena);
    if (status < 0) {
        for (int i = 0; i < 2; i++) {
            ki_mech_free(made.mech[i]);
            keel_state_free(made.drawn[i]);
        }
        return status;
    }
    *compiled = (keel_compiled){&made.mech[0]->system, &made.mech[1]->system, made.drawn[0], made.drawn[1]};
    return KEEL_OK;
}

void keel_mechanism_system_free(keel_system *system) {
    if (system)
        ki_mech_free((ki_mech *)system); /* its first member */
}

void keel_compiled_clear(keel_compiled *compiled) {
    if (!compiled)
        return;
    keel_mechanism_system_free(compiled->system);
    keel_mechanism_system_free(compiled->assembly);
    keel_state_free(compiled->start);
    keel_state_free(compiled->drawn);
    *compiled = (keel_compiled){0};
}
