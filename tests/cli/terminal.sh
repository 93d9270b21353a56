#!/bin/sh
# On a terminal: a progress bar that is gone at the end, and colour unless NO_COLOR is set.
. "$(dirname "$0")/common.sh"
command -v script >/dev/null || { echo "no 'script' to make a terminal with"; exit 77; }
escape=$(printf '\033')

# the bar appears after a moment: run until it was seen, then press Ctrl-C
mkfifo keyboard
script -qec "'$KEEL' run '$models/pendulum.yaml' --until 1e9 --option max_steps=1e15" /dev/null \
    <keyboard >screen 2>&1 &
script=$!
exec 3>keyboard
tries=0
until grep -q '% *t = ' screen; do
    tries=$((tries + 1))
    if [ $tries -gt 1200 ] || ! kill -0 $script; then fail "no progress bar"; fi
    sleep 0.05
done
printf '\003' >&3
wait $script || code=$?
exec 3>&-
[ "${code:-0}" -eq 130 ] || fail "Ctrl-C: exit code ${code:-0}"
grep -q 'stopped on request' screen || fail "no report after the bar: $(cat screen)"
# the last thing before the report is the end of the bar: carriage return, erase line
tr '\r' '\n' <screen | grep -q "^${escape}\[Kpendulum" || fail "the bar was not removed"

script -qec "'$KEEL' run missing.yaml" /dev/null >screen 2>&1 </dev/null || true
grep -q "${escape}\[1;31merror:" screen || fail "no colour on a terminal"
NO_COLOR=1 script -qec "'$KEEL' run missing.yaml" /dev/null >screen 2>&1 </dev/null || true
grep -q "$escape" screen && fail "colour in spite of NO_COLOR"
grep -q "error:" screen || fail "no message"
