/* The description of what is left when bodies that follow a leader are taken away.
 *
 * Masses m_i with centres r_i from the pivot A of their leader and moments I_i about them are one body,
 *
 *     m = sum m_i,   c = sum m_i r_i / m,   I = sum (I_i + m_i |r_i|^2) - m |c|^2.
 */
#include <math.h>

#include "mechanism/reduction.h"

/* A body that masses are added to: sums of m_i, m_i r_i and I_i + m_i |r_i|^2. */
typedef struct sums {
    double mass, moment[2], inertia;
} sums;

static void add_mass(sums *s, double mass, const double r[2], double inertia) {
    s->mass += mass;
    s->inertia += inertia;
    for (int i = 0; i < 2; i++) {
        s->moment[i] += mass * r[i];
        s->inertia += mass * r[i] * r[i];
    }
}

/* Adds a body to the sums of its leader. It is drawn at r from its own pivot, a coupler at w, and stands
 * there for what moves in the same way, but elsewhere: its potential energy differs. */
static void lead(const keel_mechanism *m, const ki_parallelograms *p, int b, sums *all, double *potential) {
    const keel_body *body = &m->body[b];
    const ki_follower *f = &p->body[b];
    const double *A = p->body[f->leader].arm;
    double r[2];
    for (int i = 0; i < 2; i++) {
        r[i] = f->how == KI_TURNS ? body->centre[i] - f->arm[i] : f->arm[i];
        *potential -= body->mass * m->gravity[i] * (body->centre[i] - (A[i] + r[i]));
    }
    add_mass(&all[f->leader], body->mass, r, f->how == KI_TURNS ? body->inertia[2] : 0);
}

static keel_body composed(const keel_body *body, const double A[2], const sums *s) {
    keel_body whole = *body;
    double square = 0;
    whole.mass = s->mass;
    for (int i = 0; i < 2 && s->mass > 0; i++) {
        whole.centre[i] = A[i] + s->moment[i] / s->mass;
        square += s->moment[i] * s->moment[i] / s->mass;
    }
    whole.inertia[2] = fmax(s->inertia - square, 0); /* of a point: round-off */
    return whole;
}

static keel_status add_bodies(const keel_mechanism *m, const ki_parallelograms *p, ki_arena *arena,
                              ki_rest *rest) {
    sums *all = KI_NEW(arena, sums, m->body_count);
    if (!all)
        return KEEL_ERROR_MEMORY;
    for (int b = 1; b < m->body_count; b++)
        if (p->body[b].how != KI_ALONE)
            lead(m, p, b, all, &rest->potential);
    for (int b = 1; b < m->body_count; b++) {
        rest->body[b] = -1;
        if (ki_is_taken(p, b))
            continue;
        keel_body body = m->body[b];
        if (p->body[b].how != KI_ALONE)
            body = composed(&m->body[b], p->body[b].arm, &all[b]);
        rest->body[b] = keel_mechanism_add_body(rest->description, &body, NULL);
        if (rest->body[b] < 0)
            return (keel_status)rest->body[b];
    }
    return KEEL_OK;
}

static keel_status add_joints(const keel_mechanism *m, ki_rest *rest) {
    for (int j = 0; j < m->joint_count; j++) {
        keel_joint joint = m->joint[j];
        rest->joint[j] = -1;
        for (int k = 0; k < 2; k++)
            joint.body[k] = rest->body[joint.body[k]];
        if (joint.body[0] < 0 || joint.body[1] < 0)
            continue;
        rest->joint[j] = keel_mechanism_add_joint(rest->description, &joint, NULL);
        if (rest->joint[j] < 0)
            return (keel_status)rest->joint[j];
    }
    return KEEL_OK;
}

/* What forces read: points and parameters; then the forces, all of which act on bodies that are left. */
static keel_status add_forces(const keel_mechanism *m, ki_rest *rest) {
    int status = KEEL_OK;
    for (int i = 0; i < m->parameter_count && status >= 0; i++)
        status =
            (int)keel_mechanism_add_parameter(rest->description, m->parameter[i].name, m->parameter[i].value);
    for (int i = 0; i < m->point_count && status >= 0; i++) {
        const ki_point_spec *point = &m->point[i];
        if (rest->body[point->body] >= 0)
            status = keel_mechanism_add_point(rest->description, point->name, rest->body[point->body],
                                              point->at, point->where, NULL);
    }
    for (int i = 0; i < m->force_count && status >= 0; i++) {
        keel_force force = m->force[i];
        for (int k = 0; k < 2; k++)
            force.body[k] = rest->body[force.body[k]];
        status = keel_mechanism_add_force(rest->description, &force, NULL);
    }
    return status < 0 ? (keel_status)status : KEEL_OK;
}

keel_status ki_rest_build(const keel_mechanism *m, const ki_parallelograms *p, ki_arena *arena,
                          ki_rest *rest) {
    *rest = (ki_rest){.description = keel_mechanism_new(),
                      .body = KI_NEW(arena, int, m->body_count),
                      .joint = KI_NEW(arena, int, m->joint_count)};
    if (!rest->description || arena->failed)
        return KEEL_ERROR_MEMORY;
    keel_mechanism_set_planar(rest->description, 1);
    keel_mechanism_set_gravity(rest->description, m->gravity);
    keel_mechanism_set_coordinates(rest->description, KEEL_COORDINATES_RELATIVE);
    keel_status status = add_bodies(m, p, arena, rest);
    if (!status)
        status = add_joints(m, rest);
    if (!status && m->force_count)
        status = add_forces(m, rest);
    return status;
}
