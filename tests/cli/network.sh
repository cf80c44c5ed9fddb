#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of hostlink with boards on a network, the programs of net_board.c: without a key, and with the key 00 01 .. 0f.
# Usage: network.sh HOSTLINK BOARD_WITHOUT_KEY BOARD_WITH_KEY TEST
keyed=$(realpath "$3")
. "$(dirname "$0")/helpers.sh"
unset KYMO_KEY

good=000102030405060708090a0b0c0d0e0f

make_key() {
    echo "$1" >key
    chmod 600 key
}
# set_gain N ARGUMENT ...: a capture in the background that tries to set the parameter.
set_gain() {
    rm -f x.kymo
    start_hostlink "tcp:127.0.0.1:$port" -o x.kymo --no-tracy --set "gain=$1" "${@:2}"
}
# After the answer, which goes before later events: hostlink knows that it is set.
is_answered() { await bigger_than x.kymo $(($(stat -c %s x.kymo) + 2000)); }
has_set() { grep -qx "gain $1" printed; }
# The capture shows PATTERN, as "hostlink COMMAND" prints it.
shows() { "$hostlink" "$1" x.kymo 2>/dev/null | grep -qE -- "$2"; }
unchanged() { [ "$(wc -l <printed)" -eq 1 ] || fail "the board obeyed: $(cat printed)"; }

test_without_key() {
    start_net "$board"
    make_key $good
    set_gain 7 --key key
    await has_said 'over a network this board only sends'
    # Names come without being asked for.
    await shows stats '^round '
    stop_hostlink 6
    says_once 'this board only sends, as its image has no key for commands: .*, and its clock is not compared'
    says_once "^hostlink: gain=7: was not sent; build the board's image with COMMAND_KEY_FILE"
    unchanged
    prints '^round '
}

test_keyless() {
    start_net "$keyed"
    set_gain 7
    await has_said 'obeys signed commands alone: give --key FILE'
    await shows stats '^round '
    stop_hostlink 6
    says_once 'obeys signed commands alone'
    says_once "^hostlink: gain=7: was not sent; give the key of the board's image by --key FILE"
    prints '^round '
    unchanged
}

test_signed() {
    start_net "$keyed"
    make_key $good
    set_gain 7 --key key
    await has_set 7
    # The answers to some pings are among so much.
    await bigger_than x.kymo 6000
    stop_hostlink
    says 'pings? answered'
    ! grep -q 'key' err || fail "a key that works was talked about"
    # The counter goes on where it was, in any spelling, from the environment.
    KYMO_KEY="0x00, 0x01, 02 03 04:05:06:07 08090A0B0c0d0e0f" set_gain 8
    await has_set 8
    is_answered
    stop_hostlink
    # Again after a restart of the board.
    kill -9 $board_pid
    start_net "$keyed" -p "$port"
    set_gain 99 --key key
    end_hostlink 0
    says 'the board has finished'
}

# A board that comes back has another challenge, and its first values.
test_signed_again() {
    start_net "$keyed"
    make_key $good
    start_hostlink "tcp:127.0.0.1:$port" -o x.kymo --no-tracy --reconnect --key key --set gain=7
    await has_set 7
    kill -9 $board_pid
    await has_said 'is gone: waiting'
    start_net "$keyed" -p "$port"
    await has_set 7
    is_answered
    stop_hostlink
    ! grep -qE 'refuses|obeys' err || fail "something was wrong on the way"
}

test_wrong_key() {
    start_net "$keyed"
    make_key ${good/0f/8f}
    set_gain 7 --key key
    await has_said 'the board refuses commands signed with this key'
    stop_hostlink 6
    says_once 'the board refuses commands signed with this key'
    says_once "^hostlink: gain=7: .*; give the key of the board's image by --key FILE"
    unchanged
}

test_no_commands() {
    start_net "$keyed"
    start_hostlink "tcp:127.0.0.1:$port" -o x.kymo --no-tracy --no-commands
    await bigger_than x.kymo 5000
    stop_hostlink
    ! grep -q 'network' err || fail "who asks for nothing need not be told"
}

test_bad_key() {
    local text
    for text in '' 0001 "$good"00 "${good/0f/0g}" "$good more" '0x' "$(head -c 1000 /dev/zero | tr '\0' 0)"; do
        make_key "$text"
        run 2 "$hostlink" tcp:127.0.0.1:1 --key key
        says_only '^hostlink: key: a key is 16 bytes of two hex digits each'
        run 2 env KYMO_KEY="$text" "$hostlink" tcp:127.0.0.1:1
        says_only '^hostlink: KYMO_KEY: a key is 16 bytes'
    done
    run 2 "$hostlink" tcp:127.0.0.1:1 --key none
    says_only '^hostlink: none: the key cannot be read: No such file'
    run 2 "$hostlink" tcp:127.0.0.1:1 --key .
    says_only '^hostlink: .: the key cannot be read: Is a directory'
    make_key $good
    chmod 644 key
    run 3 "$hostlink" tcp:127.0.0.1:1 --no-reconnect --key key
    says "other users can read this key; make it private by 'chmod 600 key'"
    ! grep -q $good err || fail "the key was printed"
}

"test_$4" && echo "passed"
