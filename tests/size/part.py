# SPDX-License-Identifier: MIT
"""Bytes of code and constants that some sources have in a linked image.

Usage: part.py MAP SOURCE ...: the linker's map, and names of sources without folder and suffix.
"""
import re
import sys

wanted = set(sys.argv[2:])
total = 0
with open(sys.argv[1], encoding="utf-8") as file:
    kept = file.read().split("Linker script and memory map")[1]
# " .text.name  0xaddress  0xsize file", cut into two lines after a long name.
for size, name in re.findall(r"^ \.s?(?:text|rodata)\S*\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S+)$", kept, re.M):
    if re.split(r"[/-]", name)[-1].removesuffix(".o") in wanted:
        total += int(size, 16)
print(total)
