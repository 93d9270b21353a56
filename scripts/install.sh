#!/bin/sh
# Installs what was built, or removes it again. DESTDIR, if set, stands before every path.
#
#   scripts/install.sh BUILD PREFIX
#   scripts/install.sh --uninstall PREFIX
#
# The list of installed files stays with them, PREFIX/share/keel/installed.txt: removing needs no build tree.
set -eu

if [ $# -ne 2 ] || [ -z "$2" ]; then
    echo "usage: DESTDIR=... $0 BUILD|--uninstall PREFIX" >&2
    exit 2
fi
prefix=$2
case $prefix in
/*) ;;
*)
    echo "$0: PREFIX must begin with /, but is $prefix" >&2
    exit 2
    ;;
esac
root=${DESTDIR:-}
list=$root$prefix/share/keel/installed.txt

if [ "$1" = --uninstall ]; then
    if [ ! -f "$list" ]; then
        echo "$0: Keel is not installed in $root$prefix: $list is missing" >&2
        exit 1
    fi
    # files first, then folders of Keel's own and whatever else is empty, from the inside out
    while IFS= read -r file; do
        rm -f "$root$file"
        folder=${file%/*}
        while [ "$folder" != "$prefix" ] && [ -n "$folder" ]; do
            echo "$folder"
            folder=${folder%/*}
        done
    done <"$list" | sort -ru >"$list.folders"
    rm -f "$list"
    folders=$(cat "$list.folders")
    rm -f "$list.folders"
    echo "$folders" | while IFS= read -r folder; do
        rmdir "$root$folder" 2>/dev/null || true
    done
    rmdir "$root$prefix/share/keel" "$root$prefix/share" "$root$prefix" 2>/dev/null || true
    echo "Removed from $root$prefix."
    exit 0
fi

manifest=$1/install_manifest.txt
DESTDIR=$root cmake --install "$1" --prefix "$prefix" >/dev/null
mkdir -p "${list%/*}"
# cmake ends the list without a newline
{ cat "$manifest" && echo; } >"$list"
rm -f "$manifest"
echo "Installed in $root$prefix."
