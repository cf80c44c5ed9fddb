#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of the tables of 'hostlink stats'. Usage: stats.sh HOSTLINK BOARD TEST, where TEST is one of the functions
# test_* below and BOARD the program of scene.c.
. "$(dirname "$0")/helpers.sh"
. "$top/boards/boot.sh"

# as_data TABLE WANTED OPTION ...: x.csv and x.json of a table of x.kymo; JSON has what CSV has, and is as its schema
# says; and it is as "WANTED" of tables.py says, "": no more.
as_data() {
    local table=$1 wanted=$2
    shift 2
    run 0 "$hostlink" stats --csv "$@" x.kymo
    mv out x.csv
    run 0 "$hostlink" stats --json "$@" x.kymo
    mv out x.json
    # shellcheck disable=SC2086
    python3 -B "$top/tests/cli/tables.py" same "$table" ${wanted:+, $wanted} >out 2>err || fail "$table: other values"
}

test_json() {
    "$board" >x.kymo || fail "no scene"
    run 0 "$hostlink" convert -q x.kymo -o x.events.csv
    as_data zones zones
    as_data stacks stacks --stacks
    python3 -B "$top/tests/cli/compared.py" make 3 >x.kymo
    run 0 "$hostlink" convert -q x.kymo -o x.events.csv
    as_data samples samples --samples
    python3 -B "$top/tests/cli/task_scenes.py" inversion >x.kymo
    as_data tasks '' --tasks
    make_capture x.kymo
    run 0 "$hostlink" stats --json x.kymo --stacks --samples
    python3 -c 'import json; assert list(json.load(open("out"))) == ["version", "stacks", "samples", "events"]' || fail "tables"
    emitted=$(tr -d '\n' <out | sed -n 's/.*"events":{"emitted":\([0-9]*\),"delivered":\1,"lost":0}}$/\1/p')
    [ "$emitted" -gt 10000 ] || fail "events"
    run 2 "$hostlink" stats --json --csv x.kymo
    says_only 'either --csv or --json'
}

# The page's data are the tables of 'stats', as JSON; it takes the place of no input.
test_report() {
    local views=(--stacks --samples --frames --interrupts --locks --plots --tasks --memory --messages --flows --silences)
    "$board" >x.kymo || fail "no scene"
    run 0 "$hostlink" report -q x.kymo -o x.html
    run 0 "$hostlink" stats --json x.kymo "${views[@]}"
    mv out x.json
    python3 -c 'import json, re
page = json.loads(re.search(r"id=\"data\">(.*?)</script>", open("x.html").read(), re.S)[1])
tables = json.load(open("x.json"))
page["tables"]["silences"] = page["tables"]["silences"][:10]
assert all(page["tables"][name] == tables[name] for name in tables if name != "events"), "other figures"
assert page["about"]["delivered"] == tables["events"]["delivered"]' 2>err || fail "$(tail -n 1 err)"
    run 0 "$hostlink" report -q x.kymo -o -
    cmp -s out x.html || fail "another page on standard output"
    run 2 "$hostlink" report x.kymo -o ./x.kymo
    says_only 'is the input itself'
    run 2 "$hostlink" report x.kymo
    says_only 'no output given'
    : >empty.kymo
    run 4 "$hostlink" report empty.kymo -o y.html
    [ ! -e y.html ] || fail "a page of nothing"
}

