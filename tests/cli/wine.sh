#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# hostlink.exe under wine: builds it, and runs cases of the scripts beside this one with it in hostlink's place.
# Usage: wine.sh HOST_BUILD_FOLDER
#
# Left out, each for its reason:
#   doctor.sh find.sh       ports from a copy of sysfs, kept by HOSTLINK_ROOT; pseudo-terminals by their Linux names
#   top.py open.py tasks.py a pseudo-terminal as the screen; a browser; those of tasks differ from stats in nothing
#   core.sh                 core files of Linux
#   run.sh                  wine gives a Unix child no socket as its standard output: a child of Windows below is in its
#                           place
#   usage missing_device, inputs garbage_source file_source pty_source, outputs unwritable_output full_disk
#   full_capture_disk special_outputs same_file ctf, check ci_files
#                           devices and links of Linux: /dev/full, /dev/stdout, /dev/urandom, unix sockets, named pipes
#   capture busy_device any_baud
#                           wine lets a pseudo-terminal be opened twice, and knows the usual rates alone
#   tracy keep              its signal may come before the last line about a viewer, where a start takes a second
#   tracy off announce, network bad_key, import wrong_files, elf files, large no_folder
#                           they look for Linux's own: /proc, modes, errors and programs
#   the others              the same code as on Linux: what differs is in the cases below
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
host=$(realpath "$1")
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
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DKYMO_TESTS=OFF -DKYMO_WERROR=ON >log 2>&1 &&
    cmake --build build --target hostlink >>log 2>&1 || fail "hostlink.exe cannot be built" log
[ -d prefix/drive_c ] || wine wineboot -i >log 2>&1 || fail "wine cannot make its folder" log
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

bad=0
# cases SCRIPT PROGRAMS CASE ...: with the programs that the script takes, in order.
cases() {
    local script=$1 case
    read -ra programs <<<"$2"
    for case in "${@:3}"; do
        if ! bash "$top/tests/cli/$script.sh" "$work/hostlink" "${programs[@]/#/$host/tests/}" "$case" >"log.$case" 2>&1 </dev/null; then
            echo "FAILED: $script $case"
            head -n 20 "log.$case"
            bad=1
        fi
    done
}
cases usage cli/cli_board help bad_option bad_output
cases outputs cli/cli_board overwritten in_use stdout_output several_boards table
cases stats cli/cli_scene report
cases check cli/cli_scene own_budget
cases import cli/cli_scene own_output
cases inputs cli/cli_board cut_file pipes empty_file
cases capture cli/cli_board serial cable_gone interrupt
cases set cli/cli_board_gain arrives
cases large cli/cli_board_large written
cases elf cli/elf_board capture
cases network "cli/net_board_plain cli/net_board_keyed" signed
cases tracy "cli/cli_board unit/tracy_viewer" wait

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
[ $bad -eq 0 ] && echo passed
exit $bad
