#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An encoder of the wire format, written from runtime/WIRE.md alone: makes packets of the lines that wire_decoder.py
prints.

  wire_encoder.py < LINES     prints what goes over the wire, a packet a line, in hex
"""
import json
import re
import struct
import sys

from wire_packets import NUMBERS, TYPES, packet_with_crc, packet_without_crc, stuff
from wire_model import CALLSTACK, Model, SIZES, Slot, ZONE_BEGIN, change, frames_of, inside, near

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
        "BOARD": lambda: varint(line.number("board")) + varint(line.number("bytes")) + string(line.string("name")),
        "HOST_CLOCK": lambda: u64(line.number("monotonic_ns")) + u64(line.number("unix_ns")),
    }.get(line.name, lambda: b"")()


# ---- section 4 ----

# The least number that takes so many bytes.
LEAST_OF_FIVE = 6304 + 7 * 65536


class Written:
    """Collects bytes. `fields` has them apart, each with what it is, for the walk through a packet; no bytes but the
    event itself stand before those of an event."""

    def __init__(self):
        self.fields = []

    def bytes(self, data, what):
        self.fields.append((bytes(data).hex(), what))

    def number(self, number, what):
        if number < 160:
            data = bytes([number])
        elif number < 6304:
            data = struct.pack(">H", number - 160 + 0xa000)
        elif number < LEAST_OF_FIVE:
            data = struct.pack(">I", number - 6304 + 0xb80000)[1:]
        else:
            data = b"\xbf" + struct.pack(">I", number)
        self.bytes(data, what)

    def data(self):
        return bytes.fromhex("".join(data for data, _ in self.fields))


def write_new_slot(out, model, kind, reference, count):
    number = model.place()
    old = model.slots[number].kind
    said = f"slot: not {model.expected()}, a new one: {number}" + (f", in place of kind {old:#04x}" if old else "")
    if kind == ZONE_BEGIN:
        out.bytes([0xfe], said + ", a ZONE_BEGIN")
    else:
        out.bytes([0xff], said)
        out.bytes([kind], f"kind {kind:#04x}")
    if kind & 16:
        of = near(kind)
        if of is None:
            out.number(reference // 2, f"site {reference // 2}")
        elif of == "task" and reference % 2 == 0:
            out.number(reference, f"context that is site {reference // 2}")
        else:
            before, model.references[of] = model.references[of], reference
            out.number(change(reference, before) | (of == "task"), f"change of reference, {before} to {reference}")
    if kind & 32:
        out.bytes([count], f"count {count}")
    model.slots[number] = Slot(kind, reference, count)
    return number


def write_slot(out, model, kind, reference, count):
    number = model.find(kind, reference, count)
    if number is None:
        return write_new_slot(out, model, kind, reference, count)
    if number != model.expected():
        out.bytes([0xc0 + number], f"slot: not {model.expected()}, but {number}")
        model.slots[number].used = True
    return number


def write_delta(out, pair, delta, expected):
    said = f"slot {expected}, as expected; " if expected is not None else ""
    if pair.by_change:
        out.number(change(delta, pair.last), f"{said}change of delta, {pair.last} to {delta}")
    else:
        out.number(delta, f"{said}delta {delta}")
    pair.was_time(delta)


def write_event(out, model, kind, reference, delta, words):
    frames = frames_of(words) if kind == CALLSTACK else None
    expected, before = model.expected(), len(out.fields)
    number = write_slot(out, model, kind, reference, len(words if frames is None else frames))
    write_delta(out, model.enter(number), delta, expected if len(out.fields) == before else None)
    if frames is not None:
        write_stack(out, model, frames)
    else:
        write_words(out, model, number, words)


def write_words(out, model, number, words):
    plain = False
    for at, word in enumerate(words):
        place = model.value(number, at)
        before, model.values[place] = model.values[place], word
        if not plain and change(word, before) >= LEAST_OF_FIVE:
            plain = True
            out.bytes([0xc0], "from here on words as they are")
        if plain:
            out.bytes(u32(word), f"word {word:#x}")
        else:
            out.number(change(word, before), f"change of word, {before} to {word}")


def write_stack(out, model, frames):
    caller, known = 0, 0
    for at, address in enumerate(reversed(frames), 1):
        place = inside(caller)
        expected = model.calls[place] == address
        known += expected
        if known and (not expected or at == len(frames)):
            out.bytes([0xc0 + known], f"frames: {known} as expected")
            known = 0
        if not expected:
            write_frame(out, model, caller, address)
        model.calls[place] = caller = address


def write_frame(out, model, caller, address):
    if address >> 32 != caller >> 32:
        out.bytes([0xc0], "frame: its high word is not the caller's")
        out.number(change(address >> 32, model.high), f"change of high word, {model.high:#x} to {address >> 32:#x}")
        model.high = address >> 32
    base = (model.calls[inside(caller)] or caller) & 0xffffffff
    out.number(change(address & 0xffffffff, base), f"change of frame, {base:#x} to {address & 0xffffffff:#x}")


def events_bytes(line, events):
    out, model, ticks = Written(), Model(line.number("slots"), line.number("context")), line.number("time")
    for event in events:
        kind = int(event.name, 0) if event.name.startswith("0x") else NUMBERS[event.name]
        out.fields.append(("", event.text))
        write_event(out, model, kind, event.number("reference"), event.number("ticks") - ticks, event.words())
        ticks = event.number("ticks")
    return out


def events_body(line, events):
    size = next(at for at, sizes in enumerate(SIZES) if sizes[0] == line.number("slots"))
    return (bytes([line.number("lane") | size << 6]) + varint(line.number("first")) + varint(line.number("time"))
            + varint(line.number("context")) + events_bytes(line, events).data() + struct.pack("<H", len(events)))


def device_body(line, inside):
    flags = line.number("flags")
    body = bytes([flags]) + varint(line.number("number")) + varint(line.number("first"))
    if flags & 4:
        return body + b"".join(string(name.string("name")) for name in inside)
    body += b"".join(varint(line.number(key)) for key in ("refused", "now", "ago"))
    if flags & 1:
        body += (bytes([line.number("sites")]) + b"".join(varint(line.number(key)) for key in ("x", "y", "hz"))
                 + string(line.string("device")) + string(line.string("core")))
    if flags & 2:
        body += b"".join(varint(line.number(key)) for key in ("ticks", "within", "before"))
    return body + b"".join(struct.pack("<II", *record.words()) for record in inside)


# ---- packets ----

BODIES = {"SESSION": session_body, "SITES": sites_body, "EVENTS": events_body, "STATUS": status_body,
          "GUARD": guard_body, "SIGNED": signed_body, "INFO": info_body, "LARGE": large_body, "DEVICE": device_body}


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
    """The bytes of an EVENTS packet's events, one field a line."""
    line, *inside = map(Line, text.strip().splitlines())
    return events_bytes(line, inside).fields


def main():
    blocks = re.split(rf"\n(?=(?:{'|'.join(TYPE_NUMBERS)}) )", sys.stdin.read().strip())
    for block in blocks:
        print(on_the_wire(block).hex(" "))


if __name__ == "__main__":
    main()
