# SPDX-License-Identifier: MIT
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

SECONDS_MAX = 900
TRIALS = 10
wrong = []
started = []


class TooLate(Exception):
    """The demo was over before the host had done what it wanted to do in the middle: nobody's fault."""


def expect(what, holds):
    if not holds:
        wrong.append(what)


def listens(path):
    """A unix socket's file is there before it listens: the flag __SO_ACCEPTCON."""
    lines = pathlib.Path("/proc/net/unix").read_text().splitlines()
    return any(line.split()[3] == "00010000" and line.endswith(f" {path}") for line in lines)


def wait_until(condition):
    deadline = time.monotonic() + SECONDS_MAX
    while not condition():
        if time.monotonic() > deadline:
            sys.exit("\n".join(wrong + ["waited in vain"]))
        time.sleep(0.02)


class Board:
    """QEMU with the image; its serial port and its monitor are unix sockets. It stands still at first."""

    def __init__(self, build, folder):
        self.uart = folder / "uart"
        self.image = build / "firmware.elf"
        monitor = folder / "monitor"
        self.process = subprocess.Popen(
            ["qemu-system-riscv64", "-M", "virt", "-smp", "2", "-bios", "none", "-display", "none", "-S",
             "-serial", f"unix:{self.uart},server=on,wait=off",
             "-monitor", f"unix:{monitor},server=on,wait=off", "-kernel", self.image],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        started.append(self.process)
        wait_until(lambda: listens(self.uart) and listens(monitor))
        self.monitor = socket.socket(socket.AF_UNIX)
        self.monitor.connect(str(monitor))
        self.answer()

    def answer(self):
        text = b""
        while not text.endswith(b"(qemu) "):
            piece = self.monitor.recv(4096)
            if not piece:
                raise TooLate
            text += piece
        return text.decode()

    def order(self, command):
        try:
            self.monitor.sendall(command.encode() + b"\n")
            return self.answer()
        except OSError as error:
            raise TooLate from error

    def word(self, symbol):
        lines = subprocess.run(["riscv64-unknown-elf-nm", self.image], check=True, capture_output=True, text=True).stdout
        address = re.search(rf"^([0-9a-f]+) . {symbol}$", lines, re.M).group(1)
        return lambda: int(re.search(r": 0x([0-9a-f]{8})", self.order(f"xp /1wx 0x{address}")).group(1), 16)

    def run_until(self, condition):
        """Runs until then, and stands still."""
        self.order("cont")
        wait_until(condition)
        self.order("stop")

    def run_images(self, count):
        done = self.word("images_done")
        last = done() + count
        self.run_until(lambda: done() >= last)

    def wait_for_host(self):
        wait_until(lambda: "disconnected" not in next(
            line for line in self.order("info chardev").splitlines() if line.startswith("serial0")))

    def end(self):
        self.monitor.close()
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
        started.append(self.process)
        board.wait_for_host()

    def has(self, count):
        return self.file.exists() and self.file.stat().st_size >= count

    def end(self, status=0):
        text, _ = self.process.communicate(timeout=SECONDS_MAX)
        self.text = text
        expect(f"hostlink ends with {status}: {text[-300:]}", self.process.returncode == status)
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
    board.run_images(20)
    capture = Capture(hostlink, board, folder)
    board.order("cont")
    capture.end()
    board.end()
    expect("late: what the board printed", capture.emitted == capture.printed)
    expect("late: some was missed, the rest was not", 0 < capture.lost < capture.emitted)
    expect("late: all names", "0 used without" in capture.info)
    expect("late: lost before the capture", f"{capture.lost} before the capture began" in capture.info)


def out_and_in(build, hostlink, folder):
    board = Board(build, folder)
    first = Capture(hostlink, board, folder)
    board.run_until(lambda: first.has(20000))
    first.process.terminate()
    first.end()
    board.run_images(10)
    second = Capture(hostlink, board, folder)
    board.order("cont")
    second.end()
    board.end()
    expect("cable: the first part has events", first.delivered > 0)
    expect("cable: the second part is what the board printed", second.emitted == second.printed)
    expect("cable: the second part has all names", "0 used without" in second.info)


def reset(build, hostlink, folder):
    board = Board(build, folder)
    capture = Capture(hostlink, board, folder)
    board.run_until(lambda: capture.has(20000))
    board.order("system_reset")
    board.order("cont")
    capture.end()
    board.end()
    expect("reset: two sessions", "sessions 2" in capture.info)
    expect("reset: the whole second run and some of the first", capture.emitted > (capture.printed or 1 << 40))


def parameter(build, hostlink, folder):
    board = Board(build, folder)
    capture = Capture(hostlink, board, folder, "--set", "sensor.plot_every=10", "--set", "nothing=1")
    plot_every = board.word("plot_every_param")
    board.run_until(lambda: plot_every() == 10)
    if board.word("images_done")() > 60:
        raise TooLate
    board.order("cont")
    capture.end(6)
    board.end()
    steps = [int(n) for n in re.findall(r"demo: plots .* filtered (\d+)", capture.text)]
    expect("parameter: fewer steps are plotted than there are", steps and 128 <= steps[0] < 1280)
    expect("parameter: one that the board has not", "nothing: the board reported no parameter" in capture.text)
    expect("parameter: the other", "sensor.plot_every:" not in capture.text)
    expect("parameter: what the board printed", capture.emitted == capture.printed)


def trial(case, build, hostlink):
    """False: it came too late."""
    with tempfile.TemporaryDirectory(prefix="kymo.") as folder:
        try:
            case(build, hostlink, pathlib.Path(folder))
        except TooLate:
            return False
        finally:
            for process in started:
                process.kill()
    return True


def main():
    build, hostlink = pathlib.Path(sys.argv[1]), sys.argv[2]
    for case in (late, out_and_in, reset, parameter):
        if not any(trial(case, build, hostlink) for _ in range(TRIALS)):
            wrong.append(f"{case.__name__}: always too late")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