# Every figure is that of an independent reckoning from the events.
test_measures() {
    local table
    "$board" >x.kymo || fail "no scene"
    run 0 "$hostlink" convert -q x.kymo -o x.events.csv
    for table in frames interrupts locks plots memory; do
        as_data $table $table --$table
    done
    as_data messages messages --messages
    as_data silences 'silences 30' --silences --top 30
    as_data frames 'frames 40000' --late 40us
    as_data messages 'messages jobs' --messages --text jobs
    run 0 "$hostlink" stats x.kymo --messages --level warning
    sed 1d out | awk '{ print $3 }' | head -2 | tr '\n' ' ' | grep -qx 'warning error ' || fail "levels"
    prints '^0\.[0-9]{9} s +error +core 0 +over, "really"$'
    run 2 "$hostlink" stats x.kymo --messages --level warn
    says_only "'warn' is no level; there are trace, debug"
    run 0 "$hostlink" stats x.kymo --late 40us
    prints ' late +of all$'
    run 2 "$hostlink" stats x.kymo --late frame:2
    says_only "'--late' is a time above 0 as '1.5' or '20ms', not 'frame:2'"
    # Each says the cause that was planted.
    run 0 "$hostlink" stats x.kymo --memory
    prints '^heap +81 +20 .* 1 +10$'
    prints '^not freed at the end: [0-9]+; --stacks shows where they are from$'
    # A block of before is known in a part, and live until it is freed.
    run 0 "$hostlink" stats --csv x.kymo --memory
    IFS=, read -r _ _ _ _ live bytes _ at _ < <(sed 1d out)
    run 0 "$hostlink" stats --csv x.kymo --memory --from "$((at + 1))ns"
    IFS=, read -r _ allocs frees _ again_live again_bytes most _ < <(sed 1d out)
    [ "$again_live,$again_bytes" = "$live,$bytes" ] || fail "what is live is not that of the whole"
    [ "$most" -ge "$bytes" ] || fail "less was live than is"
    [ "$allocs" -lt 81 ] && [ "$frees" -lt 20 ] || fail "a part has all that the whole has"
    run 0 "$hostlink" stats x.kymo --interrupts --locks
    prints "^storm of 'gpio': [0-9]+ entries in the 10 ms from 0.0[0-9] s on, where it usually has [0-9]$"
    prints '^bus .* high +low '
    ! grep -q "storm of 'timer'" out || fail "the timer is no storm"
}

# In order, again, lost, never sent, of one microsecond, 64 bits, and 8000 at once.
test_flows() {
    local flows="$top/tests/cli/flows.py"
    python3 -B "$flows" make 4000 >x.kymo
    run 0 "$hostlink" convert -q x.kymo -o x.events.csv
    as_data flows '' --flows
    python3 -B "$flows" table x.events.csv x.csv || fail "other values"
    # All zones that are played.
    awk -F, 'NR > 1 { print $1, $2, $3, $4, $11, $12 }' x.csv | sort >counts
    printf '%s\n' 'dma zone 4005 4003 2 0' 'flow flow 1 1 0 0' 'jobs flow 4103 4101 2 1' | cmp - counts || fail "counts"
    make_capture x.kymo
    run 0 "$hostlink" stats x.kymo --flows
    prints '^no flow was seen: the firmware records them by KYMO_FLOW_SEND\(\) and KYMO_FLOW_RECEIVE\(\)$'
}

# Cores with clocks of their own: each arrow has their error, which stands in tables and traces.
test_cores() {
    local cores="$top/tests/cli/cores.py"
    python3 -B "$cores" make >x.kymo || fail "no scene"
    run 0 "$hostlink" stats x.kymo --flows --csv
    # Of the hundred, 0 to 99 us long, these are shorter than 40 us and its tick.
    [ "$(awk -F, '$1 == "jobs" { print $4, $13, $14 }' out)" = "100 40001 41" ] || fail "flows: $(cat out)"
    says '^hostlink: 41 flows from one core to another took less time than their clocks may be wrong by'
    run 0 "$hostlink" stats x.kymo --flows
    prints ' clock error  shorter$'
    run 0 "$hostlink" stats x.kymo
    prints '^clock of core 1: within 40.0 us of core 0'
    run 0 "$hostlink" convert -q x.kymo -o x.json -o x.events.csv
    grep -o '"name":"clock error of core 1, ns"[^}]*}' x.json | grep -o ':[0-9]*}$' >values
    printf ':%s}\n' 5001 13001 | cmp - values || fail "curve"
    [ "$(grep -c '"clock error, ns":40001}' x.json)" -eq 200 ] || fail "arguments"
    [ "$(grep -c 'flow receive,jobs,.*,clock error 40001 ns,' x.events.csv)" -eq 100 ] || fail "events"
    run 0 "$hostlink" info x.kymo
    prints "clock of lane 1: set by lane 0's, 2 times; error up to 13 ticks, since the first time 40.0 us$"
    python3 -B "$cores" never >x.kymo || fail "no scene"
    run 0 "$hostlink" stats x.kymo
    says "^hostlink: lane 1 asked for lane 0's clock and got no answer: its times are those of its own counter"
    run 0 "$hostlink" info x.kymo
    prints "clock of lane 1: never set, lane 0 did not answer$"
}

