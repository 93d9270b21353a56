# common.sh - what the tests of the program share. Sourced; every test runs in an empty folder of its own.
#
# KEEL is the program, JSON_PATHS the program of json_paths.c, SOURCE_DIR the top of the source tree.
# shellcheck shell=sh disable=SC2034
set -eu
: "${KEEL:?}" "${JSON_PATHS:?}" "${SOURCE_DIR:?}"
unset NO_COLOR
# what a sanitizer finds must not look like an exit code of the program
export ASAN_OPTIONS=exitcode=99 LSAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99 TSAN_OPTIONS=exitcode=99
models=$SOURCE_DIR/models
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "FAILED: $*" >&2
    for file in out err; do
        [ ! -e $file ] || { echo "--- $file" && head -n 40 $file; } >&2
    done
    exit 1
}

# exits CODE ARGUMENTS...: runs keel with its output in the files out and err
exits() {
    expected=$1
    shift
    code=0
    "$KEEL" "$@" >out 2>err </dev/null || code=$?
    [ "$code" -eq "$expected" ] || fail "keel $* exited with $code instead of $expected"
}

# says FILE TEXT: the file holds the text in one line
says() {
    grep -qF -- "$2" "$1" || fail "$1 does not say: $2"
}

silent() {
    [ ! -s "$1" ] || fail "$1 should be empty"
}

# member FILE PATH: the value of a member of a JSON file; fails if the file is not JSON or has no such member
member() {
    "$JSON_PATHS" "$1" >paths || fail "$1 is not JSON"
    awk -v path="$2" '$1 == path {sub(/^[^ ]* /, ""); print; found = 1} END {exit !found}' paths ||
        fail "$1 has no member $2"
}

# near A B TOLERANCE
near() {
    awk -v a="$1" -v b="$2" -v tolerance="$3" \
        'BEGIN {d = a - b; exit !(a != "" && b != "" && d <= tolerance && -d <= tolerance)}' ||
        fail "$1 is not within $3 of $2"
}

# complete_csv FILE: every line is complete and has as many fields as the header; prints the number of rows
complete_csv() {
    [ -s "$1" ] || fail "$1 is empty"
    [ -z "$(tail -c 1 "$1")" ] || fail "the last line of $1 is not complete"
    awk -F, 'NR == 1 {fields = NF} NF != fields {exit 1} END {print NR - 1}' "$1" || fail "$1 has rows of different length"
}
