#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of "--set" with a board that has the parameter "gain", on lines that lose commands.
# Usage: set.sh HOSTLINK BOARD TEST
. "$(dirname "$0")/helpers.sh"

# set_gain STATUS VALUE: a capture until the board ends, which it does when its parameter is set.
set_gain() {
    start_hostlink "$device" -o x.kymo --no-tracy --set "gain=$2"
    end_hostlink "$1"
    says 'the board has finished'
}

test_arrives() {
    start_board -n 100 -g
    set_gain 0 7
    ! grep -q 'gain' err || fail "something was said of a command that arrived"
}

# One byte of twenty is lost, and all beyond the FIFO.
test_arrives_late() {
    start_board -n 100 -l 50 -g
    set_gain 0 7
    ! grep -q 'gain' err || fail "something was said of a command that arrived"
}

test_bounds() {
    start_board -n 100 -l 20 -g
    set_gain 0 1000
    says '^hostlink: gain: the board has 100 instead of 1000, its bounds are 0 and 100$'
}

test_never() {
    start_board -n 2000 -l 1000
    set_gain 6 7
    says_once '^hostlink: gain=7: (was not sent; capture longer|sent [0-9]+ times and not obeyed, the board has 1; check the wire)'
    counts 2000
}

test_unknown() {
    start_board -n 1000
    start_hostlink "$device" -o x.kymo --no-tracy --set nothing=1
    end_hostlink 6
    says_once '^hostlink: nothing: the board reported no parameter of this name; check the name \(it has .*gain'
}

test_misspelt() {
    start_board -n 1000
    start_hostlink "$device" -o x.kymo --no-tracy --set gian=1
    end_hostlink 6
    says_once "^hostlink: gian: the board reported no parameter of this name; did you mean 'gain'?"
}

test_one_way() {
    "$board" 2>board.err >raw
    run 6 "$hostlink" - -o x.kymo --no-tracy --set gain=7 <raw
    says_once '^hostlink: gain=7: .*; give a source that can be written to'
}

test_no_commands() {
    run 2 "$hostlink" unix:none --no-commands --set gain=7
    says_only "^hostlink: '--set' sends commands"
}

"test_$3" && echo "passed"