# as_openmetrics CAPTURE: has the values of the tables.
as_openmetrics() {
    local table
    for table in zones frames interrupts locks plots flows; do
        run 0 "$hostlink" stats --csv $([ $table = zones ] || echo --$table) "$1"
        mv out $table.csv
    done
    run 0 "$hostlink" stats --json "$1"
    mv out events.json
    run 0 "$hostlink" stats --openmetrics "$1"
    mv out x.prom
    python3 -B "$top/tests/cli/openmetrics.py" x.prom . >out 2>&1 || fail "$1: other values"
}
test_openmetrics() {
    "$board" >x.kymo && "$board" -d >lossy.kymo || fail "no scene"
    as_openmetrics x.kymo
    grep -q '^kymo_trace_info{image="scene",hostlink="[0-9.]*"} 1$' x.prom || fail "no program"
    as_openmetrics lossy.kymo
    grep -q '^kymo_events_lost_total{cause="ring"} [1-9]' x.prom && grep -qx 'kymo_ring_fill_max_ratio 1.00' x.prom || fail "no loss"
    python3 "$top/tests/cli/drop_packets.py" 3 1 <x.kymo >late.kymo
    as_openmetrics late.kymo
    grep -qx 'kymo_events_lost_total{cause="link"} 0' x.prom || fail "what was before the capture is no loss on the way"
    grep -q '^kymo_events_lost_total{cause="before"} [1-9]' x.prom || fail "nothing before the capture"
    python3 -B "$top/tests/cli/task_scenes.py" hostile >hostile.kymo
    as_openmetrics hostile.kymo
    grep -qx 'kymo_plot_max{plot="nan"} NaN' x.prom || fail "no NaN"
    python3 -B "$top/tests/cli/flows.py" make 10 >flows.kymo
    as_openmetrics flows.kymo
    [ "$(grep -cE '^kymo_(flow|async)_max_seconds' x.prom)" -eq 3 ] || fail "no flows"
    # A part of it, as in a table.
    run 0 "$hostlink" stats --openmetrics x.kymo --zone 'p*'
    [ "$(grep -c '^kymo_zone_seconds_count' out)" -eq 1 ] || fail "other zones"
    for other in --csv --json --plots '--sort count' '--top 3'; do
        run 2 "$hostlink" stats --openmetrics x.kymo $other
        says_only '^hostlink: --openmetrics is all tables in one form, without others'
    done
}

# During a capture a request gets the metrics so far, and at the end those of the whole capture.
test_metrics() {
    "$board" >x.kymo || fail "no scene"
    python3 -B "$top/tests/cli/task_scenes.py" hostile >hostile.kymo
    as_openmetrics x.kymo
    emitted=$(grep '^kymo_events_emitted_total' x.prom)
    mkfifo line
    port=$(kymo_free_port)
    "$hostlink" - --no-tracy -q --keep -o y.kymo --metrics "$port" <line >out 2>err &
    pids+=($!)
    hostlink_pid=$!
    exec 3>line
    await got '# EOF'
    ! grep -q '^kymo_zone_seconds{' text || fail "a zone of nothing"
    grep -qx '200 application/openmetrics-text; version=1.0.0; charset=utf-8' head || fail "head"
    python3 -B "$top/tests/cli/openmetrics.py" text >out 2>&1 || fail "no OpenMetrics before the board"
    cat x.kymo >&3
    await got "$emitted"
    python3 -B "$top/tests/cli/openmetrics.py" text >out 2>&1 || fail "no OpenMetrics"
    for metric in kymo_zone_seconds kymo_lock_hold_max_seconds kymo_frame_seconds_sum kymo_plot_values_total; do
        grep "^$metric" x.prom | sort >wanted && grep "^$metric" text | sort | cmp -s - wanted || fail "other values of $metric"
    done
    get / && grep -q '^404 ' head || fail "another page"
    # Connections that send no request do not block others.
    exec 4<>"/dev/tcp/127.0.0.1/$port" 5<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET /met' >&4
    printf 'POST /metrics HTTP/1.0\r\n\r\n' >&5
    grep -q '^HTTP/1.1 405 ' <&5 || fail "POST"
    await got "$emitted"
    mv err first.err
    run 1 "$hostlink" x.kymo --no-tracy -o z.kymo --metrics "$port"
    says_only "^hostlink: metrics: cannot listen on 127.0.0.1:$port: Address already in use; choose another port"
    [ ! -e z.kymo ] || fail "a capture of nothing"
    exec 3>&-
    end_hostlink 0
    grep -qx "hostlink: metrics: http://127.0.0.1:$port/metrics" first.err || fail "where is not said"
    run 2 "$hostlink" x.kymo --metrics 0
    says_only "'--metrics' needs PORT or ADDRESS:PORT"
    run 2 "$hostlink" x.kymo --metrics no.such.host.invalid:1
    says_only "'--metrics': no address 'no.such.host.invalid'"
}

