/* rods_turn.c - a turn of the crank, looked at before it is offered: are all gaps open, and how do the angles
 * turn? Then the coordinates of the mechanism as functions of u. */
#include <math.h>

#include "symbolic/rods.h"

static const double PI = 3.14159265358979323846;

/* Gaps are about 1 where they are wide and vanish where branches meet. They are looked at in so many poses: a
 * gap that is open there by LEAST and does not change by more than half of itself from one to the next cannot
 * close in between, for its second derivative would have to be 4000. */
enum { POSES = 1440 };
static const double LEAST = 0.01;

/* An angle varies by less than a turn beside its whole turns; so much room is left. */
static const double ROOM = 0.2;

static int turned_of(ki_rods *x, ki_turned **list) {
    int count = 0;
    for (int i = 0; i < x->rod_count; i++) {
        ki_rod *rod = &x->rod[i];
        if (!rod->slides)
            list[count++] = &rod->rocker;
        if (rod->body)
            list[count++] = &rod->angle[0];
        if (rod->body && x->mech->d == KI_SPATIAL)
            list[count++] = &rod->angle[1];
    }
    return count;
}

typedef struct look {
    ki_turned **turned;
    int count; /* angles */
    ki_tape *tape;
    double *work, *inputs;
    double *now, *before; /* [values] gaps, then cosine and sine of the angles */
    double *angle;        /* [(POSES + 1) count] */
} look;

static bool look_new(ki_rods *x, look *k) {
    ki_builder *b = x->b;
    int values = x->gap_count + 2 * k->count, n = 0;
    ki_node *node = KI_SCRATCH(b, ki_node, values);
    k->now = KI_SCRATCH(b, double, values), k->before = KI_SCRATCH(b, double, values);
    k->angle = KI_SCRATCH(b, double, (POSES + 1) * k->count);
    k->inputs = KI_SCRATCH(b, double, b->inputs.count);
    if (ki_out_of_memory(b))
        return false;
    for (int i = 0; i < x->gap_count; i++)
        node[n++] = x->gap[i];
    for (int i = 0; i < k->count; i++) {
        node[n++] = ki_plain(&x->l, k->turned[i]->c);
        node[n++] = ki_plain(&x->l, k->turned[i]->s);
    }
    if (ki_out_of_memory(b))
        return false;
    k->tape = ki_tape_new(x->g, node, values, b->inputs.count);
    b->out_of_memory |= !k->tape;
    k->work = k->tape ? KI_SCRATCH(b, double, ki_tape_work_size(k->tape)) : NULL;
    if (!k->work)
        return false;
    ki_tape_prepare(k->tape, k->work);
    return true;
}

static bool gaps_open(const ki_rods *x, const look *k, bool begins) {
    for (int i = 0; i < x->gap_count; i++) {
        double now = k->now[i], before = begins ? now : k->before[i];
        if (!(now >= LEAST && fabs(now - before) <= 0.5 * fmin(now, before)))
            return false;
    }
    return true;
}

/* The angles at pose `number`, continued from the one before; they must not jump. */
static bool follow(const ki_rods *x, look *k, int number) {
    double *angle = k->angle + number * k->count;
    for (int i = 0; i < k->count; i++) {
        const double *at = k->now + x->gap_count + 2 * i;
        double from = number ? angle[i - k->count] : k->turned[i]->drawn;
        double step = remainder(atan2(at[1], at[0]) - from, 2 * PI);
        angle[i] = from + step;
        if (number && !(fabs(step) < 0.5))
            return false;
    }
    return true;
}

static bool go_round(ki_rods *x, look *k) {
    int q = x->mech->body[x->crank].q;
    bool open = true;
    for (int i = 0; i <= POSES && open; i++) {
        k->inputs[x->l.u] = x->mech->q_reading[q] + x->mech->q_sense[q] * (2 * PI * i / POSES);
        ki_tape_run(k->tape, k->inputs, k->work, k->now);
        open = gaps_open(x, k, i == 0) && follow(x, k, i);
        double *now = k->now;
        k->now = k->before, k->before = now;
    }
    return open;
}

/* Turns and middle of angle i; false: its rest varies too much. */
static bool measure(const look *k, int i) {
    const double *angle = k->angle + i;
    int n = k->count, turns = (int)lround((angle[POSES * n] - angle[0]) / (2 * PI));
    double least = angle[0], most = angle[0];
    for (int p = 1; p <= POSES; p++) {
        double rest = angle[p * n] - turns * (2 * PI * p / POSES);
        least = fmin(least, rest);
        most = fmax(most, rest);
    }
    k->turned[i]->turns = turns;
    k->turned[i]->middle = (least + most) / 2;
    return most - least < 2 * PI - ROOM;
}

