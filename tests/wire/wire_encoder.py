#!/usr/bin/env python3
"""An encoder of the wire format, written from runtime/WIRE.md alone: makes frames of the lines that wire_decoder.py
prints.

  wire_encoder.py < LINES     prints what goes over the wire, a frame a line, in hex
"""
import json
import re
import struct
import sys

from wire_frames import NUMBERS, TYPES, frame_with_crc, frame_without_crc, stuff
from wire_model import Model, change

TYPE_NUMBERS = {name: number for number, name in TYPES.items()}
STRING = r'"(?:[^"\\]|\\.)*"'


class Line:
    """NAME key=value ..., all behind " # " being for the reader."""

    def __init__(self, text):
        self.text = text.split(" # ")[0]
        self.name = text.split(" ", 1)[0]
        self.fields = dict(re.findall(rf" (\w+)=({STRING}(?:,{STRING})*|\S+)", text))

    def number(self, key):
        return int(self.fields.get(key, "0"), 0)

    def string(self, key):
        return json.loads(self.fields[key]).encode() if key in self.fields else None

    def strings(self, key):
        return [json.loads(text).encode() for text in re.findall(STRING, self.fields.get(key, ""))]

    def hexadecimal(self, key):
        return bytes.fromhex(self.fields[key])

    def words(self):
        return [int(text, 0) for text in self.fields.get("words", "").split(",") if text]


def u32(value):
    return struct.pack("<I", value & 0xffffffff)


def u64(value):
    return struct.pack("<Q", value)


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def string(text):
    return varint(len(text)) + text


# ---- sections 2, 3, 6 to 8 ----

def session_body(line, _):
    return (u32(line.number("session")) + varint(line.number("hz")) + varint(line.number("now"))
            + bytes([line.number("flags")]) + varint(line.number("sites")) + bytes([line.number("pointer")])
            + string(line.string("image")) + bytes([line.number("lanes")])
            + b"".join(string(name) for name in line.strings("names"))
            + (u32(line.number("identity")) if line.number("flags") & 8 else b""))


def sites_body(line, entries):
    out = varint(line.number("first"))
    before = {}
    for entry in entries:
        texts = {key: entry.string(key) for key in ("name", "function", "file")}
        same = {key: before.get(key) == texts[key] for key in ("function", "file")}
        flags = (texts["name"] is not None) | same["function"] << 1 | same["file"] << 2
        out += bytes([entry.number("kind"), entry.number("level"), flags])
        out += b"".join(varint(entry.number(key)) for key in ("line", "detail", "color"))
        out += string(texts["name"]) if flags & 1 else b""
        out += b"".join(string(texts[key]) for key in ("function", "file") if not same[key])
        before = texts
    return out


STATUS_UNKNOWN_LANE = 4
STATUS_USAGE = 8


def status_body(line, lanes):
    return bytes([line.number("flags")]) + varint(line.number("now")) + bytes([len(lanes)]) + b"".join(
        varint(lane.number("events")) + varint(lane.number("refused")) for lane in lanes) + (
            varint(line.number("unknown_lane")) if line.number("flags") & STATUS_UNKNOWN_LANE else b"") + (
            varint(line.number("usage")) if line.number("flags") & STATUS_USAGE else b"")


def guard_body(line, _):
    keyed = varint(line.number("accepted")) + line.hexadecimal("challenge") if "challenge" in line.fields else b""
    return varint(line.number("refused")) + keyed


def signed_body(line, inside):
    command = frame_without_crc(*parts_of(inside))
    return u32(line.number("counter")) + command + line.hexadecimal("signature")


def other_body(line, _):
    return {
        "TEXT": lambda: line.string("text"),
        "PING": lambda: u64(line.number("cookie")),
        "PONG": lambda: u64(line.number("cookie")) + varint(line.number("read")) + varint(line.number("answered")),
        "SET_PARAM": lambda: u32(line.number("site")) + u32(line.number("value")),
        "PARAM": lambda: varint(line.number("site")) + b"".join(
            u32(line.number(key)) for key in ("value", "least", "greatest")),
        "HOST_CLOCK": lambda: u64(line.number("monotonic_ns")) + u64(line.number("unix_ns")),
    }.get(line.name, lambda: b"")()


# ---- section 4 ----

