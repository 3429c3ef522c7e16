#!/usr/bin/env bash
# The same run on the Prism inside of fwbeam and on a separate one with two worker processes: the same bits.
#     ./separate.sh [flags of fwbeam run, --shards among them]
# Without flags it makes shards of generated data. PORT is that of the separate Prism.
set -euo pipefail
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"; [ -z "${prism:-}" ] || kill "$prism" 2>/dev/null || true' EXIT
${GO:-go} build -o "$tmp/fwbeam" .
if [ $# = 0 ]; then
	"$tmp/fwbeam" shard --out "$tmp/shards" --n 20000 --features 1000 --nonzeros 20 --rows 2500
	set -- --shards "$tmp/shards" --method svrf --steps 150
fi
port=${PORT:-8073}
"$tmp/fwbeam" prism --port "$port" >"$tmp/log" 2>&1 &
prism=$!
for _ in $(seq 100); do (exec 3<>"/dev/tcp/localhost/$port") 2>/dev/null && break || sleep 0.1; done
echo "in one process:"
"$tmp/fwbeam" run "$@" --runs "$tmp/one" | tee "$tmp/a"
echo "a separate Prism, two workers:"
"$tmp/fwbeam" run "$@" --runs "$tmp/two" --jobs 2 --runner universal --endpoint "localhost:$port" \
	--environment_type PROCESS --environment_config "{\"command\":\"$tmp/fwbeam\"}" | tee "$tmp/b" || { cat "$tmp/log" >&2; exit 1; }
cmp "$tmp/a" "$tmp/b" && echo "the same"
