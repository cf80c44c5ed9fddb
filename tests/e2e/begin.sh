# SPDX-License-Identifier: MIT
# Sourced by the scripts of e2e, from the top folder: how each begins, and what it asks after a capture.
. boards/boot.sh

# begin FOLDER PROGRAM ...: an empty folder for the test's files; ends the test where a program has not been built.
begin() {
    local folder=$1 program
    for program in "${@:2}"; do
        [ -x "$program" ] || {
            echo "$program is missing: build the preset 'host' first (tests/run.sh does it)"
            exit 1
        }
    done
    rm -rf "$folder" && mkdir -p "$folder" || exit 1
}

# ended_well BUILD FOLDER: after kymo_capture, whose errors are in FOLDER/capture.err: ends the test if hostlink or
# the board did not.
ended_well() {
    [ "$hostlink_status" -eq 0 ] || {
        cat "$2/capture.err"
        echo "hostlink ended with $hostlink_status"
        exit 1
    }
    [ "$board_status" -eq 0 ] || {
        tail -n 5 "$1/emulator.log"
        echo "the firmware ended with $board_status"
        exit 1
    }
}

# capture ARGUMENT ...: $hostlink captures the board of $build into $out/capture.out and capture.err; ends the
# test if hostlink or the board did not end well.
capture() {
    kymo_capture "$build" 600 "$hostlink" @SOURCE@ "$@" >"$out/capture.out" 2>"$out/capture.err"
    tail -n 2 "$out/capture.out"
    ended_well "$build" "$out"
}
