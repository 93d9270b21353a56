#!/bin/sh
# keel help WORD, keel models, models by name, and the manual page: each from the tables, and complete.
. "$(dirname "$0")/common.sh"

# every word of a method: what, when, partners that are valid, options that exist, a page that exists
exits 0 methods
awk '/^(integrator|formulation|stabilize)$/ {on = 1; next} !NF {on = 0} on {print $1}' out >words
[ "$(wc -l <words)" -ge 20 ] || fail "too few words"
exits 0 help --words methods
cut -f 1 out >all_methods
exits 0 help --words options
cut -f 1 out >all_options
while read -r word; do
    exits 0 help "$word"
    silent err
    says out "--method "
    says out "  when to use it"
    says out "  reference  "
    awk '/^  (formulations|stabilisers) and their/ {on = 1; next} !NF {on = 0} on' out >partners
    [ -s partners ] || fail "$word has no partners"
    awk '/^  options / {on = 1; next} !NF {on = 0} on && /^    [^ ]/ {print $1}' out >options
    grep -vxFf all_options options >unknown && fail "help on $word names options that do not exist: $(cat unknown)"
    page=$(sed -n 's/^  page  *//p' out | head -n 1)
    [ -f "$page" ] || fail "the page of $word does not exist: $page"
    [ "$(awk '/^  option, / {exit} {n++} END {print n}' out)" -le 50 ] || fail "help on $word is more than a screenful"
    [ "$(awk 'length > 100' out | wc -l)" -eq 0 ] || fail "help on $word has long lines"
done <words
# the options that a story names are all shown
exits 0 help generalized-alpha
says out "rho_infinity"
says out "generalized-alpha/index3/none"
exits 0 help bdf
says out "bdf/index1/projection"
says out "docs/bdf.md"
# partners are those of the table, no more and no less
exits 0 help independent
awk '/ and their / {on = 1; next} !NF {on = 0} on {for (i = 2; i <= NF; i++) {sub(",", "", $i); print $i "/independent/" $1}}' out |
    sort >from_help
grep /independent/ all_methods | sort >from_methods
diff from_help from_methods >difference || fail "partners of independent: $(cat difference)"

# methods as a whole
exits 0 help bdf/index1
says out "bdf/index1/projection"
exits 2 help bdf/index3
says err "integrator bdf has no formulation 'index3'"
exits 0 help auto
says out "dop853/index1/projection"

# joints and options
for joint in revolute spherical gear wheel point-on-plane; do
    exits 0 help $joint
    says out "in space"
    says out "docs/joints.md"
done
exits 0 help cylindrical
grep -qE '^ +conditions +4$' out || fail "conditions"
grep -qE '^ +freedoms +2$' out || fail "freedoms"
says out "does not exist there"
exits 0 help metric
says out "natural, mass, identity, matrix"
# a word of two kinds
exits 0 help penalty
says out "formulation, --method"
says out "option, --option penalty="

# what is not there
exits 2 help bfd
silent out
says err "there is no help on 'bfd'; did you mean 'bdf'?"
exits 2 help revolut
says err "did you mean 'revolute'?"
exits 2 help xyzzyplugh
says err "'keel help' tells what there is"
exits 2 help run check
says err "one word at a time"
exits 2 help --words nothing
says err "--words takes"
exits 2 help --words flags:rnu
says err "did you mean 'run'?"

# every registered command in the help and in the manual page, with all its flags
exits 0 help --words commands
cut -f 1 out >commands
exits 0 help
cp out help
exits 0 help --man
cp out keel.1
silent err
while read -r command; do
    grep -q "^  $command " help || fail "keel help does not list $command"
    grep -qF "\\fB$command\\fR" keel.1 || fail "the manual page does not list $command"
    grep -q "^\\.SS \"keel $command" keel.1 || fail "the manual page has no section on $command"
    awk -v command="$command" '/^\.S[SH]/ {on = index($0, "\"keel " command)} on' keel.1 | sed 's/\\-/-/g' >section
    exits 0 help --words "flags:$command"
    cut -f 1 out >flags
    grep -qxF -- --help flags || fail "$command has no --help"
    while read -r flag; do
        grep -qE -- "^\\\\fB(.*, )?$flag(,|\\\\fR)" section || fail "the manual page does not list $flag of $command"
    done <flags
    # what the help shows as a flag is a flag of the table
    "$KEEL" help "$command" | sed -n 's/^  .\{4\}\(--[a-z-]*\) .*/\1/p' >shown
    grep -vxFf flags shown >unknown && fail "flags of $command that are not in its table: $(cat unknown)"
done <commands
sed -n 's/\\-/-/g; s/^\\fB\(.*\)\\fR$/\1/p' keel.1 | sort -u >entries
sort -u words all_options | comm -23 - entries >out
[ ! -s out ] || fail "the manual page does not list these"
if command -v mandoc >/dev/null; then
    # the page has no date: it is that of its program
    mandoc -T lint -W warning keel.1 >lint 2>&1 || true
    grep -v 'missing date' lint >out && fail "the manual page has faults"
fi

# models: each with a title, found by name from anywhere, a file of that name first
exits 0 models
find "$models" -name "*.yaml" -exec basename {} .yaml \; | LC_ALL=C sort >shipped
sed '/^$/,$d' out | awk '{print $1}' | LC_ALL=C sort >listed
diff shipped listed >difference || fail "keel models: $(cat difference)"
sed '/^$/,$d' out | awk 'NF < 2' >untitled
[ ! -s untitled ] || fail "models without a title: $(cat untitled)"
says out "in $models."
exits 0 models pendulum
says out "pendulum in Cartesian coordinates"
says out "$models/pendulum.yaml"
says out "Source: "
exits 0 run pendulum --until 0.1 -o rows.csv
complete_csv rows.csv >/dev/null
exits 0 check pendulum.yaml
exits 0 assemble door
printf 'keel: 1\nname: my own\nequations: {coordinates: {x: 1}, kinetic: x^2}\n' >pendulum
sed 's/^name: .*/name: my own/' "$models/pendulum.yaml" >pendulum
exits 0 check pendulum
[ "$(head -n 1 out)" = "my own" ] || fail "a file must come before a model of its name"
rm pendulum
mkdir pendulum
exits 0 check pendulum

exits 2 run andrws
silent out
says err "keel run: error: there is no file 'andrws' and no model of that name; did you mean 'andrews'?"
exits 2 check andrws.yaml
says err "did you mean 'andrews'?"
exits 2 check xyzzyplugh
says err "'keel models' lists those there are"
exits 2 check ./andrews
says err "cannot open './andrews'"
exits 2 check ""
exits 2 models andrws
says err "did you mean 'andrews'?"
exits 2 models a b
says err "one model at a time"

# results never overwrite a model that was found by name
sum=$(cksum <"$models/pendulum_paper.yaml")
exits 2 run pendulum_paper --until 0.01 -o "$models/pendulum_paper.yaml"
says err "overwrite the model"
exits 2 assemble pendulum_paper -o "$models/pendulum_paper.yaml"
says err "overwrite the model"
[ "$sum" = "$(cksum <"$models/pendulum_paper.yaml")" ] || fail "the model was overwritten"
