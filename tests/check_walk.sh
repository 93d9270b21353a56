#!/bin/sh
# check_walk.sh SOURCE: the walk in ARCHITECTURE.md has at most twelve stations, and each function is defined in the file named with it.
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n '/^## What `keel run four_bar` does/,/^## A step/p' ARCHITECTURE.md >"$work/walk"
stations=$(grep -c '^[0-9]*\. ' "$work/walk")
[ "$stations" -ge 1 ] && [ "$stations" -le 12 ] || { echo "$stations stations"; exit 1; }
grep -oE '`[a-z0-9_/]+\.c` `[a-z0-9_]+`' "$work/walk" | tr -d '`' >"$work/named"
[ "$(wc -l <"$work/named")" -ge "$stations" ] || { echo "a station without a function"; exit 1; }
while read -r file function; do
    grep -qE "^[a-z].*\b$function\(" "$file" || { echo "$file does not define $function"; exit 1; }
done <"$work/named"
