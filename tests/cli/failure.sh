#!/bin/sh
# A run that fails on the way: exit code 1, the rows so far, and a summary that tells what happened.
. "$(dirname "$0")/common.sh"

# the force is not a number from t = 1 on
cat >late.yaml <<'MODEL'
keel: 1
name: force that ends
equations:
  coordinates: {x: 1, y: 0}
  kinetic: (x'^2 + y'^2)/2
  holonomic: {rod: x^2 + y^2 - 1}
  forces: {y: sqrt(1 - t)}
simulate: {until: 2, output: 0.1}
MODEL
for method in dop853 dopri5 "rk4 --step 0.05" adams radau5 radau9 bdf "bdf-fixed --step 0.05" ida/ggl ida/index1; do
    rm -f rows.csv summary.json
    # shellcheck disable=SC2086  # several words
    exits 1 run late.yaml --method $method -o rows.csv --summary summary.json
    says err "error: "
    rows=$(complete_csv rows.csv)
    [ "$rows" -ge 8 ] || fail "$method: only $rows rows"
    grep -qi nan rows.csv && fail "$method: NaN in a row"
    status=$(member summary.json status)
    [ "$status" = '"not_finite"' ] || [ "$status" = '"step_size"' ] || fail "$method: status $status"
    [ "$(member summary.json message)" != null ] || fail "$method: no message"
    near "$(member summary.json final.t)" 0.9 0.1001
    says err "force on 'y'' is not finite"
    case $method in
    ida*) near "$(member summary.json violation.position.max)" 0 1e-3 ;; # as far as the tolerance of 1e-6 goes, without projection
    *) near "$(member summary.json violation.position.max)" 0 1e-8 ;;
    esac
done

# the rod is pulled beyond its reach at t = sqrt(5)
cat >reach.yaml <<'MODEL'
keel: 1
name: pulled beyond its reach
equations:
  coordinates: {x: 0.5, y: sqrt(0.75)}
  velocities: {x: 0, y: 0}
  kinetic: (x'^2 + y'^2)/2
  holonomic:
    rod: x^2 + y^2 - 1
    puller: x - 0.5 - 0.1*t^2
simulate: {until: 5, tolerance: 1e-6, output: 0.1}
MODEL
for method in dop853 adams radau9 bdf ida/index1 ida/ggl; do
    rm -f rows.csv summary.json
    exits 1 run reach.yaml --method $method -o rows.csv --summary summary.json
    says err "t = 2.236"
    says err "constraints 'rod', 'puller' become dependent"
    [ "$(complete_csv rows.csv)" -eq 23 ] || fail "$method: $(complete_csv rows.csv) rows until 2.236"
    [ "$(member summary.json count.rows)" = 23 ] || fail "$method: count.rows"
    [ "$(member summary.json status)" = '"step_size"' ] || fail "$method: status"
done

# a quantity that is not constant: said once, and the state reached is kept
cat >damped.yaml <<'MODEL'
keel: 1
equations:
  coordinates: {x: 1, y: 0}
  velocities: {x: 0, y: 0}
  kinetic: (x'^2 + y'^2)/2
  potential: 9.81*y
  forces: {x: -0.1*x', y: -0.1*y'}
  holonomic: {rod: x^2 + y^2 - 1}
  invariants: {total: energy}
simulate: {until: 5, output: 0.1}
MODEL
rm -f rows.csv summary.json
exits 2 run damped.yaml -o rows.csv --summary summary.json
says err "t = 0.1: invariant 'total' is not constant along the motion"
[ "$(wc -l <err)" -eq 1 ] || fail "said more than once"
[ "$(complete_csv rows.csv)" -eq 1 ] || fail "damped: rows"
[ "$(member summary.json final.t)" != null ] || fail "no final state"
exits 0 run damped.yaml --option keep_invariants=no

# rows and steps that nobody can count are refused
exits 2 run "$models/pendulum.yaml" --until 1 --option output=1e-20
says err "option 'output' is 1e-20"
exits 2 run "$models/pendulum.yaml" --until 1 --method hht --step 1e-30
says err "option 'step' is 1e-30"

