# SPDX-License-Identifier: MIT
# Sourced: kymo_capture boots a board's image in its emulator and captures it with hostlink.

# Below those that the system gives to clients.
kymo_free_port() {
    local port
    for _ in {1..100}; do
        port=$((RANDOM % 12768 + 20000))
        kymo_listens $port || { echo $port; return; }
    done
    return 1
}

# True if a server waits on that unix socket or TCP port. A trial connection would be taken for the client.
kymo_listens() {
    case $1 in
    # The file alone is not enough: it is there before the socket listens (flag __SO_ACCEPTCON).
    */*) awk -v path="$1" '$4 == "00010000" && $8 == path { found = 1 } END { exit !found }' /proc/net/unix ;;
    *) grep -q ":$(printf '%04X' "$1") 00000000:0000 0A" /proc/net/tcp ;;
    esac
}

# kymo_place BUILD: where the serial port of a board will be: sets "place" for BUILD/run, "source" for hostlink, and
# "folder", to be removed afterwards.
kymo_place() {
    # Not below BUILD: the name of a unix socket has at most 107 bytes.
    folder=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") || return 1
    place=$folder/uart source=unix:$folder/uart
    if grep -q '^# run PORT' "$1/run"; then
        place=$(kymo_free_port) && source=tcp:127.0.0.1:$place || return 1
    fi
}

# kymo_capture BUILD SECONDS HOSTLINK [ARGUMENT ...]: runs BUILD/run and, on its serial port, hostlink with
# the arguments, of which @SOURCE@ stands for the port. Sets board_status and hostlink_status; 124 means
# that SECONDS were not enough. The emulator's messages go to BUILD/emulator.log.
kymo_capture() {
    local build=$1 seconds=$2 hostlink=$3 folder board place source
    shift 3
    kymo_place "$build" || return 1
    timeout "$seconds" "$build/run" "$place" >"$build/emulator.log" 2>&1 &
    board=$!
    until kymo_listens "$place" || ! kill -0 $board 2>/dev/null; do
        sleep 0.05
    done
    if ! kill -0 $board 2>/dev/null; then
        wait $board
        board_status=$? hostlink_status=1
        rm -rf "$folder"
        echo "the emulator did not start; the end of $build/emulator.log:" >&2
        tail -n 5 "$build/emulator.log" >&2
        return
    fi
    timeout "$seconds" "$hostlink" "${@//@SOURCE@/$source}"
    hostlink_status=$?
    # Without a reader the board would wait for ever in its transmitter.
    [ $hostlink_status -eq 0 ] || kill $board 2>/dev/null
    wait $board
    board_status=$?
    rm -rf "$folder"
}
