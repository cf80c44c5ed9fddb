#!/usr/bin/env bash
# One test of the tables of 'hostlink stats'. Usage: stats.sh HOSTLINK BOARD TEST, where TEST is one of the functions
# test_* below and BOARD the program of board.c.
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
    make_capture x.kymo
    as_data zones
    as_data stacks --stacks
    as_data samples --samples
    run 0 "$hostlink" stats --json x.kymo --stacks --samples
    python3 -c 'import json; assert list(json.load(open("out"))) == ["version", "stacks", "samples", "events"]' || fail "tables"
    python3 -c 'import json; assert json.load(open("out"))["events"] == {"emitted": 10000, "delivered": 10000, "lost": 0}' ||
        fail "events"
    run 2 "$hostlink" stats --json --csv x.kymo
    says_only 'either --csv or --json'
}

"test_$3" && echo "passed"
