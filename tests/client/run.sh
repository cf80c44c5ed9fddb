#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# client.CORE: a program with Tracy's own client's target, Tracy::TracyClient, listens for viewers by itself, and ends
# with them; on another core by qemu-user. Usage: run.sh TRACY_VIEWER BUILD COMPILER_PREFIX [EMULATOR]
set -u
viewer=$(realpath "$1")
host_build=$(realpath "$2")
prefix=$3
emulator=${4:-}
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
work=$(mktemp -d) && trap 'touch "$work/end"; rm -rf "$work"' EXIT
status=0
for tool in "${prefix}gcc" "${prefix}g++" $emulator; do
    command -v "$tool" >/dev/null || {
        echo "$tool is missing; tests/run.sh installs it"
        exit 1
    }
done
options=(-G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DKYMO_WERROR=ON -DCMAKE_C_COMPILER="${prefix}gcc"
    -DCMAKE_CXX_COMPILER="${prefix}g++")
if [ -n "$emulator" ]; then
    options+=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="${prefix%%-*}")
    emulator="$emulator -L /usr/${prefix%-}"
fi

# build FOLDER OPTION ...: the folder plain as a user builds it, with the programs that are run; for another core with what
# call stacks need of the optimiser. The others have one program, and all that is in C unoptimised, in a third of the time.
build() {
    local quick=(-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O0) targets=(program)
    if [ "$1" = plain ]; then
        targets=(program bindings)
        quick=(-DCMAKE_C_FLAGS_RELWITHDEBINFO='-O1 -foptimize-sibling-calls')
        [ -n "$emulator" ] || { targets=(all) quick=(); }
    fi
    cmake -S tests/client -B "$work/$1" "${options[@]}" "${quick[@]}" -DTRACY="$PWD" "${@:2}" >"$work/$1.log" 2>&1 &&
        cmake --build "$work/$1" --target "${targets[@]}" >>"$work/$1.log" 2>&1 || {
        tail -n 20 "$work/$1.log"
        exit 1
    }
}

wrong() {
    echo "$1"
    status=1
}

# start FOLDER ARGUMENT ...: sets port and program; the environment is the caller's.
start() {
    port=$(kymo_free_port)
    TRACY_PORT=$port timeout 900 $emulator "$work/$1/${binary:-program}" "${@:2}" >"$work/stdout" 2>"$work/stderr" &
    program=$!
}

ended() {
    wait $program || wrong "$1: the program ended with $?: $(tail -n 3 "$work/stderr")"
    [ ! -s "$work/stdout" ] || wrong "$1: it wrote to standard output: $(head -n 3 "$work/stdout")"
}

# view NAME PROTOCOL [stacks]: a viewer takes the whole trace.
view() {
    timeout 900 "$viewer" "$port" "$2" "${3:-all}" >"$work/viewed" 2>"$work/viewer.err" ||
        wrong "$1: $(tail -n 1 "$work/viewer.err")"
}

# expect NAME LINE ...: the viewer must have printed each line; "NUMBER NAME": zones of that name.
expect() {
    local line
    for line in "${@:2}"; do
        grep -qE "^count: $line\$|^message: $line\$|^[^ ]*:[0-9]+ $line [0-9]+\$" "$work/viewed" ||
            wrong "$1: not '$line' in: $(grep -vE '^message: number' "$work/viewed" | head -n 40)"
    done
}

# Each name of a test has its function.
try_counted() {
    local protocol
    for protocol in 63 69 82; do
        TRACY_NO_EXIT=1 start plain counted
        view "counted $protocol" $protocol
        ended counted
        expect "counted $protocol" 'zones 800' 'turn 400' 'held 400' 'plots 400' 'allocs 200' 'frees 200' 'frames 400' \
            'values 400' 'locks 1' 'waits 400' 'obtains 400' 'releases 400' 'the end'
        [ "$(sed -n 's/^message: number //p' "$work/viewed" | sort -n | uniq -c | awk '$1 != 2' | wc -l)" -eq 0 ] &&
            [ "$(grep -c '^message: number' "$work/viewed")" -eq 400 ] || wrong "counted $protocol: messages"
        ! grep -q 'lost\|repaired' "$work/viewed" || wrong "counted $protocol: $(grep 'lost\|repaired' "$work/viewed")"
    done
}

