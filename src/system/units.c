/* units.c - units of the components of a system: told, or following from others. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keel/system.h"

/* A time derivative adds one to the power of the time in the denominator: "m" and "s" make "m/s", that and
 * "s" make "m/s^2"; "kg/m" and "s" make "kg/(m s)". */
static const char *raise_denominator(const char *unit, const char *slash, const char *by,
                                     char buffer[KEEL_UNIT]) {
    size_t length = strlen(by);
    const char *below = slash + 1;
    enum { LARGEST = 999 }; /* of the powers that are raised; texts of people may hold any */
    char *end = NULL;
    long power = 0;
    if (strcmp(below, by) == 0)
        snprintf(buffer, KEEL_UNIT, "%s^2", unit);
    else if (strncmp(below, by, length) == 0 && below[length] == '^' &&
             (power = strtol(below + length + 1, &end, 10)) > 0 && power <= LARGEST && !*end)
        snprintf(buffer, KEEL_UNIT, "%.*s^%ld", (int)(below + length - unit), unit, power + 1);
    else if (below[0] == '(' && below[strlen(below) - 1] == ')')
        snprintf(buffer, KEEL_UNIT, "%.*s %s)", (int)strlen(unit) - 1, unit, by);
    else
        snprintf(buffer, KEEL_UNIT, "%.*s(%s %s)", (int)(below - unit), unit, below, by);
    return buffer;
}

/* unit / by; "" if one of them is not known. */
static const char *divide(const char *unit, const char *by, char buffer[KEEL_UNIT]) {
    const char *slash = strrchr(unit, '/');
    if (!unit[0] || !by[0])
        return "";
    if (strcmp(by, "1") == 0)
        return unit;
    if (strcmp(unit, by) == 0)
        return "1";
    if (strlen(unit) + strlen(by) + sizeof "/( )" > KEEL_UNIT)
        return "";
    if (slash)
        return raise_denominator(unit, slash, by, buffer);
    snprintf(buffer, KEEL_UNIT, strpbrk(by, " /") ? "%s/(%s)" : "%s/%s", unit, by);
    return buffer;
}

static const char *listed(const char *const *list, int i) {
    return list && list[i] ? list[i] : NULL;
}

static const char *time_of(const keel_system *system) {
    return system->units.time ? system->units.time : "s";
}

static const char *velocity(const keel_system *system, int i, char buffer[KEEL_UNIT]) {
    const char *own = listed(system->units.v, i);
    const char *q = system->kinematics ? NULL : listed(system->units.q, i);
    return own ? own : q ? divide(q, time_of(system), buffer) : "";
}

static const char *rate_of(const keel_system *system, const char *unit, char buffer[KEEL_UNIT]) {
    char copy[KEEL_UNIT];
    snprintf(copy, sizeof copy, "%s", unit); /* it may stand in the buffer */
    const char *rate = divide(copy, time_of(system), buffer);
    if (rate != copy)
        return rate;
    memcpy(buffer, copy, sizeof copy);
    return buffer;
}

/* lambda_i Phi_i is an energy, lambda_i Psi_i a power. */
static const char *multiplier(const keel_system *system, int i, char buffer[KEEL_UNIT]) {
    static const char *const SI[][3] = {{"m", "m/s", "N"}, {"rad", "rad/s", "N m"}};
    const char *own = listed(system->units.multiplier, i), *row = listed(system->units.constraint, i);
    const char *energy = system->units.energy;
    bool rate = i >= system->n_h;
    if (own || !energy || !row)
        return own ? own : "";
    if (strcmp(energy, "J") == 0 && strcmp(time_of(system), "s") == 0)
        for (int k = 0; k < 2; k++)
            if (strcmp(SI[k][rate], row) == 0)
                return SI[k][2];
    return rate ? "" : divide(energy, row, buffer);
}

const char *keel_system_unit(const keel_system *system, keel_unit_of of, int i, char buffer[KEEL_UNIT]) {
    if (!system || !buffer)
        return "";
    const char *const *const lists[] = {
        [KEEL_UNIT_Q] = system->units.q,           [KEEL_UNIT_Z] = system->units.z,
        [KEEL_UNIT_S] = system->units.s,           [KEEL_UNIT_CONSTRAINT] = system->units.constraint,
        [KEEL_UNIT_OUTPUT] = system->units.output,
    };
    const char *unit = NULL;
    switch (of) {
    case KEEL_UNIT_TIME:
        return time_of(system);
    case KEEL_UNIT_ENERGY:
        unit = system->units.energy;
        break;
    case KEEL_UNIT_LENGTH:
        unit = system->units.length;
        break;
    case KEEL_UNIT_V:
        return velocity(system, i, buffer);
    case KEEL_UNIT_V_RATE:
        return rate_of(system, velocity(system, i, buffer), buffer);
    case KEEL_UNIT_MULTIPLIER:
        return multiplier(system, i, buffer);
    case KEEL_UNIT_RATE:
        unit = listed(system->units.constraint, i);
        return !unit ? "" : i < system->n_h ? rate_of(system, unit, buffer) : unit;
    case KEEL_UNIT_Q:
    case KEEL_UNIT_Z:
    case KEEL_UNIT_S:
    case KEEL_UNIT_CONSTRAINT:
    case KEEL_UNIT_OUTPUT:
        unit = listed(lists[of], i);
    }
    return unit ? unit : "";
}
