#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "keel/results.h"
#include "keel/verify.h"
#include "results/code.h"
#include "results/verdict.h"
#include "run/columns.h"

/* More components than this are not listed: the rows and the summary have them all. */
enum { LISTED = 12 };

/* "  label        " in front of a line of facts. */
static void label(FILE *file, const char *text) {
    fprintf(file, "  %-13s", text);
}

/* "3.3e-16 (worst: rod of joint crank)" */
static void write_worst(FILE *file, const keel_system *system, const keel_violation *violation) {
    char buffer[32];
    const char *name = ki_worst_name(system, violation, buffer);
    fprintf(file, "%.2g", violation->max);
    if (!name)
        return;
    const char *joint = system->names.joint ? system->names.joint[violation->worst] : NULL;
    fprintf(file, " (worst: %s%s%s)", name, joint ? " of joint " : "", joint ? joint : "");
}

/* The first line: did it go well, and how well were the constraints held. */
static void write_verdict(FILE *file, const char *model_name, const keel_system *system,
                          const keel_result *result) {
    fprintf(file, "%s: ", model_name ? model_name : "model");
    if (result->status != KEEL_OK)
        fprintf(file, "%s", keel_status_text(result->status));
    if (!result->final) {
        fprintf(file, "\n");
        return;
    }
    fprintf(file, "%s t = %.10g", result->status == KEEL_OK ? "reached" : " at", result->final->t);
    if (keel_system_m(system) == 0) {
        fprintf(file, ", no constraints\n");
        return;
    }
    static const char *const WORDS[] = {[KI_HELD] = "held to ",
                                        [KI_OFF] = "not held: off by ",
                                        [KI_BEYOND] = "not held: the numbers grew beyond use: "};
    const keel_violation *violation = system->n_h ? &result->position : &result->velocity;
    fprintf(file, ", constraints %s", WORDS[ki_hold_of(violation->max_scaled)]);
    write_worst(file, system, violation);
    fprintf(file, "\n");
}

/* What was promised and broken, each a line. */
static void write_broken(FILE *file, const keel_run_verdict *verdict) {
    for (int i = KEEL_CHECK_POSITIONS; i < KEEL_CHECKS; i++) {
        if (!verdict->check[i].made || verdict->check[i].ok)
            continue;
        label(file, "broken");
        fprintf(file, "%s\n", verdict->check[i].text);
    }
}

/* How sure the run is. */
static void write_verification(FILE *file, const keel_system *system, const keel_verification *found) {
    char method[64], buffer[64];
    if (!found)
        return;
    label(file, "verified");
    if (found->verified)
        fprintf(file, "coordinates to %.1e, velocities to %.1e of the largest, by auto and %s at %.0e\n",
                found->largest_q, found->largest_v, keel_method_text(found->method[1], method),
                found->tolerance);
    else
        fprintf(file, "no: %s\n", found->reason);
    if (found->verified && found->reason[0]) {
        label(file, "");
        fprintf(file, "%s\n", found->reason);
    }
    if (!found->parted)
        return;
    label(file, "");
    fprintf(file, "the motions part at t = %.6g, first in '%s': ", found->parted_time,
            keel_verification_parted_in(system, found, buffer));
    if (found->growth_time > 0)
        fprintf(file, "their difference grew tenfold in %.3g, the motion is sensitive\n", found->growth_time);
    else
        fprintf(file, "all at once, as where branches meet or a switch is missed\n");
}

static void write_level(FILE *file, const char *name, const keel_system *system,
                        const keel_violation *violation) {
    label(file, name);
    write_worst(file, system, violation);
    if (violation->worst >= 0)
        fprintf(file, " at t = %.6g", violation->time);
    fprintf(file, "; %.2g at the end\n", violation->final);
}

static void write_violations(FILE *file, const keel_system *system, const keel_result *result) {
    if (system->n_h)
        write_level(file, "position", system, &result->position);
    if (keel_system_m(system))
        write_level(file, "velocity", system, &result->velocity);
    if (result->rank >= 0 && result->rank < keel_system_m(system)) {
        label(file, "rank");
        fprintf(file, "%d of %d constraints are independent; 'keel check' names the others\n", result->rank,
                keel_system_m(system));
    }
}

