#!/bin/sh
# keel check: sizes, degrees of freedom, dependent constraints, consistency of the start.
. "$(dirname "$0")/common.sh"

exits 0 check "$models/pendulum.yaml"
[ "$(head -n 1 out)" = "pendulum in Cartesian coordinates" ] || fail "name"
grep -qE '^  coordinates +2$' out || fail "coordinates"
grep -qE '^  constraints +1 holonomic, 0 nonholonomic$' out || fail "constraints"
grep -qE '^  degrees of freedom +1$' out || fail "degrees of freedom"
grep -qE '^  start +consistent as given$' out || fail "start"
grep -qE '^  rank +1 of 1 constraints are independent$' out || fail "rank"
grep -qE '^  rank gap +none: all rows count, the smallest remainder is 1$' out || fail "rank gap"
grep -qE '^  multipliers unique +all$' out || fail "multipliers"
grep -qE '^  (dependent|multipliers shared)' out && fail "something is dependent"
silent err

# the rod twice, and a constraint of its own: one of the rods is dependent, both reactions are open
cat >twice.yaml <<'MODEL'
keel: 1
name: rod twice
parameters: {L: 1}
equations:
  coordinates: {x: 1, y: 0, z: 0}
  kinetic: (x'^2 + y'^2 + z'^2)/2
  potential: 9.81*y
  holonomic: {rod: x^2 + y^2 - L^2, plane: z, copy: 3*(x^2 + y^2 - L^2)}
MODEL
exits 0 check twice.yaml
grep -qE '^  degrees of freedom +1$' out || fail "degrees of freedom"
grep -qE '^  rank +2 of 3 constraints are independent' out || fail "rank"
grep -qE '^  dependent +(rod|copy)$' out || fail "dependent"
grep -qE '^  multipliers shared +rod, copy$' out || fail "shared multipliers"
grep -qE '^  multipliers unique +plane$' out || fail "unique multipliers"

# the rod three times: two of three are dependent. Nothing of them is left beside the first, which is whole
exits 0 check "$models/kepler.yaml"
says out "angular_momentum"
exits 0 check "$models/pendulum_redundant.yaml"
grep -qE '^  degrees of freedom +1$' out || fail "degrees of freedom with three rods"
grep -qE '^  rank +1 of 3 constraints are independent$' out || fail "rank of three rods"
grep -qE '^  rank gap +(infinite|[0-9.]+e\+[0-9]+): the remainder 1 counts, [0-9.e-]+ does not$' out || fail "rank gap of three rods"
grep -qE '^  dependent +(rod, rod_again|rod, rod_once_more|rod_again, rod_once_more)$' out || fail "dependent rods"
grep -qE '^  multipliers shared +rod, rod_again, rod_once_more$' out || fail "three shared multipliers"
grep -qE '^  multipliers unique +none$' out || fail "no unique multiplier"

# settings that cannot be used are no fault of the start
sed 's/^simulate: {/simulate: {K_D: {rode: 1}, /' "$models/pendulum.yaml" >gain.yaml
exits 2 check gain.yaml
says err "option 'K_D': there is no row 'rode': did you mean 'rod'?"
grep -qE '^  start +not tried: the settings are wrong$' out || fail "start with wrong settings"

# a start that cannot be used: every violated constraint is named with its amount, x^2 + y^2 - 2^2 = -3
exits 2 check twice.yaml --set L=2
says err "rod"
grep -qE '^    position +rod +-3$' out || fail "violation of rod"
grep -qE '^    position +copy +-9$' out || fail "violation of copy"
grep -qE '^    position +plane' out && fail "plane is not violated"

# a small violation is repaired, and told: y = 0, so x moves by 1e-5 to first order
exits 0 check twice.yaml --set L=1.00001
grep -qE '^  start +consistent after moving coordinates by up to 1e-05' out || fail "repaired start"

# no constraints at all
cat >free.yaml <<'MODEL'
keel: 1
equations: {coordinates: {x: 1}, kinetic: x'^2/2}
MODEL
exits 0 check free.yaml
grep -qE '^  degrees of freedom +1$' out || fail "degrees of freedom of a free point"

# a rank that would take too long is left out, and that is told: 2010 constraints on 2010 coordinates
cat >large.yaml <<'MODEL'
keel: 1
parameters: {N: 2010}
equations:
  repeat:
    for: {i: 1..N}
    coordinates: {"x[i]": 0}
    kinetic: x[i]'^2/2
    holonomic: {"fixed[i]": x[i]}
MODEL
exits 0 check large.yaml
grep -qE "^  rank +2010 of 2010 constraints are independent" out || fail "rank of a large model"

exits 2 check missing.yaml
says err "missing.yaml"
