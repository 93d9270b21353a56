#!/bin/sh
# --verify: estimates of the global error against known motions, where motions part, errors of rows.
. "$(dirname "$0")/common.sh"

# estimates FILE PATH TRUE: the estimate at PATH is within a factor of ten of |value - TRUE|
estimates() {
    awk -v value="$(member "$1" "final.$2")" -v error="$(member "$1" "verify.errors.$2")" -v true="$3" \
        'BEGIN {d = value - true; d = d < 0 ? -d : d; exit !(d > 0 && error > d / 10 && error < 10 * d)}' ||
        fail "$1: $2 = $(member "$1" "final.$2") ± $(member "$1" "verify.errors.$2"), the true value is $3"
}

# a pendulum that falls from the horizontal is back after its period; an orbit has a closed form (models/kepler.yaml)
exits 0 run "$models/pendulum.yaml" --until 5 --summary reference.json --method dop853/index1/projection --tol 1e-13
x=$(member reference.json final.q.y) v=$(member reference.json "final.v.y")
for run in "--tol 1e-4" "--tol 1e-7" "--method rk4 --step 0.01" "--method bdf --tol 1e-6" \
    "--method radau9 --tol 1e-6" "--method dop853/penalty/baumgarte --tol 1e-5" "--method adams/index1/none --tol 1e-6" \
    "--method generalized-alpha/index3/projection --step 0.01"; do
    # shellcheck disable=SC2086
    exits 0 run "$models/pendulum.yaml" --until 5 $run --verify --summary s.json
    [ "$(member s.json verify.verified)" = true ] || fail "$run: verified"
    estimates s.json q.y "$x"
    estimates s.json v.y "$v"
    says out ' ± '
done
# runs that begin anew on the way
exits 0 run "$models/pendulum.yaml" --until 5 --tol 1e-7 --option base_steps=50 --verify --summary s.json
estimates s.json q.y "$x"
exits 0 run "$models/kepler.yaml" --until 20 --tol 1e-4 --summary kepler.json --verify
exits 0 run "$models/kepler.yaml" --until 20 --tol 1e-13 --summary exact.json
estimates kepler.json q.x "$(member exact.json final.q.x)"
estimates kepler.json q.y "$(member exact.json final.q.y)"

# a driven mechanism through singular poses
exits 0 run "$models/two_link.yaml" --method dop853/index1/projection --verify --summary arm.json
[ "$(member arm.json verify.parted.t)" = null ] || fail "the arm stays on its branch"

# without --verify there is no word of it
exits 0 run "$models/pendulum.yaml" --until 1 --summary plain.json
[ "$(member plain.json verify)" = null ] || fail "verify is null"
grep -q '±' out && fail "errors that nobody asked for"

# chaos: motions part, and the time of it moves back with the tolerance
cat >double.yaml <<'MODEL'
keel: 1
name: double pendulum
equations:
  coordinates: {x1: 1, y1: 0, x2: 1, y2: 1}
  kinetic: (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2
  potential: 9.81*(y1 + y2)
  holonomic: {rod1: x1^2 + y1^2 - 1, rod2: (x2 - x1)^2 + (y2 - y1)^2 - 1}
simulate: {until: 30, output: 0.05}
MODEL
exits 3 run double.yaml --tol 1e-5 --verify --summary early.json
says err 'keel run: error: not verified from t = '
says out 'the motion is sensitive'
exits 3 run double.yaml --tol 1e-9 --verify --summary late.json
awk -v a="$(member early.json verify.parted.t)" -v b="$(member late.json verify.parted.t)" \
    'BEGIN {exit !(a > 5 && b > a + 2)}' || fail "parted at $(member early.json verify.parted.t) and $(member late.json verify.parted.t)"
[ "$(member early.json verify.verified)" = false ] || fail "not verified"

# errors of the rows: a row for each, no NaN
exits 0 run double.yaml --until 3 --tol 1e-6 -o rows.csv --errors errors.csv
[ "$(complete_csv errors.csv)" -eq "$(complete_csv rows.csv)" ] || fail "rows of errors"
head -n 1 errors.csv | grep -qF "t,±x1,±y1,±x2,±y2,±x1'" || fail "columns of errors"
grep -qi nan errors.csv && fail "NaN in a file"
exits 2 run double.yaml --errors rows.csv -o rows.csv
exits 2 run double.yaml --errors double.yaml
