#!/bin/sh
# keel report: pages of models and of results, what they hold, and what is refused.
. "$(dirname "$0")/common.sh"

# data PAGE: the data of a page as JSON
data() {
    awk 'BEGIN {RS = "<script id=\"keel-data\" type=\"application/json\">"} NR == 2' "$1" |
        awk 'BEGIN {RS = "</script>"} NR == 1' >data.json
    [ -s data.json ] || fail "$1 has no data"
}

# count PATTERN: members of the data whose path and value match
count() {
    "$JSON_PATHS" data.json >paths || fail "the data are not JSON"
    grep -c -- "$1" paths || true
}

# a mechanism, by name: scene, reactions, verdict
exits 0 report a04_bricard --option output=0.1
says out "page         a04_bricard.html"
silent err
data a04_bricard.html
[ "$(member data.json format)" = '"keel-report"' ] || fail "format"
[ "$(member data.json rows)" = 101 ] || fail "rows"
[ "$(member data.json scene.dimension)" = 3 ] || fail "dimension"
[ "$(member data.json scene.frames)" = 101 ] || fail "frames"
[ "$(member data.json scene.poses.count)" = $((101 * 5 * 7)) ] || fail "poses"
[ "$(member data.json scene.forces.count)" = $((101 * 6 * 3)) ] || fail "forces"
[ "$(member data.json 'scene.bodies[0].name')" = '"ground"' ] || fail "bodies[0]"
[ "$(count '^verdict\[[0-9]*\].ok true')" -ge 4 ] || fail "verdict"
[ "$(count '\.group "reaction"')" -ge 6 ] || fail "reactions"
[ "$(count '^columns.*\.shared true')" -ge 6 ] || fail "Bricard's reactions are shared"
[ "$(count '\.group "violation"')" -eq 12 ] || fail "a violation for each of 5 constraints at two levels, and 2"
[ "$(member data.json summary.status)" = '"ok"' ] || fail "summary"

# shapes of bodies, and wheels of those that have none
exits 0 report excavator --until 0.1
data excavator.html
[ "$(member data.json 'scene.bodies[1].shapes[0].kind')" = '"rod"' ] || fail "shape"
[ "$(count 'shapes.*kind "mass"')" -eq 1 ] || fail "the load of the bucket"
exits 0 report bicycle --until 0.1
data bicycle.html
[ "$(count 'shapes.*kind "cylinder"')" -eq 2 ] || fail "wheels"

# gears without a shape are wheels of their pitch radius; the rack is a bar along its line
near() { # PATH VALUE
    member data.json "$1" | awk -v x="$2" '{ exit !($1 > x - 1e-8 && $1 < x + 1e-8) }' || fail "$1 is not $2"
}
exits 0 report gear_train --until 0.1
data gear_train.html
near 'scene.bodies[1].shapes[0].radius' 0.025 # 17 and 51 teeth, 0.1 m between the shafts
near 'scene.bodies[2].shapes[0].radius' 0.075
near 'scene.bodies[2].shapes[1].radius' 0.02 # r of the model
[ "$(member data.json 'scene.bodies[3].shapes[0].kind')" = '"box"' ] || fail "rack"
near 'scene.bodies[3].shapes[0].at[0]' 0.005 # beyond its pitch line by half its width r/2
exits 0 report gear_pair --until 0.1
data gear_pair.html
near 'scene.bodies[1].shapes[0].radius' 0.1 # the axes meet at the origin, the pinion is 0.2 above: 0.2 tan(atan(1/2))
near 'scene.bodies[2].shapes[2].radius' 0.2 # twice as many teeth, beside two masses
near 'scene.bodies[2].shapes[2].to[0]' -0.295 # both turn forwards: it meshes at x < 0, 0.1 beyond the meeting point
exits 0 report snakeboard_bodies --until 0.1
data snakeboard_bodies.html
near 'scene.joints[3].edge[0]' 1
near 'scene.joints[4].edge[0]' 0.5 # cos(pi/3)

# rows between the steps are interpolated: the page tells how well energy is accounted for there too
exits 0 run excavator -o excavator.csv
exits 0 report excavator
data excavator.html
"$JSON_PATHS" data.json >paths
most=$(awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "energy_drift") k = i}
    NR > 1 {x = $k < 0 ? -$k : $k; if (x > most) most = x} END {printf "%.2g", most}' excavator.csv)
grep -q "^verdict.*text \"energy accounted for to .* at the steps, $most J at the rows" paths ||
    fail "energy at the rows: $most"

