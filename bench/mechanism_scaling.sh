#!/bin/sh
# Instructions of one evaluation with factorization and solve, counted by callgrind, for mechanisms of 10 to 10000
# bodies, and the exponent of their growth. Runs with different numbers of
# repetitions are subtracted from each other, so that reading and analysis do not count.
#
#   bench/mechanism_scaling.sh PROGRAM [MODELS]      (bench_mechanism_scaling, models/)
set -eu
program=$1
models=${2:-$(dirname "$0")/../models}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# instructions of MODEL N REPEATS; what it printed stays in $work/said
count() {
    valgrind --tool=callgrind --callgrind-out-file="$work/out" "$program" "$models/$1.yaml" "$2" "$3" >"$work/said" \
        2>"$work/log" || {
        cat "$work/log" >&2
        exit 1
    }
    sed -n 's/^summary: \([0-9]*\).*/\1/p' "$work/out"
}

# MODEL N...
measure() {
    model=$1
    shift
    bodies_before=
    for n; do
        many=$(count "$model" "$n" 3)
        once=$(count "$model" "$n" 1)
        bodies=$(sed 's/ .*//' "$work/said")
        awk -v many="$many" -v once="$once" -v bodies="$bodies" -v before="${bodies_before:-0}" \
            -v last="${last:-0}" -v said="$(cat "$work/said")" -v model="$model" 'BEGIN {
            each = (many - once) / 2
            exponent = before > 0 ? sprintf("  exponent %.3f", log(each / last) / log(bodies / before)) : ""
            printf "%-14s %9.0f instructions, %5.0f a body%s  (%s)\n", model, each, each / bodies, exponent, said
        }'
        last=$(((many - once) / 2))
        bodies_before=$bodies
    done
}

measure chain_bodies 10 100 1000 10000
measure a02_four_bars 5 50 500 5000
