/* A model file simulated from C: every output at every row, and how the run went. */
#include <keel/session.h>
#include <stdio.h>

int main(int argc, char **argv) {
    keel_diagnostics *log = keel_diagnostics_new();
    keel_model *model = keel_model_open(argc > 1 ? argv[1] : "models/four_bar.yaml", NULL, 0, log);
    keel_trajectory *run = keel_model_run(model, NULL, log);
    for (long row = 0; row < keel_trajectory_rows(run); row++)
        for (int column = 0; column < keel_trajectory_columns(run); column++)
            printf("%.17g%c", keel_trajectory_value(run, row, column),
                   column + 1 < keel_trajectory_columns(run) ? ',' : '\n');
    for (int i = 0; i < keel_diagnostics_count(log); i++)
        fprintf(stderr, "%s\n", keel_diagnostics_get(log, i).text);
    int failed = keel_trajectory_status(run) != KEEL_OK;
    keel_trajectory_free(run);
    keel_model_free(model);
    keel_diagnostics_free(log);
    return failed;
}
