/* shapes.c - mass, centre and inertia of simple bodies.
 *
 *     slender rod, length L            m L^2/12 across, 0 along
 *     cylinder, radius r, length L     m (3 r^2 + L^2)/12 across, m r^2/2 along
 *     sphere, radius r                 2/5 m r^2
 *     box with edges a, b, c           m (b^2 + c^2)/12, m (c^2 + a^2)/12, m (a^2 + b^2)/12
 *
 * about the centre. Of a sum of parts, with d from the common centre to that of the part,
 *
 *     I = sum I_k + m_k (d.d 1 - d d^T).
 */
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "modelfile/mechanism.h"

const char *const ki_matter_keys[KI_MATTER_FIELDS] = {
    [KI_SHAPE] = "shape",     [KI_MASS] = "mass", [KI_DENSITY] = "density",     [KI_CENTRE] = "centre",
    [KI_INERTIA] = "inertia", [KI_AXES] = "axes", [KI_FROM] = "from",           [KI_TO] = "to",
    [KI_RADIUS] = "radius",   [KI_SIZE] = "size", [KI_THICKNESS] = "thickness",
};

static const double PI = 3.14159265358979323846;

void ki_turn_inertia(const double R[9], const double moment[6], double inertia[6]) {
    const double I[9] = {moment[0], moment[3], moment[5], moment[3], moment[1],
                         moment[4], moment[5], moment[4], moment[2]};
    double RI[9], T[9];
    ki_multiply(R, I, RI);
    ki_multiply_transposed(RI, R, T);
    const double turned[6] = {T[0], T[4], T[8], T[1], T[5], T[2]};
    /* a slender rod along sin(2 pi) has no inertia about itself, not one of 1e-32 */
    double noise = 1e-14 * fmax(T[0], fmax(T[4], T[8]));
    for (int k = 0; k < 6; k++)
        inertia[k] = fabs(turned[k]) > noise ? turned[k] : 0;
}

/* inertia += m (d.d 1 - d d^T) */
static void add_steiner(double m, const double d[3], double inertia[6]) {
    double dd = ki_dot3(d, d);
    for (int k = 0; k < 3; k++) {
        inertia[k] += m * (dd - d[k] * d[k]);
        inertia[3 + k] -= m * d[k] * d[(k + 1) % 3];
    }
}

void ki_add_matter(const ki_matter *part, ki_matter *sum) {
    double mass = sum->mass + part->mass, centre[3], d[3];
    for (int k = 0; k < 3; k++)
        centre[k] = (sum->mass * sum->centre[k] + part->mass * part->centre[k]) / mass;
    ki_minus(sum->centre, centre, d);
    add_steiner(sum->mass, d, sum->inertia);
    ki_minus(part->centre, centre, d);
    add_steiner(part->mass, d, sum->inertia);
    for (int k = 0; k < 6; k++)
        sum->inertia[k] += part->inertia[k];
    ki_copy3(centre, sum->centre);
    sum->mass = mass;
}

bool ki_read_mass(ki_sketch *s, const ki_yaml *value, const char *owner, double *mass) {
    if (!ki_sketch_number(s, value, owner, mass))
        return false;
    if (*mass == 0)
        KI_COMPLAIN(s->loader, value->at,
                    "the mass of '%s' is 0: leave 'mass' out for a massless body, or is a unit wrong?",
                    owner);
    else if (*mass < 0)
        KI_COMPLAIN(s->loader, value->at, "the mass of '%s' is %g: it must be positive", owner, *mass);
    return *mass > 0;
}

/* A length or density, which must be positive. */
static bool read_positive(ki_sketch *s, const ki_yaml *value, const char *owner, double *number) {
    if (!ki_sketch_number(s, value, owner, number))
        return false;
    if (*number <= 0)
        KI_COMPLAIN(s->loader, value->at, "'%s' of '%s' is %g: it must be positive",
                    value->key ? value->key : "size", owner, *number);
    return *number > 0;
}

/* ---- axes ------------------------------------------------------------------------------------------------
 */

enum { AXES = 3 };

/* Moments of inertia take perpendicular axes, and get them: those that are given are squared up. So they may
 * be as coarse as any drawing, and only a slip is refused. */
