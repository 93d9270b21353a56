#!/bin/sh
# The documents say what the program does: options, flags, methods, keys of the summary, first model.
. "$(dirname "$0")/common.sh"
docs=$SOURCE_DIR/docs

# docs/command-line.md has one table row for every option, made of the same words as the help, and no other
exits 0 run --help
awk -F '  +' '/^  name .*meaning$/ {on = 1; next} !NF {on = 0}
    on {printf "| `%s` | %s | %s | %s | %s | %s |\n", $2, $3, $4, $5, $6, $7}' out >options
[ "$(wc -l <options)" -ge 10 ] || fail "too few options in the help"
sed -n '/^## Options/,/^## /p' "$docs/command-line.md" | grep '^| `' >documented || true
diff options documented >out || fail "the table of options in docs/command-line.md is not that of 'keel run --help'"

# every flag of every command
for command in run check assemble report compare methods reproduce; do
    exits 0 $command --help
    sed -n 's/^  .\{4\}--\([a-z]*\) .*/\1/p' out >flags
    [ -s flags ] || fail "no flags in the help of $command"
    while read -r flag; do
        grep -qF -- "--$flag" "$docs/command-line.md" || fail "docs/command-line.md does not mention --$flag"
    done <flags
done

# every word of 'keel methods', with its combinations, in the table of README.md
exits 0 methods
awk '/^(integrator|formulation|stabilize)$/ {on = 1; next} !NF {on = 0} on {print $1}' out >words
[ "$(wc -l <words)" -ge 6 ] || fail "too few words in 'keel methods'"
while read -r word; do
    grep -qF -- "\`$word\`" "$SOURCE_DIR/README.md" || fail "README.md does not mention $word"
done <words

# docs/methods.md has the tables of 'keel methods --markdown', and these say the same as 'keel methods'
exits 0 methods --markdown
awk '/^<!-- keel methods --markdown: end -->$/ {on = 0} on; /^<!-- keel methods --markdown: begin -->$/ {on = 1}' \
    "$docs/methods.md" >tables
diff out tables >difference || fail "docs/methods.md is not 'keel methods --markdown': $(cat difference)"
# shellcheck disable=SC2016  # backticks of Markdown
tr -d '|`' <out | sed '/^---/d' | tr -s ' ' '\n' | grep . >from_markdown
exits 0 methods
tr -s ' ' '\n' <out | grep . >from_text
diff from_text from_markdown >difference ||
    fail "'keel methods' and 'keel methods --markdown' have different words: $(cat difference)"

# every key of a real summary, of a run with events and shared multipliers; the names of the model's own things
# are replaced by NAME
exits 0 run "$models/pendulum_redundant.yaml" --until 1 --method dop853/index1/gradient --verify --summary summary.json
"$JSON_PATHS" summary.json >paths || fail "not JSON"
# a model with invariants has a list of them
exits 0 run "$models/pendulum_period.yaml" --until 1 --summary invariants.json
# and one with repeated joints outputs that depend on how they share
exits 0 run "$models/door.yaml" --until 0.1 --summary door.json
# and one of six digits a note
sed "/hinge_2/s/axis: z/axis: [0.0000002, 0, 1]/" "$models/door.yaml" >digits.yaml
exits 0 run digits.yaml --until 0.1 --summary digits.json
grep -v '^invariants \|^shared_outputs \|^notes ' paths >most
"$JSON_PATHS" digits.json | grep '^notes' >>most
"$JSON_PATHS" invariants.json | grep '^invariants' >>most
"$JSON_PATHS" door.json | grep '^shared_outputs' | cat most - >paths
sed 's/ .*//; s/\[[0-9]*\]/[]/; s/^\(\(final\|verify\.errors\)\.\(q\|v\|v_rate\|z\|s\|lambda\|outputs\)\)\..*/\1.NAME/' paths | sort -u >keys
[ "$(wc -l <keys)" -ge 30 ] || fail "too few keys in the summary"
while read -r key; do
    grep -qF "| \`$key\` |" "$docs/summary.md" || fail "docs/summary.md does not list $key"
done <keys
# and the page lists nothing that is not there (z and s are empty objects for this model)
# shellcheck disable=SC2016  # backticks of Markdown
sed -n 's/^| `\([][a-z0-9_.]*\(NAME\)\{0,1\}\)` |.*/\1/p' "$docs/summary.md" | grep -v -e '^final\.[zs]\.NAME$' -e '^verify\.errors\.z\.NAME$' | sort -u >listed
diff keys listed >out || fail "docs/summary.md and a summary have different keys"

# the first model of README.md runs as it stands, and the report shown is the report it gives
awk '/^```yaml/ {on = 1; next} /^```/ {if (on) exit} on' "$SOURCE_DIR/README.md" >pendulum.yaml
[ -s pendulum.yaml ] || fail "README.md shows no model"
exits 0 run pendulum.yaml -o pendulum.csv
head -n 1 out | sed 's/held to .*//' >verdict
grep -qF "$(cat verdict)" "$SOURCE_DIR/README.md" || fail "README.md shows another verdict than: $(cat out)"
