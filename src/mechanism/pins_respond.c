/* What forces of pins do to a mechanism at the pose of the last ki_pins_accelerate. */
#include "base/four.h"
#include "mechanism/pins_path.h"

void ki_pins_arm(const ki_pins *pins, const ki_pins_work *w, int side, double r[2]) {
    const ki_pins_path *path = pins->path;
    if (!path) {
        r[0] = w->r[side][0], r[1] = w->r[side][1];
        return;
    }
    int inner = side % 2, j = side / 2 + path->lead + 2 * inner, lane = j % KI_FOUR;
    const ki_path_state *s = &w->state[j / KI_FOUR];
    for (int i = 0; i < 2; i++)
        r[i] = inner ? s->inner[i][lane] : s->outer[i][lane];
}

/* i_m F and i_I T of body b */
static void add_up(const ki_pins *pins, const ki_pins_work *w, int b, const double (*f)[2], double a[2],
                   double *alpha) {
    const ki_pinned *body = &pins->body[b];
    double F_x = 0, F_y = 0, T = 0;
    for (int i = body->side; i < body[1].side; i++) {
        int side = pins->side[i];
        double r[2], s = side % 2 ? 1 : -1;
        const double *g = f[side / 2];
        ki_pins_arm(pins, w, side, r);
        F_x += s * g[0];
        F_y += s * g[1];
        T += r[0] * g[1] - r[1] * g[0];
    }
    a[0] = body->i_m * F_x;
    a[1] = body->i_m * F_y;
    *alpha = body->i_I * T;
}

/* The centre of mass from the base point, world axes. */
static void find_centre(const ki_pins *pins, const ki_pins_work *w, int b, double r[2]) {
    const double *c = pins->body[b].centre;
    int j = pins->path ? pins->path->turn[b - 1].place : b;
    double cosine = pins->path ? w->cosine[j] : w->body[j].cosine;
    double sine = pins->path ? w->sine[j] : w->body[j].sine;
    r[0] = cosine * c[0] - sine * c[1];
    r[1] = sine * c[0] + cosine * c[1];
}

void ki_pins_respond(const ki_pins *pins, ki_pins_work *w, const double (*f)[2], double *v_rate) {
    double *alpha = w->response;
    for (int b = 1; b < pins->body_count; b++) {
        const ki_pinned *body = &pins->body[b];
        double a[2], r[2];
        add_up(pins, w, b, f, a, &alpha[b]);
        if (body->v >= 0) {
            v_rate[body->v] = body->sign * (alpha[b] - alpha[body->parent]);
            continue;
        }
        find_centre(pins, w, b, r);
        v_rate[~body->v] = a[0] - alpha[b] * r[1];
        v_rate[~body->v + 1] = a[1] + alpha[b] * r[0];
        v_rate[~body->v + 2] = alpha[b];
    }
}
