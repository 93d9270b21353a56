#!/bin/sh
# What keel check tells about mechanisms, and the mechanisms that keel run refuses.
. "$(dirname "$0")/common.sh"

# two hinges on one axis: 6 + 6 - 10 = 2 by count, 1 + 6 in truth
cat >door.yaml <<'MODEL'
keel: 1
name: door with two hinges
gravity: [0, 0, -9.81]
bodies:
  door: {mass: 20, centre: [0.4, 0, 1], inertia: [2, 3, 1.1]}
  bell: {mass: 1, centre: [3, 0, 0], inertia: [1, 1, 1]}
joints:
  hinge_1: {type: revolute, bodies: [ground, door], at: [0, 0, 0.5], axis: z}
  hinge_2: {type: revolute, bodies: [ground, door], at: [0, 0, 1.5], axis: z}
start: {hinge_1.angle': 1}
simulate: {until: 0.1}
MODEL
for coordinates in relative absolute; do
    { cat door.yaml && echo "coordinates: $coordinates"; } >model.yaml
    exits 0 check model.yaml
    grep -qE '^  mobility +7; the count of bodies and joints \(Gruebler\) gives 2, 5 conditions are repeated$' out || fail "mobility"
    grep -qE '^  dependent joints +hinge_2 repeats 5 conditions that hinge_1 already imposes$' out || fail "dependent joints"
    grep -qE '^  reactions shared +hinge_1, hinge_2$' out || fail "shared"
    grep -qE '^  unconstrained bodies +bell$' out || fail "unconstrained"
    grep -qE "^  choice +$coordinates" out || fail "choice"
    exits 0 run model.yaml
done
exits 0 check door.yaml
grep -qE '^  choice +[a-z0-9 ]+ \([0-9.e+]+ multiplications in a factorization\)$' out || fail "cost of the choice"
grep -qE '^  instead of +[a-z]+ \([0-9.e+]+\)' out || fail "other choices"

# two pins lock a plate
cat >locked.yaml <<'MODEL'
keel: 1
name: plate on two pins
planar: true
bodies:
  plate: {mass: 1, centre: [0.5, 0], inertia: 0.1}
joints:
  a: {type: revolute, bodies: [ground, plate], at: [0, 0]}
  b: {type: revolute, bodies: [ground, plate], at: [1, 0]}
MODEL
exits 2 check locked.yaml
says err "locked.yaml:5:3: error: joints 'a' and 'b' lock body 'plate': it cannot move in this pose"
grep -qE '^  locked bodies +plate$' out || fail "locked bodies"
grep -qE '^  mobility +0;' out || fail "mobility of the plate"
exits 2 run locked.yaml -o rows.csv
says err "joints 'a' and 'b' lock body 'plate'"
[ ! -e rows.csv ] || fail "rows of a locked plate"

# a motion that uses up the freedom is no lock; driven from its rocker the four-bar reaches a dead point
cat >driven.yaml <<'MODEL'
keel: 1
name: driven four-bar
planar: true
bodies:
  crank: {mass: 1, centre: [0, 0.5], inertia: 0.1}
  coupler: {mass: 1, centre: [1.5, 1.5], inertia: 0.1}
  rocker: {mass: 1, centre: [3, 1], inertia: 0.1}
joints:
  A: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  B: {type: revolute, bodies: [crank, coupler], at: [0, 1]}
  C: {type: revolute, bodies: [coupler, rocker], at: [3, 2]}
  D: {type: revolute, bodies: [ground, rocker], at: [3, 0]}
motions:
  drive: {of: A.angle, speed: 1}
simulate: {until: 1}
MODEL
exits 0 check driven.yaml
grep -qE '^  mobility +1, motions use up 1; the count' out || fail "mobility of a driven four-bar"
exits 0 run driven.yaml
sed 's/of: A.angle/of: D.angle/' driven.yaml >dead.yaml
for method in auto rk4 generalized-alpha; do
    exits 1 run dead.yaml --method $method --step 0.01
    # crank and coupler in line: |AC| = sqrt(10) - 1; the rocker has then turned by
    # pi/2 - acos((9 + 4 - |AC|^2)/12) = 0.766631405...
    grep -qE "the motion 'drive' cannot be followed beyond t = 0\.76[0-9]*: the mechanism has reached a dead point" err || fail "dead point with $method"
    says err "'C'"
done

# the proof: how far the driven quantity can get, by the closed form above; the motion asks for 1 rad at the end
exits 1 run dead.yaml
grep -qE "beyond t = 0\.766631405[0-9]*: the mechanism has reached a dead point, further on its joints \('C'\) cannot close; what it drives reaches 0\.766631405[0-9]* rad at most, and it asks for 1 at t = 1 " err || fail "what can be reached"
# ... also with freedoms to spare: a pendulum hangs from the coupler
sed -e "s/^joints:/  bob: {mass: 0.1, centre: [1.5, 0.5], inertia: 0.01}\n&/" \
    -e "s/^motions:/  E: {type: revolute, bodies: [coupler, bob], at: [1.5, 1.5]}\n&/" dead.yaml >hanging_dead.yaml
exits 1 run hanging_dead.yaml
grep -qE "beyond t = 0\.766631[0-9]*: the mechanism has reached a dead point.* reaches 0\.766631[0-9]* rad at most" err || fail "dead point with a pendulum"
# the other way: a rocker that swings back has a least angle, and |AC| = sqrt(10) + 1 there
sed 's/speed: 1}/speed: -1}/' dead.yaml >back.yaml
exits 1 run back.yaml --until 3
grep -qE "what it drives reaches -[0-9.]+ rad at least, and it asks for -3 at t = 3 " err || fail "least angle"

# a crank that turns fully has no dead point, whatever else is wrong: steps that are too long, or a law that ends
sed 's/speed: 1}/speed: 30}/' driven.yaml >fast.yaml
for try in "generalized-alpha 0.1" "bdf-fixed 0.05" "rk4 0.2"; do
    exits 1 run fast.yaml --method ${try% *} --step ${try#* }
    grep -q "dead point" err && fail "no dead point with $try"
    grep -qE "Newton's method of the step does not converge|projection cannot close" err || fail "cause with $try"
done

# only the joints that it takes to lock a body are named: not what hangs from it
cat >hanging.yaml <<'MODEL'
keel: 1
bodies:
  arm: {mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  leg: {mass: 1, centre: [1, 0, -0.5], inertia: [0.1, 0.1, 0.01]}
joints:
  hip: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: y}
  knee: {type: revolute, bodies: [arm, leg], at: [1, 0, 0], axis: y}
  clamp: {type: revolute, bodies: [ground, arm], at: [1, 0, 0], axis: z}
MODEL
# ... and those of other bodies, if they take part
cat >truss.yaml <<'MODEL'
keel: 1
planar: true
bodies:
  left: {mass: 1, centre: [0.5, 0.5], inertia: 0.1}
  right: {mass: 1, centre: [1.5, 0.5], inertia: 0.1}
joints:
  A: {type: revolute, bodies: [ground, left], at: [0, 0]}
  B: {type: revolute, bodies: [left, right], at: [1, 1]}
  C: {type: revolute, bodies: [ground, right], at: [2, 0]}
MODEL
for coordinates in relative absolute; do
    for command in run check; do
        { cat hanging.yaml && echo "coordinates: $coordinates"; } >model.yaml
        exits 2 $command model.yaml
        says err "model.yaml:3:3: error: joints 'hip' and 'clamp' lock body 'arm': it cannot move in this pose"
        { cat truss.yaml && echo "coordinates: $coordinates"; } >model.yaml
        exits 2 $command model.yaml
        says err "model.yaml:4:3: error: joints 'A', 'B' and 'C' lock body 'left'"
        says err "model.yaml:5:3: error: joints 'A', 'B' and 'C' lock body 'right'"
    done
done

# a motor on what is locked: the lock is told as well
{ cat truss.yaml && echo 'motions: {motor: {of: A.angle, speed: 1}}'; } >motor.yaml
for command in run check assemble; do
    exits 2 $command motor.yaml
    says err "the motion 'motor' cannot be met in velocity: it is off by 1"
    says err "joints 'A', 'B' and 'C' lock body 'left'"
done

# bodies that nothing makes inert
cat >weightless.yaml <<'MODEL'
keel: 1
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  leg: {points: {foot: [1, 0, -1]}}
joints:
  hip: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: y}
  knee: {type: revolute, bodies: [arm, leg], at: [1, 0, 0], axis: y}
MODEL
sed -e 's/leg: {points.*/leg: {mass: 1, centre: [1, 0, -0.5]}/' -e 's/at: \[1, 0, 0\]/at: [1, 0, -0.5]/' weightless.yaml >point.yaml
{ cat weightless.yaml && echo '  slide: {type: prismatic, bodies: [ground, leg], at: [1, 0, 0], axis: x}'; } |
    sed 's/  hip:.*/  hip: {type: fixed, bodies: [ground, arm], at: [0, 0, 0]}/; /knee/d' >sliding.yaml
for coordinates in relative absolute; do
    for command in run check; do
        for model in weightless point sliding; do
            { cat $model.yaml && echo "coordinates: $coordinates"; } >model.yaml
            exits 2 $command model.yaml
            case $model in
            sliding) says err "model.yaml:5:3: error: body 'leg' can move in a way that no mass resists" ;;
            *) says err "model.yaml:5:3: error: body 'leg' can turn in a way that no inertia resists" ;;
            esac
            [ "$(grep -c error: err)" -eq 1 ] || fail "more than the leg"
        done
    done
    says out "not tried: see the errors"
