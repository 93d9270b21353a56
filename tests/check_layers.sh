#!/bin/sh
# Holds the sources to the layers: a file of src/LAYER, or of papers/, includes only headers of its own layer and of those that
# the line keel_layer(LAYER ...) of CMakeLists.txt names. Public headers belong to the layer that implements them;
# a library from outside is seen by one layer only.
#
#   tests/check_layers.sh [SOURCE_DIR]
set -eu
cd "${1:-$(dirname "$0")/..}"

# header and its layer; the words and numbers of a method are plain data for everyone, though run has their tables
owners='
keel/status.h base        keel/diagnostics.h base
keel/pattern.h linalg     keel/saddle.h linalg        keel/rank.h linalg
keel/system.h system      keel/equations.h equations
keel/method.h base        keel/settings.h base        keel/step.h base
keel/run.h run             keel/verdict.h run        keel/verify.h run          keel/compare.h compare
keel/checkpoint.h run      keel/simulation.h run      keel/session.h session
keel/mechanism.h mechanism                            keel/assemble.h analyze
keel/mobility.h analyze    keel/dependence.h formulate
keel/native.h native      keel/modelfile.h modelfile                            keel/results.h results
amd.h linalg  klu.h linalg  libfyaml.h modelfile  hdf5.h results
'

{
    sed -n 's/^keel_layer(\(.*\))$/layer \1/p' CMakeLists.txt
    # shellcheck disable=SC2086  # a list of words
    echo owners $owners
    for folder in src/*/; do
        folder=${folder%/}
        echo "folder ${folder#src/}"
    done
    echo folder papers
    grep -rHnoE '^struct [a-z_0-9]+;|^(typedef )?struct [a-z_0-9]+ \{' src include papers --include='*.[ch]' |
        sed -E 's/^([^:]*):([0-9]*):(typedef )?struct ([a-z_0-9]+)( ?[;{])/struct \1 \2 \4 \5/'
    grep -rHn '^[ 	]*#[ 	]*include' src include papers --include='*.[ch]' |
        sed 's/^\([^:]*\):\([0-9]*\):[^"<]*["<]\([^">]*\)[">].*/include \1 \2 \3/'
} | awk '
    function complain(text) { print text; wrong++ }
    $1 == "layer" {
        known[$2] = 1; layers++
        for (i = 2; i <= NF; i++) sees[$2, $i] = 1
    }
    $1 == "owners" { for (i = 2; i < NF; i += 2) owner[$i] = $(i + 1) }
    $1 == "folder" && !($2 in known) { complain("src/" $2 ": no keel_layer line in CMakeLists.txt") }
    # a type that is only named is seen as well
    $1 == "struct" && $5 == "{" { split($2, part, "/"); home[$4] = part[1] == "src" ? part[2] : owner["keel/" part[3]] }
    $1 == "struct" && $5 == ";" { named[++names] = $2 " " $3 " " $4 }
    $1 == "include" {
        file = $2; header = $4; includes++
        split(file, part, "/")
        from = part[1] == "src" ? part[2] : part[1] == "papers" ? "papers" : owner["keel/" part[3]]
        if (file == "include/keel/keel.h") next
        if (from == "") { complain(file ": say in tests/check_layers.sh which layer it belongs to"); next }
        split(header, part, "/")
        if (part[1] ~ /^(cvode|ida|nvector|sundials|sunmatrix|sunlinsol)$/ && file !~ /^src\/integrate\/sundials\//)
            complain(file ":" $3 ": SUNDIALS stays in src/integrate/sundials")
        if (header in owner) to = owner[header]
        else if (part[1] in known) to = part[1]
        else if (part[1] == "keel") { complain(file ":" $3 ": " header " belongs to no layer"); next }
        else next   # the C library, or a file beside it
        if (part[2] == "" && from != to) complain(file ":" $3 ": only layer " to " uses <" header ">")
        if (!((from, to) in sees)) complain(file ":" $3 ": layer " from " may not see " to " (" header ")")
    }
    END {
        for (i = 1; i <= names; i++) {
            split(named[i], at, " "); split(at[1], part, "/"); to = home[at[3]]
            from = part[1] == "src" ? part[2] : part[1] == "papers" ? "papers" : owner["keel/" part[3]]
            if (to != "" && !((from, to) in sees)) complain(at[1] ":" at[2] ": layer " from " may not see " to " (struct " at[3] ")")
        }
        if (layers < 5 || includes < 20) complain("found only " layers + 0 " layers and " includes + 0 " includes")
        if (wrong) exit 1
        print layers " layers, " includes " includes: in order"
    }'
