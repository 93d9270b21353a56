#include "mechanism/tree.h"

#include "mechanism/joint.h"

enum { WEIGHTS = KI_JOINT_VELOCITIES + 2 }; /* counted joints, then by freedoms 0 .. 6 */

/* Joints that reach out of the tree, waiting in one queue for each weight. */
typedef struct search {
    const keel_mechanism *m;
    const ki_tree_rule *rule;
    ki_tree *tree;
    int *first, *joint_at; /* joints at each body: first[b] .. first[b + 1] */
    int *queue[WEIGHTS];   /* joints */
    int head[WEIGHTS], tail[WEIGHTS];
    bool *reached;
    int count; /* bodies in the tree */
} search;

/* Freedoms of a joint that may hang in the tree, or -1. */
static int freedoms(const keel_mechanism *m, int j) {
    const ki_joint_type *type = ki_joint_type_of(m->joint[j].type);
    const ki_joint_role *role = type ? m->planar ? type->planar : type->spatial : NULL;
    bool cannot = !role || type->couples || m->joint[j].friction.coulomb != 0;
    return cannot ? -1 : role->n_v;
}

static void list_joints(search *s, ki_arena *arena) {
    const keel_mechanism *m = s->m;
    s->first = KI_NEW(arena, int, m->body_count + 2);
    s->joint_at = KI_NEW(arena, int, 2 * m->joint_count);
    if (arena->failed)
        return;
    for (int j = 0; j < m->joint_count; j++)
        for (int k = 0; freedoms(m, j) >= 0 && k < 2; k++)
            s->first[m->joint[j].body[k] + 2]++;
    for (int b = 0; b < m->body_count; b++)
        s->first[b + 2] += s->first[b + 1];
    for (int j = 0; j < m->joint_count; j++)
        for (int k = 0; freedoms(m, j) >= 0 && k < 2; k++)
            s->joint_at[s->first[m->joint[j].body[k] + 1]++] = j;
}

/* Takes body b into the tree and puts its joints into the queues. */
static void take(search *s, int b, int joint, int parent) {
    ki_tree *t = s->tree;
    s->reached[b] = true;
    t->joint[b] = joint;
    t->parent[b] = parent;
    t->level[b] = b == KEEL_GROUND ? 0 : t->level[parent] + 1;
    t->deepest = t->level[b] > t->deepest ? t->level[b] : t->deepest;
    t->order[s->count++] = b;
    for (int i = s->first[b]; i < s->first[b + 1]; i++) {
        int j = s->joint_at[i];
        int weight = s->rule->counted[j] ? 0 : 1 + freedoms(s->m, j);
        s->queue[weight][s->tail[weight]++] = j;
    }
}

/* Hangs a new body by joint j if it may hang there. */
static void try_joint(search *s, int j) {
    const keel_joint *joint = &s->m->joint[j];
    int side = s->reached[joint->body[0]] ? 0 : 1, parent = joint->body[side], child = joint->body[1 - side];
    bool one_way = ki_joint_type_of(joint->type)->one_way, counted = s->rule->counted[j];
    bool too_deep = s->rule->cut_every > 0 && s->tree->level[parent] >= s->rule->cut_every;
    if (s->reached[child] || (one_way && side == 1) || (!counted && (s->rule->absolute || too_deep)))
        return;
    take(s, child, j, parent);
}

/* All that can be reached from the bodies in the tree. */
static void grow(search *s) {
    for (int weight = 0; weight < WEIGHTS;) {
        if (s->head[weight] == s->tail[weight]) {
            weight++;
            continue;
        }
        try_joint(s, s->queue[weight][s->head[weight]++]);
        weight = 0; /* it may have brought lighter ones */
    }
}

keel_status ki_tree_build(const keel_mechanism *m, const ki_tree_rule *rule, ki_arena *arena, ki_tree *tree) {
    search s = {.m = m, .rule = rule, .tree = tree};
    ki_arena scratch;
    ki_arena_init(&scratch);
    list_joints(&s, &scratch);
    s.reached = KI_NEW(&scratch, bool, m->body_count);
    for (int k = 0; k < WEIGHTS; k++)
        s.queue[k] = KI_NEW(&scratch, int, 2 * m->joint_count);
    *tree = (ki_tree){.joint = KI_NEW(arena, int, m->body_count),
                      .parent = KI_NEW(arena, int, m->body_count),
                      .order = KI_NEW(arena, int, m->body_count),
                      .level = KI_NEW(arena, int, m->body_count)};
    bool failed = arena->failed || scratch.failed;
    if (!failed) {
        take(&s, KEEL_GROUND, -1, -1);
        grow(&s);
        for (int b = 1; b < m->body_count; b++)
            if (!s.reached[b]) {
                take(&s, b, -1, KEEL_GROUND);
                grow(&s);
            }
    }
    ki_arena_free(&scratch);
    return failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}
