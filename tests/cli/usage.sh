#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of what hostlink says of its use: help, options, manual, completion.
# Usage: usage.sh HOSTLINK BOARD TEST, where TEST is one of the functions test_* below and BOARD the program of board.c.
. "$(dirname "$0")/helpers.sh"

# The commands that the program itself lists.
commands() { "$hostlink" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -vx help; }

test_help() {
    run 0 "$hostlink" --help
    prints '^Usage: hostlink \[SOURCE \.\.\.\]'
    [ "$(commands | wc -l)" -ge 7 ] || fail "not all commands are listed"
    for command in $(commands); do
        run 0 "$hostlink" help $command
        prints "^Usage: hostlink $command"
        mv out first
        run 0 "$hostlink" $command --help
        cmp -s out first || fail "help $command is not $command --help"
    done
    for line in "help help" "help --help" "help -h" "-h"; do
        run 0 "$hostlink" $line
        prints '^Usage: hostlink \[SOURCE \.\.\.\]'
    done
    for command in capture convert; do
        run 0 "$hostlink" help $command
        awk '/^ +(-., )?--/ && length($0) > 24 && substr($0, 23, 2) != "  " && !/^ +(-., )?--[a-z-]+( [^ ]+)?$/' out >collides
        [ ! -s collides ] || fail "columns collide: $(cat collides)"
    done
    run 0 "$hostlink" --version
    prints '^hostlink [0-9]+\.[0-9]+\.[0-9]+( \([0-9a-f]{12}\+?\))?$'
    run 2 "$hostlink" help nonsense
    says_only "no command 'nonsense'"
    run 2 "$hostlink" stat
    says_only "did you mean 'stats'"
    run 2 "$hostlink" hlep run
    says_only "no command 'hlep', did you mean 'help'"
}

test_bad_option() {
    run 2 "$hostlink" x.kymo --boud 9600
    says_only "unknown option '--boud', did you mean '--baud'\?.*hostlink help capture"
    run 2 "$hostlink" convert x.kymo --zzz
    says_only "unknown option '--zzz'; see 'hostlink help convert'"
    run 2 "$hostlink" x.kymo --baud
    says_only "'--baud' needs an argument"
    for number in 0 -1 12x 99999999999 ''; do
        run 2 "$hostlink" x.kymo --baud "$number"
        says_only "'--baud' needs a number"
    done
    for wish in gain =7 gain= = gain=x gain=7x gain=7.5 gain=2147483648; do
        run 2 "$hostlink" x.kymo --set "$wish"
        says_only "'--set' needs NAME=VALUE with a whole number"
    done
    for number in 0 -1 nan inf x ''; do
        run 2 "$hostlink" x.kymo --duration "$number"
        says_only "'--duration' needs a number of seconds"
    done
    run 2 "$hostlink" x.kymo --dtr maybe
    says_only "'--dtr' is on, off or keep, not 'maybe'"
    run 2 "$hostlink" x.kymo --rtscts=1
    says_only "takes no argument"
    run 2 "$hostlink" x.kymo y.kymo
    says_only "'y.kymo' is no board: a capture to write is '-o y.kymo', and 'hostlink merge' puts captures together"
    run 2 "$hostlink" convert x.kymo
    says_only "no output given"
    run 2 "$hostlink" stats
    says_only "no input file \\(IN.kymo\\) given"
}

test_bad_output() {
    run 2 "$hostlink" convert x.kymo -o y.pftrac
    says_only "suffix names no format, did you mean '.pftrace'"
    for output in vcd:x vcd:x.vcd; do
        run 2 "$hostlink" convert x.kymo -o $output
        says_only "'vcd' is no format; there are kymo, perfetto, chrome, csv.*; see"
    done
    run 2 "$hostlink" convert x.kymo -o json:x
    says_only "'json' is no format, did you mean 'chrome'"
    run 2 "$hostlink" convert x.kymo y.json
    says_only "one input file, not also 'y.json': an output is '-o y.json'"
    run 2 "$hostlink" convert x.kymo y.kymo
    says_only "one input file, not also 'y.kymo': "
    run 2 "$hostlink" /dev/ttyUSB0 y.json
    says_only "'y.json' is no source: an output is '-o y.json'"
    run 2 "$hostlink" convert x.kymo -o -
    says_only "needs a format"
    run 2 "$hostlink" convert x.kymo -o y.csv -o csv:y.csv
    says_only "same name"
    run 2 "$hostlink" x.bin -o a.kymo -o b.kymo
    says_only "only one capture file"
    run 2 "$hostlink" convert x.kymo -o y.kymo
    says_only "capture already"
}

