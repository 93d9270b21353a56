#!/bin/sh
# Start values as a user writes them: what is not named stays, springs are told of, orientations are met.
. "$(dirname "$0")/common.sh"

cat >car.yaml <<'MODEL'
keel: 1
name: car
bodies:
  wheel: {mass: 20, centre: [1.3, 0.8, 0], inertia: [1, 1.5, 1]}
  arm: {mass: 5, centre: [1.3, 0.5, 0.05], inertia: [0.1, 0.1, 0.1]}
  chassis: {mass: 1000, centre: [0, 0, 0.4], inertia: [300, 900, 1000]}
joints:
  axle: {type: revolute, bodies: [arm, wheel], at: [1.3, 0.75, 0], axis: y}
  hinge: {type: revolute, bodies: [chassis, arm], at: [1.3, 0.2, 0.1], axis: x}
forces:
  leaf: {type: torsion, joint: hinge, stiffness: 1000}
simulate: {until: 0.1}
MODEL

value() {
    awk -F, -v name="$1" '$1 == name {print $2}' start.csv
}

# the whole car moves along, whichever of its bodies is named; nothing turns
for named in chassis wheel; do
    { cat car.yaml && echo "start: {$named.x': 12}"; } >model.yaml
    exits 0 assemble model.yaml -o start.csv
    silent err
    near "$(value "wheel.x'")" 12 1e-13
    for rate in wheel.y\' wheel.z\' wheel.omega1 wheel.omega2 wheel.omega3 axle.angle\' hinge.angle\'; do
        near "$(value "$rate")" 0 1e-14
    done
    exits 0 run model.yaml -o rows.csv
    silent err
done

# a spring that must give way is told of, with its place; bodies that moved most, too
{ cat car.yaml && echo "start: {wheel.z: 0.2, chassis.z: 0.4, chassis.turn.x: 0}"; } >loaded.yaml
for command in run check assemble; do
    exits 0 $command loaded.yaml
    says err "loaded.yaml:11:3: note: assembled: torsion spring 'leaf' is bent by 0.33 rad, its energy is 54.5 more than drawn"
done
exits 0 run loaded.yaml
says err "note: assembled: joints and start values were off by up to 0.2; 'wheel' moved by 0.2 and turned by 18.9 degrees, 'arm' moved by"

# orientation and angular velocity; a component that is not given is zero
{ cat car.yaml && echo "start: {chassis.turn.z: 90 deg, chassis.spin.z: 2}
outputs: {turn: chassis.turn.z, x: wheel.x, y: wheel.y, rate: hinge.angle'}"; } >turned.yaml
exits 0 run turned.yaml -o rows.csv
column() {
    awk -F, -v name="$1" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) k = i} NR == 2 {print $k}' rows.csv
}
near "$(column turn)" 1.5707963267948966 1e-14
near "$(column x)" -0.8 1e-14
near "$(column y)" 1.3 1e-14
near "$(column rate)" 0 1e-14
exits 0 run "$models/satellite.yaml" -o rows.csv
near "$(column turn_y)" 0.52359877559829882 1e-14
near "$(column "right_hinge.angle'")" 0 1e-14
if grep -q "spring" err; then fail "a spring is loaded"; fi

# wrong uses
{ cat car.yaml && echo "start: {chassis.turn.q: 1}"; } >wrong.yaml
exits 2 check wrong.yaml
says err "wrong.yaml:13:9: error: 'chassis' is a body and has no 'turn.q' (did you mean 'turn."
{ cat car.yaml && echo "start: {hinge.angle: 0, arm.turn.z: 0.2, chassis.turn.z: 0}"; } >wrong.yaml
exits 2 run wrong.yaml
says err "error: the start value of '"
says err "turn.z' "