/* How far the constraints that are not held follow those that are. */
static void write_repeated(FILE *file, const keel_system *system, const keel_result *result) {
    char buffer[32], unit_buffer[KEEL_UNIT];
    const keel_violation *repeated = &result->repeated;
    if (result->repeated_count == 0)
        return;
    const char *name = ki_worst_name(system, repeated, buffer);
    bool one = result->repeated_count == 1;
    label(file, "repeated");
    fprintf(file, "%d constraint%s follow%s others", result->repeated_count, one ? "" : "s", one ? "s" : "");
    if (name) {
        const char *joint = system->names.joint ? system->names.joint[repeated->worst] : NULL;
        const char *unit = keel_system_unit(system, KEEL_UNIT_CONSTRAINT, repeated->worst, unit_buffer);
        if (repeated->max == 0)
            fprintf(file, " exactly");
        else
            fprintf(file, ", to %.2g%s%s", repeated->max, *unit && strcmp(unit, "1") != 0 ? " " : "",
                    strcmp(unit, "1") != 0 ? unit : "");
        if (repeated->max > 0)
            fprintf(file, " (worst: %s%s%s) at t = %.6g", name, joint ? " of joint " : "", joint ? joint : "",
                    repeated->time);
    }
    fprintf(file, "\n");
}

/* "rod, copy, ... and 3 more" of what is marked; returns how many there are */
static int write_marked(FILE *file, const keel_system *system, keel_name_of of, const int *mark, int n) {
    char buffer[32];
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (!mark[i] || count++ >= LISTED)
            continue;
        if (count == 1)
            label(file, "shared");
        fprintf(file, "%s%s", count > 1 ? ", " : "", keel_system_name(system, of, i, buffer));
    }
    if (count > LISTED)
        fprintf(file, ", ... and %d more", count - LISTED);
    return count;
}

static void write_shared(FILE *file, const keel_system *system, const keel_result *result) {
    int m = result->shared ? keel_system_m(system) : 0;
    if (write_marked(file, system, KEEL_NAME_CONSTRAINT, result->shared, m))
        fprintf(file, ": multipliers not unique, those of least norm are given\n");
    int outputs = result->output_shared ? system->n_outputs : 0;
    if (write_marked(file, system, KEEL_NAME_OUTPUT, result->output_shared, outputs))
        fprintf(file, ": outputs that depend on how shared multipliers are shared\n");
}

static void write_gap(FILE *file, const keel_result *result) {
    if (!ki_gap_is_known(result))
        return;
    label(file, "gap");
    fprintf(file, "smallest %.2g at t = %.6g (0: singular pose)\n", result->gap_smallest, result->gap_time);
}

static void write_correction(FILE *file, const keel_result *result) {
    if (result->correction_position == 0 && result->correction_velocity == 0)
        return;
    label(file, "correction");
    fprintf(file, "position %.2g, velocity %.2g in a step (mass norm, root mean square)\n",
            result->correction_position, result->correction_velocity);
}

static void write_events(FILE *file, const keel_result *result) {
    int listed = result->event_count < LISTED ? result->event_count : LISTED;
    long more = result->event_count - listed + result->events_dropped;
    for (int i = 0; i < listed; i++) {
        label(file, i ? "" : "events");
        fprintf(file, "t = %.6g: %s\n", result->events[i].t, result->events[i].text);
    }
    if (more) {
        label(file, "");
        fprintf(file, "... and %ld more\n", more);
    }
}

static void write_start(FILE *file, const keel_result *result) {
    if (result->start_position_moved <= 0 && result->start_velocity_moved <= 0)
        return;
    label(file, "start");
    fprintf(file, "made consistent:");
    if (result->start_position_moved > 0)
        fprintf(file, " coordinates moved by up to %.2g", result->start_position_moved);
    if (result->start_velocity_moved > 0)
        fprintf(file, "%s velocities moved by up to %.2g", result->start_position_moved > 0 ? "," : "",
                result->start_velocity_moved);
    fprintf(file, "\n");
}

static void write_energy(FILE *file, const keel_result *result) {
    label(file, "energy");
    if (result->has_energy && !isfinite(result->energy_final))
        fprintf(file, "%.10g at the start, too large for a number at the end\n", result->energy_initial);
    else if (result->has_energy)
        fprintf(file, "%.10g at the start, %.10g at the end; drift %.2g, at most %.2g at the steps\n",
                result->energy_initial, result->energy_final, result->energy_drift, result->energy_drift_max);
    else
        fprintf(file, "not known to the model\n");
}

/* Only where the stabiliser changed the energy at all, and the energy is still one. */
static void write_audit(FILE *file, const keel_result *result) {
    bool touched = result->audit.projection != 0 || result->gains + result->losses > 0;
    if (!result->has_energy || !touched || !isfinite(result->audit.integrator + result->audit.projection))
        return;
    label(file, "audit");
    fprintf(file, "integrator %.2g, projection %.2g; it added energy in %ld steps, took some in %ld\n",
            result->audit.integrator, result->audit.projection, result->gains, result->losses);
}

static void write_invariants(FILE *file, const keel_system *system, const keel_result *result) {
    char buffer[32];
    for (int i = 0; result->invariants && i < system->n_i; i++) {
        const keel_invariant *invariant = &result->invariants[i];
        label(file, i ? "" : "invariants");
        fprintf(file, "%s = %.10g; drift %.2g, at most %.2g at the steps\n",
                keel_system_name(system, KEEL_NAME_INVARIANT, i, buffer), invariant->initial,
                invariant->drift, invariant->drift_max);
    }
}

