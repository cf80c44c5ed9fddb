# SPDX-License-Identifier: MIT
# Sourced after tests/e2e/begin.sh, with build, hostlink and out set: captures a board that gdb stops on its way, and
# reads what that saved.
ram_base=0x80000000
# Failures are printed on 3, as files keep the output of a capture.
exec 3>&1

command -v gdb-multiarch >/dev/null || { echo "gdb-multiarch is missing; tests/run.sh installs it"; exit 1; }

# More for the emulator's command line; @FOLDER@ is the folder of its sockets.
debugger_options=
# Commands for gdb when the board stands at the end of its demo, and before it goes on.
debugger_saves() { save_by_emulator; }
debugger_resumes() { :; }
# Called in between, with the folder of the sockets.
debugger_stands() { :; }

# The memory as $out/ram.bin and $out/core.
save_by_emulator() {
    cat <<GDB
eval "monitor pmemsave $ram_base %lu \"$out/ram.bin\"", (unsigned long)&__memory_end - $ram_base
monitor dump-guest-memory "$out/core"
GDB
}

# The core's own registers. Left to itself gdb learns from QEMU of some that QEMU does not let it read, and then makes
# no core file.
debugger_registers() {
    local number=0 name
    echo '<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target>'
    echo '<architecture>riscv:rv64</architecture><feature name="org.gnu.gdb.riscv.cpu">'
    for name in zero ra sp gp tp t0 t1 t2 fp s1 a{0..7} s{2..11} t{3..6} pc; do
        echo "<reg name=\"$name\" bitsize=\"64\" type=\"int\" regnum=\"$((number++))\"/>"
    done
    echo '</feature></target>'
}

# gdb_session FOLDER: at the emulator's stub, with the commands on standard input. The board stands afterwards.
gdb_session() {
    until kymo_listens "$1/uart.gdb" || ! kill -0 $board 2>/dev/null; do
        sleep 0.05
    done
    debugger_registers >"$1/registers.xml"
    {
        echo "set confirm off"
        echo "set remotetimeout 300" # an emulator may not be scheduled for longer than gdb's 2 seconds
        echo "set tdesc filename $1/registers.xml"
        echo "target remote $1/uart.gdb"
        cat
    } >"$1/script"
    gdb-multiarch -nx -batch -x "$1/script" "$build/firmware.elf" </dev/null
}

# FOLDER: stops the board at its end, saves its memory, and lets it send what it has recorded.
debugger() {
    { echo "break kymo_print"; echo "continue"; echo "delete"; debugger_saves; echo "disconnect"; } | gdb_session "$1" &&
        debugger_stands "$1" &&
        { debugger_resumes; echo "set var link_gate = 1"; echo "detach"; } | gdb_session "$1"
}

# Like boards/boot.sh, with a debugger beside.
kymo_capture() {
    local build=$1 seconds=$2 hostlink=$3 folder board debugger
    shift 3
    folder=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") || exit 1
    KYMO_RUN_OPTIONS="-S ${debugger_options//@FOLDER@/$folder}" timeout "$seconds" "$build/run" "$folder/uart" \
        >"$build/emulator.log" 2>&1 &
    board=$!
    until kymo_listens "$folder/uart" || ! kill -0 $board 2>/dev/null; do
        sleep 0.05
    done
    { debugger "$folder" || { kill $board; false; }; } >"$build/debugger.log" 2>&1 &
    debugger=$!
    timeout "$seconds" "$hostlink" "${@//@SOURCE@/unix:$folder/uart}"
    hostlink_status=$?
    [ $hostlink_status -eq 0 ] || kill $board 2>/dev/null
    wait $board
    board_status=$?
    wait $debugger || { cat "$build/debugger.log" >&3; exit 1; }
    rm -rf "$folder"
}

# dump MEMORY FOLDER: writes the dump of $out/MEMORY as files to $out/FOLDER.
dump() {
    mkdir "$out/$2" || exit 1
    "$hostlink" dump --elf "$build/firmware.elf" "$out/$1" -o "$out/$2/demo.kymo" \
        -o "$out/$2/demo.pftrace" -o "$out/$2/demo.json" -o "$out/$2/demo.csv" >"$out/$2/dump.out" 2>&1 || {
        cat "$out/$2/dump.out"
        exit 1
    }
}
