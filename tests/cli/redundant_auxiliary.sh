# Constraints that repeat each other through an auxiliary unknown: the pendulum moves like that with one constraint.
. "$(dirname "$0")/common.sh"

cat >plain.yaml <<'MODEL'
keel: 1
equations:
  coordinates: {x: 0.8, y: -0.6}
  kinetic: (x'^2 + y'^2)/2
  potential: 9.81*y
  holonomic: {rod: x^2 + y^2 - 1}
simulate: {until: 1, tolerance: 1e-10}
MODEL
cat >redundant.yaml <<'MODEL'
keel: 1
equations:
  coordinates: {x: 0.8, y: -0.6}
  kinetic: (x'^2 + y'^2)/2
  potential: 9.81*y
  auxiliary: {s: 1.3}
  auxiliary_equations: {length: s^2 - x^2 - y^2}
  holonomic: {by_length: s - 1, rod: x^2 + y^2 - 1, twice: 2*s - 2}
simulate: {until: 1, tolerance: 1e-10}
MODEL
for method in auto adams radau5; do
    exits 0 run plain.yaml --method $method --summary plain.json
    exits 0 run redundant.yaml --method $method --summary redundant.json
    for name in q.x q.y v.x v.y; do
        near "$(member redundant.json final.$name)" "$(member plain.json final.$name)" 1e-8
    done
done
exits 0 check redundant.yaml
says out '1 of 3 constraints are independent'
