#!/bin/sh
# A sheet of 30 x 30 pins with rods between neighbours, hung by its upper row: 29 freedoms, 1711 rods, 841 loops. The places are a
# little off a square lattice, so that no loop is a parallelogram. Prints the model; with a number, that of so many pins
# squared.
awk -v N="${1:-30}" 'BEGIN {
    print "keel: 1\nname: grid of pinned rods\nplanar: true\ngravity: [0, -9.81]\npoints:"
    for (j = 0; j < N; j++)
        for (i = 0; i < N; i++)
            printf "  \"P[%d,%d]\": [%.15g, %.15g]\n", i, j, 0.1 * (i + 0.1 * sin(7 * i + 3 * j)), \
                -0.1 * (j + 0.1 * sin(5 * i + 11 * j))
    print "bodies:"
    for (j = 1; j < N; j++)
        for (i = 0; i < N; i++) {
            rod(sprintf("v[%d,%d]", i, j), i, j - 1, i, j)
            if (i < N - 1) rod(sprintf("h[%d,%d]", i, j), i, j, i + 1, j)
        }
    print "joints:"
    for (j = 0; j < N; j++)
        for (i = 0; i < N; i++) {
            count = 0
            if (j == 0) meet[++count] = "ground"
            if (j > 0) meet[++count] = sprintf("v[%d,%d]", i, j)
            if (j > 0 && i > 0) meet[++count] = sprintf("h[%d,%d]", i - 1, j)
            if (j > 0 && i < N - 1) meet[++count] = sprintf("h[%d,%d]", i, j)
            if (j < N - 1) meet[++count] = sprintf("v[%d,%d]", i, j + 1)
            for (k = 2; k <= count; k++)
                printf "  \"pin%d[%d,%d]\": {type: revolute, bodies: [\"%s\", \"%s\"], at: \"P[%d,%d]\"}\n", k - 1, i, j, meet[1], \
                    meet[k], i, j
        }
    print "simulate: {until: 0.05, tolerance: 1e-4, output: 0.05}"
}
function rod(name, i, j, k, l) {
    printf "  \"%s\": {shape: rod, from: \"P[%d,%d]\", to: \"P[%d,%d]\", mass: 0.05}\n", name, i, j, k, l
}'
