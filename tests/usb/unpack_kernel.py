#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes the kernel itself out of its compressed image: unpack_kernel.py VMLINUZ VMLINUX

An emulated processor needs about ten seconds to unpack it, this one.
"""
import lzma
import pathlib
import sys

XZ_MAGIC = b"\xfd7zXZ\x00"  # "The .xz File Format", section 2.1.1.1
ELF_MAGIC = b"\x7fELF"


def unpack(image):
    start = image.find(XZ_MAGIC)
    while start >= 0:
        kernel = lzma.LZMADecompressor().decompress(image[start:])
        if kernel.startswith(ELF_MAGIC):
            return kernel
        start = image.find(XZ_MAGIC, start + 1)
    sys.exit("unpack_kernel.py: no ELF file packed by xz in the image")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    source, target = map(pathlib.Path, sys.argv[1:])
    target.write_bytes(unpack(source.read_bytes()))


main()