done

# Coulomb friction where reactions are shared
sed 's/hinge_2: {/&friction: {coulomb: 0.3, radius: 0.02}, /' door.yaml >rough.yaml
for command in run check; do
    exits 0 $command rough.yaml
    says err "rough.yaml:9:3: warning: joint 'hinge_2' has Coulomb friction, but part of its reaction can be shifted"
    sed '/hinge_1/d' rough.yaml >single.yaml
    exits 0 $command single.yaml
    silent err
done

# a hinge that repeats another one altogether has rows of zeros in relative coordinates
{ cat door.yaml && echo "coordinates: relative"; } >zeros.yaml
exits 0 check zeros.yaml
grep -qE '^  rank gap +none: all rows are zero$' out || fail "rank gap of zeros"

# hinges that agree to six digits repeat each other, and it is told by how much; exact ones say nothing of it
sed 's/hinge_2: .*/hinge_2: {type: revolute, bodies: [ground, door], at: [0.0000003, 0, 1.5], axis: [0.0000002, 0, 1]}/' door.yaml >digits.yaml
told="hinge_2 repeats 5 conditions that hinge_1 already imposes, to 3e-07 m and 2e-07 rad: within the precision of the drawing"
exits 0 check digits.yaml
grep -qE "^  dependent joints +$told$" out || fail "hinges of six digits"
grep -qE '^  rank gap +none: no row counts, the largest remainder is [0-9.]+e-07: within the precision of the drawing$' out || fail "rank gap of six digits"
grep -qE '^  degrees of freedom +7$' out || fail "freedoms of six digits"
says err "digits.yaml:9:3: note: $told"
exits 0 run digits.yaml
says err "digits.yaml:9:3: note: $told"
exits 0 run door.yaml
silent err
# ... unless the drawing is exact
{ cat digits.yaml && echo "precision: 0"; } >exact.yaml
exits 2 run exact.yaml
says err "lock body 'door'"
says err "exact.yaml:9:3: note: joint 'hinge_2' differs by 3e-07 m only from repeating what others impose: if it is meant to repeat them, draw it in line with them, or tell by 'precision' how well the drawing is known"
{ cat door.yaml && echo "precision: 0"; } >exact.yaml
exits 0 run exact.yaml

