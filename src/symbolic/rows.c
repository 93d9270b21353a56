/* rows.c - the constraint rows of cut joints and motions, and J: an entry is what a column makes of a line,
 *
 *     e . (V + Omega x (P - H)) + T . Omega.
 */
#include "mechanism/quantity.h"
#include "symbolic/writer.h"

/* What a unit of velocity j does to a line. */
static ki_node entry(const ki_writer *w, const ki_line *line, int side, int j) {
    ki_graph *g = w->g;
    const ki_column *column = &w->column[j];
    if (line->velocity >= 0)
        return line->velocity == j ? line->scale : number(g, 0);
    vec lever = vec_minus(g, line->P[side], column->H);
    vec motion = vec_plus(g, column->V, cross(g, column->Omega, lever));
    return plus(g, dot(g, line->e[side], motion), dot(g, line->T[side], column->Omega));
}

/* The entries of a group, walked as layout.h has it. */
static void write_entries(ki_writer *w, const ki_group *group, const ki_line *lines) {
    const int *slot = w->mech->layout->J_slot + group->slot;
    for (int side = 1; side >= 0; side--)
        for (int b = group->body[side]; b != group->top; b = w->mech->body[b].parent) {
            const ki_body *body = &w->mech->body[b];
            for (int j = 0; j < body->n_v; j++)
                for (int k = 0; k < group->count; k++) {
                    if (body->kind == KI_HINGE_OWN && ki_zero_entry(group, w->mech->d, k, j))
                        continue;
                    w->J[*slot] = plus(w->g, w->J[*slot], entry(w, &lines[k], side, body->v + j));
                    slot++;
                }
        }
}

static ki_node time_of(void *user, int id) {
    const ki_writer *w = user;
    (void)id;
    return ki_symbol(w->g, w->t);
}

/* The line of a motion, minus its law f(t). */
static bool line_of_motion(ki_writer *w, const ki_motion *motion, ki_line *line) {
    ki_node f[3];
    bool counts_turns = w->mech->d == KI_PLANAR || !ki_is_turn(w->mech, &motion->measure) ||
                        w->mech->joint[motion->measure.object].tree;
    if (!counts_turns || !ki_line_of(w, &motion->measure, line))
        return false;
    for (int i = 0; i < 3; i++)
        f[i] = ki_copy_node(w->mech->laws, motion->node[i], time_of, w, w->g);
    line->value = minus(w->g, line->value, f[0]);
    line->rate = minus(w->g, line->rate, f[1]);
    line->curve = minus(w->g, line->curve, f[2]);
    return true;
}

/* The lines of a group; false: not written. */
static bool lines_of_group(ki_writer *w, const ki_group *group, ki_line *lines) {
    const ki_layout *l = w->mech->layout;
    int owner = l->part[group->part].owner;
    if (group->part >= l->motion_part)
        return line_of_motion(w, &w->mech->motion[owner], lines);
    const ki_joint *joint = &w->mech->joint[owner];
    if (joint->type->couples) /* its two parts are groups of one row */
        return ki_line_of_coupling(w, joint, group->part - l->joint_part[owner], lines);
    return ki_lines_of_rows(w, joint, lines) == group->count;
}

bool ki_symbolic_rows(ki_writer *w) {
    const ki_layout *l = w->mech->layout;
    ki_line lines[KI_JOINT_ROWS];
    if (l->n_n || w->mech->start_count)
        return false;
    for (int i = 0; i < keel_pattern_count(w->mech->system.J); i++)
        w->J[i] = number(w->g, 0);
    for (int i = 0; i < l->n_h; i++)
        w->Phi[i] = w->rate[i] = w->curve[i] = number(w->g, 0);
    for (int i = 0; i < l->group_count; i++) {
        const ki_group *group = &l->group[i];
        const ki_part *part = &l->part[group->part];
        if (!lines_of_group(w, group, lines))
            return false;
        for (int k = 0; k < group->count; k++) {
            int row = part[k].row;
            w->Phi[row] = plus(w->g, w->Phi[row], lines[k].value);
            w->rate[row] = plus(w->g, w->rate[row], lines[k].rate);
            w->curve[row] = plus(w->g, w->curve[row], lines[k].curve);
        }
        write_entries(w, group, lines);
    }
    return true;
}
