#!/usr/bin/env python3
"""An encoder of the wire format, written from runtime/WIRE.md alone: makes packets of the lines that wire_decoder.py
prints.

  wire_encoder.py < LINES     prints what goes over the wire, a packet a line, in hex
"""
import json
import re
import struct
import sys

from wire_packets import NUMBERS, TYPES, packet_with_crc, packet_without_crc, stuff
from wire_model import CALLSTACK, LONG_CLASS, Model, ZONE_BEGIN, change, class_of, frames_of, least_of, log

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
        flags = (texts["name"] is not None) | same["function"] << 1 | same["file"] << 2 | entry.number("cut") << 3
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


def info_body(_, facts):
    values = [(fact.number("type"), fact.hexadecimal("value")) for fact in facts]
    return b"".join(varint(number) + varint(len(value)) + value for number, value in values)


def large_body(line, _):
    first = bytes([line.number("type")]) + string(line.string("name")) if line.number("flags") & 1 else b""
    return (bytes([line.number("flags")]) + b"".join(varint(line.number(key)) for key in ("id", "total", "offset"))
            + first + line.hexadecimal("bytes"))


def guard_body(line, _):
    keyed = varint(line.number("accepted")) + line.hexadecimal("challenge") if "challenge" in line.fields else b""
    return varint(line.number("refused")) + keyed


def signed_body(line, inside):
    command = packet_without_crc(*parts_of(inside))
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
    """Collects bits, lowest first. `fields` has them apart, each with what it is, for the walk through a packet; no bits
    but the event itself stand before those of an event."""

    def __init__(self):
        self.fields = []

    def bits(self, number, count, what):
        if count:
            self.fields.append(("".join(str(number >> i & 1) for i in range(count)), what))

    def unary(self, zeros, most, what):
        self.bits(1 << zeros if zeros < most else 0, min(zeros + 1, most), what)

    def rest(self, number, scale, what):
        """What is behind the class of a scaled number."""
        number_class = class_of(number, scale)
        if number_class == LONG_CLASS:
            self.bits(log(number), 5, f"{what}: log({number}) = {log(number)}")
            self.bits(number, log(number), f"{what}: {number} without its highest bit")
        else:
            least = least_of(number_class, scale)
            self.bits(number - least, number_class + scale, f"{what}: {number} less {least}")

    def against(self, scale, number, what):
        folded = change(number, scale.last)
        what = f"change of {what}, {scale.last} to {number}"
        number_class = class_of(folded, scale.scale)
        self.unary(number_class, LONG_CLASS, f"{what}: class {number_class} at scale {scale.scale}")
        self.rest(folded, scale.scale, what)
        scale.was(number)

    def data(self):
        text = "".join(bits for bits, _ in self.fields)
        return bytes(int(text[at:at + 8][::-1], 2) for at in range(0, len(text), 8))


def write_new_slot(bits, model, kind, reference):
    number = model.place()
    old = model.slots[number].kind
    bits.bits(0, 1, f"slot: a new one, {number}" + (f", in place of kind {old:#04x}" if old else ""))
    bits.bits(kind == ZONE_BEGIN, 1, f"kind: {'' if kind == ZONE_BEGIN else 'not '}ZONE_BEGIN")
    if kind != ZONE_BEGIN:
        bits.bits(kind, 8, f"kind {kind:#04x}")
    if kind & 16:
        bits.against(model.references, reference, "reference")
    model.define(number, kind, reference)
    return number


def write_other_slot(bits, model, number, kind, reference):
    """Where the guess is wrong, or none; `number` is 0 if the event has no slot yet."""
    guess = model.pair.successor
    if guess:
        bits.bits(0, 2, f"slot: the guess {guess} is wrong")
    if number == 0:
        return write_new_slot(bits, model, kind, reference)
    bits.bits(1, 1, "slot: one that is defined")
    bits.bits(number - 1, (model.defined - 1).bit_length(), f"slot: {number}, less one")
    return number


