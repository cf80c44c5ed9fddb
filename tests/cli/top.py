#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One test of 'hostlink top' in a terminal that is played here. Usage: top.py HOSTLINK SCENE BOARD_GAIN TEST, where TEST is
one of the functions test_* below, SCENE the program of scene.c and BOARD_GAIN that of board.c with a parameter."""
import csv
import fcntl
import io
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

HOSTLINK, SCENE, BOARD = (os.path.abspath(path) for path in sys.argv[1:4])
PATIENCE_S = 600  # for what never comes, on the slowest machine


class Screen:
    """What a terminal shows of the control sequences that hostlink uses; any other is an error."""

    def __init__(self, rows, columns):
        self.modes, self.left = {25: True, 7: True, 1049: False}, b""
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns, self.at, self.is_whole = rows, columns, [0, 0], False
        self.is_late = True  # what was drawn for another size may come until all is erased
        self.grid = [[" "] * columns for _ in range(rows)]

    def feed(self, data):
        data = self.left + data
        self.left = b""
        while data:
            if data[0] == 0x1b:
                found = re.match(rb"\x1b\[(\??)([0-9;]*)([A-Za-z])", data)
                if not found:
                    assert re.fullmatch(rb"\x1b(\[\??[0-9;]*)?", data), data
                    self.left = data
                    return
                self.control(found.group(1), found.group(2).decode(), found.group(3))
                data = data[found.end():]
                continue
            length = 1 if data[0] < 0x80 else 2 if data[0] < 0xe0 else 3 if data[0] < 0xf0 else 4
            if len(data) < length:
                self.left = data
                return
            self.put(data[:length].decode())
            data = data[length:]

    def control(self, private, text, letter):
        numbers = [int(number or 0) for number in text.split(";")]
        if private:
            assert letter in b"hl" and numbers[0] in self.modes, (text, letter)
            self.modes[numbers[0]] = letter == b"h"
        elif letter == b"H":
            self.is_whole = not text  # the end of what is drawn at once
            self.at = [numbers[0] - 1, numbers[1] - 1] if len(numbers) > 1 else [0, 0]
        elif letter == b"K" and self.at[0] < self.rows:
            self.grid[self.at[0]][self.at[1]:] = [" "] * (self.columns - self.at[1])
        elif letter == b"J":
            assert numbers == [2]
            self.is_late = False
            self.grid = [[" "] * self.columns for _ in range(self.rows)]
        elif letter != b"K":
            assert letter == b"m" and numbers[0] in (0, 1, 7), (text, letter)

    def put(self, character):
        if character in "\r\n":  # what a shell would go on with
            return
        is_within = self.at[0] < self.rows and self.at[1] < self.columns
        assert character >= " " and (is_within or self.is_late), (character, self.at)
        if not is_within:
            return
        self.grid[self.at[0]][self.at[1]] = character
        self.at[1] += 1

    def lines(self):
        return ["".join(row).rstrip() for row in self.grid]

    def text(self):
        return "\n".join(self.lines())


class Terminal:
    def __init__(self, *arguments, rows=24, columns=80):
        self.screen = Screen(rows, columns)
        self.ours, self.theirs = pty.openpty()
        self.set_size(rows, columns)
        self.before = termios.tcgetattr(self.theirs)
        environment = dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8")
        self.child = subprocess.Popen([HOSTLINK, "top", *arguments], stdin=self.theirs, stdout=self.theirs,
                                      stderr=subprocess.PIPE, env=environment, start_new_session=True)

    def set_size(self, rows, columns):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows, columns):
        self.read(0)
        self.screen.resize(rows, columns)
        self.set_size(rows, columns)

    def read(self, seconds):
        if select.select([self.ours], [], [], seconds)[0]:
            self.screen.feed(os.read(self.ours, 65536))
            return True
        return False

    def wait(self, pattern):
        """Until the screen shows it."""
        end = time.monotonic() + PATIENCE_S
        while not self.screen.is_whole or not re.search(pattern, self.screen.text(), re.M):
            assert self.child.poll() is None and time.monotonic() < end, (pattern, self.screen.text())
            self.read(0.05)
        return self.screen.lines()

    def type(self, keys):
        os.write(self.ours, keys.encode())

    def end(self, status, keys="q"):
        self.type(keys)
        return self.ended(status)

    def ended(self, status):
        end = time.monotonic() + PATIENCE_S
        while self.child.poll() is None:
            assert time.monotonic() < end, "it goes on"
            self.read(0.05)
        while self.read(0):
            pass
        said = self.child.stderr.read().decode()
        assert self.child.returncode == status, (self.child.returncode, said)
        assert self.screen.modes == {25: True, 7: True, 1049: False}, self.screen.modes
        assert termios.tcgetattr(self.theirs) == self.before, "the terminal has other settings than before"
        return said


def scene(folder):
    path = os.path.join(folder, "x.kymo")
    with open(path, "wb") as file:
        subprocess.run([SCENE], stdout=file, check=True)
    return path


def table(path, *options):
    text = subprocess.run([HOSTLINK, "stats", "--csv", path, *options], capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def cells(line, name_columns):
    """A row: its name, and what follows by columns; times in ns."""
    found = re.findall(r"([0-9.]+) (ns|us|ms|s)\b|([0-9.]+)%|([0-9.]+)(?: ([kMG]))?", line[name_columns:])
    values = [float(time) * UNITS[unit] if time else float(percent or number) * {"k": 1e3, "M": 1e6, "G": 1e9, "": 1}[prefix]
              for time, unit, percent, number, prefix in found]
    return line[1:name_columns].strip(), values


def near(shown, true):
    """Three digits are shown."""
    assert abs(shown - true) <= 0.006 * abs(true) + 0.011, (shown, true)


def test_figures(folder):
    path = scene(folder)
    terminal = Terminal(path)
    terminal.wait(r"^ zones \(5\)")
    terminal.type("z")
    lines = terminal.wait(r"^ *\[o\]verview >\[z\]ones")
    rows = dict(cells(line, 27) for line in lines[5:10])
    wanted = table(path)
    assert len(rows) == len(wanted) == 5, rows
    own = [row["name"] for row in sorted(wanted, key=lambda row: -int(row["self_ns"]))]
    assert list(rows) == own, (list(rows), own)
    for row in wanted:
        _, self_ns, _, count, mean, most = rows[row["name"]]
        near(self_ns, int(row["self_ns"]))
        assert count == int(row["counts"]), row
        near(mean, int(row["total_ns"]) / int(row["counts"]))
        near(most, int(row["max_ns"]))
    terminal.type("r")
    lines = terminal.wait(r"^ rows \(4\) +cpu +run +per s +runs +each$")
    rows = dict(cells(line, 27) for line in lines[5:9])
    for row in table(path, "--tasks"):
        if row["task"] in rows:
            near(rows[row["task"]][0], float(row["run_percent"]))
            near(rows[row["task"]][1], int(row["run_ns"]))
            assert rows[row["task"]][3] == int(row["runs"]), row
    terminal.type("i")
    lines = terminal.wait(r"^ interrupts \(2\)")
    rows = dict(cells(line, 27) for line in lines[5:7])
    for row in table(path, "--interrupts"):
        near(rows[row["name"]][0], float(row["core_percent"]))
        near(rows[row["name"]][1], int(row["self_ns"]))
        near(rows[row["name"]][2], float(row["rate_hz"]))
        assert rows[row["name"]][3] == int(row["count"]), row
    terminal.type("p")
    lines = terminal.wait(r"^ plots \(2\)")
    rows = {line[1:21].strip(): line[21:].split() for line in lines[5:7]}
    for row in table(path, "--plots"):
        last, least, most, spark = rows[row["name"]]
        for shown, key in ((last, "last"), (least, "min"), (most, "max")):
            near(float(shown), float(row[key]))
        assert len(spark) >= 20 and "\u2581" in spark and "\u2588" in spark, spark
    terminal.end(0)


def test_keys(folder):
    path = scene(folder)
    terminal = Terminal(path)
    terminal.wait(r"^ zones \(5\)")
    terminal.type("z/PAR\r")
    lines = terminal.wait(r"^ zones \(1\)")
    assert lines[5].split()[0] == "parse" and not lines[6], lines
    terminal.type("\x1b")
    terminal.wait(r"^ zones \(5\)")
    terminal.type("ssss")  # by count, mean, max, name
    lines = terminal.wait(r"  by name  since")
    names = [line[1:27].strip() for line in lines[5:10]]
    assert names == sorted(names) and len(set(names)) == 5, names
    terminal.type("R")
    lines = terminal.wait(r"  by name, reversed  since")
    assert [line[1:27].strip() for line in lines[5:10]] == names[::-1]
    terminal.type("\x1b[B\x1b[Bjk")  # two down, and one down and up again
    terminal.wait(rf"(?s)^ zones \(5\).*?\n {names[2]} ")
    terminal.type("m")
    terminal.wait("nothing can be sent to this source")
    terminal.type("?")
    terminal.wait("q +end")
    for rows, columns in ((10, 40), (60, 200), (3, 20), (2, 1), (24, 80)):
        terminal.type("o")
        terminal.resize(rows, columns)
        terminal.wait(r"hostlink top" if columns > 13 else r"^")
        terminal.type("zp?o")
        terminal.wait(r"hostlink top" if columns > 13 else r"^")
    terminal.end(0)


def test_restores(folder):
    path = scene(folder)
    for number, status in ((signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGINT, 0), (signal.SIGQUIT, -signal.SIGQUIT),
                           (signal.SIGSEGV, -signal.SIGSEGV), (signal.SIGABRT, -signal.SIGABRT)):
        terminal = Terminal(path)
        terminal.wait(r"^ zones \(5\)")
        assert terminal.screen.modes == {25: False, 7: False, 1049: True}
        assert termios.tcgetattr(terminal.theirs) != terminal.before
        terminal.child.send_signal(number)
        terminal.ended(status)
    # Suspended, the terminal is the shell's; then it goes on.
    terminal = Terminal(path)
    terminal.wait(r"^ zones \(5\)")
    terminal.child.send_signal(signal.SIGTSTP)
    end = time.monotonic() + PATIENCE_S
    while terminal.screen.modes[1049] or termios.tcgetattr(terminal.theirs) != terminal.before:
        assert time.monotonic() < end
        terminal.read(0.05)
    terminal.screen.resize(24, 80)
    terminal.child.send_signal(signal.SIGCONT)
    terminal.wait(r"^ zones \(5\)")
    terminal.end(0)
    # Without a terminal, or in one that takes nothing.
    for term, output in (("xterm", subprocess.PIPE), ("dumb", None)):
        done = subprocess.run([HOSTLINK, "top", path], stdout=output or terminal.theirs, stderr=subprocess.PIPE, text=True,
                              env=dict(os.environ, TERM=term), check=False)
        assert done.returncode == 2 and "is no terminal that takes control sequences" in done.stderr, done


def start_board(*arguments):
    board = subprocess.Popen([BOARD, "-p", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return board, board.stdout.readline().decode().strip()


def test_live(folder):
    board, device = start_board("-n", "0")
    try:
        terminal = Terminal(device, "--interval", "0.2")
        terminal.wait(r"^ link [0-9.]+ k?B/s, [0-9]+ % of 115200 baud   [0-9.]+ k?ev/s")
        lines = terminal.wait(r"^ zones \(2\)")
        assert any(line.startswith(" inner ") for line in lines) and any(line.startswith(" level ") for line in lines), lines
        rows = dict(cells(line, 27) for line in lines if line.startswith((" inner ", " round ")))
        # Three in each round, each of a microsecond; a look may come within a round.
        assert abs(rows["inner"][3] - 3 * rows["round"][3]) <= 3, rows
        near(rows["inner"][4], 1000)
        terminal.wait(r"^ core 0 +100.00%")
        # A paused display does not change; then it does.
        terminal.type(" ")
        terminal.wait("PAUSED")
        terminal.type("z")
        terminal.type("a")
        paused = shown = terminal.wait(r">\[z\]ones")
        while shown[2] == paused[2]:  # events go on
            terminal.type("?")
            terminal.wait("q +end")
            terminal.type("z")
            shown = terminal.wait(r">\[z\]ones")
        assert shown[4:] == paused[4:], (shown, paused)
        terminal.type(" ")
        terminal.wait("since the start")
        # A parameter, out of its bounds and within.
        terminal.type("m")
        terminal.wait(r"^ gain +1 +0 +100$")
        terminal.type("\r101\r")
        terminal.wait("'101' is no whole number from 0 to 100")
        terminal.type("=7x\x7f\r")
        terminal.wait(r"^ gain +7 +0 +100$")
        terminal.type("S")
        terminal.wait("this board takes no samples")
        # The board disconnects: the last display stays.
        board.kill()
        terminal.wait("the source failed|the stream ended")
        terminal.type("z")
        terminal.wait(r"^ zones \(2\)")
        terminal.end(0)
    finally:
        board.kill()
    terminal = Terminal("/dev/zero", "--duration", "0.5")
    assert "'hostlink doctor /dev/zero' says why" in terminal.ended(4)


with tempfile.TemporaryDirectory() as place:
    globals()["test_" + sys.argv[4]](place)
