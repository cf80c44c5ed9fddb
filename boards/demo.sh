#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A first trace: builds hostlink and the demo firmware, boots it in an emulator, captures it.
set -u
cd "$(dirname "$0")/.." || exit 1
top=$PWD
. tests/setup.sh
. boards/boot.sh

usage() {
    cat <<'TEXT'
Usage: boards/demo.sh [--out DIR] [--board NAME]
Boots the demo firmware on an emulated board, captures its trace over the serial port, and leaves
demo.kymo, demo.pftrace, demo.json and demo.csv in DIR. Installs what is missing on Debian and Ubuntu;
elsewhere says what to install.

  --out DIR      where the files go (default: build/demo)
  --board NAME   another board of tests/run.sh --boards (default: qemu-virt-riscv64)
  --help         this text

Exit status: 0 when hostlink and the firmware both ended well, 1 when not, 2 usage error.
TEXT
}

die() {
    echo "boards/demo.sh: $2" >&2
    exit "$1"
}

out=build/demo
board=qemu-virt-riscv64
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h) usage; exit 0 ;;
    --out) [ $# -ge 2 ] || die 2 "--out needs a folder"; out=$2; shift ;;
    --board) [ $# -ge 2 ] || die 2 "--board needs a name"; board=$2; shift ;;
    *) die 2 "unknown option '$1'; see boards/demo.sh --help" ;;
    esac
    shift
done
[ -f "boards/$board/board.cmake" ] || die 2 "no board '$board'; see tests/run.sh --boards"
case $out in /*) ;; *) [ "$out" = build/demo ] || out=$OLDPWD/$out ;; esac
mkdir -p "$out" build/logs || die 1 "cannot make the folder $out"

# The programs of the list that the board's own files name: compiler, emulator, and what these need.
needs=()
toolchain=$(sed -n 's/^set(BOARD_TOOLCHAIN \(.*\))$/\1/p' "boards/$board/board.cmake")
while read -r _ program _; do
    ! grep -qwF -- "$program" "cmake/toolchain-$toolchain.cmake" "boards/$board"/{board.cmake,*.sh} 2>/dev/null ||
        needs+=("$program")
done <<<"$kymo_needs"
kymo_setup demo build/logs/setup.log "${needs[@]}" || exit 1
# A tree that is there is taken as it is: it may be that of a developer.
build() {
    [ -f "build/$1/build.ninja" ] || kymo_configure "$1" -DKYMO_TESTS=OFF -DKYMO_WERROR=OFF || return 1
    cmake --build "build/$1"
}
for tree in host "$board"; do
    echo "Building $tree"
    build "$tree" >"build/logs/demo.$tree.log" 2>&1 || {
        tail -n 30 "build/logs/demo.$tree.log" >&2
        die 1 "the build failed; the whole log is build/logs/demo.$tree.log"
    }
done

echo "Booting $board"
kymo_place "build/$board" || die 1 "no place for the board's serial port"
timeout 1800 build/host/hostlink/hostlink run "$source" \
    -o "$out/demo.kymo" -o "$out/demo.pftrace" -o "$out/demo.json" -o "$out/demo.csv" \
    -- sh -c 'exec "$0" "$1" >"$2" 2>&1' "build/$board/run" "$place" "build/$board/emulator.log"
status=$?
rm -rf "$folder"
[ $status -eq 0 ] || {
    tail -n 5 "build/$board/emulator.log" >&2
    die 1 "hostlink or the firmware ended with status $status"
}

cat <<TEXT

The trace is in ${out#"$top"/}:
  demo.pftrace  open it in https://ui.perfetto.dev (the file stays on your machine)
  demo.json     the same for chrome://tracing, Perfetto, speedscope
  demo.csv      zone statistics, a spreadsheet opens it
  demo.kymo     the capture: build/host/hostlink/hostlink stats $(printf %q "${out#"$top"/}/demo.kymo")
TEXT
