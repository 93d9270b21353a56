/* forces.c - all force elements of a mechanism. */
#include "mechanism/forces/force.h"

#include <math.h>
#include <string.h>

#include "mechanism/joint.h"
#include "mechanism/name_help.h"
#include "mechanism/skeleton.h"

static const ki_force_type *const TYPES[] = {
    [KEEL_FORCE_SPRING] = &ki_spring, [KEEL_FORCE_TORSION] = &ki_torsion, [KEEL_FORCE_PUSH] = &ki_push,
    [KEEL_FORCE_TWIST] = &ki_twist,   [KEEL_FORCE_BUSHING] = &ki_bushing,
};

/* ---- compiling -------------------------------------------------------------------------------------- */

static keel_status refuse(const ki_force *force, keel_diagnostics *diagnostics, const char *reason) {
    keel_diagnostics_add(diagnostics, KEEL_ERROR, force->where, "'%s' %s", force->name, reason);
    return KEEL_ERROR_INPUT;
}

keel_status ki_force_on_joint(const ki_names *names, const keel_force *description,
                              keel_diagnostics *diagnostics, ki_force *force) {
    const ki_mech *mech = names->mech;
    const char *name = description->joint, *rest = "";
    int j = -1;
    ki_part_kind part = ki_split_name(names->description, name, &j, &rest);
    if (part == KI_JOINT && !rest[0]) {
        const ki_joint *joint = &mech->joint[j];
        int coordinates = ki_role(joint, mech->d)->coordinates;
        if (coordinates == 0)
            return refuse(force, diagnostics, "acts on a joint that has no coordinate");
        if (coordinates > 1)
            return refuse(force, diagnostics,
                          "acts on a joint with several coordinates: name one of them, as in 'joint.angle'");
        force->measure = (ki_measure){KI_MEASURE_JOINT, j, 0, 0, {joint->body[0], joint->body[1]}};
    } else if (!ki_quantity(names, name, 0, KI_FOR_FORCE, force->where, diagnostics, &force->measure)) {
        return KEEL_ERROR_INPUT;
    } else if (force->measure.kind != KI_MEASURE_JOINT) {
        return refuse(force, diagnostics, "must act on a coordinate of a joint");
    }
    force->body[0] = force->measure.body[0];
    force->body[1] = force->measure.body[1];
    return KEEL_OK;
}

/* What all kinds have: name, bodies and points. */
static void place_force(ki_mech *mech, const keel_force *from, const char *name, ki_force *to) {
    to->name = name;
    to->where = ki_keep_place(mech, from->where);
    to->kind = from->kind;
    to->on_joint = from->joint != NULL;
    to->in_body_axes = from->in_body_axes != 0;
    for (int k = 0; k < 2; k++) {
        to->body[k] = mech->body_of[from->body[k]];
        ki_minus(from->at[k], mech->body[to->body[k]].drawn, to->r[k]);
        if (mech->d == KI_PLANAR)
            to->r[k][2] = 0;
    }
}

static keel_status compile_force(const ki_names *names, ki_mech *mech, const keel_force *from,
                                 keel_diagnostics *diagnostics, ki_force *force) {
    bool pair = from->kind == KEEL_FORCE_SPRING || from->kind == KEEL_FORCE_BUSHING;
    if (from->kind == KEEL_FORCE_TORSION && !from->joint)
        return refuse(force, diagnostics, "needs the joint on which it acts");
    if (pair && force->body[0] == force->body[1])
        return refuse(force, diagnostics, "acts between a body and itself");
    return TYPES[from->kind]->compile(names, mech, from, diagnostics, force);
}

/* All are placed before any formula is read, which may ask a spring for its length. */
keel_status ki_forces_compile(const ki_names *names, ki_mech *mech, keel_diagnostics *diagnostics) {
    const keel_mechanism *description = names->description;
    keel_status status = KEEL_OK;
    mech->force = KI_NEW(&mech->arena, ki_force, description->force_count);
    if (!mech->force)
        return KEEL_ERROR_MEMORY;
    mech->force_count = description->force_count;
    for (int i = 0; i < mech->force_count; i++) {
        const keel_force *from = &description->force[i];
        const char *name = ki_arena_text(&mech->arena, from->name, strlen(from->name));
        if (!name)
            return KEEL_ERROR_MEMORY;
        place_force(mech, from, name, &mech->force[i]);
    }
    for (int i = 0; i < mech->force_count; i++) {
        keel_status one = compile_force(names, mech, &description->force[i], diagnostics, &mech->force[i]);
        if (one == KEEL_ERROR_MEMORY)
            return one;
        status = one < 0 ? one : status;
    }
    return status;
}

/* ---- acting ----------------------------------------------------------------------------------------- */

void ki_apply_forces(const ki_mech *mech, ki_mech_work *w, double t, const double *lambda) {
    w->potential = w->power = 0;
    for (int i = 0; i < mech->force_count; i++)
        TYPES[mech->force[i].kind]->apply(mech, w, &mech->force[i], t);
    ki_apply_friction(mech, w, lambda);
}

/* The largest component of the wrench, potential and power of a force alone; infinity if one is not finite.
 */
static double size_at(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t) {
    for (int k = 0; k < 2; k++)
        memset(w->wrench[force->body[k]], 0, sizeof *w->wrench);
    w->potential = w->power = 0;
    TYPES[force->kind]->apply(mech, w, force, t);
    double size = fmax(fabs(w->potential), fabs(w->power));
    bool finite = isfinite(w->potential) && isfinite(w->power);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < mech->d; i++) {
            size = fmax(size, fabs(w->wrench[force->body[k]][i]));
            finite = finite && isfinite(w->wrench[force->body[k]][i]);
        }
    return finite ? size : INFINITY;
}

/* Steps that shrink towards a pole of a law end next to it, where the law is finite but has grown without
 * bound: a thousandfold within a millionth of the time, and no machine has such a force. */
static bool is_at_pole(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t, double size) {
    static const double LARGE = 1e8, GROWTH = 1e3;
    return size > LARGE && size > GROWTH * size_at(mech, w, force, t - 1e-6 * fabs(t));
}

int ki_unsound_force(const ki_mech *mech, ki_mech_work *w, double t) {
    for (int i = 0; i < mech->force_count; i++) {
        const ki_force *force = &mech->force[i];
        double size = size_at(mech, w, force, t);
        if (isinf(size) || is_at_pole(mech, w, force, t, size))
            return i;
    }
    return -1;
}

double ki_potential(const ki_mech *mech, ki_mech_work *w) {
    double potential = ki_gravity_potential(mech, w);
    for (int i = 0; i < mech->force_count; i++) {
        const ki_force_type *type = TYPES[mech->force[i].kind];
        potential += type->potential ? type->potential(mech, w, &mech->force[i]) : 0;
    }
    return potential;
}
