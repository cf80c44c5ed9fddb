# SPDX-License-Identifier: MIT
# Sourced after tests/e2e/begin.sh, with hostlink set: OpenOCD in front of an emulated board, whose RAM is a file, by a
# debug port of our own (tests/rtt/probe.c).
probe=$(dirname "$hostlink")/../tests/rtt/probe
ram_base=0x80000000

command -v openocd >/dev/null || { echo "openocd is missing; tests/run.sh installs it"; exit 1; }
[ -x "$probe" ] || { echo "$probe is missing: build the preset 'host' first"; exit 1; }

# openocd_board SOCKET [LINE ...]: the start of a script; the lines are for more targets. The memory is read by the access
# port itself.
openocd_board() {
    cat <<TCL
adapter driver remote_bitbang
remote_bitbang host $1
gdb_port disabled
telnet_port disabled
tcl_port disabled
jtag newtap board cpu -irlen 4 -expected-id 0x1ba00477
dap create board.dap -chain-position board.cpu
target create board.memory mem_ap -dap board.dap -ap-num 0
TCL
    [ $# -eq 1 ] || printf '%s\n' "${@:2}"
    echo "targets board.memory"
    echo "init"
}
