#!/bin/sh
# Instructions of a step by each method for 100 to 2000 bodies, counted by callgrind (bench/scaling.c), and the exponent of
# their growth: a Markdown table for each mechanism.
#
#   bench/scaling.sh PROGRAM [METHOD...]      (bench_scaling; default: all methods)
#
# MODELS="chain_bodies a02_four_bars grid" says which mechanisms, SIZES their numbers N, STEPS how many are counted, KEPT=FILE keeps the counts of each size, and takes those
# that are there already: a long run can be gone on with.
set -eu
program=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kept=${KEPT:-$work/kept}
touch "$kept"

# lines "MODEL SIZE METHOD BODIES INSTRUCTIONS" of one size, an instruction count of - where a method went wrong
count() {
    model=$1 size=$2 file=$here/../models/$1.yaml set=N=$2
    shift 2
    if [ "$model" = grid ]; then
        file=$work/grid_$size.yaml set=
        sh "$here/generic/grid_30.sh" "$size" >"$file"
    fi
    mkdir -p "$work/dumps"
    valgrind --tool=callgrind --collect-atstart=no --instr-atstart=no --callgrind-out-file="$work/dumps/out" \
        "$program" -c "${STEPS:-10}" "$file" $set "$@" >"$work/said" 2>"$work/log" || {
        grep -v '^==' "$work/log" >&2
        exit 1
    }
    for dump in "$work"/dumps/out.*; do
        method=$(sed -n 's/^desc: Trigger: Client Request: //p' "$dump")
        [ -n "$method" ] || continue
        instructions=$(awk '/^(totals|summary):/ { print $2; exit }' "$dump")
        awk -v model="$model" -v size="$size" -v method="$method" -v n="$instructions" \
            '$1 == method && $2 != "-" { printf "%s %s %s %s %.0f\n", model, size, method, $2, n / $5 }' "$work/said"
    done
    awk -v model="$model" -v size="$size" '$2 == "-" { print model, size, $1, "-", "-" }' "$work/said"
    rm -r "$work/dumps"
}

# MODEL SIZE...: counts what is not kept
measure() {
    model=$1
    shift
    for size; do
        missing=
        for method in $methods; do
            grep -q "^$model $size $method " "$kept" || missing="$missing $method"
        done
        [ -z "$missing" ] || count "$model" "$size" $missing >>"$kept"
    done
}

# the table of a mechanism
write() {
    echo
    echo "## $1"
    echo
    awk -v model="$1" -v methods="$methods" '
        $1 == model { seen[$2] = 1; bodies[$2] = $4 != "-" ? $4 : bodies[$2]; cost[$3, $2] = $5 }
        END {
            sizes = 0
            for (size in seen) { order[++sizes] = size + 0 }
            for (i = 1; i <= sizes; i++) for (j = i + 1; j <= sizes; j++) if (order[j] < order[i]) { t = order[i]; order[i] = order[j]; order[j] = t }
            printf "| method |"
            for (i = 1; i <= sizes; i++) printf " %s bodies |", bodies[order[i]]
            printf " exponent |\n|---|"
            for (i = 0; i <= sizes; i++) printf "---|"
            printf "\n"
            count = split(methods, method, " ")
            for (k = 1; k <= count; k++) {
                printf "| %s |", method[k]
                for (i = 1; i <= sizes; i++) {
                    c = cost[method[k], order[i]]
                    printf((c + 0 > 0) ? " %.2f |" : " - |", c / 1e6)
                }
                a = cost[method[k], order[1]]; b = cost[method[k], order[sizes]]
                if (a + 0 > 0 && b + 0 > 0 && sizes > 1)
                    printf " %.2f |\n", log(b / a) / log(bodies[order[sizes]] / bodies[order[1]])
                else
                    printf " - |\n"
            }
        }' "$kept"
}

methods=${*:-$("$program" --methods)}
echo "# Instructions of a step"
echo
echo "Millions, counted by callgrind; \`make scaling\` writes this page, [scaling.md](scaling.md) tells what it means."
for model in ${MODELS:-chain_bodies a02_four_bars grid}; do
    case $model in
    chain_bodies) measure "$model" ${SIZES:-100 500 2000} ;;
    a02_four_bars) measure "$model" ${SIZES:-50 250 1000} ;;
    grid) measure "$model" ${SIZES:-8 16 33} ;;
    esac
    write "$model"
done
