#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Instructions that hostlink takes for an event, counted by valgrind, against marks. Usage:
#   hostlink.sh HOSTLINK BENCH_CAPTURE
# The start of the program and of each task is left out: each figure is the difference of two captures of
# different length, divided by the events that one has more.
set -u
hostlink=$(realpath "$1")
generator=$(realpath "$2")
folder=$(mktemp -d "${TMPDIR:-/tmp}/kymo.bench.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0

# A tenth above what gcc 12 makes of it with -O2: a mark that sits on the figure fails on the next right change.
MARK_STATS=555
MARK_TASKS=895
MARK_REPORT=2910
# RECORDED:OUTPUT:INSTRUCTIONS.
MARKS="zones:perfetto:890 zones:chrome:1095 zones:csv-events:1675
    memory:perfetto:5400 memory:chrome:5655 memory:csv-events:2925
    locks:perfetto:3305 locks:chrome:3210 locks:csv-events:2190"

command -v valgrind >/dev/null || { echo "valgrind is missing: install valgrind, or run tests/run.sh, which does it"; exit 1; }

# instructions ARGUMENT ...: of hostlink with these.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$hostlink" "$@" 2>&1 >"$folder/out" |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# per_event TASKS EVENTS WORK ARGUMENT ...: where an argument is CAPTURE, the capture of what does that.
per_event() {
    local tasks=$1 events=$2 work=$3 counts=() length
    shift 3
    for length in "$events" $((2 * events)); do
        "$generator" $length "$tasks" "$work" >"$folder/capture" || return 1
        counts+=("$(instructions "${@/#CAPTURE/$folder/capture}")")
    done
    [ -n "${counts[0]}" ] && [ -n "${counts[1]}" ] || return 1
    echo $(((counts[1] - counts[0]) / events))
}

# check NAME FIGURE MARK
check() {
    printf '%-44s %6s  at most %s\n' "$1" "$2" "$3"
    [ -n "$2" ] && [ "$2" -le "$3" ] || failed=1
}

echo "instructions an event"
check "table of zones" "$(per_event 1 20000 zones stats CAPTURE)" "$MARK_STATS"
check "report" "$(per_event 1 20000 zones report CAPTURE -q -o "$folder/page")" "$MARK_REPORT"
for mark in $MARKS; do
    IFS=: read -r work output most <<<"$mark"
    check "$work, $output" "$(per_event 1 20000 "$work" convert CAPTURE -q -o "$output:$folder/trace")" "$most"
done

# The same for ten tasks as for forty thousand, each of which is seen in the shorter capture already.
few=$(per_event 10 100000 zones convert CAPTURE -q -o "csv:$folder/trace")
many=$(per_event 40000 100000 zones convert CAPTURE -q -o "csv:$folder/trace")
check "table of zones, 10 tasks" "$few" "$MARK_TASKS"
check "table of zones, 40 000 tasks" "$many" $((few * 5 / 4))
exit $failed
