# SPDX-License-Identifier: MIT
"""The machine code that a Tracy viewer got of a board's functions, held against the image.

Usage: code.py IMAGE VIEWED: an ELF file, and what tests' viewer printed. Exit status 1 and a line for each thing that is
wrong.
"""
import pathlib
import re
import struct
import sys

# By e_machine: the number that the welcome must have, and whether there is code. Cortex-M has Thumb code only, which
# viewers would take apart as A32; of RISC-V they know nothing.
CPU = {3: 1, 62: 2, 40: 3, 183: 4}


class Image:
    def __init__(self, path):
        self.data = path.read_bytes()
        self.wide = self.data[4] == 2
        self.machine, = struct.unpack_from("<H", self.data, 18)
        place = "<QQ" if self.wide else "<II"
        self.segments_at, self.sections_at = struct.unpack_from(place, self.data, 32 if self.wide else 28)
        self.sections = [self.section(i) for i in range(struct.unpack_from("<H", self.data, 60 if self.wide else 48)[0])]
        self.names = {}
        for kind, _, offset, size, link in self.sections:
            for at in range(offset, offset + size if kind == 2 else offset, 24 if self.wide else 16):
                self.symbol(at, self.sections[link][2])

    def section(self, index):
        if self.wide:
            _, kind, _, address, offset, size, link = struct.unpack_from("<IIQQQQI", self.data, self.sections_at + 64 * index)
        else:
            _, kind, _, address, offset, size, link = struct.unpack_from("<IIIIIII", self.data, self.sections_at + 40 * index)
        return kind, address, offset, size, link

    def symbol(self, at, strings):
        if self.wide:
            name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", self.data, at)
        else:
            name, value, size, info, _, section = struct.unpack_from("<IIIBBH", self.data, at)
        if info & 15 in (0, 2) and 0 < section < len(self.sections):
            end = self.data.index(b"\0", strings + name)
            _, address, offset, _, _ = self.sections[section]
            start = offset + (value & ~1 if self.machine == 40 else value) - address
            is_thumb = self.machine == 40 and value & 1 == 1
            # A copy that the compiler made has another name with a suffix after a dot, which a symbolizer leaves out.
            text = self.data[strings + name:end].decode().split(".")[0]
            self.names.setdefault(text, set()).add((start, size, is_thumb))

    def has(self, name, size, total):
        """The function, of that size if it says one: labels of assembly reach to the next one."""
        return any(not thumb and own_size in (0, size) and sum(self.data[start:start + size]) == total
                   for start, own_size, thumb in self.names.get(name, ()))


def main():
    image = Image(pathlib.Path(sys.argv[1]))
    text = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
    wrong = []
    cpu = re.findall(r"^cpu: (\d+)$", text, re.M)
    if cpu != [str(CPU.get(image.machine, 0))]:
        wrong.append(f"the welcome names processor {cpu}, of machine {image.machine}")
    functions = [function for same in image.names.values() for function in same if function[1] != 0]
    has_code = image.machine in CPU and not any(thumb for _, _, thumb in functions)
    seen = re.findall(r"^code: (\S+) (\d+) (\d+)$", text, re.M)
    for name, size, total in seen:
        if not image.has(name, int(size), int(total)):
            wrong.append(f"{name}: {size} bytes with the sum {total}, should be of {image.names.get(name)}")
    if (len(seen) >= 5) != has_code or (seen and not has_code):
        wrong.append(f"code of {len(seen)} functions of machine {image.machine}")
    for line in wrong:
        print(line)
    print(f"code of {len(seen)} functions, processor {cpu}")
    sys.exit(1 if wrong else 0)


main()
