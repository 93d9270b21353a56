#!/bin/sh
# Completion: what bash offers at places of a command line; zsh loads the same.
. "$(dirname "$0")/common.sh"
command -v bash >/dev/null || exit 77

mkdir bin
ln -s "$KEEL" bin/keel
PATH=$PWD/bin:$PATH

# offers WORDS...: what bash offers for the last word, one a line, into out
offers() {
    bash -c '
        source "$1"
        shift
        COMP_WORDS=("$@")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _keel
        [ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"
    ' bash "$SOURCE_DIR/completions/keel.bash" "$@" >out 2>err || fail "completion of $* failed"
    silent err
}

has() {
    for word in "$@"; do
        grep -qxF -- "$word" out || fail "not offered: $word"
    done
}

lacks() {
    for word in "$@"; do
        ! grep -qxF -- "$word" out || fail "offered: $word"
    done
}

offers keel ""
"$KEEL" help --words commands | cut -f 1 >commands
while read -r command; do
    has "$command"
done <commands
offers keel ru
has run
lacks check
while read -r command; do
    offers keel "$command" --
    has --help
done <commands
offers keel run --
has --method --option --set --output --summary --tol
touch stray.yaml
offers keel reproduce ""
has all 000 garcia 004
for command in help methods models reproduce; do
    offers keel $command ""
    lacks stray.yaml
done
for command in run check assemble report compare; do
    offers keel $command ""
    has stray.yaml
done
offers keel run --me
has --method
lacks --option
offers keel run -m gen
has generalized-alpha/index3/none
lacks bdf/index1/projection auto
offers keel run --method = bdf/index1/
has bdf/index1/projection bdf/index1/none
lacks bdf/nullspace/none
offers keel compare pendulum --methods rk4,bdf/index1/p
has rk4,bdf/index1/projection
lacks bdf/index1/projection
offers keel report rows.csv --model andr
has andrews
offers keel run --option met
has metric= metric_matrix=
offers keel run --option metric = ma
has mass matrix
lacks natural
offers keel run --option metric =
has natural mass identity matrix
offers keel run andr
has andrews andrews_bodies
lacks pendulum
touch andrews_mine.yaml
offers keel check andr
has andrews andrews_mine.yaml
offers keel run andrews -o andr
has andrews_mine.yaml
lacks andrews
offers keel help proj
has projection projection_mode
offers keel help rev
has revolute

if command -v zsh >/dev/null; then
    zsh -n "$SOURCE_DIR/completions/_keel" || fail "zsh does not read _keel"
    # the parts that need no line editor: what is asked of the program
    sed '$d' "$SOURCE_DIR/completions/_keel" >functions.zsh
    zsh -f -c '
        source ./functions.zsh
        _keel_program=keel
        _describe() { print -l -- $words; }
        _keel_offer commands commands
        _keel_field options metric
        _keel_field flags:run --method
    ' >out 2>err || fail "zsh"
    silent err
    says out "run:simulate a model"
    has "natural mass identity matrix" METHOD

    # and with its line editor: what is typed, a tab, what must appear then
    cat >typed.zsh <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='RE''ADY> '; fpath=($SOURCE_DIR/completions \$fpath); autoload -U compinit; compinit -u -D"
zpty -r -m shell seen '*READY> *'
while (( $# )); do
    zpty -n -w shell $'\x15'$1$'\t'
    zpty -r -m shell seen "*$2*" || exit 1
    shift 2
done
ZSH
    export SOURCE_DIR
    timeout 60 zsh -f typed.zsh 'keel che' 'keel check' 'keel run --summ' '--summary' \
        'keel run --option metric_m' 'metric_matrix=' 'keel run --option=scaling=bo' 'scaling=both' \
        'keel run -m rk4/index1/b' 'rk4/index1/baumgarte' 'keel run andrews_b' 'andrews_bodies' \
        'keel compare pendulum --methods rk4,bdf/nullspace/g' 'rk4,bdf/nullspace/gradient' \
        'keel help revol' 'revolute' >out 2>err || fail "zsh with its line editor"
fi