try_at_once() {
    TRACY_NO_EXIT=0 start plain nothing
    ended at_once
    TRACY_NO_EXIT=1 start plain flood 10
    view at_once 76
    ended at_once
    expect at_once 'some 10'
}

try_threads() {
    TRACY_NO_EXIT=1 start plain threads
    view threads 82
    ended threads
    expect threads 'some 1600' 'zones 1600'
}

try_too_many() {
    TRACY_NO_EXIT=1 start plain too_many
    view too_many 82
    ended too_many
    local zones
    zones=$(sed -nE 's/^[^ ]*:[0-9]+ some ([0-9]+) .*/\1/p' "$work/viewed")
    lost=$(sed -nE "s/^message: ([0-9]+) events lost.*/\1/p" "$work/viewed")
    [ "${zones:-0}" -ge 600 ] && [ $((2 * zones + ${lost:-0})) -eq 2000 ] ||
        wrong "too_many: $zones zones of 100 threads, $lost lost"
    grep -q '^message: .*events lost' "$work/viewed" || wrong "too_many: no loss is shown"
}

# By default all of a flood fits. Where the bytes that wait are few, the rest is lost, all of it counted, the first are
# there.
try_flood() {
    TRACY_NO_EXIT=1 start plain flood 300000
    view 'flood by default' 82
    ended 'flood by default'
    expect 'flood by default' 'some 300000'
    # From an installed kymo.
    cmake --install "$host_build" --prefix "$work/installed" >/dev/null || wrong 'flood: kymo does not install'
    build small -DKYMO_CLIENT_BACKLOG_BYTES=65536 -DKYMO_CLIENT_RING_BYTES=65536 -DKYMO_CLIENT_IMAGE_BYTES=0 \
        -DTRACY= -DTracy_DIR="$work/installed/share/kymo/tracy"
    TRACY_NO_EXIT=1 start small flood 1000000
    view flood 82
    ended flood
    local zones lost
    zones=$(sed -nE 's/^[^ ]*:[0-9]+ some ([0-9]+) .*/\1/p' "$work/viewed")
    lost=$(sed -nE 's/^message: ([0-9]+) events lost.*/\1/p' "$work/viewed" | awk '{ sum += $1 } END { print sum + 0 }')
    # The lock's end may be among the lost.
    [ $(((2 * zones + lost) / 2)) -eq 1000000 ] || wrong "flood: $zones zones and $lost lost events"
    [ "$zones" -gt 1000 ] && [ "$lost" -gt 0 ] || wrong "flood: $zones zones, $lost lost"
}

# A ring of 64 KiB, which is full some dozens of times.
try_waits() {
    build by_hand -DTRACY_MANUAL_LIFETIME=ON -DKYMO_CLIENT_FULL_WAIT_MS=10000 -DKYMO_CLIENT_RING_BYTES=65536 \
        -DKYMO_CLIENT_IMAGE_BYTES=0
    TRACY_NO_EXIT=1 start by_hand flood_by_hand 250000
    view waits 82
    ended waits
    expect waits 'some 250000'
    ! grep -q 'events lost' "$work/viewed" || wrong "waits: $(grep 'events lost' "$work/viewed" | head -n 1)"
}

try_forked() {
    TRACY_NO_EXIT=1 start plain forked "$work/end"
    view forked 82
    ended forked
    expect forked 'some 20'
    # The child lives: what it has of the port would be in the way.
    local old=$port
    port=$old
    TRACY_PORT=$port TRACY_NO_EXIT=1 timeout 900 $emulator "$work/plain/program" flood 10 &
    program=$!
    view 'behind the fork' 82
    ended 'behind the fork'
    touch "$work/end"
}

