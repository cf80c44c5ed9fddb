#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The packages of a release (hostlink/packaging): packages made twice are equal to the byte, and the static program of
# release.sh makes a trace of a capture from its wheel, its .deb and its archive. The packages that are made twice have
# the host build's program; some files are compiled twice, in two folders.
# Usage: release.sh HOST_BUILD_FOLDER
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
host=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/kymo.release.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export SOURCE_DATE_EPOCH=1700000000
cd "$work" || exit 1
program=$work/hostlink
strip -o "$program" "$host/hostlink/hostlink" || exit 1
fail() {
    echo "FAILED: $1"
    [ -z "${2-}" ] || tail -n 20 "$2"
    exit 1
}
make() { python3 -B "$top/hostlink/packaging/package.py" "$@" >log 2>&1 || fail "package.py $1" log; }

make_all() {
    mkdir "$1"
    make wheel 1.2.3 linux_x86_64 "$program" "$top/LICENSE" "$1"
    make wheel 1.2.3 win_amd64 "$program" "$top/LICENSE" "$1"
    make tar "$1/hostlink.tar.gz" "hostlink/hostlink=$program" "hostlink/LICENSE=$top/LICENSE"
    make zip "$1/hostlink-1.2.3-windows-x86_64.zip" "hostlink-1.2.3-windows-x86_64/hostlink.exe=$program"
    make tar "$1/kymo-1.2.3.tar.gz" "kymo-1.2.3/LICENSE=$top/LICENSE"
    python3 -B "$top/hostlink/packaging/manifests.py" 1.2.3 0123456789ab https://example.org/kymo "$1" || fail manifests.py
    (cd "$host" && umask 022 && cpack -G DEB -B "$work/deb$1") >log 2>&1 || fail "cpack" log
    cp "deb$1"/*.deb "$1/"
    make sbom 1.2.3 0123456789ab "$1"
    make sums "$1"
}
make_all one
make_all two
diff -r one two || fail "two packages of the same are not equal"
(cd one && sha256sum -c --quiet SHA256SUMS) || fail "SHA256SUMS"
python3 - one/*.spdx.json <<'END' || fail "the bill of materials names files wrongly"
import hashlib, json, os, sys
document = json.load(open(sys.argv[1]))
for file in document["files"]:
    content = open(os.path.join("one", file["fileName"]), "rb").read()
    sums = {one["algorithm"]: one["checksumValue"] for one in file["checksums"]}
    assert sums == {"SHA1": hashlib.sha1(content).hexdigest(), "SHA256": hashlib.sha256(content).hexdigest()}
known = {"SPDXRef-DOCUMENT"} | {one["SPDXID"] for kind in ("packages", "files") for one in document[kind]}
assert all(one[side] in known for one in document["relationships"] for side in ("spdxElementId", "relatedSpdxElement"))
END

python3 -B "$top/tests/package/manifests.py" one || fail "a manifest is not as its package manager wants it"
[ -z "$(command -v ruby)" ] || ruby -c one/hostlink.rb >log 2>&1 || fail "ruby -c" log

# ---- each makes a trace ----

# Neither optimised nor with debug information, which takes the least time to build.
"$top/hostlink/packaging/release.sh" release --type None linux-x86_64 >log 2>&1 || fail "release.sh" log
(cd release && sha256sum -c --quiet SHA256SUMS) || fail "SHA256SUMS of release.sh"
python3 -m pip install -q --no-index --no-warn-script-location --prefix wheel release/*.whl >log 2>&1 ||
    fail "pip install" log
dpkg-deb -x release/*.deb deb || fail "dpkg-deb"
mkdir archive && tar -xf release/hostlink-*.tar.gz -C archive --strip-components=1 || fail "tar"
"$host/tests/cli/cli_scene" >scene.kymo 2>/dev/null
"$program" convert scene.kymo -o wanted.json 2>/dev/null || fail "hostlink convert"
for one in "$(find wheel -name hostlink -path '*bin*')" deb/usr/bin/hostlink archive/hostlink; do
    ! readelf -l "$one" | grep -q INTERP || fail "$one is not static"
    "$one" convert scene.kymo -o trace.json >log 2>&1 || fail "$one convert" log
    cmp trace.json wanted.json || fail "another trace from $one"
done
for file in share/man/man1/hostlink.1 share/bash-completion/completions/hostlink share/zsh/vendor-completions/_hostlink \
    share/fish/vendor_completions.d/hostlink.fish lib/udev/rules.d/70-kymo.rules; do
    [ -f "deb/usr/$file" ] || fail "the .deb has no $file"
done

# ---- the same source in another folder is the same object ----

# compile FOLDER COMPILER SYSTEM OPTION ...
compile() {
    local folder=$PWD/$1/$2 source
    mkdir -p "$folder"
    cp -r "$top/hostlink" "$top/runtime" "$folder/"
    for source in cli/cmd_stats.c "platform/$3/file.c"; do
        "$2" -std=c11 -O1 -g "-ffile-prefix-map=$folder=." -D_GNU_SOURCE "-I$folder/hostlink" \
            "-I$folder/hostlink/platform" "-I$folder/hostlink/platform/$3" "-I$folder/runtime/include" "${@:4}" \
            -c "$folder/hostlink/$source" -o "$1.$2.${source//\//_}.o" >log 2>&1 || fail "$2 $source" log
    done
    rm -rf "$folder"
}
for folder in here elsewhere; do
    compile $folder musl-gcc posix
    compile $folder x86_64-w64-mingw32-gcc windows -D_WIN32_WINNT=0x0A00 -I"$top/hostlink/platform/windows/libc" \
        -include "$top/hostlink/platform/windows/libc/libc.h"
done
for object in here.*.o; do
    cmp "$object" "elsewhere.${object#here.}" || fail "$object depends on the folder"
done
echo passed
