#include "expr/interval.h"

#include <float.h>
#include <math.h>

#include "base/sine.h"
#include "expr/graph.h"

static const ki_interval EVERYTHING = {-INFINITY, INFINITY, false};

static double least(double a, double b) {
    return a < b ? a : b;
}

static double most(double a, double b) {
    return a > b ? a : b;
}

/* Library functions are good to a few units in the last place. */
static ki_interval widened(double low, double high) {
    static const double MARGIN = 8 * DBL_EPSILON;
    if (!(low <= high)) /* NaN */
        return EVERYTHING;
    return (ki_interval){low - MARGIN * fabs(low), high + MARGIN * fabs(high), false};
}

static bool is_point(ki_interval a) {
    return a.low == a.high;
}

static bool has_zero(ki_interval a) {
    return a.low <= 0 && a.high >= 0;
}

static ki_interval either(ki_interval a, ki_interval b) {
    return (ki_interval){least(a.low, b.low), most(a.high, b.high), false};
}

/* The largest and the smallest of op at the four corners. */
static ki_interval corners(ki_op op, ki_interval a, ki_interval b) {
    double x[4] = {ki_op_value(op, a.low, b.low, 0), ki_op_value(op, a.low, b.high, 0),
                   ki_op_value(op, a.high, b.low, 0), ki_op_value(op, a.high, b.high, 0)};
    double low = x[0], high = x[0];
    for (int i = 0; i < 4; i++) {
        if (isnan(x[i]))
            return EVERYTHING;
        low = least(low, x[i]);
        high = most(high, x[i]);
    }
    return widened(low, high);
}

static ki_interval increasing(ki_op op, ki_interval a) {
    return widened(ki_op_value(op, a.low, 0, 0), ki_op_value(op, a.high, 0, 0));
}

static ki_interval within(ki_interval a, double low, double high) {
    return (ki_interval){most(a.low, low), least(a.high, high), a.jumps};
}

/* Of sin(x + shift): 1 is reached where x + shift passes pi/2 + 2 pi k, -1 where it passes -pi/2 + 2 pi k. */
static ki_interval sine(ki_interval a, double quarter_turns) {
    static const double PI = 3.14159265358979323846;
    double turn = 2 * PI, margin = 1e-9 + 8 * DBL_EPSILON * most(fabs(a.low), fabs(a.high));
    if (!(a.high - a.low < turn) || margin > 0.1)
        return (ki_interval){-1, 1, false};
    double top = (1 - quarter_turns) * PI / 2, bottom = (-1 - quarter_turns) * PI / 2;
    double x = quarter_turns > 0 ? ki_cosine(a.low) : ki_sine(a.low);
    double y = quarter_turns > 0 ? ki_cosine(a.high) : ki_sine(a.high);
    ki_interval result = widened(least(x, y), most(x, y));
    if (floor((a.high - top + margin) / turn) > floor((a.low - top - margin) / turn))
        result.high = 1;
    if (floor((a.high - bottom + margin) / turn) > floor((a.low - bottom - margin) / turn))
        result.low = -1;
    return within(result, -1, 1);
}

static ki_interval tangent(ki_interval a) {
    static const double PI = 3.14159265358979323846;
    bool has_pole = !(a.high - a.low < PI) || floor(a.low / PI + 0.5) != floor(a.high / PI + 0.5);
    return has_pole ? EVERYTHING : increasing(KI_TAN, a);
}

static ki_interval absolute(ki_interval a) {
    double x = fabs(a.low), y = fabs(a.high);
    return (ki_interval){has_zero(a) ? 0 : least(x, y), most(x, y), false};
}

static ki_interval condition(bool may_be_false, bool may_be_true) {
    return (ki_interval){may_be_false ? 0 : 1, may_be_true ? 1 : 0, may_be_false && may_be_true};
}

static ki_interval truth(ki_interval a) {
    bool always = !has_zero(a), never = a.low == 0 && a.high == 0;
    return condition(!always, !never);
}

static ki_interval power(ki_interval a, ki_interval b) {
    if (a.low > 0)
        return corners(KI_POW, a, b);
    if (!is_point(b) || b.low != floor(b.low))
        return EVERYTHING;
    double n = b.low, x = pow(a.low, n), y = pow(a.high, n);
    if (n < 0 && has_zero(a))
        return EVERYTHING;
    ki_interval result = widened(least(x, y), most(x, y));
    if (fmod(n, 2) == 0 && has_zero(a))
        result.low = n == 0 ? 1 : 0;
    return result;
}

