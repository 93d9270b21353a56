#!/bin/sh
# What released programs and libraries are protected by (CMakeLists.txt), as their files tell. What shared libraries show is
# looked at where they are installed (cli/install.sh).
#
#   tests/check_hardening.sh BUILD_DIR PROGRAM LIBRARY...
set -eu
build=$1
program=$2
shift

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# has FILE WHAT PATTERN OPTIONS...: readelf tells it
has() {
    file=$1 what=$2 pattern=$3
    shift 3
    readelf -W "$@" "$file" | grep -Eq "$pattern" || fail "$file: $what"
}

lacks() {
    file=$1 what=$2 pattern=$3
    shift 3
    ! readelf -W "$@" "$file" | grep -Eq "$pattern" || fail "$file: $what"
}

has "$program" "not at a random address (no PIE)" 'Flags:.*PIE' -d
# which buffers are checked is up to the compiler; some calls of the program always are
has "$program" "no calls that look at the size of buffers" '__(memcpy|snprintf|vsnprintf|fprintf)_chk' --dyn-syms
for file; do
    has "$file" "its tables stay writable while it is loaded (no RELRO)" 'GNU_RELRO' -l
    has "$file" "functions of libraries are looked up late (not -z now)" 'BIND_NOW|Flags:.*NOW' -d
    has "$file" "no segment tells that the stack holds no code" 'GNU_STACK' -l
    has "$file" "no stack protector" '__stack_chk_fail' --dyn-syms
    lacks "$file" "some memory is both written and executed" '(LOAD|GNU_STACK).* RWE ' -l
    lacks "$file" "code is changed while it is loaded (TEXTREL)" 'TEXTREL' -d
done

# each source of the program and the libraries
sources=$(grep '"command":' "$build/compile_commands.json" | grep -E ' -c [^ ]*/(src|cli|papers)/[^ ]*\.c"')
[ "$(echo "$sources" | wc -l)" -gt 100 ] || fail "$build/compile_commands.json does not tell how sources are compiled"
for flag in -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fvisibility=hidden; do
    left=$(echo "$sources" | grep -cv -e "$flag" || true)
    [ "$left" -eq 0 ] || fail "$left sources are compiled without $flag"
done
echo "$# files are protected"
