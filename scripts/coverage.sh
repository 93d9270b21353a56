#!/bin/sh
# Which lines and branches of src/ the tests reach, from a build with coverage counters that has run them.
#
#   scripts/coverage.sh BUILD_DIR
#
# Prints a table per layer and writes two lists to BUILD_DIR: uncovered.txt, every line that never ran and every
# branch never taken, and unexplained.txt, those of them for which docs/coverage.md gives no reason. All of them count
# in the table. Branches are those of gcov -b without the exceptional ones; a header's lines and branches count once,
# as reached if any file that includes it reaches them.
set -eu
build=$1
source=$(cd "$(dirname "$0")/.." && pwd)
gcov=${GCOV:-gcov}

# a line for each line or branch of code: path, line number, branch number or 0, times taken, text of the line
read_counts() {
    find "$build/CMakeFiles" -path '*/layer_*' -name '*.gcno' -print0 |
        (cd "$source" && xargs -0 -n 64 "$gcov" --stdout --branch-probabilities --branch-counts) |
        awk -v root="$source/" '
            function text_of(line) {
                sub(/^[^:]*:[^:]*:[ \t]*/, "", line)
                return line
            }
            /^ +-: +0:Source:/ {
                path = $0
                sub(/^ +-: +0:Source:/, "", path)
                if (index(path, root) == 1)
                    path = substr(path, length(root) + 1)
                inside = path ~ /^src\//
                next
            }
            !inside || /^(function|call|unconditional|-+$)/ { next }
            /^branch/ {
                branch++
                if ($0 !~ /\(throw\)/)
                    print path "\t" number "\t" branch "\t" ($3 == "taken" ? $4 : 0) "\t" text
                next
            }
            {
                split($0, field, ":")
                count = field[1]
                gsub(/[ *]/, "", count)
                number = field[2] + 0
                branch = 0
                text = text_of($0)
                if (number > 0 && count != "-")
                    print path "\t" number "\t0\t" (count ~ /^[#=]/ ? 0 : count) "\t" text
            }'
}

# the rules of docs/coverage.md: rows "| `part of a path` | `part of a line` | reason |"
read_reasons() {
    awk -F ' *\\| *' '/^\| `/ { gsub(/`/, "", $2); gsub(/`/, "", $3); gsub(/&#124;/, "|", $3); print $2 "\t" $3 }' \
        "$source/docs/coverage.md"
}

read_reasons >"$build/reasons.txt"
read_counts >"$build/counts.txt"
awk -F '\t' -v uncovered="$build/uncovered.txt" -v unexplained="$build/unexplained.txt" '
    FILENAME ~ /reasons.txt$/ {
        reason_path[++reasons] = $1
        reason_text[reasons] = $2
        next
    }
    {
        key = $1 "\t" $2 "\t" $3
        if (!(key in taken)) {
            order[++keys] = key
            text[key] = $5
        }
        taken[key] += $4
    }
    function has_reason(path, words, k) {
        for (k = 1; k <= reasons; k++)
            if (index(path, reason_path[k]) && index(words, reason_text[k])) {
                used[k] = 1
                return 1
            }
        return 0
    }
    function percent(part, all) {
        return sprintf("%5.1f %%", all ? 100 * part / all : 100)
    }
    function row(name, lines, lines_run, branches, branches_taken, left) {
        return sprintf("%-12s %6d  %s  %8d  %s  %8d", name, lines, percent(lines_run, lines), branches,
            percent(branches_taken, branches), left)
    }
    END {
        printf "" >uncovered
        printf "" >unexplained
        for (i = 1; i <= keys; i++) {
            key = order[i]
            split(key, part, "\t")
            split(part[1], folder, "/")
            layer = folder[2]
            layers[layer] = 1
            kind = part[3] > 0
            count[layer, kind]++
            reached[layer, kind] += taken[key] > 0
            if (taken[key] > 0)
                continue
            what = kind ? "branch " part[3] " never taken" : "never runs"
            message = part[1] ":" part[2] ": " what ": " text[key]
            print message >uncovered
            if (!has_reason(part[1], text[key])) {
                print message >unexplained
                open[layer]++
            }
        }
        print "layer         lines  reached  branches    taken  unexplained"
        fflush()
        for (layer in layers)
            print row(layer, count[layer, 0], reached[layer, 0], count[layer, 1], reached[layer, 1], open[layer]) | "sort"
        close("sort")
        for (layer in layers) {
            lines += count[layer, 0]
            lines_run += reached[layer, 0]
            branches += count[layer, 1]
            branches_taken += reached[layer, 1]
            left += open[layer]
        }
        print row("all", lines, lines_run, branches, branches_taken, left)
        for (k = 1; k <= reasons; k++)
            if (!used[k])
                print "docs/coverage.md gives a reason for nothing: " reason_path[k] ", " reason_text[k]
    }' "$build/reasons.txt" "$build/counts.txt"
