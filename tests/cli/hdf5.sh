#!/bin/sh
# keel run -o FILE.h5: the same page as the run itself gives, whatever ends the run; other files are refused.
. "$(dirname "$0")/common.sh"

data() {
    awk 'BEGIN {RS = "<script id=\"keel-data\" type=\"application/json\">"} NR == 2' "$1" |
        awk 'BEGIN {RS = "</script>"} NR == 1' >data.json
    [ -s data.json ] || fail "$1 has no data"
}

# everything of the page comes back: columns, reactions, scene, steps; only the CPU time differs
exits 0 run a02_four_bars --set N=3 --option output=0.1 -o run.h5
says out "rows         101 in run.h5"
exits 0 report run.h5
says out "page         run.html"
silent err
exits 0 report a02_four_bars --set N=3 --option output=0.1 -o direct.html
for page in run direct; do
    data $page.html
    "$JSON_PATHS" data.json | grep -v 'cpu_seconds\|CPU time\|^facts.* s"$' >$page.paths || fail "$page is not JSON"
done
cmp run.paths direct.paths || fail "the page of the file is not that of the run"
grep -q '^scene.poses.count' run.paths || fail "no scene"

# equations too, and files with another name of the same kind
exits 0 run andrews --until 0.01 -o andrews.hdf5
exits 0 report andrews.hdf5 -o andrews.html
data andrews.html
[ "$(member data.json 'verdict[0].text')" = '"reached t = 0.01 s"' ] || fail "verdict"
exits 2 report andrews.hdf5 --set mom=0.03
says err "--set comes too late"
if command -v h5dump >/dev/null; then
    h5dump -d /t -s 100 -c 1 andrews.hdf5 | grep -q '(100): 0.01' || fail "h5dump does not show t[100] = 0.01"
fi

# a run that is interrupted or killed leaves what it had
for signal in INT KILL; do
    rm -f long.h5
    "$KEEL" run "$models/pendulum.yaml" --until 1e9 --option max_steps=1e15 -o long.h5 >out 2>err &
    keel=$!
    tries=0
    while [ "$({ wc -c <long.h5 || echo 0; } 2>/dev/null)" -lt 2000000 ]; do
        tries=$((tries + 1))
        if [ $tries -gt 1200 ] || ! kill -0 $keel; then fail "the run wrote no rows"; fi
        sleep 0.05
    done
    kill -$signal $keel
    code=0
    wait $keel 2>/dev/null || code=$?
    [ $signal = KILL ] || [ $code -eq 130 ] || fail "exit code $code"
    exits 0 report long.h5 -o long.html
    data long.html
    [ "$(member data.json rows)" -gt 5000 ] || fail "rows were lost"
    [ "$(member data.json 'verdict[0].ok')" = false ] || fail "a run that did not end must not look good"
done
says data.json "the run was cut off"

# broken and foreign files: one line that tells, nothing of HDF5's own
refused() {
    exits 2 report "$1"
    says err "$2"
    [ "$(wc -l <err)" -eq 1 ] || fail "more than one line on stderr"
    silent out
}
head -c 20000 run.h5 >cut.h5
refused cut.h5 "cut.h5: error: this HDF5 file is truncated or damaged"
echo "t,x" >text.h5
refused text.h5 "text.h5: error: this is not an HDF5 file"
: >empty.h5
refused empty.h5 "the file is empty"
exits 2 run pendulum -o /no/such/folder/out.h5
silent out
says err "cannot write /no/such/folder/out.h5: No such file or directory"
exits 2 run pendulum --set nothing=1 -o never.h5
[ ! -e never.h5 ] || fail "a model that is refused must not leave a file"

# a disk that fills up, at the start and in the middle of a run: an error, no crash
for blocks in 4 200; do
    code=0
    (
        ulimit -f $blocks
        exec "$KEEL" run andrews --option output=1e-6 -o full.h5 >/dev/null 2>err
    ) || code=$?
    [ $code -eq 1 ] || fail "a disk that fills up: exit code $code"
    says err "cannot write full.h5: File too large"
done

# units: of every column, of the time, of the steps
exits 0 run four_bar --until 0.1 -o units.h5
if command -v h5dump >/dev/null; then
    h5dump -a /t/units units.h5 | grep -q '(0): "s"' || fail "the time has no unit"
    h5dump -a /steps/size/units units.h5 | grep -q '(0): "s"' || fail "step sizes have no unit"
    h5dump -a /v/units units.h5 | grep -q '(0): "rad/s", "rad/s", "rad/s"' || fail "velocities have no unit"
    h5dump -a /lambda/units units.h5 | grep -q '(0): "N", "N", "N m"' || fail "multipliers have no unit"
fi
exits 0 report units.h5 -o units.html
says out "finished     the run finished at t = 0.1"
data units.html
[ "$(member data.json 'time_unit')" = '"s"' ] || fail "time_unit"
[ "$(member data.json 'scene.unit')" = '"m"' ] || fail "scene.unit"
[ "$(member data.json 'finished')" = true ] || fail "finished"
