#!/usr/bin/env bash
# The library as the module proxy would hand it out, from the last commit: go get in a new module, then the README's program, whose output
# is the README's. `make release-test` runs it.
set -euo pipefail
cd "$(dirname "$0")/.."
module=github.com/projection-free/fwlab version=v$(sed -n 's/^version: //p' CITATION.cff)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
at=$temp/proxy/$module/@v
mkdir -p "$at" "$temp/new"
mapfile -t own < <(git ls-files '*/go.mod' | sed 's|/go.mod$||; s|^|:(exclude)|') # modules of their own are not in the archive, nor are links
git archive --format=zip --prefix="$module@$version/" -o "$at/$version.zip" HEAD . "${own[@]}" ':(exclude).binder'
git show HEAD:go.mod >"$at/$version.mod"
echo "{\"Version\":\"$version\",\"Time\":\"$(TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)\"}" >"$at/$version.info"
echo "$version" >"$at/list"
export GOPROXY="file://$temp/proxy,$(go env GOPROXY)" GONOSUMDB="$module" GOFLAGS=-modcacherw GOMODCACHE="$temp/cache"
awk '/^```go$/ {on = 1; next} /^```$/ {if (on) exit} on' README.md >"$temp/new/main.go"
awk '/^prints$/ {told = 1} told && /^```$/ {if (on) exit; on = 1; next} on' README.md >"$temp/want"
cd "$temp/new"
go mod init example.com/new 2>/dev/null
go get "$module@$version"
go mod tidy
go run . >"$temp/got"
diff "$temp/want" "$temp/got" || { echo "fwlab: the README's program prints something else from the module" >&2; exit 1; }
echo "fwlab: $module@$version, $(du -k "$at/$version.zip" | cut -f1) kB, gives what the README shows"
