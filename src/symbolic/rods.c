/* rods.c - loops of rods (rods.h) as loops that are solved. */
#include <stdio.h>
#include <string.h>

#include "symbolic/rods.h"
#include "symbolic/solved.h"

enum { GAPS_OF_ROD = 4 };

static const char *reason_of(const ki_rods *x) {
    const ki_mech *mech = x->mech;
    const char *crank = mech->joint[mech->body[x->crank].joint].name;
    size_t size = 80 + strlen(crank), at;
    for (int i = 0; i < x->rod_count; i++)
        size += strlen(mech->joint[x->rod[i].cut].name) + 4;
    char *text = KI_NEW(&x->b->model->arena, char, size);
    if (!text)
        return NULL;
    at = (size_t)snprintf(text, size, x->rod_count > 1 ? "the loops of " : "the loop of ");
    for (int i = 0; i < x->rod_count; i++)
        at +=
            (size_t)snprintf(text + at, size - at, "%s'%s'", i ? ", " : "", mech->joint[x->rod[i].cut].name);
    snprintf(text + at, size - at, " %s solved in closed form for '%s'", x->rod_count > 1 ? "are" : "is",
             crank);
    return text;
}

bool ki_solve_rods(ki_solved *solved, int crank) {
    ki_builder *b = solved->b;
    ki_rods x = {.mech = solved->mech, .b = b, .g = solved->l.g, .l = solved->l};
    x.gap = KI_SCRATCH(b, ki_node, GAPS_OF_ROD * x.mech->body_count);
    if (!x.gap || !ki_rods_find(&x, crank))
        return false;
    ki_rods_write(&x);
    if (ki_out_of_memory(b) || !ki_rods_turn_fully(&x))
        return false;
    ki_rods_coordinates(&x, solved->q, solved->q_u);
    ki_rods_turns(&x, solved->turn);
    solved->m = x.m;
    solved->V = x.V;
    solved->u = (ki_parameter){.q = {x.mech->body[crank].q}};
    solved->reason = reason_of(&x);
    solved->l = x.l;
    return solved->reason && !ki_out_of_memory(b);
}
