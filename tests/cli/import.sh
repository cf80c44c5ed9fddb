#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of 'hostlink import'. Usage: import.sh HOSTLINK SCENE TEST, where TEST is one of the functions test_* below and
# SCENE the program of scene.c. What Perfetto reads in the same file is compared by validate.imports.
. "$(dirname "$0")/helpers.sh"

# Chrome's JSON from hostlink imports with the same zones, plots and messages.
test_own_output() {
    "$board" -n 200 | "$hostlink" - --no-tracy -q -o x.kymo -o x.json -o x.csv >out 2>err || fail "no capture"
    run 0 "$hostlink" import x.json -q -o y.kymo -o y.csv -o y.events.csv
    for file in x y; do
        python3 -c 'import csv, sys; print(*sorted((r["name"], r["counts"], r["total_ns"], r["min_ns"], r["max_ns"])
            for r in csv.DictReader(open(sys.argv[1])) if r["counts"] != "0"), sep="\n")' $file.csv >$file.zones
    done
    # Tasks and interrupts of a core are zones of rows there.
    [ "$(wc -l <x.zones)" -eq 5 ] && grep -E "'(job|parse|control|refill|number crunching)'" y.zones | cmp -s - x.zones ||
        fail "other zones: $(diff x.zones y.zones)"
    [ "$(grep -c ',plot,queue,' y.events.csv)" -eq 200 ] || fail "other plots"
    grep -q ',message,,,200 jobs' y.events.csv || fail "no message"
    for command in "stats y.kymo --longest job" "stats y.kymo --plots" "info y.kymo" "check y.kymo --write-budget"; do
        run 0 "$hostlink" $command
    done
    run 0 "$hostlink" compare y.kymo y.kymo
    run 2 "$hostlink" import x.json -o chrome:x.json
    says_only '^hostlink: x.json: is the input itself'
}

# wrong TEXT BYTE WHY: refused, with the byte, and nothing is written.
wrong() {
    printf "$1" >wrong.json
    run 4 "$hostlink" import wrong.json -o wrong.kymo -o wrong.pftrace
    says_only "^hostlink: wrong.json: byte $2: $3"
    [ ! -e wrong.kymo ] && [ ! -e wrong.pftrace ] || fail "something is written"
}

test_wrong_files() {
    wrong '{"traceEvents":[{"name":"a","ph":"X","ts":1,"dur":2},]}' 53 "'\{' is expected"
    wrong '{"traceEvents":[{"name":"a","ph":"X","ts":"1x","dur":2}]}' 16 'an event needs "ts", a number of microseconds$'
    wrong '{"traceEvents":[{"name":"a","ph":"X","ts":1e300,"dur":2}]}' 16 'an event needs "ts"'
    wrong '{"traceEvents":[{"name":"a","ph":"X","ts":99999999999999999999,"dur":2}]}' 16 'an event needs "ts"'
    wrong '{"traceEvents":[{"name":"a","ph":"X","ts":1}]}' 16 'an event of phase X needs "dur"'
    wrong '{"traceEvents":[{"name":"a"}{"name":"b"}]}' 28 "'\]' or ',' is expected"
    wrong '{"traceEvents":[{"name":"a\\q"}]}' 27 'no such escape'
    wrong '{"traceEvents":[{"name":"\\u12g4"}]}' 29 'four hexadecimal digits are expected'
    wrong '{"traceEvents":[{"args":[}]}]}' 25 'a bracket that does not match'
    wrong '{"traceEvents":7}' 15 "'\[' is expected"
    wrong '{"other":[]}' 12 'it has no "traceEvents"'
    wrong '{"traceEvents":[{"name":"a\0"}]}' 26 'a zero byte'
    wrong '{' 1 'it ends here, in the middle'
    # Deeper than any program nests.
    python3 -c 'print("{\"traceEvents\":[{\"args\":" + "[" * 100000)' >deep.json
    run 4 "$hostlink" import deep.json
    says_only '^hostlink: deep.json: byte 536: nested too deeply'
    for text in '' 'hello' '<xml/>' '0; 0x80'; do
        printf '%s' "$text" >other
        run 4 "$hostlink" import other
        says_only '^hostlink: other: looks like none of the formats that can be imported; --format names one$'
    done
    "$board" >x.kymo 2>/dev/null
    run 2 "$hostlink" import x.kymo
    says_only '^hostlink: x.kymo: is a capture of kymo: convert, stats, report and the others read it as it is$'
    run 2 "$hostlink" import other --format chrom
    says_only "'chrom' is no format that can be imported, did you mean 'chrome'\?"
    run 3 "$hostlink" import none.json
    says_only '^hostlink: none.json: cannot be read: No such file'
    printf '0, 0x100, 0x13, "nop"\nhello\n' >x.execlog
    run 3 "$hostlink" import x.execlog --elf x.execlog
    run 4 "$hostlink" import x.execlog --elf "$board"
    says_only '^hostlink: x.execlog: byte 22: a line of the plugin execlog is expected: CORE, 0xADDRESS, 0xCODE, ...$'
    echo '{"traceEvents":[]}' >empty.json
    run 4 "$hostlink" import empty.json
    says_only '^hostlink: empty.json: has no events$'
}

