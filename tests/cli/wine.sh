#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# hostlink.exe under wine: builds it, and runs cases of the scripts beside this one with it in hostlink's place: some in
# every test run, with "all" every one that can.
# Usage: wine.sh HOST_BUILD_FOLDER [all]
#
# Left out, each with what happens:
#   find list list_nothing list_hostile list_network list_many alone_usb alone_adapter not_alone replug replug_nameless
#   unplug                  their ports are a copy of sysfs (HOSTLINK_ROOT); a machine with Windows has its own, here COM1
#   find cut_line half_packet, run run_waits run_nothing, usage missing_device
#                           wine 8 has no sockets in the file system (WSAEAFNOSUPPORT), and these connect to unix:PATH
#   run run_output run_status run_ends_command run_ends_all run_stopped run_first run_wrong
#                           wine gives a child of Linux a socket as standard output, but what it writes is lost, and
#                           there is no sh; with children of Windows they are below
#   inputs garbage_serial pty_source, tracy boards
#                           hostlink makes a pseudo-terminal (Windows has none), or is given a link to one
#   tracy off               it counts the sockets of a process in /proc, where that of wine is another one
#   tracy announce          the announcement names the port, which is COM20 and not /dev/pts/0
#   capture busy_device, doctor port
#                           wine lets a pseudo-terminal be opened twice
#   capture any_baud        of a pseudo-terminal's rates wine knows the usual ones: 1234567 becomes 38400
#   outputs unwritable_output full_disk, check ci_files
#                           /dev/full: wine says that it is in use or an invalid argument
#   outputs full_capture_disk
#                           a small disk in a namespace: wineserver, which opens the files, is outside of it
#   outputs stopped           a pipe of Linux is its output
#   outputs special_outputs ctf
#                           /dev/stdout and /proc/self/fd/1 are links of Linux, which wine does not follow
#   outputs same_file       wine gives standard output that appends to a file another number than the file has
#   network bad_key         its last step is the mode of the key's file
#   stats metrics           wine cannot look whether a pipe of Linux has bytes (ERROR_NOT_SUPPORTED), and waits in the read
#   top figures keys restores live, open
#                           their client is a terminal or browser of Linux; 'top' in a console is below
#   network attack          a board alone, without hostlink
#
# Unit tests of hostlink that are not in tests/unit/windows:
#   those with the recorder (kymo/kymo.h, kymo_arch.h, player.h)
#                           it finds its sites by a section of ELF; what hostlink makes of them is the same code everywhere
#   tracy_announce tracy_callstacks tracy_code tracy_cores tracy_encode tracy_lz4 tracy_pictures tracy_recorded tracy_server
#   tracy_shown tracy_source tracy_welcome
#                           their viewer has the LZ4 project's decoder, which Debian has not for Windows; below hostlink.exe
#                           serves that viewer, built for Linux
#   tracy_limits tracy_viewer source serial_driver
#                           they fork, count on the size of a socket's buffers, or have a pseudo-terminal as other side; what
#                           they call is in test_platform.c, serial and network sources in the cases below
#   symbolizer disassemble  their tool is a script of sh, and the program is their own file of ELF
#   special_files           links, pipes, /dev/full and permissions of POSIX
#   deep_paths              one case holds its output open while it is replaced, which wine refuses; the other takes 14 s
# In test_platform.c no real path is longer than 260 characters: wine 8 says ERROR_MORE_DATA, Windows does not.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
host=$(realpath "$1")
which=${2-some}
work=$host/tests/wine
export WINEDEBUG=-all WINEPREFIX=$work/prefix WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe='
export HOSTLINK_EXE=$work/build/hostlink/hostlink.exe
fail() {
    echo "FAILED: $1"
    [ -z "${2-}" ] || tail -n 30 "$2"
    exit 1
}
mkdir -p "$work" && cd "$work" || exit 1

cmake -S "$top" -B build -G Ninja -DCMAKE_TOOLCHAIN_FILE="$top/cmake/toolchain-x86_64-w64-mingw32.cmake" \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DKYMO_TESTS=ON -DKYMO_WERROR=ON >log 2>&1 &&
    cmake --build build --target hostlink hostlink_units >>log 2>&1 || fail "hostlink.exe cannot be built" log
