#!/bin/sh
# keel run --start FILE [--at T]: a state of a result or of a checkpoint starts another run.
. "$(dirname "$0")/common.sh"

# halves: one run to the end, or two of which the second starts where the first ended
exits 0 run four_bar --tol 1e-10 --until 2 -o whole.csv --summary whole.json
exits 0 run four_bar --tol 1e-10 --until 1 --option output=0.25 -o half.csv --checkpoint half.keel
exits 0 run four_bar --tol 1e-10 --until 1 --option output=0.25 -o half.h5
for from in half.csv half.h5 half.keel; do
    exits 0 run four_bar --tol 1e-10 --until 2 --start $from -o second.csv --summary second.json
    silent err
    [ "$(sed -n 2p second.csv | cut -d, -f1)" = 1 ] || fail "$from: the run does not start at t = 1"
    near "$(tail -n 1 second.csv | cut -d, -f2)" "$(tail -n 1 whole.csv | cut -d, -f2)" 1e-6
done

# another time, other parameters, another method
for from in half.csv half.h5; do
    exits 0 run four_bar --until 2 --start $from --at 0.5 --method bdf -o second.csv
    [ "$(sed -n 2p second.csv | cut -d, -f1)" = 0.5 ] || fail "$from: the run does not start at t = 0.5"
    [ "$(sed -n 2p second.csv | cut -d, -f2)" = "$(sed -n 4p half.csv | cut -d, -f2)" ] || fail "$from: another state"
done
exits 0 run pendulum --until 1 --option output=0.5 -o slow.csv
exits 0 run pendulum --until 3 --set g=1.62 --start slow.csv -o moon.csv
[ "$(sed -n 2p moon.csv | cut -d, -f1-3)" = "$(tail -n 1 slow.csv | cut -d, -f1-3)" ] || fail "another start"
exits 2 run pendulum --until 3 --set L=1.5 --start slow.csv
says err "the start is inconsistent: constraint 'rod' is violated"

# what does not fit
exits 2 run four_bar --until 2 --start half.csv --at 0.3
says err "half.csv: error: there is no row at t = 0.3"
says err "the nearest are at 0.25 and 0.5"
exits 2 run four_bar --until 2 --start half.csv --at 7
says err "the rows are from 0 to 1"
exits 2 run four_bar --until 2 --start half.keel --at 0.5
says err "has one state, at t = 1"
exits 2 run pendulum --until 2 --start half.csv
says err "half.csv: error: there is no column 'x'"
exits 2 run pendulum --until 2 --start half.keel
says err "the model's coordinate 'x' is not in the checkpoint"
exits 2 run four_bar --until 0.5 --start half.csv
says err "until"
exits 2 run four_bar --start no.csv
says err "no.csv"
exits 2 run four_bar --at 1
says err "--at says which state of the file of --start, which is not given"
exits 2 run four_bar --start half.csv -o half.csv
says err "the results would overwrite the start half.csv"
echo "t,x" >empty.csv
exits 2 run pendulum --start empty.csv
[ -s err ] || fail "empty.csv: no message"

# checkpoints that are damaged, cut off or foreign
exits 2 run --resume whole.csv
says err "whole.csv: this is no checkpoint"
head -c 500 half.keel >cut.keel
exits 2 run --resume cut.keel
says err "cut.keel: the checkpoint is damaged or cut off"
exits 2 run --start cut.keel four_bar
says err "cut.keel: the checkpoint is damaged or cut off"
exits 2 run --resume no.keel
says err "cannot read no.keel: No such file or directory"
exits 2 run four_bar --resume half.keel
says err "--resume goes on with the run as it was"
echo "0,0" >>half.csv
sed -i '3s/0/1/' half.csv
exits 2 run --resume half.keel
says err "half.csv is not what the run wrote until its checkpoint"

# what does not go together
exits 2 run four_bar --checkpoint c.keel --verify
says err "a run with --verify has two others beside it"
exits 2 run four_bar --every 5s
says err "--checkpoint, which is not given"
exits 2 run four_bar --checkpoint c.keel --every soon
says err "--every 'soon' is no time"
exits 2 run four_bar --checkpoint c.keel -o -
says err "the rows of a run with checkpoints go to a file"
exits 2 run four_bar --checkpoint c.csv -o c.csv
says err "the checkpoint would overwrite c.csv"
exits 2 run four_bar --checkpoint no/folder/c.keel
says err "cannot write no/folder/c.keel"

# rows of an earlier run stay until this one has taken a step
cat >pole.yaml <<'END'
keel: 1
equations:
  coordinates: {x: 1}
  kinetic: x'^2/2
  forces: {x: sqrt(-t)}
simulate: {until: 1}
END
echo precious >rows.csv
exits 1 run pole.yaml -o rows.csv
says out "no step was taken, and rows.csv stays what it was"
[ "$(cat rows.csv)" = precious ] || fail "a run that could not begin has destroyed the rows of another"
[ "$(find . -name 'rows.csv?*' | wc -l)" -eq 0 ] || fail "a file was left beside rows.csv"

# a row does not wait in memory for the next one, however far away that is
"$KEEL" run pendulum --until 1e9 --option max_steps=1e15 --option output=1e8 -o far.csv >out 2>err &
keel=$!
tries=0
while [ "$({ wc -l <far.csv || echo 0; } 2>/dev/null)" -lt 2 ]; do
    tries=$((tries + 1))
    if [ $tries -gt 400 ] || ! kill -0 $keel; then fail "the first row is not on the disk"; fi
    sleep 0.05
done
kill -KILL $keel
wait $keel 2>/dev/null || true

# interrupted: the checkpoint is where the rows end, and the run goes on
"$KEEL" run pendulum --until 1e9 --option max_steps=1e15 -o long.csv --summary long.json --checkpoint long.keel >out 2>err &
keel=$!
tries=0
while [ "$({ wc -c <long.csv || echo 0; } 2>/dev/null)" -lt 100000 ]; do
    tries=$((tries + 1))
    if [ $tries -gt 1200 ] || ! kill -0 $keel; then fail "the run wrote no rows"; fi
    sleep 0.05
done
kill -INT $keel
code=0
wait $keel || code=$?
[ $code -eq 130 ] || fail "exit code $code"
says out "to go on: keel run --resume long.keel"
rows=$(complete_csv long.csv)
cp long.csv before.csv
"$KEEL" run --resume long.keel >out 2>err &
keel=$!
sleep 1
kill -INT $keel
code=0
wait $keel || code=$?
[ $code -eq 130 ] || fail "resumed: exit code $code"
[ "$(complete_csv long.csv)" -gt "$rows" ] || fail "the run did not go on"
head -c "$(wc -c <before.csv)" long.csv | cmp - before.csv || fail "rows of before have changed"
