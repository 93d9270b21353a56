#include "cases.h"

#include <math.h>
#include <stdlib.h>

void cases_add(cases *to, const char *problem, const char *method, int loosest, int tightest) {
    if (to->count == CASES_MAX)
        abort();
    bench_case *added = &to->list[to->count++];
    *added = (bench_case){problem, method, "tol", {0}};
    for (int i = loosest, k = 0; i <= tightest && k < BENCH_LADDER_MAX - 1; i++, k++)
        added->ladder[k] = pow(10, -i);
}
