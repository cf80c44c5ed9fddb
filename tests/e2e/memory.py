"""Saves a board's memory at the end of its demo, before it has sent anything, and lets it go on.

Usage: memory.py BUILD SOCKET OUT [reset]: SOCKET is the gdb stub of the emulator that runs BUILD/firmware.elf; OUT/ram.bin
becomes the RAM as bytes, OUT/core an ELF core file of it. Leaves the board when it has sent the rest. With "reset" it
is reset in between, and sends only then.
"""
import pathlib
import subprocess
import sys

from gdbstub import Stub

RAM = 0x80000000


def symbols(image):
    lines = subprocess.run(["riscv64-unknown-elf-nm", image], check=True, capture_output=True, text=True).stdout
    return {words[2]: int(words[0], 16) for words in map(str.split, lines.splitlines()) if len(words) == 3}


def main():
    build, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[3]).resolve()
    symbol = symbols(build / "firmware.elf")
    board = Stub(sys.argv[2])
    board.run_to(symbol["kymo_print"])
    print(board.monitor(f'pmemsave {RAM} {symbol["__memory_end"] - RAM} "{out}/ram.bin"'), end="")
    print(board.monitor(f"dump-guest-memory {out}/core"), end="")
    if "reset" in sys.argv:
        print(board.monitor("system_reset"), end="")
        board.run_to(symbol["kymo_init"])
    board.store(symbol["link_gate"], 1)
    board.go()
    try:
        board.receive()
    except EOFError:
        pass


sys.dont_write_bytecode = True
main()
