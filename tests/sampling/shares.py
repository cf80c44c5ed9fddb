# SPDX-License-Identifier: MIT
"""Instructions that each function of tests/sampling/program.c takes in a round, by the emulator's log of all that it
executes.

Usage: shares.py RUN SYMBOLS ARCH OUT: RUN boots the image, SYMBOLS is nm -S of it. Writes a line "function instructions"
each, of three rounds.
"""
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading

FUNCTIONS = ("half", "third", "tenth", "rest")
ROUND = "round_of_work"
ROUNDS = 3


def ranges_of(path, arch):
    """(start, end) by function; on Arm without the bit that says Thumb."""
    places = {}
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        words = line.split()
        if len(words) == 4 and words[3] in FUNCTIONS + (ROUND,):
            start = int(words[0], 16) & (~1 if arch in ("cortex-m", "armv7-a") else ~0)
            places[words[3]] = (start, start + int(words[1], 16))
    assert len(places) == len(FUNCTIONS) + 1, f"{path}: {sorted(places)}"
    return places


def serve(place):
    """Takes all that the board sends, as its port starts it only with a client."""
    client = socket.socket(socket.AF_UNIX if isinstance(place, str) else socket.AF_INET)
    for _ in range(18000):
        try:
            client.connect(place)
            break
        except OSError:
            threading.Event().wait(0.05)
    try:
        while client.recv(65536):
            pass
    except OSError:
        pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def logged(run, ranges):
    """The addresses of the instructions in these ranges, in the order in which they were executed."""
    with tempfile.TemporaryDirectory(prefix="kymo.") as folder:
        log = os.path.join(folder, "log")
        os.mkfifo(log)
        by_port = "# run PORT" in pathlib.Path(run).read_text(encoding="utf-8")
        port = free_port() if by_port else 0
        place = ("127.0.0.1", port) if by_port else os.path.join(folder, "uart")
        filters = ",".join(f"0x{start:x}..0x{end - 1:x}" for start, end in ranges)
        options = f"-icount shift=3,sleep=off -singlestep -d exec,nochain -dfilter {filters} -D {log}"
        with subprocess.Popen([run, str(port) if by_port else place], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True,
                              env=dict(os.environ, KYMO_RUN_OPTIONS=options)) as board:
            threading.Thread(target=serve, args=(place,), daemon=True).start()
            try:
                with open(log, encoding="utf-8", errors="replace") as lines:
                    for line in lines:
                        match = re.match(r"Trace \d+: 0x[0-9a-f]+ \[[0-9a-f]+/([0-9a-f]+)/", line)
                        if match:
                            yield int(match[1], 16)
            finally:
                os.killpg(board.pid, signal.SIGKILL)  # the emulator may be a child of it


def main():
    run, symbols, arch, out = sys.argv[1:]
    ranges = ranges_of(symbols, arch)
    counts = dict.fromkeys(FUNCTIONS, 0)
    rounds = 0
    for address in logged(run, ranges.values()):
        # Entered once a round: a return into it is after its first instruction.
        rounds += address == ranges[ROUND][0]
        if rounds > ROUNDS:
            break
        for function in FUNCTIONS if rounds else ():
            counts[function] += ranges[function][0] <= address < ranges[function][1]
    assert rounds > ROUNDS, f"{rounds} rounds in the log"
    with open(out, "w", encoding="utf-8") as file:
        for function, count in counts.items():
            file.write(f"{function} {count}\n")


if __name__ == "__main__":
    main()