test_missing_device() {
    run 3 "$hostlink" /dev/ttyUSB99
    says_only '^hostlink: /dev/ttyUSB99: no such file or device'
    run 3 "$hostlink" unix:"$folder"/none
    says_only 'cannot connect: No such file'
    run 3 "$hostlink" tcp:127.0.0.1:1 --no-reconnect
    says_only 'cannot connect .*: Connection refused'
    # Host first: it waits, and says so.
    run 4 "$hostlink" tcp:127.0.0.1:1 --duration 0.5
    says_only '^hostlink: tcp:127.0.0.1:1: cannot connect .*; waiting for it, Ctrl-C ends the wait'
    run 3 "$hostlink" tcp:nowhere:
    says_only 'tcp:HOST:PORT'
    run 3 "$hostlink" tcp:127.0.0.1:99999
    says_only 'a port from 1 to 65535, not 99999$'
    run 3 "$hostlink" "$folder"
    says_only 'is a folder'
    run 3 "$hostlink" stats none.kymo
    says_only '^hostlink: none.kymo: cannot be read: No such file'
    [ -z "$(ls ./*.kymo 2>/dev/null)" ] || fail "a capture file was left"
}

# The options that the program's own help names for a command.
options_of() { "$hostlink" help "$1" | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+'; }

# The section of the manual about a command.
part_of() { awk -v name="$1" '$0 == "   " name { on = 1; next } /^(   )?[a-zA-Z]/ { on = 0 } on' manual; }

# Every option of every command is in the manual; the completion asks the program itself.
test_documents() {
    local command
    command -v mandoc >/dev/null || fail "mandoc is missing: install the package mandoc"
    mandoc -Tlint -W warning "$top"/hostlink/man/hostlink.1 >out || fail "the manual is not clean"
    mandoc -Tascii "$top/hostlink/man/hostlink.1" | sed 's|.\x08||g' >manual
    for command in $(commands); do
        options_of $command | sort >options
        grep -q -- --help options || fail "help $command names no options"
        part_of $command >part
        [ "$command" != run ] || part_of capture >>part # whose options it takes
        grep -v -- --help options | while read -r option; do
            grep -qE -- "(^|[ ,])$option([ ,]|\$)" part || echo "$option"
        done >out
        [ ! -s out ] || fail "the manual's part about $command lacks options"
        [ -f "${hostlink%/*}/man/hostlink-$command.1" ] || fail "no hostlink-$command.1"
    done
}

# complete WORD ...: the completions of the last word of the line.
complete_line() {
    COMP_WORDS=(hostlink "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _hostlink
    printf '%s\n' "${COMPREPLY[@]}" >out
}
test_completion() {
    . "$top/hostlink/completion/hostlink.bash"
    hostlink() { "$program" "$@"; }
    local program=$hostlink command
    for command in $(commands); do
        diff <(options_of $command | sort) <(_hostlink_options $command | grep -oE '^--[a-z-]+' | sort) >out ||
            fail "completion of $command differs from its help"
    done
    : >run.kymo
    complete_line con
    [ "$(cat out)" = convert ] || fail "con"
    complete_line stats run
    [ "$(cat out)" = run.kymo ] || fail "stats run"
    complete_line stats --cs
    [ "$(cat out)" = --csv ] || fail "stats --cs"
    complete_line run.bin --du
    [ "$(cat out)" = --duration ] || fail "--du"
    complete_line run.bin --duration r
    [ -z "$(tr -d '\n' <out)" ] || fail "a number is not a file"
    complete_line stats -e r
    [ "$(cat out)" = run.kymo ] || fail "an image is a file"
    complete_line merg
    [ "$(cat out)" = merge ] || fail "merg"
    complete_line help st
    [ "$(cat out)" = stats ] || fail "help st"
}

"test_$3" && echo "passed"
