#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of hostlink's outputs: the table, the files, disks that are full, names that are taken.
# Usage: outputs.sh HOSTLINK BOARD TEST, where TEST is one of the functions test_* below and BOARD the program of board.c.
. "$(dirname "$0")/helpers.sh"
. "$top/boards/boot.sh"

test_unwritable_output() {
    make_capture x.kymo
    run 1 "$hostlink" convert x.kymo -o none/y.csv
    says_only '^hostlink: none/y.csv: cannot be written: No such file or directory; does its folder exist'
    mkdir folder.csv
    run 1 "$hostlink" convert x.kymo -o folder.csv
    says_only '^hostlink: folder.csv: cannot be written: Is a directory'
    # Known before anything is captured.
    run 1 "$hostlink" /dev/zero -o none/y.csv
    says_only 'none/y.csv: cannot be written'
    run 1 "$hostlink" /dev/zero -o none/y.kymo
    says 'none/y.kymo: cannot be written'
    # One that fails does not stop the others.
    run 1 "$hostlink" convert x.kymo -o csv:/dev/full -o good.csv
    says '/dev/full: cannot be written: No space left'
    [ "$(sed -n 's/^inner,.*board.c,[0-9]*,[0-9]*,[0-9.]*,\([0-9]*\),.*/\1/p' good.csv)" = 3000 ] || fail "good.csv is not good"
}

part_is_there() { compgen -G 'x.json.*.part' >part; }

# Ctrl-C while outputs are written: none is left half, and the shell hears of the signal. A pipe that nobody reads holds
# hostlink where it is.
test_stopped() {
    make_capture x.kymo
    echo before >x.json
    mkfifo pipe
    (trap - INT && exec "$hostlink" convert x.kymo -o x.json -o csv-events:pipe) >out 2>err &
    hostlink_pid=$!
    pids+=($!)
    exec 4<pipe
    await part_is_there
    kill -INT $hostlink_pid
    cat <&4 >/dev/null &
    exec 4<&-
    end_hostlink 130
    says '^hostlink: x.json: not written: stopped before it was whole$'
    ! part_is_there || fail "its part is left"
    [ "$(cat x.json)" = before ] || fail "half a file"
}

# A slip in a suffix of two words is another format's file.
test_near_suffix() {
    make_capture x.kymo
    run 0 "$hostlink" convert x.kymo -q -o x.firefxo.json -o run.event.csv -o plain.json -o x.otlp.json -o .json.json \
        -o x.events.csv -o x.memory.folded
    says "^hostlink: x.firefxo.json: is written as chrome, by '.json'; did you mean '.firefox.json'\?$"
    says "^hostlink: run.event.csv: is written as csv, by '.csv'; did you mean '.events.csv'\?$"
    [ "$(wc -l <err)" -eq 2 ] || fail "a name that is near to none"
}

# bound FILE: of its clock, in ns, as info says it, rounded up.
bound() {
    run 0 "$hostlink" info "$1"
    awk '/within .* of the host/ { print int($2 * ($3 == "us" ? 1000 : 1000000) * 1.01) }' out
}

