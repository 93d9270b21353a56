#!/bin/sh
# keel assemble: what moved, what stays open, the assembled start as a file; and what run and check do with a
# drawing whose joints are open.
. "$(dirname "$0")/common.sh"

# a straight arm of two links whose tip must be at (X, 0): cos(b/2) = X/2
cat >arm.yaml <<'MODEL'
keel: 1
name: arm
parameters: {X: 1.5}
equations:
  coordinates: {a: 0, b: 0}
  kinetic: (a'^2 + b'^2)/2
  holonomic: {tip_x: cos(a) + cos(a + b) - X, tip_y: sin(a) + sin(a + b)}
MODEL
exits 0 assemble arm.yaml -o start.csv
silent err
[ "$(head -n 1 out)" = "arm" ] || fail "name"
grep -qE '^  start +assembled$' out || fail "start"
grep -qE '^  position violation +0\.5 before, [0-9.e-]+ after$' out || fail "violation"
grep -qE '^  coordinates moved +2 of 2$' out || fail "moved"
[ "$(head -n 1 start.csv)" = "name,value" ] || fail "header"
[ "$(complete_csv start.csv)" -eq 4 ] || fail "rows"
b=$(awk -F, '$1 == "b" {sub(/^-/, "", $2); print $2}' start.csv)
near "$b" 1.4454684956268313 1e-14 # 2 acos(0.75)

# it cannot be longer than 2: the best pose is written all the same
exits 2 assemble arm.yaml --set X=2.5 -o best.csv
says err "'tip_x' cannot be met: it stays off by 0.5"
grep -qE '^  start +stays open' out || fail "open"
[ "$(complete_csv best.csv)" -eq 4 ] || fail "best pose"

# a start that is consistent already
exits 0 assemble "$models/pendulum.yaml" -o -
says err "consistent as given"
says out "x,1"
says out "x',0"

# usage
exits 2 assemble
says err "which model?"
exits 2 assemble arm.yaml another.yaml
exits 2 assemble arm.yaml -o arm.yaml
says err "overwrite"
exits 2 assemble arm.yaml --set X
exits 1 assemble arm.yaml -o missing/start.csv
says err "cannot write missing/start.csv"
exits 0 assemble --help
says out "usage: keel assemble"

# a four-bar drawn with its joint C open: 0.4 in x and 0.5 in y
cat >open.yaml <<'MODEL'
keel: 1
name: four-bar drawn open
parameters: {x: 3.4}
planar: true
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, centre: [0, 0.5], inertia: 0.1}
  coupler: {mass: 1, centre: [1.5, 1.5], inertia: 0.1}
  rocker: {mass: 1, centre: [3, 1], inertia: 0.1}
joints:
  A: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  B: {type: revolute, bodies: [crank, coupler], at: [0, 1]}
  C: {type: revolute, bodies: [coupler, rocker], at: [[3, 2], [x, 1.5]]}
  D: {type: revolute, bodies: [ground, rocker], at: [3, 0]}
simulate: {until: 0.1}
MODEL
for coordinates in relative absolute; do
    { cat open.yaml && echo "coordinates: $coordinates"; } >model.yaml
    exits 0 assemble model.yaml
    silent err
    grep -qE '^  position violation +0\.5 before, [0-9.]+e-1[0-9] after|^  position violation +0\.5 before, 0 after' out || fail "violation of C"
    grep -qE '^  bodies moved +3 of 3$' out || fail "bodies"
    grep -qE '^    rocker +centre by [0-9.]+, turned by [0-9.]+ degrees$' out || fail "rocker"
    exits 0 run model.yaml
    says err "note: assembled: joints and start values were off by up to 0.5"
    exits 0 check model.yaml
    says err "note: assembled"

    # the rocker would have to be 9.12 long, what it can reach is 7.16
    exits 2 assemble model.yaml --set x=12 -o best.csv
    grep -qE "^model.yaml:13:3: error: joint 'C' stays open by [0-9.]+ \(C.x, C.y\)$" err || fail "C"
    [ -s best.csv ] || fail "best pose of the four-bar"
    exits 2 run model.yaml --set x=12 -o rows.csv
    says err "joint 'C' stays open by"
    [ ! -e rows.csv ] || fail "rows of a run that could not start"
    exits 2 check model.yaml --set x=12
done

# start values are kept, positions and velocities alike
{ cat open.yaml && echo "start: {A.angle: 0.3, A.angle': 2}"; } >given.yaml
exits 0 assemble given.yaml -o given.csv
near "$(awk -F, '$1 == "A.angle" {print $2}' given.csv)" 0.3 1e-14
near "$(awk -F, "\$1 == \"A.angle'\" {print \$2}" given.csv)" 2 1e-14

# a drawing that is closed does not move and is not told of
sed 's/\[\[3, 2\], \[x, 1.5\]\]/[3, 2]/' open.yaml >closed.yaml
exits 0 run closed.yaml
silent err

# start values and motions that cannot be met are told with their places, and what they contradict. The angle
# of the rocker follows that of the crank: from the drawn pose, where both stand upright and the coupler slopes
# by 1/3, D.angle' = A.angle'/2
{ cat closed.yaml && echo "start: {A.angle': 1, D.angle': 2}"; } >speeds.yaml
{ cat closed.yaml && printf "motions:\n  motor: {of: A.angle, speed: 1}\nstart: {D.angle': 2}\n"; } >driven.yaml
{ cat closed.yaml && printf 'motions:\n  motor: {of: A.angle, speed: 1}\n  other: {of: D.angle, speed: 2}\n'; } >both.yaml
{ cat closed.yaml && echo "start: {A.angle: 0.1, D.angle: -2}"; } >pose.yaml
for command in run check assemble; do
    exits 2 $command speeds.yaml
    says err "speeds.yaml:16:22: error: the start value of 'D.angle'' contradicts the start value of 'A.angle'' in velocity: it is off by 1.5 (through joint"
    [ "$(grep -c error: err)" -eq 1 ] || fail "innocent parts are blamed"
    exits 2 $command driven.yaml
    says err "driven.yaml:18:9: error: the start value of 'D.angle'' contradicts the motion 'motor' in velocity: it is off by 1.5"
    exits 2 $command both.yaml
    says err "both.yaml:18:3: error: the motion 'other' contradicts the motion 'motor' in velocity: it is off by 1.5"
    exits 2 $command pose.yaml
    says err "pose.yaml:16:23: error: the start value of 'D.angle' contradicts the start value of 'A.angle'"
done

# a rocker that is asked to turn farther than the coupler reaches: it turns to where crank and coupler are in
# line, |AC| = 1 + sqrt(10), and the joints are closed there
{ cat closed.yaml && echo 'start: {D.angle: -1}'; } >reach.yaml
exits 2 assemble reach.yaml -o best.csv
says err "reach.yaml:16:9: error: the start value of 'D.angle' cannot be met: it is off by"
# acos(((1 + sqrt(10))^2 - 9 - 4)/12) - pi/2
near "$(awk -F, '$1 == "D.angle" {print $2}' best.csv)" -0.368675 1e-5

# a motion that has no value at the start
{ cat closed.yaml && printf 'motions:\n  motor: {of: A.angle, value: 1/t}\n'; } >endless.yaml
for command in run check assemble; do
    exits 2 $command endless.yaml
    says err "endless.yaml:17:3: error: the start cannot be assembled: motion 'motor' is not finite at t = 0"
done
