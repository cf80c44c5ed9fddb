#!/usr/bin/env bash
# One test of the tables of 'hostlink stats'. Usage: stats.sh HOSTLINK BOARD TEST, where TEST is one of the functions
# test_* below and BOARD the program of scene.c.
. "$(dirname "$0")/helpers.sh"

# as_data TABLE OPTION ...: x.csv and x.json of a table of x.kymo; JSON has what CSV has, and is as its schema says.
as_data() {
    local table=$1
    shift
    run 0 "$hostlink" stats --csv "$@" x.kymo
    mv out x.csv
    run 0 "$hostlink" stats --json "$@" x.kymo
    mv out x.json
    python3 -B "$top/tests/cli/schema.py" "$top/hostlink/doc/stats.schema.json" x.json >out || fail "$table: not as its schema"
    python3 -B "$top/tests/cli/tables.py" same "$table" >out || fail "$table: CSV and JSON differ"
}

test_json() {
    "$board" >x.kymo || fail "no scene"
    as_data zones
    as_data stacks --stacks
    as_data samples --samples
    python3 -B "$top/tests/cli/task_scenes.py" inversion >x.kymo
    as_data tasks --tasks
    make_capture x.kymo
    run 0 "$hostlink" stats --json x.kymo --stacks --samples
    python3 -c 'import json; assert list(json.load(open("out"))) == ["version", "stacks", "samples", "events"]' || fail "tables"
    emitted=$(tr -d '\n' <out | sed -n 's/.*"events":{"emitted":\([0-9]*\),"delivered":\1,"lost":0}}$/\1/p')
    [ "$emitted" -gt 10000 ] || fail "events"
    run 2 "$hostlink" stats --json --csv x.kymo
    says_only 'either --csv or --json'
}

# Every figure is that of an independent reckoning from the events.
test_measures() {
    local table
    "$board" >x.kymo || fail "no scene"
    run 0 "$hostlink" convert -q x.kymo -o x.events.csv
    for table in frames interrupts locks plots; do
        as_data $table --$table
        python3 -B "$top/tests/cli/tables.py" $table >out 2>err || fail "$table: other values"
    done
    # Each says the cause that was planted.
    run 0 "$hostlink" stats x.kymo --interrupts --locks
    prints "^storm of 'gpio': [0-9]+ entries in the 10 ms from 0.0[0-9] s on, where it usually has [0-9]$"
    prints '^bus .* high +low '
    ! grep -q "storm of 'timer'" out || fail "the timer is no storm"
}

"test_$3" && echo "passed"
