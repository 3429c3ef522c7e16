#!/bin/sh
# Makes bench/.venv ready: the peers, pinned, and gonum on OpenBLAS where a C compiler finds
# that library. What is there already and unchanged is left alone.
set -eu
cd "$(dirname "$0")"
venv=$PWD/.venv PYTHON=${PYTHON:-python3} GO=${GO:-go}
die() { echo "fwlab: $*" >&2; exit 1; }

command -v "$PYTHON" >/dev/null 2>&1 && "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
	die "the peers need Python 3.11 or newer: make bench PYTHON=/path/to/python3"
# A virtual environment names its own folder and its Python: one that was moved or lost its Python is made anew.
if ! { [ "$(cat "$venv/.place" 2>/dev/null)" = "$venv" ] && "$venv/bin/python" -c ''; } 2>/dev/null; then
	"$PYTHON" -c 'import venv, ensurepip' 2>/dev/null || die "$PYTHON has no venv module: sudo apt install python3-venv (Debian, Ubuntu)"
	rm -rf "$venv"
	"$PYTHON" -m venv "$venv"
	echo "$venv" >"$venv/.place"
fi
if ! cmp -s requirements.txt "$venv/.packages"; then
	echo "fwlab: the peers, pinned by bench/requirements.txt"
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.txt ||
		die "pip failed: look at its message above; without a network, run make bench-setup once with one"
	cp requirements.txt "$venv/.packages"
fi

: >"$venv/.netlib"
if (cd netlib && CGO_ENABLED=1 CGO_LDFLAGS=-lopenblas GOWORK=off "$GO" build -o "$venv/bin/netlib" .) 2>"$venv/netlib.log"; then
	echo "$venv/bin/netlib" >"$venv/.netlib"
else
	echo "fwlab: gonum on OpenBLAS is left out, for it does not build here: sudo apt install gcc libopenblas-dev (see bench/.venv/netlib.log)"
fi