class Bits:
    """Collects bits, lowest first. `fields` has them apart, each with what it is, for the walk through a frame; no bits
    but the event itself stand before those of an event."""

    def __init__(self):
        self.fields = []

    def bits(self, number, count, what):
        if count:
            self.fields.append(("".join(str(number >> i & 1) for i in range(count)), what))

    def mantissa(self, number, what):
        self.bits(number, max(number.bit_length() - 1, 0), f"{what}: {number} without its highest bit")

    def plain(self, number, what):
        self.bits(number.bit_length(), 6, f"{what}: length {number.bit_length()}")
        self.mantissa(number, what)

    def expected(self, number, length, what):
        real = number.bit_length()
        if real == length:
            self.bits(1, 1, f"{what}: length {real} as expected")
        elif real == length - 1:
            self.bits(0b10, 2, f"{what}: length {real}, one less than expected")
        elif real == length + 1:
            self.bits(0b100, 3, f"{what}: length {real}, one more than expected")
        else:
            self.bits(0, 3, f"{what}: not of the expected length {length}, nor one beside it")
            self.bits(real, 6, f"{what}: length {real}")
        self.mantissa(number, what)

    def data(self):
        text = "".join(bits for bits, _ in self.fields)
        return bytes(int(text[at:at + 8][::-1], 2) for at in range(0, len(text), 8))


def write_slot(bits, model, kind, reference):
    guess = model.successor[model.index()]
    if guess:
        slot = model.slots[guess]
        hit = (slot.kind, slot.reference) == (kind, reference)
        bits.bits(hit, 1, f"slot: {'as' if hit else 'not'} the successor table says, {guess}")
        if hit:
            return guess
    width = model.defined.bit_length()
    for number in range(1, model.defined + 1):
        if (model.slots[number].kind, model.slots[number].reference) == (kind, reference):
            bits.bits(number - 1, width, f"slot: {number}, less one")
            return number
    bits.bits(model.defined, width, "slot: a new one")
    bits.bits(kind, 6, f"kind {kind:#04x}")
    if kind & 16:
        bits.plain(reference, "reference")
    return model.define(kind, reference)


def write_event(bits, model, kind, reference, delta, words):
    number = write_slot(bits, model, kind, reference)
    model.enter(number)
    timing = model.slots[model.timing]
    value = change(delta, timing.last_delta) if timing.by_change else delta
    bits.expected(value, timing.delta_length, "change of delta" if timing.by_change else "delta")
    model.elapse(delta)
    if not kind & 32:
        return
    slot = model.slots[number]
    bits.bits(len(words) == slot.words, 1, f"words: {'as many as' if len(words) == slot.words else 'not'} {slot.words}")
    if len(words) != slot.words:
        slot.words = len(words)
        bits.bits(slot.words, 8, f"words: {slot.words}")
    if words:
        bits.expected(change(words[0], slot.last_word), slot.word_length, f"change of word 0, {words[0]:#x}")
        model.first_word(number, words[0])
    for word in words[1:]:
        bits.plain(word, f"word {word:#x}")


def events_bits(line, events):
    bits, model, ticks = Bits(), Model(line.number("slots")), line.number("time")
    for event in events:
        kind = int(event.name, 0) if event.name.startswith("0x") else NUMBERS[event.name]
        bits.fields.append(("", event.text))
        write_event(bits, model, kind, event.number("reference"), event.number("ticks") - ticks, event.words())
        ticks = event.number("ticks")
    return bits


def events_body(line, events):
    lane = line.number("lane") | {8: 0, 16: 1, 32: 2, 64: 3}[line.number("slots")] << 6
    return (bytes([lane]) + varint(line.number("first")) + varint(line.number("time")) + varint(line.number("context"))
            + events_bits(line, events).data() + struct.pack("<H", len(events)))


# ---- frames ----

BODIES = {"SESSION": session_body, "SITES": sites_body, "EVENTS": events_body, "STATUS": status_body,
          "GUARD": guard_body, "SIGNED": signed_body}


def parts_of(lines):
    """Type, sequence number and body, from the line of the frame and the lines of what is in it."""
    line, *inside = lines
    body = BODIES.get(line.name, other_body)(line, inside)
    return TYPE_NUMBERS[line.name], line.number("sequence"), body


def frame_of(text):
    """The frame with its CRC, before stuffing."""
    return frame_with_crc(*parts_of(map(Line, text.strip().splitlines())))


def on_the_wire(text):
    """A zero byte behind the frame; a SESSION has one before it, too."""
    return (b"\0" if text.startswith("SESSION") else b"") + stuff(frame_of(text)) + b"\0"


def walk(text):
    """The bits of an EVENTS frame's events, one field a line."""
    line, *inside = map(Line, text.strip().splitlines())
    return events_bits(line, inside).fields


def main():
    blocks = re.split(rf"\n(?=(?:{'|'.join(TYPE_NUMBERS)}) )", sys.stdin.read().strip())
    for block in blocks:
        print(on_the_wire(block).hex(" "))


if __name__ == "__main__":
    main()