# a limit of the settings
exits 1 run "$models/pendulum.yaml" --option max_steps=5 --summary summary.json
[ "$(member summary.json status)" = '"limit"' ] || fail "max_steps: $(member summary.json status)"

# steps too long to be stable: what fails at last is not the cause
cat >unstable.yaml <<'MODEL'
keel: 1
equations: {coordinates: {x: 1}, kinetic: x'^2/2, potential: 5000*x^2}
simulate: {until: 100, output: 1}
MODEL
exits 1 run unstable.yaml --method rk4 --step 0.04
says err "which no force did (5e+03 at the start): steps are too long to follow the motion; take a smaller step than 0.04"
exits 1 run unstable.yaml --method rk4 --step 0.01 --option max_steps=100
! grep -q "which no force did" err || fail "a run that was only cut short is blamed for its energy"

# the part of a mechanism that is not finite, at the start and on the way
cat >gust.yaml <<'MODEL'
keel: 1
planar: true
bodies:
  arm: {mass: 1, centre: [0.5, 0], inertia: 0.1}
joints:
  hip: {type: revolute, bodies: [ground, arm], at: [0, 0]}
forces:
  calm: {type: force, body: arm, vector: [0, 1]}
  gust: {type: force, body: arm, vector: [0, sqrt(0.5 - t)]}
simulate: {until: 1, output: 0.1}
MODEL
for method in auto "rk4 --step 0.01" bdf; do
    # shellcheck disable=SC2086  # several words
    exits 1 run gust.yaml --method $method
    grep -qE "^gust.yaml:9:3: error: t = 0\.[45][0-9]*: .*the force on 'hip.angle'' is not finite: look at force 'gust'$" err || fail "gust with $method"
done
sed 's/sqrt(0.5 - t)/1\/t/' gust.yaml >early.yaml
for command in run check; do
    exits 2 $command early.yaml
    says err "early.yaml:9:3: error: t = 0: the force on 'hip.angle'' is not finite: look at force 'gust'"
done
sed -e 's/sqrt(0.5 - t)/0/' gust.yaml >late_motion.yaml
echo 'motions: {turn: {of: hip.angle, value: (0.5 - t)^1.5}}' >>late_motion.yaml
exits 1 run late_motion.yaml
says err "look at motion 'turn'"

# a law that ends or has a pole on the way: steps shrink towards it and never get there. Run by formulas, and by
# recursions (a ball joint has a quaternion)
cat >ball.yaml <<'MODEL'
keel: 1
bodies:
  arm: {mass: 1, centre: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  ball: {mass: 1, centre: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  hip: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: z}
  knee: {type: spherical, bodies: [arm, ball], at: [0.9, 0, 0]}
simulate: {until: 1, output: 0.1}
MODEL
for model in gust ball; do
    { sed -e 's/sqrt(0.5 - t)/0/' $model.yaml && printf 'motions:\n  turn: {of: hip.angle, value: sqrt(0.5 - t)}\n'; } >ending.yaml
    line=$(grep -n turn ending.yaml | cut -d: -f1)
    for method in auto adams bdf radau5 ida "rk4 --step 0.01" "hht --step 0.01"; do
        # shellcheck disable=SC2086  # several words
        exits 1 run ending.yaml --method $method
        grep -qE "^ending.yaml:$line:3: error: t = 0\.5[0-9]*: .*look at motion 'turn'(, which is not finite near t = 0\.5[0-9]*)?$" err || fail "$model: sqrt with $method"
    done
done
for law in "1/(0.5 - t)" "log(0.5 - t)" "sqrt(abs(t - 0.5))"; do
    { sed -e 's/sqrt(0.5 - t)/0/' gust.yaml && echo "motions: {turn: {of: hip.angle, value: $law}}"; } >pole.yaml
    exits 1 run pole.yaml
    says err "look at motion 'turn', which is not finite near t = 0.5"
done
for model in gust ball; do
    { grep -v -e forces: -e calm -e gust $model.yaml && printf 'forces:\n  push: {type: torque, joint: hip, value: 1/(t - 0.5)}\n'; } >pole.yaml
    exits 1 run pole.yaml
    says err "look at force 'push', which is not finite near t = 0.5"
done
# ... and where the step fails as a whole the forces are not to blame
{ sed -e 's/sqrt(0.5 - t)/0/' gust.yaml && echo "motions: {turn: {of: hip.angle, value: log(0.5 - t)}}"; } >pole.yaml
exits 1 run pole.yaml --method conserving --step 0.01
says err "the force on 'hip.angle'' is not finite; look at motion 'turn', which is not finite near t = 0.5"

# outputs that are not finite: told once each, and not all of them
{ sed -e 's/sqrt(0.5 - t)/0/' gust.yaml && echo 'outputs: {fine: t, root: sqrt(0.25 - t), log: log(-1 - t)}'; } >outputs.yaml
exits 3 run outputs.yaml -o rows.csv
says err "outputs.yaml:11:20: warning: output 'root' is not finite from t = 0.3"
says err "warning: output 'log' is not finite from t = 0"
[ "$(wc -l <err)" -eq 3 ] || fail "outputs are told more than once"
cat >formula_outputs.yaml <<'MODEL'
keel: 1
equations: {coordinates: {x: 1}, kinetic: x'^2/2, potential: x^2/2}
outputs:
  fine: t
  root: sqrt(0.25 - t)
simulate: {until: 1, output: 0.1}
MODEL
exits 3 run formula_outputs.yaml
says err "formula_outputs.yaml:5:3: warning: output 'root' is not finite from t = 0.3"
{ sed -e 's/sqrt(0.5 - t)/0/' gust.yaml && printf 'outputs:\n' && for i in 1 2 3 4 5 6 7 8 9 10 11; do echo "  o$i: log(-$i - t)"; done; } >many.yaml
exits 3 run many.yaml
says err "output 'o8' is not finite"
says err "warning: further outputs are not finite"
[ "$(wc -l <err)" -eq 10 ] || fail "all outputs are told"

# a dead point on the way to which friction grows without bound
cat >wiper.yaml <<'MODEL'
keel: 1
planar: true
points: {O: [0, 0], A: [0.04, 0], C: [0.25, 0.05], B: [0.22, 0.12], T: [0.25, 0.6]}
bodies:
  crank: {shape: rod, from: O, to: A, mass: 0.1}
  rod: {shape: rod, from: A, to: B, mass: 0.2}
  arm: {parts: [{shape: rod, from: C, to: T, mass: 0.5}, {mass: 0.05, at: B}]}
joints:
  O: {type: revolute, bodies: [ground, crank]}
  A: {type: revolute, bodies: [crank, rod]}
  B: {type: revolute, bodies: [rod, arm]}
  C: {type: revolute, bodies: [ground, arm], friction: {coulomb: 0.1, radius: 0.01}}
motions: {motor: {of: O.angle, speed: 2*pi}}
simulate: {until: 3, output: 0.01}
MODEL
for coordinates in relative absolute; do
    { cat wiper.yaml && echo "coordinates: $coordinates"; } >model.yaml
    for method in auto radau5 radau9 midpoint; do # each of them had its own way of not coming to an end
        exits 1 run model.yaml --method $method --tol 1e-4 --summary summary.json
        grep -qE "the motion 'motor' cannot be followed beyond t = 0\.4[0-9]*: the mechanism has reached a dead point, further on its joints \(.*'C'.*\) cannot close" err || fail "dead point of a wiper, $coordinates, $method"
        [ "$(member summary.json count.steps)" -lt 10000 ] || fail "wiper, $coordinates, $method: $(member summary.json count.steps) steps"
    done
    # the last state of ida cannot be evaluated: the run has failed nevertheless, and has a summary
    rm -f summary.json
    exits 1 run model.yaml --method ida --tol 1e-4 --summary summary.json
    says err "t = 0.4711"
    [ "$(member summary.json status)" = '"step_size"' ] || fail "wiper, $coordinates, ida: status"
done
