/* Looking at a compiled mechanism from outside. */
#include <string.h>

#include "mechanism/joint.h"
#include "mechanism/mech_system.h"
#include "mechanism/pins.h"

static const ki_mech *mechanism_of(const keel_system *system) {
    return system && system->evaluate == ki_mech_evaluate ? ki_mech_of(system) : NULL;
}

int keel_mechanism_look(const keel_system *system, keel_mechanism_facts *facts) {
    if (!system)
        return 0;
    const ki_mech *mech = mechanism_of(system);
    if (mech && facts) {
        *facts = mech->facts;
        facts->pins = system->accelerate == ki_pins_accelerate ? mech->pins->count : 0;
    }
    return mech != NULL;
}

const keel_system *keel_mechanism_formulas(const keel_system *system) {
    if (!system)
        return NULL;
    const ki_mech *mech = mechanism_of(system);
    return mech ? mech->formulas : NULL;
}

const keel_system *keel_mechanism_long_run(const keel_system *system) {
    const ki_mech *mech = mechanism_of(system);
    return mech && mech->long_run ? atomic_load(&mech->long_run->system) : NULL;
}

const char *keel_mechanism_joint_name(const keel_system *system, int joint) {
    if (!system)
        return "";
    return mechanism_of(system)->joint[joint].name;
}

const char *keel_mechanism_joint_type(const keel_system *system, int joint) {
    if (!system)
        return "";
    return mechanism_of(system)->joint[joint].type->word;
}

int keel_mechanism_joint_is_tree(const keel_system *system, int joint) {
    if (!system)
        return 0;
    return mechanism_of(system)->joint[joint].tree;
}

double keel_mechanism_joint_friction(const keel_system *system, int joint) {
    if (!system)
        return 0;
    return mechanism_of(system)->joint[joint].coulomb;
}

keel_location keel_mechanism_joint_where(const keel_system *system, int joint) {
    if (!system)
        return (keel_location){0};
    return mechanism_of(system)->joint[joint].where;
}

void keel_mechanism_joint_bodies(const keel_system *system, int joint, int body[2]) {
    if (!system || !body)
        return;
    const ki_mech *mech = mechanism_of(system);
    for (int k = 0; k < 2; k++)
        body[k] = mech->body[mech->joint[joint].body[k]].described;
}

const char *keel_mechanism_body_name(const keel_system *system, int body) {
    if (!system)
        return "";
    const ki_mech *mech = mechanism_of(system);
    return mech->body[mech->body_of[body]].name;
}

keel_location keel_mechanism_body_where(const keel_system *system, int body) {
    if (!system)
        return (keel_location){0};
    const ki_mech *mech = mechanism_of(system);
    return mech->body[mech->body_of[body]].where;
}

int keel_mechanism_joint_conditions(const keel_system *system, int joint) {
    if (!system)
        return 0;
    const ki_mech *mech = mechanism_of(system);
    const ki_joint *j = &mech->joint[joint];
    return j->type->couples ? 1 : ki_role(j, mech->d)->conditions;
}

int keel_mechanism_joint_row(const keel_system *system, int joint, int *holonomic, int *nonholonomic,
                             int *first_nonholonomic) {
    if (!system || !holonomic || !nonholonomic || !first_nonholonomic)
        return 0;
    const ki_mech *mech = mechanism_of(system);
    const ki_joint *j = &mech->joint[joint];
    const ki_joint_role *role = ki_role(j, mech->d);
    *holonomic = j->tree ? 0 : j->type->couples ? 1 : role->n_h;
    *nonholonomic = j->tree || j->type->couples ? 0 : role->n_n;
    *first_nonholonomic = *nonholonomic ? j->row_n : -1;
    return *holonomic ? j->row_h : -1;
}

int keel_mechanism_force_count(const keel_system *system) {
    if (!system)
        return 0;
    return mechanism_of(system)->force_count;
}

int keel_mechanism_pose_rows(const keel_system *system) {
    if (!system)
        return 0;
    const ki_mech *mech = mechanism_of(system);
    int count = 0;
    for (int i = 0; mech && i < mech->start_count; i++)
        count += mech->start[i].measure.primes == 0 && mech->start[i].measure.kind != KI_MEASURE_SPIN;
    return count;
}

keel_status keel_mechanism_poses(const keel_system *system, void *work, const keel_point *at,
                                 keel_pose *poses) {
    if (!system || !work || !at || !poses)
        return KEEL_ERROR_INPUT;
    const ki_mech *mech = mechanism_of(system);
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
    const ki_mech *mech = mechanism_of(system);
    ki_mech_work *w = work;
    if (!mech)
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
