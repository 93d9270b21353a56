/* counted.c - joints whose turns are counted. In space the angle of a joint that is cut is known up to whole
 * turns only, so the angles that torsion springs, gears and formulas of forces read must be those of joints
 * in the tree. (A motion does not count: it holds to the turn nearest to its law.) */
#include <string.h>

#include "mechanism/joint.h"
#include "mechanism/name_help.h"
#include "mechanism/quantity.h"

typedef struct search {
    const keel_mechanism *description;
    const keel_formula *formula;
    ki_graph *graph;
    void (*visit)(void *user, const char *name, int primes);
    void *user;
    int depth; /* definitions inside of each other */
} search;

static void search_formula(search *s, const keel_formula *formula);

/* Is this coordinate of a joint an angle? An empty name means the first. */
static bool turns(const keel_joint *joint, const char *coordinate) {
    const ki_joint_role *role = ki_joint_type_of(joint->type)->spatial;
    for (int k = 0; role && k < role->coordinates; k++)
        if (!coordinate[0] || strcmp(role->coordinate_name[k], coordinate) == 0)
            return role->turns[k];
    return false;
}

static void count_name(const keel_mechanism *description, const char *name, bool *counted) {
    int number;
    const char *rest;
    if (ki_split_name(description, name, &number, &rest) == KI_JOINT &&
        turns(&description->joint[number], rest))
        counted[number] = true;
}

static void count_coupled(const keel_mechanism *description, const keel_joint *coupling, bool *counted) {
    for (int k = 0; k < 2; k++) {
        int j = coupling->joint[k];
        if (j >= 0 && turns(&description->joint[j], ""))
            counted[j] = true;
    }
}

/* Numbers are needed for indices; any other name may be a part's. */
static ki_node look_up(void *user, const char *name, int primes, keel_location where,
                       keel_diagnostics *diagnostics) {
    search *s = user;
    double value;
    (void)where, (void)diagnostics;
    for (int i = 0; i < s->formula->local_count; i++)
        if (strcmp(s->formula->local_name[i], name) == 0)
            return ki_number(s->graph, s->formula->local_value[i]);
    if (ki_find_parameter(s->description, name, &value))
        return ki_number(s->graph, value);
    int definition = ki_find_definition(s->description, name);
    if (definition >= 0)
        search_formula(s, &s->description->definition[definition].formula);
    else if (ki_find_state(s->description, name) < 0)
        s->visit(s->user, name, primes);
    return ki_symbol(s->graph, 0);
}

/* Definitions that refer to themselves are refused where they are used. */
static void search_formula(search *s, const keel_formula *formula) {
    enum { DEEPEST = 64 };
    ki_scope scope = {s, look_up};
    const keel_formula *outer = s->formula;
    if (!formula->text || !s->graph || s->depth == DEEPEST)
        return;
    s->formula = formula;
    s->depth++;
    ki_parse(s->graph, formula->text, strlen(formula->text), formula->where, &scope, NULL);
    s->depth--;
    s->formula = outer;
}

keel_status ki_names_in_forces(const keel_mechanism *description,
                               void (*visit)(void *user, const char *name, int primes), void *user) {
    search s = {.description = description, .graph = ki_graph_new(), .visit = visit, .user = user};
    for (int i = 0; i < description->force_count; i++) {
        search_formula(&s, &description->force[i].law);
        for (int k = 0; k < 3; k++)
            search_formula(&s, &description->force[i].component[k]);
    }
    for (int i = 0; i < description->state_count; i++)
        search_formula(&s, &description->state[i].rate);
    bool failed = !s.graph || ki_graph_failed(s.graph);
    ki_graph_free(s.graph);
    return failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

/* Whose joints are counted. */
typedef struct counting {
    const keel_mechanism *description;
    bool *counted;
} counting;

static void count_read(void *user, const char *name, int primes) {
    const counting *c = user;
    if (primes == 0)
        count_name(c->description, name, c->counted);
}

keel_status ki_counted_joints(const keel_mechanism *description, bool *counted) {
    for (int i = 0; i < description->joint_count; i++)
        if (ki_joint_type_of(description->joint[i].type)->couples)
            count_coupled(description, &description->joint[i], counted);
    for (int i = 0; i < description->force_count; i++) {
        const keel_force *force = &description->force[i];
        if (force->kind == KEEL_FORCE_TORSION && force->joint)
            count_name(description, force->joint, counted);
    }
    return ki_names_in_forces(description, count_read, &(counting){description, counted});
}
