#!/bin/sh
# How far two builds of Keel agree: every model is run by several methods with both, and all rows are compared.
#
#   scripts/compare-builds.sh KEEL_A KEEL_B [MODEL...]
#
# CODE=tape: with the formulas that Keel writes for long runs. A build may be a command of several words, such as
# "qemu-aarch64 -L ROOT build/keel". For each run a line: how many of its
# numbers are the same bit for bit, and the largest difference over the largest number of its column (a millionth of the
# largest number of all, where a column is next to zero); at the end the sums.
set -eu
a=$1
b=$2
shift 2
source=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- "$source"/models/*.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
methods="dopri5 radau5 adams bdf"
tolerance=1e-6
code=${CODE:-auto}

run() {
    # shellcheck disable=SC2086  # several words
    timeout 60 $1 run "$2" --method $3 --tol $tolerance --until 0.1 --option output=0.01 --option code=$code -o "$4" >/dev/null 2>&1 </dev/null || true
}

for model; do
    for method in $methods; do
        rm -f "$work"/*.csv
        run "$a" "$model" "$method" "$work/a.csv"
        run "$b" "$model" "$method" "$work/b.csv"
        [ -s "$work/a.csv" ] || continue
        [ -s "$work/b.csv" ] || : >"$work/b.csv"
        awk -F, -v what="$(basename "$model" .yaml) $method" '
            FNR == 1 {
                for (i = 1; i <= NF; i++)
                    counts[i] = $i !~ /violation|energy|drift/
                columns = NF
                next
            }
            FNR == NR {
                for (i = 1; i <= NF; i++) {
                    first[FNR, i] = $i
                    size[i] = $i < 0 ? (-$i > size[i] ? -$i : size[i]) : ($i > size[i] ? $i : size[i])
                    largest = counts[i] && size[i] > largest ? size[i] : largest
                }
                rows = FNR
                next
            }
            {
                for (i = 1; i <= NF; i++) {
                    numbers++
                    same += first[FNR, i] == $i ""
                    d = first[FNR, i] - $i
                    d = d < 0 ? -d : d
                    scale = size[i] > 1e-6 * largest ? size[i] : 1e-6 * largest
                    if (counts[i] && scale > 0 && d / scale > most)
                        most = d / scale
                }
                others = FNR
            }
            END {printf "%-40s rows %d %d  same %d of %d  differ %.1e\n", what, rows - 1, others - 1, same, numbers, most}' \
            "$work/a.csv" "$work/b.csv"
    done
done | awk '{print; same += $7; all += $9; whole += $7 == $9; runs++; d[runs] = $11; if ($4 != $5) unlike++}
    END {
        for (i = 1; i <= runs; i++)
            for (k = 1e-12; k <= 1.1e-3; k *= 1e3)
                below[sprintf("%.0e", k)] += d[i] <= k
        printf "%d runs: %d the same bit for bit, %d of other length; %d of %d numbers the same\n", runs, whole, unlike, same, all
        printf "differences within 1e-12: %d, 1e-9: %d, 1e-6: %d, 1e-3: %d\n", below["1e-12"], below["1e-09"], below["1e-06"], below["1e-03"]
    }'