static bool check_perpendicular(ki_sketch *s, const ki_yaml *map, const char *owner, const double a[3],
                                const double b[3]) {
    if (fabs(ki_dot3(a, b)) <= KEEL_PRECISION_MOST * sqrt(ki_dot3(a, a) * ki_dot3(b, b)))
        return true;
    KI_COMPLAIN(s->loader, map->at, "the axes of '%s' are not perpendicular to each other", owner);
    return false;
}

bool ki_read_axes(ki_sketch *s, const ki_yaml *map, const char *owner, double R[9]) {
    static const char *const KEYS[AXES] = {"x", "y", "z"};
    const ki_yaml *field[AXES];
    double axis[AXES][3] = {{0}};
    if (!ki_expect_map(s->loader, map, "x: direction, y: direction") ||
        !ki_sketch_fields(s, map, "in 'axes'", KEYS, AXES, field))
        return false;
    for (int k = 0; k < AXES; k++)
        if (field[k] && !ki_sketch_direction(s, field[k], owner, axis[k]))
            return false;
    if (s->planar && !field[2])
        axis[2][2] = 1;
    bool given[AXES] = {field[0], field[1], field[2] || s->planar};
    if (given[0] + given[1] + given[2] < 2 && !given[2]) {
        KI_COMPLAIN(s->loader, map->at, "'axes' of '%s' needs two of the directions x, y, z", owner);
        return false;
    }
    for (int k = 0; k < AXES; k++)
        if (given[k] && given[(k + 1) % 3] && !check_perpendicular(s, map, owner, axis[k], axis[(k + 1) % 3]))
            return false;
    if (!given[2])
        ki_cross(axis[0], axis[1], axis[2]);
    if (!given[0] && given[1])
        ki_cross(axis[1], axis[2], axis[0]);
    ki_frame_from_axes(axis[2], axis[0], R);
    return true;
}

/* ---- shapes ----------------------------------------------------------------------------------------------
 */

/* What a shape is made of, once read: a volume and moments of inertia per mass in its own axes. */
typedef struct solid {
    double centre[3], R[9];
    double volume;    /* 0: not known, no thickness was given */
    double moment[3]; /* per mass */
    keel_shape look;
} solid;

typedef struct shape_reading {
    ki_sketch *s;
    const ki_yaml *map;
    const char *owner;
    const ki_yaml *const *field;
} shape_reading;

static bool need(const shape_reading *r, ki_matter_field field) {
    if (!r->field[field])
        KI_COMPLAIN(r->s->loader, r->map->key ? r->map->key_at : r->map->at, "%s '%s' needs '%s'",
                    r->field[KI_SHAPE]->text, r->owner, ki_matter_keys[field]);
    return r->field[field] != NULL;
}

