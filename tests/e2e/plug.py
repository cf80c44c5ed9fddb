"""A board that runs while hostlink comes late, goes, comes back; one that is reset; one with a parameter.

Usage: plug.py BUILD HOSTLINK, with BUILD/firmware.elf for QEMU's riscv64 virt machine. In each case hostlink
must end with 0, its sums must be exact and, where it saw the board's end, be those that the board printed.
Exit status 1 and a line for each thing that is wrong.
"""
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

SECONDS_MAX = 60
wrong = []


def expect(what, holds):
    if not holds:
        wrong.append(what)


def listens(path):
    """A unix socket's file is there before it listens: the flag __SO_ACCEPTCON."""
    lines = pathlib.Path("/proc/net/unix").read_text().splitlines()
    return any(line.split()[3] == "00010000" and line.endswith(f" {path}") for line in lines)


class Board:
    """QEMU with the image; its serial port and its monitor are unix sockets."""

    def __init__(self, build, folder):
        self.uart = folder / "uart"
        self.monitor = folder / "monitor"
        self.process = subprocess.Popen(
            ["qemu-system-riscv64", "-M", "virt", "-smp", "2", "-bios", "none", "-display", "none",
             "-serial", f"unix:{self.uart},server=on,wait=off",
             "-monitor", f"unix:{self.monitor},server=on,wait=off", "-kernel", build / "firmware.elf"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + SECONDS_MAX
        while not (listens(self.uart) and listens(self.monitor)) and time.monotonic() < deadline:
            time.sleep(0.02)

    def reset(self):
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.connect(str(self.monitor))
            monitor.recv(4096)
            monitor.sendall(b"system_reset\n")
            time.sleep(0.2)

    def end(self):
        try:
            expect("the firmware ends with 0", self.process.wait(SECONDS_MAX) == 0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            wrong.append("the firmware does not end")


class Capture:
    def __init__(self, hostlink, board, folder, *options):
        self.file = folder / f"{len(list(folder.iterdir()))}.kymo"
        self.hostlink = hostlink
        self.process = subprocess.Popen(
            [hostlink, f"unix:{board.uart}", "-q", "--no-tracy", "-o", self.file,
             "-o", self.file.with_suffix(".json"), *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def end(self):
        text, _ = self.process.communicate(timeout=SECONDS_MAX)
        self.text = text
        expect(f"hostlink ends with 0: {text[-300:]}", self.process.returncode == 0)
        found = re.findall(r"^events: emitted (\d+) delivered (\d+) lost (\d+)$", text, re.M)
        expect("one line of sums", len(found) == 1)
        self.emitted, self.delivered, self.lost = map(int, found[0]) if found else (0, 0, 0)
        expect("emitted = delivered + lost", self.emitted == self.delivered + self.lost)
        printed = re.findall(r"demo: emitted (\d+)", text)
        self.printed = int(printed[-1]) if printed else None
        info = subprocess.run([self.hostlink, "info", self.file], capture_output=True, text=True, check=False)
        expect("info ends with 0", info.returncode == 0)
        self.info = re.sub(r" +", " ", info.stdout)
        return self


def late(build, hostlink, folder):
    board = Board(build, folder)
    time.sleep(1.0)
    capture = Capture(hostlink, board, folder).end()
    board.end()
    expect("late: what the board printed", capture.emitted == capture.printed)
    expect("late: some was missed, the rest was not", 0 < capture.lost < capture.emitted)
    expect("late: all names", "0 used without" in capture.info)
    expect("late: lost before the capture", f"{capture.lost} before the capture began" in capture.info)


def out_and_in(build, hostlink, folder):
    board = Board(build, folder)
    first = Capture(hostlink, board, folder, "--duration", "0.8").end()
    time.sleep(0.3)
    second = Capture(hostlink, board, folder).end()
    board.end()
    expect("cable: the first part has events", first.delivered > 0)
    expect("cable: the second part is what the board printed", second.emitted == second.printed)
    expect("cable: the second part has all names", "0 used without" in second.info)


def reset(build, hostlink, folder):
    board = Board(build, folder)
    capture = Capture(hostlink, board, folder)
    time.sleep(1.0)
    board.reset()
    capture.end()
    board.end()
    expect("reset: two sessions", "sessions 2" in capture.info)
    expect("reset: the whole second run and some of the first", capture.emitted > (capture.printed or 1 << 40))


def parameter(build, hostlink, folder):
    board = Board(build, folder)
    capture = Capture(hostlink, board, folder, "--set", "sensor.plot_every=10", "--set", "nothing=1").end()
    board.end()
    steps = [int(n) for n in re.findall(r"demo: plots .* filtered (\d+)", capture.text)]
    expect("parameter: every step or every tenth is plotted", steps and 128 <= steps[0] < 1000)
    expect("parameter: one that the board has not", "nothing: the board told of no parameter" in capture.text)
    expect("parameter: the other", "sensor.plot_every:" not in capture.text)
    expect("parameter: what the board printed", capture.emitted == capture.printed)


def main():
    build, hostlink = pathlib.Path(sys.argv[1]), sys.argv[2]
    for case in (late, out_and_in, reset, parameter):
        with tempfile.TemporaryDirectory(prefix="kymo.") as folder:
            case(build, hostlink, pathlib.Path(folder))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
