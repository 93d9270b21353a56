#include "cases.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void cases_add(cases *to, const char *problem, const char *method, int loosest, int tightest) {
    if (to->count == CASES_MAX)
        abort();
    bench_case *added = &to->list[to->count++];
    *added = (bench_case){problem, method, "tol", {0}};
    for (int i = loosest, k = 0; i <= tightest && k < BENCH_LADDER_MAX - 1; i++, k++)
        added->ladder[k] = pow(10, -i);
}

void cases_separate_output(void) {
    int kept = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    FILE *out = kept >= 0 ? fdopen(kept, "w") : NULL;
    if (out && nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0)
        stdout = out;
}