static bool read_centre(const shape_reading *r, solid *body) {
    static const double ONE[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(body->R, ONE, sizeof ONE);
    return need(r, KI_CENTRE) && ki_sketch_place(r->s, r->field[KI_CENTRE], r->owner, -1, body->centre) &&
           (!r->field[KI_AXES] || ki_read_axes(r->s, r->field[KI_AXES], r->owner, body->R));
}

/* Ends of a rod or cylinder; its axis becomes z. */
static bool read_ends(const shape_reading *r, solid *body, double *length) {
    static const double ANY[3] = {0};
    double from[3], to[3], along[3];
    if (!need(r, KI_FROM) || !need(r, KI_TO) ||
        !ki_sketch_place(r->s, r->field[KI_FROM], r->owner, -1, from) ||
        !ki_sketch_place(r->s, r->field[KI_TO], r->owner, -1, to))
        return false;
    ki_minus(to, from, along);
    *length = sqrt(ki_dot3(along, along));
    if (*length == 0) {
        KI_COMPLAIN(r->s->loader, r->field[KI_TO]->at,
                    "%s '%s' has length zero: 'from' and 'to' are the same", r->field[KI_SHAPE]->text,
                    r->owner);
        return false;
    }
    ki_frame_from_axes(along, ANY, body->R);
    for (int k = 0; k < 3; k++)
        body->centre[k] = (from[k] + to[k]) / 2;
    ki_copy3(from, body->look.from);
    ki_copy3(to, body->look.to);
    return true;
}

static void set_round(solid *body, double radius, double length) {
    body->look.radius = radius;
    body->moment[0] = body->moment[1] = (3 * radius * radius + length * length) / 12;
    body->moment[2] = radius * radius / 2;
    body->volume = PI * radius * radius * length;
}

static void set_block(solid *body, double a, double b, double c) {
    ki_copy3((const double[3]){a, b, c}, body->look.size);
    body->moment[0] = (b * b + c * c) / 12;
    body->moment[1] = (c * c + a * a) / 12;
    body->moment[2] = (a * a + b * b) / 12;
    body->volume = a * b * c;
}

static bool read_rod(const shape_reading *r, solid *body) {
    double length, radius = 0;
    if (!read_ends(r, body, &length) ||
        (r->field[KI_RADIUS] && !read_positive(r->s, r->field[KI_RADIUS], r->owner, &radius)))
        return false;
    set_round(body, radius, length);
    return true;
}

/* The ends of a disc's axis, to look at: one without thickness gets a little. */
static void set_disc_ends(solid *body, double radius, double thickness) {
    double half = thickness > 0 ? thickness / 2 : radius / 50, axis[3];
    ki_axis(body->R, 2, axis);
    ki_copy3(body->centre, body->look.from);
    ki_copy3(body->centre, body->look.to);
    ki_add_scaled(-half, axis, body->look.from);
    ki_add_scaled(half, axis, body->look.to);
}

/* Between two ends, or a disc about z of its axes. */
static bool read_cylinder(const shape_reading *r, solid *body) {
    double length = 0, radius;
    bool disc = r->field[KI_CENTRE] && !r->field[KI_FROM];
    if (!(disc ? read_centre(r, body) : read_ends(r, body, &length)) || !need(r, KI_RADIUS) ||
        !read_positive(r->s, r->field[KI_RADIUS], r->owner, &radius))
        return false;
    if (disc && r->field[KI_THICKNESS] && !read_positive(r->s, r->field[KI_THICKNESS], r->owner, &length))
        return false;
    if (disc)
        set_disc_ends(body, radius, length);
    set_round(body, radius, length);
    return true;
}

static bool read_sphere(const shape_reading *r, solid *body) {
    double radius;
    if (!read_centre(r, body) || !need(r, KI_RADIUS) ||
        !read_positive(r->s, r->field[KI_RADIUS], r->owner, &radius))
        return false;
    body->moment[0] = body->moment[1] = body->moment[2] = 0.4 * radius * radius;
    body->volume = 4 * PI / 3 * radius * radius * radius;
    body->look.radius = radius;
    return true;
}

static bool read_size(const shape_reading *r, int least, int most, double size[3]) {
    const ki_yaml *list = r->field[KI_SIZE];
    if (!need(r, KI_SIZE))
        return false;
    int count = list->kind == KI_YAML_LIST && list->count == least ? least : most;
    if (!ki_sketch_numbers(r->s, list, r->owner, count, size))
        return false;
    for (int k = 0; k < count; k++)
        if (size[k] <= 0) {
            KI_COMPLAIN(r->s->loader, list->at, "'size' of '%s' has an edge of %g: it must be positive",
                        r->owner, size[k]);
            return false;
        }
    return true;
}

static bool read_box(const shape_reading *r, solid *body) {
    double size[3] = {0};
    if (!read_centre(r, body) || !read_size(r, r->s->planar ? 2 : 3, 3, size))
        return false;
    set_block(body, size[0], size[1], size[2]);
    return true;
}

static bool read_plate(const shape_reading *r, solid *body) {
    double size[3] = {0};
    if (!read_centre(r, body) || !read_size(r, 2, 2, size) ||
        (r->field[KI_THICKNESS] && !read_positive(r->s, r->field[KI_THICKNESS], r->owner, &size[2])))
        return false;
    set_block(body, size[0], size[1], size[2]);
    return true;
}

enum { SHAPES = 5 };
static const char *const SHAPE_WORDS[SHAPES] = {"rod", "cylinder", "sphere", "box", "plate"};
static const struct {
    keel_shape_kind kind;
    bool (*read)(const shape_reading *reading, solid *body);
    unsigned fields;       /* besides shape, mass, density: bits 1 << ki_matter_field */
    const char *thickness; /* what gives it a volume */
} SHAPE[SHAPES] = {
    {KEEL_SHAPE_ROD, read_rod, 1u << KI_FROM | 1u << KI_TO | 1u << KI_RADIUS, "radius"},
    {KEEL_SHAPE_CYLINDER, read_cylinder,
     1u << KI_FROM | 1u << KI_TO | 1u << KI_RADIUS | 1u << KI_CENTRE | 1u << KI_AXES | 1u << KI_THICKNESS,
     "thickness"},
    {KEEL_SHAPE_SPHERE, read_sphere, 1u << KI_CENTRE | 1u << KI_RADIUS, NULL},
    {KEEL_SHAPE_BOX, read_box, 1u << KI_CENTRE | 1u << KI_AXES | 1u << KI_SIZE, "the third edge in 'size'"},
    {KEEL_SHAPE_PLATE, read_plate, 1u << KI_CENTRE | 1u << KI_AXES | 1u << KI_SIZE | 1u << KI_THICKNESS,
     "thickness"},
};

static bool check_fields(const shape_reading *r, int shape) {
    unsigned allowed = SHAPE[shape].fields | 1u << KI_SHAPE | 1u << KI_MASS | 1u << KI_DENSITY;
    bool good = true;
    for (int i = 0; i < KI_MATTER_FIELDS; i++)
        if (r->field[i] && !(allowed & 1u << i)) {
            KI_COMPLAIN(r->s->loader, r->field[i]->key_at, "a %s has no '%s' ('%s')", SHAPE_WORDS[shape],
                        ki_matter_keys[i], r->owner);
            good = false;
        }
    return good;
}

static bool read_shape_mass(const shape_reading *r, int shape, const solid *body, double *mass) {
    double density;
    if (r->field[KI_MASS] && r->field[KI_DENSITY]) {
        KI_COMPLAIN(r->s->loader, r->field[KI_DENSITY]->key_at,
                    "'%s' has a mass and a density: one of them is enough", r->owner);
        return false;
    }
    if (r->field[KI_MASS])
        return ki_read_mass(r->s, r->field[KI_MASS], r->owner, mass);
    if (!r->field[KI_DENSITY]) {
        KI_COMPLAIN(r->s->loader, r->field[KI_SHAPE]->at, "%s '%s' needs 'mass' or 'density'",
                    SHAPE_WORDS[shape], r->owner);
        return false;
    }
    if (!read_positive(r->s, r->field[KI_DENSITY], r->owner, &density))
        return false;
    if (body->volume <= 0)
        KI_COMPLAIN(r->s->loader, r->field[KI_DENSITY]->at, "the density of %s '%s' gives no mass without %s",
                    SHAPE_WORDS[shape], r->owner,
                    SHAPE[shape].thickness ? SHAPE[shape].thickness : "a volume");
    *mass = density * body->volume;
    return body->volume > 0;
}

void ki_sketch_look(ki_sketch *s, const keel_shape *shape) {
    ki_look *look = KI_NEW(s->loader->arena, ki_look, 1);
    if (!look) {
        ki_loader_fail(s->loader, KEEL_ERROR_MEMORY);
        return;
    }
    *look = (ki_look){*shape, s->looks};
    s->looks = look;
}

bool ki_read_shape(ki_sketch *s, const ki_yaml *map, const char *owner, const ki_yaml *const *field,
                   ki_matter *matter) {
    shape_reading r = {s, map, owner, field};
    solid body = {0};
    int shape;
    if (!ki_sketch_word(s, field[KI_SHAPE], SHAPE_WORDS, SHAPES, &shape) || !check_fields(&r, shape) ||
        !SHAPE[shape].read(&r, &body) || !read_shape_mass(&r, shape, &body, &matter->mass))
        return false;
    double moment[6] = {0};
    for (int k = 0; k < 3; k++)
        moment[k] = matter->mass * body.moment[k];
    ki_copy3(body.centre, matter->centre);
    ki_turn_inertia(body.R, moment, matter->inertia);
    body.look.kind = SHAPE[shape].kind;
    ki_copy3(body.centre, body.look.at);
    memcpy(body.look.axes, body.R, sizeof body.R);
    ki_sketch_look(s, &body.look);
    return true;
}
