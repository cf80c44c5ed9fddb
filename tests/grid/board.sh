#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.grid: small cores with skewed clocks, engines, operations and signposts, in every output, against what the
# firmware wrote over semihosting. Usage: board.sh FOLDER (of its image) HOST (the build of the preset)
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1 hostlink=$2/hostlink/hostlink viewer=$2/tests/unit/tracy_viewer out=$1/e2e
begin "$out" "$hostlink" "$viewer"
export KYMO_RUN_OPTIONS="-smp 8 -chardev file,id=truth,path=$out/truth"
KYMO_RUN_OPTIONS+=" -semihosting-config enable=on,target=native,chardev=truth"
capture --no-commands --no-tracy -o "$out/grid.kymo" \
   
"$hostlink" convert -q "$out/grid.kymo" -o "$out/grid.pftrace" -o "$out/grid.json" -o "$out/profile_log_device.csv" \
    -o "$out/ops_perf.csv" || exit 1
"$hostlink" convert -q "$out/grid.kymo" --from signpost:warm --to signpost:cool -o "$out/part_ops_perf.csv" || exit 1
"$hostlink" stats "$out/grid.kymo" --devices --csv >"$out/devices.csv" || exit 1
port=$(kymo_free_port) || exit 1
"$hostlink" serve "$out/grid.kymo" --tracy "127.0.0.1:$port" >"$out/serve.log" 2>&1 &
"$viewer" "$port" 82 all >"$out/tracy.out" || {
    tail -n 3 "$out/serve.log"
    exit 1
}
wait $!
python3 -B tests/grid/expected.py "$out"