# a hinge 1 mm beside the other is a mistake, unless places are known no better than that
for precision in 0 1e-6 1e-5; do
    { sed 's/at: \[0, 0, 1.5\]/at: [0.001, 0, 1.5]/' door.yaml && echo "precision: $precision"; } >beside.yaml
    exits 2 run beside.yaml
    says err "beside.yaml:5:3: error: joints 'hinge_1' and 'hinge_2' lock body 'door'"
    says err "beside.yaml:9:3: note: joint 'hinge_2' differs by 0.001 m only from repeating what others impose"
done
{ sed 's/at: \[0, 0, 1.5\]/at: [0.001, 0, 1.5]/' door.yaml && echo "precision: 1e-3"; } >beside.yaml
exits 0 run beside.yaml
says err "to 0.001 m: within the precision of the drawing"

# two motors on the cranks of a parallelogram: alike they repeat each other, and joints share their reactions
cat >motors.yaml <<'MODEL'
keel: 1
name: two motors
planar: true
bodies:
  left: {mass: 1, centre: [0, 0.5], inertia: 0.1}
  plate: {mass: 1, centre: [2, 1], inertia: 0.1}
  right: {mass: 1, centre: [4, 0.5], inertia: 0.1}
joints:
  A: {type: revolute, bodies: [ground, left], at: [0, 0]}
  B: {type: revolute, bodies: [ground, right], at: [4, 0]}
  C: {type: revolute, bodies: [left, plate], at: [0, 1]}
  D: {type: revolute, bodies: [plate, right], at: [4, 1]}
