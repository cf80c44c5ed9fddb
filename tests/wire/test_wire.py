#!/usr/bin/env python3
"""The examples of WIRE.md against the decoder and the encoder that were written from its text, and those two and
WIRE.md's rules at their edges."""
import struct
import unittest
import zlib

from wire_decoder import Bits, Events, frame_lines, sites_of
from wire_encoder import frame_of, on_the_wire, walk
from wire_examples import examples
from wire_frames import KINDS, Malformed, TYPES, frame_with_crc, frames, stuff, unstuff
from wire_model import change, changed
from wire_payload import Names, printf
from wire_session import follow
from wire_siphash import sign, siphash

EXAMPLES = examples()


class Golden(unittest.TestCase):
    def each(self):
        for example in EXAMPLES:
            with self.subTest(example.title):
                yield example

    def test_wire_unstuffs_to_frame(self):
        for example in self.each():
            self.assertEqual(unstuff(example.wire.strip(b"\0")), example.frame)

    def test_decoder(self):
        names = Names()
        for example in self.each():
            (number, sequence, body), = frames(example.wire)
            self.assertEqual("\n".join(frame_lines(number, sequence, body, names)), example.lines)

    def test_encoder(self):
        for example in self.each():
            self.assertEqual(frame_of(example.lines).hex(" "), example.frame.hex(" "))
            self.assertEqual(on_the_wire(example.lines).hex(" "), example.wire.hex(" "))

    def test_walk_is_the_frame_bit_by_bit(self):
        walked = [example for example in EXAMPLES if example.walk]
        self.assertEqual(len(walked), 1)
        said = [line.split(None, 1) for line in walked[0].walk.splitlines()]
        fields = [[bits or "#", what] for bits, what in walk(walked[0].lines)]
        self.assertEqual(said, fields)
        bits = "".join(bits for bits, _ in said if bits != "#")
        events = walked[0].frame[-6 - (len(bits) + 7) // 8:-6]
        self.assertEqual("".join(f"{byte:08b}"[::-1] for byte in events)[:len(bits)], bits)

    def test_together_they_are_a_capture(self):
        capture = follow(b"".join(example.wire for example in EXAMPLES))
        self.assertEqual(capture.total(), "delivered=49 lost=9")
        self.assertEqual(len(capture.sessions), 1)

    def test_the_signed_example_is_signed(self):
        frames_of = {example.lines.split()[0]: example.frame[:-4] for example in EXAMPLES}
        challenge = frames_of["GUARD"][-8:]
        signed = frames_of["SIGNED"]
        command = signed[6:-8]
        self.assertEqual(command[:1], frames_of["SET_PARAM"][:1])
        self.assertEqual(signed[2:], sign(bytes(range(16)), challenge, 5, command))

    def test_every_kind_and_class_has_an_example(self):
        events, classes, types = set(), set(), set()
        for number, _, body in frames(b"".join(example.wire for example in EXAMPLES)):
            types.add(TYPES[number])
            if TYPES[number] == "EVENTS":
                events |= {kind for kind, *_ in Events(body).events}
            if TYPES[number] == "SITES":
                details = [site["detail"] for site in sites_of(body).values() if site["kind"] == 1]
                classes |= {detail >> shift & 15 for detail in details for shift in range(0, 32, 4)}
        self.assertEqual(events, set(KINDS))
        self.assertEqual(classes, set(range(10)))
        self.assertEqual(set(TYPES.values()) - types, {"GET_NAMES", "START", "STOP"})  # as HELLO: no body


class Edges(unittest.TestCase):
    def test_siphash_of_the_paper(self):
        # Appendix A there.
        self.assertEqual(siphash(bytes(range(16)), bytes(range(15))).hex(), "e545be4961ca29a1")

    def test_cobs_at_its_block_length(self):
        for length in (0, 1, 253, 254, 255, 508, 509, 4096):
            for data in (b"\x01" * length, b"\0" * length, b"\x01" * length + b"\0", b"\0" + b"\x01" * length):
                self.assertNotIn(0, stuff(data))
                self.assertEqual(unstuff(stuff(data)), data)
        self.assertEqual(unstuff(stuff(b"\x01" * 254) + b"\x01"), b"\x01" * 254)

    def test_cobs_of_the_paper(self):
        # The example of Cheshire and Baker, "Consistent Overhead Byte Stuffing", 1997, without the imagined last zero.
        packet = bytes.fromhex("45 00 00 2c 4c 79 00 00 40 06 4f 37")
        self.assertEqual(stuff(packet).hex(" "), "02 45 01 04 2c 4c 79 01 05 40 06 4f 37")

    def test_crc_of_the_check_string(self):
        # The check value of CRC-32/ISO-HDLC: of "123456789" it is cbf43926.
        self.assertEqual(zlib.crc32(b"123456789"), 0xcbf43926)
        frame = frame_with_crc(ord("Q") & 31, ord("2"), b"3456789")
        self.assertEqual(frame[0], ord("Q"), "version 2, type 17")
        self.assertEqual(frame[-4:], struct.pack("<I", zlib.crc32(b"Q23456789")))

    def test_what_is_no_frame_is_dropped(self):
        good = EXAMPLES[0].wire
        spoilt = bytes([good[1] ^ 1]) + good[2:]
        other = bytearray(EXAMPLES[0].frame[:-4])
        other[0] ^= 0x60
        other_version = stuff(other + struct.pack("<I", zlib.crc32(other))) + b"\0"
        found = list(frames(b"boot loader 1.0\r\n" + good + spoilt + other_version + b"\0\0ab\0" + good[:9] + good))
        self.assertEqual(len(found), 2)

    def test_change_folds(self):
        for value, before, folded in ((5, 5, 0), (6, 5, 2), (4, 5, 1), (0, 0xffffffff, 2), (0xffffffff, 0, 1),
                                      (0x80000000, 0, 0xffffffff), (0x7fffffff, 0, 0xfffffffe)):
            self.assertEqual(change(value, before), folded)
            self.assertEqual(changed(folded, before), value)

    def test_a_length_above_32_is_wrong(self):
        with self.assertRaises(Malformed):
            Bits(b"\x21" + bytes(8)).plain()

    def test_arguments_that_did_not_come(self):
        def name_of(_):
            return b"?"
        self.assertEqual(printf(b"%d %lld %s|%d", [7], 0x1631, name_of), b"7 %lld %s|%d")
        self.assertEqual(printf(b"%d %lld|%%", [7, 1], 0x31, name_of), b"7 1|%")
        self.assertEqual(printf(b"%x %hhx %hd %u", [0xffffffff] * 4, 0x1111, name_of), b"ffffffff ff -1 4294967295")
        self.assertEqual(printf(b"%-*d|%p", [0xfffffffc, 3, 0, 1], 0x811, name_of), b"3   |0x100000000")


if __name__ == "__main__":
    unittest.main()
