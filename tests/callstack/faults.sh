#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.faults: a firmware with tasks, and each of its faults: the first finding of 'hostlink doctor' in the
# program is that fault with its cause, or nothing without one; and the reports of the board's own limits
# (kymo/limits.h). Usage: faults.sh FOLDER (of its image) HOST_BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1 hostlink=$2/hostlink/hostlink out=$1/e2e
begin "$out" "$hostlink"
wrong=0
fault=0
# Reports by task and count: a packet of 20 ms is in two windows of 10 ms; one that erases flash for 6 ms at 421 and
# 1421 ms also keeps the logger from its line 5 ms later, which is reported while it waits and when it has run.
told=('' 'net 2, ' '' '' 'logger 4, net 2, ' '')
while IFS= read -r cause; do
    # An instruction takes 8 ns. Nothing is sent before the end, so a slow reader loses nothing.
    export KYMO_RUN_OPTIONS="-icount shift=3,sleep=off -device loader,addr=0x87000000,data=$fault,data-len=4"
    capture -q --no-tracy --no-commands -o "$out/$fault.kymo" \
       
    "$hostlink" doctor "$out/$fault.kymo" >"$out/$fault.txt"
    first=$(sed -n 's/^ *program *//p' "$out/$fault.txt" | head -n 1)
    [[ $first =~ ^$cause ]] || { echo "fault $fault: '$first' should be '$cause'"; wrong=1; }
    "$hostlink" convert "$out/$fault.kymo" -o "$out/$fault.events.csv" >"$out/convert.out" 2>&1
    limits=$(grep -oE 'limit: [a-z]+ [a-z]+' "$out/$fault.events.csv" | sort | uniq -c | awk '{ printf "%s %s, ", $3, $1 }')
    [ "$limits" = "${told[$fault]}" ] || { echo "fault $fault: limits: '$limits' should be '${told[$fault]}'"; wrong=1; }
    fault=$((fault + 1))
done <<'END'
$
priority inversion at 0\.0[0-9]+ s: task motor waited [0-9.]+ ms for lock bus, held by logger .* while net .* ran 2[0-9.]+ ms
interrupt storm at 1\.0[0-9]+ s: radio came [34][0-9][0-9] times
leak\? in pool buffers: 55 of 220 allocations were not freed by the end, 3\.52 kB
slow at times at [0-9.]+ s: zone packet took [67]\.[0-9]+ ms, usually 3[0-9]+ us; most of it, .* ms, was zone erase flash
lock held across a wait at 0\.0[0-9]+ s: logger waited 19\.[0-9]+ ms \(delay\) and held bus meanwhile
END
[ $wrong -eq 0 ] && echo passed
exit $wrong
