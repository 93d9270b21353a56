#!/bin/sh
# The verdict: exit code 3 and a line that says which promise a run broke; no NaN in any file.
. "$(dirname "$0")/common.sh"

cat >fall.yaml <<'MODEL'
keel: 1
name: a mass falls into a centre of attraction
equations:
  coordinates: {x: 1, y: 0}
  kinetic: (x'^2 + y'^2)/2
  potential: -1/sqrt(x^2 + y^2 + 1e-12)
outputs: {root: sqrt(x), inverse: 1/(x + 1)}
simulate: {until: 3, method: rk4/index1/none, step: 0.01}
MODEL

# a pole that fixed steps cross: energy, steps and an output
exits 3 run fall.yaml -o fall.csv --summary fall.json
[ "$(grep -c '^keel run: error: ' err)" -eq 1 ] || fail "one line tells the verdict"
says err "verdict 'energy': the energy is not accounted for"
says err "output 'root' is not finite from t = 1.12"
says out 'broken       steps do not follow the motion'
says out "broken       output 'root' is not finite at t = 1.12"
[ "$(member fall.json status)" = '"ok"' ] || fail "the run itself reached its end"
[ "$(member fall.json verdict.ok)" = false ] || fail "verdict.ok"
[ "$(member fall.json verdict.failed)" = '"energy"' ] || fail "verdict.failed"
for step in 0.1 0.03 0.003 0.001; do
    exits 3 run fall.yaml --step $step --summary step.json
    grep -A 1 '"steps",$' step.json | grep -q false || fail "step $step: the pole was crossed unseen"
done

# work that a step gets wrong shows as energy; steps tell whatever the energy says
cat >force.yaml <<'MODEL'
keel: 1
name: the same as a force
equations:
  coordinates: {x: 1}
  mass: {x: 1}
  forces: {x: -x/(x^2 + 1e-12)^1.5}
simulate: {until: 3, method: rk4/index1/none, step: 0.001}
MODEL
for step in 0.01 0.003 0.001; do
    exits 3 run force.yaml --step $step
    says out 'broken       steps do not follow the motion'
done

# implicit methods, too: a hammer that meets an anvil of 1e8 N/m within a step, and one through a pole of the force
cat >hammer.yaml <<'MODEL'
keel: 1
planar: true
gravity: 9.81
points: {O: [0, 0.5], H: [0.6, 0.5]}
bodies: {hammer: {shape: rod, from: O, to: H, mass: 2, points: [H]}}
joints: {O: {type: revolute, bodies: [ground, hammer]}}
forces:
  anvil: {type: force, body: hammer, at: H, vector: [0, "if(H.y < 0.1, 1e8*(0.1 - H.y)^1.5 - 3e3*H.y', 0)"]}
simulate: {until: 1}
MODEL
for method in midpoint conserving; do
    exits 3 run hammer.yaml --method $method --step 0.01
    says out 'broken       steps do not follow the motion'
done
cat >tangent.yaml <<'MODEL'
keel: 1
equations:
  coordinates: {x: 0, y: 0}
  velocities: {x: 1}
  kinetic: (x'^2 + y'^2)/2
  forces: {y: 0.1*tan(x)}
simulate: {until: 3}
MODEL
for method in midpoint trapezoidal newmark hht generalized-alpha bdf-fixed bdf-fixed/index3 conserving; do
    exits 3 run tangent.yaml --method $method --step 0.01
    says out 'broken       steps do not follow the motion'
done

# what has no finite value is an empty field, a number of its own, or null
exits 3 run fall.yaml -o fall.h5
exits 3 report fall.h5 -o fall.html # as the run did
says err "verdict 'energy': the energy is not accounted for"
grep -Eiq '(^|[^a-z])-?(nan|inf)([^a-z]|$)' fall.csv fall.json && fail "NaN in a file"
says fall.csv ',,'
complete_csv fall.csv >/dev/null
says fall.html "is not finite at t = 1.12"
exits 0 report fall.csv -o again.html

