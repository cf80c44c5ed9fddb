#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A board's acceptance: captures the acceptance program from it, compares every count, and prints a line for
# doc/hardware.md.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/setup.sh
. boards/boot.sh

usage() {
    cat <<'TEXT'
Usage: boards/accept.sh BOARD [SOURCE [OPTION ...]]
Builds the acceptance program for BOARD and hostlink. Without SOURCE it then says which file to flash. With SOURCE it
captures the program there (flash it first, and reset the board when told), compares what arrived with what the
firmware counted, and prints what it measured: clock, timer, cost of a zone, speed of the line, cores. Options are
hostlink's, for example -b 921600. The capture is build/BOARD/accept/accept.kymo.

  --emulator     as SOURCE: boots the board's emulator instead
  --help         this text

Exit status: 0 passed, 1 not, 2 usage error.
TEXT
}

die() {
    echo "boards/accept.sh: $2" >&2
    exit "$1"
}

case ${1:-} in --help | -h) usage; exit 0 ;; esac
[ $# -ge 1 ] || die 2 "no board given; see boards/accept.sh --help"
board=$1
shift
[ -f "boards/$board/board.cmake" ] || die 2 "no board '$board'; see tests/run.sh --boards"
folder=build/$board/accept
mkdir -p build/logs || die 1 "cannot make the folder build/logs"
for step in "host hostlink" "$board firmware_accept"; do
    read -r tree target <<<"$step"
    { [ -f "build/$tree/build.ninja" ] || kymo_configure "$tree" -DKYMO_TESTS=OFF -DKYMO_WERROR=OFF; } \
        >"build/logs/accept.$tree.log" 2>&1 && cmake --build "build/$tree" --target "$target" >>"build/logs/accept.$tree.log" 2>&1 || {
        tail -n 30 "build/logs/accept.$tree.log" >&2
        die 1 "the build failed; the whole log is build/logs/accept.$tree.log"
    }
done
[ $# -gt 0 ] || {
    echo "Flash $folder/firmware.elf, as boards/$board/README.md says, then run: boards/accept.sh $board SOURCE"
    exit 0
}

hostlink=build/host/hostlink/hostlink
outputs=(-o "$folder/accept.kymo" -o "$folder/accept.csv")
rm -f "$folder"/accept.*
emulated=
if [ "$1" = --emulator ]; then
    emulated=true # an emulator's time is not the host's
    kymo_capture "$folder" 600 "$hostlink" @SOURCE@ --quiet --no-tracy "${outputs[@]}" "${@:2}" >"$folder/accept.out" 2>"$folder/accept.err"
    [ "$board_status" -eq 0 ] || die 1 "the emulator ended with status $board_status: $folder/emulator.log"
else
    echo "Reset the board now; Ctrl-C gives up."
    "$hostlink" "$@" --quiet --no-tracy "${outputs[@]}" >"$folder/accept.out" 2>"$folder/accept.err"
    hostlink_status=$?
fi
[ $hostlink_status -eq 0 ] || {
    cat "$folder/accept.err" >&2
    die 1 "hostlink ended with status $hostlink_status"
}
# A warning of hostlink counts against the board, such as a clock whose rate is not the declared one.
grep '^hostlink: ' "$folder/accept.err" | grep -vE "^hostlink: (the board has finished|clock: [0-9]+ of${emulated:+|the board says that its clock runs})" >"$folder/accept.warnings"
awk -F'accept: |demo: ' -v board="$board" -v date="$(date +%F)" -v csv="$folder/accept.csv" \
    -v out="$folder/accept.out" -v warnings="$folder/accept.warnings" '
    function wrong(what) { print "  not as it should be: " what; bad = 1 }
    function us(ticks) { return hz ? sprintf("%.2f us", ticks * 1e6 / hz) : ticks " ticks" }
    /accept: / { split($2, word, " "); value[word[1]] = word[2]; print "  " $2 }
    /demo: zones / { n = split($2, word, " "); for (i = 3; i < n; i += 2) zones[word[i]] += word[i + 1] }
    /demo: emitted / { split($2, word, " "); emitted = word[2] }
    END {
        while ((getline line < csv) > 0) {
            split(line, column, ",")
            if (!header++) { for (i in column) at[column[i]] = i; continue }
            arrived[column[at["name"]]] += column[at["counts"]]
        }
        while ((getline line < out) > 0) if (line ~ /^events: emitted /) { split(line, word, " "); recorded = word[3]; lost = word[7] }
        while ((getline line < warnings) > 0) wrong(line)
        if (emitted == "") wrong("the program did not reach its end")
        if (recorded != emitted) wrong(recorded " events, and the firmware counted " emitted)
        if (lost != 0) wrong(lost " events lost")
        for (name in zones) if (zones[name] != arrived[name] + 0) wrong("zone " name ": " arrived[name] + 0 " times, and the firmware counted " zones[name])
        if (value["clock_backwards"] != 0) wrong("the clock went back")
        hz = value["clock_declared"] ? value["clock_declared"] : value["clock_by_timer"]
        if (!hz) wrong("the clock does not run")
        printf "%s: %d events, %d lost, %s\n\n", board, emitted, lost, bad ? "FAILED" : "passed"
        printf "| %s | %s | %.3f MHz | %s to %s | %s | %d B/s | %s | %s |\n", board, date, hz / 1e6, us(value["tick_period_min"]),
            us(value["tick_period_max"]), us(value["sixteen_zones"] / 16), value["flood_bytes"] * hz / value["flood_ticks"],
            (value["cores"] == 2 ? us(value["core_clock_apart"]) : "one core"), bad ? "failed" : "passed"
        exit bad
    }' "$folder/accept.out"
