/* units.c - which coordinates, rows and outputs are lengths, angles, forces. */
#include "mechanism/units.h"

#include <string.h>

#include "mechanism/forces/force.h"
#include "mechanism/joint.h"
#include "mechanism/layout.h"

static bool begins_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* ---- quantities -----------------------------------------------------------------------------------------
 */

static const ki_dimension FORCE = {true, {[KI_KILOGRAM] = 1, [KI_METRE] = 1, [KI_SECOND] = -2}};
static const ki_dimension TORQUE = {true, {[KI_KILOGRAM] = 1, [KI_METRE] = 2, [KI_SECOND] = -2}};

static bool turns(const ki_mech *mech, const ki_measure *measure) {
    return measure->kind == KI_MEASURE_SPIN || measure->kind == KI_MEASURE_TURN || ki_is_turn(mech, measure);
}

ki_dimension ki_measure_dimension(const ki_mech *mech, const ki_measure *measure) {
    ki_dimension row = {.known = true};
    switch (measure->kind) {
    case KI_MEASURE_ROTATION:
        return row;
    case KI_MEASURE_STATE:
        return (ki_dimension){.known = false};
    case KI_MEASURE_REACTION:
        return measure->component < 7 ? FORCE : TORQUE;
    case KI_MEASURE_FORCE:
        return turns(mech, &mech->force[measure->object].measure) ? TORQUE : FORCE;
    case KI_MEASURE_DRIVE:
        return turns(mech, &mech->motion[measure->object].measure) ? TORQUE : FORCE;
    default:
        row.power[turns(mech, measure) ? KI_RADIAN : KI_METRE] = 1;
        row.power[KI_SECOND] = -measure->primes;
        return row;
    }
}

/* ---- components of the system ---------------------------------------------------------------------------
 */

/* Coordinates of tree joints are called angles, are parts of quaternions, or lengths. */
static void of_coordinates(const ki_mech *mech, const char **q, const char **v) {
    for (int b = 1; b < mech->body_count; b++) {
        const ki_joint *hinge = &mech->body[b].hinge;
        const ki_joint_role *role = ki_role(hinge, mech->d);
        for (int k = 0; k < role->n_q; k++)
            q[hinge->q + k] = begins_with(role->q_name[k], "angle") ? "rad"
                              : role->q_name[k][0] == 'e'           ? "1"
                                                                    : "m";
        for (int k = 0; k < role->n_v; k++)
            v[hinge->v + k] = begins_with(role->v_name[k], "angle") || begins_with(role->v_name[k], "omega")
                                  ? "rad/s"
                                  : "m/s";
    }
}

/* Rows of directions are sines, which count as angles; all others are lengths. */
static bool row_turns(const char *name) {
    return begins_with(name, "tilt") || begins_with(name, "turn") || begins_with(name, "twist");
}

static void of_joint_rows(const ki_mech *mech, const ki_joint *joint, const char **unit) {
    const ki_joint_role *role = ki_role(joint, mech->d);
    if (joint->tree)
        return;
    if (joint->type->couples) { /* ratio c_0 - c_1 */
        ki_measure c = {.kind = KI_MEASURE_JOINT, .object = joint->other[1]};
        unit[joint->row_h] = ki_is_turn(mech, &c) ? "rad" : "m";
        return;
    }
    for (int i = 0; i < role->n_h; i++)
        unit[joint->row_h + i] = row_turns(role->row_name[i]) ? "rad" : "m";
    for (int i = 0; i < role->n_n; i++)
        unit[joint->row_n + i] = row_turns(role->row_name[role->n_h + i]) ? "rad/s" : "m/s";
}

static keel_status of_outputs(const ki_names *names, ki_mech *mech, const char **unit) {
    ki_graph *graph = ki_graph_new();
    if (!graph)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < mech->output_count; i++) {
        char buffer[KI_DIMENSION_TEXT];
        ki_dimension dimension =
            ki_formula_dimension(names, mech, graph, &names->description->output[i].formula);
        const char *text = ki_dimension_text(&dimension, buffer);
        unit[i] = ki_arena_text(&mech->arena, text, strlen(text));
    }
    bool failed = ki_graph_failed(graph) || mech->arena.failed;
    ki_graph_free(graph);
    return failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

keel_status ki_units_build(const ki_names *names, ki_mech *mech) {
    keel_system *s = &mech->system;
    const char **q = KI_NEW(&mech->arena, const char *, s->n_q);
    const char **v = KI_NEW(&mech->arena, const char *, s->n_v);
    const char **row = KI_NEW(&mech->arena, const char *, keel_system_m(s));
    const char **output = KI_NEW(&mech->arena, const char *, mech->output_count);
    if (mech->arena.failed)
        return KEEL_ERROR_MEMORY;
    of_coordinates(mech, q, v);
    for (int j = 0; j < mech->joint_count; j++)
        of_joint_rows(mech, &mech->joint[j], row);
    for (int i = 0; i < mech->motion_count; i++)
        row[mech->layout->motion_row + i] = turns(mech, &mech->motion[i].measure) ? "rad" : "m";
    s->units.time = "s";
    s->units.energy = "J";
    s->units.q = q;
    s->units.v = s->kinematics ? v : NULL; /* else they follow from the coordinates */
    s->units.constraint = row;
    s->units.output = output;
    return of_outputs(names, mech, output);
}