bool ki_rods_turn_fully(ki_rods *x) {
    look k = {.turned = KI_SCRATCH(x->b, ki_turned *, 3 * x->rod_count)};
    if (!k.turned)
        return false;
    k.count = turned_of(x, k.turned);
    bool good = look_new(x, &k) && go_round(x, &k);
    for (int i = 0; good && i < k.count; i++)
        good = measure(&k, i);
    ki_tape_free(k.tape);
    return good;
}

/* middle + turns a + rest */
static ki_node value_of(ki_rods *x, const ki_turned *t) {
    ki_graph *g = x->g;
    ki_node base = plus(g, times(g, number(g, t->turns), x->angle), number(g, t->middle));
    ki_node c = ki_unary(g, KI_COS, base), s = ki_unary(g, KI_SIN, base);
    ki_node sine = minus(g, times(g, t->s, c), times(g, t->c, s));
    ki_node cosine = plus(g, times(g, t->c, c), times(g, t->s, s));
    return plus(g, base, ki_binary(g, KI_ATAN2, sine, cosine));
}

/* Coordinate k of a body from what its hinge counts. */
static void set(ki_rods *x, const ki_body *body, int k, ki_node local, ki_node rate, ki_node *q,
                ki_node *q_u) {
    ki_graph *g = x->g;
    int i = body->q + k;
    ki_node sense = number(g, x->mech->q_sense[i]);
    q[i] = plus(g, times(g, sense, local), number(g, x->mech->q_reading[i]));
    q_u[i] = times(g, sense, rate);
}

static void set_in_plane(ki_rods *x, const ki_rod *rod, ki_node *q, ki_node *q_u) {
    ki_graph *g = x->g;
    const ki_body *body = &x->mech->body[rod->body], *parent = &x->mech->body[body->parent];
    ki_node local = minus(g, value_of(x, &rod->angle[0]), number(g, parent->drawn_turn + body->drawn_turn));
    ki_node turned = number(g, 0), turned_u = number(g, 0);
    if (rod->on_crank) {
        turned = x->angle;
        turned_u = number(g, x->mech->q_sense[x->mech->body[x->crank].q]);
    } else if (!rod->slides) {
        turned = value_of(x, &rod->rocker);
        turned_u = rod->rocker.rate;
    }
    set(x, body, 0, minus(g, local, turned), minus(g, rod->angle[0].rate, turned_u), q, q_u);
}

void ki_rods_coordinates(ki_rods *x, ki_node *q, ki_node *q_u) {
    ki_graph *g = x->g;
    const ki_mech *mech = x->mech;
    q[mech->body[x->crank].q] = ki_symbol(g, x->l.u);
    q_u[mech->body[x->crank].q] = number(g, 1);
    for (int i = 0; i < x->rod_count; i++) {
        const ki_rod *rod = &x->rod[i];
        const ki_body *body = &mech->body[rod->body];
        ki_node slider = rod->slides ? rod->x : value_of(x, &rod->rocker);
        if (rod->slider)
            set(x, &mech->body[rod->slider], 0, slider, rod->x_rate, q, q_u);
        if (rod->body && mech->d == KI_PLANAR)
            set_in_plane(x, rod, q, q_u);
        if (!rod->body || mech->d == KI_PLANAR)
            continue;
        set(x, body, 0, value_of(x, &rod->angle[0]), rod->angle[0].rate, q, q_u);
        ki_node bent = minus(g, value_of(x, &rod->angle[1]), number(g, rod->tilt));
        set(x, body, 1, bent, rod->angle[1].rate, q, q_u);
    }
}

/* An angle further by a number. */
static ki_turn further(ki_graph *g, ki_node c, ki_node s, double by) {
    ki_node cosine = number(g, ki_without_noise(cos(by), 1)), sine = number(g, ki_without_noise(sin(by), 1));
    return (ki_turn){minus(g, times(g, c, cosine), times(g, s, sine)),
                     plus(g, times(g, s, cosine), times(g, c, sine))};
}

void ki_rods_turns(ki_rods *x, ki_turn *turn) {
    ki_graph *g = x->g;
    const ki_body *crank = &x->mech->body[x->crank];
    bool plane = x->mech->d == KI_PLANAR;
    turn[crank->q] = further(g, x->cosine, x->sine, plane ? crank->drawn_turn : 0);
    for (int i = 0; i < x->rod_count; i++) {
        const ki_rod *rod = &x->rod[i];
        const ki_body *slider = &x->mech->body[rod->slider], *body = &x->mech->body[rod->body];
        const ki_turned *a = &rod->angle[0], *b = &rod->angle[1];
        if (!rod->slides)
            turn[slider->q] = further(g, rod->rocker.c, rod->rocker.s, plane ? slider->drawn_turn : 0);
        if (rod->body)
            turn[body->q] = (ki_turn){a->c, a->s};
        if (rod->body && !plane)
            turn[body->q + 1] = further(g, b->c, b->s, -rod->tilt);
    }
}
