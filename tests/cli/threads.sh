#!/bin/sh
# Commands that work in threads: whatever their number, the same numbers come out. `make tsan` runs this with the thread sanitizer.
. "$(dirname "$0")/common.sh"

# Models of formulas, of bodies, with what long runs share, and with switches.
for model in andrews four_bar slider_crank_bodies wishbone rolling_coin; do
    for threads in 1 4; do
        exits 0 compare "$models/$model.yaml" --until 0.02 --tols 1e-4,1e-6 --steps 1e-3 \
            --methods 'dopri5/index1/*,radau5,bdf,adams,generalized-alpha' --json $model.$threads --threads $threads
        grep -v '"seconds"' $model.$threads >$model.$threads.cut
    done
    cmp -s $model.1.cut $model.4.cut || fail "$model: results depend on the number of threads"
    [ "$(wc -l <$model.4.cut)" -gt 50 ] || fail "$model: nothing was compared"
done

# what prepares a model for long runs is made once, by whichever run comes first
exits 0 compare "$models/slider_crank_bodies.yaml" --until 0.02 --tols 1e-4 --methods dopri5,dop853,adams --threads 4 --option code=tape

exits 0 reproduce 001 --threads 4
exits 0 run "$models/four_bar.yaml" --until 0.05 --verify
