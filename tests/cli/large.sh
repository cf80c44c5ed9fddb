#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Large things, places made at run time, and a board's descriptions of itself, on hostlink's command line.
# Usage: large.sh HOSTLINK BOARD TEST
. "$(dirname "$0")/helpers.sh"

picture=0-1-_._screen_shot.png # "../screen shot.png"

is_picture() {
    python3 -c 'import sys; sys.exit(open(sys.argv[1], "rb").read() != bytes(i % 256 for i in range(5000)))' "$1" ||
        fail "$1 is not the picture"
}

test_written() {
    make_capture x.kymo
    run 0 "$hostlink" convert x.kymo --large things -o x.csv
    [ "$(ls things | tr '\n' ' ')" = "$picture 0-2-text " ] || fail "other files: $(ls things)"
    is_picture things/$picture
    [ "$(cat things/0-2-text)" = hello ] || fail "another text"
    grep -q '^late 3,' x.csv || fail "the table has no place made at run time"
    run 0 "$hostlink" convert x.kymo -o x.events.csv -o x.json
    grep -q ',5000,../screen shot.png' x.events.csv || fail "no event of the picture"
    grep -q 'large.*screen shot.png, 5000 bytes' x.json || fail "no point of the picture"
    run 0 "$hostlink" convert x.kymo --large things # again, and no other output
    is_picture things/$picture
}

test_listed() {
    make_capture x.kymo
    run 0 "$hostlink" info x.kymo
    prints '^large       2 whole, 0 not whole, 0 cancelled$'
    prints "$picture, 5000 bytes\$"
    prints '^board       kymo [0-9.]+, fake$'
    prints 'ring of lane 0: at most [0-9.]+ k?B of [0-9.]+ kB in use'
    prints 'KYMO_DYNAMIC_SITES 4: 4 made, 2 calls found no room$'
    run 0 "$hostlink" convert x.kymo -o x.csv
    says '2 uses of places made at run time without their names, for which the board had no room: raise KYMO_DYNAMIC_SITES, now 4'
    says '1 large thing found no place on the board: raise KYMO_LARGE, now 2'
    grep -q '^"\?made at run time, no room for its name"\?,' x.csv || fail "no name for what found no room"
}

# The fourth packet of the picture is damaged.
test_cut() {
    make_capture x.kymo
    python3 - <<'END'
stream = open("x.kymo", "rb").read().split(b"\0")
large = [i for i, packet in enumerate(stream) if packet[1:2] == b"\x8a"]
stream[large[3]] = stream[large[3]][:-1] + b"\x01"
open("cut.kymo", "wb").write(b"\0".join(stream))
END
    run 0 "$hostlink" convert cut.kymo --large things -o x.csv
    says '1 large thing did not arrive whole'
    [ "$(ls -A things)" = 0-2-text ] || fail "other files: $(ls -A things)"
    run 0 "$hostlink" info cut.kymo
    prints "$picture, [0-9]+ of 5000 bytes: the rest was lost"
}

test_captured() {
    "$board" 2>board.err | "$hostlink" - --no-tracy --large things -o x.kymo >out 2>err || fail "no capture"
    is_picture things/$picture
}

test_no_folder() {
    make_capture x.kymo
    touch things
    run 1 "$hostlink" convert x.kymo --large things -o x.csv
    says_only '^hostlink: things: cannot be written: Not a directory$'
    run 1 "$hostlink" convert x.kymo --large none/things
    says_only '^hostlink: none/things: cannot be written: No such file or directory; does its folder exist'
    [ ! -e x.csv ] || fail "an output before what is wrong was known"
}

test_"$3"
