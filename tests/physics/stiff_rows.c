/* Rows between the steps of implicit methods, where forces are stiffness times displacements far below the
 * tolerance: multipliers are as exact there as at the ends of steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

enum { MOST_ROWS = 600 };

typedef struct history {
    double lambda[MOST_ROWS];
    int count;
} history;

static keel_status note(void *user, const keel_row *row) {
    history *h = user;
    assert_true(h->count < MOST_ROWS);
    h->lambda[h->count++] = row->lambda[0];
    return KEEL_OK;
}

static history rows_of(const char *model, const char *method, double tolerance) {
    history h = {.count = 0};
    keel_observer observer = {.user = &h, .row = note};
    trial t = trial_of(model, method);
    t.settings.tolerance = tolerance;
    t.settings.until = 5;
    trial_run(&t, &observer);
    trial_expect_ok(&t);
    trial_end(&t);
    return h;
}

/* Largest difference of any row, relative to the largest value; the first rows have the answer to the start.
 */
static double apart(const history *a, const history *b) {
    double most = 0, size = 0;
    assert_int_equal(a->count, b->count);
    for (int i = 1; i < a->count; i++) {
        most = fmax(most, fabs(a->lambda[i] - b->lambda[i]));
        size = fmax(size, fabs(b->lambda[i]));
    }
    return most / size;
}

/* A pendulum whose pin sits in a bushing that rotates with a second body, and one on the ground. */
static const char SWINGING_BUSHING[] = "keel: 1\n"
                                       "parameters: {k: 3e7, d: 4e3}\n"
                                       "equations:\n"
                                       "  coordinates: {x: 1, y: 0.2, px: 0, py: 0, u: 0}\n"
                                       "  velocities: {x: 0, y: 0, px: 0, py: 0, u: 0.3}\n"
                                       "  kinetic: (x'^2 + y'^2)/2 + 0.01*(px'^2 + py'^2)/2 + 2*u'^2\n"
                                       "  potential: 9.81*(y + 0.01*py) + k*((px - u)^2 + py^2)/2 + 20*u^2\n"
                                       "  forces: {px: -d*(px' - u'), py: -d*py', u: d*(px' - u')}\n"
                                       "  holonomic: {rod: (x - px)^2 + (y - py)^2 - 1.04}\n"
                                       "simulate: {until: 5, output: 0.0137}\n";

/* Steps of bdf themselves miss by more than the tolerance where their history is older than a stiff part is
 * quick. Of the light pin the tightest tolerance is left out: what projection loads its bushing with is 1e-7
 * of the force. */
static void multipliers_in_rows(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double times;
    } METHODS[] = {{"radau5", 10}, {"radau9", 10}, {"auto", 10}, {"bdf", 200}};
    const char *const MODELS[] = {"stiff_spring", SWINGING_BUSHING};
    for (int m = 0; m < 2; m++) {
        history exact = rows_of(MODELS[m], "radau9", 1e-12);
        for (unsigned k = 0; k < sizeof METHODS / sizeof *METHODS; k++)
            for (double tolerance = 1e-4; tolerance > (m ? 1e-7 : 1e-9); tolerance *= 1e-2) {
                history h = rows_of(MODELS[m], METHODS[k].method, tolerance);
                double off = apart(&h, &exact);
                print_message("%s %s at %.0e: %.1e\n", m ? "swinging bushing" : MODELS[m], METHODS[k].method,
                              tolerance, off);
                assert_true(off <= METHODS[k].times * tolerance);
            }
    }
}

/* The largest difference of rows of q from those of dop853, which needs no follower. */
typedef struct places {
    double q[MOST_ROWS];
    int count;
} places;

static keel_status note_place(void *user, const keel_row *row) {
    places *p = user;
    assert_true(p->count < MOST_ROWS);
    p->q[p->count++] = row->q[0];
    return KEEL_OK;
}

/* Steps straddle singular poses; a step to a row that ends next to one may go another way, which is seen. */
static void rows_stay_on_their_branch(void **state) {
    (void)state;
    static const char *const METHODS[] = {"dop853", "radau9"};
    static places of[2];
    double most = 0, size = 0;
    for (int i = 0; i < 2; i++) {
        keel_observer observer = {.user = &of[i], .row = note_place};
        trial t = trial_of("wishbone", METHODS[i]);
        t.settings.tolerance = i ? 1e-4 : 1e-10;
        of[i].count = 0;
        trial_run(&t, &observer);
        trial_expect_ok(&t);
        trial_end(&t);
    }
    assert_int_equal(of[0].count, of[1].count);
    for (int i = 0; i < of[0].count; i++) {
        most = fmax(most, fabs(of[0].q[i] - of[1].q[i]));
        size = fmax(size, fabs(of[0].q[i]));
    }
    print_message("wishbone: rows off by %.1e of their size\n", most / size);
    assert_true(most < 1e-3 * size);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(multipliers_in_rows),
                                       cmocka_unit_test(rows_stay_on_their_branch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
