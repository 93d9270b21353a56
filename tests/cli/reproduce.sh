#!/bin/sh
# Experiments of papers: every table and figure has a row, the files are complete, the exit code tells the outcome.
. "$(dirname "$0")/common.sh"

# wrong TEXT ARGUMENTS...
wrong() {
    text=$1
    shift
    exits 2 reproduce "$@"
    silent out
    says err "$text"
}
wrong "there is no paper '005'" 005
wrong "is not a whole number" 001 --threads 0
wrong "the name after --markdown is empty" 001 --markdown ""
wrong "did you mean --markdown?" --markdwn x

# a quick paper, with everything it can write
exits 0 reproduce 001 -o data --markdown table.md --pages pages --threads 2
says out "All 14 robust claims agree."
says out "Claims that differ, as they depend on what the paper does not say"
silent err
cp out text
for path in format version title number paper text claims[0].id claims[0].what claims[0].claim claims[0].measured \
    claims[0].verdict claims[0].why claims[0].robust figures[0].title figures[0].x_label figures[0].y_label \
    figures[0].x_log figures[0].y_log figures[0].series[0].name figures[0].series[0].marks \
    tables[0].title tables[0].columns[0] tables[0].rows[0][0]; do
    member data/001.json "$path" >/dev/null
done
[ "$(member data/001.json format)" = '"keel-reproduction"' ] || fail "format"
[ "$(member data/001.json number)" = '"001"' ] || fail "number"

# figure 4 ends where the independent computation does: theta at t = 2
near "$(member data/001.json "figures[0].series[2].x[200]")" 2 1e-9
near "$(member data/001.json "figures[0].series[2].y[200]")" 15.24245053999 1e-7

# the page holds the data
grep -qF 'keel-reproduction' data/001.html || fail "no data in the page"
grep -qF '>null</script>' data/001.html && fail "the page is an empty template"

# the Markdown page and its pictures
says pages/terze.md "images/terze/fig05.svg"
for picture in $(sed -n 's/.*(\(images[^)]*\)).*/\1/p' pages/terze.md); do
    [ -s "pages/$picture" ] || fail "no picture $picture"
    tail -n 1 "pages/$picture" | grep -q '</svg>' || fail "$picture is not complete"
done

# the number of threads changes nothing
exits 0 reproduce terze --threads 1 -o again --markdown -
cmp data/001.json again/001.json || fail "another number of threads, another result"
cmp out table.md || fail "--markdown - is not --markdown FILE"

# places that cannot be written are told before the work
: >file
wrong "cannot make the folder file" 001 -o file
wrong "cannot make the folder nowhere/pages" 001 --pages nowhere/pages
wrong "cannot write nowhere/table.md" 001 --markdown nowhere/table.md

# every table, figure, proposition, remark and result of the five papers has a row in docs/reproduction.md, with a verdict and a reason
cat >places <<'PLACES'
000 figure 1
000 figure 2
000 figure 3
000 figure 4
000 figure 5
000 figure 6
000 figure 7
000 figure 8
000 figure 9
000 figure 10
000 figure 11
000 figure 12
000 figure 13
000 figure 14
000 figure 15
000 figure 16
001 figure 1
001 figure 2
001 figure 3
001 figure 4
001 figure 5
001 figure 6
001 figure 7
002 figure 1.1
002 figure 1.2
002 figure 1.3
002 figure 1.4
002 figure 2.1
002 table 3.1
002 theorem 3.1
002 theorem 3.2
003 figure 1
003 figure 2
003 figure 3
003 figure 4
004 figure 1
004 figure 2
004 figure 3
004 figure 4
004 figure 5
000 eq. 4
000 eq. 7
000 eq. 12
000 eq. 13
000 eq. 14
000 eq. 21
000 proposition 1
000 proposition 2
000 proposition 3
000 proposition 4
000 proposition 5
000 proposition 6
000 remark 1
000 remark 2
000 remark 3
000 remark 4
001 eq. 13, 17, 18
001 eq. 18
001 eq. 19
001 eq. 20
001 section 5.1.1
001 section 5.2.1
001 section 5.2.2
002 remark 2.1
002 remark 2.2
002 remark 3.1
002 remark 3.2
002 eq. 2.7
002 table 3.1, column dx
002 table 3.1, column dy
002 table 3.1, column dx'
002 table 3.1, column dlambda
002 table 3.1, RES without projection
003 eq. 16
003 eq. 17
003 eq. 18
003 eq. 23
003 section 5, BDF
004 eq. 6
004 eq. 7
004 eq. 13
004 eq. 16
004 eq. 19
004 eq. 30
004 eq. 31
004 proposition 1
004 remark 1
004 remark 2
004 remark 3
004 remark 4.1
004 remark 4.2
PLACES
while read -r place; do
    grep -qE "^\| ${place}( |,).*\| (agrees|differs|not comparable) \| [^|]+ \|$" "$SOURCE_DIR/docs/reproduction.md" ||
        fail "docs/reproduction.md has no complete row for $place"
done <places

# what the paper does not print legibly, or does not meet itself, is not compared; round-off of another size differs
while IFS='|' read -r place verdict; do
    grep -qE "^\| 002 table 3\.1, ${place} \|.*\| ${verdict} \| [^|]+ \|$" "$SOURCE_DIR/docs/reproduction.md" ||
        fail "docs/reproduction.md: table 3.1, $place is not '$verdict'"
done <<'VERDICTS'
TOL 1e-03, RES|not comparable
TOL 1e-04, gain|not comparable
TOL 1e-07, RES|differs
VERDICTS

# the questions have a page of their own
for question in "question 1, pendulum" "question 1, car axis" "question 2" "question 3, by the motion" "question 3, by the step" \
    "question 4" "question 5" "question 6"; do
    grep -qE "^\| ${question}( |,).*\| (agrees|differs) \|" "$SOURCE_DIR/docs/questions.md" || fail "docs/questions.md: no answer to $question"
done

# and that page has the rows that the program writes for this paper
grep '^| 001 [^[]' table.md >rows
[ "$(wc -l <rows)" -ge 19 ] || fail "too few rows"
grep '^| 001 [^[]' "$SOURCE_DIR/docs/reproduction.md" | cut -d '|' -f 2-4,6 >documented
cut -d '|' -f 2-4,6 rows | diff - documented >difference || fail "docs/reproduction.md is out of date: $(cat difference)"