# Times are within the stated error; each row shows its board; boards that cannot be joined are reported.
test_several_boards() {
    local boards="$top/tests/cli/boards.py" a b short
    python3 -B "$boards" make . || fail "no boards"
    a=$(bound a.kymo) b=$(bound b.kymo)
    [ "$a" -gt 0 ] && [ "$a" -lt 1000000 ] && [ "$b" -gt 0 ] && [ "$b" -lt 1000000 ] || fail "bounds $a $b"
    run 0 "$hostlink" merge a.kymo b.kymo -o ab.kymo
    says '^hostlink: a: times within [0-9.]+ us of the host'
    says '^hostlink: [0-9]+ of 1200 arrows between boards are shorter than their clocks are exact$'
    python3 -B "$boards" split ab.kymo a.kymo b.kymo || fail "the pieces are wrong"
    run 0 "$hostlink" convert ab.kymo -o ab.events.csv
    says '^hostlink: b: times within [0-9.]+ us of the host'
    python3 -B "$boards" check ab.events.csv "$a" "$b" || fail "times are wrong"
    # Each arrow has the error of its clocks, and those that are shorter are counted by hand, too.
    grep -c 'flow receive,mail,.*,clock error [0-9]* ns,' ab.events.csv >count
    [ "$(cat count)" -eq 1200 ] || fail "errors of $(cat count) arrows"
    short=$(sed -n 's/^hostlink: \([0-9]*\) of 1200 arrows .*/\1/p' err)
    run 0 "$hostlink" convert ab.kymo -o ab.json
    grep -o '"ns since its send":[0-9]*,"clock error, ns":[0-9]*' ab.json |
        awk -F '[:,]' '$2 < $5 { short++ } END { print NR, short + 0 }' >count
    [ "$(cat count)" = "1200 $short" ] || fail "of arrows: $(cat count), not 1200 $short"
    run 0 "$hostlink" stats ab.kymo --flows --csv
    awk -F , -v short="$short" -v most=$((a + b)) '$1 == "mail" && $14 == short && $13 > 0 && $13 <= most { found = 1 }
        END { exit !found }' out || fail "flows: $(cat out)"
    says '^hostlink: a: times within [0-9.]+ us of the host'
    ! grep -q 'flow receive.*did not come' ab.events.csv || fail "a flow is not joined"
    [ "$(grep -c ',session,' ab.events.csv)" -eq 3 ] && grep -q ',1,b/main,' ab.events.csv || fail "rows"
    several_boards_in_every_command
    mkdir copies
    cp a.kymo copies/b.kymo
    run 2 "$hostlink" merge a.kymo copies/b.kymo -o x.kymo
    says_only '^hostlink: copies/b.kymo: the same recording as a.kymo; name each board once$'
    head -c 20000 a.kymo >cut.kymo
    run 2 "$hostlink" merge ab.kymo cut.kymo -o x.kymo
    cp b.kymo copies/a.kymo
    run 0 "$hostlink" merge a.kymo copies/a.kymo -o x.kymo
    run 0 "$hostlink" convert x.kymo -o x.events.csv
    grep -q ',1,a#2/main,' x.events.csv || fail "two of one name"
    run 0 "$hostlink" merge c.kymo a.kymo -o ca.kymo
    says '^hostlink: c: no pings in it: times by when packets came, within 60.0 ms if the line takes no longer$'
    run 0 "$hostlink" merge a.kymo d.kymo -o x.kymo
    says '^hostlink: d: no host clock in it: it is shown from the beginning, wherever it belongs$'
    run 0 "$hostlink" merge cut.kymo b.kymo -o x.kymo
    : >empty.kymo
    run 4 "$hostlink" merge a.kymo empty.kymo -o x.kymo
    head -c 9000 /dev/urandom | tr -d '\0' >noise.kymo
    cp x.kymo before.kymo
    run 4 "$hostlink" merge a.kymo noise.kymo -o x.kymo
    says '^hostlink: noise.kymo: no valid packet in '
    cmp -s x.kymo before.kymo || fail "what was there is written over"
    run 2 "$hostlink" merge ab.kymo d.kymo -o ab.kymo
}

# A row for each thread, also where Python gives its number again, and for each task of asyncio, whose zones overlap.
python_rows() {
    local name number
    run 3 python3 "$1" -o rows.kymo "$2" rows
    run 0 "$hostlink" convert rows.kymo -o rows.events.csv
    says '^events: emitted ([0-9]+) delivered \1 lost 0$'
    for number in 0 1 2 3; do
        grep -q ",thread $number,zone end,work $number," rows.events.csv || fail "thread $number is not in its row"
    done
    for number in 0 1 2; do
        name=$(sed -n "s/^[^,]*,0,\([^,]*\),zone begin,task $number,.*/\1/p" rows.events.csv)
        grep -q ",$name,zone text,task $number,,text of task $number," rows.events.csv || fail "other text in task $number"
        [ "$(grep -c ",$name,zone end,task $number," rows.events.csv)" -eq 1 ] || fail "task $number ends as another one"
    done
    grep -qF ',message,nul\0name,,a\0b,' rows.events.csv && grep -q ',work after the fork,' rows.events.csv || fail "other texts"
    ! grep -q 'work of the child' rows.events.csv || fail "the child wrote into the file of its parent"
}

# Misuse gives a message that says what to do, no traceback; a script outlives its recording, and ends as usual.
python_misuse() {
    run 0 python3 "$2" misuse
    [ "$(wc -l <out)" -eq 7 ] && [ ! -e second.kymo ] && [ "$(grep -cE '^kymo(\.[a-z]+\(\))?: .*[a-z0-9]' out)" -eq 7 ] || fail "refusals"
    prints 'misuse.kymo is being recorded already; call kymo.stop\(\) first$'
    run 3 python3 "$1" -o /dev/full "$2" rows
    says_only '^kymo: /dev/full: No space left on device; the recording ends here, choose another file$'
    run 1 python3 "$1" -o /dev/full "$2"
    run 1 python3 "$1" -o nowhere/x.kymo "$2"
    says_only '^kymo.py: nowhere/x.kymo: No such file or directory; choose another with -o$'
    run 2 python3 "$1" --listen 99999 "$2"
    run 2 python3 "$1" -o x.kymo nowhere.py
    says 'nowhere.py: no such script$'
}

