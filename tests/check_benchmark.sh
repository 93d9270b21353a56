#!/bin/sh
# check_benchmark.sh PROGRAMS: the benchmark with a solver that is a few lines of shell, so that every number of its
# tables is known: Keel's errors and times at two tolerances, those of a peer, and the verdicts made of them.
set -eu
programs=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "FAILED: $*"
    cat "$work"/out/*.md
    exit 1
}

# pendulum-10 ends where it began: q = 1, 0
mkdir "$work/solvers" # it makes its own directory
cat >"$work/solvers/solver_keel" <<'SOLVER'
#!/bin/sh
[ "$1" = list ] && echo 'pendulum-10 auto tol 0.01 0.0001' && exit
case $4 in
0.01*) time=0.001 q=1.001,0 ;;
*) time=0.002 q=1.0000000009,0 ;;
esac
echo "status=ok cpu=$time steps=10 evaluations=20 factorizations=20 position=1e-16 velocity=1e-16 energy=0 q=$q v=0,0"
SOLVER
cat >"$work/solvers/peer_slow" <<'SOLVER'
#!/bin/sh
[ "$1" = list ] && echo 'pendulum-10 steps h 0.1 0.01 0.001' && exit
case $4 in
0.1*) echo "status=ok cpu=0.003 steps=1 evaluations=1 factorizations=1 position=0.5 velocity=0 energy=0 q=1.001,0 v=0,0" ;;
0.01*) echo "status=failed why=it fell over" ;;
*) exit 1 ;;
esac
SOLVER
chmod +x "$work"/solvers/*

"$programs/bench_work_precision" -d "$work/solvers" -o "$work/out" >"$work/log" || fail "it ended with an error"
grep -q '^| keel | auto | 1 | 1.41 | 1.99 | 9.0e-10 | 1.0e-16 | 1.0e-16 | |$' "$work/out/work_precision.md" ||
    fail "times between two runs are on a line in logarithms"
grep -q '^| slow | steps | 3 | - | - | 1.0e-03 | 5.0e-01 | 0.0e+00 | 2 of 3 fail: it fell over |$' \
    "$work/out/work_precision.md" || fail "a solver that fails"
grep -q '^pendulum-10,slow,steps,h,0.01,failed,.*it fell over' "$work/out/work_precision.csv" || fail "the reason in the CSV"
grep -q 'keel-bench' "$work/out/work_precision.html" || fail "the page has the data"

# the real thing: Keel's own driver on a problem whose end is known
"$programs/solver_keel" list | grep -q '^andrews auto tol ' || fail "the driver offers its problems"
"$programs/solver_keel" run pendulum-10 auto 1e-8 1 | tr ' ,' '\n\n' >"$work/run"
grep -q '^status=ok$' "$work/run" || fail "the driver runs a problem"
awk -F= '$1 == "q" && ($2 - 1) ^ 2 < 1e-14 {found = 1} END {exit !found}' "$work/run" || fail "the pendulum is back"
if "$programs/solver_keel" run nonsense auto 1e-8 1 >/dev/null; then fail "an unknown problem"; fi
if "$programs/bench_work_precision" -d "$work/out" 2>/dev/null; then fail "no solvers"; fi
if "$programs/bench_work_precision" -d "$work/solvers" -o "$work/no/such" 2>"$work/log"; then fail "no place to write"; fi
grep -q 'no/such/work_precision.csv: No such file' "$work/log" || fail "the place that cannot be written is named"
