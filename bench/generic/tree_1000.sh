#!/bin/sh
# A binary tree of 950 rods in the plane, each pinned to the end of its parent and held near its drawn angle by a torsion spring,
# and 50 rods between the ends of leaves that are one subtree apart: 50 loops. Prints the model.
awk -v BODIES=950 -v LOOPS=50 'BEGIN {
    print "keel: 1\nname: tree of a thousand bodies with fifty loops\nplanar: true\ngravity: [0, -9.81]\npoints:\n  \"P[0]\": [0, 0]"
    angle[1] = -1.5; x[0] = y[0] = 0; length_of[1] = 1
    for (n = 1; n <= BODIES; n++) {
        parent = int(n / 2)
        if (n > 1) { angle[n] = angle[parent] + (n % 2 ? 0.45 : -0.35); length_of[n] = 0.8 * length_of[parent] }
        x[n] = x[parent] + length_of[n] * cos(angle[n]); y[n] = y[parent] + length_of[n] * sin(angle[n])
        printf "  \"P[%d]\": [%.15g, %.15g]\n", n, x[n], y[n]
    }
    first = int(BODIES / 2) + 1
    print "bodies:"
    for (n = 1; n <= BODIES; n++) rod("rod", n, int(n / 2), n)
    for (k = 1; k <= LOOPS; k++) rod("link", k, first + 9 * k - 3, first + 9 * k)
    print "joints:"
    for (n = 1; n <= BODIES; n++)
        pin("pin", n, n == 1 ? "ground" : "\"rod[" int(n / 2) "]\"", "\"rod[" n "]\"", int(n / 2))
    for (k = 1; k <= LOOPS; k++) {
        pin("in", k, "\"rod[" first + 9 * k - 3 "]\"", "\"link[" k "]\"", first + 9 * k - 3)
        pin("out", k, "\"rod[" first + 9 * k "]\"", "\"link[" k "]\"", first + 9 * k)
    }
    print "forces:"
    for (n = 1; n <= BODIES; n++)
        printf "  \"hold[%d]\": {type: torsion, joint: \"pin[%d]\", stiffness: %.6g, damping: %.6g}\n", n, n, \
            20 * length_of[n] ^ 2, 0.1 * length_of[n] ^ 2
    print "simulate: {until: 0.1, tolerance: 1e-5, output: 0.05}"
}
function rod(name, n, from, to) {
    printf "  \"%s[%d]\": {shape: rod, from: \"P[%d]\", to: \"P[%d]\", mass: 0.1}\n", name, n, from, to
}
function pin(name, n, one, two, at) {
    printf "  \"%s[%d]\": {type: revolute, bodies: [%s, %s], at: \"P[%d]\"}\n", name, n, one, two, at
}'
