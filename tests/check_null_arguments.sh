#!/bin/sh
# Every public function that takes a pointer is called with NULL in tests/contract/null_arguments.c.
#
#   check_null_arguments.sh SOURCE_DIR
set -eu
cd "$1"
status=0
count=0
# one declaration a line, without comments
for function in $(cat include/keel/*.h | tr '\n' ' ' | sed 's:/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/::g; s/;/;\n/g' |
    grep 'KEEL_API' | grep -o 'keel_[a-z0-9_]*(.*' | grep '(.*[*[]' | sed 's/(.*//'); do
    count=$((count + 1))
    grep -q "\b$function(" tests/contract/null_arguments.c || {
        echo "$function is not called with NULL in tests/contract/null_arguments.c" >&2
        status=1
    }
done
[ $count -ge 160 ] || { echo "only $count functions were found" >&2 && exit 1; }
exit $status
