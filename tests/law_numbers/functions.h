/* The generated functions of all joints over REAL, and calls of them by number, in the order of roles.inc;
 * included once for each type. */
#include "law_numbers/numbers.h"

#include "mechanism/generated/cylindrical.inc"
#include "mechanism/generated/distance.inc"
#include "mechanism/generated/fixed.inc"
#include "mechanism/generated/forces.inc"
#include "mechanism/generated/free.inc"
#include "mechanism/generated/planar.inc"
#include "mechanism/generated/point_on_line.inc"
#include "mechanism/generated/point_on_plane.inc"
#include "mechanism/generated/points.inc"
#include "mechanism/generated/prismatic.inc"
#include "mechanism/generated/revolute.inc"
#include "mechanism/generated/screw.inc"
#include "mechanism/generated/skate.inc"
#include "mechanism/generated/sphere.inc"
#include "mechanism/generated/spherical.inc"
#include "mechanism/generated/universal.inc"
#include "mechanism/generated/wheel.inc"

/* clang-format off */
#define LAW_CALL(name, what, ...) \
    static void KI_LAW(name##_##what##_call)(KI_LAW(arguments) *x) { KI_LAW(name##_##what)(__VA_ARGS__); }
#define TREE(name)                                          \
    LAW_CALL(name, place, &x->joint, x->q, &x->placed)      \
    LAW_CALL(name, columns, &x->joint, x->q, x->S)          \
    LAW_CALL(name, fit, &x->joint, &x->relative, x->fitted)
#define BENDS(name) LAW_CALL(name, bias, &x->joint, x->q, x->v, x->bias)
#define ROWS(name)                                                     \
    LAW_CALL(name, rows, &x->joint, &x->s[0], &x->s[1], x->rows)        \
    LAW_CALL(name, rows_moving, &x->joint, &x->s[0], &x->s[1], x->rows)
#define MEASURE(name, k)                                                         \
    LAW_CALL(name, measure_##k, &x->joint, &x->s[0], &x->s[1], x->rows)           \
    LAW_CALL(name, measure_##k##_moving, &x->joint, &x->s[0], &x->s[1], x->rows)
#define FORCE(name)                                                                              \
    static void KI_LAW(name##_call)(KI_LAW(arguments) *x) {                                      \
        KI_LAW(name)(&x->s[0], &x->s[1], &x->force, x->f, &x->load);                             \
    }
#include "mechanism/generated/roles.inc"
#include "mechanism/generated/force_roles.inc"
#undef TREE
#undef BENDS
#undef ROWS
#undef MEASURE
#undef FORCE

#define FORCE(name) {#name, "load", KI_LAW(name##_call)},
#define LAW_ENTRY(name, what) {#name, #what, KI_LAW(name##_##what##_call)},
#define TREE(name) LAW_ENTRY(name, place) LAW_ENTRY(name, columns) LAW_ENTRY(name, fit)
#define BENDS(name) LAW_ENTRY(name, bias)
#define ROWS(name) LAW_ENTRY(name, rows) LAW_ENTRY(name, rows_moving)
#define MEASURE(name, k) LAW_ENTRY(name, measure_##k) LAW_ENTRY(name, measure_##k##_moving)
static const struct {
    const char *role, *what;
    void (*call)(KI_LAW(arguments) *x);
} KI_LAW(functions)[] = {
#include "mechanism/generated/roles.inc"
#include "mechanism/generated/force_roles.inc"
};
#undef TREE
#undef BENDS
#undef ROWS
#undef MEASURE
#undef FORCE
#undef LAW_CALL
#undef LAW_ENTRY
/* clang-format on */
