#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.together: two emulated boards of different architecture send each other messages over their second UARTs, and a
# program in C and one in Python give them work, each on one more UART. All four are captured together. One board's
# clock is 100 ppm fast, the other's 80 ppm slow, and one is reset in the middle. Every arrow of the trace is as long as
# the message took by the emulators' clock, within the error that is stated with it.
# Usage: run.sh HOSTLINK FOLDER (for what it makes, stays) [MESSAGES, to the board that is reset, before that and after it]
set -u
hostlink=$(realpath "$1") || exit 1
messages=${3:-40}
cd "$(dirname "$0")/../.." || exit 1
. boards/boot.sh
. tests/freestanding/compilers.sh
rm -rf "$2" && mkdir -p "$2" && out=$(realpath "$2") || exit 1
sockets=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") || exit 1
started=()
trap 'kill "${started[@]}" 2>/dev/null; wait; rm -rf "$sockets"' EXIT
for tool in qemu-system-arm qemu-system-riscv64 arm-none-eabi-gcc riscv64-unknown-elf-gcc gcc python3; do
    command -v $tool >/dev/null || {
        echo "$tool is missing; tests/run.sh installs it"
        exit 1
    }
done

# All sources as one: in a third of the time.
printf '#include "%s"\n' runtime/src/*/*.c >"$out/recorder.c"
common=(-I. -Iruntime/include -Iruntime/src -Iports/transport -Itests/together -DKYMO_RING_BYTES=65536)

# image NAME PORT BOARD COMPILER FLAG ....
image() {
    local name=$1 port=$2 board=boards/$3 command
    read -ra command <<<"$4"
    "${command[@]}" -std=c11 -O1 -ffreestanding -ffunction-sections -fdata-sections "${common[@]}" -Iports/arch/$port \
        -I$board -Iboards/common -nostdlib -static -Wl,--gc-sections "${@:5}" tests/together/firmware.c $board/board.c \
        "$out/recorder.c" -lgcc -o "$out/$name.elf" || exit 1
}
arm=boards/common/cortex-m
# A counter of the FPGA: QEMU's SysTick stands still at the end of its period until QEMU's main loop looks, for 100 us and more.
image arm cortex-m mps2-an385 'arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -mfloat-abi=soft' -DKYMO_LANES=1 \
    -DKYMO_CLOCK=2 -DKYMO_CLOCK_ADDRESS=0x40028018 -DKYMO_CLOCK_HZ=25002500 -L$arm -T boards/mps2-an385/link.ld $arm/core.c $arm/start.S $arm/cmsdk_timer.c \
    ports/arch/cortex-m/arch.c ports/transport/cmsdk_uart.c &
arm_built=$!
riscv=boards/common/riscv
image riscv riscv sifive-unleashed 'riscv64-unknown-elf-gcc -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany' \
    -DKYMO_LANES=2 -DKYMO_CLOCK=2 -DKYMO_CLOCK_ADDRESS=0x0200bff8 -DKYMO_CLOCK_HZ=999920 -DBOARD_EMULATED \
    -T boards/qemu-virt-riscv64/link.ld $riscv/start.S $riscv/clint.c $riscv/semihosting.c ports/transport/sifive_uart.c &
riscv_built=$!
gcc -std=c11 -O1 "${common[@]}" -DKYMO_LANES=2 -Iports/arch/posix -pthread tests/together/program.c "$out/recorder.c" \
    ports/arch/posix/arch.c ports/unwind/frames.c ports/transport/posix_socket.c -o "$out/program" &&
    gcc -shared -fPIC tests/together/start_ns.c -o "$out/start_ns.so" || exit 1
wait $arm_built && wait $riscv_built || exit 1

# emulate NAME COMMAND ...: with its kymo on a TCP port, of a large buffer.
declare -A port
emulate() {
    local name=$1
    port[$name]=$(kymo_free_port) || exit 1
    START_NS_FILE="$out/$name.start" LD_PRELOAD="$out/start_ns.so" "${@:2}" -display none \
        -monitor "unix:$sockets/$name,server=on,wait=off" -chardev "file,id=truth,path=$out/$name.truth" \
        -semihosting-config enable=on,target=native,chardev=truth -kernel "$out/$name.elf" \
        -serial "tcp:127.0.0.1:${port[$name]},server=on,wait=off" "${serial[@]}" >"$out/$name.log" 2>&1 &
    started+=($!)
    until kymo_listens "$sockets/$name" && [ -s "$out/$name.start" ]; do
        kill -0 $! 2>/dev/null || {
            cat "$out/$name.log"
            exit 1
        }
        sleep 0.05
    done
}
serial=()
for line in join c py; do serial+=(-serial "unix:$sockets/$line,server=on,wait=off"); done
emulate arm qemu-system-arm -M mps2-an385
serial=(-serial "unix:$sockets/join")
emulate riscv qemu-system-riscv64 -M sifive_u -smp 2 -bios none

port[c]=$(kymo_free_port) port[py]=$(kymo_free_port)
"$out/program" "${port[c]}" "$sockets/c" "$out/c.truth" "$sockets/stop" &
c=$!
python3 -B tests/together/program.py "${port[py]}" "$sockets/py" "$out/py.truth" "$sockets/stop" &
py=$!
"$hostlink" tcp:127.0.0.1:"${port[arm]}" tcp:127.0.0.1:"${port[riscv]}" tcp:127.0.0.1:"${port[c]}" \
    tcp:127.0.0.1:"${port[py]}" --no-tracy -o "$out/all.kymo" >"$out/capture.out" 2>"$out/capture.err" &
capture=$!
started+=($c $py $capture)

# until_passed NUMBER: of messages that the board has received; and the clocks of all are compared.
until_passed() {
    local tries
    for ((tries = 0; tries < 1200 + $1; tries++)); do
        [ "$(grep -c '^r' "$out/riscv.truth")" -ge "$1" ] &&
            [ "$("$hostlink" info "$out/all.kymo" 2>&1 | grep -c 'host.s clock, by pings')" = 4 ] && return
        sleep 0.1
    done
    cat "$out/capture.err"
    echo "$(grep -c '^r' "$out/riscv.truth") messages, not $1, in $tries tries; or a clock was not compared"
    exit 1
}
until_passed "$messages"
python3 -B tests/together/reset.py "$sockets/riscv" || exit 1
until_passed $((2 * messages))
touch "$sockets/stop"
wait $c && wait $py || {
    echo 'a program failed'
    exit 1
}
kill -TERM $capture
wait $capture || {
    cat "$out/capture.err"
    echo 'hostlink failed'
    exit 1
}
"$hostlink" convert -q "$out/all.kymo" -o "$out/all.json" && python3 -B tests/together/judge.py "$out"
