/* law_numbers.h - the types of generated functions (mechanism/generated/) over doubles. */
#ifndef KI_MECHANISM_LAW_NUMBERS_H
#define KI_MECHANISM_LAW_NUMBERS_H

#include "base/sine.h"
#include "mechanism/joints/joints.h"

#define KI_LAW(name) name
#define REAL         double
#define JOINT        ki_joint
#define STATE        ki_state
#define RELATIVE     ki_relative
#define ROW          ki_row

#define KI_LAW_NUMBER(a)   (a)
#define KI_LAW_MAX(a, b)   ki_law_max(a, b)
#define KI_LAW_IF(a, b, c) ((a) != 0 ? (b) : (c))

#define KI_LAW_LT(a, b) ((a) < (b))

static inline double ki_law_max(double a, double b) {
    return b > a || b != b ? b : a;
}

/* An angle of atan2 in (-pi, pi]. */
static inline double ki_half_open(double angle) {
    static const double PI = 3.14159265358979323846;
    return angle <= -PI ? PI : angle;
}

#endif
