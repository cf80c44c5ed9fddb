#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds everything and runs every test; the last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
top=$PWD
. tests/setup.sh

usage() {
    cat <<'TEXT'
Usage: tests/run.sh [options]
Builds kymo for this machine (gcc; clang with sanitizers) and for every board, and runs all tests through
ctest. Installs what is missing on Debian and Ubuntu; elsewhere says what to install. Builds in build/.

  --board NAME   only the trees of this board, and its tests (repeats)
  --tree NAME    only this tree: host, sanitize, a board or a preset of one (repeats)
  --quick        for daily work: the fast unit and cli tests of the tree "host", and the board
                 qemu-virt-riscv64; about a minute where both are built
  --boards       print the boards and end
  --trees        print the trees and end
  --list         print the names of all tests and end (configures, builds nothing)
  -R REGEX       only tests whose name matches
  -j N           jobs (default: the number of processors)
  --help         this text

A board's tests need programs of the tree "host": without that tree these are built, and none of its tests
run. Exit status: 0 all passed, 1 a test or a build failed, 2 usage error.
TEXT
}

die() {
    echo "tests/run.sh: $1" >&2
    exit 2
}

quick_board=qemu-virt-riscv64
# Programs of the tree "host" that the scripts of the boards' tests run.
programs_for_boards=(hostlink dump_events tracy_viewer probe)

boards_of_list() { sed -n '/^set(KYMO_BOARDS/,/)/p' boards/CMakeLists.txt | tr -d '()' | tr ' ' '\n' | sed '/^$/d; /^setKYMO_BOARDS$/d'; }

# Presets that build a board in another way, with another compiler for example: those that inherit its own.
variants_of_board() {
    awk -F'"' -v board="$1" '$2 == "name" { name = $4 } $2 == "inherits" && $4 == board { print name }' CMakePresets.json
}

# Every tree: those for this machine, then the boards, then their variants.
all_trees() {
    local board
    printf '%s\n' host sanitize
    boards_of_list
    for board in $(boards_of_list); do variants_of_board "$board"; done
}

# The board's own tree of a variant; nothing for other trees.
base_of_variant() {
    local board
    for board in $(boards_of_list); do
        ! variants_of_board "$board" | grep -qxF -- "$1" || echo "$board"
    done
}

jobs=$(nproc 2>/dev/null || echo 2)
boards=()
trees=()
regex=
list=false
quick=false
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h) usage; exit 0 ;;
    --boards) boards_of_list; exit 0 ;;
    --trees) all_trees; exit 0 ;;
    --list) list=true ;;
    --quick) quick=true ;;
    --board) [ $# -ge 2 ] || die "--board needs a name"; boards+=("$2"); shift ;;
    --tree) [ $# -ge 2 ] || die "--tree needs a name"; trees+=("$2"); shift ;;
    -R) [ $# -ge 2 ] || die "-R needs a regular expression"; regex=$2; shift ;;
    -j) [ $# -ge 2 ] || die "-j needs a number"; jobs=$2; shift ;;
    *) die "unknown option '$1'; see tests/run.sh --help" ;;
    esac
    shift
done
case $jobs in '' | *[!0-9]* | 0) die "-j needs a number, not '$jobs'" ;; esac
for board in "${boards[@]}"; do
    boards_of_list | grep -qxF -- "$board" || die "no board '$board'; see tests/run.sh --boards"
done
for tree in "${trees[@]}"; do
    all_trees | grep -qxF -- "$tree" || die "no tree '$tree'; see tests/run.sh --trees"
done

