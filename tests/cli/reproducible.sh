#!/bin/sh
# The same program gives the same bytes again: in another environment, at other addresses, with code of a compiler or without,
# read from a file or a pipe (docs/reproducibility.md).
. "$(dirname "$0")/common.sh"

for model in andrews wishbone slider_crank_bodies kepler; do
    for method in auto dopri5/index1/projection radau5 adams bdf; do
        exits 0 run "$models/$model.yaml" --until 0.05 --option output=0.01 --method $method -o a.csv
        (
            export LC_ALL=C.UTF-8 TZ=Asia/Tokyo KEEL_CACHE="$folder/elsewhere" HOME="$folder" MALLOC_PERTURB_=85
            exits 0 run "$models/$model.yaml" --until 0.05 --option output=0.01 --method $method -o b.csv
        )
        cmp -s a.csv b.csv || fail "$model $method: other bytes in another environment"
    done
    # whether formulas are shortened is part of what is asked for; who evaluates them is not
    exits 0 run "$models/$model.yaml" --until 0.05 --option output=0.01 --option code=tape -o tape.csv
    exits 0 run "$models/$model.yaml" --until 0.05 --option output=0.01 --option code=native -o native.csv
    cmp -s tape.csv native.csv || fail "$model: machine code has other numbers"
    [ "$(complete_csv a.csv)" -ge 5 ] || fail "$model: too few rows"
done
"$KEEL" run /dev/stdin --until 0.05 --option output=0.01 --method bdf -o c.csv <"$models/kepler.yaml" >out 2>err || fail "a model from a pipe"
cmp -s a.csv c.csv || fail "other bytes from a pipe"
