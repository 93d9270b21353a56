/* function.c - laws with named symbols for their inputs. */
#include "laws/function.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static ki_node input(ki_law_function *f, const char *format, ...) {
    assert(f->inputs < KI_LAW_INPUTS);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->input[f->inputs], KI_LAW_NAME, format, arguments);
    va_end(arguments);
    return ki_symbol(f->g, f->inputs++);
}

static void output(ki_law_function *f, ki_node value, const char *format, ...) {
    assert(f->outputs < KI_LAW_OUTPUTS);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->output[f->outputs], KI_LAW_NAME, format, arguments);
    va_end(arguments);
    f->value[f->outputs++] = value;
}

/* A value of its own, not part of a longer sum. */
static void keep(ki_law_function *f, ki_node value) {
    if (ki_is_number(f->g, value, NULL))
        return;
    output(f, value, "kept");
    f->unwanted[f->outputs - 1] = true;
}

/* ---- inputs of the laws ---------------------------------------------------------------------------------
 */

/* In the plane from the first column: its cosine and sine. */
static mat matrix_of(ki_law_function *f, const char *name) {
    mat R = mat_of(f->g, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    for (int i = 0; i < 9; i++)
        if (!f->plane || i == 0 || i == 3)
            R.x[i] = input(f, "%s[%d]", name, i);
    if (f->plane) {
        R.x[4] = R.x[0];
        R.x[1] = minus(f->g, number(f->g, 0), R.x[3]);
    }
    return R;
}

static vec vector_of(ki_law_function *f, const char *name, int first) {
    vec x = vec_zero(f->g);
    for (int i = 0; i < (f->plane ? 2 : 3); i++)
        x.x[i] = input(f, "%s[%d]", name, first + i);
    return x;
}

static ki_law_body body_of(ki_law_function *f, int side) {
    char name[KI_LAW_NAME];
    ki_law_body b = {.alpha = vec_zero(f->g), .a = vec_zero(f->g), .omega = vec_zero(f->g)};
    snprintf(name, sizeof name, "s%d->R", side);
    b.R = matrix_of(f, name);
    snprintf(name, sizeof name, "s%d->r", side);
    b.r = vector_of(f, name, 0);
    snprintf(name, sizeof name, "s%d->twist", side);
    if (f->plane)
        b.omega.x[2] = input(f, "%s[0]", name);
    else
        b.omega = vector_of(f, name, 0);
    b.v = vector_of(f, name, f->plane ? 1 : 3);
    b.angle = f->plane ? input(f, "s%d->angle", side) : number(f->g, 0);
    return b;
}

static ki_law law_of(ki_law_function *f, const ki_joint_law_role *role, bool plane) {
    *f = (ki_law_function){.g = ki_graph_new(), .plane = plane};
    ki_law law = {.g = f->g, .plane = plane};
    for (int side = 0; side < 2; side++) {
        char name[KI_LAW_NAME];
        snprintf(name, sizeof name, "joint->frame[%d].R", side);
        law.F[side] = matrix_of(f, name);
        snprintf(name, sizeof name, "joint->frame[%d].r", side);
        law.at[side] = vector_of(f, name, 0);
        law.body[side] = body_of(f, side);
    }
    law.length = input(f, "joint->length");
    law.pitch = input(f, "joint->pitch");
    law.radius = input(f, "joint->radius");
    law.drawn = input(f, "joint->turn");
    for (int i = 0; i < role->n_q; i++) {
        law.q[i] = input(f, "q[%d]", i);
        law.turn[i] = (ki_turn){ki_unary(f->g, KI_COS, law.q[i]), ki_unary(f->g, KI_SIN, law.q[i])};
    }
    for (int i = 0; i < role->n_v; i++)
        law.v[i] = input(f, "v[%d]", i);
    law.pose.R = matrix_of(f, "relative->R");
    law.pose.r = vector_of(f, "relative->r", 0);
    law.pose.angle = input(f, "relative->angle");
    return law;
}

/* ---- the tree -------------------------------------------------------------------------------------------
 */

static void output_twist(ki_law_function *f, vec Omega, vec V, const char *name, int first) {
    int k = first;
    if (f->plane)
        output(f, Omega.x[2], "%s[%d]", name, k++);
    for (int i = 0; i < 3 && !f->plane; i++)
        output(f, Omega.x[i], "%s[%d]", name, k++);
    for (int i = 0; i < (f->plane ? 2 : 3); i++)
        output(f, V.x[i], "%s[%d]", name, k++);
}

static void place_hinge(const ki_joint_law_role *role, bool plane, ki_law_function *f, ki_law_hinge *hinge) {
    ki_law law = law_of(f, role, plane);
    ki_joint_law_place(role, &law, hinge);
}

bool ki_law_place_function(const ki_joint_law_role *role, bool plane, ki_law_function *f) {
    ki_law_hinge hinge;
    if (role->n_v < 0)
        return false;
    place_hinge(role, plane, f, &hinge);
    if (plane)
        output(f, hinge.pose.angle, "relative->angle");
    for (int i = 0; i < 9 && !plane; i++)
        output(f, hinge.pose.R.x[i], "relative->R[%d]", i);
    for (int i = 0; i < (plane ? 2 : 3); i++)
        output(f, hinge.pose.r.x[i], "relative->r[%d]", i);
    return true;
}

bool ki_law_columns_function(const ki_joint_law_role *role, bool plane, ki_law_function *f) {
    ki_law_hinge hinge;
    if (role->n_v < 0)
        return false;
    place_hinge(role, plane, f, &hinge);
    for (int j = 0; j < role->n_v; j++)
        output_twist(f, hinge.Omega[j], hinge.V[j], "S", (plane ? 3 : 6) * j);
    return true;
}

bool ki_law_bias_function(const ki_joint_law_role *role, bool plane, ki_law_function *f) {
    ki_law_hinge hinge;
    bool bends = false;
    if (role->n_v < 0)
        return false;
    place_hinge(role, plane, f, &hinge);
    for (int i = 0; i < 3; i++)
        bends = bends || !ki_is_zero(f->g, hinge.bias.x[i]);
    output_twist(f, hinge.bias, vec_zero(f->g), "bias", 0);
    if (!bends)
        ki_law_function_free(f);
    return bends;
}

/* Quaternions come from the matrix: they are no formula of it. */
bool ki_law_fit_function(const ki_joint_law_role *role, bool plane, ki_law_function *f) {
    ki_node q[KI_LAW_Q];
    if (role->n_v < 0)
        return false;
    ki_law law = law_of(f, role, plane);
    if (role->fit)
        role->fit(&law, q);
    for (int i = 0; role->fit && i < role->n_q - (role->n_q > role->n_v ? 4 : 0); i++)
        output(f, q[i], "q[%d]", i);
    return true;
}

/* ---- rows -----------------------------------------------------------------------------------------------
 */

/* w of a body is (arm x e + T, e). At rest gamma is not asked for; all else must not depend on that. */
static void output_row(ki_law_function *f, const ki_law_row *row, int k, bool moving) {
    ki_graph *g = f->g;
    char name[KI_LAW_NAME];
    output(f, row->value, "rows[%d].value", k);
    for (int side = 0; side < 2; side++) /* differences are those of places, whose round-off cancels */
        for (int i = 0; i < 3; i++)
            keep(f, row->P[side].x[i]);
    for (int side = 0; side < 2; side++) {
        snprintf(name, sizeof name, "rows[%d].w[%d]", k, side);
        vec torque = vec_plus(g, cross(g, row->arm[side], row->e[side]), row->T[side]);
        output_twist(f, torque, row->e[side], name, 0);
    }
    output(f, row->curve, "rows[%d].gamma", k);
    f->unwanted[f->outputs - 1] = !moving;
    if (!moving)
        output(f, number(g, 0), "rows[%d].gamma", k);
}

bool ki_law_rows_function(const ki_joint_law_role *role, bool plane, bool moving, ki_law_function *f) {
    ki_law_row rows[KI_LAW_ROWS];
    if (!role->rows)
        return false;
    ki_law law = law_of(f, role, plane);
    role->rows(&law, rows);
    for (int k = 0; k < role->n_h + role->n_n; k++)
        output_row(f, &rows[k], k, moving);
    return true;
}

bool ki_law_measure_function(const ki_joint_law_role *role, bool plane, int k, bool moving,
                             ki_law_function *f) {
    if (!role->measure || k >= role->coordinates)
        return false;
    ki_law law = law_of(f, role, plane);
    ki_law_row row = role->measure(&law, k);
    output_row(f, &row, 0, moving);
    return true;
}

void ki_law_between_function(bool plane, int k, bool moving, ki_law_function *f) {
    static const ki_joint_law_role NONE = {.n_v = 0};
    ki_law law = law_of(f, &NONE, plane);
    ki_law_point p_0 = ki_law_point_of(f->g, &law.body[0], vector_of(f, "r0", 0));
    ki_law_point p_1 = ki_law_point_of(f->g, &law.body[1], vector_of(f, "r1", 0));
    ki_law_row row = k < 0 ? ki_law_length(f->g, &p_0, &p_1) : ki_law_apart(f->g, &p_0, &p_1, k);
    output_row(f, &row, 0, moving);
}

/* ---- forces ---------------------------------------------------------------------------------------------
 */

static void force_inputs(ki_law_function *f, const ki_force_law *law, ki_force_inputs *in) {
    *in = (ki_force_inputs){.g = f->g, .plane = f->plane, .f = vec_zero(f->g)};
    for (int side = 0; side < 2 && !law->scalar; side++) {
        char name[KI_LAW_NAME];
        snprintf(name, sizeof name, "force->r[%d]", side);
        in->body[side] = body_of(f, side);
        in->r[side] = vector_of(f, name, 0);
    }
    for (int i = 0; i < 3; i++)
        in->f.x[i] = input(f, "f[%d]", i);
    in->stiffness = input(f, "force->stiffness");
    in->damping = input(f, "force->damping");
    in->free = input(f, "force->free");
    for (int i = 0; i < 36; i++) {
        in->K[i] = input(f, "force->K[%d]", i);
        in->C[i] = input(f, "force->C[%d]", i);
    }
}

/* On each body the torque about its reference point and the force, as twists are. */
void ki_law_force_function(const ki_force_law *law, bool plane, ki_law_function *f) {
    ki_force_inputs in;
    ki_law_load load;
    *f = (ki_law_function){.g = ki_graph_new(), .plane = plane};
    force_inputs(f, law, &in);
    ki_force_law_load(law, &in, &load);
    for (int side = 0; side < 2 && !law->scalar; side++) {
        char name[KI_LAW_NAME];
        snprintf(name, sizeof name, "load->w[%d]", side);
        vec torque = vec_plus(f->g, cross(f->g, load.arm[side], load.force[side]), load.torque[side]);
        output_twist(f, torque, load.force[side], name, 0);
    }
    if (law->scalar)
        output(f, load.along, "load->along");
    output(f, load.power, "load->power");
    output(f, load.potential, "load->potential");
    for (int i = 0; i < 6; i++)
        if (!ki_is_zero(f->g, load.x[i]))
            output(f, load.x[i], "load->x[%d]", i);
}

void ki_law_function_free(ki_law_function *f) {
    ki_graph_free(f->g);
    *f = (ki_law_function){.g = NULL};
}
