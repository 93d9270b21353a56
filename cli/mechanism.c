/* mechanism.c - what keel check tells about mechanisms only. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "keel/mechanism.h"
#include "keel/mobility.h"

/* At most so many names in a list. */
enum { LISTED = 20 };

static void label(const char *text) {
    printf("  %-20s ", text);
}

/* A list of names after a label; nothing when it stays empty. */
typedef struct list {
    const char *label;
    int count;
} list;

static void list_add(list *l, const char *name) {
    if (l->count == 0)
        label(l->label);
    if (l->count < LISTED)
        printf("%s%s", l->count ? ", " : "", name);
    else if (l->count == LISTED)
        printf(", ...");
    l->count++;
}

static void list_end(list *l) {
    if (l->count)
        printf("\n");
}

/* "relative (318" */
static void write_cost(const keel_mechanism_facts *facts, int i) {
    printf("%s (", facts->choice[i]);
    if (isfinite(facts->choice_cost[i]))
        printf("%.3g", facts->choice_cost[i]);
    else
        printf("too large to count");
}

static void write_alternatives(const keel_mechanism_facts *facts) {
    if (facts->choices < 2)
        return;
    label("instead of");
    for (int i = 0, written = 0; i < facts->choices; i++)
        if (i != facts->chosen) {
            printf("%s", written++ ? ", " : "");
            write_cost(facts, i);
            printf(")");
        }
    printf("\n");
}

static void write_choice(const keel_mechanism_facts *facts) {
    label("bodies");
    printf("%d, %s\n", facts->bodies, facts->planar ? "planar" : "spatial");
    label("joints");
    printf("%d: %d in the tree, %d cut\n", facts->joints, facts->tree_joints, facts->cut_joints);
    label("choice");
    write_cost(facts, facts->chosen);
    printf(" multiplications in a factorization)\n");
    write_alternatives(facts);
}

static void write_freedoms(const keel_mobility *m) {
    label("mobility");
    if (!m->known) {
        printf("%d if no joint repeats another; too large to look closer\n", m->gruebler);
        return;
    }
    printf("%d", m->freedoms);
    if (m->motions)
        printf(", motions use up %d", m->driven);
    if (m->gruebler == m->freedoms)
        printf("; the count of bodies and joints (Gruebler) gives the same\n");
    else
        printf("; the count of bodies and joints (Gruebler) gives %d, %d condition%s repeated\n", m->gruebler,
               m->conditions - m->rank, m->conditions - m->rank == 1 ? " is" : "s are");
}

static void write_repetitions(const keel_system *system, const keel_mobility *m) {
    char text[600];
    for (int i = 0; i < m->repetition_count; i++) {
        label(i ? "" : "dependent joints");
        if (i == LISTED) {
            printf("... and %d more\n", m->repetition_count - LISTED);
            break;
        }
        printf("%s\n", keel_mobility_sentence(system, &m->repetitions[i], text, sizeof text));
    }
    list shared = {.label = "reactions shared"}, unique = {.label = "reactions unique"};
    for (int j = 0; j < m->joints; j++)
        if (m->shared[j])
            list_add(&shared, keel_mechanism_joint_name(system, j));
    list_end(&shared);
    for (int j = 0; shared.count && j < m->joints; j++)
        if (!m->shared[j])
            list_add(&unique, keel_mechanism_joint_name(system, j));
    list_end(&unique);
    if (!shared.count && m->joints) {
        label("reactions unique");
        printf("all\n");
    }
}

static void write_locked(const keel_system *system, const keel_mobility *m) {
    char buffer[32];
    list coordinates = {.label = "locked in this pose"};
    list locked = {.label = "locked bodies"}, unjointed = {.label = "unconstrained bodies"};
    for (int i = 0; m->known && i < m->n_v; i++)
        if (m->locked[i])
            list_add(&coordinates, keel_system_name(system, KEEL_NAME_V, i, buffer));
    list_end(&coordinates);
    for (int b = 1; b <= m->bodies; b++)
        if (m->body[b] == KEEL_BODY_LOCKED)
            list_add(&locked, keel_mechanism_body_name(system, b));
    list_end(&locked);
    for (int b = 1; b <= m->bodies; b++)
        if (m->body[b] == KEEL_BODY_FREE)
            list_add(&unjointed, keel_mechanism_body_name(system, b));
    list_end(&unjointed);
}

keel_status cli_write_mobility(const keel_model *model) {
    keel_mechanism_facts facts;
    keel_mobility mobility;
    if (!keel_mechanism_look(model->system, &facts))
        return KEEL_OK;
    keel_status status = keel_mobility_find(model->system, model->start, 0, &mobility);
    if (status < 0)
        return status;
    write_choice(&facts);
    write_freedoms(&mobility);
    if (mobility.known)
        write_repetitions(model->system, &mobility);
    write_locked(model->system, &mobility);
    keel_mobility_clear(&mobility);
    return KEEL_OK;
}
