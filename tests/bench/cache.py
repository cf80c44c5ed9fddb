# SPDX-License-Identifier: MIT
"""Prints what the recorder's code asks of a direct-mapped instruction cache of 4 KB with lines of 32 bytes, for each
program of tests/bench/mixes/main.c: "LOADED BYTES", the lines loaded in all, and the size of the lines that at least
every other call of kymo_drain() executes. Reads QEMU's log of executed code (-d in_asm,exec,nochain).
Usage: cache.py NM'S-OUTPUT <LOG"""

import re
import sys
from collections import Counter

LINE, LINES = 32, 4096 // 32
# Functions of the bench itself; all others are the recorder's.
OWN = re.compile(r"_(recorded|alone)$|^(main|times|pass|any|measure_mix|line_write|instructions|drain_all|"
                 r"drain_to_the_end|print_\w+|put_char|call_host|check|machine_\w+|start|_start)$")


def read_functions(path):
    """(address, name) of each function, by address."""
    with open(path, encoding="ascii") as symbols:
        fields = [line.split() for line in symbols]
    return sorted((int(at, 16) & ~1, name) for at, kind, name in fields if kind in "tTwW" and name[0] != "$")


def read_blocks(log):
    """(address, lines) of each block that is executed, in order."""
    blocks, block, by_text = {}, None, {}
    for text in log:
        if text.startswith("Trace"):
            word = text.split("/", 2)[1]
            if word not in by_text:
                by_text[word] = int(word, 16), blocks[int(word, 16)]
            yield by_text[word]
        elif text.startswith("0x"):
            at = int(text[: text.index(":")], 16)
            if block is None:
                block = blocks[at] = []
                by_text.clear()
            if at // LINE not in block:
                block.append(at // LINE)
        elif text.startswith("IN:"):
            block = None


def main():
    functions = read_functions(sys.argv[1])
    address = {name: at for at, name in functions}
    recorder = set()
    for (at, name), (end, _) in zip(functions, functions[1:]):
        if not OWN.search(name):
            recorder.update(range(at // LINE, (end - 1) // LINE + 1))
    cache, programs = [None] * LINES, []
    calls, used, loaded = 0, Counter(), 0
    begin, drain = address["measure_mix"], address["kymo_drain"]
    for at, lines in read_blocks(sys.stdin):
        if at == begin:
            calls, used, loaded = 0, Counter(), 0
            programs.append(None)
        calls += at == drain
        for line in lines:
            if line in recorder:
                used[line] += 1
                loaded += cache[line % LINES] != line
            cache[line % LINES] = line
        if programs:
            programs[-1] = calls, used, loaded
    for calls, used, loaded in programs:
        print(loaded, LINE * sum(2 * count >= calls for count in used.values()))


main()
