#!/bin/sh
# docs/tutorial-four-bar.md step by step: its pieces of a model, put together, and its commands, in their order, print
# what is shown. "..." stands for lines that are left out; a line that is shown is the beginning of the real one.
. "$(dirname "$0")/common.sh"
tutorial=$SOURCE_DIR/docs/tutorial-four-bar.md
keel() {
    "$KEEL" "$@"
}

# expect: every line of the file `shown` begins a line of the file `out`, in the same order
expect() {
    awk 'NR == FNR {real[++n] = $0; next}
        $0 == "..." {next}
        {while (++i <= n && index(real[i], $0) != 1); if (i > n) {print "not printed: " $0; exit 1}}' out shown >missing ||
        fail "the tutorial, after '$command': $(cat missing)"
}

commands=0
command=
state=text
while IFS= read -r line; do
    case $state,$line in
    'text,```yaml') state=yaml ;;
    'text,```console') state=console ;;
    'yaml,```') state=text ;;
    'console,```'|'console,$ '*)
        [ -z "$command" ] || expect
        command=
        [ "$line" != '```' ] || { state=text && continue; }
        command=${line#\$ }
        commands=$((commands + 1))
        eval "$command" >out 2>err </dev/null || fail "the tutorial's command '$command' failed"
        : >shown
        ;;
    yaml,*) printf '%s\n' "$line" >>four-bar.yaml ;;
    console,*) printf '%s\n' "$line" >>shown ;;
    esac
done <"$tutorial"
[ "$commands" -ge 5 ] || fail "the tutorial has only $commands commands"

# the file that it ends with is the shipped one
exits 0 run four-bar.yaml --until 1 -o written.csv
exits 0 run "$models/four_bar.yaml" --until 1 -o shipped.csv
cmp -s written.csv shipped.csv || fail "the tutorial's model is not models/four_bar.yaml"