# a run that keeps its promises says so; exit code 0
exits 0 run "$models/pendulum.yaml" --until 5 --summary good.json
[ "$(member good.json verdict.ok)" = true ] || fail "a good run"
[ "$(member good.json verdict.failed)" = null ] || fail "nothing failed"
[ "$(member good.json 'verdict.checks[1].promise')" = '"exact"' ] || fail "promise of projection"

# none promises less, and breaks even that with steps that are far too long
exits 0 run "$models/pendulum.yaml" --until 5 --method dop853/index1/none --summary none.json
[ "$(member none.json 'verdict.checks[1].promise')" = '"drifts"' ] || fail "promise of none"
says none.json 'constraints drift by '
exits 3 run "$models/pendulum.yaml" --until 20 --method rk4/index1/none --step 0.5
says err "verdict '"

# a motor leaves no freedom: the work is all that a step can get wrong, and its error decides how long steps are
cat >shaft.yaml <<'MODEL'
keel: 1
name: an unbalanced shaft at constant speed
gravity: [1, -3, -9]
bodies: {shaft: {mass: 2, centre: [0.5, 0.3, 0.2], inertia: [0.24, 0.21, 0.25, 0.01, 0.02, -0.01]}}
joints: {bearing: {type: revolute, bodies: [ground, shaft], at: [0, 0, 0], axis: [3, -1, 2]}}
motions: {motor: {of: bearing.angle, speed: 3}}
simulate: {until: 2}
MODEL
for method in auto dopri5 radau5 adams bdf; do
    for tolerance in 1e-4 1e-6 1e-8 1e-10; do
        exits 0 run shaft.yaml --method $method --tol $tolerance || fail "shaft by $method, tolerance $tolerance"
    done
done

# where nothing moves all energies are round-off, and none is missing
cat >rest.yaml <<'MODEL'
keel: 1
name: a four-bar at rest in a tilted plane
gravity: [-6.603133312304159, 5.974956335781087, 4.115170378665822]
bodies:
  crank: {shape: rod, from: [0.261496179663572, 0.45900373321269905, -0.2468508070032632], to: [-0.03249961534815274, 0.2637897602021725, -0.4351536940147728], mass: 1, radius: 0.02}
  bar: {shape: rod, from: [-0.03249961534815274, 0.2637897602021725, -0.4351536940147728], to: [-0.2982456540400376, -0.48340547983901494, 0.2233129461268245], mass: 2, radius: 0.02}
  rocker: {shape: rod, from: [0.1794975128540151, -0.16618277369690923, 0.5293051375205275], to: [-0.2982456540400376, -0.48340547983901494, 0.2233129461268245], mass: 1.5, radius: 0.02}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0.261496179663572, 0.45900373321269905, -0.2468508070032632], axis: [0.6731022744448684, -0.6090679241367061, -0.41948729650008376]}
  A: {type: revolute, bodies: [crank, bar], at: [-0.03249961534815274, 0.2637897602021725, -0.4351536940147728], axis: [0.6731022744448684, -0.6090679241367061, -0.41948729650008376]}
  B: {type: revolute, bodies: [bar, rocker], at: [-0.2982456540400376, -0.48340547983901494, 0.2233129461268245], axis: [0.6731022744448684, -0.6090679241367061, -0.41948729650008376]}
  C: {type: revolute, bodies: [ground, rocker], at: [0.1794975128540151, -0.16618277369690923, 0.5293051375205275], axis: [0.6731022744448684, -0.6090679241367061, -0.41948729650008376]}
simulate: {until: 10, output: 1}
MODEL
for method in auto bdf radau9 generalized-alpha dopri5/index1/projection; do
    exits 0 run rest.yaml --method $method || fail "at rest by $method"
done

# the page of a model, and a comparison
exits 3 report fall.yaml -o page.html
says err "verdict 'energy'"
exits 0 compare fall.yaml --until 1.5 --methods rk4/index1/none --steps 0.01 --of x --json compare.json --reference fall.csv ||
    fail "compare"
[ "$(member compare.json 'runs[0].broken')" = '"energy"' ] || fail "compare marks what was broken"
says out 'broken: energy'
