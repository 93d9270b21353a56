/* compare.c - whether two runs did the same. */
#include "compare.h"

#include <math.h>

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

/* Weights, what keeps bodies on their paths, and reactions. */
static double largest_force(const drawing *base, const record *rec, double speed) {
    double force = 0;
    for (int b = 1; b <= base->bodies; b++)
        force += base->body[b].mass * (norm(base->gravity) + speed * speed / base->extent);
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

/* Without redundancy in the plane, what acts there is unique also where pins of the space share the rest. */
static bool is_unique(const record *expected, const record *found, int j, bool in_plane) {
    return in_plane ? !expected->shared[j] : !expected->shared[j] && !found->shared[j];
}

static vec force_seen(vec force, bool in_plane) {
    return in_plane ? (vec){force.x, force.y, 0} : force;
}

static vec torque_seen(vec torque, bool in_plane) {
    return in_plane ? (vec){0, 0, torque.z} : torque;
}

static void compare_loads(const drawing *base, const record *expected, const record *found, const sizes *s,
                          bool in_plane, worst *w) {
    for (int i = 0; i < expected->rows; i++)
        for (int j = 0; j < base->joints; j++) {
            const joint_load *e = &expected->load[i][j], *f = &found->load[i][j];
            if (!is_unique(expected, found, j, in_plane))
                continue;
            meet(w, norm(force_seen(sub(e->force, f->force), in_plane)) / s->force, "reaction force",
                 base->joint[j].name, expected->t[i]);
            meet(w, norm(torque_seen(sub(e->torque, f->torque), in_plane)) / (s->force * s->length),
                 "reaction torque", base->joint[j].name, expected->t[i]);
        }
}

/* Joints share their reactions in the one record or in the other: the bearings of a shaft do, the one bearing
 * of its twin does not. The sum of all that act on one body is unique all the same, because those that are
 * not shared are, and all together accelerate it. */
static joint_load sum_of_shared(const drawing *base, const record *expected, const record *found,
                                const record *rec, int row, int body) {
    joint_load sum = {.at = body == GROUND ? ZERO : expected->body[row][body].r};
    for (int j = 0; j < base->joints; j++) {
        const joint_load *load = &rec->load[row][j];
        double sign = (base->joint[j].body[1] == body) - (base->joint[j].body[0] == body);
        if (!expected->shared[j] && !found->shared[j])
            continue;
        sum.force = along(sum.force, sign, load->force);
        sum.torque = along(sum.torque, sign, add(load->torque, cross(sub(load->at, sum.at), load->force)));
    }
    return sum;
}

static void compare_sums(const drawing *base, const record *expected, const record *found, const sizes *s,
                         bool in_plane, worst *w) {
    for (int i = 0; i < expected->rows; i++)
        for (int b = GROUND; b <= base->bodies; b++) {
            joint_load e = sum_of_shared(base, expected, found, expected, i, b);
            joint_load f = sum_of_shared(base, expected, found, found, i, b);
            const char *name = b == GROUND ? "ground" : base->body[b].name;
            meet(w, norm(force_seen(sub(e.force, f.force), in_plane)) / s->force,
                 "sum of shared reaction forces", name, expected->t[i]);
            meet(w, norm(torque_seen(sub(e.torque, f.torque), in_plane)) / (s->force * s->length),
                 "sum of shared reaction torques", name, expected->t[i]);
        }
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
                    double limit, double load_limit, char *text, size_t size) {
    double speed = largest_speed(base, expected);
    sizes s = {base->extent, speed, largest_force(base, expected, speed)};
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
    if (what & COMPARE_LOADS && !base->in_pose) {
        bool in_plane = what & COMPARE_IN_PLANE;
        worst w = {0};
        compare_loads(base, expected, found, &s, in_plane, &w);
        compare_sums(base, expected, found, &s, in_plane, &w);
        return tell(&w, load_limit, text, size);
    }
    return false;
}
