#!/bin/sh
# Runs a program that takes a model file on all files of models/.
#
#   run_all_models.sh PROGRAM            in the folder of the sources
set -eu
failed=0
count=0
for model in models/*.yaml; do
    count=$((count + 1))
    "$1" "$model" >/dev/null || {
        echo "$model: failed" >&2
        failed=1
    }
done
[ "$count" -gt 50 ] || { echo "only $count models were found" >&2 && exit 1; }
exit $failed
