#!/bin/sh
# keel run: rows, summary, report, and the flags that change them.
. "$(dirname "$0")/common.sh"

# rows: one header, t = 0, 0.05 .. 2, and after one period of 2 s the start again (see the model)
exits 0 run "$models/pendulum.yaml" --until 2 --tol 1e-10 -o rows.csv --summary summary.json
audit=energy_integrator,energy_projection,energy_projection_1,energy_projection_2
[ "$(head -n 1 rows.csv)" = \
    "t,x,y,x',y',lambda.rod,angle,tension,energy,energy_drift,$audit,position_violation,velocity_violation" ] ||
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

# typed options. Words: metric and singular; the arm of two_link folds at t = 0.493275 (see the model), where
# singular=stop ends the run and continue passes on the branch that goes on
exits 1 run "$models/two_link.yaml" --option singular=stop --summary summary.json
[ "$(member summary.json status)" = '"singular"' ] || fail "singular=stop: $(member summary.json status)"
says err "singular = stop"
exits 0 run "$models/two_link.yaml" --option singular=continue --option metric=identity --summary summary.json
[ "$(member summary.json status)" = '"ok"' ] || fail "singular=continue"
near "$(member summary.json final.q.q2)" 1.7545496597039 1e-9
[ "$(member summary.json 'events[0].kind')" = '"singular"' ] || fail "kind of the event"
near "$(member summary.json 'events[0].t')" 0.493275 1e-6
near "$(member summary.json gap.time)" 0.493275 1e-6
near "$(member summary.json gap.smallest)" 0 1e-6
[ "$(member summary.json events_dropped)" = 0 ] || fail "events_dropped"
says out "  events       t = 0.493275: singular pose"
# gains: a tenfold penalty mass leaves about a tenth of the violation; the flag wins over the file
exits 0 run "$models/pendulum.yaml" --until 1 --method dop853/penalty/none --option penalty=1e3 --summary summary.json
soft=$(member summary.json violation.position.max)
sed 's/^simulate: {/simulate: {penalty: 1e3, /' "$models/pendulum.yaml" >soft.yaml
grep -q 'penalty' soft.yaml || fail "no penalty in soft.yaml"
exits 0 run soft.yaml --until 1 --method dop853/penalty/none --summary summary.json
[ "$(member summary.json violation.position.max)" = "$soft" ] || fail "the penalty of the file does not count"
exits 0 run soft.yaml --until 1 --method dop853/penalty/none --option penalty=1e4 --summary summary.json
awk -v soft="$soft" -v stiff="$(member summary.json violation.position.max)" \
    'BEGIN {exit !(soft > 5*stiff && soft < 20*stiff)}' || fail "the penalty of the flag does not count"

# dependent constraints: the columns of shared multipliers are marked, the summary and the report name them;
# least norm gives each rod a third of lambda.rod of the plain pendulum
exits 0 run "$models/pendulum.yaml" --until 1 --summary plain.json
exits 0 run "$models/pendulum_redundant.yaml" --until 1 -o rows.csv --summary summary.json
head -n 1 rows.csv | grep -qF ",lambda.rod(shared),lambda.rod_again(shared),lambda.rod_once_more(shared),angle," ||
    fail "header: $(head -n 1 rows.csv)"
[ "$(member summary.json 'shared[0]')" = '"rod"' ] || fail "shared[0]"
[ "$(member summary.json 'shared[2]')" = '"rod_once_more"' ] || fail "shared[2]"
near "$(member summary.json final.lambda.rod_again)" "$(awk -v l="$(member plain.json final.lambda.rod)" 'BEGIN {print l/3}')" 1e-5
says out "  shared       rod, rod_again, rod_once_more: "
exits 0 run "$models/scaled_duplicate.yaml" --until 0.1 -o rows.csv --summary summary.json
head -n 1 rows.csv | grep -qF ",lambda.upper,lambda.lower(shared),lambda.lower_in_mm(shared)," ||
    fail "header: $(head -n 1 rows.csv)"
[ "$(member plain.json shared)" = "[]" ] || fail "shared of independent constraints"

# a partition: d.x = 1 - x^2/L^2 for the pendulum, in every row, at the ends of steps and between them
for formulation in partitioned index1/gradient; do
    for output in 0 0.05; do
        exits 0 run "$models/pendulum.yaml" --until 2 --method dop853/$formulation --option output=$output -o rows.csv \
            --summary summary.json
        awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) column[$i] = i; if (!column["d.x"] || !column["d.y"]) exit 1; next}
            {x = $column["x"]; e = $column["d.x"] - (1 - x*x); f = $column["d.x"] + $column["d.y"] - 1}
            e > 1e-6 || e < -1e-6 || f > 1e-6 || f < -1e-6 {exit 1}' rows.csv || fail "$formulation, output $output: d.x"
        [ "$(member summary.json 'events[0].kind')" = '"partition"' ] || fail "$formulation: no change of partition"
        complete_csv rows.csv >count
    done
done
exits 0 run "$models/pendulum.yaml" --until 0.1 -o rows.csv
head -n 1 rows.csv | grep -q ',d\.' && fail "projections without a partition"

# corrections: a projected run has them, one that nothing stabilises has not
exits 0 run "$models/pendulum.yaml" --until 1 --summary summary.json
awk -v c="$(member summary.json correction.position)" 'BEGIN {exit !(c > 0)}' || fail "no correction"
says out "  correction   position "
exits 0 run "$models/pendulum.yaml" --until 1 --method dop853/index1/none --summary summary.json
[ "$(member summary.json correction.position)" = 0 ] || fail "correction without stabilisation"
grep -q '^  correction' out && fail "a correction of zero is told"

# nothing to watch
cat >free.yaml <<'MODEL'
keel: 1
equations: {coordinates: {x: 1}, kinetic: x'^2/2}
MODEL
exits 0 run free.yaml --summary summary.json
[ "$(member summary.json gap)" = null ] || fail "gap without constraints"
[ "$(member summary.json shared)" = "[]" ] || fail "shared without constraints"

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