test_longest() {
    "$board" >x.kymo || fail "no scene"
    run 0 "$hostlink" convert -q x.kymo -o x.events.csv
    as_data longest 'longest 30 all' --longest all --top 30
    as_data longest 'longest 5 control' --longest control
    as_data longest 'longest 5 lock:all' --longest lock:all
    as_data longest 'longest 5 lock:bus' --longest lock:bus
    # The output names the task that kept it waiting, and what ran meanwhile.
    run 0 "$hostlink" stats x.kymo --longest control --top 1
    prints '^ 1 +control +54.6 us +0\.[0-9]{9} s +high +itself '
    prints '^ +wait for +bus +1 +53.1 us +low$'
    prints '^ +other task +middle '
    run 0 "$hostlink" stats x.kymo --longest lock:bus --top 1
    prints '^ 1 +bus +53.1 us +0\.[0-9]{9} s +[a-z]+ +wait for +bus +1 +53.1 us +low$'
    prints '^ +other task +middle '
    run 0 "$hostlink" stats x.kymo --longest lock:none
    prints '^no wait for a lock of that name was seen whole$'
    # The cause of one slow job in a hundred.
    run 0 "$hostlink" stats x.kymo --longest job --top 2
    [ "$(grep -cE '^ +zone +refill +1 +7[0-9.]+ us$' out)" -eq 2 ] || fail "the slow path is not named"
    # Where only a part is looked at, the zones around it are open all the same.
    run 0 "$hostlink" stats x.kymo --longest parse --zone 'ref*'
    prints '^no zone of that name was seen whole$'
    run 0 "$hostlink" stats --csv x.kymo --longest 'refill'
    at=$(awk -F, 'NR == 2 { print $4 }' out)
    mv out whole.csv
    run 0 "$hostlink" stats --csv x.kymo --longest refill --zone refill --from "${at}ns"
    diff <(grep "refill,[0-9]*,$at," whole.csv) <(grep "refill,[0-9]*,$at," out) || fail "a part has other zones inside"
    run 0 "$hostlink" stats x.kymo --longest refil
    prints "^no zone of that name was seen whole, did you mean 'refill'\?\$"
    run 0 "$hostlink" stats x.kymo --longest none
    prints '^no zone of that name was seen whole$'
}