# Python's recorder: a script by itself, read by both decoders; two that hostlink captures together while they talk.
test_python() {
    local kymo="$top/ports/python" job="$top/tests/cli/python_job.py"
    export PYTHONPATH=$kymo PYTHONDONTWRITEBYTECODE=1
    python3 -c 'import kymo; kymo.functions(); kymo.functions(under="."); kymo.functions(False)' || fail "watched twice"
    python3 "$kymo/kymo.py" -o job.kymo "$job" || fail "no capture"
    run 0 "$hostlink" convert job.kymo -o job.events.csv
    says '^events: emitted 7[0-9][0-9] delivered 7[0-9][0-9] lost 0$'
    python3 "$top/tests/wire/wire_decoder.py" job.kymo >decoded || fail "the second decoder"
    [ "$(grep -c '^PLOT_' decoded)" -eq 109 ] && [ "$(grep -c ',zone end,inner,' job.events.csv)" -eq 300 ] || fail "counts"
    for line in 'plot,value,-5000000000,' 'plot,value,9223372036854775807,' 'plot,value,0.5,' 'plot,series 99,99,' \
        'zone text,in a thread,,text of it' 'zone end,thrower,' 'message,pass,,"signpost: pass' 'flow receive,mail,1099511627776'; do
        grep -qF "$line" job.events.csv || fail "no $line"
    done
    python_rows "$kymo/kymo.py" "$job"
    python_misuse "$kymo/kymo.py" "$job"
    run 0 "$hostlink" convert job.kymo --from signpost:pass -o y.events.csv -o ops_perf.csv
    [ "$(grep -c ',message,' y.events.csv)" -eq 1 ] && grep -q '^pass,signpost,,,,1,,,[0-9]*,' ops_perf.csv || fail "signposts"
    run 4 "$hostlink" stats job.kymo --from signpost:pass --to signpost:pass
    says_only '^hostlink: --to: the capture has no such signpost$'
    mkfifo to_ping to_pong
    port=$(kymo_free_port)
    python3 "$job" ping 50 <to_ping >from_ping 2>ping.err &
    exec 3<>to_ping 4<>to_pong
    await test -s from_ping
    later=$(kymo_free_port)
    start_hostlink "tcp:127.0.0.1:$(head -n 1 from_ping)" "tcp:127.0.0.1:$later" --no-tracy -o talk.kymo --metrics "$port"
    await has_said "$later: .*; waiting for it\$"
    JOB_PORT=$later python3 "$job" pong 50 <to_pong >from_pong 2>pong.err &
    await has_said "^hostlink: tcp:127.0.0.1:$later: the source is there\$"
    await bigger_than talk.kymo 1000
    echo >&3
    echo >&4
    await got 'kymo_trace_seconds \([1-9].*\|0\..*[1-9].*\)'
    for name in ping pong; do
        await got "kymo_trace_info{image=\"$name (tcp:127.0.0.1:[0-9]*)\",.*"
    done
    for ((i = 0; i < 50; i++)); do
        await has_lines from_ping $((i + 2))
        echo >&4
        await has_lines from_pong $((i + 2))
        echo >&3
    done
    exec 3>&- 4>&-
    end_hostlink 0
    run 0 "$hostlink" stats talk.kymo --flows
    grep -q '^mail .* 50 ' out || fail "the messages"
    run 0 "$hostlink" convert talk.kymo -o talk.events.csv
    ! has_said "lead back in time" || fail "backwards"
}
has_lines() { [ "$(wc -l <"$1")" -ge "$2" ]; }

