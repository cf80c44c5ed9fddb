#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Commands over a network as an attacker sends them, and as one who has the key: to the program of net_board.c, by
tests/wire's own encoder and SipHash.

Usage: net_attack.py NET_BOARD_WITHOUT_KEY NET_BOARD_WITH_KEY
"""
import os
import select
import socket
import struct
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wire"))
from wire_decoder import Body, sites_of  # noqa: E402
from wire_packets import TYPES, packet_of, packet_with_crc, packet_without_crc, stuff  # noqa: E402
from wire_siphash import sign  # noqa: E402

KEY = bytes(range(16))
NUMBERS = {name: number for number, name in TYPES.items()}
WAIT_S = 900


class Board:
    """The program, and one connection to it."""

    def __init__(self, program, *options):
        self.process = subprocess.Popen([program, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
        self.port = int(self.process.stdout.readline())
        self.lines = ""  # that it printed
        self.connect()

    def connect(self):
        self.line = socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S)
        self.rest, self.guard, self.params, self.seen = b"", None, {}, {}

    def close(self):
        self.line.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def send(self, name, body=b""):
        self.line.sendall(stuff(packet_with_crc(NUMBERS[name], 0, body)) + b"\0")

    def read(self):
        """Whatever came, at least a packet."""
        *chunks, self.rest = (self.rest + self.line.recv(65536)).split(b"\0")
        for packet in filter(None, map(packet_of, chunks)):
            name, body = TYPES.get(packet[0] & 31), Body(packet[2:])
            self.seen[name] = self.seen.get(name, 0) + 1
            if name == "GUARD":
                refused = body.varint()
                self.guard = (refused, body.varint(), body.bytes(8)) if body.more() else (refused, None, None)
            elif name == "PARAM":
                number = body.varint()
                self.params[number] = struct.unpack("<i", body.bytes(4))[0]
            elif name == "SITES":
                self.gain = next((number for number, site in sites_of(packet[2:]).items() if site["name"] == b"gain"
                                  and site["kind"] == 6), getattr(self, "gain", None))

    def until(self, condition):
        end = time.monotonic() + WAIT_S
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain; guard {self.guard}, params {self.params}")
            self.read()

    def ready(self):
        self.until(lambda: self.guard and getattr(self, "gain", None) is not None)
        return self

    def refused(self, count):
        """The board has refused so many, told after that."""
        self.until(lambda: self.guard[0] >= count)
        if self.guard[0] != count:
            raise AssertionError(f"refused {self.guard[0]} instead of {count}")

    def set_gain(self, value):
        return packet_without_crc(NUMBERS["SET_PARAM"], 0, struct.pack("<Ii", self.gain, value))

    def signed(self, counter, command, key=KEY):
        return sign(key, self.guard[2], counter, command)

    def printed(self):
        self.lines += os.read(self.process.stdout.fileno(), 65536).decode() if select.select(
            [self.process.stdout], [], [], 0)[0] else ""
        return self.lines.splitlines()

    def prints(self, *lines):
        """It prints these in all, after what it has told."""
        self.until(lambda: len(self.printed()) >= len(lines))
        if self.printed() != list(lines):
            raise AssertionError(f"printed {self.printed()} instead of {lines}")


class Case(unittest.TestCase):
    def board(self, program, *options):
        board = Board(program, *options)
        self.addCleanup(board.close)
        return board.ready()


class WithoutKey(Case):
    def test_everything_is_refused_and_counted(self):
        board = self.board(PLAIN)
        self.assertIsNone(board.guard[2])
        board.send("HELLO")
        board.send("GET_NAMES")
        board.send("STOP")
        board.send("START")
        board.send("PING", bytes(8))
        board.send("SET_PARAM", board.set_gain(7)[2:])
        board.send("SIGNED", sign(KEY, bytes(8), 1, board.set_gain(7)))
        board.refused(7)
        self.assertNotIn("PONG", board.seen)
        self.assertEqual(board.printed(), [])

    def test_names_come_again(self):
        board = self.board(PLAIN)
        board.send("HELLO")
        board.seen.clear()
        board.until(lambda: board.seen.get("SITES", 0) >= 3)


class WithKey(Case):
    def test_who_has_the_key_is_obeyed(self):
        board = self.board(KEYED)
        board.send("SIGNED", board.signed(1, packet_without_crc(NUMBERS["HELLO"], 0, b"")))
        board.until(lambda: board.params.get(board.gain) == 1)
        board.send("SIGNED", board.signed(2, board.set_gain(7)))
        board.until(lambda: board.params[board.gain] == 7)
        board.send("SIGNED", board.signed(9, packet_without_crc(NUMBERS["PING"], 0, bytes(8))))
        board.until(lambda: "PONG" in board.seen)
        lines = ["gain 7"]
        for counter, name, line in ((10, "STOP", "stopped"), (11, "START", "started")):
            board.send("SIGNED", board.signed(counter, packet_without_crc(NUMBERS[name], 0, b"")))
            lines.append(line)
            board.prints(*lines)
        board.until(lambda: board.guard[1] == 11)
        self.assertEqual(board.guard[0], 0)

    def test_who_has_not_is_refused(self):
        board = self.board(KEYED)
        board.send("SET_PARAM", board.set_gain(7)[2:])
        board.send("STOP")
        board.send("SIGNED", board.signed(1, board.set_gain(7), bytes(16)))
        board.send("SIGNED", sign(KEY, bytes(8), 1, board.set_gain(7)))
        board.refused(4)
        self.assertEqual((board.guard[1], board.printed()), (0, []))

    def test_what_was_heard_is_of_no_use(self):
        board = self.board(KEYED)
        first, second, third = (board.signed(i, board.set_gain(10 * i)) for i in (1, 2, 3))
        board.send("SIGNED", first)
        board.send("SIGNED", first)
        board.prints("gain 10")
        board.refused(1)
        board.send("SIGNED", third)
        board.send("SIGNED", second)
        board.send("SIGNED", third)
        board.refused(3)
        self.assertEqual(board.guard[1], 3)
        board.prints("gain 10", "gain 30")
        # Nor in a connection of one's own, nor after a restart.
        board.line.close()
        board.connect()
        board.ready()
        board.send("SIGNED", third)
        board.refused(4)
        again = self.board(KEYED)
        self.assertNotEqual(again.guard[2], board.guard[2])
        for body in (first, second, third):
            again.send("SIGNED", body)
        again.refused(3)
        self.assertEqual((board.printed(), again.printed()), (["gain 10", "gain 30"], []))

    def test_one_bit_is_enough(self):
        board = self.board(KEYED)
        body = board.signed(1, board.set_gain(7))
        bits = range(8 * len(body))
        for bit in bits:
            flipped = bytearray(body)
            flipped[bit // 8] ^= 1 << bit % 8
            board.send("SIGNED", bytes(flipped))
        board.refused(len(bits))
        self.assertEqual(board.printed(), [])
        board.send("SIGNED", body)
        board.until(lambda: board.guard[1] == 1)
        board.prints("gain 7")

    def test_the_same_number_at_two_starts(self):
        # Only the clock tells them apart: no promise, but documented.
        one, two = (self.board(KEYED, "-n", "1") for _ in range(2))
        self.assertNotEqual(one.guard[2], two.guard[2])


if __name__ == "__main__":
    PLAIN, KEYED = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
