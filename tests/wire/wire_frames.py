"""Frames of the wire format (runtime/WIRE.md, section 1), both ways, and the numbers of types and kinds."""
import struct
import zlib

VERSION = 3
TYPES = {
    1: "SESSION", 2: "SITES", 3: "EVENTS", 4: "STATUS", 5: "PONG", 6: "TEXT", 7: "PARAM", 8: "GUARD", 16: "HELLO",
    17: "GET_NAMES", 18: "START", 19: "STOP", 20: "SET_PARAM", 21: "PING", 22: "SIGNED", 24: "HOST_CLOCK",
}
FILE_HEAD = b"kymo\x03\r\n\0"

KINDS = {
    0x01: "ZONE_END", 0x10: "ZONE_BEGIN", 0x11: "CONTEXT", 0x13: "FRAME", 0x14: "FRAME_START",
    0x15: "FRAME_END", 0x16: "CONTEXT_END", 0x1c: "CONTEXT_NOW", 0x21: "ZONE_TEXT", 0x22: "ZONE_NAME", 0x23: "ZONE_VALUE",
    0x24: "ZONE_COLOR", 0x25: "APP_INFO", 0x26: "ZONE_END_ON", 0x2c: "LOSS", 0x30: "PLOT_INT",
    0x31: "PLOT_FLOAT", 0x32: "PLOT_DOUBLE", 0x33: "MESSAGE", 0x34: "ALLOC", 0x35: "FREE", 0x3c: "CONTEXT_NAME",
}
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


def frame_of(stuffed):
    """The frame without its CRC, or None for what is no frame of this version."""
    try:
        frame = unstuff(stuffed)
    except Malformed:
        return None
    if not 6 <= len(frame) <= 4096 or zlib.crc32(frame[:-4]) != struct.unpack("<I", frame[-4:])[0]:
        return None
    return frame[:-4] if frame[0] >> 5 == VERSION else None


def frames(stream):
    """Type, sequence number and body of all frames of a capture."""
    if stream.startswith(FILE_HEAD):
        stream = stream[len(FILE_HEAD):]
    for stuffed in stream.split(b"\0")[:-1]:
        frame = frame_of(stuffed)
        if frame:
            yield frame[0] & 31, frame[1], frame[2:]


def frame_without_crc(number, sequence, body):
    """What is signed."""
    return bytes([VERSION << 5 | number, sequence]) + body


def frame_with_crc(number, sequence, body):
    """What is stuffed."""
    frame = frame_without_crc(number, sequence, body)
    return frame + struct.pack("<I", zlib.crc32(frame))
