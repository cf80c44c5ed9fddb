# SPDX-License-Identifier: MIT
# Runs in the Linux guest of linux.sh: a user's work with a serial port on USB. "pattern" is bytes_main.c's.
port=/dev/ttyACM0

die() {
    echo "$1"
    dmesg | tail -n 40
    exit 1
}

# wait_for COMMAND ...: as long as it may take on the slowest machine.
wait_for() {
    local tries=4800
    until "$@"; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || die "in vain: $*"
        usleep 50000
    done
}

has_packet() { [ "$(stat -c %s /received)" = 64 ]; }
is_gone() { [ ! -c $port ]; }

open_port() {
    wait_for test -c $port
    stty -F $port raw -echo || die "cannot set the port up"
    exec 3<>$port || die "cannot open the port"
}

# expect LINE ANSWER: sends the device a line, and compares the answer.
expect() {
    printf '%s\n' "$1" >&3
    answer
    [ "$line" = "$2" ] || die "'$1' was answered by '$line'"
}

answer() { IFS= read -r -t 240 line <&3 || die "no answer"; }

# The second time one full packet, which the host does not hand out before an empty one or more of them come.
from_device() {
    echo "source 64000" >&3
    head -c 64000 <&3 >/received
    cmp /received /bin/pattern || die "what came is not the pattern"
    echo "source 64" >&3
    head -c 64 <&3 >/received &
    wait_for has_packet
    wait $!
}

to_device() {
    echo "sink 64000" >&3
    cat /bin/pattern >&3
    answer
    [ "$line" = right ] || die "the device says: $line"
}

suspends() {
    echo state >&3
    answer
    echo "$line" >&2
    [ "${line#*, }" = "lost 0" ] || die "the device says: $line"
    line=${line#suspends }
    suspended=${line%%,*}
}

stty -F /dev/ttyS2 raw
open_port
from_device
to_device

for i in 1 2 3; do
    exec 3>&-
    open_port
    expect "sink 0" right
done

# Nobody has it open, and Linux lets it sleep.
suspends
before=$suspended
exec 3>&-
device=$(readlink -f /sys/class/tty/ttyACM0/device/..)
echo 0 >"$device/power/autosuspend_delay_ms"
echo auto >"$device/power/control"
# A bus is suspended when it has been quiet for a while: seen from here, sooner or later.
was_suspended() {
    wait_for grep -q suspended "$device/power/runtime_status"
    sleep 1
    open_port
    suspends
    [ "$suspended" -gt "$before" ] || { exec 3>&-; false; }
}
wait_for was_suspended
from_device

# The cable is pulled out while the port is open, and put in again.
echo unplug >/dev/ttyS2
wait_for is_gone
exec 3>&-
echo plug >/dev/ttyS2
open_port
from_device
to_device

# The device leaves the bus by itself.
echo replug >&3
wait_for is_gone
exec 3>&-
open_port
to_device
from_device
exit 0