# A second time on a machine so busy that wine's server did not answer the first.
[ -d prefix/drive_c ] || wine wineboot -i >log 2>&1 || { rm -rf prefix && wine wineboot -i >log 2>&1; } ||
    fail "wine cannot make its folder" log
# A program that waits until the end: with the last one wine would end, and at its next start remove the ports.
rm -f wait && mkfifo wait && exec 3<>wait
wine "$HOSTLINK_EXE" - -q --no-tracy -o waits.kymo <wait >/dev/null 2>&1 &
trap 'exec 3>&-; wineserver -k; wineserver -w' EXIT

# The program that the scripts call: a pseudo-terminal becomes a COM port, and signals become Ctrl-C.
cat >hostlink <<'END'
#!/usr/bin/env bash
arguments=()
for argument; do
    case $argument in
    /dev/pts/[0-9]*)
        number=$((${argument##*/} + 20))
        ln -sfn "$argument" "$WINEPREFIX/dosdevices/com$number"
        argument=COM$number
        ;;
    esac
    arguments+=("$argument")
done
wine "$HOSTLINK_EXE" "${arguments[@]}" <&0 &
child=$!
trap 'kill -INT $child' INT TERM HUP
while wait $child; status=$?; kill -0 $child 2>/dev/null; do :; done
exit $status
END
chmod +x hostlink

# Each case that runs on Linux is above or below.
ctest --test-dir "$host" -N | sed -n 's/.*: cli\.//p' >names
[ -s names ] || fail "ctest names no tests"
while read -r name; do
    grep -qwE -- "$name|${name#*_}" "$top/tests/cli/wine.sh" || fail "wine.sh does not know cli.$name: add it to a list"
done <names

bad=0
# The unit tests of hostlink as one program. Each is in its list or above.
(cd "$top/tests/unit" && grep -rlE --include='test_*.c' '#include "((base|capture|cli|clock|device|dump|elf|import|model|platform|report|sink|source|symbol|trace|tracy|wire)/|tracy_)' \
    .) >names
[ -s names ] || fail "no unit tests of hostlink"
while read -r file; do
    name=$(basename "${file/test_/}" .c)
    grep -qE '#include "(kymo/kymo|kymo_arch|player)\.h"' "$top/tests/unit/$file" ||
        grep -qwE -- "$name" "$top/tests/cli/wine.sh" "$top/tests/unit/windows/CMakeLists.txt" ||
        fail "wine.sh does not know unit.$name: add it to a list"
done <names
# A serial port that sends back what it gets.
rm -f port
python3 -B -c 'import os, pty, tty
board, port = pty.openpty()
tty.setraw(port)
print(os.ttyname(port), flush=True)
while True:
    os.write(board, os.read(board, 4096))' >port &
echoes=$!
while [ ! -s port ] && kill -0 $echoes; do sleep 0.05; done
ln -sfn "$(cat port)" prefix/dosdevices/com250
(cd build/tests/unit/windows && TEST_SERIAL=COM250 timeout 600 wine ./hostlink_units.exe) >log.units 2>&1 || {
    grep -aB 3 FAILED log.units || tail -n 5 log.units
    bad=1
}
kill $echoes

# cases SCRIPT PROGRAMS CASE ...: with the programs that the script takes, in order; $after has the words after a case.
after=
cases() {
    local script=$top/tests/cli/$1 case shell=bash
    read -ra programs <<<"$2"
    [ "${1%.py}" = "$1" ] || shell="python3 -B"
    for case in "${@:3}"; do
        # shellcheck disable=SC2086 # words
        if ! $shell "$script" "$work/hostlink" "${programs[@]/#/$host/tests/}" "$case" $after >"log.$case" 2>&1 </dev/null; then
            echo "FAILED: $1 $case"
            head -n 20 "log.$case"
            bad=1
        fi
    done
}
cases usage.sh cli/cli_board bad_output
cases outputs.sh cli/cli_board overwritten in_use stdout_output table
cases stats.sh cli/cli_scene report
cases check.sh cli/cli_scene own_budget
cases import.sh cli/cli_scene own_output
cases inputs.sh cli/cli_board cut_file pipes empty_file
cases capture.sh cli/cli_board serial cable_gone interrupt
cases set.sh cli/cli_board_gain arrives
cases large.sh cli/cli_board_large written
cases elf.sh cli/elf_board capture
cases network.sh "cli/net_board_plain cli/net_board_keyed" signed
cases tracy.sh "cli/cli_board unit/tracy_viewer" wait
if [ "$which" = all ]; then
    cases usage.sh cli/cli_board help bad_option documents completion
    cases outputs.sh cli/cli_board several_boards near_suffix events_as_csv convert_twice late_names devices python
    cases outputs.sh cli/cli_scene otlp btf firefox
    cases stats.sh cli/cli_scene json measures flows cores openmetrics longest part poor compare compare_more
    cases check.sh cli/cli_scene lossy_budget measured wrong_budget forms
    cases import.sh cli/cli_scene wrong_files cut_files flows stacks svdat crowd zephyr btf
    cases inputs.sh cli/cli_board garbage_file garbage_source wrong_input other_version raw_dump file_source
    cases capture.sh cli/cli_board no_commands emulator_gone terminate hangup killed replaced duration cut_is_no_damage \
        silent idle
    cases set.sh cli/cli_board_gain arrives_late bounds never unknown misspelt one_way no_commands
    cases large.sh cli/cli_board_large listed cut captured no_folder
    cases elf.sh cli/elf_board devices files file cut short missed killed wrong_image agreed others board_names
    cases network.sh "cli/net_board_plain cli/net_board_keyed" without_key keyless signed_again wrong_key no_commands
    cases tracy.sh "cli/cli_board unit/tracy_viewer" keep too_long timeout
    cases dump.sh cli/dump_pair usage wrong_files wrong_address mixed moved outputs empty
    # core: fixed, anywhere, recorder
    cases core.sh cli/process_fixed 16
    cases core.sh cli/process_anywhere 16
    cases core.sh cli/process_recorder 2992
    cases find.sh "cli/cli_board cli/net_board_plain" alone_network tcp_errors restart
    cases tasks.py "" worst table causes jobs several
    after=$host/tests/cli/elf_board
    cases doctor.sh cli/cli_board bytes rate board elf ring program
fi

# The same bytes as on Linux, also under names that are not ASCII and in folders beyond 260 characters.
"$host/tests/cli/cli_scene" >scene.kymo 2>log || fail "no capture" log
deep=$work/$(printf 'größe-%.0s' {1..20})/$(printf 'länge-%.0s' {1..20})
mkdir -p "$deep"
for format in json pftrace csv folded; do
    "$host/hostlink/hostlink" convert scene.kymo -o "linux.$format" >log 2>&1 || fail "hostlink convert" log
    ./hostlink convert scene.kymo -o "$deep/windows.$format" >log 2>&1 || fail "hostlink.exe convert" log
    cmp "linux.$format" "$deep/windows.$format" || bad=1
done

# A child's standard output is the source, and its status is the status.
./hostlink run - -q --no-tracy -o ran.kymo -- "$HOSTLINK_EXE" scene.kymo --no-tracy -o kymo:- >log 2>&1 ||
    fail "hostlink.exe run" log
[ -s ran.kymo ] || fail "hostlink.exe run kept nothing" log
./hostlink run - -q --no-tracy -o ran.kymo -- cmd /c exit 7 >log 2>&1
[ $? -eq 7 ] || fail "hostlink.exe run: the status of its child is lost" log
# Ctrl-C ends the child and what it has started in the background: the job holds both.
waits() { pgrep -f "^Z:.*-o (left|child)\.$$\.kymo\$" >pids; }
both_wait() { waits && [ "$(wc -l <pids)" -eq 2 ]; }
windows_exe=Z:${HOSTLINK_EXE//\//\\}
./hostlink run - -q --no-tracy -o ran.kymo -- cmd /c start /b "$windows_exe" tcp:127.0.0.1:1 -q --no-tracy \
    -o "left.$$.kymo" '&' "$windows_exe" tcp:127.0.0.1:1 -q --no-tracy -o "child.$$.kymo" >log 2>&1 &
child=$!
for ((i = 0; i < 6000; i++)); do both_wait && break; sleep 0.1; done
both_wait || fail "hostlink.exe run does not start its child" log
kill -TERM $child
wait $child
! waits || fail "hostlink.exe run leaves a child" pids
timeout 600 python3 -B "$top/tests/cli/console.py" wine "$HOSTLINK_EXE" top scene.kymo >log 2>&1 || fail "hostlink.exe top in a console" log
[ $bad -eq 0 ] && echo passed
exit $bad
