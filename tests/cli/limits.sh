#!/bin/sh
# Small files that ask for a lot: refused soon, by a limit of the whole model, which the message names with its place and
# with what raises it.
. "$(dirname "$0")/common.sh"
advice="if the model is meant to be so large, set KEEL_MODEL_SIZE=10 for ten times as much"

# several sums, each of them allowed
{
    printf 'keel: 1\nparameters:\n'
    for i in 1 2 3 4 5; do echo "  p$i: sum(i, 1, 300000, i)"; done
    printf "equations:\n  coordinates: {x: 1}\n  kinetic: x'^2/2\n"
} >sums.yaml
exits 2 check sums.yaml
says err "sums.yaml:6:7: error: all sums of a model may have 1000000 terms together, with this one they have 1200000; $advice"

# a mechanism whose every body needs a long sum
cat >bodies.yaml <<'MODEL'
keel: 1
planar: true
repeat: {for: {i: 1..1000}, bodies: {"b[i]": {mass: "1 + sum(j, 1, 100000, j)", centre: [i, 0], inertia: 1}}}
MODEL
exits 2 run bodies.yaml
says err "bodies.yaml:3:"
says err "all sums of a model may have 1000000 terms together"

# few terms, many derivatives
cat >derivatives.yaml <<'MODEL'
keel: 1
parameters: {N: 2500}
equations:
  repeat: {for: {i: 1..N}, coordinates: {"x[i]": i}}
  kinetic: sum(i, 1, N, x[i]'*cos(x[i]))^2 + sum(i, 1, N, x[i]'^2)/2
MODEL
exits 2 run derivatives.yaml
says err "derivatives.yaml:5:12: error: the formulas of the model and their derivatives have more than 6000000 operations, this one the most of them; $advice"

# suggestions for thousands of misspelt names, of which a few messages are shown; the time is only there to end what does not end
awk 'BEGIN {
    printf "keel: 1\nparameters: {p0: 1"
    for (i = 1; i < 20000; i++)
        printf ", parameter_number_%d: parameter_nunber_%d", i, i + 1
    print "}\nequations:\n  coordinates: {x: 1}\n  kinetic: x'"'"'^2/2"
}' >misspelt.yaml
code=0
timeout -k 1 120 "$KEEL" check misspelt.yaml >out 2>err || code=$?
[ $code -eq 2 ] || fail "20000 misspelt names: exit code $code"
says err "did you mean 'parameter_number_2'?"
awk 'BEGIN {
    printf "keel: 1\nplanar: true\nbodies: {b0: {mass: 1, centre: [0, 0], inertia: 1}"
    for (i = 1; i < 10000; i++)
        printf ", body_number_%d: {mass: 1, centre: [0, %d], inertia: 1}", i, i
    printf "}\njoints: {j0: {type: revolute, bodies: [ground, b0], at: [0, 0]}"
    for (i = 1; i < 10000; i++)
        printf ", j%d: {type: revolute, bodies: [ground, body_nunber_%d], at: [0, 0]}", i, i
    print "}"
}' >misspelt.yaml
code=0
timeout -k 1 120 "$KEEL" check misspelt.yaml >out 2>err || code=$?
[ $code -eq 2 ] || fail "10000 misspelt bodies: exit code $code"
says err "did you mean 'body_number_1'?"

# the user, not the file, may allow more
cat >outputs.yaml <<'MODEL'
keel: 1
equations:
  coordinates: {x: 1}
  kinetic: x'^2/2
outputs: {repeat: {for: {i: 1..150000}, "o[i]": x*i}}
MODEL
exits 2 check outputs.yaml
says err "outputs.yaml:5:42: error: the model has more than 250000 entries: is the range of the repeat block right? $advice"
export KEEL_MODEL_SIZE=2
exits 0 check outputs.yaml
export KEEL_MODEL_SIZE=much
exits 0 check "$models/pendulum.yaml"
says err "KEEL_MODEL_SIZE: warning: 'much' is not a number from 1 to 1000: no effect"
unset KEEL_MODEL_SIZE

# expansions that YAML would allow
printf 'a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n' >aliases.yaml
exits 2 check aliases.yaml
says err "aliases.yaml:1:4: error: anchors (&name) are not part of the model format"
awk 'BEGIN {printf "a: "; for (i = 0; i < 100000; i++) printf "["; print ""}' >deep.yaml
exits 2 check deep.yaml
says err "deep.yaml:1:67: error: maps and lists are nested more than 64 deep"
awk "BEGIN {print \"keel: 1\nequations:\n  coordinates: {x: 1}\n  kinetic: x'^2/2\"; printf \"  potential: \"; for (i = 0; i < 100000; i++) printf \"(\"; print \"x\"}" >nested.yaml
exits 2 check nested.yaml
says err "nested.yaml:5:270: error: nested more than 256 levels deep"

# freedoms by the thousand are not looked at one by one
cat >many.yaml <<'MODEL'
keel: 1
repeat: {for: {i: 1..1000}, bodies: {"b[i]": {mass: 1, inertia: [1, 1, 1], centre: [i, 0, 0]}}}
MODEL
(
    ulimit -t 5
    exits 0 check many.yaml
)
says out "mobility             6000"