static ki_interval hyperbolic_cosine(ki_interval a) {
    ki_interval size = absolute(a);
    return widened(cosh(size.low), cosh(size.high));
}

/* The angle of a point grows with y to the right of the origin, and so on: the extremes are in the corners
 * unless the cut is met. */
static ki_interval angle(ki_interval y, ki_interval x) {
    static const double PI = 3.14159265358979323846;
    if (!has_zero(y) || x.low > 0)
        return corners(KI_ATAN2, y, x);
    return (ki_interval){-PI, PI, true};
}

static ki_interval of_one(ki_op op, ki_interval a) {
    ki_interval t;
    switch (op) {
    case KI_NEG:
        return (ki_interval){-a.high, -a.low, false};
    case KI_SIN:
        return sine(a, 0);
    case KI_COS:
        return sine(a, 1);
    case KI_TAN:
        return tangent(a);
    case KI_ACOS:
        return widened(acos(a.high), acos(a.low));
    case KI_COSH:
        return hyperbolic_cosine(a);
    case KI_ABS:
        return absolute(a);
    case KI_SIGN:
        return (ki_interval){ki_sign(a.low), ki_sign(a.high), has_zero(a) && !is_point(a)};
    case KI_NOT:
        t = truth(a);
        return (ki_interval){1 - t.high, 1 - t.low, t.jumps};
    case KI_LOG:
        return a.low > 0 ? increasing(op, a) : EVERYTHING;
    default: /* asin atan sinh tanh sqrt exp */
        return increasing(op, a);
    }
}

static ki_interval of_two(ki_op op, ki_interval a, ki_interval b) {
    ki_interval x, y;
    switch (op) {
    case KI_ADD:
        return widened(a.low + b.low, a.high + b.high);
    case KI_SUB:
        return widened(a.low - b.high, a.high - b.low);
    case KI_MUL:
        return corners(op, a, b);
    case KI_DIV:
        return has_zero(b) ? EVERYTHING : corners(op, a, b);
    case KI_POW:
        return power(a, b);
    case KI_ATAN2:
        return angle(a, b);
    case KI_MIN:
        return (ki_interval){least(a.low, b.low), least(a.high, b.high), false};
    case KI_MAX:
        return (ki_interval){most(a.low, b.low), most(a.high, b.high), false};
    case KI_HYPOT:
        x = absolute(a), y = absolute(b);
        return widened(hypot(x.low, y.low), hypot(x.high, y.high));
    case KI_LT:
        return condition(a.high >= b.low, a.low < b.high);
    case KI_LE:
        return condition(a.high > b.low, a.low <= b.high);
    case KI_EQ:
        return condition(!is_point(a) || !is_point(b) || a.low != b.low, a.low <= b.high && b.low <= a.high);
    case KI_AND:
        x = truth(a), y = truth(b);
        return condition(x.low == 0 || y.low == 0, x.high == 1 && y.high == 1);
    default:
        x = truth(a), y = truth(b);
        return condition(x.low == 0 && y.low == 0, x.high == 1 || y.high == 1);
    }
}

/* A number that is no number says nothing. */
static bool is_nothing(ki_interval a) {
    return !(a.low <= a.high);
}

ki_interval ki_interval_of(ki_op op, ki_interval a, ki_interval b, ki_interval c) {
    int arity = ki_op_arity(op);
    ki_interval result;
    if (op == KI_IF) {
        ki_interval t = truth(a);
        result = t.low == 1 ? b : t.high == 0 ? c : either(b, c);
        result.jumps = t.jumps || (t.high == 1 && b.jumps) || (t.low == 0 && c.jumps);
        return is_nothing(result) ? EVERYTHING : result;
    }
    result = arity == 1 ? of_one(op, a) : of_two(op, a, b);
    if (is_nothing(result))
        result = EVERYTHING;
    /* of a condition only its own change counts: its arguments may jump elsewhere */
    bool is_condition = op == KI_SIGN || op == KI_NOT || (op >= KI_LT && op <= KI_OR);
    if (!is_condition || !is_point(result))
        result.jumps |= a.jumps || (arity > 1 && b.jumps);
    return result;
}
