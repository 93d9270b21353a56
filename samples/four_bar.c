/* A crank-rocker four-bar built from bodies and joints in C: assembled from a rough drawing, driven at
 * constant speed, with the force in its joints.
 *
 * Ground pivots A (0, 0) and D (4, 0); crank AB 1 m, coupler BC 4 m, rocker DC 3 m. The drawing is off by
 * centimetres. The crank turns once in a second, so after a second the rocker must be where it began.
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static keel_diagnostics *messages;

/* A slender bar of 1 kg from a to b. */
static int add_bar(keel_mechanism *m, const char *name, const double a[2], const double b[2]) {
    keel_body bar = keel_body_default(name);
    double length = hypot(b[0] - a[0], b[1] - a[1]);
    bar.mass = 1;
    bar.centre[0] = (a[0] + b[0]) / 2, bar.centre[1] = (a[1] + b[1]) / 2;
    bar.inertia[2] = length * length / 12;
    return keel_mechanism_add_body(m, &bar, messages);
}

static int add_pin(keel_mechanism *m, const char *name, int body_0, int body_1, const double on_0[2],
                   const double on_1[2]) {
    keel_joint pin = keel_joint_default(name, "revolute", body_0, body_1);
    for (int i = 0; i < 2; i++)
        pin.at[0][i] = on_0[i], pin.at[1][i] = on_1[i];
    return keel_mechanism_add_joint(m, &pin, messages);
}

static int build(keel_compiled *compiled) {
    static const double A[2] = {0, 0}, B[2] = {0, 1}, D[2] = {4, 0};
    static const double C[2] = {3.2, 3.0}, C_drawn_twice[2] = {3.4, 2.9};
    static const double down[3] = {0, -9.81, 0};
    keel_mechanism *m = keel_mechanism_new();
    if (!m)
        return KEEL_ERROR_MEMORY;
    keel_mechanism_set_planar(m, 1);
    keel_mechanism_set_gravity(m, down);
    int crank = add_bar(m, "crank", A, B), coupler = add_bar(m, "coupler", B, C);
    int rocker = add_bar(m, "rocker", D, C_drawn_twice);
    add_pin(m, "A", KEEL_GROUND, crank, A, A);
    add_pin(m, "B", crank, coupler, B, B);
    add_pin(m, "C", coupler, rocker, C, C_drawn_twice); /* assembly closes it */
    add_pin(m, "D", KEEL_GROUND, rocker, D, D);
    keel_motion motor = {.name = "motor", .quantity = "A.angle", .speed = -2 * 3.14159265358979323846};
    keel_mechanism_add_motion(m, &motor, messages);
    keel_formula force = {.text = "C.reaction.force"}, angle = {.text = "D.angle"};
    keel_mechanism_add_output(m, "pin force", (keel_location){0}, force);
    keel_mechanism_add_output(m, "rocker angle", (keel_location){0}, angle);
    int status = keel_mechanism_compile(m, messages, compiled);
    keel_mechanism_free(m);
    return status;
}

int main(void) {
    keel_compiled four_bar = {0};
    keel_result result = {0};
    int good = 0;
    messages = keel_diagnostics_new();
    if (messages && build(&four_bar) == KEEL_OK &&
        keel_assemble_mechanism(&four_bar, 0, NULL, messages, NULL) == KEEL_OK) {
        keel_settings settings = keel_settings_default();
        settings.until = 1;
        settings.tolerance = 1e-10;
        double rocker_start = four_bar.start->q[0];
        for (int i = 0; i < four_bar.system->n_q; i++) /* the rocker's angle, whichever tree was chosen */
            rocker_start = four_bar.system->names.q[i][0] == 'D' ? four_bar.start->q[i] : rocker_start;
        if (keel_run(four_bar.system, four_bar.start, 1, &settings, NULL, messages, &result) == KEEL_OK) {
            double off = fabs(result.outputs[1] - rocker_start);
            printf("after one turn: force in C %.6f N, rocker off by %.1e rad, joints closed to %.1e m\n",
                   result.outputs[0], off, result.position.max);
            good = off < 1e-9 && result.position.max < 1e-12 && result.outputs[0] > 0;
        }
    }
    for (int i = 0; i < keel_diagnostics_count(messages); i++)
        printf("%s\n", keel_diagnostics_get(messages, i).text);
    keel_result_clear(&result);
    keel_compiled_clear(&four_bar);
    keel_diagnostics_free(messages);
    return good ? 0 : 1;
}
