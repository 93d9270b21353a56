/* Looking at a compiled mechanism from outside. */
#include <string.h>

#include "mechanism/joint.h"
#include "mechanism/mech_system.h"

const ki_mech *ki_mech_if(const keel_system *system) {
    return system && system->evaluate == ki_mech_evaluate ? ki_mech_of(system) : NULL;
}

const ki_joint *ki_mech_joint(const keel_system *system, int joint) {
    const ki_mech *mech = ki_mech_if(system);
    return mech && joint >= 0 && joint < mech->joint_count ? &mech->joint[joint] : NULL;
}

const ki_body *ki_mech_body(const keel_system *system, int described) {
    const ki_mech *mech = ki_mech_if(system);
    bool there = mech && described >= 0 && described < mech->body_count;
    return there ? &mech->body[mech->body_of[described]] : NULL;
}

int keel_mechanism_look(const keel_system *system, keel_mechanism_facts *facts) {
    if (!system)
        return 0;
    const ki_mech *mech = ki_mech_if(system);
    if (mech && facts)
        *facts = mech->facts;
    return mech != NULL;
}

const keel_system *keel_mechanism_formulas(const keel_system *system) {
    if (!system)
        return NULL;
    const ki_mech *mech = ki_mech_if(system);
    return mech ? mech->formulas : NULL;
}

const keel_system *keel_mechanism_long_run(const keel_system *system) {
    const ki_mech *mech = ki_mech_if(system);
    return mech && mech->long_run ? atomic_load(&mech->long_run->system) : NULL;
}

const char *keel_mechanism_joint_name(const keel_system *system, int joint) {
    const ki_joint *j = ki_mech_joint(system, joint);
    return j ? j->name : "";
}

const char *keel_mechanism_joint_type(const keel_system *system, int joint) {
    const ki_joint *j = ki_mech_joint(system, joint);
    return j ? j->type->word : "";
}

int keel_mechanism_joint_is_tree(const keel_system *system, int joint) {
    const ki_joint *j = ki_mech_joint(system, joint);
    return j ? j->tree : 0;
}

double keel_mechanism_joint_friction(const keel_system *system, int joint) {
    const ki_joint *j = ki_mech_joint(system, joint);
    return j ? j->coulomb : 0;
}

keel_location keel_mechanism_joint_where(const keel_system *system, int joint) {
    const ki_joint *j = ki_mech_joint(system, joint);
    return j ? j->where : (keel_location){0};
}

void keel_mechanism_joint_bodies(const keel_system *system, int joint, int body[2]) {
    const ki_joint *j = ki_mech_joint(system, joint);
    for (int k = 0; j && body && k < 2; k++)
        body[k] = ki_mech_of(system)->body[j->body[k]].described;
}

const char *keel_mechanism_body_name(const keel_system *system, int body) {
    const ki_body *b = ki_mech_body(system, body);
    return b ? b->name : "";
}

keel_location keel_mechanism_body_where(const keel_system *system, int body) {
    const ki_body *b = ki_mech_body(system, body);
    return b ? b->where : (keel_location){0};
}

int keel_mechanism_joint_conditions(const keel_system *system, int joint) {
    const ki_joint *j = ki_mech_joint(system, joint);
    return !j ? 0 : j->type->couples ? 1 : ki_role(j, ki_mech_of(system)->d)->conditions;
}

int keel_mechanism_joint_row(const keel_system *system, int joint, int *holonomic, int *nonholonomic,
                             int *first_nonholonomic) {
    const ki_joint *j = ki_mech_joint(system, joint);
    if (!j || !holonomic || !nonholonomic || !first_nonholonomic)
        return 0;
    const ki_joint_role *role = ki_role(j, ki_mech_of(system)->d);
    *holonomic = j->tree ? 0 : j->type->couples ? 1 : role->n_h;
    *nonholonomic = j->tree || j->type->couples ? 0 : role->n_n;
    *first_nonholonomic = *nonholonomic ? j->row_n : -1;
    return *holonomic ? j->row_h : -1;
}

int keel_mechanism_force_count(const keel_system *system) {
    const ki_mech *mech = ki_mech_if(system);
    return mech ? mech->force_count : 0;
}

int keel_mechanism_pose_rows(const keel_system *system) {
    if (!system)
        return 0;
    const ki_mech *mech = ki_mech_if(system);
    int count = 0;
    for (int i = 0; mech && i < mech->start_count; i++)
        count += mech->start[i].measure.primes == 0 && mech->start[i].measure.kind != KI_MEASURE_SPIN;
    return count;
}

keel_status keel_mechanism_poses(const keel_system *system, void *work, const keel_point *at,
                                 keel_pose *poses) {
    if (!system || !work || !at || !poses)
        return KEEL_ERROR_INPUT;
    const ki_mech *mech = ki_mech_if(system);
    ki_mech_work *w = work;
    if (!mech)
        return KEEL_ERROR_INPUT;
    ki_place(mech, w, at->q);
    for (int b = 0; b < mech->body_count; b++) {
        keel_pose *pose = &poses[mech->body[b].described];
        memcpy(pose->R, w->state[b].R, sizeof pose->R);
        memcpy(pose->r, w->state[b].r, sizeof pose->r);
        memcpy(pose->drawn, mech->body[b].drawn, sizeof pose->drawn);
    }
    return KEEL_OK;
}

/* Column of a velocity of ancestor c, moved to the reference point of b. */
static void moved_column(const ki_mech *mech, const ki_mech_work *w, int b, int c, const double *S,
                         double column[6]) {
    double x[3];
    ki_minus(w->state[b].r, w->state[c].r, x);
    memset(column, 0, 6 * sizeof *column);
    if (mech->d == KI_PLANAR) {
        column[2] = S[0];
        column[3] = S[1] - S[0] * x[1];
        column[4] = S[2] + S[0] * x[0];
    } else {
        memcpy(column, S, 6 * sizeof *column);
        ki_add_cross(S, x, column + 3);
    }
}

keel_status keel_mechanism_body_jacobian(const keel_system *system, void *work, const keel_point *at,
                                         int body, double *J) {
    if (!system || !work || !at || !J)
        return KEEL_ERROR_INPUT;
    const ki_mech *mech = ki_mech_if(system);
    ki_mech_work *w = work;
    if (!ki_mech_body(system, body))
        return KEEL_ERROR_INPUT;
    int n = system->n_v, b = mech->body_of[body];
    memset(J, 0, 6 * (size_t)n * sizeof *J);
    ki_place(mech, w, at->q);
    for (int c = b; c > 0; c = mech->body[c].parent)
        for (int j = mech->body[c].v; j < mech->body[c].v + mech->body[c].n_v; j++) {
            double column[6];
            moved_column(mech, w, b, c, w->S[j], column);
            for (int i = 0; i < 6; i++)
                J[i * n + j] = column[i];
        }
    return KEEL_OK;
}
