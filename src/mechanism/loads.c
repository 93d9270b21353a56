/* loads.c - how far springs are from where they were drawn, and the energy that this takes. */
#include <math.h>

#include "mechanism/forces/force.h"
#include "mechanism/mech_system.h"

/* Does a start value or a motion ask for this coordinate or length? */
static bool is_named(const ki_mech *mech, const ki_measure *measure) {
    bool named = false;
    for (int i = 0; i < mech->start_count + mech->motion_count; i++) {
        const ki_measure *other =
            i < mech->start_count ? &mech->start[i].measure : &mech->motion[i - mech->start_count].measure;
        named |= other->kind == measure->kind && other->object == measure->object &&
                 other->component == measure->component && other->primes == 0;
    }
    return named;
}

static void along_row(const ki_mech *mech, ki_mech_work *w, const ki_force *force, keel_load *load) {
    ki_row row;
    ki_measure_row(mech, w, &force->measure, KI_AT_POSITION, &row);
    double drawn = ki_measure_drawn(mech, &force->measure), off = drawn - force->free;
    bool turns = ki_is_turn(mech, &force->measure);
    *(turns ? &load->turn : &load->stretch) = row.value - drawn;
    load->energy =
        force->law.tape ? NAN : ki_resistance_potential(mech, w, force) - force->stiffness * off * off / 2;
    load->elastic = force->law.tape || force->stiffness != 0;
    load->named = is_named(mech, &force->measure);
}

static void of_bushing(const ki_mech *mech, ki_mech_work *w, const ki_force *force, keel_load *load) {
    double x[6], drawn[6] = {0}, before = 0, after = 0, size = 0;
    ki_bushing_deformation(mech, w, force, x);
    for (int i = 0; i < 3; i++)
        drawn[i] = mech->body[force->body[1]].drawn[i] + force->r[1][i] -
                   mech->body[force->body[0]].drawn[i] - force->r[0][i];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            before += drawn[i] * force->K[6 * i + j] * drawn[j] / 2;
            after += x[i] * force->K[6 * i + j] * x[j] / 2;
            size = fmax(size, fabs(force->K[6 * i + j]));
        }
    ki_minus(x, drawn, drawn);
    load->stretch = sqrt(ki_dot3(drawn, drawn));
    load->turn = sqrt(ki_dot3(x + 3, x + 3));
    load->energy = after - before;
    load->elastic = size > 0;
}

int keel_mechanism_load(const keel_system *system, void *work, const keel_point *at, int force,
                        keel_load *load) {
    const ki_mech *mech = ki_mech_if(system);
    if (!mech || !work || !at || !load || force < 0 || force >= mech->force_count)
        return 0;
    const ki_force *f = &mech->force[force];
    *load = (keel_load){.name = f->name, .where = f->where, .kind = f->kind};
    ki_place(mech, work, at->q);
    if (f->kind == KEEL_FORCE_SPRING || f->kind == KEEL_FORCE_TORSION)
        along_row(mech, work, f, load);
    else if (f->kind == KEEL_FORCE_BUSHING)
        of_bushing(mech, work, f, load);
    return 1;
}
