#!/bin/sh
# keel run --checkpoint, --resume: a run that was killed or stopped goes on, and its files become those of a run
# that never stopped. KILLS=200 (make kills) kills so many runs at random moments; the usual test some of them.
. "$(dirname "$0")/common.sh"

# data FILE.h5: all that a page of the file would show, but for the CPU time
data() {
    exits 0 report "$1" -o page.html
    awk 'BEGIN {RS = "<script id=\"keel-data\" type=\"application/json\">"} NR == 2' page.html |
        awk 'BEGIN {RS = "</script>"} NR == 1' >data.json
    [ -s data.json ] || fail "$1 has no data"
    tr ',' '\n' <data.json | grep -v 'cpu_seconds' | grep -v '^ *"[-+.0-9e]* s"$'
}

# same WHAT A B EXTENSION: two runs have given the same rows and the same summary
same() {
    if [ "$4" = h5 ]; then
        data "$2.h5" >a.data
        data "$3.h5" >b.data
        sed "s/$2\.h5/$3.h5/g" a.data | cmp - b.data || fail "$1: rows"
        [ ! -e "$3.h5.rows" ] || fail "$1: rows were left beside the file"
    else
        cmp "$2.csv" "$3.csv" || fail "$1: rows"
    fi
    grep -v cpu_seconds "$2.json" >a.json
    grep -v cpu_seconds "$3.json" >b.json
    cmp a.json b.json || fail "$1: summary"
}

now() {
    date +%s%N
}

# one line for each kind of run: extension of the rows, model, flags
cat >runs <<'END'
csv pendulum --method rk4 --step 0.002 --until 30 --option output=0.01
h5 four_bar --method dopri5 --until 20 --tol 1e-8 --option output=0.01
csv andrews --until 0.1 --option output=1e-4
h5 pendulum --method adams --tol 1e-10 --until 60 --option output=0.02
csv flexible_crank --method radau5 --until 0.05
h5 pendulum --method radau9 --until 60 --tol 1e-9 --option output=0.02
csv four_bar --method bdf --until 10 --tol 1e-8 --option output=0.02
h5 pendulum --method bdf-fixed --step 0.005 --until 20
csv pendulum --method ida/ggl --until 20 --tol 1e-6
csv four_bar --method newmark --step 0.005 --until 10
h5 four_bar --method hht --step 0.005 --until 10
csv four_bar --method generalized-alpha --step 0.005 --until 10 --option output=0.02
csv pendulum --method trapezoidal --step 0.005 --until 20
h5 pendulum --method midpoint --step 0.005 --until 20 --option output=0.05
csv spring_pendulum --method conserving --step 0.01 --until 30
csv a02_four_bars --set N=6 --until 10 --option output=0.02
h5 snakeboard --until 30 --option output=0.05
csv pendulum_redundant --method dop853/augmented --until 20 --option output=0.02
csv four_bar --method dop853/partitioned/none --until 20 --option output=0.02
csv door --until 10 --option output=0.02
h5 pendulum --method bdf --until 20 --tol 1e-8 --option base_steps=300 --option output=0.01
csv four_bar --until 100 --option base_steps=40 --option output=0.01
h5 flexible_crank --until 0.02 --option base_steps=100
csv spring_pendulum --method adams --until 60 --option base_steps=150 --option output=0.05
END

# reference NUMBER: the run that never stops, once
reference() {
    [ ! -e "whole$1.json" ] || return 0
    begin=$(now)
    # shellcheck disable=SC2086
    "$KEEL" run $flags -o "whole$1.$extension" --summary "whole$1.json" >out 2>err </dev/null || code=$?
    echo $(($(now) - begin)) >"time$1"
}

random=${SEED:-1}
# below NUMBER: the next random number from 0 to NUMBER - 1
below() {
    random=$(((random * 1103515245 + 12345) % 2147483648))
    echo $((random / 65536 % $1))
}

kills=${KILLS:-12}
count=$(wc -l <runs)
resumed=0
for kill in $(seq 1 "$kills"); do
    number=$(((kill - 1) * 7 % count + 1))
    read -r extension flags <<END
$(sed -n "${number}p" runs)
END
    what="kill $kill (keel run $flags)"
    code=0
    reference $number
    wanted=$code
    rm -f part.* page.html
    # shellcheck disable=SC2086
    "$KEEL" run $flags -o part.$extension --summary part.json --checkpoint part.keel --every 0.01 >out 2>err </dev/null &
    keel=$!
    below 1000 >drawn
    read -r drawn <drawn
    random=$(((random * 1103515245 + 12345) % 2147483648))
    sleep "$(awk -v part="$drawn" -v time="$(cat time$number)" 'BEGIN {printf "%.4f", part / 900 * time / 1e9}')"
    kill -KILL $keel 2>/dev/null || true
    wait $keel 2>/dev/null || true
    code=0
    if [ -e part.keel ]; then
        resumed=$((resumed + 1))
        "$KEEL" run --resume part.keel >out 2>err </dev/null || code=$?
    else
        rm -f part.*
        # shellcheck disable=SC2086
        "$KEEL" run $flags -o part.$extension --summary part.json >out 2>err </dev/null || code=$?
    fi
    [ $code -eq $wanted ] || fail "$what: exit code $code in place of $wanted"
    same "$what" whole$number part $extension
done
[ $resumed -gt 0 ] || fail "no run had a checkpoint when it was killed"
echo "$kills runs killed, $resumed of them went on from a checkpoint"