# The program closes the client's descriptors: it listens again, and writes to none that is the program's by now.
try_closed() {
    TRACY_NO_EXIT=1 start plain closed "$work/file"
    until [ -d "$work/file.taken" ] || ! kill -0 $program 2>/dev/null; do sleep 0.02; done
    view closed 82
    ended closed
    expect closed 'some 20'
    [ -f "$work/file" ] && [ ! -s "$work/file" ] || wrong "closed: the program's file has $(wc -c <"$work/file") bytes"
}

try_coroutines() {
    local where
    for where in coroutines threads_coroutines; do
        TRACY_NO_EXIT=1 start plain $where
        view $where 82
        ended $where
        expect $where 'coroutine 1' 'its successor 1'
    done
}

try_signalled() {
    start plain signalled
    ended signalled
}

# Viewers that come, leave in the middle, come again, and two of them.
try_viewers() {
    start plain until "$work/until"
    python3 -B tests/client/viewers.py "$port" "$work/until" >"$work/viewers" 2>&1 || wrong "viewers: $(cat "$work/viewers")"
    touch "$work/until"
    ended viewers
}

# The next of 20 ports where the first is taken; the broadcast names it.
try_announced() {
    TRACY_ONLY_LOCALHOST=1 timeout 900 $emulator "$work/plain/program" until "$work/announced" >/dev/null 2>&1 &
    program=$!
    python3 -B tests/client/announced.py $program >"$work/heard" 2>&1 || wrong "announced: $(cat "$work/heard")"
    touch "$work/announced"
    ended announced
}

try_killed() {
    local process= killed
    start plain until "$work/never"
    until process=$(tr -d ' ' <"/proc/$program/task/$program/children") && [ -n "$process" ]; do sleep 0.01; done
    # bash would say that the program was killed.
    {
        python3 -B tests/client/viewers.py "$port" "$process" >"$work/viewers" 2>&1
        killed=$?
        wait $program
    } 2>/dev/null
    [ "$killed" -eq 0 ] || wrong "killed: $(cat "$work/viewers")"
}

try_demand() {
    build demand -DTRACY_ON_DEMAND=ON
    start demand connected
    view demand 82
    ended demand
    expect demand 'some 10' 'zones 10'
    start demand flood 1000
    ended demand
}

# The client shows the newest picture when it has shown the last one, so a slow machine leaves some out; of the thousand
# without a rest it must. BC1 has 5 bits of red and blue: to 8.
try_pictures() {
    local protocol
    for protocol in 63 82; do
        TRACY_NO_EXIT=1 start plain pictures
        view "pictures $protocol" $protocol
        ended pictures
        expect "pictures $protocol" 'drawn'
        sed -n 's/^image: \([0-9]*\) 64x32 \(.*\)/\1 \2/p' "$work/viewed" >"$work/pictures"
        awk '$1 < 41 { shown++ } $2 != $3 || $2 != $5 { wrong = $0 }
            END { if (shown < 5 || wrong != "") { print shown, wrong; exit 1 } }' "$work/pictures" &&
            grep -q '^message: tracy: an image came before the last one was sent' "$work/viewed" ||
            wrong "pictures $protocol: $(head -n 50 "$work/pictures"; grep image "$work/viewed" | tail -n 3)"
        # Each picture at its frame; a viewer has two before the first.
        python3 -B - "$work/pictures" <<'PYTHON' || wrong "pictures $protocol: frames"
import sys
bad = []
for line in open(sys.argv[1], encoding="utf-8"):
    frame, first = line.split()[:2]
    blue = int(first, 16) & 255
    if 2 <= int(frame) <= 40 and abs((int(frame) - 2) * 6 - blue) > 4:
        bad.append(line)
print("".join(bad[:5]), end="")
sys.exit(bool(bad))
PYTHON
    done
}

