#!/bin/sh
# The cost of a factorization and a solve grows with the length of a chain, not faster: the number of instructions
# for 1000 and for 10000 bodies, counted by callgrind, gives an exponent of at most 1.1. Runs with different numbers
# of repetitions are subtracted from each other, so that the analysis does not count.
#
#   tests/check_linear_cost.sh PROGRAM      (bench_saddle_chain)
set -eu
program=$1
command -v valgrind >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# instructions of BODIES REPEATS
count() {
    valgrind --tool=callgrind --callgrind-out-file="$work/out" "$program" "$1" "$2" >/dev/null 2>"$work/log" || {
        cat "$work/log" >&2
        exit 1
    }
    sed -n 's/^summary: \([0-9]*\).*/\1/p' "$work/out"
}

small=$(($(count 1000 3) - $(count 1000 1)))
large=$(($(count 10000 3) - $(count 10000 1)))
awk -v small="$small" -v large="$large" 'BEGIN {
    exponent = log(large / small) / log(10)
    printf "two factorizations and solves: %d instructions for 1000 bodies, %d for 10000, exponent %.3f\n", small,
        large, exponent
    exit !(small > 0 && exponent <= 1.1)
}'
