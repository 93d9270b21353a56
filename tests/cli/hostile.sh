#!/bin/sh
# Files and arguments of somebody who means harm: nothing is waited for, nothing reaches the terminal that it would obey.
. "$(dirname "$0")/common.sh"
escape=$(printf '\033')

# nobody writes to these pipes; the time is only there to end a program that waits
mkfifo pipe.yaml pipe.csv pipe.h5
for case in "run pipe.yaml" "check pipe.yaml" "assemble pipe.yaml" "compare pipe.yaml" "report pipe.yaml"; do
    code=0
    # shellcheck disable=SC2086  # several words
    timeout -k 1 60 "$KEEL" $case >out 2>err </dev/null || code=$?
    [ $code -eq 2 ] || fail "keel $case: exit code $code"
    says err "pipe.yaml:1:1: error: the file is empty"
done
for case in "report pipe.csv" "report pipe.h5" "compare $models/pendulum.yaml --reference pipe.csv"; do
    code=0
    # shellcheck disable=SC2086
    timeout -k 1 60 "$KEEL" $case >out 2>err </dev/null || code=$?
    [ $code -eq 2 ] || fail "keel $case: exit code $code"
    says err "cannot be opened: it is a pipe or a device; results are read from files"
done
# whoever writes to a pipe is read, as slow as they are
{ sleep 1 && cat "$models/pendulum.yaml"; } | "$KEEL" check /dev/stdin >out 2>err || fail "a model from a pipe"

# control characters of both sets and bytes that are no text, in arguments and names of files
obeyed() {
    LC_ALL=C grep -q "$escape\|$(printf '\007')\|$(printf '\302\233')\|$(printf '\233')" out err && fail "$1: the terminal would obey"
    true
}
for text in "${escape}[31m" "$(printf 'a\302\23331mb')" "$(printf 'a\23331m')" "$(printf 'x\r\010\177\007')"; do
    for flag in --set --option; do
        exits 2 run "$models/pendulum.yaml" $flag "$text=1"
        obeyed "$flag"
    done
    exits 2 run "$models/pendulum.yaml" --method "$text"
    obeyed "--method"
    exits 2 run "$text.yaml"
    obeyed "a name of a file"
    exits 2 "$text"
    obeyed "a command"
    exits 2 help "$text"
    obeyed "help"
    exits 2 models "$text"
    obeyed "models"
    exits 2 report "$text.h5"
    obeyed "report"
done
exits 2 run "${escape}[31m.yaml"
says err "?[31m.yaml"
exits 2 run "$(printf 'größe.yaml')"
says err "größe.yaml"

# in texts of a model, that escapes of YAML can hold: each stands for a blank
for key in 'name: "@"' 'title: "@"' 'description: "@"' 'parameters: {"@": 1}' 'outputs: {"@": x}' 'outputs: {o: "@"}' \
    '"@": 1' 'simulate: {"@": 1}' 'simulate: {method: "@"}'; do
    printf 'keel: 1\n%s\nequations:\n  coordinates: {x: 1}\n  kinetic: "x'"'"'^2/2"\n' \
        "$(echo "$key" | sed 's/@/a\\e[31mb\\x07\\u009b1m/')" >named.yaml
    for command in run check assemble report; do
        code=0
        "$KEEL" $command named.yaml >out 2>err </dev/null || code=$?
        [ $code -eq 0 ] || [ $code -eq 2 ] || fail "$key: exit code $code"
        obeyed "$command with $key"
    done
done
