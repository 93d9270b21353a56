# A grid of slender rods: in a tilted plane of the space, where each loop repeats three conditions, it moves as the planar one
# does; and where rods have no inertia about their own axes, no round-off takes its place.
. "$(dirname "$0")/common.sh"

# grid N PLANAR: cells of N x N rods hung from a row of pins
grid() {
    awk -v N="$1" -v planar="$2" '
        function place(i, j,    x, y) {
            x = i + 0.3 * j; y = -j
            return planar ? sprintf("[%g, %g]", x, y) : sprintf("[%.17g, %.17g, %.17g]", 0.36 * x - 0.8 * y, 0.48 * x + 0.6 * y, 0.8 * x)
        }
        function pin(name, a, b, i, j) {
            printf "  %s: {type: revolute, bodies: [%s, %s], at: %s%s}\n", name, a, b, place(i, j), planar ? "" : ", axis: [-0.48, -0.64, 0.6]"
        }
        function bar(i, j) { return j ? "h_" i "_" j : "ground" }
        BEGIN {
            print "keel: 1\nplanar: " (planar ? "true\ngravity: [0, -9.81]" : "false\ngravity: [7.848, -5.886, 0]") "\nbodies:"
            for (j = 0; j <= N; j++)
                for (i = 0; i <= N; i++) {
                    if (j && i < N) printf "  h_%d_%d: {shape: rod, from: %s, to: %s, mass: 1}\n", i, j, place(i, j), place(i + 1, j)
                    if (j < N) printf "  v_%d_%d: {shape: rod, from: %s, to: %s, mass: 1}\n", i, j, place(i, j), place(i, j + 1)
                }
            print "joints:"
            for (j = 0; j <= N; j++)
                for (i = 0; i <= N; i++) {
                    first = bar(i < N ? i : i - 1, j)
                    if (j && i > 0 && i < N) pin("across_" i "_" j, bar(i - 1, j), first, i, j)
                    if (j) pin("above_" i "_" j, "v_" i "_" j - 1, first, i, j)
                    if (j < N) pin("below_" i "_" j, first, "v_" i "_" j, i, j)
                }
            print "outputs: {first: below_0_0.angle, last: v_" N "_" N - 1 (planar ? ".angle" : ".turn.x") "}"
            print "simulate: {until: 0.1, tolerance: 1e-8}"
        }'
}

grid 10 1 >planar.yaml
grid 10 0 >tilted.yaml
exits 0 check tilted.yaml
says out 'mobility             10; the count of bodies and joints (Gruebler) gives -290, 300 conditions are repeated'
exits 0 run planar.yaml --summary planar.json
exits 0 run tilted.yaml --summary tilted.json
near "$(member tilted.json final.outputs.first)" "$(member planar.json final.outputs.first)" 1e-7
near "$(member tilted.json count.rejected)" 0 0
awk -v gap="$(member tilted.json gap.smallest)" 'BEGIN {exit !(gap > 1e-4)}' || fail "no pose of the grid is singular"
