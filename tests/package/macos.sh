#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# hostlink for macOS 12 on both processors: compiled against our own declarations of system functions (macos/), which
# stand in place of Apple's headers. Compiled, never run: no macOS is here. Code that differs by system is compiled for
# both, the rest, the same on the two, for one. So are the files for Windows on arm64, whose headers Debian has with
# those of mingw-w64, but neither libraries nor start-up code to link them with.
# Usage: macos.sh
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
here=$top/tests/package/macos
work=$(mktemp -d "${TMPDIR:-/tmp}/kymo.macos.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
header() { # FILE NAME ...
    local name
    for name in "${@:2}"; do
        mkdir -p "$work/include/$(dirname "$name")"
        echo "#include \"$1\"" >"$work/include/$name"
    done
}
header "$here/standard.h" {assert,ctype,errno,fnmatch,inttypes,math,stdio,stdlib,string,strings,time}.h sys/types.h
header "$here/system.h" {fcntl,libproc,netdb,signal,termios,unistd}.h arpa/inet.h netinet/{in,tcp}.h \
    sys/{file,ioctl,select,socket,stat,un,wait}.h
header "$top/hostlink/platform/macos/frameworks/iokit.h" CoreFoundation/CoreFoundation.h IOKit/IOKitLib.h IOKit/serial/{IOSerialKeys,ioss}.h
printf '#define HOSTLINK_COMMIT ""\n#define KYMO_VERSION "1.0"\n' >"$work/include/commit.h"

# The lists of CMakeLists.txt: each file of macos/, and those of posix/ that it has not.
platform=() portable=()
while read -r file; do
    case $file in
    */windows/* | */client/*) ;;
    */platform/posix/*) [ -e "${file/posix/macos}" ] || platform+=("$file") ;;
    */platform/*) platform+=("$file") ;;
    *) portable+=("$file") ;;
    esac
done < <(find "$top/hostlink" -name '*.c' | sort)

options=(-std=gnu11 -nostdlibinc -D_GNU_SOURCE -include "$work/include/commit.h" -isystem "$work/include"
    -I"$top/hostlink" -I"$top/hostlink/platform/macos" -I"$top/hostlink/platform/posix" -I"$top/runtime/include"
    -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wundef -Wcast-qual -Werror)
bad=0
# For x86-64 to assembly, which tells whether all is there that the headers of platform/ declare.
mkdir "$work/made"
(cd "$work/made" && clang -target x86_64-apple-macos12 "${options[@]}" -S "${platform[@]}") || bad=1
sed -nE 's/^[a-z][a-z0-9_ ]*[ *]([a-z0-9_]+)\(.*/\1/p' "$top"/hostlink/platform/*.h | sort -u >"$work/declared"
sed -nE 's/^[[:space:]]*\.globl[[:space:]]+_([a-z0-9_]+).*/\1/p' "$work"/made/*.s | sort -u >"$work/defined"
missing=$(comm -23 "$work/declared" "$work/defined")
[ -s "$work/declared" ] && [ -z "$missing" ] || { echo "FAILED: platform/macos has no $missing"; bad=1; }

# Without output, and by one process for all: clang itself would start one for each.
check() { # "TARGET OPTION ..." FILE ...
    local command
    # shellcheck disable=SC2086 # words
    read -ra command < <(clang -target $1 -fsyntax-only -### -x c - 2>&1 | tail -n 1 | tr -d '"')
    [ "${command[-1]}" = - ] || { echo "FAILED: clang -### says: ${command[*]}"; exit 1; }
    unset 'command[-1]'
    "${command[@]}" "${@:2}" || bad=1
}
check "arm64-apple-macos12 ${options[*]}" "${platform[@]}" "${portable[@]}"
windows=$top/hostlink/platform/windows
check "aarch64-w64-mingw32 -std=gnu11 -isystem /usr/share/mingw-w64/include -D_GNU_SOURCE -D_WIN32_WINNT=0x0A00 -DUNICODE
    -DWIN32_LEAN_AND_MEAN -DNOMINMAX -D_FILE_OFFSET_BITS=64 -D__USE_MINGW_ANSI_STDIO=1 -I$top/hostlink
    -I$top/hostlink/platform -I$windows -I$windows/libc -I$top/runtime/include -include $windows/libc/libc.h -Wall -Wextra
    -Wno-format -Werror" "$windows"/*.c
[ $bad -eq 0 ] && echo "passed: compiled, never run"
exit $bad
