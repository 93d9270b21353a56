/* geometry.c - vectors, rotations and random numbers of the metamorphic test. */
#include "geometry.h"

#include <assert.h>
#include <math.h>

vec add(vec a, vec b) {
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

vec sub(vec a, vec b) {
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

vec scale(double s, vec a) {
    return (vec){s * a.x, s * a.y, s * a.z};
}

vec along(vec from, double s, vec direction) {
    return add(from, scale(s, direction));
}

double dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

vec cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double norm(vec a) {
    return sqrt(dot(a, a));
}

vec unit(vec a) {
    return scale(1 / norm(a), a);
}

double angle_between(vec a, vec b) {
    return atan2(norm(cross(a, b)), dot(a, b));
}

mat identity(void) {
    return (mat){{1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

/* Rodrigues: R = c 1 + s [n] + (1 - c) n n^T. */
mat rotation(vec axis, double angle) {
    vec n = unit(axis);
    double c = cos(angle), s = sin(angle), k = 1 - c;
    return (mat){{c + k * n.x * n.x, k * n.x * n.y - s * n.z, k * n.x * n.z + s * n.y,
                  k * n.x * n.y + s * n.z, c + k * n.y * n.y, k * n.y * n.z - s * n.x,
                  k * n.x * n.z - s * n.y, k * n.y * n.z + s * n.x, c + k * n.z * n.z}};
}

mat product(mat a, mat b) {
    mat c = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                c.a[3 * i + j] += a.a[3 * i + k] * b.a[3 * k + j];
    return c;
}

mat transpose(mat a) {
    return (mat){{a.a[0], a.a[3], a.a[6], a.a[1], a.a[4], a.a[7], a.a[2], a.a[5], a.a[8]}};
}

vec turned(mat R, vec a) {
    const double *r = R.a;
    return (vec){r[0] * a.x + r[1] * a.y + r[2] * a.z, r[3] * a.x + r[4] * a.y + r[5] * a.z,
                 r[6] * a.x + r[7] * a.y + r[8] * a.z};
}

vec turned_back(mat R, vec a) {
    return turned(transpose(R), a);
}

vec spun(vec a, vec axis, double angle) {
    return turned(rotation(axis, angle), a);
}

mat tensor_turned(mat R, mat I) {
    return product(product(R, I), transpose(R));
}

vec dyad(vec p0, double r0, vec p1, double r1, double side) {
    vec d = {p1.x - p0.x, p1.y - p0.y, 0};
    double c = norm(d), x = (c * c + r0 * r0 - r1 * r1) / (2 * c), square = r0 * r0 - x * x;
    assert(square > 0);
    vec e = scale(1 / c, d), n = {-e.y, e.x, 0};
    return along(along(p0, x, e), side * sqrt(square), n);
}

/* w = p u0 + q u1 + s u0 x u1 with w . u0 = cos a0, w . u1 = cos a1, |w| = 1. */
vec spherical_dyad(vec u0, double a0, vec u1, double a1, double side) {
    double c = dot(u0, u1), k = 1 - c * c;
    double p = (cos(a0) - c * cos(a1)) / k, q = (cos(a1) - c * cos(a0)) / k;
    vec flat = add(scale(p, u0), scale(q, u1));
    double square = 1 - dot(flat, flat);
    assert(square > 0);
    return along(flat, side * sqrt(square / k), cross(u0, u1));
}

uint64_t rng_next(rng *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double uniform(rng *r, double low, double high) {
    return low + (high - low) * (double)(rng_next(r) >> 11) * 0x1p-53;
}

int choose(rng *r, int low, int high) {
    return low + (int)(rng_next(r) % (uint64_t)(high - low + 1));
}

double either(rng *r) {
    return rng_next(r) & 1 ? 1 : -1;
}

vec random_direction(rng *r) {
    double z = uniform(r, -1, 1), phi = uniform(r, 0, 2 * PI), s = sqrt(1 - z * z);
    return (vec){s * cos(phi), s * sin(phi), z};
}

vec random_in_ball(rng *r, double radius) {
    vec direction = random_direction(r);
    return scale(radius * cbrt(uniform(r, 0, 1)), direction);
}

mat random_rotation(rng *r) {
    mat first = rotation(EZ, uniform(r, 0, 2 * PI));
    vec axis = cross(EZ, random_direction(r));
    return product(rotation(axis, uniform(r, 0.3, PI)), first);
}

/* Fisher, Yates. */
void random_order(rng *r, int count, int *order) {
    for (int i = 0; i < count; i++) {
        int j = choose(r, 0, i);
        order[i] = order[j];
        order[j] = i;
    }
}
