#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
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

# Viewers that connect one after the other get all; without --keep the first is the last.
test_keep() {
    local port protocol
    make_capture x.kymo
    port=$(kymo_free_port)
    start_hostlink serve x.kymo --keep --tracy "$port"
    for protocol in 82 63 76; do
        "$viewer" "$port" $protocol >zones 2>viewer.err || fail "protocol $protocol: $(cat viewer.err)"
        [ "$(awk '{ print $2, $3 }' zones | LC_ALL=C sort | tr '\n' ' ')" = "inner 3000 round 1000 " ] || fail "$(cat zones)"
    done
    kill -0 $hostlink_pid || fail "it did not wait for further viewers"
    stop_hostlink
    [ "$(grep -c 'zones given to the viewer' err)" -eq 3 ] || fail "not three viewers"

    start_hostlink serve x.kymo --tracy "$port"
    "$viewer" "$port" 82 >zones 2>viewer.err || fail "$(cat viewer.err)"
    end_hostlink 0
    says '^hostlink: 4000 zones given to the viewer'
}

# Several boards in one view, one of which comes later; each ends for itself. What was kept is the same.
test_boards() {
    local port devices=()
    port=$(kymo_free_port)
    for rounds in 300 200 100; do
        rm -f device
        start_board -n "$rounds" -a 3 -k
        devices+=("$device")
    done
    start_hostlink "${devices[0]}" "${devices[1]}" late/pump --reconnect --wait --tracy "$port" -o all.kymo
    await has_said 'waiting for a viewer'
    "$viewer" "$port" 82 >zones 2>viewer.err &
    viewer_pid=$!
    await has_said 'pts/.*: the board has finished'
    mkdir late
    ln -s "${devices[2]}" late/pump
    end_hostlink 0
    wait $viewer_pid || fail "$(cat viewer.err)"
    says_once '^hostlink: late/pump: .*; waiting for it$'
    says_once '^hostlink: pump: .*is there$'
    says_once '^hostlink: Tracy: viewer .* connected'
    [ "$(awk '{ print $2, $3 }' zones | sort | tr '\n' ' ')" = "inner 300 inner 600 inner 900 round 100 round 200 round 300 " ] ||
        fail "$(cat zones)"
    run 0 "$hostlink" info all.kymo
    [ "$(grep -c '^events: emitted .* lost 0$' out)" -eq 3 ] || fail "not three boards"
    run 0 "$hostlink" stats all.kymo --context 'pump/*' --csv
    grep -q '^pump/round,.*,100,' out || fail "the late board"
    run 2 "$hostlink" "${devices[0]}" "${devices[0]}" -o x.kymo
    run 2 "$hostlink" "${devices[0]}" all.kymo -o x.kymo
    run 3 "$hostlink" nothing/there nothing/else -o x.kymo
}

# A viewer gets as much as it can hold, and a note.
test_too_long() {
    local port
    python3 -B "$top/tests/cli/long_capture.py" >x.kymo || fail "no capture"
    port=$(kymo_free_port)
    start_hostlink serve x.kymo --tracy "$port"
    "$viewer" "$port" 82 >zones 2>viewer.err || fail "$(cat viewer.err)"
    end_hostlink 1
    says_once '^hostlink: x.kymo: longer than a Tracy viewer can hold, which has received the first 39 hours'
    [ "$(awk '{ print $2, $3 }' zones)" = "work 3" ] || fail "$(cat zones)" # one is open
}

# goes_on: it waits for longer than a turn of its loop, without an end of its own.
goes_on() {
    sleep 1
    kill -0 "$hostlink_pid" 2>/dev/null || fail "it no longer waits for a viewer"
}

no_viewer='no viewer has come: is it set to this address\?$'

# gives_up ARGUMENT ...: no viewer comes within the time, and nothing is captured or replayed.
gives_up() {
    run 1 timeout 900 "$hostlink" "$@" --timeout 0.3
    says_once "$no_viewer"
    ! has_said 'it may connect again' || fail "it speaks of a viewer that never came"
}

# --timeout ends the wait for a viewer, and only that.
test_timeout() {
    local port wrong
    make_capture x.kymo
    port=$(kymo_free_port)
    gives_up serve x.kymo --tracy "$port"
    # At the port of a program for viewers there is no board.
    start_hostlink serve x.kymo --tracy "$port"
    await kymo_listens "$port"
    run 4 "$hostlink" tcp:127.0.0.1:$port --no-tracy
    says_once 'Programs with TracyClient wait for a viewer instead'
    stop_hostlink
    gives_up serve x.kymo --tracy "$port" --keep
    start_board -n 0
    gives_up "$device" --wait --tracy "$port" -o y.kymo
    says '^hostlink: Tracy: waiting for a viewer$'
    [ ! -e y.kymo ] || fail "a capture began without a viewer"
    for wrong in 0 -1 x ''; do
        run 2 "$hostlink" serve x.kymo --timeout "$wrong"
        says_only "'--timeout' needs a number of seconds"
    done
    # Long enough: the viewer comes after some turns of the wait, and gets all.
    start_hostlink serve x.kymo --tracy "$port" --timeout 86400
    goes_on
    "$viewer" "$port" 82 >zones 2>viewer.err || fail "$(cat viewer.err)"
    end_hostlink 0
    says '^hostlink: 4000 zones given to the viewer'
}

# Without --timeout a capture waits for as long as it takes.
test_wait() {
    local port
    start_board -n 1000 -x
    port=$(kymo_free_port)
    start_hostlink "$device" --wait --tracy "$port" -o x.kymo
    await has_said 'waiting for a viewer$'
    goes_on
    [ ! -e x.kymo ] || fail "a capture began without a viewer"
    "$viewer" "$port" 82 >zones 2>viewer.err || fail "$(cat viewer.err)"
    end_hostlink 0
    counts 1000
    ! has_said "$no_viewer" || fail "the viewer was not noticed"
    says '^hostlink: Tracy: [0-9]+ zones given to the viewer, 0 repairs$'
}

# await_announcement PORT NAME: as a viewer hears it; the names announced before are in the file heard.
await_announcement() {
    python3 -B "$top/tests/cli/announced.py" "$@" >heard 2>heard.err || fail "not announced: $(cat heard heard.err)"
    sed -i 1d heard
}

# A capture is announced by its source until the board has said its name, which --wait delays.
test_announce() {
    local port
    make_capture x.kymo
    port=$(kymo_free_port)
    start_board -n 0
    start_hostlink "$device" --wait --tracy-announce --tracy "$port" -o y.kymo
    await_announcement "$port" "$device"
    [ ! -s heard ] || fail "announced as '$(cat heard)'"
    "$viewer" "$port" 82 >zones 2>viewer.err &
    pids+=($!)
    await bigger_than y.kymo 1000
    kill -KILL $!
    await_announcement "$port" 'test board'
    stop_hostlink
    start_hostlink serve x.kymo --tracy-announce --tracy "$port"
    await_announcement "$port" 'test board'
    [ ! -s heard ] || fail "announced as '$(cat heard)'"
    stop_hostlink
}

"test_$4" && echo "passed"
