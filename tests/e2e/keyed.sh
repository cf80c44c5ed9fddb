#!/usr/bin/env bash
# keyed.BOARD: a board on a network whose image has a key. A host without it gets the trace and sets nothing; a host
# that has it sets a parameter, and the demo plots less. Usage: keyed.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1
hostlink=$2
out=$build/e2e.keyed
begin "$out" "$hostlink"
unset KYMO_KEY
echo 000102030405060708090a0b0c0d0e0f >"$out/key" && chmod 600 "$out/key" || exit 1

# trial NAME ARGUMENT ...: a run of the demo in which hostlink wants fewer plots, in the folder NAME.
trial() {
    local folder=$out/$1
    mkdir "$folder" || exit 1
    kymo_capture "$build" 120 "$hostlink" @SOURCE@ --no-tracy --set sensor.plot_every=10 "${@:2}" -o "$folder/demo.kymo" \
        -o "$folder/demo.pftrace" -o "$folder/demo.json" -o "$folder/demo.csv" >"$folder/capture.out" 2>"$folder/capture.err"
    ended_well "$build" "$folder"
    python3 tests/e2e/judge.py "$folder" || exit 1
}
# How often the firmware says that it has plotted the temperature.
plots() { sed -n 's/.*demo: plots .* temperature \([0-9]*\).*/\1/p' "$out/$1/capture.out"; }

trial without
grep -q 'obeys only who has its key' "$out/without/capture.err" || {
    cat "$out/without/capture.err"
    echo "hostlink does not say that a key is needed"
    exit 1
}
trial with --key "$out/key"
[ "$(plots with)" -lt $(($(plots without) / 2)) ] || {
    cat "$out/with/capture.err"
    echo "plots: $(plots without) without the key, $(plots with) with it"
    exit 1
}
