#!/bin/sh
# Automatic gains and penalty masses: the order of fixed steps, short first steps, light carts under heavy poles.
. "$(dirname "$0")/common.sh"

# order A B: the ratio of two errors of steps with half the length is that of order 4
order() {
    awk -v a="$1" -v b="$2" 'BEGIN {exit !(a > 0 && b > 0 && log(a / b) / log(2) > 3.5)}' ||
        fail "errors $1 and $2 are not of order 4"
}

# difference FILE PATH: to the same value of exact.json
difference() {
    awk -v a="$(member "$1" "$2")" -v b="$(member exact.json "$2")" 'BEGIN {d = a - b; print d < 0 ? -d : d}'
}

# rk4 keeps its order in coordinates, velocities and multipliers
pendulum=$models/pendulum.yaml
exits 0 run "$pendulum" --until 1 --method dop853/index1/projection --tol 1e-13 --summary exact.json
for method in rk4/index1/baumgarte rk4/augmented/baumgarte; do
    for step in 0.01 0.005 0.0025; do
        exits 0 run "$pendulum" --until 1 --method $method --step $step --summary s$step.json
    done
    for path in final.q.x final.v.y final.lambda.rod; do
        order "$(difference s0.01.json $path)" "$(difference s0.005.json $path)"
        order "$(difference s0.005.json $path)" "$(difference s0.0025.json $path)"
    done
done

# a short first step leaves rows and steps alone
for integrator in dopri5 dop853 adams bdf radau5; do
    for first in 1e-3 1e-12; do
        exits 0 run "$pendulum" --until 5 --tol 1e-8 --method $integrator/index1/baumgarte --option first_step=$first \
            --option output=0.05 --summary first.json
        awk -v violation="$(member first.json violation.position.max)" 'BEGIN {exit !(violation < 1e-6)}' ||
            fail "$integrator with a first step of $first: violation $(member first.json violation.position.max)"
    done
done

# masses far apart: the load of the rod comes from the pole, whatever the cart weighs
cat >cart.yaml <<'MODEL'
keel: 1
name: a pole on a cart
parameters: {m: 1}
equations:
  coordinates: {s: 0, x: 0.6, y: 0.8}
  kinetic: m*s'^2/2 + (x'^2 + y'^2)/2
  potential: 9.81*y
  holonomic: {rod: (x - s)^2 + y^2 - 1}
simulate: {until: 2, tolerance: 1e-8}
MODEL
for mass in 1e-6 1e-3 1 1e6; do
    exits 0 run cart.yaml --set m=$mass --method dop853/index1/projection --tol 1e-12 --summary exact.json
    exits 0 run cart.yaml --set m=$mass --method dop853/penalty/baumgarte --summary penalty.json
    near "$(member penalty.json final.q.s)" "$(member exact.json final.q.s)" 1e-6
    [ "$(member penalty.json 'verdict.checks[1].promise')" = '"yields"' ] || fail "springs yield"
done