# Folded stacks and pprof's profiles: each name has the time that it was in a stack. A damaged one is reported by byte.
test_stacks() {
    python3 -B "$top/tests/cli/stacks.py" make
    for file in x.folded x.pb x.pb.gz; do
        run 0 "$hostlink" import $file -q -o $file.csv
        python3 -B "$top/tests/cli/stacks.py" check $file >out 2>err || fail "$file: other times"
        size=$(stat -c %s $file)
        for part in 1 3 $((size / 2)) $((size - 3)); do
            head -c "$part" $file >part.$file
            "$hostlink" import part.$file -q -o part.csv >out 2>err
            [ $? -le 5 ] && [ -s err -o $file = x.folded ] || fail "$file is cut at $part, and that is not said"
        done
    done
    # A file written by hostlink imports again.
    "$board" -n 50 | "$hostlink" - --no-tracy -q -o x.kymo >out 2>err || fail "no capture"
    for suffix in folded pprof; do
        run 0 "$hostlink" convert -q x.kymo -o again.$suffix -o own.folded
        run 0 "$hostlink" import again.$suffix -q -o back.folded
        sed 's/^[a-z]*;//' back.folded | LC_ALL=C sort | cmp -s - <(LC_ALL=C sort own.folded) || fail "$suffix: others come back"
    done
    while IFS=: read -r text byte why; do
        printf "$text" >wrong.stacks
        run 4 "$hostlink" import wrong.stacks --format folded
        says_only "^hostlink: wrong.stacks: byte $byte: $why"
    done <<'END'
a 1\nb\n:4:a line of folded stacks is expected
a\0b 1:0:a zero byte
x 9223372036854775808:0:the numbers add up
x 4611686018427387903\ny 4611686018427387903\nz 2:44:the numbers add up
END
    printf '\012\377\377\377\377' >wrong.pb
    run 4 "$hostlink" import wrong.pb --format pprof
    says_only '^hostlink: wrong.pb: byte 5: a number without an end$'
    python3 -c 'import sys; data = bytearray(open("x.pb.gz", "rb").read()); data[300] ^= 16; sys.stdout.buffer.write(data)' >wrong.gz
    run 4 "$hostlink" import wrong.gz
    says_only '^hostlink: wrong.gz: byte [0-9]+ of the gzip: '
}

# Tasks and interrupts of a kernel, in a recording of SystemView.
test_svdat() {
    python3 -B "$top/tests/cli/svdat.py" make
    run 0 "$hostlink" import x.SVDat -q -o x.kymo -o x.events.csv
    for table in tasks interrupts; do
        run 0 "$hostlink" stats --csv --$table x.kymo
        mv out $table.csv
    done
    python3 -B "$top/tests/cli/svdat.py" check >out 2>err || fail "other tasks"
    # Older versions write no lines before the stream.
    sed '/^;/d' x.SVDat >bare.SVDat
    run 0 "$hostlink" import bare.SVDat -q -o y.events.csv
    cmp -s <(sed 's/,x,/,,/' x.events.csv) <(sed 's/,bare,/,,/' y.events.csv) || fail "other events without the lines of the head"
    size=$(stat -c %s x.SVDat)
    for part in 100 101 102 1000 $((size - 1)); do
        head -c "$part" x.SVDat >part.SVDat
        "$hostlink" import part.SVDat -q -o part.csv >out 2>err
        case $? in 0 | 4 | 5) ;; *) fail "cut at $part: status" ;; esac
    done
    run 5 "$hostlink" import part.SVDat -q
    says_only "^hostlink: part.SVDat: ends early, at byte $((size - 1)); what came before is there$"
    printf '; SEGGER\n\377\377\377\377\377\377\377\377\377\377\377\377' >wrong.SVDat
    run 4 "$hostlink" import wrong.SVDat
    says_only '^hostlink: wrong.SVDat: byte [0-9]+: no INIT event, which says how fast the clock is$'
}

