# SPDX-License-Identifier: MIT
# Sourced by the tests of hostlink's command line: HOSTLINK and BOARD are the first two arguments. Functions for a
# folder of its own, a command's output, and background programs.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
hostlink=$(realpath "$1")
board=$(realpath "$2")
folder=$(mktemp -d "${TMPDIR:-/tmp}/kymo.cli.XXXXXX") || exit 1
cd "$folder" || exit 1
pids=()
trap 'kill -9 "${pids[@]}" 2>/dev/null; rm -rf "$folder"' EXIT

fail() {
    echo "FAILED: $1"
    for file in out err; do
        [ -s $file ] && echo "-- $file:" && head -c 2000 $file
    done
    exit 1
}

# run STATUS COMMAND ...: the command ends with this status; its output is in the files out and err.
run() {
    local wanted=$1 status
    shift
    "$@" >out 2>err
    status=$?
    [ $status -eq "$wanted" ] || fail "'$*' ended with $status instead of $wanted"
}

# says PATTERN: standard error has such a line.
says() { grep -qE -- "$1" err || fail "standard error does not say '$1'"; }
# says_once PATTERN: it has one such line.
says_once() { [ "$(grep -cE -- "$1" err)" -eq 1 ] || fail "standard error does not say once '$1'"; }
# says_only PATTERN: it is this one line.
says_only() {
    says "$1"
    [ "$(wc -l <err)" -eq 1 ] || fail "standard error has more than one line"
}
prints() { grep -qE -- "$1" out || fail "standard output has no '$1'"; }
# counts ROUNDS: the last line of the table, for that many rounds of the board.
counts() { [ "$(tail -n 1 out)" = "events: emitted $(($1 * 10)) delivered $(($1 * 10)) lost 0" ] || fail "wrong last line"; }

# await COMMAND ...: until the command succeeds. The limit is for what never does, on the slowest machine.
await() {
    local i
    for ((i = 0; i < 18000; i++)); do
        "$@" && return
        sleep 0.05
    done
    fail "waited in vain for: $*"
}

# start_board ARGUMENT ...: a board on a pseudo-terminal, whose name is then in $device.
start_board() {
    "$board" -p "$@" >device 2>board.err &
    pids+=($!)
    board_pid=$!
    await test -s device
    device=$(cat device)
}

# start_hostlink ARGUMENT ...: in the background.
start_hostlink() {
    "$hostlink" "$@" >out 2>err &
    pids+=($!)
    hostlink_pid=$!
}
# end_hostlink STATUS
end_hostlink() {
    local status
    wait "$hostlink_pid"
    status=$?
    [ $status -eq "$1" ] || fail "hostlink ended with $status instead of $1"
}
# A capture of 1000 rounds.
make_capture() { "$board" 2>board.err | "$hostlink" - --no-tracy -o "$1" >/dev/null 2>err || fail "no capture"; }

has_said() { grep -qE -- "$1" err; }
# stop_hostlink [STATUS]: by a signal, upon which it completes its outputs.
stop_hostlink() {
    kill -TERM "$hostlink_pid"
    end_hostlink "${1-0}"
}

# try_net BOARD ARGUMENT ...: false if the board ended before it listened.
try_net() {
    : >printed
    "$@" >printed 2>board.err &
    pids+=($!)
    board_pid=$!
    until [ -s printed ]; do
        kill -0 $board_pid 2>/dev/null || return
        sleep 0.05
    done
}

# start_net BOARD ARGUMENT ...: a board on a network, its port in $port and what it prints in the file printed. The
# port of a board that comes back may be another program's for a while.
start_net() {
    await try_net "$@"
    port=$(head -n 1 printed)
}
# end_net: it finishes, and the number of its events is then in $emitted.
end_net() {
    kill -USR1 "$board_pid"
    wait "$board_pid"
    emitted=$(sed -n 's/^emitted //p' board.err)
}
bigger_than() { [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -gt "$2" ]; }

# get [PATH]: writes the answer of the server at $port to the files head and text.
get() {
    python3 - "$port" "${1-/metrics}" <<'REQUEST'
import http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=300)
connection.request("GET", sys.argv[2])
answer = connection.getresponse()
open("head", "w").write(f"{answer.status} {answer.getheader('Content-Type')}")
open("text", "wb").write(answer.read())
REQUEST
}
# got LINE: the text has it by now.
got() { get 2>/dev/null && grep -qx "$1" text; }
