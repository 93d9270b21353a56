# Coulomb friction in joints that repeat each other: the mechanism holds an independent set of constraints, its friction
# sees the shortest multipliers of all, and the motion is the same in every orientation. Pins in one plane share nothing
# that presses them, so that a four-bar in a tilted plane moves like the planar one.
. "$(dirname "$0")/common.sh"

# v X Y Z: a vector of the drawing in the turned world
v() {
    awk -v x="$1" -v y="$2" -v z="$3" -v a="$turn" 'BEGIN {
        c = cos(a); s = sin(a); X = c * x - s * y; Y = s * x + c * y; x = X; y = Y
        b = 0.7 * a; c = cos(b); s = sin(b); Y = c * y - s * z; z = s * y + c * z; y = Y
        b = 0.4 * a; c = cos(b); s = sin(b); X = c * x + s * z; z = -s * x + c * z
        printf "[%.17g, %.17g, %.17g]", X, y, z}'
}
rubs='friction: {coulomb: 0.1, radius: 0.02, slip: 0.01}'
steps='simulate: {until: 0.5, tolerance: 1e-9, output: 0.5}'

# two_hinges TYPE: a body on a hinge and a second bearing on the same axis
two_hinges() {
    cat <<MODEL
keel: 1
gravity: $(v 0.5 -6 -4)
bodies:
  body: {mass: 2, centre: $(v 0.3 0.1 0.4), inertia: [0.1, 0.1, 0.1]}
joints:
  A: {type: revolute, bodies: [ground, body], at: $(v 0 0 0), axis: $(v 0 0 1), $rubs}
  B: {type: $1, bodies: [ground, body], at: $(v 0 0 1), axis: $(v 0 0 1), $rubs}
start: {"A.angle'": 3}
outputs: {rate: "A.angle'"}
$steps
MODEL
}

# pin NAME A B X Y
pin() {
    if [ "$plane" ]; then
        echo "  $1: {type: revolute, bodies: [$2, $3], at: [$4, $5], $rubs}"
    else
        echo "  $1: {type: revolute, bodies: [$2, $3], at: $(v "$4" "$5" 0), axis: $(v 0 0 1), $rubs}"
    fi
}

# bar NAME X Y
bar() {
    if [ "$plane" ]; then
        echo "  $1: {mass: 1, centre: [$2, $3], inertia: 0.05}"
    else
        echo "  $1: {mass: 1, centre: $(v "$2" "$3" 0), inertia: [0.05, 0.05, 0.05]}"
    fi
}

four_bar() {
    printf 'keel: 1\n'
    if [ "$plane" ]; then
        printf 'planar: true\ngravity: [0, -9.81]\n'
    else
        printf 'gravity: %s\n' "$(v 0 -9.81 0)"
    fi
    printf 'bodies:\n'
    bar crank 0.15 0.05
    bar coupler 0.6 0.35
    bar rocker 0.95 0.3
    printf 'joints:\n'
    pin O ground crank 0 0
    pin A crank coupler 0.3 0.1
    pin B coupler rocker 0.9 0.6
    pin C rocker ground 1 0
    printf "start: {\"O.angle'\": 3}\noutputs: {rate: \"O.angle'\"}\n%s\n" "$steps"
}

# rate METHOD: of model.yaml at the end; its repeated constraints are held back
rate() {
    exits 0 run model.yaml --method "$1" --summary s.json
    [ "$plane" ] || says out 'constraints follow others'
    member s.json final.outputs.rate
}

for type in cylindrical revolute; do
    expected=
    for turn in 0 0.5 2.1 4; do
        plane=
        two_hinges $type >model.yaml
        for method in auto radau5; do
            found=$(rate $method)
            expected=${expected:-$found}
            near "$found" "$expected" 1e-7
        done
        says err "has Coulomb friction, but part of its reaction can be shifted"
    done
    sed 's/, friction: {[^}]*}//' model.yaml >smooth && mv smooth model.yaml
    awk -v a="$expected" -v b="$(rate auto)" 'BEGIN {exit !(a - b > 1e-4 || b - a > 1e-4)}' || fail "friction does nothing: $expected"
done

plane=yes turn=0
four_bar >model.yaml
expected=$(rate auto)
plane=
for turn in 0 0.5 2.1 4; do
    four_bar >model.yaml
    for method in auto radau5; do
        near "$(rate $method)" "$expected" 1e-7
    done
done
