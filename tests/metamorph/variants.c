/* variants.c - changes of a drawing that leave its motion as it is. */
#include "variants.h"

#include <stddef.h>
#include <string.h>

static const variant VARIANTS[] = {
    {.name = "base"},
    {.name = "rotation", .turn = 2},
    {.name = "rotation_z", .turn = 1},
};

const variant *variant_number(int i) {
    return i < (int)(sizeof VARIANTS / sizeof *VARIANTS) ? &VARIANTS[i] : NULL;
}

const variant *find_variant(const char *name) {
    for (int i = 0; variant_number(i); i++)
        if (!strcmp(variant_number(i)->name, name))
            return variant_number(i);
    return NULL;
}

/* x -> R x + p of the whole drawing. */
static void move(drawing *d, mat R, vec p) {
    for (int b = 1; b <= d->bodies; b++) {
        d->body[b].centre = add(p, turned(R, d->body[b].centre));
        d->body[b].inertia = tensor_turned(R, d->body[b].inertia);
    }
    for (int j = 0; j < d->joints; j++) {
        drawn_joint *joint = &d->joint[j];
        for (int side = 0; side < 2; side++)
            joint->at[side] = add(p, turned(R, joint->at[side]));
        joint->axis = turned(R, joint->axis);
        joint->across = turned(R, joint->across);
    }
    for (int i = 0; i < d->twists; i++) {
        d->twist[i].velocity = turned(R, d->twist[i].velocity);
        d->twist[i].spin = turned(R, d->twist[i].spin);
    }
    for (int i = 0; i < d->forces; i++) {
        d->force[i].at = add(p, turned(R, d->force[i].at));
        d->force[i].vector = turned(R, d->force[i].vector);
    }
    d->gravity = turned(R, d->gravity);
    d->placed.turn = product(R, d->placed.turn);
    d->placed.shift = add(p, turned(R, d->placed.shift));
}

void vary(drawing *d, const variant *v, uint64_t seed) {
    rng r = {seed ^ 0x5bd1e995u};
    mat R = v->turn == 2 ? random_rotation(&r) : v->turn ? rotation(EZ, uniform(&r, 0.3, 6)) : identity();
    vec p = scale(v->shift * d->extent, random_direction(&r));
    if (v->turn || v->shift > 0)
        move(d, R, p);
}