# every model that is shipped has something to look at: bodies, or points that it declares
for model in "$models"/*.yaml; do
    grep -q '^equations:' "$model" && ! grep -q '^draw:' "$model" && fail "$model has no 'draw'"
done

# equations: points that the model declares; flags as for keel run
exits 0 report "$models/andrews.yaml" --until 0.01 --tol 1e-6 --set mom=0.03 -o page.html
data page.html
[ "$(member data.json scene.unit)" = '"m"' ] || fail "unit of the picture"
[ "$(member data.json scene.dimension)" = 2 ] || fail "dimension"
[ "$(count '^scene\.tracks\[[0-9]*\]\.name')" -eq 9 ] || fail "tracks"
[ "$(member data.json 'scene.lines[0][1]')" = '"F"' ] || fail "lines"
[ "$(member data.json 'verdict[0].text')" = '"reached t = 0.01 s"' ] || fail "until"

# rows on the page are thinned, and the facts say so
exits 0 report "$models/pendulum.yaml" --until 0.5 --method rk4 --step 2e-6 --option output=0 -o thin.html
data thin.html
[ "$(member data.json rows)" -le 200001 ] || fail "too many rows"
says data.json "250001, of which"

# a failed run has a page too, which says so
cat >wall.yaml <<'YAML'
keel: 1
equations: {coordinates: {x: 1}, kinetic: x'^2/2, forces: {x: -1/x^2}}
simulate: {until: 10}
YAML
exits 1 report wall.yaml
data wall.html
[ "$(member data.json 'verdict[0].ok')" = false ] || fail "a failed run must not look good"
[ "$(count '^verdict\[0\].text "stopped at t = .*t = ')" -eq 0 ] || fail "the time is told twice"

# its CSV file does not tell that it failed; with the model the rows are too few
exits 1 run wall.yaml -o wall.csv
exits 0 report wall.csv -o wall_rows.html
data wall_rows.html
[ "$(count '^verdict\[0\].text .*; a CSV file does not tell whether the run finished"')" -eq 1 ] ||
    fail "the end of a CSV file says nothing of its run"
exits 0 report wall.csv --model wall.yaml -o wall_rows.html
data wall_rows.html
[ "$(member data.json 'verdict[0].ok')" = false ] || fail "rows that end early must not look good"
[ "$(count '^verdict\[0\].text .*the model ends at t = 10')" -eq 1 ] || fail "end of the model"

# CSV: plots; with the model also the scene
exits 0 run a02_four_bars --option output=0.1 -o rows.csv
exits 0 report rows.csv
data rows.html
[ "$(member data.json rows)" = 101 ] || fail "rows"
[ "$(member data.json scene)" = null ] || fail "a CSV file has no scene"
[ "$(count '^verdict.*text "energy accounted for to .* in the rows"')" -eq 1 ] || fail "energy of the rows"
exits 0 report rows.csv --model a02_four_bars
data rows.html
[ "$(member data.json scene.poses.count)" = $((101 * 5 * 7)) ] || fail "poses"
[ "$(member data.json scene.forces)" = null ] || fail "forces without accelerations"
[ "$(member data.json 'verdict[0].ok')" = true ] || fail "rows that reach the end of the model"
exits 2 report rows.csv --model pendulum
says err "not a result of this model"
exits 2 report rows.csv --tol 1e-9
says err "come too late"
exits 2 report rows.csv --set g=1
says err "--set comes too late"

# usage
exits 2 report
says err "a report of what?"
exits 2 report andrews pendulum
says err "one model or result at a time"
exits 2 report andrews --model pendulum
says err "is a model itself"
exits 2 report wall.yaml -o wall.yaml
says err "would overwrite"
exits 2 report pendulum -o /no/such/folder/page.html
says err "cannot write /no/such/folder/page.html"
silent out
exits 2 report no_such.csv
says err "no_such.csv: error: cannot be opened"
exits 0 report --help
says out "usage: keel report"

# a CSV file does not tell whether its run finished, and the page does not claim it
exits 0 report rows.csv -o unknown.html
says out "a CSV file does not tell whether the run finished"
data unknown.html
[ "$(member data.json finished)" = null ] || fail "finished"
[ "$(member data.json 'verdict[0].known')" = false ] || fail "verdict[0].known"
exits 0 report rows.csv --model a02_four_bars -o known.html
data known.html
[ "$(member data.json finished)" = true ] || fail "finished with a model"

# a byte order mark in front, as spreadsheets write it
{ printf '\357\273\277' && cat rows.csv; } >marked.csv
exits 0 report marked.csv

# too many numbers in a row
sed '3s/$/,1/' rows.csv >many.csv
exits 2 report many.csv
says err "many.csv:3: error: more numbers than the header has columns ("

# a hinge whose share of a redundant load is nothing is told of
exits 0 report door --until 0.1 -o door.html
data door.html
"$JSON_PATHS" data.json >door.paths
grep -q '"hinge_2.force"' door.paths || fail "hinge_2 is left out"
column=$(sed -n 's/^columns\[\([0-9]*\)\].name "hinge_2.force"$/\1/p' door.paths)
[ "$(member data.json "columns[$column].unit")" = '"N"' ] || fail "the unit of a reaction"

# other CSV files
printf 'name,age\nAnn,3\n' >people.csv
exits 2 report people.csv
says err "people.csv:1: error: this is not a result of 'keel run -o'"
head -c 5000 rows.csv >cut.csv
exits 2 report cut.csv
says err "truncated"
