/* geometry.h - vectors, rotations and random numbers of the metamorphic test. */
#ifndef METAMORPH_GEOMETRY_H
#define METAMORPH_GEOMETRY_H

#include <stdint.h>

#define PI 3.14159265358979323846

typedef struct vec {
    double x, y, z;
} vec;

/* Rotation or tensor, row-major. */
typedef struct mat {
    double a[9];
} mat;

static const vec EX = {1, 0, 0}, EY = {0, 1, 0}, EZ = {0, 0, 1}, ZERO = {0, 0, 0};

vec add(vec a, vec b);
vec sub(vec a, vec b);
vec scale(double s, vec a);
vec along(vec from, double s, vec direction); /* from + s direction */
double dot(vec a, vec b);
vec cross(vec a, vec b);
double norm(vec a);
vec unit(vec a);
double angle_between(vec a, vec b);

mat identity(void);
mat rotation(vec axis, double angle);
mat product(mat a, mat b);
mat transpose(mat a);
vec turned(mat R, vec a);                /* R a                                 */
vec turned_back(mat R, vec a);           /* R^T a                               */
vec spun(vec a, vec axis, double angle); /* a turned about an axis through 0    */
mat tensor_turned(mat R, mat I);         /* R I R^T                             */

/* The point at distance r0 from p0 and r1 from p1, to the left of p0 -> p1 (side 1) or to the right (-1), in
 * the plane of x and y. */
vec dyad(vec p0, double r0, vec p1, double r1, double side);

/* The unit vector at angle a0 from u0 and a1 from u1, on the side of u0 x u1 (side 1) or on the other. */
vec spherical_dyad(vec u0, double a0, vec u1, double a1, double side);

/* splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine. */
typedef struct rng {
    uint64_t state;
} rng;

uint64_t rng_next(rng *r);
double uniform(rng *r, double low, double high);
int choose(rng *r, int low, int high); /* both ends included */
double either(rng *r);                 /* -1 or 1 */
vec random_direction(rng *r);
vec random_in_ball(rng *r, double radius);
mat random_rotation(rng *r);
void random_order(rng *r, int count, int *order); /* order[i]: the old place of what comes to place i */

#endif
