# Sourced behind tests/e2e/begin.sh, with build, hostlink and out set: captures a board that a debugger stops on its
# way, and reads what that saved.
debugger_arguments=

# As in boards/boot.sh, with a debugger beside: tests/e2e/memory.py, with the arguments in debugger_arguments.
kymo_capture() {
    local build=$1 seconds=$2 hostlink=$3 folder board debugger
    shift 3
    folder=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") || exit 1
    KYMO_RUN_OPTIONS=-S timeout "$seconds" "$build/run" "$folder/uart" >"$build/emulator.log" 2>&1 &
    board=$!
    until kymo_listens "$folder/uart" || ! kill -0 $board 2>/dev/null; do
        sleep 0.05
    done
    (
        until kymo_listens "$folder/uart.gdb" || ! kill -0 $board 2>/dev/null; do
            sleep 0.05
        done
        exec timeout "$seconds" python3 -B tests/e2e/memory.py "$build" "$folder/uart.gdb" "$out" $debugger_arguments
    ) >"$build/debugger.log" 2>&1 &
    debugger=$!
    timeout "$seconds" "$hostlink" "${@//@SOURCE@/unix:$folder/uart}"
    hostlink_status=$?
    [ $hostlink_status -eq 0 ] || kill $board 2>/dev/null
    wait $board
    board_status=$?
    wait $debugger || { cat "$build/debugger.log"; exit 1; }
    rm -rf "$folder"
}

# dump MEMORY FOLDER: what is in $out/MEMORY, as files in $out/FOLDER.
dump() {
    mkdir "$out/$2" || exit 1
    "$hostlink" dump --elf "$build/firmware.elf" "$out/$1" -o "$out/$2/demo.kymo" \
        -o "$out/$2/demo.pftrace" -o "$out/$2/demo.json" -o "$out/$2/demo.csv" >"$out/$2/dump.out" 2>&1 || {
        cat "$out/$2/dump.out"
        exit 1
    }
}
