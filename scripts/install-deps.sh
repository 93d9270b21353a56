#!/bin/sh
# Installs the packages that Keel needs on Debian and Ubuntu. Quick when nothing is missing.
#
#   scripts/install-deps.sh           what the build and the tests need
#   scripts/install-deps.sh --ci      also the tools of .ci/run: clang, clang-format, clang-tidy, sanitizers, valgrind
#   scripts/install-deps.sh web       what the report page in web/ needs, and only that: nodejs, npm, chromium
#   scripts/install-deps.sh python    also what the tests of the Python package need
#   scripts/install-deps.sh bench     also the solvers that bench/peers/ compares Keel with, and valgrind
#   scripts/install-deps.sh --check   installs nothing; fails and names what is missing
set -eu

packages="build-essential cmake ninja-build pkg-config libfyaml-dev libcmocka-dev"
packages="$packages libsuitesparse-dev liblapacke-dev libsundials-dev libhdf5-dev"
ci_packages="clang clang-format clang-tidy libclang-rt-14-dev valgrind zsh mandoc"
bench_packages="libsiconos-numerics-dev libsimbody-dev libmujoco-dev libdart-dev libode-dev valgrind"
python_packages="python3-venv python3-numpy python3-pytest python3-matplotlib python3-pandas mypy"
python_packages="$python_packages python3-nbclient python3-nbformat python3-ipykernel"

# Those whose program is not there; people often have node from elsewhere.
web_packages() {
    command -v node >/dev/null || echo nodejs
    command -v npm >/dev/null || echo npm
    command -v chromium >/dev/null || echo chromium
}

mode=install
for argument in "$@"; do
    case $argument in
    --ci) packages="$packages $ci_packages" ;;
    bench) packages="$packages $bench_packages" ;;
    python) packages="$packages $python_packages" ;;
    web) packages=$(web_packages) ;;
    --check) mode=check ;;
    *)
        echo "usage: $0 [--ci | bench | python | web] [--check]" >&2
        exit 2
        ;;
    esac
done

if ! command -v dpkg-query >/dev/null; then
    echo "Not Debian or Ubuntu: nothing was installed. Keel needs the equivalents of $packages" >&2
    exit 0
fi

missing=
for package in $packages; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ $mode = check ]; then
    echo "Missing packages:$missing" >&2
    echo "'make deps' installs them." >&2
    exit 1
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "Missing packages:$missing" >&2
        echo "Run this as root: apt-get update && apt-get install -y --no-install-recommends$missing" >&2
        exit 1
    fi
    as_root=sudo
fi
echo "Installing$missing"
$as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
# shellcheck disable=SC2086  # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
