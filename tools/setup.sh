#!/bin/sh
# Makes .venv and installs hermes-ops into it, editable, at the versions of constraints.txt.
#   sh tools/setup.sh base    what a user needs
#   sh tools/setup.sh dev     that, the extras that have tests, and the tools of `make check` and `make test`
# PYTHON=... says which Python to take. A POSIX shell script, because the Python it looks for may be too old or absent.
set -eu

what=${1:-base}
cd "$(dirname "$0")/.."

say() { printf '%s\n' "hermes-ops: $*" >&2; }
new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
makes_venvs() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }
version() { "$1" -c 'import platform; print(platform.python_version())' 2>/dev/null || true; }

find_python() { # the first that is new enough and can make a venv, else the first that is new enough
    fallback=
    for name in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        new_enough "$name" || continue
        makes_venvs "$name" && { echo "$name"; return; }
        fallback=${fallback:-$name}
    done
    echo "$fallback"
}

if [ ! -x .venv/bin/python ] || ! new_enough .venv/bin/python; then
    python=$(find_python)
    if [ -z "$python" ]; then
        found=$(version "${PYTHON:-python3}")
        say "needs Python 3.11 or newer; ${PYTHON:-python3} is ${found:-missing or does not run}." \
            "Install a newer one, or name it: make PYTHON=python3.12"
        exit 2
    fi
    if ! makes_venvs "$python"; then
        say "$python ($(version "$python")) can't make virtual environments: its ensurepip is missing." \
            "On Debian or Ubuntu: apt-get install python3-venv; then run make again."
        exit 2
    fi
    say "making .venv with $python ($(version "$python")); the first time takes about a minute"
    "$python" -m venv --clear .venv
fi

# -qq: errors only; a pip told of places that this machine lacks warns once a package otherwise
install() {
    .venv/bin/python -m pip --disable-pip-version-check install -qq --constraint constraints.txt "$@" || {
        say "installing failed, see above. Behind a proxy or with a mirror of your own, pip's usual settings count" \
            "(HTTPS_PROXY, PIP_INDEX_URL); then run make again."
        exit 1
    }
}

say "installing the versions that constraints.txt pins ($what)"
install pip # the one that comes with older Pythons knows neither --group nor --build-constraint
case $what in
base) install --build-constraint constraints.txt --editable . ;;
dev) install --build-constraint constraints.txt --editable '.[postgres,cluster,zst,sql,feishu,sandbox]' --group dev ;;
*) say "unknown set '$what': base or dev" && exit 2 ;;
esac
