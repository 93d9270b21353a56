#!/bin/sh
# src/mechanism/generated is what tools/generate_laws.c makes of src/laws. After a change there: make laws
#
#   tests/check_generated_laws.sh PROGRAM SOURCE_DIR
set -eu
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$1" "$made"
if ! diff -r "$made" "$2/src/mechanism/generated" | head -20 | grep .; then
    echo "generated laws: as committed"
    exit 0
fi
echo "src/mechanism/generated differs from what its laws make: run 'make laws' and commit the result" >&2
exit 1
