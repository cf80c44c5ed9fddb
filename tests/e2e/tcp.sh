#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.tcp: the demo over TCP, through the emulator's own network stack and a port of this machine. Then once
# more, by the other layout of the network device's registers, to a host that leaves early; hostlink gets the rest.
# Usage: tcp.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
. tests/e2e/judged.sh
build=$1
hostlink=$2
out=$build/e2e.tcp

judged tcp "$build" "$hostlink" || exit 1

[ -z "${KYMO_JUDGE-}" ] || exit 0 # another firmware than the demo, for its figures

# A host that takes 20000 bytes and is gone, by a reset. Where the board does not listen yet it tries again.
leave_early() {
    python3 - "$1" <<'PYTHON'
import socket, struct, sys, time

end = time.monotonic() + 300
taken = 0
while taken < 20000 and time.monotonic() < end:
    host = socket.socket()
    host.settimeout(0.5)
    try:
        host.connect(("127.0.0.1", int(sys.argv[1])))
        while taken < 20000:
            some = host.recv(1000)
            if not some:
                break
            taken += len(some)
    except OSError:
        time.sleep(0.02)
    host.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    host.close()
sys.exit(taken < 20000)
PYTHON
}

# Like boards/boot.sh, with that host before hostlink.
kymo_capture() {
    local build=$1 seconds=$2 hostlink=$3 port board first
    port=$(kymo_free_port) || exit 1
    leave_early "$port" &
    first=$!
    KYMO_RUN_OPTIONS="-global virtio-mmio.force-legacy=false" \
        timeout "$seconds" "$build/run" "$port" >"$build/emulator.log" 2>&1 &
    board=$!
    wait $first || echo "no 20000 bytes came to the first host" >>"$build/emulator.log"
    timeout "$seconds" "$hostlink" "tcp:127.0.0.1:$port" -o "$out/rest.kymo" >"$out/rest.out" 2>"$out/rest.err"
    hostlink_status=$?
    [ $hostlink_status -eq 0 ] || kill $board 2>/dev/null
    wait $board
    board_status=$?
}

wrong() {
    echo "version 2 of the device, hostlink as the second host: $1"
    cat "$out/rest.err" "$build/emulator.log"
    exit 1
}

kymo_capture "$build" 600 "$hostlink"
[ "$hostlink_status" -eq 0 ] && [ "$board_status" -eq 0 ] ||
    wrong "hostlink ended with $hostlink_status, the firmware with $board_status"
emitted=$(sed -n 's/.*demo: emitted \([0-9]*\).*/\1/p' "$out/rest.out" "$out/rest.err")
read -r _ _ counted _ delivered _ lost < <(grep '^events:' "$out/rest.out")
[ "$counted" = "$emitted" ] || wrong "the firmware emitted '$emitted' events, hostlink counts '$counted'"
[ $((delivered + lost)) -eq "$counted" ] || wrong "$delivered delivered and $lost lost are not $counted"
[ "$delivered" -gt 100 ] && [ "$lost" -gt 100 ] || wrong "$delivered and $lost: who got what?"
