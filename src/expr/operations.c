/* operations.c - what each operation computes. */
#include "expr/graph.h"

#include <assert.h>
#include <math.h>

#include "base/sine.h"

static double apply_unary(ki_op op, double a) {
    switch (op) {
    case KI_NEG:
        return -a;
    case KI_SIN:
        return ki_sine(a);
    case KI_COS:
        return ki_cosine(a);
    case KI_TAN:
        return tan(a);
    case KI_ASIN:
        return asin(a);
    case KI_ACOS:
        return acos(a);
    case KI_ATAN:
        return atan(a);
    case KI_SINH:
        return sinh(a);
    case KI_COSH:
        return cosh(a);
    case KI_TANH:
        return tanh(a);
    case KI_SQRT:
        return sqrt(a);
    case KI_EXP:
        return exp(a);
    case KI_LOG:
        return log(a);
    case KI_ABS:
        return fabs(a);
    case KI_SIGN:
        return ki_sign(a);
    default:
        assert(op == KI_NOT);
        return a == 0;
    }
}

static double apply_binary(ki_op op, double a, double b) {
    switch (op) {
    case KI_ADD:
        return a + b;
    case KI_SUB:
        return a - b;
    case KI_MUL:
        return a * b;
    case KI_DIV:
        return a / b;
    case KI_POW:
        return pow(a, b);
    case KI_ATAN2:
        return atan2(a, b);
    case KI_MIN: /* the first of two equal ones; a NaN on either side is the result */
        return b < a || b != b ? b : a;
    case KI_MAX:
        return b > a || b != b ? b : a;
    case KI_HYPOT:
        return hypot(a, b);
    case KI_LT:
        return a < b;
    case KI_LE:
        return a <= b;
    case KI_EQ:
        return a == b;
    case KI_AND:
        return a != 0 && b != 0;
    default:
        assert(op == KI_OR);
        return a != 0 || b != 0;
    }
}

double ki_op_value(ki_op op, double a, double b, double c) {
    if (op == KI_IF)
        return a != 0 ? b : c;
    return ki_op_arity(op) == 1 ? apply_unary(op, a) : apply_binary(op, a, b);
}
