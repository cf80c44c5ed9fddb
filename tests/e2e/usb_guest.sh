# SPDX-License-Identifier: MIT
# Run in the Linux guest of usb.sh: captures the board that is plugged in, until it goes. Ends with hostlink's
# status, or 10 if there is no board.
port=/dev/ttyACM0
tries=0
until [ -c $port ]; do
    tries=$((tries + 1))
    [ $tries -lt 4800 ] || { dmesg | tail -n 30; exit 10; }
    usleep 50000
done
for part in manufacturer product serial; do
    cat /sys/class/tty/ttyACM0/device/../$part
done >/out/device
ip link set lo up

# The guest has serial ports of its own, too.
hostlink list --no-network >/out/list
hostlink -o /out/demo.kymo >/out/capture.out 2>/out/capture.err &
# It may wait for the board to come back.
while [ -c $port ] && kill -0 $! 2>/dev/null; do
    usleep 50000
done
kill -0 $! 2>/dev/null && sleep 1
kill $! 2>/dev/null
wait $!
