/* Relative coordinates are few but couple all bodies of a branch: M has an entry for every pair on a path to
 * the ground. Absolute ones are many, with a constant block-diagonal M and constraints that touch two bodies
 * each. Which is cheaper depends on the mechanism, so the patterns of the candidates are analysed by the very
 * kernel that will factor them, and its count of multiplications decides. Between the two extremes stand
 * trees whose branches are cut every few joints.
 */
#include "mechanism/choice.h"

#include <math.h>

#include "keel/saddle.h"
#include "mechanism/layout.h"

/* Relative coordinates of long branches are not even looked at: M would have more entries than this. */
static const double MOST_ENTRIES = 4e6;

/* ... and those of longer branches are not used for assembly. */
static const double MOST_FOR_ASSEMBLY = 1e5;

/* Multiplications that an entry of M or J costs before it is factored. */
static const double PER_ENTRY = 12;

/* Entries of M, from the lengths of the paths. */
static double mass_entries(const keel_mechanism *m, const ki_tree *tree) {
    double entries = 0, freedoms = m->planar ? 1 : 2;
    for (int b = 1; b < m->body_count; b++)
        entries += freedoms * tree->level[b];
    return entries;
}

static keel_status predict(const keel_mechanism *m, const ki_tree *tree, double *cost) {
    *cost = NAN;
    if (mass_entries(m, tree) > MOST_ENTRIES)
        return KEEL_OK;
    ki_mech *mech = ki_skeleton_new(m, tree);
    if (!mech)
        return KEEL_ERROR_MEMORY;
    keel_status status = ki_layout_build(mech);
    keel_saddle *K = status ? NULL : keel_saddle_new(mech->system.M, mech->system.J, NULL);
    if (K)
        *cost = keel_saddle_factor_work(K) +
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
    keel_status status = build(m, counted, &CANDIDATES[0], arena, tree);
    if (!status && mass_entries(m, tree) > MOST_FOR_ASSEMBLY)
        *tree = *run;
    return status;
}
