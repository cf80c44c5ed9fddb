#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of how hostlink finds boards, and finds them again. The machine's serial ports are a tree of files in the form
# of Linux's sysfs, their devices pseudo-terminals.
# Usage: find.sh HOSTLINK BOARD NET_BOARD TEST
net_board=$(realpath "$3")
. "$(dirname "$0")/helpers.sh"
export HOSTLINK_ROOT=$folder/root
# Its own for each test that may run beside this one.
export HOSTLINK_BEACON_PORT=$((20000 + $$ % 20000))
sys=$HOSTLINK_ROOT/sys
mkdir -p "$sys/class/tty" "$HOSTLINK_ROOT/dev"

# plug NAME LOCATION DEVICE VENDOR:PRODUCT SERIAL PRODUCT_NAME [INTERFACE_NAME [MAKER]]: a serial device on USB.
plug() {
    local usb=$sys/devices/usb1/$2 interface=$sys/devices/usb1/$2/$2:1.0
    mkdir -p "$interface" "$sys/class/tty/$1" "$sys/bus/usb/drivers/cdc_acm"
    echo "${4%:*}" >"$usb/idVendor"
    echo "${4#*:}" >"$usb/idProduct"
    [ -n "$5" ] && echo "$5" >"$usb/serial"
    printf '%b\n' "$6" >"$usb/product"
    [ -n "${8-}" ] && echo "$8" >"$usb/manufacturer"
    [ -n "${7-}" ] && echo "$7" >"$interface/interface"
    echo 00 >"$interface/bInterfaceNumber"
    ln -sfn "$sys/bus/usb/drivers/cdc_acm" "$interface/driver"
    ln -sfn "$interface" "$sys/class/tty/$1/device"
    ln -sfn "$3" "$HOSTLINK_ROOT/dev/$1"
}
# unplug NAME LOCATION
unplug() { rm -rf "$sys/class/tty/$1" "$sys/devices/usb1/$2" "$HOSTLINK_ROOT/dev/$1"; }
# builtin_port NAME TYPE: a port of the machine itself.
builtin_port() {
    mkdir -p "$sys/devices/platform/serial8250" "$sys/class/tty/$1"
    echo "$2" >"$sys/class/tty/$1/type"
    ln -sfn "$sys/devices/platform/serial8250" "$sys/class/tty/$1/device"
}
announce() {
    python3 -B "$top/tests/cli/announce.py" "$HOSTLINK_BEACON_PORT" "$@" >announced &
    pids+=($!)
    await test -s announced
    rm announced
}
make_ports() {
    plug ttyACM10 1-2 /dev/null 1209:0001 E661 "kymo board" "kymo trace" kymo
    plug ttyACM2 1-3.1 /dev/null 2e8a:000a 77 "Pico" "Kymo trace"
    plug ttyUSB0 1-4 /dev/null 0403:6001 "" "FT232R \033[2JUART" "" "FTDI, not kymo"
    builtin_port ttyS0 4
    builtin_port ttyS1 0
    mkdir -p "$sys/class/tty/tty0"
}

