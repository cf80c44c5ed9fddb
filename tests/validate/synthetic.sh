#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Made-up events of every kind through every output, read back by programs that are not ours.
# Usage: synthetic.sh WRITE_SYNTHETIC FOLDER
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "$2"
rm -rf "$2/synthetic.ctf"
"$1" 500 "$2/synthetic.pftrace" "$2/synthetic.json" "$2/synthetic.csv" "$2/synthetic.ctf" "$2/synthetic.events.csv" \
    >"$2/synthetic.expected.json"
/usr/bin/python3 -B tests/validate/ctf.py "$2/synthetic.ctf" "$2/synthetic.events.csv" "$(sed -n 's/.*"lost": \([0-9]*\).*/\1/p' "$2/synthetic.expected.json")"
exec python3 tests/validate/outputs.py "$2" synthetic "$2/synthetic.expected.json"
