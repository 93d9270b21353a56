#!/bin/sh
# The table of instructions: what models/ and the generic mechanisms of bench/generic/ cost to read, to make ready, to start and in
# each step, counted by callgrind (bench/instructions.c tells what each column is). Machine code is made for x86-64-v3 as the
# program is, because callgrind does not know what newer processors have.
#
#   bench/instructions.sh PROGRAM [-b BASELINE] [MODEL...]     (bench_instructions; names, default: all)
#
# With a baseline, a table that this script made before, a second table has the ratios now / then.
set -eu
program=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
baseline=
if [ "${1:-}" = -b ]; then
    baseline=$2
    shift 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#!/bin/sh\nexec cc "$@" -march=x86-64-v3\n' >"$work/cc"
chmod 700 "$work/cc"

# the file of a model, made first if it is a generator
file_of() {
    if [ -f "$here/../models/$1.yaml" ]; then
        echo "$here/../models/$1.yaml"
    elif [ -f "$here/generic/$1.sh" ]; then
        sh "$here/generic/$1.sh" >"$work/$1.yaml"
        echo "$work/$1.yaml"
    else
        echo "$here/generic/$1.yaml"
    fi
}

# lines "NAME VELOCITIES CONSTRAINTS PHASE STEPS EVALUATIONS INSTRUCTIONS" of a model
count() {
    mkdir "$work/dumps"
    if ! CC="$work/cc" KEEL_CACHE="$work/code" valgrind --tool=callgrind --collect-atstart=no --instr-atstart=no \
        --callgrind-out-file="$work/dumps/out" "$program" "$(file_of "$1")" "$1" >"$work/said" 2>"$work/log"; then
        echo "$1: $(grep -v '^==' "$work/log" | tail -1)" >&2
    fi
    for dump in "$work"/dumps/out.*; do
        [ -f "$dump" ] || continue
        phase=$(sed -n 's/^desc: Trigger: Client Request: //p' "$dump")
        [ -n "$phase" ] || continue
        instructions=$(awk '/^(totals|summary):/ { print $2; exit }' "$dump")
        awk -v phase="$phase" -v n="$instructions" '$1 == "phase" && $5 == phase { print $2, $3, $4, $5, $6, $7, n }' "$work/said"
    done
    rm -r "$work/dumps"
}

[ $# -gt 0 ] || set -- $(cd "$here" && for file in ../models/*.yaml generic/*; do basename "${file%.*}"; done)
for model; do
    count "$model"
done | awk '
    BEGIN {
        columns = split("read ready start run general recursion code", column, " ")
        printf "%-24s %5s %5s", "model", "n_v", "m"
        for (i = 1; i <= columns; i++) printf " %10s", column[i]
        printf " %6s\n", "evals"
    }
    function flush(    i) {
        if (last == "") return
        printf "%-24s %5d %5d", last, n_v, m
        for (i = 1; i <= columns; i++) printf column[i] in cost ? " %10.0f" : " %10s", column[i] in cost ? cost[column[i]] : "-"
        printf evaluations == "" ? " %6s\n" : " %6.2f\n", evaluations == "" ? "-" : evaluations
        fflush()
        split("", cost)
        evaluations = ""
    }
    $1 != last { flush(); last = $1; n_v = $2; m = $3 }
    $5 > 0 { cost[$4] = $7 / $5 }
    $4 == "general" && $5 > 0 { evaluations = $6 / $5 }
    END { flush() }' | tee "$work/table"
[ -z "$baseline" ] && exit
echo
echo "now / $(basename "$baseline")"
awk '
    FNR == 1 { files++ }
    FNR == 1 && files == 2 { print; next }
    files == 1 { for (i = 4; i <= 10; i++) then[$1, i] = $i; next }
    {
        printf "%-24s %5d %5d", $1, $2, $3
        for (i = 4; i <= 10; i++) {
            known = then[$1, i] + 0 != 0 && $i != "-"
            printf known ? " %10.3f" : " %10s", known ? $i / then[$1, i] : "-"
        }
        printf " %6s\n", $11
    }' "$baseline" "$work/table"
