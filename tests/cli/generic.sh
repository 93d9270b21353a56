#!/bin/sh
# The generic mechanisms of the table of instructions (bench/generic/): each is drawn closed, and has the freedoms that counting by
# hand gives.
. "$(dirname "$0")/common.sh"

# has MODEL BODIES FREEDOMS
has() {
    file=$SOURCE_DIR/bench/generic/$1.yaml
    if [ ! -f "$file" ]; then
        file=$1.yaml
        sh "$SOURCE_DIR/bench/generic/$1.sh" >"$file"
    fi
    exits 0 check "$file"
    grep -qE "^  bodies +$2, " out || fail "$1: not $2 bodies"
    grep -qE "^  degrees of freedom +$3\$" out || fail "$1: not $3 degrees of freedom"
    says out "consistent as given"
}

has jansen_8 49 1         # a crank, and 48 bodies that follow it
has rssr_100 300 200      # of each loop the crank's turn and that of its coupler about itself
has grid_30 1711 29       # 870 free pins in the plane, 1711 rods
has chain_1000_balls 1000 3000
has wishbones_4 17 10     # 6 of the car, one of each wheel
has wishbones_4_bushings 17 50 # 6 of the car, 6 of each arm; of a corner 12 of tie rod and upright less 13 of its joints
has tree_1000 1000 900    # 950 rods, 50 links that take two freedoms and bring one
has ring_10 10 8
