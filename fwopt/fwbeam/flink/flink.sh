#!/usr/bin/env bash
# A cluster of Flink on this machine alone: JobManager, two TaskManagers and Beam's job server. What dies is started again.
#     ./flink.sh [--port P] [--keep DIR] [COMMAND...]
# Runs COMMAND with FLINK, the endpoint, and FLINK_DIR, the folder, then ends everything; without one it stands until Ctrl-C. Ports P to P+4 are
# taken. The jars are pom.xml's, in .flink/lib of the clone; the folder DIR, else one that is removed, has the logs and the process ids.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd) root=$(cd "$(dirname "$0")/../../.." && pwd)
jars=$root/.flink/lib port=8099 dir=
while [[ ${1:-} == --* ]]; do
	case $1 in
	--port) port=$2 ;;
	--keep) dir=$2 ;;
	*) echo "flink.sh: $1: want --port or --keep" >&2 && exit 2 ;;
	esac
	shift 2
done
fail() { echo "flink.sh: $*" >&2 && exit "${rc:-1}"; } # 69: what it needs is not on this machine

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
version=$("$java" -version 2>&1 | sed -n '1s/[^"]*"\(1\.\)\{0,1\}\([0-9]*\).*/\2/p') || true
[ "${version:-0}" -ge 11 ] && "$java" --list-modules | grep jdk.compiler >/dev/null || rc=69 fail "Java ${version:-} is too old, missing or without its compiler: install 11 or newer (Debian: default-jdk-headless), or set JAVA_HOME"
for p in $(seq "$port" $((port + 4))); do
	! (exec 3<>"/dev/tcp/localhost/$p") 2>/dev/null || fail "port $p is taken: take other ones by --port"
done
if [ ! -d "$jars" ]; then
	command -v mvn >/dev/null || rc=69 fail "Maven is missing, which brings the jars: install it (Debian: maven)"
	rm -rf "$jars.part"
	mvn -B -q -f "$here/pom.xml" dependency:copy-dependencies -DoutputDirectory="$jars.part" || fail "Maven does not bring the jars of pom.xml"
	mv "$jars.part" "$jars"
fi
(cd "$jars" && sha256sum --quiet -c "$here/jars.sha256") || fail "a jar is damaged or missing: remove $jars, and they come anew"

[ -n "$dir" ] && mkdir -p "$dir" || { dir=$(mktemp -d) && remove=$dir; }
kept=()
finish() {
	trap - EXIT
	[ ${#kept[@]} = 0 ] || kill "${kept[@]}" 2>/dev/null || true
	wait
	[ -z "${remove:-}" ] || rm -rf "$remove"
}
trap finish EXIT
trap 'exit 130' INT TERM
keep() { # keep NAME COMMAND...: runs it, again and again
	local name=$1
	shift
	(
		trap 'kill $! 2>/dev/null; wait; exit' TERM
		trap '' INT
		while :; do
			"$@" >>"$dir/$name.log" 2>&1 &
			echo $! >"$dir/$name.pid"
			wait $! || sleep 1
		done
	) &
	kept+=($!)
}

cat >"$dir/config.yaml" <<END
jobmanager.rpc.address: localhost
jobmanager.rpc.port: $((port + 3))
jobmanager.memory.process.size: 1g
rest.address: localhost
rest.port: $((port + 4))
rest.bind-address: localhost
jobmanager.bind-host: localhost
taskmanager.bind-host: localhost
taskmanager.host: localhost
taskmanager.numberOfTaskSlots: 1
taskmanager.cpu.cores: 1
$(printf 'taskmanager.memory.%s: %sm\n' task.heap.size 256 task.off-heap.size 0 managed.size 64 network.min 64 network.max 64 \
	framework.heap.size 128 framework.off-heap.size 128 flink.size 640 jvm-metaspace.size 128 jvm-overhead.min 128 jvm-overhead.max 128 process.size 896)
io.tmp.dirs: $dir
parallelism.default: 2
END
opens=$(printf -- '--add-opens=java.base/%s=ALL-UNNAMED ' java.lang java.util java.nio sun.nio.ch java.net java.io java.util.concurrent)
export TMPDIR=$dir
run() { # run NAME MEMORY MAIN ARGUMENT...
	local name=$1 memory=$2
	shift 2
	keep "$name" "$java" $opens -Xmx"$memory" -cp "$jars/*" "$@"
}
flink=org.apache.flink.runtime
run jobmanager 512m $flink.entrypoint.StandaloneSessionClusterEntrypoint --configDir "$dir"
for k in 1 2; do run taskmanager$k 512m $flink.taskexecutor.TaskManagerRunner --configDir "$dir" -D taskmanager.resource-id=tm$k; done
keep jobserver "$java" $opens -Xmx512m -cp "$jars/*" "$here/JobServer.java" \
	--job-host=localhost --job-port="$port" --artifact-port=$((port + 1)) --expansion-port=$((port + 2)) \
	--flink-master=localhost:$((port + 4)) --artifacts-dir="$dir/artifacts"

healthy() {
	(exec 3<>"/dev/tcp/localhost/$port") 2>/dev/null && (
		exec 3<>"/dev/tcp/localhost/$((port + 4))"
		printf 'GET /overview HTTP/1.0\r\n\r\n' >&3
		grep -q '"taskmanagers":2' <&3
	) 2>/dev/null
}
for _ in $(seq 240); do healthy && break || sleep 0.5; done
healthy || { tail -n 20 "$dir"/*.log >&2 && fail "no cluster after two minutes"; }
export FLINK=localhost:$port FLINK_DIR=$dir
echo "Flink: --endpoint $FLINK; its page is http://localhost:$((port + 4))" >&2
if [ $# -gt 0 ]; then "$@"; else wait; fi
