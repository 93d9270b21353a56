#!/bin/sh
# Files that cannot be read or written, and files that must survive.
. "$(dirname "$0")/common.sh"
model=$models/pendulum.yaml
echo precious >rows.csv
echo precious >summary.json
survives() {
    [ "$(cat rows.csv)" = precious ] || fail "rows.csv was overwritten"
    [ "$(cat summary.json)" = precious ] || fail "summary.json was overwritten"
    [ -z "$(find . -name 'summary.json.*')" ] || fail "a temporary file was left"
}

# a model that cannot be read
exits 2 run missing.yaml -o rows.csv --summary summary.json
says err "missing.yaml"
survives
exits 2 run . -o rows.csv
survives
: >empty.yaml
exits 2 run empty.yaml -o rows.csv --summary summary.json
says err "empty.yaml"
survives

# a model that is wrong: place, rule and name
sed 's/g\*y/g*yy/' "$model" >wrong.yaml
exits 2 run wrong.yaml -o rows.csv --summary summary.json
grep -qE '^wrong\.yaml:[0-9]+:[0-9]+: error: .*yy' err || fail "no place in the message"
survives

# a start that violates a constraint by more than is repaired
sed 's/{x: L, y: 0}/{x: 2*L, y: 0}/' "$model" >far.yaml
exits 2 run far.yaml -o rows.csv --summary summary.json
says err "rod"
survives

# results that would overwrite the model
cp "$model" mine.yaml
exits 2 run mine.yaml -o mine.yaml
cmp mine.yaml "$model" || fail "the model was overwritten"
ln -s mine.yaml link.yaml
exits 2 run mine.yaml --summary ./link.yaml
cmp mine.yaml "$model" || fail "the model was overwritten through a link"

# places that cannot be written
# are found before the work: no report, no other file
rm -f summary.json
exits 2 run "$model" --until 1 -o no/such/folder/rows.csv --summary summary.json
says err "cannot write no/such/folder/rows.csv: No such file or directory"
silent out
[ ! -e summary.json ] || fail "a summary was written although the rows have no place"
exits 2 run "$model" --until 1 --summary no/such/folder/summary.json -o new.csv
says err "cannot write no/such/folder/summary.json: No such file or directory"
silent out
mkdir -p folder.csv
exits 2 run "$model" --until 1 -o folder.csv
says err "cannot write folder.csv: Is a directory"
exits 2 run "$model" --until 1 -o new_folder/
says err "cannot write new_folder/: "
[ ! -e new.csv ] || fail "rows were written although the summary has no place"
if [ -w /dev/full ]; then
    exits 1 run "$model" --until 1 -o /dev/full
    says err "cannot write /dev/full: No space left on device"
    says out "not all of them are in /dev/full"
    code=0
    "$KEEL" run "$model" --until 1 >/dev/full 2>err || code=$?
    [ $code -eq 1 ] || fail "a report that could not be written: exit code $code"
    code=0
    "$KEEL" run "$model" --until 1 -o - >/dev/full 2>err || code=$?
    [ $code -eq 1 ] || fail "rows that could not be written: exit code $code"
fi

# limited BLOCKS ARGUMENTS...: keel with files of at most so many blocks of 512 bytes, a disk that fills up
limited() {
    code=0
    (
        ulimit -f "$1"
        shift
        exec "$KEEL" "$@" >out 2>err
    ) || code=$?
    [ $code -eq 1 ] || fail "a disk that fills up: exit code $code"
}
# in the middle of a run: what was written is kept
limited 1024 run "$model" --until 1000 -o big.csv
says err "cannot write big.csv: File too large"
[ "$(wc -l <big.csv)" -gt 10 ] || fail "the rows so far were not kept"
# at the very end, when the last rows leave the buffer
limited 32 run "$model" --until 10 -o end.csv
says err "cannot write end.csv: File too large"
# in the summary: the old one survives
echo precious >summary.json
echo precious >rows.csv
limited 1 run "$model" --until 1 --summary summary.json
says err "cannot write summary.json: File too large"
survives

# the summary replaces a file in one go, keeps links and permissions, and leaves pipes and devices alone
echo old >kept.json
chmod 640 kept.json
ln -s kept.json alias.json
exits 0 run "$model" --until 1 --summary alias.json
[ -L alias.json ] || fail "the link was replaced"
[ "$(member kept.json status)" = '"ok"' ] || fail "the file behind the link was not written"
[ "$(stat -c %a kept.json)" = 640 ] || fail "permissions changed to $(stat -c %a kept.json)"
mkfifo pipe
cat pipe >piped.json &
reader=$!
exits 0 run "$model" --until 1 --summary pipe -o /dev/null
[ -p pipe ] || { kill $reader && fail "the pipe was replaced"; }
wait $reader
[ "$(member piped.json status)" = '"ok"' ] || fail "nothing came through the pipe"
[ -z "$(find . -name '*.json.*')" ] || fail "a temporary file was left"

# a pipe that nobody writes to is empty, one that somebody writes to is read
mkfifo waiting
exits 2 check waiting
says err "waiting:1:1: error: the file is empty"
{ sleep 0.3 && cat "$models/pendulum.yaml"; } >waiting &
exec 3<waiting
exits 0 check waiting
exec 3<&-
