/* The maps of a reduction: straight lines. */
#include <math.h>

#include "base/hints.h"
#include "mechanism/reduction.h"

static const double PI = 3.14159265358979323846;

/* How well a state must agree with what its u tell, and the sine of a loop's angle below which it is flat. */
static const double AGREES = 1e-9, FLAT = 1e-6;

/* q = slope u + offset, v = slope u' */
KI_TWICE static void draw_line(int n, const double *restrict slope, const double *restrict offset, double u,
                               double u_rate, double *restrict q, double *restrict v) {
    for (int i = 0; i < n; i++) {
        q[i] = slope[i] * u + offset[i];
        v[i] = slope[i] * u_rate;
    }
}

void ki_reduction_expand(const keel_reduction *reduction, void *work, double t, const double *u,
                         const double *u_rate, double *q, double *v) {
    const ki_reduction *map = reduction->model;
    (void)work, (void)t;
    for (int i = 0; i < map->spans; i++) {
        int first = map->span[i].first, source = map->span[i].source;
        draw_line(map->span[i].end - first, map->slope + first, map->offset + first, u[source],
                  u_rate[source], q + first, v + first);
    }
}

void ki_reduction_poses(const keel_reduction *reduction, const double *u, double *value) {
    const ki_reduction *map = reduction->model;
    for (int i = 0; i < reduction->n_poses; i++)
        value[i] = (map->pose_slope[i] * u[map->pose_source[i]] + map->pose_offset[i]) / PI;
}

static bool is_flat(const ki_reduction *map, const double *u) {
    for (int i = 0; i < map->reduction.n_poses; i++)
        if (fabs(sin(map->pose_slope[i] * u[map->pose_source[i]] + map->pose_offset[i])) < FLAT)
            return true;
    return false;
}

/* Do the coordinates of a span agree with its u? */
static bool agrees(const ki_reduction *map, const ki_span *span, const double *q, const double *v, double u,
                   double u_rate, double fastest) {
    for (int i = span->first; i < span->end; i++) {
        double q_i = map->slope[i] * u + map->offset[i], v_i = map->slope[i] * u_rate;
        if (!(fabs(q[i] - q_i) <= AGREES * fmax(1, fabs(q_i)) && fabs(v[i] - v_i) <= AGREES * fastest))
            return false;
    }
    return true;
}

/* Lengths among q and v tell u themselves and agree exactly; all others are angles. */
int ki_reduction_shrink(const keel_reduction *reduction, void *work, double t, const double *q,
                        const double *v, double *u, double *u_rate) {
    const ki_reduction *map = reduction->model;
    double fastest = 1;
    (void)work, (void)t;
    for (int j = 0; j < reduction->system->n_q; j++) {
        int i = map->told_by[j];
        u[j] = (q[i] - map->offset[i]) * map->slope[i]; /* which is its inverse */
        u_rate[j] = v[i] * map->slope[i];
        fastest = fmax(fastest, fabs(u_rate[j]));
    }
    for (int i = 0; i < map->spans; i++) {
        int source = map->span[i].source;
        if (!agrees(map, &map->span[i], q, v, u[source], u_rate[source], fastest))
            return 0;
    }
    return !is_flat(map, u);
}