# Threads and interrupts in a stream of Zephyr's tracing, whose clock wraps.
test_zephyr() {
    local size
    python3 -B "$top/tests/cli/zephyr.py" make
    run 0 "$hostlink" import channel0_0 -q -o x.kymo -o x.events.csv
    says '^hostlink: channel0_0: events left out, .*: 600 \(objects, sockets, pins\)$'
    for table in tasks interrupts; do
        run 0 "$hostlink" stats --csv --$table x.kymo
        mv out $table.csv
    done
    python3 -B "$top/tests/cli/zephyr.py" check >out 2>err || fail "other tasks"
    size=$(stat -c %s channel0_0)
    head -c $((size - 1)) channel0_0 >part
    run 5 "$hostlink" import part -q
    says "^hostlink: part: ends early, at byte $((size - 1)); what came before is there$"
    { head -c 10000 channel0_0 && printf '\1\1\1\1\1\1\377\377\377\377\377'; } >wrong
    run 4 "$hostlink" import wrong --format zephyr
    says_only '^hostlink: wrong: byte [0-9]+: no event of Zephyr'
}

# BTF from hostlink imports again; other programs' files, on two cores and in numbers; wrong ones.
test_btf() {
    "$board" -n 300 >x.kymo || fail "no scene"
    run 0 "$hostlink" convert -q x.kymo -o x.btf -o x.events.csv
    run 0 "$hostlink" import x.btf -q -o y.kymo -o y.events.csv
    for table in '' --interrupts --plots; do
        for name in x y; do
            run 0 "$hostlink" stats --csv $table $name.kymo
            python3 -c 'import csv, sys
for row in csv.DictReader(open("out")):
    print(*(row.get(key) for key in ("name", "counts", "count", "total_ns", "self_ns", "max_ns", "least", "last", "mean")))' | LC_ALL=C sort >$name.rows
        done
        cmp -s x.rows y.rows || fail "$table: others come back: $(diff x.rows y.rows)"
    done
    printf '%s\n' '#version 2.1.3' '# two cores' '#timeScale us' '#typeMapping 1 T' '#entityMapping 10 Task A' '#entityMapping 11 Core_1' \
        '5,S,0,1,10,0,activate' '6,11,0,1,10,0,start' '7,Task A,0,R,step,0,start' '8,Core_2,0,T,B,0,start' '9,Task A,0,R,step,0,terminate' \
        '10,Core_1,0,T,Task A,0,terminate' '12,Core_2,0,T,B,0,preempt' '12,B,0,SIG,level,0,write,2.5' '13,S,0,STI,S,1,trigger,it is late' >two.btf
    run 0 "$hostlink" import two.btf -q -o two.events.csv
    for line in 'Core_1,zone end,Task A,4000' 'Task A,zone end,step,2000' 'Core_2,zone end,B,4000' 'plot,level,2.5' 'message,,,S: it is late'; do
        grep -q ",$line" two.events.csv || fail "no $line"
    done
    while IFS=: read -r text byte why; do
        printf "$text" >wrong.btf
        run 4 "$hostlink" import wrong.btf
        says_only "^hostlink: wrong.btf: byte $byte: $why"
    done <<'END'
#version 2\n1,a,0,T,b,0,start\n:11:no #timeScale before the first event$
#version 2\n#timeScale h\n:11:the time scale is not ps, ns
#version 2\n#timeScale s\n1,a,0,T,b\n:24:a line of time, source
#version 2\n#timeScale s\n-1,a,0,T,b,0,start\n:24:the time is no number
#version 2\n#timeScale s\n99999999999999,a,0,T,b,0,start\n:24:the time is no number, or beyond 292 years
#version 2\n#timeScale s\n1,a,0,T,b\0,0,start\n:24:a zero byte
#version 2\n#entityMapping 7\n:11:a mapping has a number and a name
END
}

# A truncated file is read up to its end, and the cut is reported; an array needs no end.
test_cut_files() {
    printf '[{"name":"a","ph":"X","ts":1,"dur":2},\n{"name":"b","ph":"X","ts":1.5,"dur":1}' >array.json
    run 0 "$hostlink" import array.json
    prints '^a +1 +2.00 us +1.00 us '
    python3 - <<'PYTHON'
import json
events = [{"name": f"zone {i % 7}", "ph": "BE"[i % 2], "ts": i * 1.5, "pid": 1, "tid": 2} for i in range(2000)]
open("whole.json", "w").write(json.dumps({"traceEvents": events, "other": {"a": [1, 2, {}]}}))
PYTHON
    size=$(stat -c %s whole.json)
    for part in 100 1000 $((size / 2)) $((size - 40)) $((size - 1)); do
        head -c "$part" whole.json >part.json
        run 5 "$hostlink" import part.json -q -o part.csv
        says "^hostlink: part.json: ends early, at byte $part; what came before is there$"
    done
    [ "$(awk -F, 'NR > 1 { n += $6 } END { print n }' part.csv)" -eq 1000 ] || fail "zones are missing"
    # Ends without a begin, zones without an end, and zones that outlast the zone around them.
    printf '[{"name":"a","ph":"E","ts":1},{"name":"b","ph":"B","ts":2},{"name":"c","ph":"X","ts":3,"dur":4},{"name":"d","ph":"X","ts":5,"dur":9},{"name":"f","ph":"P","ts":6}]' >odd.json
    run 0 "$hostlink" import odd.json -o odd.events.csv
    says '^hostlink: odd.json: events left out, of phases that have no form here: 1 \(.P.\)$'
    says '^hostlink: odd.json: zones that reached out of the one around them, and end with it: 1$'
    says '^hostlink: odd.json: ends without an open zone, left out: 1$'
    grep -q '^6000,0,thread 0,zone end,d,2000,,$' odd.events.csv || fail "d does not end with c"
    grep -q ',zone end,b,.*still open' odd.events.csv || fail "b ends"
}

