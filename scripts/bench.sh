#!/bin/sh
# Builds and runs every program of bench/ in turn.
#
#   scripts/bench.sh BUILD_DIR
set -eu
build=$1
targets=$(cmake --build "$build" --target help | sed -n 's/^\(bench_[a-z0-9_]*\): phony$/\1/p')
[ -n "$targets" ] || { echo "no benchmarks in $build" >&2; exit 1; }
# shellcheck disable=SC2086  # a list of words
cmake --build "$build" --target $targets
for target in $targets; do
    echo "== $target"
    "$build/bench/$target"
done
