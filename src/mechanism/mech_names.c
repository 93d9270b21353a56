/* Names of coordinates and constraints, for messages and results. */
#include "mechanism/mech_names.h"

#include <stdio.h>
#include <string.h>

#include "mechanism/joint.h"
#include "mechanism/layout.h"

static const char *joined(ki_arena *arena, const char *a, const char *dot, const char *b) {
    size_t bytes = strlen(a) + strlen(dot) + strlen(b) + 1;
    char *text = KI_NEW(arena, char, bytes);
    if (text)
        snprintf(text, bytes, "%s%s%s", a, dot, b);
    return text;
}

static void name_joint_rows(ki_mech *mech, const ki_joint *joint, const char **constraint,
                            const char **owner) {
    const ki_joint_role *role = ki_role(joint, mech->d);
    if (joint->tree)
        return;
    if (joint->type->couples) {
        constraint[joint->row_h] = owner[joint->row_h] = joint->name;
        return;
    }
    for (int i = 0; i < role->n_h + role->n_n; i++) {
        int row = i < role->n_h ? joint->row_h + i : joint->row_n + i - role->n_h;
        const char *part = role->row_name[i];
        constraint[row] = part ? joined(&mech->arena, joint->name, ".", part) : joint->name;
        owner[row] = joint->name;
    }
}

static void name_coordinates(ki_mech *mech, const char **q, const char **v) {
    for (int b = 1; b < mech->body_count; b++) {
        const ki_joint *hinge = &mech->body[b].hinge;
        const ki_joint_role *role = ki_role(hinge, mech->d);
        for (int k = 0; k < role->n_q; k++)
            q[hinge->q + k] = joined(&mech->arena, hinge->name, ".", role->q_name[k]);
        for (int k = 0; k < role->n_v; k++)
            v[hinge->v + k] = joined(&mech->arena, hinge->name, ".", role->v_name[k]);
    }
}

keel_status ki_mech_name(ki_mech *mech) {
    keel_system *s = &mech->system;
    const ki_layout *l = mech->layout;
    int rows = keel_system_m(s);
    const char **q = KI_NEW(&mech->arena, const char *, s->n_q),
               **v = KI_NEW(&mech->arena, const char *, s->n_v);
    const char **constraint = KI_NEW(&mech->arena, const char *, rows);
    const char **owner = KI_NEW(&mech->arena, const char *, rows);
    if (mech->arena.failed)
        return KEEL_ERROR_MEMORY;
    name_coordinates(mech, q, v);
    for (int j = 0; j < mech->joint_count; j++)
        name_joint_rows(mech, &mech->joint[j], constraint, owner);
    for (int i = 0; i < mech->motion_count; i++)
        constraint[l->motion_row + i] = mech->motion[i].name;
    for (int i = 0; i < mech->start_count; i++)
        constraint[l->part[l->start_part + i].row] =
            joined(&mech->arena, "start of ", "", mech->start[i].name);
    s->names.q = q;
    s->names.v = v;
    s->names.constraint = constraint;
    s->names.joint = owner;
    return mech->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}