static void write_work(FILE *file, const keel_result *result) {
    const keel_counts *count = &result->count;
    char method[64];
    label(file, "method");
    fprintf(file, "%s\n", keel_method_text(result->method, method));
    if (result->method_reason) {
        label(file, "");
        fprintf(file, "chosen by auto: %s\n", result->method_reason);
    }
    const char *code = ki_code_of(result);
    if (code) {
        label(file, "code");
        fprintf(file, "%s\n", strcmp(code, "native") ? code : "native, compiled from the formulas");
    }
    label(file, "work");
    fprintf(file, "%ld steps, %ld rejected, %ld evaluations, ", count->steps, count->rejected,
            count->evaluations);
    if (count->jacobians)
        fprintf(file, "%ld Jacobians, ", count->jacobians);
    if (count->switches)
        fprintf(file, "%ld switches, ", count->switches);
    fprintf(file, "%ld factorizations (%.2f a step), %.3g s\n", count->factorizations,
            ki_factorizations_per_step(count), result->cpu_seconds);
}

/* Width of the longest of the first `count` names. */
static int name_width(const keel_system *system, keel_name_of of, int count) {
    char buffer[32];
    int width = 0;
    for (int i = 0; i < count; i++) {
        int length = (int)strlen(keel_system_name(system, of, i, buffer));
        width = length > width ? length : width;
    }
    return width;
}

/* A value, and what it may be off by (NULL: nobody knows). */
static void write_value(FILE *file, double value, int width, const double *error) {
    if (!isfinite(value))
        fprintf(file, "%-*s", width, " no finite number");
    else if (error && isfinite(*error))
        fprintf(file, "% -*.14g ± %.1e", width, value, *error);
    else
        fprintf(file, "% -*.14g", width, value);
}

/* Values of a kind, with their rates beside them or NULL, and the errors of both or NULL. */
typedef struct listing {
    keel_name_of of;
    int count;
    const double *values, *rates, *errors, *rate_errors;
} listing;

static void write_values(FILE *file, const keel_system *system, const listing *l) {
    char buffer[32];
    int listed = l->count < LISTED ? l->count : LISTED, width = name_width(system, l->of, listed);
    for (int i = 0; i < listed; i++) {
        const char *name = keel_system_name(system, l->of, i, buffer);
        fprintf(file, "    %-*s = ", width, name);
        write_value(file, l->values[i], l->rates ? 22 : 0, l->errors ? l->errors + i : NULL);
        if (l->rates) {
            fprintf(file, "  %s'%*s = ", name, width - (int)strlen(name), "");
            write_value(file, l->rates[i], 0, l->rate_errors ? l->rate_errors + i : NULL);
        }
        fprintf(file, "\n");
    }
    if (listed < l->count)
        fprintf(file, "    ... and %d more\n", l->count - listed);
}

static void write_final(FILE *file, const keel_system *sys, const keel_result *result) {
    const keel_state *final = result->final;
    const keel_verification *found = result->verification;
    keel_errors e = found && found->verified ? found->final : (keel_errors){0};
    bool rate = ki_velocity_is_rate(sys);
    fprintf(file, "  at t = %.10g\n", final->t);
    write_values(file, sys, &(listing){KEEL_NAME_Q, sys->n_q, final->q, rate ? final->v : NULL, e.q, e.v});
    if (!rate)
        write_values(file, sys, &(listing){KEEL_NAME_V, sys->n_v, final->v, NULL, e.v, NULL});
    write_values(file, sys, &(listing){KEEL_NAME_Z, sys->n_z, final->z, NULL, e.z, NULL});
    write_values(file, sys, &(listing){KEEL_NAME_S, sys->n_s, final->s, NULL, NULL, NULL});
    if (result->outputs)
        write_values(file, sys,
                     &(listing){KEEL_NAME_OUTPUT, sys->n_outputs, result->outputs, NULL, e.outputs, NULL});
}

keel_status keel_report_write(FILE *file, const char *model_name, const keel_system *system,
                              const keel_result *result) {
    if (!file || !system || !result)
        return KEEL_ERROR_INPUT;
    write_verdict(file, model_name, system, result);
    if (result->final) {
        write_broken(file, &result->verdict);
        write_verification(file, system, result->verification);
        write_start(file, result);
        write_violations(file, system, result);
        write_repeated(file, system, result);
        write_shared(file, system, result);
        write_gap(file, result);
        write_correction(file, result);
        write_energy(file, result);
        write_audit(file, result);
        write_invariants(file, system, result);
        write_events(file, result);
    }
    write_work(file, result);
    if (result->final)
        write_final(file, system, result);
    return ferror(file) ? KEEL_ERROR_IO : KEEL_OK;
}
