#!/bin/sh
# Tests the Python package as a user gets it: the wheel, installed into a fresh virtual environment without network.
#
#   scripts/test-python.sh BUILD_DIR [pytest arguments]
set -eu
cd "$(dirname "$0")/.."
build=$1
shift
# that of Debian's packages, whichever comes first in PATH
python=/usr/bin/python3
venv=$build/python/venv
$python -m venv --clear --system-site-packages "$venv"
"$venv/bin/python" -m pip install --quiet --no-index --no-deps --disable-pip-version-check "$build"/python/keel-*.whl
$python -m mypy --config-file python/mypy.ini --no-error-summary --cache-dir "$build/python/mypy"
"$venv/bin/python" -m pytest -q -p no:cacheprovider python/tests "$@"