try_calls() {
    TRACY_NO_EXIT=1 start plain calls
    view calls 82 stacks
    ended calls
    expect calls 'called 1'
    # Each of the five calls above has its line; the zone's own is that of its macro. qemu-user starts no other program
    # this way.
    local own
    own=$(grep -n 'const int below = with_calls' tests/client/program.cpp | cut -d: -f1)
    [ -n "$emulator" ] || grep -qE "^line: with_calls(\(int\))?\|.*/program.cpp:$own\$" "$work/viewed" ||
        wrong "calls: not line $own in: $(grep '^line: ' "$work/viewed")"
    KYMO_SYMBOLIZER=none TRACY_NO_EXIT=1 start plain calls
    view 'calls by name' 82 stacks
    ended 'calls by name'
    grep -qE '^line: with_calls\(int\)\|program:0$' "$work/viewed" ||
        wrong "calls by name: $(grep '^line: ' "$work/viewed")"
}

# A symbolizer that answers only when the viewer has everything recorded since it was started.
try_slow_symbolizer() {
    printf '#!/bin/sh\ntouch %s\nuntil grep -q "recorded meanwhile" %s; do sleep 0.05; done\nexec llvm-symbolizer "$@"\n' \
        "$work/asked" "$work/viewed" >"$work/llvm-symbolizer"
    chmod +x "$work/llvm-symbolizer"
    : >"$work/viewed"
    KYMO_SYMBOLIZER=$work/llvm-symbolizer TRACY_NO_EXIT=1 start plain calls_and_more "$work/asked"
    view slow_symbolizer 82 both
    ended slow_symbolizer
    expect slow_symbolizer 'called 1' 'what is recorded meanwhile'
    grep -qE '^line: with_calls(\(int\))?\|.*/program.cpp:[1-9]' "$work/viewed" ||
        wrong "slow_symbolizer: no line in: $(grep '^line: ' "$work/viewed")"
}

# Every function of TracyC.h; the text after ", cut" is beyond the length that was given.
try_bindings() {
    binary=bindings
    TRACY_NO_EXIT=1 start plain
    binary=
    view bindings 82 both
    ended bindings
    expect bindings 'linked 1' 'linked_deep 1' 'linked_made 1' 'linked_named 1' 'in the fiber 1' 'zones 5' 'texts 2' 'names 2' \
        'values 1' 'colors 1' 'plots 3' 'plot configs 1' 'app infos 1' 'frames 2' 'frame starts 1' 'frame ends 1' 'allocs 12' \
        'frees 12' 'locks 2' 'lock ends 2' 'lock marks 2' 'waits 2' 'obtains 2' 'releases 2' 'shared waits 1' \
        'shared obtains 1' 'shared releases 1' 'message' 'message L' 'old message' 'old message L' 'old message C' \
        'old message LC' 'tracy: markup of GPUs is not recorded'
    grep -q '^image: 2 4x4 ' "$work/viewed" || wrong "bindings: no image"
    [ "$(grep -cE '^stack: alloc\|' "$work/viewed")" -eq 4 ] && [ "$(grep -cE '^stack: free\|' "$work/viewed")" -eq 6 ] &&
        grep -qE '^stack: alloc\|pool\|(memory|main)' "$work/viewed" && grep -q '^stack: alloc|old pool|call' "$work/viewed" &&
        [ "$(grep -cE '^stack: zone\|linked_(deep|named)\|' "$work/viewed")" -eq 2 ] &&
        [ "$(grep -cE '^stack: message\|(message|old message [LC])\|' "$work/viewed")" -eq 3 ] ||
        wrong "bindings: stacks: $(grep '^stack: ' "$work/viewed")"
}

