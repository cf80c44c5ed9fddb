#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finishes an image for the RP2040: image.py FIRMWARE.elf

Puts the checksum of the flash second stage into the ELF file, and writes FIRMWARE.uf2 next to it.
"""
import pathlib
import struct
import sys

FLASH = 0x10000000
FLASH_BYTES = 2 << 20

# "RP2040 Datasheet", section 2.8.1.3.1: CRC-32 of the first 252 bytes, not reflected, not inverted at the end.
BOOT2_BYTES = 252
CRC_POLYNOMIAL = 0x04C11DB7

# "USB Flashing Format (UF2)", microsoft/uf2; "RP2040 Datasheet", section 2.8.4.2: pages of 256 bytes, aligned.
UF2_PAGE = 256
UF2_BLOCK = "<8I476sI"
UF2_MAGIC_START = (0x0A324655, 0x9E5D5157)
UF2_MAGIC_END = 0x0AB16F30
UF2_FAMILY_PRESENT = 0x2000
UF2_FAMILY_RP2040 = 0xE48BFF56


def crc32(data):
    remainder = 0xFFFFFFFF
    for byte in data:
        remainder ^= byte << 24
        for _ in range(8):
            remainder = remainder << 1 ^ (CRC_POLYNOMIAL if remainder & 0x80000000 else 0)
        remainder &= 0xFFFFFFFF
    return remainder


def segments(elf):
    """What is loaded: (address, offset in the file, length), in the order of the addresses."""
    if elf[:6] != b"\x7fELF\x01\x01":
        sys.exit("image.py: not a 32-bit little-endian ELF file")
    table, entry_bytes, entries = struct.unpack_from("<28xI10xHH", elf)
    found = []
    for entry in range(entries):
        kind, offset, _, address, length = struct.unpack_from("<5I", elf, table + entry * entry_bytes)
        if kind == 1 and length > 0:  # PT_LOAD
            found.append((address, offset, length))
    return sorted(found)


def flash_image(elf):
    """The bytes from the start of the flash to the end of the image."""
    image = bytearray()
    for address, offset, length in segments(elf):
        start = address - FLASH
        if not len(image) <= start <= FLASH_BYTES - length:
            sys.exit(f"image.py: {length} bytes at {address:#x} are outside of the flash or overlap others")
        image += bytes(start - len(image)) + elf[offset:offset + length]
    return image


def put_checksum(elf):
    address, offset, length = segments(elf)[0]
    if address != FLASH or length < BOOT2_BYTES + 4:
        sys.exit("image.py: no second stage at the start of the flash")
    struct.pack_into("<I", elf, offset + BOOT2_BYTES, crc32(elf[offset:offset + BOOT2_BYTES]))


def uf2(image):
    pages = [image[start:start + UF2_PAGE].ljust(UF2_PAGE, b"\0") for start in range(0, len(image), UF2_PAGE)]
    return b"".join(
        struct.pack(UF2_BLOCK, *UF2_MAGIC_START, UF2_FAMILY_PRESENT, FLASH + number * UF2_PAGE, UF2_PAGE, number,
                    len(pages), UF2_FAMILY_RP2040, page, UF2_MAGIC_END)
        for number, page in enumerate(pages))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    path = pathlib.Path(sys.argv[1])
    elf = bytearray(path.read_bytes())
    put_checksum(elf)
    path.write_bytes(elf)
    path.with_suffix(".uf2").write_bytes(uf2(flash_image(elf)))


main()
