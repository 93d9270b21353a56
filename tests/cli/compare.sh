# keel compare: table, JSON, page, reference from a file, failures, arguments, interruption.
# shellcheck source=tests/cli/common.sh
. "$(dirname "$0")/common.sh"

model=$models/pendulum.yaml
few="--until 1 --tols 1e-4,1e-8 --steps 0.01"

# the table names methods, reference and columns; JSON has the same numbers
# shellcheck disable=SC2086  # flags
exits 0 compare "$model" $few --methods 'dop*/index1/*,rk4' --json a.json --threads 1
silent err
says out "fewest evaluations for an error"
says out "dopri5/index1/gradient"
says out "agreed digits"
for key in format version title reference uncertainty target 'quantities[0]' 'best[0].error' \
    'best[0].methods[0].method' 'ranking[0].rank' 'runs[0].integrator' 'runs[0].violation' \
    'runs[0].velocity_violation' 'runs[0].energy' 'runs[0].steps' 'runs[0].evaluations' \
    'runs[0].factorizations' 'runs[0].seconds' 'runs[0].reason'; do
    member a.json "$key" >/dev/null
done
says a.json '"format": "keel-comparison"'
near "$(member a.json uncertainty)" 0 1e-9
says a.json '"method": "rk4/index1/projection"'

# the same for any number of threads, but for the seconds
# shellcheck disable=SC2086
exits 0 compare "$model" $few --methods 'dop*/index1/*,rk4' --json b.json --threads 2
for file in a b; do grep -v '"seconds"' $file.json >$file.cut; done
cmp -s a.cut b.cut || fail "results depend on the number of threads"

# the page holds the data
# shellcheck disable=SC2086
exits 0 compare "$model" $few --methods adams -o page.html
says page.html '"keel-comparison"'
says out "the page is page.html"

# a run as reference; its rows are the times of comparison
exits 0 run "$model" --until 1 --tol 1e-12 --option output=0.25 -o reference.csv
# shellcheck disable=SC2086
exits 0 compare "$model" $few --methods dop853 --reference reference.csv --json c.json
[ "$(member c.json times)" -eq 5 ] || fail "not the rows of the reference"
near "$(member c.json uncertainty)" 0 1e-9
exits 0 run "$model" --until 1 --tol 1e-12 --option output=0.25 -o reference.h5
# shellcheck disable=SC2086
exits 0 compare "$model" $few --methods dop853 --reference reference.h5 --json h.json
[ "$(member h.json times)" -eq 5 ] || fail "not the rows of the reference in HDF5"
near "$(member h.json uncertainty)" 0 1e-9
# the fourth line without its end
{ head -n 3 reference.csv; sed -n 4p reference.csv | head -c 40; } >cut.csv
# shellcheck disable=SC2086
exits 2 compare "$model" $few --methods dop853 --reference cut.csv
says err "cut.csv:4: error: the file ends inside of this line: it is truncated"
echo "a,b" >foreign.csv
exits 2 compare "$model" --methods dop853 --reference foreign.csv
says err "foreign.csv:1: error:"
exits 2 compare "$model" --methods dop853 --reference nowhere.csv
says err "nowhere.csv"

# an error far above the tolerance has its reason: errors that grow, constraints that drift, outputs that magnify
exits 0 compare "$model" --methods ida,bdf,dop853 --tols 1e-8 --json why.json
for method in bdf/index1/projection ida/index1/none dop853/index1/projection; do
    grep -A6 "\"method\": \"$method\"" why.json | grep '"why"' >>why
done
[ "$(grep -c "fold\|constraints drift" why)" -eq 2 ] || fail "no reason for bdf and ida: $(cat why)"
grep -q null why || fail "dop853 is as exact as its tolerance, and has a reason: $(cat why)"
exits 0 compare "$models/circular_track.yaml" --methods dop853 --tols 1e-8
says out "fold in 'error_x'"
# nowhere near a singular pose: no step tries to cross one
exits 0 compare "$models/parallelogram.yaml" --methods dop853,dopri5 --tols 1e-7,1e-8,1e-9,1e-10 --json same.json
[ "$(grep -c '"why": null' same.json)" -eq 8 ] || fail "errors depend on the tolerance by luck: $(grep why same.json)"
# an angle that jumps from pi to -pi
exits 0 compare "$models/four_bars.yaml" --methods adams --tols 1e-4 --json jump.json
says out "rows next to them are left out"
[ "$(grep -c '"why": null' jump.json)" -eq 1 ] || fail "a jump of an angle counts as an error"

# a method that fails is listed, the others are ranked
exits 0 compare "$models/andrews.yaml" --until 0.003 --methods bdf-fixed,adams --steps 1.5e-3 --tols 1e-6 --json d.json
says out "failed: bdf-fixed of order 6 needs 6 steps or more"
says out "1 of 2 runs failed"
says d.json '"status": "input"'
says d.json '"rank": null'
[ "$(member d.json 'ranking[0].rank')" -eq 1 ] || fail "rank of the method that did not fail"
! grep -q '^ranking\[1\]' paths || fail "a method without a result has a rank"

exits 1 compare "$models/andrews.yaml" --until 0.003 --methods bdf-fixed --steps 1.5e-3
says err "not a single run was done"

# what is finer than a run that took too long is not begun; auto takes part unless methods are named
exits 1 compare "$model" --until 3000 --methods rk4/index1/none --steps 1e-4,1e-5 --limit 0.05 --threads 1
says out "not begun: the run before it was stopped after 0.05 s"
exits 0 compare "$model" --until 0.1 --tols 1e-3 --steps 0.01 --limit 0.5 --json g.json
says g.json '"method": "auto"'

# columns
# shellcheck disable=SC2086
exits 0 compare "$model" $few --methods dop853 --of "x,y',energy" --json e.json
says out "of x, y', energy"
# shellcheck disable=SC2086
exits 2 compare "$model" $few --of nothing_like_it
says err "the rows have no column 'nothing_like_it'"

# a mechanism is assembled first
exits 0 compare "$models/four_bar.yaml" --until 0.1 --methods dop853,adams --tols 1e-6

# arguments
exits 2 compare
says err "which model?"
exits 2 compare "$model" --methods rk5
says err "did you mean 'rk4'?"
exits 2 compare "$model" --methods 'x*'
says err "no method fits 'x*'"
exits 2 compare "$model" --tols 1e-4,,1e-6
says err "--tols: '' is not a positive number"
exits 2 compare "$model" --steps 0.1,-1
says err "--steps: '-1' is not a positive number"
exits 2 compare "$model" --threads 0
exits 2 compare "$model" --option tolerance=1e-3
says err "a comparison takes --tols instead"
exits 2 compare "$model" --json "$model"
says err "would overwrite"
exits 2 compare "$model" --json x --output x
exits 2 compare nowhere.yaml
exits 0 compare --help
says out "usage: keel compare MODEL"
# noticed before the work: this model has none that ends soon
exits 2 compare "$model" --until 1e9 --methods dop853 --json /nowhere/x.json
says err "cannot write /nowhere/x.json"
exits 2 compare "$model" --until 1e9 --methods dop853 -o /nowhere/x.html
says err "cannot write /nowhere/x.html"

# interrupted: what is there is written
"$KEEL" compare "$model" --until 300 --threads 1 --json f.json >out 2>err &
job=$!
sleep 1
kill -INT $job 2>/dev/null || fail "it ended too early"
code=0
wait $job || code=$?
[ "$code" -eq 130 ] || fail "exit code $code after an interrupt"