# Equal names of two boards are a row each, with the count that it has in the capture of that board.
rows_of_each_board() {
    local table board
    for table in --plots --zones; do
        for board in p q; do
            run 0 "$hostlink" stats $board.kymo --csv ${table#--zones}
            awk -F, -v board=$board -v at=$([ $table = --zones ] && echo 6 || echo 2) \
                'NR > 1 { print board "/" $1 " " $at }' out
        done | sort >alone
        run 0 "$hostlink" stats pq.kymo --csv ${table#--zones}
        awk -F, -v at=$([ $table = --zones ] && echo 6 || echo 2) 'NR > 1 && !/clock error/ { print $1 " " $at }' out |
            sort >together
        [ -s alone ] && cmp alone together || fail "$table: $(diff alone together)"
    done
}

# The capture of several is one for all of them, also when it is cut or damaged.
several_boards_in_every_command() {
    run 0 "$hostlink" info ab.kymo
    grep -q '^boards      2$' out && grep -q '^name        b$' out || fail "info"
    run 0 "$hostlink" stats ab.kymo --flows
    grep -qE '^mail .* 1200 .*  0         0  ' out || fail "flows"
    run 8 "$hostlink" doctor ab.kymo
    grep -q "^ 1. board .* b: the board was reset" out || fail "doctor"
    grep -q '^ok  events .* a: 1201 events' out && grep -q '^ok  events .* b: 1202 ' out || fail "doctor"
    # A reset ends things of its own board only: other boards run on, and the same address there is another block.
    run 0 "$hostlink" stats ab.kymo --tasks
    grep -q '^a/main  *50.0[0-9] %' out || fail "tasks"
    run 0 "$hostlink" stats ab.kymo --memory --csv
    [ "$(cut -d, -f 1-6,9 out | tr '\n' ' ')" = "name,allocs,frees,bytes,live,live_bytes,allocated_again \
a/heap,1,0,64,1,64,0 b/heap,2,0,80,1,32,0 " ] || fail "memory"
    run 0 "$hostlink" stats ab.kymo --stacks --csv
    run 0 "$hostlink" report ab.kymo -o ab.html
    make_capture p.kymo
    make_capture q.kymo
    run 0 "$hostlink" merge p.kymo q.kymo -o pq.kymo
    rows_of_each_board
    run 0 "$hostlink" stats pq.kymo --longest all --top 1 --csv
    IFS=, read -r _ zone ns at row _ < <(grep '^1,' out)
    run 0 "$hostlink" report pq.kymo -o pq.html
    grep -qF "\"zone\":\"$zone\",\"total_ns\":$ns,\"at_ns\":$at,\"on\":\"$row\"" pq.html || fail "the longest run"
    run 0 "$hostlink" compare ab.kymo ab.kymo
    # A board that is reset just before the end.
    run 0 "$hostlink" merge a.kymo e.kymo -o ae.kymo
    run 0 "$hostlink" convert ae.kymo -o ae.events.csv
    python3 -B "$boards" check ae.events.csv "$a" "$(bound e.kymo)" || fail "times are wrong after a late reset"
    run 2 "$hostlink" symbols ab.kymo --elf "$board"
    head -c 60000 ab.kymo >part.kymo
    run 0 "$hostlink" convert part.kymo -o part.events.csv
    python3 -B "$top/tests/cli/boards.py" damage ab.kymo damaged.kymo
    run 0 "$hostlink" convert damaged.kymo -o damaged.events.csv
    grep -q ',b/main,' damaged.events.csv || fail "the other board is gone, too"
}

# A capture in the place of another says so, in that of anything else it is not written.
test_overwritten() {
    make_capture x.kymo
    ! grep -q overwriting err || fail "there was nothing"
    make_capture x.kymo
    says '^hostlink: x.kymo: overwriting the capture that is there$'
    echo "a report" >report.csv
    "$board" 2>board.err | "$hostlink" - --no-tracy -o kymo:report.csv >out 2>err
    [ "${PIPESTATUS[1]}" -eq 1 ] || fail "wrong status"
    says_only '^hostlink: report.csv: is there, and no capture of hostlink, so it is not overwritten; choose another name, or remove it'
    [ "$(cat report.csv)" = "a report" ] || fail "it was changed"
    : >empty.kymo
    make_capture empty.kymo
    ! grep -q overwriting err || fail "there was nothing"
}

test_full_disk() {
    "$board" 2>board.err | "$hostlink" - -o kymo:/dev/full >out 2>err
    [ "${PIPESTATUS[1]}" -eq 1 ] || fail "wrong status"
    says '/dev/full: cannot be written: No space left on device; it keeps nothing of the capture; the capture goes on for viewers and the table'
    counts 1000
    make_capture x.kymo
    run 1 "$hostlink" convert x.kymo -o perfetto:/dev/full
    says '/dev/full: cannot be written: No space left'
    "$hostlink" stats x.kymo >/dev/full 2>err
    [ $? -eq 1 ] || fail "stats does not notice a full disk"
    says 'standard output: cannot be written: No space left'
    # A limit on the size of files has the effect of a disk that fills up during the run.
    (ulimit -f 4; "$board" 2>board.err | "$hostlink" - -o part.kymo >out 2>err; exit "${PIPESTATUS[1]}")
    [ $? -eq 1 ] || fail "wrong status when the disk filled up"
    says 'part.kymo: cannot be written: File too large; it keeps 4.10 kB of the capture; the capture goes on for viewers'
    counts 1000
    # Temporary files have no room either: the outputs equal the capture.
    (ulimit -f 4; "$board" 2>board.err | "$hostlink" - -o part.kymo -o part.csv >out 2>err; exit "${PIPESTATUS[1]}")
    [ $? -eq 1 ] || fail "wrong status when there is no room for a temporary file"
    says 'it keeps 4.10 kB of the capture.*the other outputs will hold no more than that'
    run 0 "$hostlink" stats --csv part.kymo
    cmp out part.csv || fail "the output is not that of what was kept"
    run 0 "$hostlink" stats part.kymo
    prints '^inner '
    (ulimit -f 4; run 1 "$hostlink" convert x.kymo -o x.json) || exit 1
    says 'x.json: cannot be written: File too large'
    [ -z "$(ls x.json* 2>/dev/null)" ] || fail "what could not be completed was left on the full disk"
}

# The disk of the capture alone is full: a tmpfs in a namespace of its own, which needs root or user namespaces.
on_full_disk() {
    mount -t tmpfs -o size="$1" none disk || return 1
    "$board" 2>board.err | "$hostlink" - -o disk/x.kymo -o x.csv -o x.json >out 2>err
    local status=${PIPESTATUS[1]}
    if [ "$2" = kept ]; then cp disk/x.kymo x.kymo; fi
    return $((status == 1 ? 0 : 2))
}
test_full_capture_disk() {
    make_capture whole.kymo
    run 0 "$hostlink" stats --csv whole.kymo
    sed 's/,.*//' out >whole.zones
    mkdir disk
    export -f on_full_disk
    export board hostlink
    unshare --user --map-root-user --mount bash -c 'on_full_disk 4k kept' || fail "wrong status"
    says 'disk/x.kymo: cannot be written: No space left on device; it keeps 4.10 kB of the capture; .*the other outputs will be whole'
    ! grep -q 'is empty' err || fail "it is not empty"
    counts 1000
    grep -q '^inner,.*,3000,' x.csv && tail -c 3 x.json | grep -q '}' || fail "the outputs are not whole"
    run 0 "$hostlink" stats x.kymo
    prints '^inner '
    # Even the first bytes of the capture had no room.
    unshare --user --map-root-user --mount bash -c 'mount() { command mount "$@" && head -c 4096 /dev/zero >disk/other; }
        on_full_disk 4k lost' || fail "wrong status"
    says 'disk/x.kymo: cannot be written: No space left on device; it keeps nothing of the capture'
    ! grep -q 'is empty' err || fail "it is not said to be empty"
    counts 1000
    grep -q '^inner,.*,3000,' x.csv || fail "the outputs are not whole"
}

# For scripts: every message with its text, every value of a plot.
test_events_as_csv() {
    make_capture x.kymo
    run 0 "$hostlink" convert x.kymo -q -o x.events.csv
    python3 -B - x.events.csv >out <<'EOF' || fail "not the events of the board"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
texts = [row["text"] for row in rows if row["kind"] == "message"]
values = [int(row["value"]) for row in rows if row["kind"] == "plot" and row["name"] == "level"]
ends = [row for row in rows if row["kind"] == "zone end" and row["name"] == "inner"]
print(len(texts), len(values), len(ends))
ok = texts == [f"round {i}" for i in range(1000)] and values == [i % 100 for i in range(1000)]
sys.exit(not (ok and len(ends) == 3000 and all(1000 <= int(row["value"]) < 1100 for row in ends)))
EOF
}

test_convert_twice() {
    make_capture x.kymo
    mkdir a b
    for i in a b; do
        run 0 "$hostlink" convert x.kymo -o $i/x.pftrace -o $i/x.json -o $i/x.csv
    done
    diff -r a b || fail "not the same bytes"
    [ "$(ls a | wc -l)" -eq 3 ] || fail "not three outputs"
}

# Names of tasks, cores and locks that come after these were shown: no output has their placeholders.
test_late_names() {
    "$board" -t -n 10 2>board.err | "$hostlink" - --no-tracy -o x.kymo -o live.json -o live.events.csv >/dev/null 2>err ||
        fail "no capture"
    run 0 "$hostlink" convert x.kymo -o file.json -o file.events.csv -o file.pftrace -o file.folded
    for format in chrome csv-events; do
        run 0 "$hostlink" convert x.kymo -o "$format:-"
        mv out "piped.$format"
    done
    cmp piped.chrome file.json && cmp piped.csv-events file.events.csv || fail "a pipe gets other names"
    cmp live.json file.json && cmp live.events.csv file.events.csv || fail "a capture gets other names"
    for file in file.*; do
        ! grep -aE 'task 0x|lock 0x|core 0[",;]' "$file" >out || fail "$file has a name that is none"
        grep -aq 'late task' "$file" || fail "$file has no late name"
    done
    grep -q 'late lock' file.events.csv || fail "the lock has no name"
}

test_stdout_output() {
    make_capture x.kymo
    for format in perfetto chrome csv csv-events; do
        run 0 "$hostlink" convert x.kymo -o $format:-
        mv out piped
        run 0 "$hostlink" convert x.kymo -o $format:file
        cmp -s piped file || fail "$format on standard output is not that in a file"
    done
    run 0 "$hostlink" convert x.kymo -o csv:-
    mv out csv
    run 0 "$hostlink" stats --csv x.kymo
    cmp -s out csv || fail "stats --csv is not the CSV output"
    # Live: the table gives way.
    "$board" 2>board.err | "$hostlink" - -o y.kymo -o csv:- >out 2>err || fail "live"
    [ "$(head -c 5 out)" = name, ] && ! grep -q '^events:' out || fail "standard output is not the CSV alone"
    says '^events: emitted 10000 delivered 10000 lost 0'
    "$board" 2>board.err | "$hostlink" - -o kymo:- 2>err >y.kymo || fail "capture on standard output"
    run 0 "$hostlink" stats y.kymo
    counts 1000
}

test_table() {
    make_capture x.kymo
    run 0 "$hostlink" stats x.kymo
    awk '$1 == "round" && $2 == 1000 { a = 1 } $1 == "inner" && $2 == 3000 { b = 1 } END { exit !(a && b) }' out ||
        fail "wrong counts in the table"
    prints '^most time of its own: (inner|round) [0-9]+ %, (inner|round) [0-9]+ %$'
    prints '^ring: at most [0-9]+ % of 4.10 kB were in use$'
    counts 1000
    run 0 "$hostlink" info x.kymo
    prints '^image +test board$'
    prints '^clock +1000000000 Hz'
    prints '^time span .*complete'
    prints '^sessions +1$'
}

test_same_file() {
    make_capture x.kymo
    cp x.kymo before
    ln x.kymo other.kymo
    run 2 "$hostlink" x.kymo -o other.kymo
    says_only 'other.kymo: is the input itself; choose another name'
    for output in chrome:x.kymo perfetto:./other.kymo csv:"$PWD"/x.kymo; do
        run 2 "$hostlink" convert x.kymo -o "$output"
        says_only 'is the input itself'
    done
    run 2 "$hostlink" convert x.kymo -o y.json -o perfetto:./y.json
    says_only 'is the same file as .*give each output a name of its own'
    run 2 "$hostlink" x.kymo -o y.kymo -o chrome:y.kymo
    says_only 'is the same file as'
    cp x.kymo grows
    "$hostlink" convert grows -o chrome:- >>grows 2>err
    [ $? -eq 2 ] || fail "wrong status when standard output is the input"
    says_only 'is the input itself'
    cmp -s x.kymo before && cmp -s grows before || fail "the source was changed"
}

# Two captures into one file, and an output over a capture that runs: the first stays whole, the second says why.
test_in_use() {
    mkfifo stream
    start_hostlink stream --no-tracy -o x.kymo
    exec 3>stream
    await test -s x.kymo
    mv err first.err
    "$board" 2>board.err | "$hostlink" - --no-tracy -o x.kymo >out 2>err
    [ "${PIPESTATUS[1]}" -eq 1 ] || fail "a second capture into the file was accepted"
    says 'x.kymo: is in use by another hostlink; end that one, or choose another name'
    make_capture y.kymo
    run 1 "$hostlink" convert y.kymo -o chrome:x.kymo
    says 'x.kymo: is in use by another hostlink'
    "$board" >&3 2>board.err
    exec 3>&-
    wait "$hostlink_pid" || fail "the first capture failed"
    run 0 "$hostlink" stats x.kymo
    counts 1000
    [ -z "$(ls ./*.part 2>/dev/null)" ] || fail "a part file was left"
}

# A redirected standard output under its other name, pipes and /dev/null. The link is what /dev/stdout is on Linux.
test_special_outputs() {
    make_capture x.kymo
    ln -s /proc/self/fd/1 stdout
    run 0 "$hostlink" convert x.kymo -o x.csv -o x.json
    run 0 "$hostlink" convert x.kymo -o csv:stdout
    cmp -s out x.csv || fail "the name of standard output into a file differs"
    "$hostlink" convert x.kymo -o csv:stdout 2>err | cmp -s - x.csv || fail "the name of standard output into a pipe differs"
    run 0 "$hostlink" convert x.kymo -o csv:/dev/null -o chrome:-
    cmp -s out x.json || fail "standard output differs"
    mkfifo pipe
    cat pipe >from_pipe &
    run 0 "$hostlink" convert x.kymo -o chrome:pipe
    wait $!
    cmp -s from_pipe x.json || fail "a pipe differs"
    [ -L stdout ] || fail "the link was replaced"
}

# A folder: babeltrace 2 reads the same events in it as the table has. Only this folder is written again.
# Each zone is a span, in the span of the zone around it.
test_otlp() {
    "$board" -n 300 >x.kymo && "$board" -d >lossy.kymo || fail "no scene"
    for name in lossy x; do
        run 0 "$hostlink" convert -q $name.kymo -o $name.otlp.json -o $name.events.csv
        python3 -B "$top/tests/cli/otlp.py" $name.otlp.json $name.events.csv >out 2>err || fail "$name: other spans"
    done
    [ "$(wc -l <x.otlp.json)" -ge 2 ] || fail "one line"
    OTEL_RESOURCE_ATTRIBUTES='host.name=board 7,service.name=pump%2C%22a%3Db' run 0 "$hostlink" convert -q x.kymo -o named.otlp.json -o named.events.csv
    python3 -B "$top/tests/cli/otlp.py" named.otlp.json named.events.csv 'host.name=board 7' 'service.name=pump,"a=b' >out 2>err || fail "another resource"
    OTEL_RESOURCE_ATTRIBUTES='host.name' run 0 "$hostlink" convert -q x.kymo -o named.otlp.json
    cmp -s named.otlp.json x.otlp.json || fail "no attribute is one"
    run 0 "$hostlink" convert -q x.kymo -o otlp:-
    cmp -s out x.otlp.json || fail "standard output has something else"
}

# By the specification's state charts, with the figures of the events.
test_btf() {
    "$board" -n 300 >x.kymo || fail "no scene"
    for scene in inversion two_cores hostile; do
        python3 -B "$top/tests/cli/task_scenes.py" $scene >$scene.kymo
    done
    for name in inversion two_cores hostile x; do
        run 0 "$hostlink" convert -q $name.kymo -o $name.btf -o $name.events.csv
        python3 -B "$top/tests/cli/btf.py" $name.btf $name.events.csv >out 2>err || fail "$name: another trace"
    done
}

# Each zone and message, the time of each zone's own, and each value of a plot.
test_firefox() {
    "$board" -n 300 >x.kymo && "$board" -d >lossy.kymo || fail "no scene"
    for name in lossy x; do
        run 0 "$hostlink" convert -q $name.kymo -o $name.firefox.json -o $name.events.csv -o $name.csv
        python3 -B "$top/tests/cli/firefox.py" $name.firefox.json $name.events.csv $name.csv >out 2>err || fail "$name: another profile"
    done
    run 0 "$hostlink" convert -q x.kymo -o firefox:-
    cmp -s out x.firefox.json || fail "standard output has something else"
    python3 -B "$top/tests/cli/task_scenes.py" hostile >hostile.kymo
    run 0 "$hostlink" convert -q hostile.kymo -o hostile.firefox.json
    python3 -c 'import json; json.load(open("hostile.firefox.json"), parse_constant=int)' 2>err || fail "no JSON"
}

test_ctf() {
    "$board" -n 200 >x.kymo && "$board" -d >lossy.kymo || fail "no scene"
    for scene in hostile inversion; do
        python3 -B "$top/tests/cli/task_scenes.py" $scene >$scene.kymo
    done
    python3 -B "$top/tests/cli/flows.py" make 10 >flows.kymo
    for name in lossy hostile inversion flows x; do
        run 0 "$hostlink" convert -q $name.kymo -o trace.ctf/ -o $name.events.csv
        /usr/bin/python3 -B "$top/tests/validate/ctf.py" trace.ctf $name.events.csv >out 2>&1 || fail "$name: other events"
    done
    [ "$(ls trace.ctf | tr '\n' ' ')" = "metadata stream " ] || fail "something else is there"
    grep -q '^	image = "scene";$' trace.ctf/metadata || fail "no program"
    "$hostlink" - --no-tracy -q -o y.kymo -o ctf:live <x.kymo >out 2>err || fail "no capture"
    cmp live/stream trace.ctf/stream || fail "a capture writes something else"
    : >file.ctf
    run 1 "$hostlink" convert y.kymo -o file.ctf
    says_only '^hostlink: file.ctf: cannot be written: Not a directory'
    run 1 "$hostlink" convert y.kymo -o none/trace.ctf
    says_only '^hostlink: none/trace.ctf: cannot be written: No such file or directory; does its folder exist\?'
    for output in ctf:- ctf:/dev/stdout; do
        run 2 "$hostlink" convert y.kymo -o $output
        says_only "'ctf' is a folder, and cannot be standard output"
    done
    (ulimit -f 4; run 1 "$hostlink" convert y.kymo -o big.ctf) || exit 1
    says 'big.ctf: cannot be written: File too large'
    [ -z "$(ls big.ctf)" ] || fail "a part was left"
}

# Two boards have a device of the same name each.
devices_of_two_boards() {
    mkdir two
    run 0 "$hostlink" merge x.kymo y.kymo -o two.kymo
    run 0 "$hostlink" convert two.kymo --elf trisc=device.elf -o two.json -o two_log_device.csv -o two/ops_perf.csv
    python3 -B "$1" json two.json x y || fail "two boards: other rows"
    python3 -B "$1" log two_log_device.csv x y || fail "two boards: another log"
    python3 -B "$1" ops two/ops_perf.csv x y || fail "two boards: other operations"
}

# Devices in each format that groups them, and as the logs that tt-metal's readers take; names also from a device's own ELF
# file, of which a site lies where its program says.
test_devices() {
    local devices="$top/tests/cli/devices.py" sites
    cat >device.c <<'END'
#define KYMO_DEVICE_CLOCK() 0u
#include "kymo/device.h"
KYMO_DEVICE_SITE(load, "load");
KYMO_DEVICE_SITE(matmul, "matmul");
KYMO_DEVICE_SITE(store, "store, \"all\"");
KYMO_DEVICE_SITE(depth, "depth");
uint32_t _start(void);
uint32_t _start(void) { return KYMO_DEVICE_SITE_OF(matmul); }
END
    gcc -ffreestanding -fno-pie -no-pie -nostdlib -static -I"$top/runtime/include" device.c -o device.elf || fail "no ELF file"
    sites=$(nm -n device.elf | awk '$3 ~ /^(load|matmul|store|depth)_kymo$/ { print $1 }')
    # shellcheck disable=SC2086 # a list of addresses
    python3 -B "$devices" make 5 $sites >x.kymo && python3 -B "$devices" make 6 $sites >y.kymo || fail "no capture"
    run 0 "$hostlink" convert x.kymo --elf trisc=device.elf -o x.json -o x.events.csv -o profile_log_device.csv -o x_log_device_12.csv \
        -o x_log_device_13.csv -o ops_perf.csv
    ! grep -q 'without names' err || fail "the ELF file gives no names"
    python3 -B "$devices" json x.json || fail "other rows"
    for log in profile_log_device.csv x_log_device_13.csv x_log_device_12.csv; do
        python3 -B "$devices" log $log || fail "$log is another one"
    done
    python3 -B "$devices" ops ops_perf.csv || fail "other operations"
    devices_of_two_boards "$devices"
    python3 -B "$devices" engine >engine.kymo || fail "no capture"
    run 0 "$hostlink" convert engine.kymo -o engine.json
    python3 -B "$devices" arrows engine.json || fail "other arrows"
    python3 -B "$devices" back >back.kymo || fail "no capture"
    run 0 "$hostlink" stats back.kymo
    prints "^  on 'npu 0: 2,1 brisc': 1 record earlier than the one before, 2 starts of its clock from an earlier time$"
    says '^hostlink: 1 record of a device is earlier than the one before: the rows say where$'
    says '^hostlink: the clock of a device was set back 2 times: call kymo_device_start'
    grep -q '^10300000,,"npu 0: 2,1 trisc",zone begin,load,' x.events.csv || fail "no device in the table of events"
    run 0 "$hostlink" convert x.kymo -q --elf 'npu 0=device.elf' --elf 'npu 1/brisc=device.elf' -o x.csv
    run 0 "$hostlink" info x.kymo
    prints '^devices     4 blocks, 48 records, 0 lost, 0 refused'
    run 0 "$hostlink" stats x.kymo --devices --csv --elf trisc=device.elf
    python3 -B "$devices" table out || fail "another table"
    run 0 "$hostlink" stats x.kymo --devices --json --elf trisc=device.elf
    python3 -B "$top/tests/cli/schema.py" "$top/hostlink/doc/stats.schema.json" out >err || fail "not as its schema"
    run 0 "$hostlink" convert x.kymo -o y.csv
    says "^hostlink: 4 sites of devices without names: give their programs, --elf 'npu 0/trisc=FILE'$"
    says '^devices: 48 records of 4 blocks, not among the events$'
    run 0 "$hostlink" convert x.kymo --elf nosuch=device.elf -o y.csv
    says "^hostlink: --elf nosuch=device.elf: no device or core with sites in a program is called so; one is 'npu 0/trisc'$"
    # In C++, in a namespace; another build, so the sites are elsewhere.
    sed -e 's/"load"/"a longer name than load"/; s/^KYMO_DEVICE_SITE(.*/namespace npu { & }/' \
        -e 's/^uint32_t _start(void);/using namespace npu; extern "C" &/' device.c >other.cpp
    g++ -ffreestanding -fno-pie -no-pie -nostdlib -static -I"$top/runtime/include" other.cpp -o other.elf || fail "no ELF file from C++"
    run 0 "$hostlink" convert x.kymo --elf trisc=other.elf -o y.csv
    says '^hostlink: --elf trisc=other.elf: not all sites are in it: give the program that ran$'
    run 3 "$hostlink" info x.kymo --elf brisc=none.elf
    says_only '^hostlink: none.elf: cannot be read: No such file or directory'
    run 3 "$hostlink" info x.kymo --elf brisc=device.c
    run 3 "$hostlink" info x.kymo --elf "brisc=$BASH"
    says_only 'has no names of a device.s sites \(section .kymo_device_sites\)'
}

"test_$3" && echo "passed"