def write_delta(bits, pair, delta, guess):
    """`guess` is the one that was right, or 0."""
    value = change(delta, pair.last) if pair.by_change else delta
    what = f"change of delta, {pair.last} to {delta}" if pair.by_change else "delta"
    number_class = class_of(value, pair.scale)
    said = f"{what}: class {number_class} at scale {pair.scale}"
    if guess and number_class == 0:
        bits.bits(1, 1, f"slot: the guess {guess} is right; {said}")
    elif guess:
        bits.bits(0b10, 2, f"slot: the guess {guess} is right; {what}: not of class 0")
        bits.unary(number_class - 1, LONG_CLASS - 1, said)
    else:
        bits.unary(number_class, LONG_CLASS, said)
    bits.rest(value, pair.scale, what)
    pair.was_time(delta)


def write_event(bits, model, kind, reference, delta, words):
    number = model.find(kind, reference)
    guess = number if number == model.pair.successor else 0
    if number:
        model.slots[number].used = True
    if not guess:
        number = write_other_slot(bits, model, number, kind, reference)
    model.enter(number)
    write_delta(bits, model.pair, delta, guess)
    if kind & 32:
        write_words(bits, model, number, words)


def write_frame(bits, calls, caller, address):
    place = calls.inside(caller)
    expected = calls.addresses[place]
    bits.bits(address == expected, 1, f"frame: {'' if address == expected else 'not '}{expected:#x}")
    if address != expected:
        near, scale = (expected or caller) & 0xffffffff, calls.scale(expected)
        bits.bits(address >> 32 == caller >> 32, 1, "frame: its high word, as the caller's or not")
        if address >> 32 != caller >> 32:
            bits.against(calls.high, address >> 32, "high word")
        folded = change(address & 0xffffffff, near)
        what = f"change of frame, {near:#x} to {address & 0xffffffff:#x}"
        number_class = class_of(folded, scale.scale)
        bits.unary(number_class, LONG_CLASS, f"{what}: class {number_class} at scale {scale.scale}")
        bits.rest(folded, scale.scale, what)
        scale.follow(folded)
    calls.addresses[place] = address


def write_stack(bits, model, frames):
    caller = 0
    for address in reversed(frames):
        write_frame(bits, model.calls, caller, address)
        caller = address


def write_words(bits, model, number, words):
    slot = model.slots[number]
    frames = frames_of(words) if slot.kind == CALLSTACK else None
    words = words if frames is None else frames
    same = len(words) == slot.words
    bits.bits(same, 1, f"words: {slot.words}, as last time" if same else f"words: not {slot.words}")
    if not same:
        slot.words = len(words)
        bits.bits(slot.words, 8, f"words: {slot.words}")
    if frames is not None:
        write_stack(bits, model, frames)
        return
    for at, word in enumerate(words):
        value = model.value(number, at)
        bits.against(value, word, "word")


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


# ---- packets ----

BODIES = {"SESSION": session_body, "SITES": sites_body, "EVENTS": events_body, "STATUS": status_body,
          "GUARD": guard_body, "SIGNED": signed_body, "INFO": info_body, "LARGE": large_body}


def parts_of(lines):
    """Type, sequence number and body, from the line of the packet and the lines of what is in it."""
    line, *inside = lines
    body = BODIES.get(line.name, other_body)(line, inside)
    return TYPE_NUMBERS[line.name], line.number("sequence"), body


def packet_of(text):
    """The packet with its CRC, before stuffing."""
    return packet_with_crc(*parts_of(map(Line, text.strip().splitlines())))


def on_the_wire(text):
    """A zero byte behind the packet; a SESSION has one before it, too."""
    return (b"\0" if text.startswith("SESSION") else b"") + stuff(packet_of(text)) + b"\0"


def walk(text):
    """The bits of an EVENTS packet's events, one field a line."""
    line, *inside = map(Line, text.strip().splitlines())
    return events_bits(line, inside).fields


def main():
    blocks = re.split(rf"\n(?=(?:{'|'.join(TYPE_NUMBERS)}) )", sys.stdin.read().strip())
    for block in blocks:
        print(on_the_wire(block).hex(" "))


if __name__ == "__main__":
    main()
