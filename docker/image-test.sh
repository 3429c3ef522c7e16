#!/usr/bin/env bash
# Builds the image through .binder/ and checks what it promises. It runs with no network and 2 GB of memory.
# No registry is asked: stand-ins take the places of the official bases, poorer than those, so that they hide no missing step.
#   IMAGE_WORK=DIR keeps the layers in DIR for the next run.
set -euo pipefail
cd "$(dirname "$0")/.."
die() { echo "image test: $*" >&2; exit 1; }

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	die "it needs root on Debian; elsewhere build the image with: docker build -t fwlab -f docker/Dockerfile ."
fi
command -v go >/dev/null || die "Go is missing: install it (https://go.dev/dl/)"
missing=()
for tool in podman runc mmdebstrap; do command -v "$tool" >/dev/null || missing+=("$tool"); done
if [ ${#missing[@]} -gt 0 ]; then
	export DEBIAN_FRONTEND=noninteractive
	{ apt-get -o DPkg::Lock::Timeout=300 update -qq && apt-get -o DPkg::Lock::Timeout=300 install -qq -y --no-install-recommends "${missing[@]}"; } >/dev/null ||
		die "cannot install ${missing[*]}: look at apt's message above"
fi

W=${IMAGE_WORK:-$(mktemp -d)}
mkdir -p "$W/tmp/home"
W=$(cd "$W" && pwd)
# Settings and storage of our own, from here on: the machine's containers are left alone.
export CONTAINERS_CONF=$W/containers.conf CONTAINERS_STORAGE_CONF=$W/storage.conf TMPDIR=$W/tmp DISABLE_HC_SYSTEMD=true
child=
finish() {
	[ -z "$child" ] || { kill -- "-$child" && wait "$child"; } 2>/dev/null || true
	podman rm -fa -t 1 >/dev/null 2>&1 || true
	# A build that was cut off leaves mounts.
	awk -v dir="$W/" 'index($2, dir) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount -l 2>/dev/null || true
	rm -rf "$W/tmp"
	[ -n "${IMAGE_WORK:-}" ] || rm -rf "$W"
}
trap finish EXIT
trap 'exit 130' INT TERM

# runc, since crun refuses cgroups of both versions; limits that root may set in a container too.
limit() { local hard; hard=$(ulimit "$1"); [ "$hard" != unlimited ] && [ "$hard" -lt "$2" ] || hard=$2; echo "$hard:$hard"; }
cat >"$W/containers.conf" <<-C
	[containers]
	default_ulimits = ["nofile=$(limit -Hn 20000)", "nproc=$(limit -Hu 16384)"]
	[engine]
	runtime = "runc"
	cgroup_manager = "cgroupfs"
	events_logger = "none"
	tmp_dir = "$W/libpod"
C
cat >"$W/storage.conf" <<-C
	[storage]
	driver = "overlay"
	graphroot = "$W/store"
	runroot = "$W/run"
C

background() { # in a process group of its own, so that finish can end it whole
	set -m
	"$@" &
	child=$!
	set +m
}
step() { # step NAME COMMAND...: its seconds, its output only if it fails
	local name=$1 began=$SECONDS
	shift
	background "$@" >"$W/log" 2>&1 </dev/null
	wait "$child" || { tail -40 "$W/log" >&2; die "$name failed"; }
	child=
	echo "   $name: $((SECONDS - began)) s"
}
build() { podman build --jobs 2 --network host --pull=never --format docker --isolation chroot --force-rm --layers="$layers" "$@"; }
layers=false
[ -z "${IMAGE_WORK:-}" ] || layers=true

arg() { sed -n "s/^ARG $1=//p" .binder/Dockerfile; }
GO_IMAGE=$(arg GO_IMAGE) BASE_IMAGE=$(arg BASE_IMAGE)
echo "stand-ins for $BASE_IMAGE and $GO_IMAGE (with $(go env GOVERSION)):"
# shellcheck disable=SC2016 # mmdebstrap's shell knows $1
debian() { # with this machine's own certificate authorities, if it has any
	mmdebstrap --mode=root --variant=minbase --include=usr-is-merged --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
		--aptopt='Acquire::Languages "none"' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
		--customize-hook='if [ -d /usr/local/share/ca-certificates ]; then cp -r /usr/local/share/ca-certificates "$1/usr/local/share/"; fi' \
		--customize-hook='rm -f "$1"/etc/resolv.conf "$1"/etc/hostname' bookworm "$W/base.tar"
	podman import --change 'ENV PIP_CERT=/etc/ssl/certs/ca-certificates.crt' "$W/base.tar" "$BASE_IMAGE"
	rm "$W/base.tar"
}
golang() {
	build -t "$GO_IMAGE" -f - "$(go env GOROOT)" <<-E
		FROM $BASE_IMAGE
		RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
		ENV PATH=/go/bin:/usr/local/go/bin:\$PATH GOPATH=/go
		COPY . /usr/local/go
	E
}
podman image exists "$BASE_IMAGE" || step "debian stand-in" debian
podman image exists "$GO_IMAGE" || step "golang stand-in" golang
step "the image" build -t fwlab -f .binder/Dockerfile .

passed=0 failed=0
check() { # check WHAT GOT WANTED
	if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAIL $1: got '${2:0:300}', wanted '$3'"; fi
}
start() { # start NAME OPTIONS... [fwlab COMMAND...]: a server; waits until it is healthy
	local name=$1 began=$SECONDS
	shift
	podman run -d --name "$name" --network none --memory 2g -e JUPYTER_TOKEN=secret "$@" >/dev/null
	until podman healthcheck run "$name" >/dev/null 2>&1; do
		[ $((SECONDS - began)) -lt 60 ] || { podman logs "$name" 2>&1 | tail -20 && die "the server in $name is not healthy after a minute"; }
		sleep 0.3
	done
	echo "   $name: healthy after $((SECONDS - began)) s"
}
page=fwlab/notebooks/quickstart.ipynb
runs() { # runs CONTAINER [--whole]: whether the page does
	if podman exec -i "$1" python3 - "$page" "${@:2}" <docker/image_check.py >&2; then echo yes; fi
}

start plain fwlab
get() { # get PATH [CONTAINER]
	podman exec -i "${2:-plain}" python3 - "$1" <<<'import sys, urllib.request as u, urllib.error as e
try: print(u.urlopen("http://127.0.0.1:8888" + sys.argv[1]).read().decode())
except e.HTTPError as x: print(x.code)'; }
check "a request without the token" "$(get /api/contents)" 403
check "kernels" "$(get '/api/kernelspecs?token=secret' | grep -o '"default": "[a-z0-9]*"')" '"default": "gonb"'
check "extensions" "$(get '/lab?token=secret' | grep -o '"can_install": [a-z]*')" '"can_install": false'
check "uid" "$(podman exec plain id -u)" 1000
check "HOME is writable" "$(podman exec plain sh -c 'touch ~/x && echo yes')" yes
check "a terminal finds go" "$(podman exec plain bash -lc 'cd /opt/fwlab && go list -m')" github.com/projection-free/fwlab
pin() { sed -n "s/^$1==\([^ ]*\).*/\1/p" docker/requirements-image.txt; }
check "JupyterLab" "$(podman exec plain jupyter lab --version)" "$(pin jupyterlab)"
check "the lab's JupyterLab" "$(sed -n "s/^jupyterlab==\([^ ]*\) ; python_full_version >= .*/\1/p" docker/requirements.txt)" "$(pin jupyterlab)"
check "a hub's server" "$(podman exec plain jupyterhub-singleuser --version)" "$(pin jupyterhub)"
check "GoNB" "$(podman exec plain go version -m /opt/jupyter/share/jupyter/kernels/gonb/gonb | awk '$1 == "mod" { print $3 }')" \
	"$(awk '$1 == "github.com/janpfeifer/gonb" && NF > 2 { print $2 }' docker/go.mod)"
check "a command is process 1" "$(timeout -s KILL 60 podman run --rm --network none fwlab sh -c 'echo $$')" 1
check "a stop while Python loads" "$(timeout -s KILL 60 podman run --rm --network none fwlab python3 -c 'import os
print("up", flush=True); os.kill(1, 15); print("still up")')" up
check "solutions, submissions, git" "$(podman exec plain sh -c 'find /opt/fwlab -name .git -o -name node_modules -o -name runs
	find /opt/fwlab/notebooks -path "*/assignments/*" ! -path "*/assignments/release*" ! -path "*/assignments/fwgrade*"
	grep -rlE "(BEGIN|END) (SOLUTION|HIDDEN TESTS)" /opt/fwlab/notebooks')" ""
check "$page" "$(runs plain --whole)" yes
podman exec --user 0 plain sh -c 'rm -f /opt/go/cache/trim.txt && find /opt/go/cache -type f -exec touch -d "9 days ago" {} +'
check "compiled again when the image is old" "$(podman exec plain sh -c 'cd ~/fwlab && go build ./fwopt && go build -x ./fwopt/... 2>&1 | grep /compile | grep -vc "p main "')" 0
podman stop -t 10 plain >/dev/null
check "exit code after SIGTERM" "$(podman inspect -f '{{.State.ExitCode}}' plain)" 0

size() { podman save fwlab 2>/dev/null | gzip -1 | wc -c >"$W/tmp/size"; }
background size

# As a JupyterHub runs it, with an empty volume over HOME; a web server with a folder of that name stands in for the hub.
chown 1000:1000 "$W/tmp/home"
hub=(-e JUPYTERHUB_API_TOKEN=secret -e JUPYTERHUB_API_URL=http://127.0.0.1:8081/hub/api -e JUPYTERHUB_CLIENT_ID=ada
	-e JUPYTERHUB_SERVICE_URL=http://0.0.0.0:8888/user/ada/ -e JUPYTERHUB_SERVICE_PREFIX=/user/ada/ -e JUPYTERHUB_BASE_URL=/
	-e JUPYTERHUB_USER=ada -e JUPYTERHUB_OAUTH_CALLBACK_URL=/user/ada/oauth_callback)
start hub -v "$W/tmp/home:/home/jovyan" "${hub[@]}" fwlab \
	sh -c 'mkdir -p /tmp/w/hub/api && python3 -m http.server -d /tmp/w -b 127.0.0.1 8081 & exec jupyterhub-singleuser'
check "an empty volume over HOME" "$(runs hub)" yes
podman rm -f -t 5 hub >/dev/null

# Where HOME cannot be written a page opens all the same, and the log says why it is not saved.
start readonly --read-only --read-only-tmpfs fwlab
start other --user 12345:12345 --passwd=false -v "$W/tmp/home:/home/jovyan" fwlab
opens() { get "/api/contents/$page?token=secret" "$1" | grep -o '"type": "notebook"'; podman logs "$1" 2>&1 | grep -o '^fwlab: cannot .*: [^.]*'; }
check "HOME is read-only" "$(opens readonly)" $'"type": "notebook"\nfwlab: cannot write in /home/jovyan/fwlab: Read-only file system'
check "HOME is another's" "$(opens other)" $'"type": "notebook"\nfwlab: cannot write in /home/jovyan/fwlab: Permission denied'

# As Binder runs it, on a HOME that a reader has changed.
echo mine >"$W/tmp/home/$page"
start binder -v "$W/tmp/home:/home/jovyan" fwlab jupyter notebook --ip=0.0.0.0 --port=8888 --ServerApp.default_url=/lab
check "a reader's file after a second start" "$(cat "$W/tmp/home/$page")" mine

# As OpenShift runs it: a uid that nobody knows.
start stranger --user 12345:12345 --passwd=false fwlab
check "a uid without a name" "$(runs stranger)" yes

wait "$child"
child='' mb=$(($(<"$W/tmp/size") / 1000000))
echo "   size: $(podman image inspect -f '{{.Size}}' fwlab | awk '{ print int($1 / 1e6) }') MB, compressed $mb MB"
check "at most 800 MB compressed" "$([ $mb -le 800 ] && echo yes)" yes
echo "$passed passed, $failed failed"
[ $failed = 0 ]
