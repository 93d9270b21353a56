#!/bin/sh
# Runs fuzz targets of a build, each for a while or for a number of inputs; stops at the first input that breaks one.
#
#   scripts/fuzz.sh BUILD_DIR SECONDS [TARGET...]
#
# FUZZ_RUNS=N ends a target after N inputs, too. What a target learns is kept in BUILD_DIR/corpus, and it begins with the
# small inputs of fuzz/corpus. Files that it writes are in memory where there is /dev/shm.
set -eu
build=$1
seconds=$2
shift 2
[ $# -gt 0 ] || set -- $(cd "$build/fuzz" && find . -maxdepth 1 -type f -perm -100 -name 'fuzz_*' | sed 's:^./fuzz_::' | sort)
[ $# -gt 0 ] || { echo "no fuzz targets in $build/fuzz" >&2; exit 1; }
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then
    export TMPDIR=/dev/shm
fi
for name; do
    target=$build/fuzz/fuzz_$name
    corpus=$build/corpus/fuzz_$name
    mkdir -p "$corpus"
    options="-max_total_time=$seconds -timeout=10 -rss_limit_mb=2048 -artifact_prefix=$build/ -print_final_stats=1"
    [ -z "${FUZZ_RUNS:-}" ] || options="$options -runs=$FUZZ_RUNS"
    [ ! -f "fuzz/$name.dict" ] || options="$options -dict=fuzz/$name.dict"
    begins="$corpus"
    [ ! -d "fuzz/corpus/$name" ] || begins="$begins fuzz/corpus/$name"
    [ "$name" != model ] || begins="$begins models"
    echo "== fuzz_$name, at most $seconds s"
    # shellcheck disable=SC2086 # lists of words
    "$target" $options $begins
done