motions:
  m0: {of: A.angle, speed: 1}
  m1: {of: B.angle, value: t}
simulate: {until: 1}
MODEL
exits 0 check motors.yaml
grep -qE "^  dependent motions +the motion 'm1' repeats what 'm0' and joint D impose$" out || fail "dependent motors"
grep -qE '^  reactions shared +A, B, C, D$' out || fail "reactions between two motors"
grep -qE '^  multipliers shared +D.x, m0, m1$' out || fail "multipliers of two motors"
exits 0 run motors.yaml
sed 's/value: t/value: 1.1*t/' motors.yaml >model.yaml
exits 2 run model.yaml
says err "model.yaml:15:3: error: the motion 'm1' contradicts the motion 'm0' in velocity: it is off by 0.1 (through joint 'D')"

# motors that agree at the start and part later: told when, and that it is no matter of the drawing
sed 's/value: t}/value: t + t^2}/' motors.yaml >part.yaml
exits 1 run part.yaml
says err "the motion 'm1' repeats what 'm0' and joint D impose up to here, but then it is off by "
says err " rad: they contradict each other"
grep -q "dead point" err && fail "two motors are no dead point"

# a flat parallelogram is a singular pose: the ranks there and elsewhere
cat >flat.yaml <<'MODEL'
keel: 1
name: flat
planar: true
bodies:
  left: {mass: 1, centre: [0.5, 0], inertia: 0.1}
  plate: {mass: 1, centre: [2, 0], inertia: 0.1}
  right: {mass: 1, centre: [3.5, 0], inertia: 0.1}
joints:
  A: {type: revolute, bodies: [ground, left], at: [0, 0]}
  B: {type: revolute, bodies: [ground, right], at: [3, 0]}
  C: {type: revolute, bodies: [left, plate], at: [1, 0]}
  D: {type: revolute, bodies: [plate, right], at: [4, 0]}
start: {A.angle': 1}
MODEL
exits 0 check flat.yaml
grep -qE '^  singular start +the start is a singular pose: rank 1, usually 2; branches meet here$' out || fail "flat parallelogram"
grep -qE '^  degrees of freedom +1$' out || fail "freedoms of a flat parallelogram"
grep -qE '^  rank +2 of 2 constraints are independent$' out || fail "usual rank of a flat parallelogram"
grep -qE '^  reactions unique +all$' out || fail "reactions of a flat parallelogram"
grep -qE '^  multipliers unique +all$' out || fail "multipliers of a flat parallelogram"

# a run tells how far what it does not hold is off, in its report, its summary and on its page
{ cat digits.yaml && echo "coordinates: absolute"; } >model.yaml
exits 0 run model.yaml --summary summary.json
grep -qE '^  repeated +5 constraints follow others, to [0-9.]+e-0[78] (m|rad) \(worst: hinge_[12]\.[a-z_]+ of joint hinge_[12]\) at t = ' out || fail "repeated constraints"
[ "$(member summary.json repeated.count)" = 5 ] || fail "how many are repeated"
near "$(member summary.json repeated.max)" 0 1e-6
member summary.json "notes[0]" | grep -qF "within the precision of the drawing" || fail "notes of the summary"
exits 0 report model.yaml -o page.html
grep -qF '"notes": [' page.html || fail "notes on the page"
grep -qF '5 constraints that repeat others follow to ' page.html || fail "repeated constraints in the verdict"
exits 0 run door.yaml --summary summary.json
grep -qE '^  repeated +5 constraints follow others exactly$' out || fail "exact hinges"
near "$(member summary.json repeated.max)" 0 0
exits 0 run driven.yaml --summary summary.json
grep -q '^  repeated' out && fail "nothing is repeated"
[ "$(member summary.json repeated)" = null ] || fail "nothing is repeated in the summary"

# ... and so does a file that is shown later
if "$KEEL" run model.yaml -o rows.h5 >out 2>err; then
    exits 0 report rows.h5 -o later.html
    grep -qF 'within the precision of the drawing' later.html || fail "notes of a file"
fi

# a start that was moved: which bodies, and how far
sed 's/^motions:/start: {A.angle: 0.3}\n&/; s/drive: {of: A.angle, speed: 1}/{}/; s/^  {}$//; s/^motions:$/motions: {}/' driven.yaml >moved.yaml
exits 0 run moved.yaml
grep -qE "note: assembled: .*; '[a-z]+' moved by [0-9.e-]+ and turned by [0-9.e-]+ degrees, '[a-z]+' moved by " err || fail "moved bodies"