# of_zones BEGIN END ZONE CONTEXT OPTION ...: the table of zones of a part.
of_zones() {
    run 0 "$hostlink" stats --csv "${@:5}" x.kymo
    mv out x.csv
    python3 -B "$top/tests/cli/tables.py" selected "${@:1:4}" >out 2>err || fail "other zones than in the part"
}
test_part() {
    "$board" >x.kymo || fail "no scene"
    run 0 "$hostlink" convert -q x.kymo -o x.events.csv
    of_zones 0 99000000000 '' ''
    of_zones 20000000 40000000 '' '' --from 0.02 --to 40ms
    of_zones 0 99000000000 pars '' --zone 'pars*'
    of_zones 0 99000000000 '' m --context 'm*'
    storm=$(python3 -B "$top/tests/cli/tables.py" when message "storm of")
    frame=$(python3 -B "$top/tests/cli/tables.py" when frame 1500)
    of_zones "$storm" "$frame" '' '' --from 'message:storm of' --to frame:1500
    # Interrupts are of the part too, though their switches are all seen.
    run 0 "$hostlink" stats --csv --interrupts --from "${storm}ns" --to "$((storm + 500000))ns" x.kymo
    count=$(awk -F, '$1 == "gpio" { print $3 }' out)
    [ "$count" -gt 150 ] && [ "$count" -lt 190 ] || fail "$count interrupts in 0.5 ms of the storm"
    # Other outputs have what begins in it.
    run 0 "$hostlink" convert -q x.kymo --from 20ms --to 40ms --zone 'p*' -o part.events.csv -o part.pftrace
    python3 -B "$top/tests/cli/tables.py" cut 20000000 40000000 p >out 2>err || fail "other events"
    run 0 "$hostlink" convert -q x.kymo --from 'message:storm of' --to frame:1500 -o part.events.csv
    python3 -B "$top/tests/cli/tables.py" cut "$storm" "$frame" '' >out 2>err || fail "other events"
    # Limits and comparisons are of the same part.
    run 0 "$hostlink" stats x.kymo --csv --from 20ms --to 40ms --zone 'p*'
    count=$(awk -F, '$1 == "parse" { print $6 }' out) most=$(awk -F, '$1 == "parse" { print $9 }' out)
    printf 'zone * max %s ns count %s\nzone job count 0\n' "$most" "$count" >budget.txt
    run 0 "$hostlink" check x.kymo --budget budget.txt --from 20ms --to 40ms --zone 'p*'
    prints '^limits: 3 checked 0 exceeded$'
    printf 'zone parse count %s\n' "$((count - 1))" >budget.txt
    run 7 "$hostlink" check x.kymo --budget budget.txt --from 20ms --to 40ms
    run 0 "$hostlink" compare x.kymo x.kymo --csv --from 20ms --to 40ms --zone 'p*'
    grep -q "^same,zone,parse,$count,$count," out || fail "another part is compared"
    for command in convert\ -oy.csv check\ --write-budget "compare x.kymo"; do
        # shellcheck disable=SC2086
        run 4 "$hostlink" $command x.kymo --from frame:100000
        says '^hostlink: --from: the capture has no such frame$'
    done
    run 4 "$hostlink" stats x.kymo --from frame:100000
    says '^hostlink: --from: the capture has no such frame$'
    run 2 "$hostlink" stats x.kymo --to 5min
    says_only "'--to' is a time as '1.5' or '20ms', 'frame:N', 'message:TEXT' or 'signpost:HEADER', not '5min'"
    run 2 "$hostlink" stats x.kymo --from 5 --to 1
    says '^hostlink: --to lies before --from$'
    run 0 "$hostlink" stats x.kymo --zone '[' --context nobody
    says "^hostlink: --zone: no zone's name matches '\\['$"
    says "^hostlink: --context: nothing that ran there has a name that matches 'nobody'$"
    # Order and length.
    run 0 "$hostlink" stats x.kymo --sort max --top 2
    sed -n '2,3s/ .*//p' out | tr '\n' ' ' | grep -qx 'job refill ' || fail "order"
    prints '^and 3 more, which --csv has$'
    run 0 "$hostlink" stats x.kymo --csv --sort name
    sed '1d;s/,.*//' out | LC_ALL=C sort -c || fail "not by name"
    run 2 "$hostlink" stats x.kymo --sort tottal
    says "^hostlink: --sort: no table has a column 'tottal', did you mean 'total'\?$"
    [ ! -s out ] || fail "a table before what is wrong with it"
    for form in --csv --json; do
        run 2 "$hostlink" stats x.kymo $form --sort nothing
        says "^hostlink: --sort: no table has a column 'nothing'; --csv shows their names$"
        [ ! -s out ] || fail "a table before what is wrong with it"
    done
}

