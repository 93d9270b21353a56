#!/bin/sh
# Eight of Theo Jansen's legs on one crank that a torque drives, 45 degrees apart: a hub with eight planar loops of three
# circuits each. Lengths as Jansen gives them (a to m), in centimetres. Prints the model.
awk 'BEGIN {
    pi = atan2(0, -1)
    split("38 41.5 39.3 40.1 55.8 39.4 36.7 65.7 49 50 61.9", len, " ")
    a = len[1]; b = len[2]; c = len[3]; d = len[4]; e = len[5]; f = len[6]; g = len[7]; h = len[8]; i = len[9]; j = len[10]
    k = len[11]; l = 7.8; m = 15
    print "keel: 1\nname: eight Jansen legs on a crank\nplanar: true\ngravity: [0, -9.81]"
    print "points:\n  O: [0, 0]"
    for (n = 1; n <= 8; n++) {
        q = pi / 4 * (n - 1) + 0.1
        x["A"] = m * cos(q); y["A"] = m * sin(q)
        x["B"] = -a; y["B"] = -l
        meet("C", "A", j, "B", b, -1)    # above
        meet("D", "B", d, "C", e, 1)     # left
        meet("E", "A", k, "B", c, 1)     # below
        meet("F", "D", f, "E", g, -1)    # left
        meet("G", "F", h, "E", i, -1)    # the foot
        for (p in x) printf "  \"%s[%d]\": [%.15g, %.15g]\n", p, n, x[p] / 100, y[p] / 100
    }
    print "bodies:\n  crank: {mass: 2, centre: [0, 0], inertia: 0.02}"
    for (n = 1; n <= 8; n++) {
        rod("j", "A", "C"); rod("k", "A", "E"); rod("f", "D", "F"); rod("c", "B", "E")
        plate("upper", "B", "C", "D"); plate("foot", "E", "F", "G")
    }
    print "joints:\n  axle: {type: revolute, bodies: [ground, crank], at: O}"
    for (n = 1; n <= 8; n++) {
        pin("A1", "crank", "j", "A"); pin("A2", "crank", "k", "A"); pin("B1", "ground", "upper", "B"); pin("B2", "ground", "c", "B")
        pin("C", "j", "upper", "C"); pin("D", "upper", "f", "D"); pin("E1", "k", "foot", "E"); pin("E2", "c", "foot", "E")
        pin("F", "f", "foot", "F")
    }
    print "forces:\n  drive: {type: torque, body: crank, value: \"2 - 0.2*axle.angle'"'"'\"}"
    print "simulate: {until: 1, tolerance: 1e-6, output: 0.1}"
}
# the point at r from P and s from Q, to the left (side 1) or right of the way from P to Q
function meet(name, P, r, Q, s, side,    u, v, w, along, across) {
    u = x[Q] - x[P]; v = y[Q] - y[P]; w = sqrt(u * u + v * v)
    along = (r * r - s * s + w * w) / (2 * w); across = side * sqrt(r * r - along * along)
    x[name] = x[P] + (along * u - across * v) / w; y[name] = y[P] + (along * v + across * u) / w
}
function rod(name, P, Q) {
    printf "  \"%s[%d]\": {shape: rod, from: \"%s[%d]\", to: \"%s[%d]\", mass: 0.1}\n", name, n, P, n, Q, n
}
function plate(name, P, Q, R) {
    printf "  \"%s[%d]\":\n    parts:\n", name, n
    printf "      - {shape: rod, from: \"%s[%d]\", to: \"%s[%d]\", mass: 0.1}\n", P, n, Q, n
    printf "      - {shape: rod, from: \"%s[%d]\", to: \"%s[%d]\", mass: 0.1}\n", Q, n, R, n
}
function pin(name, one, two, P) {
    printf "  \"%s[%d]\": {type: revolute, bodies: [%s, \"%s[%d]\"], at: \"%s[%d]\"}\n", name "p", n, \
        (one == "crank" || one == "ground") ? one : "\"" one "[" n "]\"", two, n, P, n
}'
