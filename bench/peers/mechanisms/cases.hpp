// cases.hpp - the list of runs that a driver offers, and how it says that one failed.
#ifndef BENCH_CASES_HPP
#define BENCH_CASES_HPP

#include "../../driver.h"

#include <cstdio>
#include <vector>

namespace mech {

inline int failed(bench_result *result, const char *why) {
    std::snprintf(result->why, sizeof result->why, "%s", why);
    for (char *c = result->why; *c; c++)
        if (*c == '\n')
            *c = ' ';
    return 1;
}

class case_list {
  public:
    // values from `loosest`, divided by `factor`, while they are not below `tightest`
    void add(const char *problem, const char *method, const char *parameter, double loosest, double tightest,
             double factor) {
        bench_case one{problem, method, parameter, {}};
        double value = loosest;
        for (int i = 0; i < BENCH_LADDER_MAX && value > 0.99 * tightest; i++, value /= factor)
            one.ladder[i] = value;
        cases.push_back(one);
    }
    void tolerances(const char *problem, const char *method, double loosest, double tightest) {
        add(problem, method, "tol", loosest, tightest, 10);
    }
    void steps(const char *problem, const char *method, double largest, double least) {
        add(problem, method, "h", largest, least, 2);
    }
    int main(int argc, char **argv, int (*run)(const char *, const char *, double, bench_result *)) const {
        bench_solver solver{cases.data(), static_cast<int>(cases.size()), run};
        return bench_main(argc, argv, &solver);
    }

  private:
    std::vector<bench_case> cases;
};

} // namespace mech

#endif
