#!/bin/sh
# check_peers_absent.sh SOURCE: the project configures without the libraries that bench/peers/ compares Keel with, and
# then offers none of the drivers that need them; the rest, the target bench_peers included, is there.
set -eu
source=$1
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

# OFF is a value for find_library that is false and not searched again.
absent="SICONOS_EXTERNALS_LIBRARY SUNDIALS_arkode_LIBRARY SUNDIALS_sunlinsolklu_LIBRARY"
set --
for library in $absent; do
    set -- "$@" "-D$library=OFF"
done
for package in Simbody mujoco dart DART ode; do
    set -- "$@" "-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"
done
cmake -S "$source" -B "$build" "$@" >"$build/log" 2>&1 || {
    cat "$build/log"
    echo "the project does not configure without $absent"
    exit 1
}

targets=$(cmake --build "$build" --target help)
for name in keel bench_peers; do
    echo "$targets" | grep -qw "$name" || {
        echo "there is no target $name without the peers' libraries"
        exit 1
    }
done
for name in peer_hem5 peer_radau5 peer_arkode peer_ida; do
    if echo "$targets" | grep -qw "$name"; then
        echo "$name is offered although its library is absent"
        exit 1
    fi
done
