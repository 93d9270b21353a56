/* mechanism.h - reading the parts of a mechanism.
 *
 * Parts are read kind by kind, whatever their order in the file: points, bodies, joints, forces, motions,
 * start values, outputs. Those of repeat blocks are read once in each pass, with the variables of the blocks
 * known to every formula and index. Numbers are evaluated at once; formulas of the motion are handed on as
 * text.
 */
#ifndef KI_MODELFILE_MECHANISM_H
#define KI_MODELFILE_MECHANISM_H

#include "expr/expr.h"
#include "mechanism/description.h"
#include "modelfile/loader.h"

enum {
    KI_SKETCH_NAME = 256,     /* bytes of a name with its indices       */
    KI_SKETCH_VARIABLES = 16, /* repeat variables inside of one another */
    KI_SKETCH_FIELDS = 24     /* keys of a part                         */
};

/* The description that loader->root gives, as far as it is sound; problems are reported. NULL when out of
 * memory. */
keel_mechanism *ki_read_mechanism(ki_loader *loader);

/* A point of the body that is being read. */
typedef struct ki_own_point {
    const char *name;
    double at[3];
    keel_location where;
} ki_own_point;

/* A shape of the body that is being read. */
typedef struct ki_look ki_look;
struct ki_look {
    keel_shape shape;
    const ki_look *next;
};

typedef struct ki_sketch {
    ki_loader *loader;
    keel_mechanism *mechanism;
    keel_mechanism *drawing; /* the points of the top level, as points of its ground; of `mechanism` */
    ki_graph *graph;         /* numbers while they are evaluated */
    bool planar;
    int passes;
    bool stopped;  /* a problem in a repeat block: the other kinds of parts are not looked at */
    int variables; /* repeat variables in force, outermost first */
    const char *variable[KI_SKETCH_VARIABLES];
    double value[KI_SKETCH_VARIABLES];
    const ki_own_point *own; /* points of the body that is being read */
    int own_count;
    const ki_look *looks; /* its shapes, the last first */
} ki_sketch;

/* A part under its key: `key: {...}`, and its fields. */
typedef struct ki_item_reading {
    const ki_yaml *entry;
    const char *word; /* "body", for messages */
    char name[KI_SKETCH_NAME];
    const ki_yaml *field[KI_SKETCH_FIELDS]; /* by the order of its keys; NULL: not given */
} ki_item_reading;

/* ---- mechanism_values.c: all return false after a message --------------------------------------------- */

/* A name with its indices evaluated. */
bool ki_sketch_name(ki_sketch *s, const char *text, keel_location where, char name[KI_SKETCH_NAME]);

/* The same without messages; and whether a parameter or a variable is called so. */
bool ki_sketch_is_name(ki_sketch *s, const char *text, char name[KI_SKETCH_NAME]);
bool ki_sketch_is_number_name(const ki_sketch *s, const char *name);

/* Name and fields of a part; `keys` are count keys. */
bool ki_sketch_open(ki_sketch *s, const ki_yaml *entry, const char *word, const char *const *keys, int count,
                    ki_item_reading *item);

/* The fields of a map that belongs to a part. `place` is e.g. "of a spring". */
bool ki_sketch_fields(ki_sketch *s, const ki_yaml *map, const char *place, const char *const *keys, int count,
                      const ki_yaml **field);

/* The number of a formula; `owner` is whose it is. */
bool ki_sketch_number(ki_sketch *s, const ki_yaml *value, const char *owner, double *number);

/* Whether a formula is a number, and that is zero; without messages. */
bool ki_sketch_is_zero(ki_sketch *s, const ki_yaml *value);

/* Numbers of a list of exactly `count`. */
bool ki_sketch_numbers(ki_sketch *s, const ki_yaml *list, const char *owner, int count, double *numbers);

/* A number if the field is there, else *number stays. */
bool ki_sketch_optional(ki_sketch *s, const ki_yaml *value, const char *owner, double *number);

/* A direction: a list of formulas, or x, y, z, -x, ...; not of length zero. */
bool ki_sketch_direction(ki_sketch *s, const ki_yaml *value, const char *owner, double direction[3]);

