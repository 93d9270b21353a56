/* The models that come with Keel: tangent, rate_q and derivatives of invariants against differences at random
 * points. */
#include "equations_tangent.h"

#include "keel/modelfile.h"

static void check_model(const char *name, const char *N) {
    char path[1024];
    snprintf(path, sizeof path, "%s/models/%s.yaml", KEEL_SOURCE_DIR, name);
    keel_assignment set = {"N", N};
    keel_status status;
    keel_model *read = keel_model_read(path, &set, N != NULL, NULL, &status);
    assert_non_null(read);
    model m = {.system = read->system, .at = read->start};
    equip(&m);
    uint64_t seed = 31;
    for (int trial = 0; trial < 3; trial++) {
        any_point(&m, &seed);
        check_against_differences(&m, 1e-8);
    }
    strip(&m);
    keel_model_free(read);
}

static void shipped_models(void **state) {
    (void)state;
    check_model("andrews", NULL);
    check_model("snakeboard", NULL);
    check_model("slider_crank", NULL);
    check_model("four_bars", "5");
    check_model("chain", "8");
    check_model("car_axis", NULL);
    check_model("two_link", NULL);
    check_model("knife_edge", NULL);
    check_model("constant_speed", NULL);
    check_model("circular_track", NULL);
    check_model("kepler", NULL);
    check_model("truck", NULL);
    check_model("flexible_crank", NULL);
    check_model("insulator_chain", NULL);
    check_model("stiff_spring", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shipped_models)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
