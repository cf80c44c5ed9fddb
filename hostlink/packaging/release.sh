#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes all that a release of hostlink has into FOLDER: a static program for Linux (x86-64) as an archive, a .deb and a
# wheel; hostlink.exe as a zip and a wheel; SHA256SUMS and a bill of materials (SPDX). Two runs on one commit with the
# same tools are equal to the byte.
# Usage: hostlink/packaging/release.sh FOLDER [--linux] [--windows] [--type BUILD_TYPE]; without a system all of them.
# Needs: cmake, ninja, musl-tools, gcc-mingw-w64-x86-64, python3, dpkg-dev.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
usage() { echo "usage: release.sh FOLDER [--linux] [--windows] [--type BUILD_TYPE]" >&2; exit 2; }
[ $# -gt 0 ] && [ "${1#-}" = "$1" ] || usage
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
linux= windows= type=Release
while [ $# -gt 0 ]; do
    case $1 in
    --linux) linux=1 ;;
    --windows) windows=1 ;;
    --type) type=${2?}; shift ;;
    *) usage ;;
    esac
    shift
done
[ "$linux$windows" ] || linux=1 windows=1
version=$(sed -n 's/^project(kymo VERSION \([0-9.]*\) .*/\1/p' "$top/CMakeLists.txt")
commit=$(git -C "$top" describe --always --dirty=+ --abbrev=12 --exclude="*")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$top" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make() { python3 "$top/hostlink/packaging/package.py" "$@"; }

# build NAME ARGUMENT ...: hostlink in $work/NAME; no path of this machine is in it.
build() {
    cmake -S "$top" -B "$work/$1" -G Ninja -DCMAKE_BUILD_TYPE="$type" -DKYMO_TESTS=OFF -DKYMO_COMMIT="$commit" -DCMAKE_INSTALL_PREFIX=/usr \
        "${@:2}" >"$work/log" 2>&1 && cmake --build "$work/$1" --target hostlink >>"$work/log" 2>&1 ||
        { cat "$work/log" >&2; exit 1; }
}
map="-ffile-prefix-map=$work=. -ffile-prefix-map=$top=."

if [ "$linux" ]; then
    # Linux's own headers stand behind those of musl.
    system="-idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu"
    build linux -DCMAKE_C_COMPILER=musl-gcc -DCMAKE_C_FLAGS="$map $system" -DCMAKE_EXE_LINKER_FLAGS="-static -s"
    binary=$work/linux/hostlink/hostlink
    name=hostlink-$version-linux-x86_64
    files=("$name/hostlink=$binary" "$name/LICENSE=$top/LICENSE" "$name/70-kymo.rules=$top/hostlink/packaging/70-kymo.rules")
    for file in "$top"/hostlink/man/*.1; do files+=("$name/man/${file##*/}=$file"); done
    for file in "$top"/hostlink/completion/*; do files+=("$name/completion/${file##*/}=$file"); done
    make tar "$out/$name.tar.gz" "${files[@]}"
    make wheel "$version" manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64 "$binary" "$top/LICENSE" "$out"
    (cd "$work/linux" && umask 022 && cpack -G DEB -B "$work/deb" >"$work/log" 2>&1) || { cat "$work/log" >&2; exit 1; }
    cp "$work"/deb/*.deb "$out/"
fi
if [ "$windows" ]; then
    build windows -DCMAKE_TOOLCHAIN_FILE="$top/cmake/toolchain-x86_64-w64-mingw32.cmake" -DCMAKE_C_FLAGS="$map" \
        -DCMAKE_EXE_LINKER_FLAGS="-s -Wl,--no-insert-timestamp"
    binary=$work/windows/hostlink/hostlink.exe
    name=hostlink-$version-windows-x86_64
    make zip "$out/$name.zip" "$name/hostlink.exe=$binary" "$name/LICENSE.txt=$top/LICENSE"
    make wheel "$version" win_amd64 "$binary" "$top/LICENSE" "$out"
fi
make sbom "$version" "$commit" "$out"
make sums "$out"
cat "$out/SHA256SUMS"