# compare_scenes WANTED OPTION ...: old.kymo with the scene of these options; the zones "WANTED" are slower.
compare_scenes() {
    local wanted=$1
    shift
    "$board" "$@" >new.kymo || fail "no scene"
    run 0 "$hostlink" convert -q old.kymo -o old.events.csv
    run 0 "$hostlink" convert -q new.kymo -o new.events.csv
    run 0 "$hostlink" compare old.kymo new.kymo --csv
    mv out x.csv
    # shellcheck disable=SC2086
    python3 -B "$top/tests/cli/tables.py" compared $wanted >out 2>err || fail "other differences with $*"
    run 0 "$hostlink" compare old.kymo new.kymo
}
# Useless captures: each command answers.
test_poor() {
    : >empty.kymo
    "$board" -n 200 >whole.kymo || fail "no scene"
    head -c $(($(stat -c %s whole.kymo) / 2)) whole.kymo >cut.kymo
    cat whole.kymo whole.kymo >two.kymo
    python3 -B "$top/tests/cli/task_scenes.py" hours >hours.kymo
    for command in "stats" "stats --longest all" "stats --json" "report -q -o x.html" "check --write-budget" "info"; do
        # shellcheck disable=SC2086
        run 4 "$hostlink" $command empty.kymo
        says_only '^hostlink: empty.kymo: is empty, nothing was captured$'
        for name in cut two hours; do
            # shellcheck disable=SC2086
            run 0 "$hostlink" $command $name.kymo
        done
    done
    run 0 "$hostlink" stats --csv two.kymo
    grep -q '^job,.*,400,' out || fail "two sessions are not 400 jobs"
    run 0 "$hostlink" stats --csv hours.kymo
    grep -qE "^(long){975},.*,3000000,.*,600,5000,5000," out || fail "another zone of a long name"
    run 0 "$hostlink" info hours.kymo
    prints '^time span +39 h 56 min'
    for pair in "empty whole" "whole empty"; do
        run 4 "$hostlink" compare ${pair% *}.kymo ${pair#* }.kymo
        says 'empty.kymo: is empty, nothing was captured$'
    done
    run 0 "$hostlink" compare whole.kymo two.kymo
    ! grep -qE '^(slower|faster|more|less|new|gone)' out || fail "twice the same differs"
}

# Live bytes after each allocation, and the share of each function in the samples, against those of the events.
test_compare_more() {
    for seed in 1 2 3; do
        python3 -B "$top/tests/cli/compared.py" make $seed >$seed.kymo
        run 0 "$hostlink" convert -q $seed.kymo -o $seed.events.csv
    done
    # The same program twice, which differs by chance; one that leaks, and whose samples meet "hot" more often.
    for pair in "1 2" "1 3"; do
        run 0 "$hostlink" compare --memory --csv ${pair% *}.kymo ${pair#* }.kymo
        mv out memory.csv
        run 0 "$hostlink" compare --samples --csv ${pair% *}.kymo ${pair#* }.kymo
        mv out samples.csv
        # shellcheck disable=SC2086
        python3 -B "$top/tests/cli/compared.py" check $pair >out 2>err || fail "other differences of $pair"
    done
    run 0 "$hostlink" compare 1.kymo 1.kymo
    prints '^compared: [1-9][0-9]*, different: 0$'
}

test_compare() {
    "$board" >old.kymo || fail "no scene"
    compare_scenes ''
    [ "$(cat out)" = "compared: 16, different: 0" ] || fail "the same differs"
    # A change of one percent is named, and nothing unchanged.
    compare_scenes 'job parse control refill number_crunching' -s 1
    prints '^slower +zone +job +1000 +1000 +27.3 us +27.5 us +0.9[0-9] %'
    ! grep -q 'interrupt' out || fail "an interrupt differs"
    # Another run of the same firmware, where chance is another, and a shorter one.
    compare_scenes '' -r 77
    ! grep -qE '^(slower|faster)' out || fail "chance is taken for a difference"
    compare_scenes '' -n 700 -r 5
    run 0 "$hostlink" compare old.kymo new.kymo -o x.html
    run 2 "$hostlink" compare old.kymo new.kymo -o new.kymo
    says_only '^hostlink: new.kymo: is the input itself; choose another name for the page$'
    run 0 "$hostlink" compare old.kymo new.kymo --json
    # The page has the tables of --json.
    python3 - >err <<'PYTHON' || fail "another page"
import json
page = json.loads(open("x.html").read().split('id="data">', 1)[1].split("</script>", 1)[0])
assert page["tables"] == json.load(open("out")), "other tables"
assert (page["before"], page["after"], page["percent"]) == ("old.kymo", "new.kymo", 0.5)
PYTHON
    python3 -B "$top/tests/cli/schema.py" "$top/hostlink/doc/compare.schema.json" out >err || fail "not as its schema"
    run 2 "$hostlink" compare old.kymo
    says_only 'no two captures \(OLD.kymo NEW.kymo\) given'
    run 3 "$hostlink" compare old.kymo none.kymo
    says 'none.kymo: cannot be read'
}

"test_$3" && echo "passed"
