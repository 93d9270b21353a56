#!/bin/sh
# A step of one method of each kind grows with the number of bodies, not faster: the number of instructions for 60 and for
# 600 bodies of a chain, counted by callgrind (bench/scaling.c), gives an exponent of at most 1.1. (bdf-fixed/index1 is not
# among them: its Newton iterations become more, docs/scaling.md.)
#
#   tests/check_scaling.sh PROGRAM SOURCE_DIR      (bench_scaling)
set -eu
command -v valgrind >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$2/bench
KEPT=$work/kept STEPS=24 SIZES="60 600" MODELS=chain_bodies "$here/scaling.sh" "$1" dopri5/index1/projection rk4/nullspace/none \
    rk4/independent/none rk4/partitioned/none dopri5/penalty/none dopri5/augmented/projection adams/generalized_inverse/projection \
    dopri5/index1/gradient radau5/index1/projection bdf/index1/projection ida/ggl/none \
    hht/index2/none generalized-alpha/ggl/none bdf-fixed/index3/none hht/index3/none newmark/index3/projection | tee "$work/table"
awk -F '|' '
    /^\| [a-z0-9-]+\// {
        count++
        if (!($(NF - 1) + 0 > 0) || $(NF - 1) + 0 > 1.1) { print "too much:" $0; bad = 1 }
    }
    END { exit bad || count != 16 }' "$work/table"
