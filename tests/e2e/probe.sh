# SPDX-License-Identifier: MIT
# Sourced after tests/e2e/begin.sh, with hostlink set: kymo_capture through a debug probe. The board's RAM is a file;
# OpenOCD sees it (tests/e2e/openocd.sh) while the board runs, finds the control block and serves
# its channel on a TCP port, from which hostlink reads.
. tests/e2e/openocd.sh

# OpenOCD 0.12 has the commands of RTT with a Cortex-M only, so there is one, which is never touched. It searches the
# kilobyte from the control block on.
openocd_script() {
    openocd_board "$1" "target create board.core cortex_m -dap board.dap -ap-num 0 -defer-examine"
    cat <<TCL
while {[read_memory $2 8 1] != 0x53} {sleep 20}
rtt setup $2 1024 "SEGGER RTT"
rtt start
rtt polling_interval 1
rtt server start $3 0
TCL
}

# Called beside hostlink with the file of the RAM and where in it the control block is.
meanwhile() { :; }

wait_for() {
    until "$@" 2>/dev/null || ! kill -0 $board 2>/dev/null; do
        sleep 0.05
    done
}

# Like boards/boot.sh, with a probe in between.
kymo_capture() {
    local build=$1 seconds=$2 hostlink=$3 folder port block board bridge server
    shift 3
    folder=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") && port=$(kymo_free_port) || exit 1
    block=0x$(riscv64-unknown-elf-nm "$build/firmware.elf" | awk '$3 == "rtt" { print $1 }')
    timeout "$seconds" "$build/run" "$folder/ram" >"$build/emulator.log" 2>&1 &
    board=$!
    wait_for test -s "$folder/ram"
    timeout "$seconds" "$probe" "$folder/jtag" "$folder/ram" $ram_base &
    bridge=$!
    wait_for kymo_listens "$folder/jtag"
    openocd_script "$folder/jtag" "$block" "$port" >"$folder/script"
    timeout "$seconds" openocd -f "$folder/script" >"$build/openocd.log" 2>&1 &
    server=$!
    wait_for kymo_listens "$port"
    meanwhile "$folder/ram" $((block - ram_base)) &
    timeout "$seconds" "$hostlink" "${@//@SOURCE@/tcp:127.0.0.1:$port}"
    hostlink_status=$?
    [ $hostlink_status -eq 0 ] || { tail -n 5 "$build/openocd.log"; kill $board 2>/dev/null; }
    wait $board
    board_status=$?
    kill $server $bridge 2>/dev/null
    wait $server $bridge
    rm -rf "$folder"
}
