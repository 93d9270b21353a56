#!/bin/sh
# With little memory every command ends soon, with its result or with a message. What a sanitizer takes for itself is
# more than these limits: not for its builds.
. "$(dirname "$0")/common.sh"
(ulimit -v 50000 && "$KEEL" --version >/dev/null 2>&1) || exit 77

cat >chain.yaml <<'MODEL'
keel: 1
planar: true
gravity: 9.81
parameters: {N: 2000}
bodies: {bar: {mass: 1, centre: [0.5, 0], inertia: 1}}
joints:
  pin: {type: revolute, bodies: [ground, bar], at: [0, 0]}
  first: {type: revolute, bodies: [bar, "b[1]"], at: [1, 0]}
repeat:
  - {for: {i: 1..N}, bodies: {"b[i]": {mass: 1, centre: [i + 0.5, 0], inertia: 1}}}
  - {for: {i: 2..N}, joints: {"p[i]": {type: revolute, bodies: ["b[i-1]", "b[i]"], at: [i, 0]}}}
simulate: {until: 0.01, tolerance: 1e-3}
MODEL
exits 0 run "$models/four_bar.yaml" --until 0.05 -o kept.h5

failed=0
for limit in 50000 51000 53000 55000 58000 62000 66000 70000 100000 200000; do
    for command in "run chain.yaml" "check chain.yaml" "assemble chain.yaml" "report chain.yaml -o page.html" \
        "report kept.h5 -o page.html" "run $models/excavator.yaml --until 0.01 -o rows.h5" \
        "compare $models/pendulum.yaml --methods rk4 --tols 1e-3 --until 0.1" models "help run"; do
        code=0
        # shellcheck disable=SC2086  # several words
        (ulimit -v $limit && exec timeout 20 "$KEEL" $command) >out 2>err </dev/null || code=$?
        [ $code -le 1 ] || fail "keel $command with $limit kB: exit code $code"
        [ $code -eq 0 ] && continue
        failed=$((failed + 1))
        says err "memory"
    done
done
[ $failed -gt 0 ] || fail "no limit was too low: this test tests nothing"
