# Sourced: kymo_capture boots a board's image in its emulator and captures it with hostlink.

# kymo_capture BUILD SECONDS HOSTLINK [ARGUMENT ...]: runs BUILD/run and, on its serial port, hostlink with
# the arguments, of which @SOURCE@ stands for the port. Sets board_status and hostlink_status; 124 means
# that SECONDS were not enough. What the emulator says goes to BUILD/emulator.log.
kymo_capture() {
    local build=$1 seconds=$2 hostlink=$3 folder board
    shift 3
    # Not below BUILD: the name of a unix socket has at most 107 bytes.
    folder=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") || return 1
    timeout "$seconds" "$build/run" "$folder/uart" >"$build/emulator.log" 2>&1 &
    board=$!
    until [ -S "$folder/uart" ] || ! kill -0 $board 2>/dev/null; do
        sleep 0.05
    done
    timeout "$seconds" "$hostlink" "${@//@SOURCE@/unix:$folder/uart}"
    hostlink_status=$?
    # Without a reader the board would wait for ever in its transmitter.
    [ $hostlink_status -eq 0 ] || kill $board 2>/dev/null
    wait $board
    board_status=$?
    rm -rf "$folder"
}
