/* verdict.h - how a run went, as the page tells it: verdict, table of facts, events. */
#ifndef KI_VERDICT_H
#define KI_VERDICT_H

#include "results/json.h"
#include "results/record.h"

/* How large the energies of a run are: the largest kinetic energy of the points that it was shown. The total
 * energy is no measure, since it may be zero. Rows between the steps are interpolated, so that the energy may
 * be less exact there. */
typedef struct ki_energy_scale {
    const keel_system *system;
    void *work;
    double *M;
    double kinetic;
    double row_drift; /* largest |energy drift| of the rows */
} ki_energy_scale;

keel_status ki_energy_scale_init(ki_energy_scale *scale, const keel_system *system);
void ki_energy_scale_show(ki_energy_scale *scale, const keel_point *at);
void ki_energy_scale_clear(ki_energy_scale *scale);

/* How a number that should be small is spoken of. */
typedef enum ki_hold {
    KI_HELD,  /* at most as large as what it is compared with            */
    KI_OFF,   /* larger                                                  */
    KI_BEYOND /* so large that it means nothing any more, or no number   */
} ki_hold;
ki_hold ki_hold_of(double relative);

/* Members "finished", "worst", "verdict", "notes", "events" and "facts" of the object that is open, from the
 * result of a run. The list of facts is left open for more. */
void ki_write_verdict(ki_json *json, const keel_system *system, const keel_result *result,
                      const char *message, const ki_energy_scale *scale);

/* The same from the columns of a file alone. `until`: the end time that the model asks for, NULL if it is not
 * known; `kinetic`: the largest kinetic energy, 0 if it is not known. */
void ki_write_verdict_of_rows(ki_json *json, const keel_record *record, const double *until, double kinetic);

/* Largest |value| of the column of that name; NaN: there is none. */
double ki_record_largest(const keel_record *record, const char *name);

/* The same from a text that ki_verdict_text made; false if it is none. */
bool ki_write_stored_verdict(ki_json *json, const char *text);

/* The fact how many rows there are, and how many are shown. */
void ki_write_rows(ki_json *json, long rows, long shown);

/* The members without the braces around them as a text that is complete; free it. NULL when out of memory. */
char *ki_verdict_text(const keel_system *system, const keel_result *result, const char *message,
                      const ki_energy_scale *scale);

#endif
