#!/bin/sh
# honest.sh KEEL [MODEL...]: errors of adaptive methods above 100 times their tolerance, with the reason that 'keel compare'
# gives. Fails where the reason is the method's own error control.
set -eu
keel=$1
shift
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- models/*.yaml
table=$(mktemp)
trap 'rm -f "$table"' EXIT
code=0
for model; do
    case $model in */*) ;; *) model=models/$model.yaml ;; esac
    "$keel" compare "$model" --methods dopri5,dop853,adams,radau5,radau9,bdf,ida,auto >"$table"
    awk -v model="$(basename "$model" .yaml)" '
        /^all runs/ { inside = 1; next }
        !inside || !/ tol / { next }
        { split($0, part, / tol +/); runs++; word = split(part[1], name, " "); if (word) method = name[word] }
        /failed:|stopped|not begun|not run/ { print "  " model, method, "tol", part[2]; next }
        { n = split(part[2], field, " "); if (n > 9) { far++; why = field[10]
            for (i = 11; i <= n; i++) why = why " " field[i]
            print "  " model, method, "tol", field[1], "error", field[2] ": " why
            if (why ~ /^(error control|not known)/) bad++ } }
        END { printf "%s: %d runs, %d above 100 tolerances, %d by error control\n", model, runs, far, bad; exit bad > 0 }
    ' "$table" || code=1
done
exit $code
