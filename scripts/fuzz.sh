#!/bin/sh
# Runs every fuzz target of a build for a while; stops at the first input that breaks one.
#
#   scripts/fuzz.sh BUILD_DIR SECONDS
set -eu
build=$1
seconds=$2
found=0
for target in "$build"/fuzz/fuzz_*; do
    if [ ! -f "$target" ] || [ ! -x "$target" ]; then continue; fi
    found=1
    name=$(basename "$target")
    corpus=$build/corpus/$name
    dictionary=fuzz/${name#fuzz_}.dict
    mkdir -p "$corpus"
    set -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$build/" -print_final_stats=1
    [ ! -f "$dictionary" ] || set -- "$@" -dict="$dictionary"
    echo "== $name, $seconds s"
    "$target" "$@" "$corpus" models
done
[ $found -eq 1 ] || { echo "no fuzz targets in $build/fuzz" >&2; exit 1; }
