#!/bin/sh
# Makes .venv ready: the pinned JupyterLab, the pinned Go kernel inside it, a warm build cache.
# What is there already and unchanged is left alone, so that a second run takes seconds and no network.
set -eu
cd "$(dirname "$0")/.."
root=$PWD venv=$PWD/.venv PYTHON=${PYTHON:-python3} GO=${GO:-go}
die() { echo "fwlab: $*" >&2; exit 1; }
step() { echo "fwlab: step $1 of 5, $2 % of a first run's time: $3"; } # step NUMBER SHARE WHAT

command -v "$PYTHON" >/dev/null 2>&1 ||
	die "$PYTHON is missing: install Python 3.9 or newer (https://www.python.org/downloads/), or say which: make lab PYTHON=/path/to/python3"
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
	die "$("$PYTHON" --version 2>&1) is too old: install Python 3.9 or newer, or say which: make lab PYTHON=/path/to/python3"
command -v "$GO" >/dev/null 2>&1 ||
	die "Go is missing: install Go 1.24.4 or newer (https://go.dev/dl/), or say which: make lab GO=/path/to/go"
GO=$(command -v "$GO")
(cd docker && "$GO" list -m) >/dev/null 2>&1 ||
	die "$(GOTOOLCHAIN=local "$GO" version) is too old: install Go 1.24.4 or newer (https://go.dev/dl/), or say which: make lab GO=/path/to/go"

# A virtual environment names its own folder and its Python: one that was moved or lost its Python is made anew.
if ! { [ "$(cat "$venv/.place" 2>/dev/null)" = "$venv" ] && "$venv/bin/python" -c ''; } 2>/dev/null; then
	"$PYTHON" -c 'import venv, ensurepip' 2>/dev/null ||
		die "$PYTHON has no venv module: sudo apt install python3-venv (Debian, Ubuntu), or say another: make lab PYTHON=/path/to/python3"
	step 1 5 "a virtual environment in .venv"
	rm -rf "$venv"
	"$PYTHON" -m venv "$venv"
	echo "$venv" >"$venv/.place"
fi

if ! cmp -s docker/requirements.txt "$venv/.packages"; then
	step 2 15 "JupyterLab, pinned by docker/requirements.txt"
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --requirement docker/requirements.txt ||
		die "pip failed: look at its message above; without a network, run make lab once with one"
	cp docker/requirements.txt "$venv/.packages"
fi
mkdir -p "$venv/share/jupyter/lab/settings" "$venv/etc/jupyter/labconfig"
cp docker/overrides.json "$venv/share/jupyter/lab/settings/overrides.json"
echo '{"MultiKernelManager": {"default_kernel_name": "gonb"}}' >"$venv/etc/jupyter/jupyter_server_config.json" # in a reader's own folder, too
# make course brings these, which put menus into JupyterLab; make formgrader needs their pages alone.
echo '{"disabledExtensions": {"@jupyter/nbgrader": true, "@jupyter-notebook/lab-extension": true}}' >"$venv/etc/jupyter/labconfig/page_config.json"

# The kernel's environment: where its tools are; the module of a notebook that lies in none; smaller binaries link faster; no C compiler is needed.
export CGO_ENABLED=0
path=$venv/bin:$(dirname "$GO"):'${PATH}' flags=$("$GO" env GOFLAGS)
want=$(printf '%s\n' "$path" "$flags" && cat docker/go.mod docker/go.sum docker/gopls docker/kernel docker/setup.sh)
install() { # install FOLDER PACKAGE...
	(cd docker && GOBIN=$1 && export GOBIN && shift && GOWORK=off "$GO" install -ldflags=-s "$@") ||
		die "go install failed: look at its message above; without a network, run make lab once with one"
}
if [ "$want" != "$(cat "$venv/.kernel" 2>/dev/null)" ]; then
	step 3 30 "the Go kernel and goimports, pinned by docker/go.mod"
	install "$venv/bin" github.com/janpfeifer/gonb golang.org/x/tools/cmd/goimports
	step 4 35 "gopls, which completes names"
	install "$venv/lib" golang.org/x/tools/gopls
	cp -f docker/gopls "$venv/bin/gopls"
	rm -rf "$venv/share/jupyter/kernels/gonb"
	# By its absolute path: by its bare name gonb -force_copy deletes an installed kernel and fails.
	PATH=$venv/bin:$PATH JUPYTER_DATA_DIR=$venv/share/jupyter "$venv/bin/gonb" -install -force_copy -raw_error \
		-logtostderr=false -log_file=/dev/null -stderrthreshold=FATAL
	cp docker/kernel "$venv/share/jupyter/kernels/gonb/start"
	"$venv/bin/python" - "$venv/share/jupyter/kernels/gonb/kernel.json" "$path" "$flags" "$root" <<-'E'
		import json, sys
		file, path, flags, root = sys.argv[1:]
		spec = json.load(open(file))
		spec["argv"][0] = file.replace("kernel.json", "start")
		spec["env"] = {"PATH": path, "FWOPT_DIR": root, "GOFLAGS": (flags + " -ldflags=-s").strip(), "CGO_ENABLED": "0"}
		json.dump(spec, open(file, "w"), indent=1)
	E
	printf '%s\n' "$want" >"$venv/.kernel"
fi

# As the kernel builds: the first cells then only link. In a workspace, as the kernel makes one: it reads the go.mod of more
# modules than the library alone, and without them the first cell would ask the network. A library that does not compile is its
# reader's business.
cell=$(mktemp -d)
trap 'rm -rf "$cell"' EXIT
(sleep 5 >/dev/null 2>&1 && step 5 15 "the library and what it draws with") & # not where all is compiled
said=$!
(cd "$cell" && "$GO" mod init cell && "$GO" work init . "$root" && exec "$GO" build github.com/projection-free/fwlab/... github.com/janpfeifer/gonb/gonbui testing) 2>"$cell/log" || {
	cat "$cell/log" >&2
	echo "fwlab: the library does not build; cells that import it will say the same" >&2
}
{ kill $said && wait $said; } 2>/dev/null || true