# Arrows and asynchronous zones, by name and id: a number in either form, a text in its category, one that counts within its process.
test_flows() {
    python3 - <<'PYTHON'
import json
def at(ph, name, ts, pid=1, **more): return {"ph": ph, "name": name, "ts": ts, "pid": pid, "tid": pid} | more
events = [at("s", "go", 1, id=7), at("f", "go", 4, 2, id="0x7"), at("s", "go", 5, id="q", cat="a"), at("s", "go", 6, id="q", cat="b"),
          at("t", "go", 7, 2, id="q", cat="a"), at("f", "go", 8, 2, id="q", cat="a"), at("f", "go", 10, 2, id="q", cat="b"),
          at("b", "load", 1, id2={"local": "1"}), at("b", "load", 2, 2, id2={"local": "1"}), at("n", "note", 2, id2={"local": "1"}),
          at("e", "load", 5, 2, id2={"local": "1"}), at("e", "load", 9, id2={"local": "1"}), at("b", "never", 1, id=1), at("f", "lone", 3, id=9)]
open("flows.json", "w").write(json.dumps({"traceEvents": events}))
PYTHON
    run 0 "$hostlink" import flows.json -q -o x.kymo -o x.events.csv
    run 0 "$hostlink" stats --csv --flows x.kymo
    # name, what it is, begun, ended, longest, lost, never sent
    cut -d, -f1-4,8,11,12 out | sort >rows
    printf '%s\n' 'go,flow,3,3,4000,0,0' 'load,zone,2,2,8000,0,0' 'lone,flow,0,0,,0,1' 'name,is,sent,count,max_ns,lost,not_sent' \
        'never,zone,1,0,,1,0' | cmp - rows || fail "other flows"
    grep -q ',message,,,note' x.events.csv || fail "no message"
    wrong '{"traceEvents":[{"name":"a","ph":"s","ts":1}]}' 16 'an event of phase s, t, f, b or e needs "id"$'
}

# Ten thousand threads, names, counters and processes; names that mean something somewhere.
test_crowd() {
    python3 - <<'PYTHON'
import json
events, hostile = [], 'x"\\<b>\u202e\ud800,;|`\n=1'
for i in range(10000):
    where = {"pid": i // 3, "tid": f"t{i}"}
    events += [{"name": f"zone {i} {hostile}", "ph": "X", "ts": i / 8, "dur": 3, "args": {hostile: hostile * 5}} | where,
               {"name": f"inner {i}", "ph": "X", "ts": i / 8 + 1, "dur": 1} | where,
               {"name": f"count {i}", "ph": "C", "ts": i / 8, "args": {hostile: i, "b": "text"}} | where,
               {"name": "thread_name", "ph": "M", "args": {"name": f"row {i} {hostile}"}} | where]
open("crowd.json", "w").write(json.dumps(events))
PYTHON
    run 0 "$hostlink" import crowd.json -q -o crowd.kymo -o crowd.csv -o crowd.json.json
    [ ! -s err ] || fail "24 rows at a time do not fit"
    [ "$(python3 -c 'import csv; print(sum(int(r["counts"]) for r in csv.DictReader(open("crowd.csv"))))')" -eq 20000 ] || fail "zones"
    python3 -c 'import json; json.load(open("crowd.json.json"))' || fail "no JSON"
    run 0 "$hostlink" stats --csv --plots crowd.kymo
    [ "$(python3 -c 'import csv; print(sum(int(r["count"]) for r in csv.DictReader(open("out"))))')" -eq 10000 ] || fail "plots"
    # Each zone keeps its length, on any lane.
    python3 -c 'import csv; assert all(r["total_ns"] == ("3000" if r["name"].startswith("zone") else "1000") for r in csv.DictReader(open("crowd.csv")))' ||
        fail "times"
}

"test_$3" && echo "passed"
