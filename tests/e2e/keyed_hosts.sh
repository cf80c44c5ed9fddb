#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The hosts of keyed.sh, one after the other: the one without the key leaves when it has been told that it needs it.
# Usage: keyed_hosts.sh HOSTLINK SOURCE FOLDER
set -u
hostlink=$1 source=$2 out=$3
wish=(--no-tracy --set sensor.plot_every=10)
: >"$out/without.err"
"$hostlink" "$source" "${wish[@]}" -o "$out/without.kymo" >"$out/without.out" 2>"$out/without.err" &
host=$!
until grep -q 'obeys signed commands alone' "$out/without.err"; do
    kill -0 $host || exit 1
    sleep 0.1
done
kill -TERM $host
wait $host
status=$?
# 6: the parameter could not be set.
[ $status -eq 6 ] || {
    cat "$out/without.err" >&2
    echo "the host without the key ended with $status"
    exit 1
}
exec "$hostlink" "$source" "${wish[@]}" --key "$out/key" -o "$out/demo.kymo" -o "$out/demo.pftrace" \
    -o "$out/demo.json" -o "$out/demo.csv"