test_list() {
    make_ports
    run 0 "$hostlink" list --no-network
    sed "s|$HOSTLINK_ROOT||" out >short
    cut -c1-25 short | sed 's/ *$//' >columns
    diff - <(sed -E 's|[^ ]*/dev|/dev|; s/  +/  /g' out) <<'END' || fail "another table"
source  kind  id  serial  name
/dev/ttyACM2  kymo  2e8a:000a  77  Pico, Kymo trace (cdc_acm)
/dev/ttyACM10  kymo  1209:0001  E661  kymo, kymo board, kymo trace (cdc_acm)
/dev/ttyUSB0  usb  0403:6001  -  FTDI, not kymo, FT232R ?[2JUART (cdc_acm)
/dev/ttyS0  port  -  -  -
END
    [ ! -s err ] || fail "something was said"
    run 0 "$hostlink" list --no-network --json
    python3 - out <<'END' || fail "wrong JSON"
import json, sys
ports = json.load(open(sys.argv[1]))
assert [port["kind"] for port in ports] == ["kymo", "kymo", "usb", "port"], ports
assert ports[1]["serial"] == "E661" and ports[1]["id"] == "1209:0001" and ports[1]["source"].endswith("/dev/ttyACM10")
assert ports[3]["name"] == "" and set(ports[3]) == {"source", "kind", "id", "serial", "name"}
END
}

test_list_nothing() {
    run 4 "$hostlink" list --listen 0.2
    says_only 'no serial port is here, and no board announced itself'
    [ ! -s out ] || fail "a table of nothing"
    run 4 "$hostlink" list --no-network --json
    [ "$(cat out)" = "[]" ] || fail "not an empty array"
    run 2 "$hostlink" list /dev/ttyUSB0
    says_only "takes no argument"
}

# Attributes without an end, of any bytes, links in a circle, a device that goes while it is looked at.
test_list_hostile() {
    plug ttyACM0 1-1 /dev/null 1209:0001 "$(head -c 5000 /dev/zero | tr '\0' 9)" "$(head -c 3000 /dev/urandom | base64 -w0)"
    head -c 4000 /dev/urandom >"$sys/devices/usb1/1-1/manufacturer"
    : >"$sys/devices/usb1/1-1/idProduct"
    mkdir -p "$sys/class/tty/ttyACM1" "$sys/class/tty/ttyACM2"
    ln -s device "$sys/class/tty/ttyACM1/device"
    ln -s nowhere "$sys/class/tty/ttyACM2/device"
    mkdir -p "$sys/class/tty/ttyACM3/device/serial" "$sys/class/tty/ttyACM3/device/idVendor"
    run 0 "$hostlink" list --no-network
    [ "$(wc -l <out)" -eq 3 ] || fail "not two ports"
    prints 'ttyACM0 +usb +1209:0000 +9{95} '
    ! LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f\x7f]' out || fail "control characters are printed"
    for i in {0..99}; do builtin_port ttyS$i 4; done
    run 0 "$hostlink" list --no-network
    [ "$(wc -l <out)" -eq 65 ] || fail "not as many ports as there is room for"
}

# lists NUMBER: so many boards were heard.
lists() { "$hostlink" list --listen 1.5 >out 2>err && [ "$(wc -l <out)" -gt "$1" ]; }

test_list_network() {
    announce 7001 "the board"
    announce hostile
    await lists 2
    prints '^tcp:127.0.0.1:7001 +network +02:00:00:00:00:07 +- +the board$'
    prints '^tcp:127.0.0.1:7000 +network +00:00:00:00:00:00 +- +\?\[2Jred\?$'
    [ "$(wc -l <out)" -eq 3 ] || fail "what is no announcement is taken for one"
}

test_list_many() {
    announce many
    await lists 32
    [ "$(wc -l <out)" -eq 33 ] || fail "not as many boards as there is room for"
    [ -z "$(sort out | uniq -d)" ] || fail "a board is listed twice"
}

test_alone_usb() {
    start_board -n 100 -k
    plug ttyACM0 1-2 "$device" 1209:0001 E661 "kymo board"
    plug ttyUSB0 1-4 /dev/null 0403:6001 A5 "FT232R"
    run 0 "$hostlink" -o x.kymo --no-tracy
    says 'from .*/dev/ttyACM0, the only board here: kymo board'
    counts 100
}

test_alone_adapter() {
    start_board -n 100 -k
    builtin_port ttyS0 4
    plug ttyUSB0 1-4 "$device" 0403:6001 A5 "FT232R"
    run 0 "$hostlink" -o x.kymo --no-tracy
    says 'from .*/dev/ttyUSB0, the only USB serial device here: FT232R'
    counts 100
}

# hostlink ends if it hears nothing for some seconds; then this starts it again.
begins_alone() {
    kill -0 "${hostlink_pid-}" 2>/dev/null || start_hostlink -o x.kymo --no-tracy
    has_said "from tcp:127.0.0.1:$port, the only board here: the board"
}

