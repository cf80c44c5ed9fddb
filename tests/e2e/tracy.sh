#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tracy.BOARD: the demo on its way to Tracy viewers: live over the serial port, then its capture served in
# the protocols that are given. Each viewer must get what hostlink's own statistics say.
# Usage: tracy.sh BUILD HOST_BUILD [PROTOCOL ...]
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1
hostlink=$2/hostlink/hostlink
viewer=$2/tests/unit/tracy_viewer
out=$build/e2e.tracy
begin "$out" "$hostlink" "$viewer"
port=$(kymo_free_port)

# The statistics of hostlink as the viewer prints its own.
own() {
    python3 - "$1" <<'PYTHON'
import csv, sys
for row in csv.DictReader(open(sys.argv[1], newline="")):
    print(f"{row['src_file']}:{row['src_line']} {row['name']} {row['counts']} {row['total_ns']}")
PYTHON
}

# NAME STATUS: the viewer's zones against those of the table.
check() {
    cat "$out/$1.err"
    [ "$2" -eq 0 ] || { echo "$1: the viewer ended with $2"; exit 1; }
    diff <(sort "$out/$1.zones") <(own "$out/demo.csv" | sort) || { echo "$1: zones differ"; exit 1; }
}

"$viewer" $port 82 >"$out/live.zones" 2>"$out/live.err" &
live=$!
capture -q --wait --tracy $port -o "$out/demo.kymo" -o "$out/demo.csv" \
   
wait $live
check live $?
[ -s "$out/live.zones" ] || { echo "no zones"; exit 1; }
# It connected before the board had said its name, and was welcomed with it.
grep -q '^protocol 82, kymo demo:' "$out/live.err" || { echo "another name of the program"; exit 1; }

for protocol in "${@:3}"; do
    port=$(kymo_free_port)
    "$hostlink" serve "$out/demo.kymo" -q --timeout 900 --tracy $port --source . &
    server=$!
    "$viewer" $port $protocol >"$out/$protocol.zones" 2>"$out/$protocol.err"
    check $protocol $?
    # At least sensor, layers, net and the main file.
    grep -Eq ' ([4-9]|1[0-9]) source files' "$out/$protocol.err" || { echo "no source code"; exit 1; }
    wait $server || { echo "hostlink serve ended with $?"; exit 1; }
done
