# SPDX-License-Identifier: MIT
"""SipHash-2-4 with 64 bits of output, written from sections 2.1 to 2.4 of Aumasson and Bernstein, "SipHash: a fast
short-input PRF", 2012; and signed commands as runtime/WIRE.md, section 7, has them."""
import struct

from wire_packets import packet_without_crc

MASK = (1 << 64) - 1


def rotate(value, bits):
    return (value << bits | value >> (64 - bits)) & MASK


def sip_round(v0, v1, v2, v3):
    v0, v2 = (v0 + v1) & MASK, (v2 + v3) & MASK
    v1, v3 = rotate(v1, 13) ^ v0, rotate(v3, 16) ^ v2
    v0 = rotate(v0, 32)
    v2, v0 = (v2 + v1) & MASK, (v0 + v3) & MASK
    v1, v3 = rotate(v1, 17) ^ v2, rotate(v3, 21) ^ v0
    return v0, v1, rotate(v2, 32), v3


def siphash(key, text):
    """The eight bytes of the hash, lowest first."""
    low, high = struct.unpack("<QQ", key)
    begin = struct.unpack(">4Q", b"somepseudorandomlygeneratedbytes")
    v = tuple(word ^ half for word, half in zip(begin, (low, high, low, high)))
    padded = text + bytes(7 - len(text) % 8) + bytes([len(text) & 255])
    for (word,) in struct.iter_unpack("<Q", padded):
        v = v[:3] + (v[3] ^ word,)
        v = sip_round(*sip_round(*v))
        v = (v[0] ^ word,) + v[1:]
    v = v[:2] + (v[2] ^ 0xff,) + v[3:]
    for _ in range(4):
        v = sip_round(*v)
    return struct.pack("<Q", v[0] ^ v[1] ^ v[2] ^ v[3])


def sign(key, challenge, counter, command):
    """The body of a SIGNED packet that carries `command`, a packet without its CRC."""
    body = struct.pack("<I", counter) + command
    return body + siphash(key, challenge + packet_without_crc(22, 0, body))
