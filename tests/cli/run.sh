#!/bin/sh
# keel run: rows, summary, report, and the flags that change them.
. "$(dirname "$0")/common.sh"

# rows: one header, t = 0, 0.05 .. 2, and after one period of 2 s the start again (see the model)
exits 0 run "$models/pendulum.yaml" --until 2 --tol 1e-10 -o rows.csv --summary summary.json
[ "$(head -n 1 rows.csv)" = \
    "t,x,y,x',y',lambda.rod,angle,tension,energy,energy_drift,position_violation,velocity_violation" ] ||
    fail "header: $(head -n 1 rows.csv)"
[ "$(complete_csv rows.csv)" -eq 41 ] || fail "41 rows expected, got $(complete_csv rows.csv)"
[ "$(sed -n 2p rows.csv | cut -d, -f1-5)" = "0,1,0,0,0" ] || fail "first row: $(sed -n 2p rows.csv)"
last=$(tail -n 1 rows.csv)
[ "$(echo "$last" | cut -d, -f1)" = 2 ] || fail "last row: $last"
near "$(echo "$last" | cut -d, -f2)" 1 1e-8
near "$(echo "$last" | cut -d, -f3)" 0 1e-6

# summary: the same numbers, and the constraints held to round-off
[ "$(member summary.json status)" = '"ok"' ] || fail "status"
[ "$(member summary.json message)" = null ] || fail "message"
[ "$(member summary.json final.t)" = 2 ] || fail "final.t"
[ "$(member summary.json final.q.x)" = "$(echo "$last" | cut -d, -f2)" ] || fail "final.q.x differs from the last row"
[ "$(member summary.json "final.v.y")" = "$(echo "$last" | cut -d, -f5)" ] || fail "final.v.y differs from the last row"
[ "$(member summary.json final.outputs.angle)" = "$(echo "$last" | cut -d, -f7)" ] || fail "final.outputs.angle"
near "$(member summary.json violation.position.max)" 0 1e-14
[ "$(member summary.json violation.position.worst)" = '"rod"' ] || fail "violation.position.worst"
near "$(member summary.json energy.drift)" 0 1e-8
[ "$(member summary.json rank.rank)" = 1 ] || fail "rank.rank"
[ "$(member summary.json rank.constraints)" = 1 ] || fail "rank.constraints"
[ "$(member summary.json count.rows)" = 41 ] || fail "count.rows"
[ "$(member summary.json model)" = '"pendulum in Cartesian coordinates"' ] || fail "model"

# report: the verdict is the first line
head -n 1 out | grep -q '^pendulum in Cartesian coordinates: reached t = 2, constraints held to .*(worst: rod)$' ||
    fail "verdict: $(head -n 1 out)"
says out "41 in rows.csv"
silent err

# method, step: rk4 takes 200 steps of 0.01 and four evaluations in each
for method in "--method rk4/index1/none --step 0.01" "--method=rk4/index1/none --step=0.01" \
    "-m rk4/index1/none --option step=0.01" "-mrk4/index1/none --step 0.02 --option=step=0.01"; do
    # shellcheck disable=SC2086  # several words
    exits 0 run "$models/pendulum.yaml" --until 2 $method --summary summary.json
    [ "$(member summary.json method.integrator)" = '"rk4"' ] || fail "method.integrator"
    [ "$(member summary.json method.formulation)" = '"index1"' ] || fail "method.formulation"
    [ "$(member summary.json method.stabilize)" = '"none"' ] || fail "method.stabilize"
    [ "$(member summary.json count.steps)" = 200 ] || fail "200 steps expected"
done

# parameters: with g = 0 the pendulum stays where it is
exits 0 run --set g=0 --until 1 --summary summary.json -- "$models/pendulum.yaml"
[ "$(member summary.json final.q.x)" = 1 ] || fail "final.q.x with g = 0"
# a longer rod; a value may be a formula
exits 0 run "$models/pendulum.yaml" --set L=2*2 --until 0.5 --summary summary.json
near "$(awk -v x="$(member summary.json final.q.x)" -v y="$(member summary.json final.q.y)" \
    'BEGIN {print x*x + y*y}')" 16 1e-9

# standard output: the rows alone, or the summary alone; the report goes to stderr
exits 0 run "$models/pendulum.yaml" --until 2 -o -
[ "$(complete_csv out)" -eq 41 ] || fail "rows on standard output"
says err "constraints held to"
exits 0 run "$models/pendulum.yaml" --until 2 --summary -
[ "$(member out status)" = '"ok"' ] || fail "summary on standard output"
says err "constraints held to"

# without -o nothing is written
rm -f ./*
exits 0 run "$models/pendulum.yaml" --until 2
[ "$(echo *)" = "err out" ] || fail "unexpected files: $(echo *)"
says out "-o FILE.csv"

# the locale does not matter, and two runs give the same bytes
LC_ALL=de_DE.UTF-8 "$KEEL" run "$models/pendulum.yaml" --until 2 -o a.csv >out 2>err || fail "a run in another locale"
"$KEEL" run "$models/pendulum.yaml" --until 2 -o b.csv >out 2>err || fail "second run"
cmp a.csv b.csv || fail "two runs differ"
