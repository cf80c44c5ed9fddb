#!/usr/bin/env bash
# One test of what hostlink's command line has for Tracy. Usage: tracy.sh HOSTLINK BOARD VIEWER TEST
viewer=$(realpath "$3")
. "$(dirname "$0")/helpers.sh"
. "$top/boards/boot.sh"

# sockets NUMBER: so many hostlink has open.
sockets() { [ "$(find "/proc/$hostlink_pid/fd" -lname 'socket:*' | wc -l)" -eq "$1" ]; }

# With --no-tracy nothing listens.
test_off() {
    start_board -n 0
    start_hostlink "$device" -o x.kymo
    await bigger_than x.kymo 1000
    sockets 1 || fail "a capture listens for viewers"
    says 'Tracy: viewers connect to 127.0.0.1:'
    stop_hostlink
    rm device
    start_board -n 0
    start_hostlink "$device" -o y.kymo --no-tracy
    await bigger_than y.kymo 1000
    sockets 0 || fail "something listens"
    stop_hostlink
    ! has_said Tracy || fail "Tracy is talked about"
}

# One viewer after the other gets all; without --keep the first is the last.
test_keep() {
    local port protocol
    make_capture x.kymo
    port=$(kymo_free_port)
    start_hostlink serve x.kymo --keep --tracy "$port"
    for protocol in 82 63 76; do
        "$viewer" "$port" $protocol >zones 2>viewer.err || fail "protocol $protocol: $(cat viewer.err)"
        [ "$(awk '{ print $2, $3 }' zones | sort | tr '\n' ' ')" = "inner 3000 round 1000 " ] || fail "$(cat zones)"
    done
    kill -0 $hostlink_pid || fail "it did not wait for further viewers"
    stop_hostlink
    [ "$(grep -c 'zones given to the viewer' err)" -eq 3 ] || fail "not three viewers"

    start_hostlink serve x.kymo --tracy "$port"
    "$viewer" "$port" 82 >zones 2>viewer.err || fail "$(cat viewer.err)"
    end_hostlink 0
    says '^hostlink: 4000 zones given to the viewer'
}

"test_$4" && echo "passed"
