#!/bin/sh
# Builds and runs the benchmarks one after the other. Nothing else should be running.
#
#   scripts/bench.sh BUILD_DIR ['PROBLEM ...']      all of them, or work against precision of these problems only
set -eu
build=$1
problem=${2:-}
results=$build/benchmark
mkdir -p "$results"

cmake --build "$build" --target solver_keel bench_work_precision bench_peers
if [ -n "$problem" ]; then
    "$build/bench/bench_work_precision" -d "$build/bench" -o "$results" --only "$problem" --instructions
    exit
fi

cmake --build "$build" --target bench_andrews bench_expr_andrews bench_method_table bench_mechanism_scaling \
    bench_saddle_small bench_saddle_chain bench_saddle_threshold
for part in andrews expr_andrews saddle_small saddle_chain saddle_threshold; do
    echo "== $part"
    "$build/bench/bench_$part"
done
if command -v valgrind >/dev/null; then
    echo "== mechanism_scaling: instructions of an evaluation, a factorization and a solve"
    bench/mechanism_scaling.sh "$build/bench/bench_mechanism_scaling" models
fi
echo "== work against precision (docs/benchmark.md); this takes the most of an hour"
"$build/bench/bench_work_precision" -d "$build/bench" -o "$results" --instructions
