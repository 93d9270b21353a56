#!/bin/sh
# Looks for mistakes in src, cli and papers without running anything. Any finding is a failure.
#
#   scripts/analyze.sh clang-tidy|gcc BUILD_DIR [PATH]
#
# clang-tidy: the checks of .clang-tidy. gcc: its analyzer, with the flags that BUILD_DIR, a configured build of gcc, compiles
# with. PATH: only sources with these letters in their path. What the analyzer of gcc 12 takes for a mistake and is none:
#
#   malloc-leak: memory whose owner is a struct of the caller; the sanitizer finds leaks, also where memory runs out
#   use-of-uninitialized-value: vectors and arrays that loops fill; valgrind and -Wmaybe-uninitialized look for these
#   and what the list below names
set -eu
tool=${1:-}
build=${2:?BUILD_DIR is missing}
only=${3:-}
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# file: message, with why it is none
cat >"$work/known" <<'KNOWN'
src/equations/natural.c: dereference of NULL	a program of M has a tape: natural coordinates are only offered for those
src/equations/tangent.c: dereference of NULL	the rows are those of the caller's struct
src/modelfile/yaml.c: dereference of NULL	libfyaml closes what it opened
KNOWN

# all findings, a line each
find_with_gcc() {
    # a command of each of these sources, that compiles to nothing
    sed -n 's/^ *"command": "\(.*\)",$/\1/p' "$build/compile_commands.json" | sed 's/\\"/"/g; s/\\\\/\\/g' |
        grep -E '/(src|cli|papers)/[^ ]*\.c$' | grep -F -- "$only" | sed -E 's/ -o [^ ]+/ -o \/dev\/null/; s/ -c / -S /' >"$work/commands"
    [ -s "$work/commands" ] || { echo "no sources in $build/compile_commands.json" >&2; exit 2; }
    flags="-fanalyzer -Wno-analyzer-malloc-leak -Wno-analyzer-use-of-uninitialized-value -fdiagnostics-plain-output"
    # CCACHE_DISABLE: the compiler is asked for what it says, not for what it makes
    (cd "$build" && CCACHE_DISABLE=1 xargs -P "$(nproc)" -d '\n' -I '{}' sh -c "{} $flags" <"$work/commands") 2>&1 |
        grep -E '(warning|error):' | sed "s:^$PWD/::" | sort -u >"$work/found" || true
    awk -F '\t' -v OFS='\t' 'FILENAME ~ /known$/ {known[++n] = $1; next}
        {
            place = $0
            sub(/:.*/, "", place)
            for (i = 1; i <= n; i++)
                if (index(known[i], place ": ") == 1 && index($0, substr(known[i], length(place) + 3)))
                    next
            print
        }' "$work/known" "$work/found"
}

find_with_clang_tidy() {
    git ls-files 'src/*.c' 'cli/*.c' 'papers/*.c' | grep -F -- "$only" >"$work/sources"
    xargs -P "$(nproc)" -n 16 clang-tidy --quiet -p "$build" <"$work/sources" 2>"$work/noise" || [ -s "$work/noise" ]
}

case $tool in
clang-tidy) find_with_clang_tidy >"$work/left" ;;
gcc) find_with_gcc >"$work/left" ;;
*)
    echo "usage: $0 clang-tidy|gcc BUILD_DIR [PATH]" >&2
    exit 2
    ;;
esac
if [ -s "$work/left" ]; then
    cat "$work/left"
    exit 1
fi
echo "$tool: $(cat "$work"/sources "$work"/commands 2>/dev/null | wc -l) sources, no findings"