/* One of the words; its number. */
bool ki_sketch_word(ki_sketch *s, const ki_yaml *value, const char *const *words, int count, int *number);

/* A formula of the motion, with the repeat variables. Valid until the next pass. */
bool ki_sketch_formula(ki_sketch *s, const ki_yaml *value, const char *owner, keel_formula *formula);

/* ---- mechanism_places.c ------------------------------------------------------------------------------- */

/* A place: a list of formulas, or the name of a point, of `body` first (-1: of none in particular). */
bool ki_sketch_place(ki_sketch *s, const ki_yaml *value, const char *owner, int body, double at[3]);

/* Two places, or one for both; the first is looked for on body[0], the second on body[1]. */
bool ki_sketch_places(ki_sketch *s, const ki_yaml *value, const char *owner, const int body[2],
                      double at[2][3]);

/* A point that belongs to a body: "tip" or "rod.tip". */
bool ki_sketch_body_point(ki_sketch *s, const ki_yaml *value, const char *owner, int *body, double at[3]);

/* The place that a point called `name` has on a body or in the drawing, without messages. */
bool ki_sketch_find_place(const ki_sketch *s, const char *name, int body, double at[3]);

/* The body of that name. */
bool ki_sketch_body(ki_sketch *s, const ki_yaml *value, const char *owner, int *body);

/* Two bodies, `bodies: [A, B]`. */
bool ki_sketch_bodies(ki_sketch *s, const ki_yaml *value, const char *owner, int body[2]);

/* ---- shapes.c ----------------------------------------------------------------------------------------- */

/* Mass, centre, inertia (xx yy zz xy yz zx, about the centre, axes of the world). */
typedef struct ki_matter {
    double mass, centre[3], inertia[6];
} ki_matter;

/* Keys that describe the matter of a body or of one of its parts. */
typedef enum ki_matter_field {
    KI_SHAPE,
    KI_MASS,
    KI_DENSITY,
    KI_CENTRE,
    KI_INERTIA,
    KI_AXES,
    KI_FROM,
    KI_TO,
    KI_RADIUS,
    KI_SIZE,
    KI_THICKNESS,
    KI_MATTER_FIELDS
} ki_matter_field;
extern const char *const ki_matter_keys[KI_MATTER_FIELDS];

/* What the fields say; all false: nothing is said, a massless body. False after a message. */
bool ki_read_shape(ki_sketch *s, const ki_yaml *map, const char *owner, const ki_yaml *const *field,
                   ki_matter *matter);

/* Keeps a shape of the body that is being read. */
void ki_sketch_look(ki_sketch *s, const keel_shape *shape);

/* The axes {x: vector, y: vector} as columns of R. */
bool ki_read_axes(ki_sketch *s, const ki_yaml *map, const char *owner, double R[9]);

/* `mass: formula` of something that has mass. */
bool ki_read_mass(ki_sketch *s, const ki_yaml *value, const char *owner, double *mass);

/* R diag(moment) R^T as xx yy zz xy yz zx. */
void ki_turn_inertia(const double R[9], const double moment[6], double inertia[6]);

/* Adds `part` to `sum`: masses, common centre, parallel axes. */
void ki_add_matter(const ki_matter *part, ki_matter *sum);

/* ---- the readers of one entry each -------------------------------------------------------------------- */

void ki_read_point(ki_sketch *s, const ki_yaml *entry);
void ki_read_body(ki_sketch *s, const ki_yaml *entry);
void ki_read_joint(ki_sketch *s, const ki_yaml *entry);    /* that ties bodies */
void ki_read_coupling(ki_sketch *s, const ki_yaml *entry); /* that couples joints */
void ki_read_force(ki_sketch *s, const ki_yaml *entry);
void ki_read_motion(ki_sketch *s, const ki_yaml *entry);
void ki_read_input(ki_sketch *s, const ki_yaml *entry);
void ki_read_state(ki_sketch *s, const ki_yaml *entry);
void ki_read_definition(ki_sketch *s, const ki_yaml *entry);
void ki_read_start(ki_sketch *s, const ki_yaml *entry);
void ki_read_output(ki_sketch *s, const ki_yaml *entry);

#endif
