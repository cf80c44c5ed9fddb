#!/usr/bin/env bash
# Builds everything and runs every test; the last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
top=$PWD
. tests/setup.sh

usage() {
    cat <<'TEXT'
Usage: tests/run.sh [options]
Builds kymo for this machine (gcc, clang, sanitizers) and for every board, and runs all tests through
ctest. Installs what is missing on Debian and Ubuntu; elsewhere says what to install. Builds in build/.

  --board NAME   only the tests of this board (repeats)
  --boards       print the boards and end
  --list         print the names of all tests and end (configures, builds nothing)
  -R REGEX       only tests whose name matches
  -j N           jobs (default: the number of processors)
  --help         this text

Exit status: 0 all passed, 1 a test or a build failed, 2 usage error.
TEXT
}

die() {
    echo "tests/run.sh: $1" >&2
    exit 2
}

boards_of_list() { sed -n '/^set(KYMO_BOARDS/,/)/p' boards/CMakeLists.txt | tr -d '()' | tr ' ' '\n' | sed '/^$/d; /^setKYMO_BOARDS$/d'; }

# Presets that build a board in another way, with another compiler for example: those that inherit its own.
variants_of_board() {
    awk -F'"' -v board="$1" '$2 == "name" { name = $4 } $2 == "inherits" && $4 == board { print name }' CMakePresets.json
}

jobs=$(nproc 2>/dev/null || echo 2)
boards=()
regex=
list=false
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h) usage; exit 0 ;;
    --boards) boards_of_list; exit 0 ;;
    --list) list=true ;;
    --board) [ $# -ge 2 ] || die "--board needs a name"; boards+=("$2"); shift ;;
    -R) [ $# -ge 2 ] || die "-R needs a regular expression"; regex=$2; shift ;;
    -j) [ $# -ge 2 ] || die "-j needs a number"; jobs=$2; shift ;;
    *) die "unknown option '$1'; see tests/run.sh --help" ;;
    esac
    shift
done
for board in "${boards[@]}"; do
    boards_of_list | grep -qxF -- "$board" || die "no board '$board'; see tests/run.sh --boards"
done

# Trees to build, in this order: the host's first, since the boards' tests use its hostlink.
everything=false
if [ ${#boards[@]} -gt 0 ]; then
    trees=(host)
else
    everything=true
    trees=(host sanitize clang)
    mapfile -t boards < <(boards_of_list)
fi
for board in "${boards[@]}"; do
    mapfile -t variants < <(variants_of_board "$board")
    trees+=("$board" "${variants[@]}")
done

logs=$top/build/logs
mkdir -p "$logs"
kymo_setup test "$logs/setup.log" || exit 1
passed=0
failed=()

# Runs a step quietly; on failure its log's end. A step counts as one test.
step() {
    local name=$1 log=$logs/$1.log
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        return 0
    fi
    failed+=("$name")
    echo "FAILED $name; the end of build/logs/$name.log:"
    tail -n 40 "$log"
    return 1
}

build() { kymo_configure "$1" && cmake --build "build/$1" -j "$jobs"; }

# Runs the tests of a tree and adds up its results.
run_tests() {
    local tree=$1 log=$logs/test.$1.log arguments=(--test-dir "build/$1" --output-on-failure -j "$jobs")
    [ -z "$regex" ] || arguments+=(-R "$regex")
    ctest "${arguments[@]}" >"$log" 2>&1
    # Lines of the form "  3/12 Test  #3: unit.decode ......   Passed    0.02 sec".
    passed=$((passed + $(grep -cE '^ *[0-9]+/[0-9]+ Test +#.* Passed ' "$log")))
    while read -r name; do
        failed+=("$tree: $name")
    done < <(sed -nE '/ Passed /d; s/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .*/\1/p' "$log")
    grep -E 'tests passed|^Total Test time' "$log" | sed "s/^/[$tree] /"
    if ! grep -qE '^100% tests passed|^No tests were found' "$log"; then
        echo "The log of the tests that failed, build/logs/test.$tree.log:"
        grep -vE ' Passed |^ *Start ' "$log" | tail -n 150
    fi
}

if $list; then
    for tree in "${trees[@]}"; do
        kymo_configure "$tree" >"$logs/configure.$tree.log" 2>&1 || {
            tail -n 20 "$logs/configure.$tree.log" >&2
            exit 1
        }
        ctest --test-dir "build/$tree" -N | sed -nE "s/^ *Test +#[0-9]+: (.*)/\1  [$tree]/p"
    done
    exit 0
fi

for tree in "${trees[@]}"; do
    echo "== $tree"
    step "build.$tree" build "$tree" && run_tests "$tree"
done

# The README's other command.
demo() {
    rm -rf "$logs/demo" && boards/demo.sh --out "$logs/demo" &&
        for suffix in kymo pftrace json csv; do
            [ -s "$logs/demo/demo.$suffix" ] || return 1
        done
}
if [ -z "$regex" ] && $everything; then
    echo "== boards/demo.sh"
    step demo demo
fi

echo
for name in "${failed[@]}"; do
    echo "FAILED $name"
done
if [ $((passed + ${#failed[@]})) -eq ${#trees[@]} ] && [ -n "$regex" ]; then
    echo "no test matches '$regex'"
    failed+=(none)
fi
echo "$passed passed, ${#failed[@]} failed"
[ ${#failed[@]} -eq 0 ]
