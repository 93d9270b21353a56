/* compare.c - whether two runs did the same. */
#include "compare.h"

#include <math.h>

/* Reactions come from accelerations, which an integrator does not control: their error is larger. */
#define LOAD_FACTOR 100

typedef struct sizes {
    double length, speed, force;
} sizes;

static double largest_speed(const drawing *base, const record *rec) {
    double speed = 0.1 * base->extent / base->until;
    for (int i = 0; i < rec->rows; i++)
        for (int b = 1; b <= base->bodies; b++) {
            speed = fmax(speed, norm(rec->body[i][b].velocity));
            speed = fmax(speed, base->extent * norm(rec->body[i][b].spin));
        }
    return speed;
}

static double largest_force(const drawing *base, const record *rec) {
    double force = 0;
    for (int b = 1; b <= base->bodies; b++)
        force += base->body[b].mass * norm(base->gravity);
    for (int i = 0; i < rec->rows; i++)
        for (int j = 0; j < base->joints; j++)
            if (!rec->shared[j]) {
                force = fmax(force, norm(rec->load[i][j].force));
                force = fmax(force, norm(rec->load[i][j].torque) / base->extent);
            }
    return force;
}

static double rotation_difference(mat a, mat b) {
    double largest = 0;
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(a.a[i] - b.a[i]));
    return largest;
}

static double difference(vec a, vec b, double size) {
    return norm(sub(a, b)) / size;
}

/* The largest difference seen so far, and of what. */
typedef struct worst {
    double size;
    const char *what, *of;
    double t;
} worst;

/* Not a number counts as infinitely far away. */
static void meet(worst *w, double size, const char *what, const char *of, double t) {
    if (!(size <= w->size))
        *w = (worst){isnan(size) ? INFINITY : size, what, of, t};
}

static worst compare_motion(const drawing *base, const record *expected, const record *found,
                            const sizes *s) {
    worst w = {0};
    for (int i = 0; i < expected->rows; i++)
        for (int b = 1; b <= base->bodies; b++) {
            const body_state *e = &expected->body[i][b], *f = &found->body[i][b];
            const char *name = base->body[b].name;
            double t = expected->t[i];
            meet(&w, difference(e->r, f->r, s->length), "position", name, t);
            meet(&w, rotation_difference(e->R, f->R), "rotation", name, t);
            meet(&w, difference(e->velocity, f->velocity, s->speed), "velocity", name, t);
            meet(&w, difference(e->spin, f->spin, s->speed / s->length), "spin", name, t);
        }
    return w;
}

static worst compare_loads(const drawing *base, const record *expected, const record *found, const sizes *s) {
    worst w = {0};
    for (int i = 0; i < expected->rows; i++)
        for (int j = 0; j < base->joints; j++) {
            const joint_load *e = &expected->load[i][j], *f = &found->load[i][j];
            if (expected->shared[j])
                continue;
            meet(&w, difference(e->force, f->force, s->force), "reaction force", base->joint[j].name,
                 expected->t[i]);
            meet(&w, difference(e->torque, f->torque, s->force * s->length), "reaction torque",
                 base->joint[j].name, expected->t[i]);
        }
    return w;
}

static bool tell(const worst *w, double limit, char *text, size_t size) {
    if (w->size <= limit)
        return false;
    snprintf(text, size, "%s of %s differs by %.2g at t = %.4g, allowed is %.2g", w->what, w->of, w->size,
             w->t, limit);
    return true;
}

static bool shared_differ(const drawing *base, const record *expected, const record *found, char *text,
                          size_t size) {
    for (int j = 0; j < base->joints; j++)
        if (expected->shared[j] != found->shared[j]) {
            snprintf(text, size, "the reaction of %s is said to be %s", base->joint[j].name,
                     found->shared[j] ? "shared, not unique" : "unique, not shared");
            return true;
        }
    return false;
}

bool records_differ(const drawing *base, const record *expected, const record *found, unsigned what,
                    double limit, char *text, size_t size) {
    sizes s = {base->extent, largest_speed(base, expected), largest_force(base, expected)};
    if (what & COMPARE_MOBILITY && found->freedoms != expected->freedoms) {
        snprintf(text, size, "mobility %d, not %d", found->freedoms, expected->freedoms);
        return true;
    }
    if (what & COMPARE_MOTION) {
        worst w = compare_motion(base, expected, found, &s);
        if (tell(&w, limit, text, size))
            return true;
    }
    if (what & COMPARE_VERDICTS && found->singular_events != expected->singular_events) {
        snprintf(text, size, "%d singular poses told, not %d", found->singular_events,
                 expected->singular_events);
        return true;
    }
    if (what & COMPARE_VERDICTS && shared_differ(base, expected, found, text, size))
        return true;
    if (what & COMPARE_LOADS) {
        worst w = compare_loads(base, expected, found, &s);
        return tell(&w, LOAD_FACTOR * limit, text, size);
    }
    return false;
}