everything=false
for board in "${boards[@]}"; do
    mapfile -t -O ${#trees[@]} trees < <(echo "$board"; variants_of_board "$board")
done
if $quick; then
    [ ${#trees[@]} -eq 0 ] || die "--quick chooses its trees itself"
    trees=(host "$quick_board")
elif [ ${#trees[@]} -eq 0 ]; then
    everything=true
    mapfile -t trees < <(all_trees)
fi
# A variant's tests compare its capture with that of the board's own tree.
for tree in "${trees[@]}"; do
    base=$(base_of_variant "$tree")
    [ -z "$base" ] || [[ " ${trees[*]} " == *" $base "* ]] || [ -e "build/$base/e2e.uart/demo.kymo" ] ||
        trees=("$base" "${trees[@]}")
done
# In the order of all_trees, each once: a variant after its board.
mapfile -t trees < <(all_trees | grep -xF -f <(printf '%s\n' "${trees[@]}"))
chosen() { [[ " ${trees[*]} " == *" $1 "* ]]; }

# names TREE [OPTION of ctest ...]: of its tests.
names() { ctest --test-dir "build/$1" -N "${@:2}" | sed -nE 's/^ *Test +#[0-9]+: //p'; }

logs=$top/build/logs
mkdir -p "$logs"
kymo_setup test "$logs/setup.log" || exit 1

if $list; then
    for tree in "${trees[@]}"; do
        kymo_configure "$tree" >"$logs/configure.$tree.log" 2>&1 || {
            tail -n 20 "$logs/configure.$tree.log" >&2
            exit 1
        }
        names "$tree" | sed "s/\$/  [$tree]/"
    done
    exit 0
fi

# ---- one tree ----

# The results of a tree wait in files of $results until the tree's end: NAME.text, to be printed; NAME.counts, a line
# "built", "passed N" or "failed NAME" for each; NAME.end.
results=$(mktemp -d) || exit 1
trap 'rm -rf "$results"' EXIT

# step TREE NAME COMMAND ...: runs a step quietly; on failure its log's end. A step counts as one test.
step() {
    local tree=$1 name=$2 log=$logs/$2.log
    if "${@:3}" >"$log" 2>&1; then
        echo built >>"$results/$tree.counts"
        return 0
    fi
    echo "failed $name" >>"$results/$tree.counts"
    echo "FAILED $name; the end of build/logs/$name.log:"
    tail -n 40 "$log"
    return 1
}

# build TREE JOBS [TARGET ...]: a quarter of the demo, but on one board and its links that are compared with it.
build() {
    local settings=(-DKYMO_DEMO_SHARE=4)
    [[ ! $1 =~ ^(host|sanitize|$quick_board(-tcp|-rtt|-memory)?)$ ]] || settings=()
    kymo_configure "$1" "${settings[@]}" && cmake --build "build/$1" -j "$2" ${3:+--target "${@:3}"}
}

# run_tests TREE JOBS: runs its tests and adds up their results.
run_tests() {
    local tree=$1 log=$logs/test.$1.log arguments=(--test-dir "build/$1" --output-on-failure -j "$2")
    echo "== $tree"
    [ -z "$regex" ] || arguments+=(-R "$regex")
    ! $quick || arguments+=(-LE slow)
    # The optimised hostlink is in all tests of boards and packages.
    [ "$tree" != host ] || ! chosen sanitize || arguments+=(-LE repeated)
    ! $quick || [ "$tree" != host ] || [ -n "$regex" ] || arguments+=(-R '^(unit|cli)\.')
    ctest "${arguments[@]}" >"$log" 2>&1
    # Lines of the form "  3/12 Test  #3: unit.decode ......   Passed    0.02 sec".
    {
        echo "passed $(grep -cE '^ *[0-9]+/[0-9]+ Test +#.* Passed ' "$log")"
        sed -nE "/ Passed /d; s/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .*/failed $tree: \1/p" "$log"
    } >>"$results/$tree.counts"
    grep -E 'tests passed|^Total Test time' "$log" | sed "s/^/[$tree] /"
    if ! grep -qE '^100% tests passed|^No tests were found' "$log"; then
        echo "The log of the tests that failed, build/logs/test.$tree.log:"
        grep -vE ' Passed |^ *Start ' "$log" | tail -n 150
    fi
}

# What "host" leaves out is in "sanitize".
repeated() { ! comm -13 <(names sanitize | sort) <(names host -L repeated | sort) | grep .; }

build_and_test() {
    step "$1" "build.$1" build "$1" "$2" || return
    [ "$1" != sanitize ] || ! chosen host || step sanitize repeated repeated
    run_tests "$1" "$2"
}

# The README's other command.
demo_outputs() {
    rm -rf "$logs/demo" && boards/demo.sh --out "$logs/demo" &&
        for suffix in kymo pftrace json csv; do
            [ -s "$logs/demo/demo.$suffix" ] || return 1
        done
}
demo() {
    echo "== boards/demo.sh"
    step demo demo demo_outputs
}

# ---- all trees, side by side ----

# Most tests keep one processor busy or wait for something. So one tree more than two processors can serve is under way,
# each with its share of the jobs.
side_by_side=3
[ "$jobs" -gt 1 ] && [ ${#trees[@]} -gt 1 ] || side_by_side=1
jobs_each=$(((jobs + side_by_side - 1) / side_by_side))

built=0
passed=0
failed=()
running=()
ended=
declare -A process_of

report() {
    local word rest
    cat "$results/$1.text"
    while read -r word rest; do
        case $word in
        built) built=$((built + 1)) ;;
        passed) passed=$((passed + rest)) ;;
        failed) failed+=("$rest") ;;
        esac
    done <"$results/$1.counts"
    rm "$results/$1".*
    ended+=" $1 "
}

# Reports what has ended since the last call, also by a signal.
reap() {
    local name left=()
    for name in "${running[@]}"; do
        if kill -0 "${process_of[$name]}" 2>/dev/null && [ ! -e "$results/$name.end" ]; then
            left+=("$name")
            continue
        fi
        [ -e "$results/$name.end" ] || echo "failed $name: was stopped" >>"$results/$name.counts"
        report "$name"
    done
    running=("${left[@]}")
}

# start NAME COMMAND ...: in the background, as soon as fewer than side_by_side run.
start() {
    while reap; [ ${#running[@]} -ge "$side_by_side" ]; do sleep 0.2; done
    running+=("$1")
    { "${@:2}" >"$results/$1.text" 2>&1; : >"$results/$1.end"; } &
    process_of[$1]=$!
}

# Processor time of all that this script has started and that has ended, by the shell's builtin: of its children, the
# second line.
processor_time() {
    local own spent
    wait
    times >"$results/times"
    { read -r own; read -r spent; } <"$results/times"
    awk -v spent="$own $spent" 'BEGIN {
        split(spent, time, /[ms ]+/)
        for (i = 1; i < 8; i += 2) seconds += 60 * time[i] + time[i + 1]
        printf "processor time: %d min %02d s\n", seconds / 60, seconds % 60
    }'
}

# The programs of this machine first, by all jobs: the tests of boards use them.
host_is_built=true
if chosen host; then
    unrepeated=()
    ! chosen sanitize || unrepeated=(unrepeated)
    step host build.host build host "$jobs" "${unrepeated[@]}" >"$results/host.text" || host_is_built=false
    report host
else
    step programs build.programs build host "$jobs" "${programs_for_boards[@]}" >"$results/programs.text"
    report programs
fi
for tree in "${trees[@]}"; do
    base=$(base_of_variant "$tree")
    if [ -n "$base" ] && chosen "$base"; then
        while reap; [[ $ended != *" $base "* ]]; do sleep 0.2; done
    fi
    if [ "$tree" != host ]; then
        start "$tree" build_and_test "$tree" "$jobs_each"
    elif $host_is_built; then
        start host run_tests host "$jobs" # its tests take longest by far
    fi
done
if [ -z "$regex" ] && $everything; then
    start demo demo
fi
while reap; [ ${#running[@]} -gt 0 ]; do sleep 0.2; done

echo
if [ "$passed" -eq 0 ] && [ ${#failed[@]} -eq 0 ] && [ -n "$regex" ]; then
    echo "no test matches '$regex'"
    failed+=("no test")
fi
for name in "${failed[@]}"; do
    echo "FAILED $name"
done
processor_time
echo "$((built + passed)) passed, ${#failed[@]} failed"
[ ${#failed[@]} -eq 0 ]
