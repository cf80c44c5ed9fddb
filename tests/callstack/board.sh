#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.callstack: the program of known call stacks on the board; and Tracy viewers get the machine code of its
# functions. Usage: board.sh FOLDER (of its image) HOST_BUILD NM ARCH MODE [PROTOCOLS]
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1 hostlink=$2/hostlink/hostlink viewer=$2/tests/unit/tracy_viewer nm=$3 out=$1/e2e
begin "$out" "$hostlink" "$viewer"
# The board ends as soon as it has sent everything. Commands that it has not read by then would make its emulator's
# socket a reset one, and some systems discard with that what has not been read here.
capture --no-commands -o "$out/trace.kymo" -o "$out/trace.events.csv" \
   
"$nm" --demangle "$build/firmware.elf" >"$out/symbols" || exit 1
python3 -B tests/callstack/expected.py "$out" "$4" "$5" || exit 1
for protocol in ${6-}; do
    port=$(kymo_free_port)
    "$hostlink" serve "$out/trace.kymo" -q --timeout 900 --tracy "$port" --elf "$build/firmware.elf" &
    server=$!
    "$viewer" "$port" $protocol all >"$out/$protocol.viewed" 2>"$out/viewer.err" || { cat "$out/viewer.err"; exit 1; }
    wait $server || exit 1
    python3 -B tests/callstack/code.py "$build/firmware.elf" "$out/$protocol.viewed" || exit 1
done
