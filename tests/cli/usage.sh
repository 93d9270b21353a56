#!/bin/sh
# Wrong command lines: exit code 2, nothing on standard output, a message that helps.
. "$(dirname "$0")/common.sh"
model=$models/pendulum.yaml

# wrong TEXT ARGUMENTS...: keel refuses, and says TEXT
wrong() {
    text=$1
    shift
    exits 2 "$@"
    silent out
    says err "$text"
    [ ! -e rows.csv ] || fail "rows.csv was written"
}

wrong "did you mean 'run'?" rnu "$model"
wrong "there is no command 'banana'" banana
wrong "there is no flag --tol before the command" --tol 1
wrong "which model?" run
wrong "one model at a time" run "$model" "$model"
wrong "did you mean --method?" run "$model" --metod rk4
wrong "there is no --banana" run "$model" --banana
wrong "there is no -x" run "$model" -x
wrong "--tol needs a value" run "$model" --tol
wrong "--help takes no value" run --help=1
wrong "'1e-8x' is not a number" run "$model" --tol 1e-8x -o rows.csv
wrong "'' is not a number" run "$model" --tol= -o rows.csv
wrong "'nan' is not a number" run "$model" --until nan -o rows.csv
wrong "--tol -1: error:" run "$model" --tol -1 -o rows.csv
wrong "--method rk5: error:" run "$model" --method rk5 -o rows.csv
wrong "rk4" run "$model" --method rk5
wrong "did you mean 'tolerance'?" run "$model" --option tolerence=1e-3 -o rows.csv
wrong "expected name=value" run "$model" --option tolerance -o rows.csv
wrong "--option metric=euclid: error: option 'metric' is one of the words natural, mass, identity, matrix" \
    run "$model" --option metric=euclid -o rows.csv
wrong "option 'singular' is one of the words continue, stop" run "$model" --option singular=1 -o rows.csv
wrong "'fast' is not a number" run "$model" --option until=fast -o rows.csv
wrong "'[[1]]' is not a number; a map or a matrix stands in the model file" run "$model" --option "K_P=[[1]]" -o rows.csv
wrong "--option K_D=-1: error: option 'K_D' is -1: it must be between 0 and" run "$model" --option K_D=-1 -o rows.csv
wrong "unknown option 'K_D.rod'" run "$model" --option K_D.rod=1 -o rows.csv
wrong "expected name=value" run "$model" --set =3 -o rows.csv
wrong "step" run "$model" --method rk4 -o rows.csv
wrong "end time" run "$model" --until -1 -o rows.csv
wrong "did you mean" run "$model" --set G=1 -o rows.csv
wrong "cannot both go to" run "$model" -o - --summary -
wrong "cannot both go to rows.csv" run "$model" -o rows.csv --summary rows.csv
wrong "is empty" run "$model" -o ""
wrong "takes no argument" methods now
wrong "takes no argument" methods --markdown now
wrong "did you mean --markdown?" methods --markdwn
wrong "which model?" check
wrong "did you mean --set?" check "$model" --sett g=1

# no arguments at all: the help, as an error
exits 2
silent out
says err "usage: keel COMMAND"

# help and version are answers: standard output, exit code 0
for arguments in --help -h help "help help"; do
    # shellcheck disable=SC2086  # several words
    exits 0 $arguments
    says out "usage: keel COMMAND"
    silent err
done
for command in run check methods; do
    exits 0 help $command
    cp out help
    exits 0 $command --help
    cmp out help || fail "keel help $command and keel $command --help differ"
    says out "usage: keel $command"
done
exits 0 --version
grep -qE '^keel [0-9]+\.[0-9]+\.[0-9]+$' out || fail "version: $(cat out)"

# every method that is listed can be run, and every other is refused
exits 0 methods
awk '/^partners/ {on = 1; for (i = 2; i <= NF; i++) name[i] = $i; next} !NF {on = 0}
    on {for (i = 2; i in name; i++) print name[i] "/" $1, $i}' out >partners
awk '/^integrator$/ {on = 1; next} !NF {on = 0} on {print $1}' out >integrators
awk '/^combinations/ {on = 1; for (i = 2; i < NF; i++) name[i] = $i; next} !NF {on = 0}
    on {for (i = 2; i in name && name[i] != "if"; i++) print $1 "/" name[i], $i}' out >pairs
[ "$(wc -l <integrators)" -ge 3 ] || fail "too few integrators"
grep -q 'ida/index1 unstabilised$' partners || fail "ida/index1 takes a stabiliser"
[ "$(wc -l <pairs)" -ge 28 ] || fail "too few pairs of formulation and stabiliser"
grep -q ' -$' pairs || fail "everything combines"
while read -r integrator; do
    while read -r pair possible; do
        method=$integrator/$pair
        case $(grep "^$integrator/${pair%/*} " partners) in
        *" -") possible=- ;;
        *unstabilised) [ "${pair#*/}" = none ] || possible=- ;;
        esac
        if [ "$possible" != yes ]; then
            exits 2 run "$model" --method "$method" --option step=0.01
            says err "(possible: "
            continue
        fi
        exits 0 run "$model" --method "$method" --option step=0.01 --until 0.08 --summary summary.json
        [ "$(member summary.json method.integrator | tr -d '"')/$(member summary.json method.formulation | tr -d '"')/$(
            member summary.json method.stabilize | tr -d '"')" = "$method" ] || fail "$method was not the method that ran"
    done <pairs
done <integrators

# what is left out is what the last column says
exits 0 methods
awk '/^combinations/ {on = 1; next} !NF {on = 0} on {print $1, $NF}' out >left_out
while read -r formulation stabilizer; do
    integrator=$(sed -n "s|^\([^/]*\)/$formulation yes\$|\1|p" partners | tail -n 1)
    exits 0 run "$model" --method "$integrator/$formulation" --option step=0.001 --until 0.05 --summary summary.json
    [ "$(member summary.json method.stabilize)" = "\"$stabilizer\"" ] || fail "$formulation goes with $stabilizer"
done <left_out

# auto tells what it chose and why
exits 0 run "$model" --method auto --until 0.05 --summary summary.json
[ "$(member summary.json method.reason)" != null ] || fail "no reason"
says out "chosen by auto: "
exits 0 run "$model" --method dop853 --until 0.05 --summary summary.json
[ "$(member summary.json method.reason)" = null ] || fail "a reason for what the user chose"

# a flag without effect is worth a word
exits 0 run "$model" --until 0.1 --step 0.1
says err "warning: "
exits 0 run "$model" --until 0.1 --method rk4 --step 0.01 --tol 1e-3
says err "warning: "
