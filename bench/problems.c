#include "problems.h"

#include <string.h>

#define ANGLES      "beta Theta gamma Phi delta Omega epsilon"
#define ANGLE_RATES "beta' Theta' gamma' Phi' delta' Omega' epsilon'"
#define FOUR_BARS(N, TIGHTEST)                                                                               \
    {                                                                                                        \
        .name = "fourbar-" #N, .title = "four-bar windows, N = " #N ", 10 s", .model = "a02_four_bars.yaml", \
        .set = "N=" #N, .until = 10, .q = "B0.x B0.y BN.x BN.y", .v = "B0.vx B0.vy BN.vx BN.vy",             \
        .tightest = TIGHTEST                                                                                 \
    }
#define CHAIN(N, TIGHTEST)                                                                                   \
    {                                                                                                        \
        .name = "chain-" #N, .title = "chain of " #N " rods of 1 m and 1 kg, 1 s",                           \
        .model = "chain_bodies.yaml", .set = "N=" #N " l=1 m=1", .until = 1,                                 \
        .q = "tip_x tip_y middle_x middle_y", .v = "tip_vx tip_vy middle_vx middle_vy", .tightest = TIGHTEST \
    }
#define PENDULUM(T)                                                                                          \
    {                                                                                                        \
        .name = "pendulum-" #T, .title = "pendulum in Cartesian coordinates, " #T " s",                      \
        .model = "pendulum.yaml", .set = "", .until = T, .q = "x y", .v = "x' y'", .tightest = 1e-12         \
    }

const bench_problem BENCH_PROBLEMS[] = {
    {.name = "andrews",
     .title = "Andrews' squeezing mechanism as equations, 0.03 s",
     .model = "andrews.yaml",
     .set = "",
     .until = 0.03,
     .q = ANGLES,
     .v = ANGLE_RATES,
     .tightest = 1e-12},
    {.name = "a03",
     .title = "Andrews' squeezing mechanism as bodies (A03), 0.05 s",
     .model = "a03_andrews.yaml",
     .set = "",
     .until = 0.05,
     .q = "beta gamma delta epsilon",
     .v = "beta_rate gamma_rate delta_rate epsilon_rate",
     .tightest = 1e-12},
    FOUR_BARS(1, 1e-12),
    FOUR_BARS(2, 1e-12),
    FOUR_BARS(10, 1e-12),
    FOUR_BARS(40, 1e-11),
    FOUR_BARS(100, 1e-10),
    FOUR_BARS(400, 1e-11),
    FOUR_BARS(1000, 1e-11),
    {.name = "bricard",
     .title = "Bricard's linkage (A04), 10 s",
     .model = "a04_bricard.yaml",
     .set = "",
     .until = 10,
     .q = "x y z",
     .v = "vx vy vz",
     .tightest = 1e-12},
    {.name = "governor",
     .title = "stiff flyball governor (A05), 10 s",
     .model = "a05_governor.yaml",
     .set = "",
     .until = 10,
     .q = "s shaft",
     .v = "s_rate speed",
     .stiff = 1,
     .tightest = 1e-11},
    {.name = "slidercrank",
     .title = "spatial slider-crank, 5 s",
     .model = "slider_crank_3d.yaml",
     .set = "",
     .until = 5,
     .q = "x angle",
     .v = "x_rate angle_rate",
     .tightest = 1e-12},
    CHAIN(10, 1e-12),
    CHAIN(100, 1e-12),
    CHAIN(1000, 1e-11),
    CHAIN(10000, 1e-8),
    PENDULUM(10),
    PENDULUM(100),
    {.name = "caraxis",
     .title = "car axis, 3 s",
     .model = "car_axis.yaml",
     .set = "",
     .until = 3,
     .q = "xl yl xr yr",
     .v = "xl' yl' xr' yr'",
     .tightest = 1e-12},
    {.name = "flexcrank",
     .title = "slider crank with a flexible rod, 0.1 s",
     .model = "flexible_crank.yaml",
     .set = "",
     .until = 0.1,
     .q = "phi1 phi2 x3 q1 q2 q3 q4",
     .v = "phi1' phi2' x3' q1' q2' q3' q4'",
     .stiff = 1,
     .tightest = 1e-12},
    {.name = "stewart",
     .title = "Stewart platform on springs, 2 s",
     .model = "stewart_springs.yaml",
     .set = "",
     .until = 2,
     .q = "x y z",
     .v = "vx vy vz",
     .tightest = 1e-12},
};

const int BENCH_PROBLEM_COUNT = sizeof BENCH_PROBLEMS / sizeof *BENCH_PROBLEMS;

const bench_problem *bench_find_problem(const char *name) {
    for (int i = 0; i < BENCH_PROBLEM_COUNT; i++)
        if (strcmp(BENCH_PROBLEMS[i].name, name) == 0)
            return &BENCH_PROBLEMS[i];
    return NULL;
}
