#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# For users of IREE's runtime, built with tests/iree/counted.cmake in place of cmake/iree.cmake (doc/iree.md): runs
# test programs of that build with their events going to a file, and compares hostlink's findings with the calls of
# the provider, kind by kind. Usage: run.sh HOSTLINK PROGRAM... [-- EMULATOR [OPTION ...]]
set -u
hostlink=$(realpath "$1") && shift
programs=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    programs+=("$(realpath "$1")")
    shift
done
emulator=("${@:2}")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
status=0
for program in "${programs[@]}"; do
    rm -f wire counts
    KYMO_TRACE=$work/wire KYMO_COUNTED=$work/counts timeout 600 "${emulator[@]}" "$program" >said 2>&1 || {
        tail -n 3 said
        echo "$(basename "$program"): failed"
        status=1
    }
    "$hostlink" convert wire -o demo.events.csv >out 2>&1 || { cat out; status=1; }
    python3 -B "$here/counted.py" "$program" counts demo.events.csv out || status=1
done
exit $status
