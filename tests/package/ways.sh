#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The example of doc/your-own-board.md, built in one of the ways that the page shows, runs in an emulator with the
# counts in its source. Usage: ways.sh BUILD (of the preset host) HOSTLINK BOARD WAY
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
build=$(realpath "$1") hostlink=$(realpath "$2") board=$3 way=$4
work=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") && trap 'rm -rf "$work"' EXIT
cp -r doc/your-own-board "$work/mine" && cd "$work/mine" || exit 1

toolchain=riscv64-unknown-elf
[ "$board" = riscv ] || toolchain=arm-none-eabi
# A repository with the present contents of this folder.
make_repository() {
    git init -q "$1" && git -C "$top" ls-files -z --cached --others --exclude-standard -- . ':!tests' ':!boards' |
        (cd "$top" && xargs -0 -r sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh |
            tar --null -T - -c) | tar -x -C "$1" &&
        git -C "$1" add -A && git -C "$1" -c user.name=test -c user.email=test commit -qm kymo
}
with_cmake() {
    cmake -G Ninja -S . -B build -DBOARD="$board" -DCMAKE_TOOLCHAIN_FILE="$top/cmake/toolchain-$toolchain.cmake" "$@" &&
        cmake --build build
}

way_make() { make KYMO="$top" BOARD="$board"; }
way_subdirectory() { with_cmake -DKYMO_DIR="$top"; }
way_package() {
    cmake --install "$build" --prefix "$work/installed" && with_cmake -DKYMO_FROM=package -DCMAKE_PREFIX_PATH="$work/installed"
}
way_fetch() { make_repository "$work/kymo" && with_cmake -DKYMO_FROM=fetch -DKYMO_URL="file://$work/kymo"; }
way_meson() {
    make_repository "$work/kymo" && sed -i "s|^url = .*|url = file://$work/kymo|" subprojects/kymo.wrap &&
        meson setup build --cross-file "$board/cross.ini" && meson compile -C build
}
# The knobs are in kymo.h then.
way_two_files() {
    local transport=ns16550 knobs=(-D KYMO_CLOCK=2 -D KYMO_CLOCK_ADDRESS=0x0200bff8 -D KYMO_CLOCK_HZ=10000000)
    [ "$board" = riscv ] || transport=cmsdk_uart knobs=(-D KYMO_CLOCK_HZ=25000000)
    "$top/runtime/amalgamate.sh" "$board" $transport -D KYMO_RING_BYTES=16384 "${knobs[@]}" -o . &&
        sed -i -E 's|"(kymo/kymo\|kymo/transport\|kymo_arch\|ns16550\|cmsdk_uart)\.h"|"kymo.h"|' app.c board.h "$board/board.c" &&
        make KYMO=nothing BOARD="$board" KYMO_SOURCES="kymo.c $top/ports/nolibc/mem.c"
}
"way_$way" >"$work/log" 2>&1 || {
    tail -n 40 "$work/log"
    exit 1
}

emulator=(qemu-system-riscv32 -M virt -bios none)
[ "$board" = riscv ] || emulator=(qemu-system-arm -M mps2-an386)
timeout 900 "$hostlink" run "unix:$work/uart" -q --no-tracy -o "$work/t.kymo" -o "$work/t.csv" -- "${emulator[@]}" -display none \
    -monitor none -serial "unix:$work/uart,server=on" -kernel build/firmware.elf >"$work/out" 2>"$work/err" || {
    cat "$work/err"
    exit 1
}
# 200 rounds: "work" and two "step", a plot; each twentieth a message. The ring holds all of it, however late hostlink is.
tail -n 1 "$work/out"
[ "$(tail -n 1 "$work/out")" = "events: emitted 1410 delivered 1410 lost 0" ] || exit 1
for count in work,200 step,400; do
    awk -F, -v name="${count%,*}" -v wanted="${count#*,}" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $at["name"] == name { found = $at["counts"] } END { exit found != wanted }' "$work/t.csv" || {
        echo "not $count"
        cat "$work/t.csv"
        exit 1
    }
done