test_alone_network() {
    start_net "$net_board"
    announce "$port" "the board"
    await begins_alone
    await bigger_than x.kymo 5000
    end_net
    end_hostlink 0
    prints "^events: emitted $emitted "
}

asks_which() {
    rm -f ./*.kymo
    "$hostlink" >out 2>err
    [ $? -eq 2 ]
}

test_not_alone() {
    builtin_port ttyS0 4
    run 3 "$hostlink"
    says_only 'no board found.*name a source'
    plug ttyACM0 1-2 /dev/null 1209:0001 E661 "kymo board"
    announce 7001 "another board"
    await asks_which
    says 'several are here; choose one:'
    says 'ttyACM0 +kymo '
    says 'tcp:127.0.0.1:7001 +network '
    ! grep -q ttyS0 err || fail "what is no board is offered"
    [ -z "$(ls ./*.kymo 2>/dev/null)" ] || fail "a capture file was left"
}

# Unplugged, and plugged in again where it has another name; another device has taken its own.
test_replug() {
    start_board -n 0
    first=$board_pid
    plug ttyACM0 1-2 "$device" 1209:0001 E661 "kymo board"
    start_hostlink "$HOSTLINK_ROOT/dev/ttyACM0" -o x.kymo --no-tracy
    await bigger_than x.kymo 5000
    unplug ttyACM0 1-2
    kill -9 "$first"
    await has_said '/dev/ttyACM0 is gone: waiting for it to come back'
    start_board -n 0
    plug ttyACM0 1-9 "$device" 1209:0001 E662 "kymo board"
    sleep 0.6
    ! has_said 'is back' || fail "another board was taken for the first"
    rm device
    start_board -n 500 -k
    plug ttyACM1 1-3 "$device" 1209:0001 E661 "kymo board"
    end_hostlink 0
    says '/dev/ttyACM0 is back: .*/dev/ttyACM1$'
    says 'the board was reset: a new session begins'
    run 0 "$hostlink" info x.kymo
    prints '^sessions +2$'
    run 0 "$hostlink" stats x.kymo
    # All of the second session, and of the first as much as had come; nothing is counted twice.
    awk '/^events:/ { exit !($3 == $5 + $7 && $5 > 5000 + 1000 && $7 == 0) }' out || fail "wrong sum"
    "$hostlink" convert x.kymo -q -o y.json
    python3 - y.json <<'END' || fail "not all of the second session"
import json, sys
messages = [event["name"] for event in json.load(open(sys.argv[1]))["traceEvents"] if event["name"].startswith("round ")]
second = messages[len(messages) - 1 - messages[::-1].index("round 0"):]
assert second == [f"round {i}" for i in range(500)], (len(messages), second[:3], second[-3:])
END
}

# Without a serial number only a board on the same socket is accepted.
test_replug_nameless() {
    start_board -n 0
    plug ttyACM0 1-2 "$device" 1209:0001 "" "kymo board"
    start_hostlink "$HOSTLINK_ROOT/dev/ttyACM0" -o x.kymo --no-tracy
    await bigger_than x.kymo 5000
    unplug ttyACM0 1-2
    kill -9 $board_pid
    await has_said 'is gone: waiting'
    rm device
    start_board -n 100 -k
    plug ttyACM5 1-3 "$device" 1209:0001 "" "kymo board"
    sleep 0.6
    ! has_said 'is back' || fail "any board was taken for the first"
    unplug ttyACM5 1-3
    plug ttyACM1 1-2 "$device" 1209:0001 "" "kymo board"
    end_hostlink 0
    says 'ttyACM0 is back: .*ttyACM1'
}

