# SPDX-License-Identifier: MIT
# Run in the Linux guest of replug.sh.
port=/dev/ttyACM0

# wait_for COMMAND ...
wait_for() {
    local tries=4800
    until "$@"; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || { echo "in vain: $*"; dmesg | tail -n 30; exit 1; }
        usleep 50000
    done
}

has_bytes() { [ "$(stat -c %s /out/demo.kymo 2>/dev/null || echo 0)" -gt "$1" ]; }
is_gone() { [ ! -e /sys/class/tty/ttyACM0 ]; }

stty -F /dev/ttyS2 raw
wait_for test -c $port
ip link set lo up
hostlink $port -o /out/demo.kymo >/out/capture.out 2>/out/capture.err &
wait_for has_bytes 8192
echo unplug >/dev/ttyS2
wait_for is_gone
echo plug >/dev/ttyS2
wait $!
status=$?
dmesg | grep -c 'ttyACM.: USB ACM device' >/out/plugged
exit $status
