/* Relative coordinates are few but couple all bodies of a branch: M has an entry for every pair on a path to
 * the ground. Absolute ones are many, with a constant block-diagonal M and constraints that touch two bodies
 * each. Which is cheaper depends on the mechanism, so the patterns of the candidates are analysed by the very
 * kernel that will factor them, and its count of multiplications decides. Between the two extremes stand
 * trees whose branches are cut every few joints.
 */
#include "mechanism/choice.h"

#include <math.h>

#include "keel/saddle.h"
#include "linalg/saddle_code.h"
#include "mechanism/joint.h"
#include "mechanism/layout.h"

/* Trees with long branches are not even looked at: M and J would have more entries than this. */
static const double MOST_ENTRIES = 4e6;

/* ... and those of longer branches are not used for assembly. */
static const double MOST_FOR_ASSEMBLY = 1e5;

/* Multiplications that an entry of M or J costs before it is factored, and that an unknown, a velocity or a
 * multiplier, costs beside them: fitted to the times of evaluation, factorization and solve of 66 trees of 21
 * mechanisms. */
static const double PER_ENTRY = 12, PER_UNKNOWN = 12;

static const ki_joint_role *role_of(const keel_mechanism *m, int joint) {
    const ki_joint_type *type = ki_joint_type_of(joint < 0 ? "free" : m->joint[joint].type);
    return m->planar ? type->planar : type->spatial;
}

/* Velocities on the path from each body to the ground. NULL when out of memory. */
static double *path_velocities(const keel_mechanism *m, const ki_tree *tree, ki_arena *arena) {
    double *path = KI_NEW(arena, double, m->body_count);
    for (int i = 1; path && i < m->body_count; i++) {
        int b = tree->order[i];
        path[b] = path[tree->parent[b]] + role_of(m, tree->joint[b])->n_v;
    }
    return path;
}

keel_status ki_tree_entries(const keel_mechanism *m, const ki_tree *tree, double *entries) {
    ki_arena scratch;
    ki_arena_init(&scratch);
    double *path = path_velocities(m, tree, &scratch);
    bool *in_tree = KI_NEW(&scratch, bool, m->joint_count);
    *entries = 0;
    for (int b = 1; path && in_tree && b < m->body_count; b++) {
        *entries += role_of(m, tree->joint[b])->n_v * path[b];
        if (tree->joint[b] >= 0)
            in_tree[tree->joint[b]] = true;
    }
    for (int j = 0; path && in_tree && j < m->joint_count; j++) {
        const keel_joint *joint = &m->joint[j];
        if (!in_tree[j] && !ki_joint_type_of(joint->type)->couples)
            *entries += role_of(m, j)->conditions * (path[joint->body[0]] + path[joint->body[1]]);
    }
    bool failed = scratch.failed;
    ki_arena_free(&scratch);
    return failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

static keel_status predict(const keel_mechanism *m, const ki_tree *tree, double *cost) {
    double entries;
    *cost = NAN;
    keel_status status = ki_tree_entries(m, tree, &entries);
    if (status || entries > MOST_ENTRIES)
        return status;
    ki_mech *mech = ki_skeleton_new(m, tree);
    if (!mech)
        return KEEL_ERROR_MEMORY;
    status = ki_layout_build(mech);
    keel_saddle *K = status ? NULL : keel_saddle_new(mech->system.M, mech->system.J, NULL);
    if (K && ki_saddle_work_of_stage(K, cost))
        *cost += PER_UNKNOWN * (mech->system.n_v + keel_system_m(&mech->system)) +
                 PER_ENTRY * (keel_pattern_count(mech->system.M) + keel_pattern_count(mech->system.J));
    else
        status = KEEL_ERROR_MEMORY;
    keel_saddle_free(K);
    ki_mech_free(mech);
    return status;
}

typedef struct candidate {
    const char *word;
    bool absolute;
    int cut_every;
} candidate;

static const candidate CANDIDATES[] = {
    {"relative", false, 0},    {"absolute", true, 0},     {"cut every 2", false, 2},
    {"cut every 4", false, 4}, {"cut every 8", false, 8}, {"cut every 16", false, 16},
};
enum { COUNT = sizeof CANDIDATES / sizeof *CANDIDATES };

static keel_status build(const keel_mechanism *m, const bool *counted, const candidate *c, ki_arena *arena,
                         ki_tree *tree) {
    ki_tree_rule rule = {c->absolute, c->cut_every, counted};
    return ki_tree_build(m, &rule, arena, tree);
}

/* Adds a candidate to the facts, and remembers it if it is the best so far. */
static void judge(keel_mechanism_facts *facts, const candidate *c, double cost, int *best, int number) {
    int i = facts->choices++;
    facts->choice[i] = c->word;
    facts->choice_cost[i] = cost;
    if (!isnan(cost) && (*best < 0 || cost < facts->choice_cost[facts->chosen])) {
        facts->chosen = i;
        *best = number;
    }
}

static keel_status choose(const keel_mechanism *m, const bool *counted, ki_arena *scratch,
                          keel_mechanism_facts *facts, int *best) {
    int deepest = 0;
    keel_status status = KEEL_OK;
    for (int i = 0; i < COUNT && !status; i++) {
        ki_tree tree;
        double cost;
        if (CANDIDATES[i].cut_every && CANDIDATES[i].cut_every >= deepest)
            continue; /* the same as relative */
        status = build(m, counted, &CANDIDATES[i], scratch, &tree);
        if (!status)
            status = predict(m, &tree, &cost);
        if (i == 0)
            deepest = status ? 0 : tree.deepest;
        if (!status)
            judge(facts, &CANDIDATES[i], cost, best, i);
    }
    return status;
}

keel_status ki_choose_tree(const keel_mechanism *m, const bool *counted, ki_arena *arena, ki_tree *tree,
                           keel_mechanism_facts *facts) {
    int best = -1;
    facts->asked = m->coordinates;
    if (m->coordinates != KEEL_COORDINATES_AUTO) {
        best = m->coordinates == KEEL_COORDINATES_RELATIVE ? 0 : 1;
        judge(facts, &CANDIDATES[best], NAN, &best, best);
        facts->chosen = 0;
    } else {
        ki_arena scratch;
        ki_arena_init(&scratch);
        keel_status status = choose(m, counted, &scratch, facts, &best);
        ki_arena_free(&scratch);
        if (status)
            return status;
    }
    return build(m, counted, &CANDIDATES[best < 0 ? 1 : best], arena, tree);
}

keel_status ki_assembly_tree(const keel_mechanism *m, const bool *counted, ki_arena *arena,
                             const ki_tree *run, ki_tree *tree) {
    double entries = 0;
    keel_status status = build(m, counted, &CANDIDATES[0], arena, tree);
    if (!status)
        status = ki_tree_entries(m, tree, &entries);
    if (entries > MOST_FOR_ASSEMBLY)
        *tree = *run;
    return status;
}
