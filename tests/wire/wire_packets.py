# SPDX-License-Identifier: MIT
"""Packets of the wire format (runtime/WIRE.md, section 1), both ways, and the numbers of types and kinds."""
import pathlib
import re
import struct
import typing
import zlib

VERSION = 4
TYPES = {
    1: "SESSION", 2: "SITES", 3: "EVENTS", 4: "STATUS", 5: "PONG", 6: "TEXT", 7: "PARAM", 8: "GUARD", 9: "INFO",
    10: "LARGE", 11: "DEVICE", 16: "HELLO", 17: "GET_NAMES", 18: "START", 19: "STOP", 20: "SET_PARAM", 21: "PING",
    22: "SIGNED", 24: "HOST_CLOCK", 26: "BOARD",
}
FILE_HEAD = b"kymo\x04\r\n\0"

KINDS_H = pathlib.Path(__file__).resolve().parents[2] / "runtime/include/kymo/kinds.h"


class Kind(typing.NamedTuple):
    """A row of the table of event kinds."""
    name: str
    number: int
    reference: str
    payload: str
    role: str
    word: str


def read_kinds():
    """The table of event kinds, as the runtime has it."""
    row = re.compile(r"X\((\w+), (0x[0-9a-f]{2}), (\w+), (\w+), (\w+),\s*(?:\\\s*)?\"([^\"]*)\"\)")
    text = KINDS_H.read_text().split("#define KYMO_KINDS(X)")[1].split("\nenum")[0]
    kinds = [Kind(name, int(number, 0), *rest) for name, number, *rest in row.findall(text)]
    assert len(kinds) == text.count("X("), f"{KINDS_H}: a row of another form"
    return kinds


TABLE = read_kinds()
KINDS = {kind.number: kind.name for kind in TABLE}
NUMBERS = {name: number for number, name in KINDS.items()}
LOSS = NUMBERS["LOSS"]
SWITCHES = (NUMBERS["CONTEXT"], NUMBERS["CONTEXT_NOW"])


class Malformed(Exception):
    """The bytes contradict WIRE.md."""


def stuff(data):
    """COBS, as WIRE.md allows it: nothing behind a full last block."""
    out = bytearray()
    at = 0
    while True:
        end = data.find(b"\0", at, at + 254)
        end = min(at + 254, len(data)) if end < 0 else end
        out += bytes([end - at + 1]) + data[at:end]
        full = end - at == 254
        at = end if full else end + 1
        if at > len(data) or (full and at == len(data)):
            return bytes(out)


def unstuff(stuffed):
    """Undo COBS."""
    out = bytearray()
    at = 0
    while at < len(stuffed):
        code = stuffed[at]
        block = stuffed[at + 1:at + code]
        if code == 0 or len(block) != code - 1:
            raise Malformed("COBS")
        out += block
        at += code
        if code != 255 and at < len(stuffed):
            out.append(0)
    return bytes(out)


def packet_of(stuffed):
    """The packet without its CRC, or None for what is no packet of this version."""
    try:
        packet = unstuff(stuffed)
    except Malformed:
        return None
    if not 6 <= len(packet) <= 4096 or zlib.crc32(packet[:-4]) != struct.unpack("<I", packet[-4:])[0]:
        return None
    return packet[:-4] if packet[0] >> 5 == VERSION else None


def pieces(stream):
    """What stands before each zero byte between packets, with its packet, or None if it is none."""
    if stream.startswith(FILE_HEAD):
        stream = stream[len(FILE_HEAD):]
    for piece in stream.split(b"\0")[:-1]:
        yield piece, packet_of(piece)


def packets(stream):
    """Type, sequence number and body of all packets of a capture."""
    for _, packet in pieces(stream):
        if packet:
            yield packet[0] & 31, packet[1], packet[2:]


def packet_without_crc(number, sequence, body):
    """What is signed."""
    return bytes([VERSION << 5 | number, sequence]) + body


def packet_with_crc(number, sequence, body):
    """What is stuffed."""
    packet = packet_without_crc(number, sequence, body)
    return packet + struct.pack("<I", zlib.crc32(packet))