# Python's ctypes loads the library as a shared one.
try_ctypes() {
    "${prefix}gcc" -shared -o "$work/libTracyClient.so" -Wl,--whole-archive "$work/plain/tracy/libTracyClient.a" \
        -Wl,--no-whole-archive -pthread -ldl || wrong 'ctypes: the library is not made'
    port=$(kymo_free_port)
    TRACY_PORT=$port TRACY_NO_EXIT=1 timeout 900 python3 -B -c 'import ctypes, sys
tracy = ctypes.CDLL(sys.argv[1])
tracy.___tracy_emit_messageL(b"from ctypes", 0)
tracy.___tracy_emit_plot(b"plot", ctypes.c_double(1.5))' "$work/libTracyClient.so" >"$work/stdout" 2>"$work/stderr" &
    program=$!
    view ctypes 82
    ended ctypes
    expect ctypes 'from ctypes' 'plots 1'
}

# Twice: each has a viewer of its own. Built by try_waits.
try_by_hand() {
    local round
    TRACY_NO_EXIT=1 start by_hand by_hand
    for round in 1 2; do
        view "by_hand $round" 82
        expect "by_hand $round" 'some 10'
    done
    ended by_hand
}

# Switched off it is gone.
try_off() {
    build off -DTRACY_ENABLE=OFF
    start off counted
    ended off
    ! nm "$work/off/program" | grep -i kymo || wrong 'off: something is left'
}

try_plugin() {
    TRACY_NO_EXIT=0 start plain plugin "$work/plain/plugin.so"
    ended plugin
    nm -D --defined-only "$work/plain/plugin.so" | grep -v ' plugin_run$' | grep ' [TDB] ' | grep -vE ' (_init|_fini|kymo_client_.*|__(start|stop)_kymo_sites)$' &&
        wrong 'plugin: these are seen from outside'
}

# The viewer gets all that was recorded, then the signal does what it does without Tracy, without waiting for a viewer.
try_crashes() {
    local how ended
    ulimit -S -c 0
    for how in fault:139:SIGSEGV abort:134:SIGABRT sent:132:SIGILL; do
        TRACY_NO_EXIT=0 start plain crashes "${how%%:*}"
        view "crashes ${how%%:*}" 82
        { wait $program; } 2>/dev/null
        ended=$?
        [ "$ended" -eq "$(cut -d: -f2 <<<"$how")" ] || wrong "crashes ${how%%:*}: the program ended with $ended"
        expect "crashes ${how%%:*}" 'some 10' 'crashes 0' 'the last words' "the program crashes: ${how##*:}, address 0x.*"
        grep -q "^crash: the program crashes: ${how##*:}" "$work/viewed" || wrong "crashes ${how%%:*}: no report of the crash"
    done
    TRACY_NO_EXIT=0 start plain crashes handled
    # A viewer that has no welcome yet when the program ends would look for another program.
    timeout 900 "$viewer" "$port" 82 all >"$work/viewed" 2>"$work/viewer.err" &
    local looks_on=$!
    wait $program
    [ $? -eq 7 ] || wrong 'crashes handled: the program has not handled its signal'
    { kill $looks_on && wait $looks_on; } 2>/dev/null
}

# Whose port is taken first is the library's, which is loaded first; the program then has none that it was told.
try_engine() {
    binary=with_engine
    TRACY_NO_EXIT=1 start plain
    binary=
    view engine 82
    ended engine
    expect engine 'engine 1'
}

try_hooked() {
    binary=hooked
    TRACY_NO_EXIT=1 start plain
    binary=
    view hooked 82
    ended hooked
    local blocks
    blocks=$(sed -n 's/^count: allocs //p' "$work/viewed")
    [ "${blocks:-0}" -ge 1000 ] && [ "$blocks" -lt 1100 ] || wrong "hooked: $blocks allocations"
}

build plain
# Under an emulator what another processor can change: its calls, stacks, signals, processes and threads.
tests=(counted at_once threads forked signalled killed calls crashes bindings)
[ -n "$emulator" ] || tests+=(too_many flood waits by_hand viewers demand pictures ctypes slow_symbolizer closed coroutines announced
    plugin engine hooked off)
for name in ${TESTS:-${tests[@]}}; do
    before=$status
    try_$name
    [ $status -ne $before ] || echo "$name"
done
exit $status
