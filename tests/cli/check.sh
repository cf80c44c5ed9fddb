#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of 'hostlink check'. Usage: check.sh HOSTLINK SCENE TEST, where TEST is one of the functions test_* below and
# SCENE the program of scene.c.
. "$(dirname "$0")/helpers.sh"

# budget LINE ...: the file of limits.
budget() { printf '%s\n' "$@" >budget.txt; }

# A budget made from a capture passes for that capture and fails for one of a slower firmware; the slow zone is named.
test_own_budget() {
    "$board" >x.kymo && "$board" -s 50 >slow.kymo || fail "no scene"
    run 0 "$hostlink" check x.kymo --write-budget
    mv out budget.txt
    [ "$(grep -cE '^(zone|frame|interrupt|lock) "' budget.txt)" -ge 11 ] || fail "rows are missing"
    run 0 "$hostlink" check x.kymo --budget budget.txt
    prints '^limits: [0-9]+ checked 0 exceeded$'
    run 7 "$hostlink" check slow.kymo --budget budget.txt
    prints '^over +zone +job +mean +[0-9.]+ us +[0-9.]+ us +0\.[0-9]+ s +high +[0-9]+$'
    prints '^ok +frame +idle +mean '
    run 7 "$hostlink" check slow.kymo --budget budget.txt --json
    mv out x.json
    python3 -B "$top/tests/cli/schema.py" "$top/hostlink/doc/check.schema.json" x.json >out || fail "not as its schema"
}

# A first budget holds for a capture that has lost events, too.
test_lossy_budget() {
    "$board" -d >x.kymo || fail "no scene"
    run 0 "$hostlink" check x.kymo --write-budget
    mv out budget.txt
    grep -qE '^loss  count [1-9][0-9]+$' budget.txt || fail "nothing was lost"
    run 0 "$hostlink" check x.kymo --budget budget.txt
    prints '^ok +ring +max +100 % +100 % '
}

# A budget measures the same figures as the tables, and a limit fails only above its value.
test_measured() {
    "$board" >x.kymo || fail "no scene"
    run 0 "$hostlink" stats --csv x.kymo
    mv out zones.csv
    for table in frames interrupts locks plots; do
        run 0 "$hostlink" stats --csv --$table x.kymo
        mv out $table.csv
    done
    run 0 "$hostlink" convert -q x.kymo -o x.events.csv
    budget 'zone job max 1 s p99 1s mean 1 s count 1000 share 100 %' 'zone parse count 999' 'frame Frame max 1s p99 1s mean 1 s' \
        'interrupt g* share 50% count 1e6 max 1 s' 'lock bus wait-max 1 s hold-max 1 s wait-count 20 hold-count 39' \
        'plot queue max 38 min -10 mean 1000' 'plot volts min 3.0011' 'loss count 0' 'ring max 100' 'zone never count 0' \
        'task high run-max 1 s run-mean 1 s run-count 1e6 run-p99 1 s' 'task middle run-max 1s run-mean 1s' 'task low run-max 1s run-count 1e6'
    run 7 "$hostlink" check x.kymo --budget budget.txt --csv
    mv out x.csv
    python3 -B "$top/tests/cli/tables.py" limits >out 2>err || fail "other values"
}

test_wrong_budget() {
    make() { budget "# limits" "" "$@" && run 2 "$hostlink" check none.kymo --budget budget.txt; }
    make 'zoen job max 1 ms'
    says_only "^hostlink: budget.txt:3: 'zoen' is no kind, did you mean 'zone'\?$"
    make 'zone job mxa 1 ms'
    says_only "^hostlink: budget.txt:3: 'mxa' is no limit of a zone, did you mean 'max'\?$"
    make 'lock bus max 1 ms'
    says_only "budget.txt:3: 'max' is no limit of a lock.*wait-max"
    make 'zone job max 1'
    says_only "budget.txt:3: a time needs a unit, ns, us, ms or s"
    make 'zone job max 1 sec'
    says_only "budget.txt:3: a time needs a unit, ns, us, ms or s, not 'sec'"
    make 'zone job max'
    says_only "budget.txt:3: 'max' needs a number with ns, us, ms or s"
    make 'zone job max 1e308 s'
    says_only "budget.txt:3: 'max' needs a number with ns, us, ms or s"
    make 'zone job count 5 ms'
    says_only "budget.txt:3: 'ms' is no limit of a zone"
    make 'ring max 80k'
    says_only "budget.txt:3: 'k' is no unit of 'max'"
    make 'zone "job max 1 ms'
    says_only "budget.txt:3: the name of the zone has no end"
    make 'zone'
    says_only "budget.txt:3: no name after 'zone'"
    make 'loss'
    says_only "budget.txt:3: no limit after the kind"
    printf 'zone job max 1 s\0\nzone none max 1 ns\n' >budget.txt
    run 2 "$hostlink" check none.kymo --budget budget.txt
    says_only "budget.txt: is no text, it has zero bytes: write it as UTF-8"
    make ''
    says_only "budget.txt: has no limit"
    run 3 "$hostlink" check none.kymo --budget none.txt
    says_only "^hostlink: none.txt: cannot be read: No such file"
    run 2 "$hostlink" check none.kymo
    says_only "no limits given \(--budget FILE\)"
    run 2 "$hostlink" check none.kymo --budget budget.txt --budget budget.txt
    says_only "one --budget: put the limits of both into one file"
    "$board" -n 10 >x.kymo || fail "no scene"
    # An input file is not overwritten.
    for file in x.kymo budget.txt; do
        cp $file before
        run 2 "$hostlink" check x.kymo --budget budget.txt --junit $file
        says_only "^hostlink: $file: is the (capture|budget) itself"
        cmp -s $file before || fail "$file is written over"
    done
    # A file with a byte order mark and CR LF, as an editor of Windows writes it.
    printf '\357\273\277loss count 0\r\n' >budget.txt
    run 0 "$hostlink" check x.kymo --budget budget.txt
    prints '^limits: 1 checked 0 exceeded$'
    head -c 60 x.kymo >cut.kymo
    run 0 "$hostlink" check cut.kymo --budget budget.txt
    says "^hostlink: cut.kymo: the board's final status is not in it: later events are not checked$"
    # A name that nothing has is not within its limits.
    budget 'zone jbo max 1 s' 'zone "a\"b" max 1 s'
    run 7 "$hostlink" check x.kymo --budget budget.txt
    says "^hostlink: budget.txt:1: the capture has no zone 'jbo', did you mean 'job'\?$"
    prints '^missing +zone +jbo +max +- '
    prints '^limits: 2 checked 2 exceeded$'
}

# GitHub's annotations are ten at most; its summary and JUnit's file name each limit.
test_forms() {
    "$board" -n 100 >x.kymo || fail "no scene"
    budget 'zone * max 1 ns p99 1 ns mean 1 ns' 'loss count 0'
    GITHUB_STEP_SUMMARY=summary.md run 7 "$hostlink" check x.kymo --budget budget.txt --github --junit junit.xml
    [ "$(grep -c '^::error file=budget.txt,line=1,title=zone [a-z ]* max::measured [0-9.]* [um]s, limit 1 ns, worst at [0-9.]* s on ' out)" -ge 3 ] ||
        fail "annotations"
    [ "$(grep -c '^::' out)" -eq 10 ] || fail "not ten annotations"
    grep -qE '^\| over \| zone number crunching p99 \| measured [0-9.]+ us, limit 1 ns, worst at ' summary.md || fail "summary"
    grep -qE '^\| ok \| loss  count \| measured 0, limit 0 \|$' summary.md || fail "summary"
    python3 - >out <<'EOF' || fail "junit.xml"
import xml.etree.ElementTree as tree
suite = tree.parse("junit.xml").getroot().find("testsuite")
cases = suite.findall("testcase")
assert len(cases) == int(suite.get("tests")) == 16, len(cases)
assert len([case for case in cases if case.find("failure") is not None]) == int(suite.get("failures")) == 15
assert ("zone job", "max") in [(case.get("classname"), case.get("name")) for case in cases]
EOF
    # A document stays one.
    run 7 "$hostlink" check x.kymo --budget budget.txt --json --github
    python3 -c 'import json; assert len(json.load(open("out"))["limits"]) == 16' || fail "no JSON"
    grep -q '^::error file=' err || fail "no annotations beside JSON"
    # Names that mean something there, and values that are no numbers.
    python3 -B "$top/tests/cli/task_scenes.py" hostile >hostile.kymo
    budget 'interrupt * count 0' 'plot nan max 100' 'plot nan min 0' 'plot nan mean 100'
    run 7 "$hostlink" check hostile.kymo --budget budget.txt --github --junit junit.xml
    prints '^limits: 9 checked 9 exceeded$'
    prints '^over +plot +nan +max +nan +100 +0\.001002000 s '
    [ "$(grep -c '^::' out)" -eq 9 ] || fail "an annotation that is none"
    python3 -c 'import xml.etree.ElementTree as tree; tree.parse("junit.xml")' 2>err || fail "no XML"
    run 1 "$hostlink" check x.kymo --budget budget.txt --junit none/junit.xml
    says '^hostlink: none/junit.xml: cannot be written: No such file'
}

# ci_forms: the files for CI servers have the same results as the table.
ci_forms() {
    "$hostlink" check "$1" --budget "a budget.txt" --csv --sarif x.sarif --bencher bencher.json --github-benchmark github.json >x.csv 2>err
    [ $? -eq "$2" ] || fail "wrong status"
    /usr/bin/python3 -B "$top/tests/cli/ci_forms.py" "$top/build/validate/sarif/sarif-2.1.0-rtm.5.json" x.csv x.sarif bencher.json github.json \
        >out 2>&1 || fail "not what the table has"
}
test_ci_files() {
    "$top/tests/validate/fetch.sh" sarif >out 2>&1 || fail "no schema"
    "$board" -n 100 >x.kymo || fail "no scene"
    budget 'zone * max 1 ns p99 1 ns mean 1 ns' 'zone job max 1 s' 'zone none max 1 s' 'interrupt * share 1 %' 'frame Frame count 1' \
        'lock bus wait-max 1 ns hold-mean 1 s' 'plot * max 1 min 0 mean 1e9' 'loss count 0' 'ring max 90'
    mv budget.txt "a budget.txt"
    ci_forms x.kymo 7
    # No limit is exceeded: GitHub wants an empty list.
    echo 'zone job max 1 s' >"a budget.txt"
    ci_forms x.kymo 0
    grep -q '"results":\[\]' x.sarif || fail "no empty list"
    # Names that are long, that mean something there or are no text; values that are no numbers.
    python3 -B "$top/tests/cli/task_scenes.py" hostile >hostile.kymo
    printf '%s\n' 'interrupt * max 0 ns count 0' 'plot * max 100 min 0 mean 100' 'zone * max 0 ns' >"a budget.txt"
    ci_forms hostile.kymo 7
    ! grep -q nan bencher.json github.json || fail "a value that is no number"
    # Whole or not at all, and nothing is written over.
    run 1 "$hostlink" check x.kymo --budget "a budget.txt" --sarif none/x.sarif
    says '^hostlink: none/x.sarif: cannot be written: No such file'
    run 1 "$hostlink" check x.kymo --budget "a budget.txt" --bencher /dev/full
    says '^hostlink: /dev/full: cannot be written: No space left'
    run 2 "$hostlink" check x.kymo --budget "a budget.txt" --bencher x.json --sarif ./x.json
    says_only '^hostlink: x.json: is the file of --sarif too; choose another name for --bencher$'
    run 2 "$hostlink" check x.kymo --budget "a budget.txt" --github-benchmark x.kymo
    says_only '^hostlink: x.kymo: is the capture itself; choose another name for --github-benchmark$'
    run 2 "$hostlink" check x.kymo --budget "a budget.txt" --sarif -
    says_only '^hostlink: --sarif needs a file: standard output has the table$'
}

"test_$3" && echo "passed"
