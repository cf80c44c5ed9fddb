#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples of WIRE.md against the decoder and the encoder that were written from its text, and those two and
WIRE.md's rules at their edges."""
import pathlib
import re
import struct
import unittest
import zlib

from wire_decoder import Bytes, Events, packet_lines, sites_of
from wire_encoder import Written, packet_of, on_the_wire, walk
from wire_examples import PAGE, examples
from wire_packets import KINDS, TABLE, Malformed, TYPES, packet_with_crc, packets, stuff, unstuff
from wire_model import Model, Slot, change, changed
from wire_payload import Names, printf
from wire_session import follow
from wire_siphash import sign, siphash

EXAMPLES = examples()


class Golden(unittest.TestCase):
    def each(self):
        for example in EXAMPLES:
            with self.subTest(example.title):
                yield example

    def test_wire_unstuffs_to_packet(self):
        for example in self.each():
            self.assertEqual(unstuff(example.wire.strip(b"\0")), example.packet)

    def test_decoder(self):
        names = Names()
        for example in self.each():
            (number, sequence, body), = packets(example.wire)
            self.assertEqual("\n".join(packet_lines(number, sequence, body, names)), example.lines)

    def test_encoder(self):
        for example in self.each():
            self.assertEqual(packet_of(example.lines).hex(" "), example.packet.hex(" "))
            self.assertEqual(on_the_wire(example.lines).hex(" "), example.wire.hex(" "))

    def test_walk_is_the_packet_byte_by_byte(self):
        walked = [example for example in EXAMPLES if example.walk]
        self.assertEqual(len(walked), 1)
        said = [line.split(None, 1) for line in walked[0].walk.splitlines()]
        fields = [[data or "#", what] for data, what in walk(walked[0].lines)]
        self.assertEqual(said, fields)
        events = bytes.fromhex("".join(data for data, _ in said if data != "#"))
        self.assertEqual(walked[0].packet[-6 - len(events):-6], events)

    def test_together_they_are_a_capture(self):
        capture = follow(b"".join(example.wire for example in EXAMPLES))
        self.assertEqual(capture.total(), "delivered=114 lost=9")
        self.assertEqual(len(capture.sessions), 1)

    def test_the_signed_example_is_signed(self):
        packets_of = {example.lines.split()[0]: example.packet[:-4] for example in EXAMPLES}
        challenge = packets_of["GUARD"][-8:]
        signed = packets_of["SIGNED"]
        command = signed[6:-8]
        self.assertEqual(command[:1], packets_of["SET_PARAM"][:1])
        self.assertEqual(signed[2:], sign(bytes(range(16)), challenge, 5, command))

    def test_every_kind_and_class_has_an_example(self):
        events, classes, types = set(), set(), set()
        for number, _, body in packets(b"".join(example.wire for example in EXAMPLES)):
            types.add(TYPES[number])
            if TYPES[number] == "EVENTS":
                events |= {kind for kind, *_ in Events(body).events}
            if TYPES[number] == "SITES":
                details = [site["detail"] for site in sites_of(body).values() if site["kind"] == 1]
                classes |= {detail >> shift & 15 for detail in details for shift in range(0, 32, 4)}
        self.assertEqual(events, set(KINDS))
        self.assertEqual(classes, set(range(10)))
        self.assertEqual(set(TYPES.values()) - types, {"GET_NAMES", "START", "STOP"})  # as HELLO: no body

    def test_the_table_of_kinds_is_that_of_the_header(self):
        rows = [line.strip("|").split("|") for line in pathlib.Path(PAGE).read_text().splitlines() if line.startswith("| 0x")]
        page = [(int(number, 0), re.match(r" (\w+)", name)[1], bool(payload.strip())) for number, name, payload in rows]
        self.assertEqual(page, [(kind.number, kind.name, kind.payload != "NONE")
                                for kind in sorted(TABLE, key=lambda kind: kind.number)])
        for kind in TABLE:
            self.assertEqual(bool(kind.number & 16), kind.reference != "NONE", kind)
            self.assertEqual(bool(kind.number & 32), kind.payload != "NONE", kind)
            self.assertEqual(bool(kind.number & 64), kind.reference.startswith(("OBJECT", "CODE")), kind)

    def test_every_rule_of_the_bytes_has_an_example(self):
        said = [f"{len(data) // 2} {what}" for example in EXAMPLES if example.lines.startswith("EVENTS")
                for data, what in walk(example.lines) if data]
        rules = ["a new one: [1-7]$", "a new one: [1-7], a ZONE_BEGIN", "in place of kind 0x10", "slot: not 0, but [1-7]",
                 "slot: not [1-7], but [0-7]", "slot 0, as expected; delta", "slot [1-7], as expected; delta",
                 "slot ., as expected; change of delta", "1 change of delta", "1 change of reference, 1 to",
                 "1 change of reference, 35 to 1$", "1 context that is site", "count 0$",
                 "from here on words as they are", "frames: 1 as expected", "frames: [2-9] as expected",
                 "frame: its high word is not", "3 change of high word, 0x0 to"]
        rules += [f"{length} {what}" for what in ("(slot ., as expected; )?delta", "change of word") for length in (1, 2, 3)]
        rules += [f"{length} change of frame" for length in (1, 2, 5)] + ["5 slot 0, as expected; delta", "5 change of reference", "2 site"]
        for rule in rules:
            self.assertTrue(any(re.search(rule, what) for what in said), rule)
        # In 9.10, 2 is passed over.
        replaced = [int(re.search(r"new one: (\d+), in place of", what)[1]) for what in said if ", in place of" in what]
        self.assertIn([1, 3], [replaced[at:at + 2] for at in range(len(replaced))])


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
        packet = packet_with_crc(ord("q") & 31, ord("2"), b"3456789")
        self.assertEqual(packet[0], 0x91, "version 4, type 17")
        self.assertEqual(packet[-4:], struct.pack("<I", zlib.crc32(b"\x9123456789")))

    def test_what_is_no_packet_is_dropped(self):
        good = EXAMPLES[0].wire
        spoilt = bytes([good[1] ^ 1]) + good[2:]
        other = bytearray(EXAMPLES[0].packet[:-4])
        other[0] ^= 0x60
        other_version = stuff(other + struct.pack("<I", zlib.crc32(other))) + b"\0"
        found = list(packets(b"boot loader 1.0\r\n" + good + spoilt + other_version + b"\0\0ab\0" + good[:9] + good))
        self.assertEqual(len(found), 2)

    def test_change_folds(self):
        for value, before, folded in ((5, 5, 0), (6, 5, 2), (4, 5, 1), (0, 0xffffffff, 2), (0xffffffff, 0, 1),
                                      (0x80000000, 0, 0xffffffff), (0x7fffffff, 0, 0xfffffffe)):
            self.assertEqual(change(value, before), folded)
            self.assertEqual(changed(folded, before), value)

    def test_numbers_at_their_bounds(self):
        for number, data in ((0, "00"), (159, "9f"), (160, "a000"), (6303, "b7ff"), (6304, "b80000"), (465055, "beffff"),
                             (465056, "bf000718a0"), (0xffffffff, "bfffffffff"), (0x01020304, "bf01020304")):
            written = Written()
            written.number(number, "")
            self.assertEqual(written.data().hex(), data)
            self.assertEqual(Bytes(written.data()).number(), number)
        self.assertEqual(Bytes(bytes.fromhex("bf00000005")).number(), 5, "not the shortest form")
        for data in ("", "a0", "b800", "bf000000", "c0", "ff"):
            with self.assertRaises(Malformed):
                Bytes(bytes.fromhex(data)).number()

    def test_used_slots_are_passed_over_once_and_four_at_most(self):
        model = Model(8, 1)
        for reference in range(7):
            model.slots[model.place()] = Slot(0x10, reference)
        for slot in model.slots:
            slot.used = True
        self.assertEqual(model.place(), 5, "four were spared")
        self.assertEqual([number for number, slot in enumerate(model.slots) if slot.used], [0, 5, 6, 7])
        model.slots[5] = Slot(0x10, 8)
        self.assertEqual([model.place() for _ in range(8)], [1, 2, 3, 4, 5, 6, 7, 1], "6 and 7 were spared; never slot 0")

    def test_a_pair_is_a_slot_and_two_bits_of_the_one_before(self):
        for size, pairs in ((8, 32), (16, 64), (32, 128), (62, 128)):
            model = Model(size, 1)
            model.enter(7)
            self.assertIs(model.enter(size - 1), model.pairs[(3 * pairs // 4 + size - 1) % pairs])

    def test_a_task_is_near_to_the_last_task(self):
        for before, reference, sent in ((1, 1, "01"), (1, 35, "45"), (35, 1, "43"), (35, 0, "00"), (1, 0xffffffff, "03"),
                                        (1, 0x80000001, "bfffffffff"), (2, 5, "05")):
            context = f"EVENTS lane=0 slots=8 count=1 first=0 time=0 context={before}\nCONTEXT ticks=0 reference={reference}"
            self.assertEqual(walk(context)[2][0], "11")
            self.assertEqual(walk(context)[3][0], sent)
            (_, _, body), = packets(on_the_wire(context))
            self.assertEqual(Events(body).events[0][1], reference)

    def test_arguments_that_did_not_come(self):
        def name_of(_):
            return b"?"
        self.assertEqual(printf(b"%d %lld %s|%d", [7], 0x1631, name_of), b"7 %lld %s|%d")
        self.assertEqual(printf(b"%d %lld|%%", [7, 1], 0x31, name_of), b"7 1|%")
        self.assertEqual(printf(b"%x %hhx %hd %u", [0xffffffff] * 4, 0x1111, name_of), b"ffffffff ff -1 4294967295")
        self.assertEqual(printf(b"%-*d|%p", [0xfffffffc, 3, 0, 1], 0x811, name_of), b"3   |0x100000000")


if __name__ == "__main__":
    unittest.main()
