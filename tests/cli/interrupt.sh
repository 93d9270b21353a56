#!/bin/sh
# Ctrl-C, SIGTERM and a closed terminal end a run cleanly: exit code 130, complete rows, a summary that says so.
. "$(dirname "$0")/common.sh"

for case in INT/auto TERM/bdf HUP/dop853 INT/ida/ggl TERM/adams; do
    signal=${case%%/*} method=${case#*/}
    rm -f rows.csv summary.json
    "$KEEL" run "$models/pendulum.yaml" --method "$method" --until 1e9 --option max_steps=1e15 -o rows.csv --summary summary.json \
        >out 2>err &
    keel=$!
    # wait for rows, for as long as a slow machine may need
    tries=0
    while [ "$({ wc -c <rows.csv || echo 0; } 2>/dev/null)" -lt 100000 ]; do
        tries=$((tries + 1))
        if [ $tries -gt 1200 ] || ! kill -0 $keel; then fail "the run wrote no rows"; fi
        sleep 0.05
    done
    sleep 0.5 # long enough for a progress bar, which must not appear: this is no terminal
    kill -$signal $keel
    tries=0
    while kill -0 $keel 2>/dev/null && [ $tries -lt 1200 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
    kill -KILL $keel 2>/dev/null && fail "SIG$signal did not end the run"
    code=0
    wait $keel || code=$?
    [ $code -eq 130 ] || fail "SIG$signal: exit code $code"
    rows=$(complete_csv rows.csv)
    [ "$rows" -gt 100 ] || fail "only $rows rows"
    [ "$(member summary.json status)" = '"interrupted"' ] || fail "status"
    [ "$(member summary.json count.rows)" = "$rows" ] || fail "count.rows is not the number of rows, $rows"
    [ "$(member summary.json final.t | cut -d. -f1)" -ge "$(tail -n 1 rows.csv | cut -d, -f1 | cut -d. -f1)" ] || fail "final.t"
    silent err
    says out "stopped on request at t ="
done