test_unplug() {
    local option
    # On a busy machine six seconds may be over before the board is unplugged.
    for option in --no-reconnect --duration=6 --duration=60; do
        start_board -n 0
        plug ttyACM0 1-2 "$device" 1209:0001 E661 "kymo board"
        rm -f x.kymo device
        start_hostlink "$HOSTLINK_ROOT/dev/ttyACM0" -o x.kymo --no-tracy $option
        await bigger_than x.kymo 3000
        unplug ttyACM0 1-2
        kill -9 $board_pid
        case $option in --no-reconnect) end_hostlink 5 ;; *) end_hostlink 0 ;; esac
        prints '^inner '
        ! has_said 'is gone: waiting' || break
    done
    says 'is gone: waiting'
    says 'the requested duration has passed'
    # A signal ends the waiting.
    start_board -n 0
    plug ttyACM0 1-2 "$device" 1209:0001 E661 "kymo board"
    start_hostlink "$HOSTLINK_ROOT/dev/ttyACM0" -o z.kymo --no-tracy
    await bigger_than z.kymo 3000
    unplug ttyACM0 1-2
    kill -9 $board_pid
    await has_said 'is gone: waiting'
    kill -TERM $hostlink_pid
    end_hostlink 0
    prints '^inner '
}

# The board runs on while its line is cut in the middle of a packet: one session, and the missing events are counted.
test_cut_line() {
    start_net "$net_board"
    python3 -B "$top/tests/cli/cut.py" line "$port" 6543 0.5 &
    pids+=($!)
    await test -S line
    start_hostlink unix:line -o x.kymo --no-tracy --reconnect
    await has_said 'unix:line is gone: waiting'
    await has_said 'unix:line is back$'
    end_net
    end_hostlink 0
    prints "^events: emitted $emitted delivered [0-9]+ lost [1-9]"
    run 0 "$hostlink" info x.kymo
    prints '^sessions +1$'
}

# Half a packet before the cut does not spoil the whole one after it.
test_half_packet() {
    python3 -B "$top/tests/cli/half_packet.py" line &
    pids+=($!)
    await test -S line
    run 0 "$hostlink" unix:line -o x.kymo --no-tracy --reconnect --duration 600
    says 'is back'
    says 'the board has finished'
}

test_restart() {
    start_net "$net_board"
    start_hostlink "tcp:127.0.0.1:$port" -o x.kymo --no-tracy --reconnect
    await bigger_than x.kymo 5000
    kill -9 $board_pid
    await has_said 'is gone: waiting'
    start_net "$net_board" -p "$port"
    await has_said "tcp:127.0.0.1:$port is back"
    await has_said 'a new session begins'
    end_net
    end_hostlink 0
    says 'a new session begins'
    says 'the board was reset: the trace has 2 sessions'
    run 0 "$hostlink" info x.kymo
    prints '^sessions +2$'
    # A capture without --reconnect ends with the connection.
    start_net "$net_board"
    start_hostlink "tcp://127.0.0.1:$port/" -o y.kymo --no-tracy
    await bigger_than y.kymo 5000
    kill -9 $board_pid
    end_hostlink 0
    says 'the stream ended'
    says 'no final status came from the board'
}

test_tcp_errors() {
    run 3 "$hostlink" --no-reconnect tcp:127.0.0.1:1
    says_only 'cannot connect to 127.0.0.1, port 1: Connection refused: .*nothing listens on this port'
    for name in tcp:127.0.0.1 tcp://127.0.0.1 tcp://127.0.0.1/ tcp:127.0.0.1:6996; do
        run 3 "$hostlink" --no-reconnect $name
        says_only 'cannot connect to 127.0.0.1, port 6996: '
    done
    for name in 'tcp:[::1]:1' 'tcp://[::1]:1'; do
        run 3 "$hostlink" --no-reconnect "$name"
        says_only 'cannot connect to ::1, port 1: '
    done
    run 3 "$hostlink" --no-reconnect tcp:::1
    says_only 'cannot connect to ::1, port 6996: '
    for name in tcp: tcp:: tcp:host: tcp://host: 'tcp:[::1' 'tcp:[]:1' 'tcp:[::1]1' 'tcp:[::1]:' "tcp:$(head -c 400 /dev/zero | tr '\0' h)"; do
        run 3 "$hostlink" "$name"
        says_only 'write tcp:HOST:PORT'
    done
    run 3 "$hostlink" tcp:127.0.0.1:nonsense
    says_only "cannot look up '127.0.0.1', port 'nonsense': [A-Za-z' ]{12}"
}

"test_$4" && echo "passed"
