/* lines.c - scalars between two bodies: conditions of cut joints, coordinates, lengths, what is measured.
 * Their laws are those of src/laws/, built here on the bodies that are being written. */
#include <string.h>

#include "laws/joint.h"
#include "mechanism/forces/force.h"
#include "symbolic/writer.h"

ki_law_body ki_law_body_of(const ki_writer *w, int body) {
    const ki_moving *b = &w->body[body];
    return (ki_law_body){b->R, b->r, b->omega, b->v, b->alpha, b->a, b->angle};
}

static ki_law law_of(const ki_writer *w, const ki_joint *joint) {
    ki_graph *g = w->g;
    ki_law law = {.g = g,
                  .plane = w->mech->d == KI_PLANAR,
                  .length = number(g, joint->length),
                  .pitch = number(g, joint->pitch),
                  .radius = number(g, joint->radius),
                  .drawn = number(g, joint->turn)};
    for (int side = 0; side < 2; side++) {
        law.F[side] = mat_of(g, joint->frame[side].R);
        law.at[side] = vec_of(g, joint->frame[side].r);
        law.body[side] = ki_law_body_of(w, joint->body[side]);
    }
    return law;
}

static ki_line line_of_row(const ki_law_row *row) {
    return (ki_line){.value = row->value,
                     .rate = row->rate,
                     .curve = row->curve,
                     .velocity = -1,
                     .P = {row->P[0], row->P[1]},
                     .e = {row->e[0], row->e[1]},
                     .T = {row->T[0], row->T[1]}};
}

static const ki_joint_law_role *law_role(const ki_writer *w, const ki_joint *joint) {
    return ki_joint_law_in(ki_joint_law_of(joint->type->word), w->mech->d == KI_PLANAR);
}

int ki_lines_of_rows(const ki_writer *w, const ki_joint *joint, ki_line out[KI_JOINT_ROWS]) {
    const ki_joint_law_role *role = law_role(w, joint);
    ki_law_row rows[KI_LAW_ROWS];
    ki_law law = law_of(w, joint);
    if (!role->rows)
        return 0;
    role->rows(&law, rows);
    for (int k = 0; k < role->n_h + role->n_n; k++)
        out[k] = line_of_row(&rows[k]);
    return role->n_h + role->n_n;
}

/* Places of points of two bodies, body components: their distance, or component k of their difference. */
static ki_line line_between(const ki_writer *w, const int body[2], const double r0[3], const double r1[3],
                            int k) {
    ki_law_body b[2] = {ki_law_body_of(w, body[0]), ki_law_body_of(w, body[1])};
    ki_law_point p_0 = ki_law_point_of(w->g, &b[0], vec_of(w->g, r0));
    ki_law_point p_1 = ki_law_point_of(w->g, &b[1], vec_of(w->g, r1));
    ki_law_row row = k < 0 ? ki_law_length(w->g, &p_0, &p_1) : ki_law_apart(w->g, &p_0, &p_1, k);
    return line_of_row(&row);
}

/* x, y or z of a point */
static ki_line line_of_point(const ki_writer *w, int body, const double r[3], int k) {
    static const double ORIGIN[3] = {0, 0, 0};
    return line_between(w, (const int[2]){0, body}, ORIGIN, r, k);
}

/* A coordinate of the tree. */
static ki_line line_of_coordinate(const ki_writer *w, const ki_joint *joint, int k) {
    vec none = vec_zero(w->g);
    return (ki_line){.value = ki_symbol(w->g, w->q + joint->q + k),
                     .rate = ki_symbol(w->g, w->v + joint->v + k),
                     .curve = number(w->g, 0),
                     .velocity = joint->v + k,
                     .scale = number(w->g, 1),
                     .P = {none, none},
                     .e = {none, none},
                     .T = {none, none}};
}

/* Angles of cut joints in space are known up to turns only: not written. */
bool ki_line_of_joint(const ki_writer *w, int j, int k, ki_line *line) {
    const ki_joint *joint = &w->mech->joint[j];
    const ki_joint_law_role *role = law_role(w, joint);
    ki_law law = law_of(w, joint);
    bool own = joint->tree && k < role->n_v && role->n_q == role->n_v &&
               strcmp(role->coordinate_name[k], role->q_name[k]) == 0;
    if (own) {
        *line = line_of_coordinate(w, joint, k);
        return true;
    }
    if (!role->measure || (role->turns[k] && !law.plane))
        return false;
    ki_law_row row = role->measure(&law, k);
    *line = line_of_row(&row);
    line->value = plus(w->g, line->value, number(w->g, joint->reading[k]));
    return true;
}

/* Part k of ratio c_0 - c_1 = as drawn. */
bool ki_line_of_coupling(const ki_writer *w, const ki_joint *joint, int k, ki_line *line) {
    ki_graph *g = w->g;
    ki_node s = number(g, k == 0 ? joint->ratio : -1);
    if (!ki_line_of_joint(w, joint->other[k], 0, line))
        return false;
    line->value = times(g, s, line->value);
    line->rate = times(g, s, line->rate);
    line->curve = times(g, s, line->curve);
    line->scale = s;
    for (int side = 0; side < 2; side++) {
        line->e[side] = vec_times(g, s, line->e[side]);
        line->T[side] = vec_times(g, s, line->T[side]);
    }
    if (k == 0)
        line->value = minus(g, line->value, number(g, joint->length));
    return true;
}

/* In the plane: the angle of a body. */
static ki_line line_of_angle(const ki_writer *w, int body) {
    const ki_moving *b = &w->body[body];
    vec none = vec_zero(w->g);
    return (ki_line){.value = b->angle,
                     .rate = b->omega.x[2],
                     .curve = b->alpha.x[2],
                     .velocity = -1,
                     .P = {none, none},
                     .e = {none, none},
                     .T = {none, vec_of(w->g, (const double[3]){0, 0, 1})}};
}

bool ki_line_of(const ki_writer *w, const ki_measure *measure, ki_line *line) {
    static const double CENTRE[3] = {0, 0, 0};
    const ki_mech *mech = w->mech;
    int body = measure->body[1], i = measure->object, k = measure->component;
    if (measure->kind == KI_MEASURE_JOINT)
        return ki_line_of_joint(w, i, k, line);
    if (measure->kind == KI_MEASURE_POINT)
        *line = line_of_point(w, body, mech->point[i].r, k);
    else if (measure->kind == KI_MEASURE_CENTRE)
        *line = line_of_point(w, body, CENTRE, k);
    else if (measure->kind == KI_MEASURE_LENGTH)
        *line = line_between(w, measure->body, mech->force[i].r[0], mech->force[i].r[1], -1);
    else if (measure->kind == KI_MEASURE_ANGLE)
        *line = line_of_angle(w, body);
    else
        return false;
    return true;
}
