#!/bin/sh
# Every file of tests/broken: keel check exits with 2 and says on standard error what the file's own first lines
# expect, as PATH:LINE:COLUMN: error: TEXT.
. "$(dirname "$0")/common.sh"

count=0
for file in "$SOURCE_DIR"/tests/broken/*.yaml; do
    exits 2 check "$file"
    sed -n '/^# expect: /!q; s/^# expect: //p' "$file" >expected
    [ -s expected ] || fail "$file does not say what is expected"
    while IFS= read -r line; do
        place=$(expr "$line" : '\([0-9]*:[0-9]*\): ' || true)
        text=${line#"$place: "}
        if [ -n "$place" ]; then
            says err "$file:$place: error: $text"
        else
            says err "error: $text"
        fi
    done <expected
    count=$((count + 1))
done
[ $count -ge 100 ] || fail "only $count files in tests/broken"

# what cannot be kept as a file
: >empty.yaml
exits 2 check empty.yaml
says err "empty.yaml:1:1: error: the file is empty: a model begins with 'keel: 1'"

printf 'keel: 1\nname: \000\001\n' >binary.yaml
exits 2 check binary.yaml
says err "binary.yaml:2:7: error: this does not look like a text file: the byte 0x00 is a control character"

{ printf 'keel: 1\nname: '; head -c 10485760 /dev/zero | tr '\0' x; } >long.yaml
exits 2 check long.yaml
says err "long.yaml:2:7: error: a single text of 10485760 bytes: the limit is 1048576"

{ printf 'keel: 1\nname: '; head -c 10000 /dev/zero | tr '\0' '['; } >deep.yaml
exits 2 check deep.yaml
says err "deep.yaml:2:70: error: maps and lists are nested more than 64 deep"

mkdir folder.yaml
exits 2 check folder.yaml
says err "folder.yaml: error: cannot read 'folder.yaml': Is a directory"

exits 2 check missing.yaml
says err "missing.yaml: error: cannot open 'missing.yaml': No such file or directory"
