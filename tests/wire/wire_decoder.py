#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A second decoder of the wire format, written from runtime/WIRE.md alone.

It shares no code with hostlink: where the two disagree, one of them or WIRE.md is wrong.
"""
import sys

from wire_packets import KINDS, Malformed, TYPES, packets
from wire_model import CALLSTACK, FRAMES_MAX, Model, SIZES, Slot, ZONE_BEGIN, changed, inside, near, stack_of
from wire_payload import Names, quoted


class Body:
    """Reads the fields of a body, one behind the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def bytes(self, count):
        if count > len(self.data) - self.at:
            raise Malformed("body too short")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, count):
        return int.from_bytes(self.bytes(count), "little")

    def varint(self):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.number(1)
            value |= (byte & 127) << shift
            if byte < 128:
                return value & 0xffffffffffffffff
        raise Malformed("varint")

    def string(self):
        return self.bytes(self.varint())


# ---- sections 2 and 3: the session and the sites ----

def session_of(body):
    read = Body(body)
    found = {"session": read.number(4), "hz": read.varint(), "now": read.varint(), "flags": read.number(1),
             "sites": read.varint(), "pointer": read.number(1), "image": read.string(), "lanes": read.number(1)}
    names = []
    if found["flags"] & 8:
        read.data, identity = read.data[:-4], read.data[-4:]
        if len(identity) < 4 or read.at > len(read.data):
            raise Malformed("no identity")
        found["identity"] = int.from_bytes(identity, "little")
    while read.more() and len(names) < found["lanes"]:
        names.append(read.string())
    found["names"] = names + [b""] * (found["lanes"] - len(names))
    return found


def sites_of(body):
    """Number -> site."""
    read = Body(body)
    number = read.varint()
    sites = {}
    function = file = None
    while read.more():
        site = {"kind": read.number(1), "level": read.number(1)}
        flags = read.number(1)
        site.update(line=read.varint(), detail=read.varint(), color=read.varint())
        site["name"] = read.string() if flags & 1 else None
        function = function if flags & 2 else read.string()
        file = file if flags & 4 else read.string()
        if function is None or file is None:
            raise Malformed("first entry refers to the one before")
        site.update(function=function, file=file)
        site["cut"] = flags >> 3 or None
        sites[number] = site
        number += 1
    return sites


# ---- section 4: events ----

class Bytes:
    """Reads bytes and numbers, one behind the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        if self.at == len(self.data):
            raise Malformed("events end too early")
        self.at += 1
        return self.data[self.at - 1]

    def highest_first(self, count):
        return int.from_bytes((self.byte() for _ in range(count)), "big")

    def number(self, first=None):
        """`first`: its first byte, if that was read."""
        first = self.byte() if first is None else first
        if first < 0xa0:
            return first
        if first < 0xb8:
            return 160 + (first - 0xa0) * 256 + self.byte()
        if first < 0xbf:
            return 6304 + (first - 0xb8) * 65536 + self.highest_first(2)
        if first > 0xbf:
            raise Malformed("number")
        return self.highest_first(4)


def read_reference(read, model, kind):
    number, of = read.number(), near(kind)
    if of is None:
        if number >> 31:
            raise Malformed("reference")
        return 2 * number
    if of == "task":
        if number % 2 == 0:
            return number
        number -= number % 4 == 1
    model.references[of] = changed(number, model.references[of])
    return model.references[of]


def read_new_slot(read, model, kind):
    if kind in (0x00, 0xff):
        raise Malformed("kind")
    reference = read_reference(read, model, kind) if kind & 16 else 0
    count = read.byte() if kind & 32 else 0
    number = model.place()
    model.slots[number] = Slot(kind, reference, count)
    return number


def read_slot(read, model):
    """The number of the slot, and the first byte of the time."""
    first = read.byte()
    if first < 0xc0:
        return model.expected(), first
    if first >= 0xfe:
        number = read_new_slot(read, model, ZONE_BEGIN if first == 0xfe else read.byte())
    else:
        number = first - 0xc0
        if number >= model.defined:
            raise Malformed("slot number")
        model.slots[number].used = True
    return number, read.byte()


def read_delta(read, pair, first):
    number = read.number(first)
    delta = changed(number, pair.last) if pair.by_change else number
    pair.was_time(delta)
    return delta


def read_words(read, model, number):
    words, plain = [], False
    for at in range(model.slots[number].count):
        place = model.value(number, at)
        first = None if plain else read.byte()
        plain = plain or first == 0xc0
        if plain:
            word = int.from_bytes((read.byte() for _ in range(4)), "little")
        else:
            word = changed(read.number(first), model.values[place])
        model.values[place] = word
        words.append(word)
    return words


def read_stack(read, model, count):
    """The frames, the innermost first."""
    if count > FRAMES_MAX:
        raise Malformed("call stack")
    frames = [0]
    while len(frames) <= count:
        first = read.byte()
        if first <= 0xc0:
            frames.append(read_frame(read, model, frames[-1], first))
            continue
        if first - 0xc0 > count + 1 - len(frames):
            raise Malformed("more frames than there are")
        for _ in range(first - 0xc0):
            frames.append(model.calls[inside(frames[-1])])
    return frames[:0:-1]


def read_frame(read, model, caller, first):
    place, high = inside(caller), caller >> 32
    if first == 0xc0:
        high = model.high = changed(read.number(), model.high)
        first = None
    base = (model.calls[place] or caller) & 0xffffffff
    model.calls[place] = high << 32 | changed(read.number(first), base)
    return model.calls[place]


class Events:
    """An EVENTS packet: its head, and as many events as agree with WIRE.md, as (kind, reference, ticks, words)."""

    def __init__(self, body):
        read = Body(body)
        lane = read.number(1)
        self.lane, self.slots = lane & 63, SIZES[lane >> 6][0]
        self.first, self.time, self.context = read.varint(), read.varint(), read.varint()
        if self.context > 0xffffffff:
            raise Malformed("reference")
        if len(body) - read.at < 2:
            raise Malformed("no count")
        self.count = int.from_bytes(body[-2:], "little")
        self.events = []
        self.model, self.read = Model(self.slots, self.context), Bytes(body[read.at:-2])
        ticks = self.time
        try:
            for _ in range(self.count):
                self.events.append(self.event(ticks))
                ticks = self.events[-1][2]
        except Malformed:
            pass

    def event(self, ticks):
        number, first = read_slot(self.read, self.model)
        ticks += read_delta(self.read, self.model.enter(number), first)
        slot = self.model.slots[number]
        if slot.kind == CALLSTACK:
            words = stack_of(read_stack(self.read, self.model, slot.count))
        else:
            words = read_words(self.read, self.model, number)
        return slot.kind, slot.reference, ticks & 0xffffffffffffffff, words


# ---- packets as lines of text ----

def line_of(head, **fields):
    return " ".join([head] + [f"{key}={value}" for key, value in fields.items() if value is not None])


def event_line(kind, reference, ticks, words):
    return line_of(KINDS.get(kind, f"{kind:#x}"), ticks=ticks, reference=reference if kind & 16 else None,
                   words=",".join(f"{w:#x}" for w in words) if kind & 32 else None)


def session_lines(body, names):
    session = session_of(body)
    names.session(session)
    session["session"] = f"{session['session']:#x}"
    if "identity" in session:
        session["identity"] = f"{session['identity']:#x}"
    session["image"] = quoted(session["image"])
    session["names"] = ",".join(map(quoted, session["names"]))
    return session, []


def sites_lines(body, names):
    sites = sites_of(body)
    names.sites.update(sites)
    lines = []
    for site in sites.values():
        shown = dict(site, color=f"{site['color']:#x}", detail=f"{site['detail']:#x}")
        shown.update((key, None if site[key] is None else quoted(site[key])) for key in ("name", "function", "file"))
        lines.append(line_of("SITE", **shown))
    return {"first": min(sites, default=0)}, lines


def events_lines(body, names):
    packet = Events(body)
    lines = []
    for kind, reference, ticks, words in packet.events:
        meaning = names.meaning(kind, reference, words)
        lines.append(event_line(kind, reference, ticks, words) + (f" # {meaning}" if meaning else ""))
    return {key: getattr(packet, key) for key in ("lane", "slots", "count", "first", "time", "context")}, lines


def status_of(body):
    read = Body(body)
    flags, now = read.number(1), read.varint()
    lanes = [(read.varint(), read.varint()) for _ in range(read.number(1))]
    head = {"flags": flags, "now": now}
    if flags & 4:
        head["unknown_lane"] = read.varint()
    if flags & 8:
        head["usage"] = read.varint()
    return head, lanes


def status_lines(body, _):
    head, lanes = status_of(body)
    return head, [line_of("LANE", events=events, refused=refused) for events, refused in lanes]


def facts_of(body):
    """Type and value of each fact; the last one may be cut."""
    read = Body(body)
    while read.more():
        number, length = read.varint(), read.varint()
        yield number, read.bytes(length)


def info_lines(body, _):
    return {}, [line_of("FACT", type=number, value=value.hex()) for number, value in facts_of(body)]


def large_of(body):
    read = Body(body)
    large = {"flags": read.number(1), "id": read.varint(), "total": read.varint(), "offset": read.varint()}
    if large["flags"] & 1:
        large.update(type=read.number(1), name=read.string())
    return dict(large, bytes=read.bytes(len(body) - read.at))


def large_lines(body, _):
    large = large_of(body)
    if "name" in large:
        large["name"] = quoted(large["name"])
    return dict(large, bytes=large["bytes"].hex()), []


def device_of(body):
    """The fields of a DEVICE packet, and its records as pairs of words or the names of sites."""
    read = Body(body)
    device = {"flags": read.number(1), "number": read.varint(), "first": read.varint()}
    inside = []
    if device["flags"] & 4:
        while read.more():
            inside.append(read.string())
        return device, inside
    device.update(refused=read.varint(), now=read.varint(), ago=read.varint())
    if device["flags"] & 1:
        device.update(sites=read.number(1), x=read.varint(), y=read.varint(), hz=read.varint(), device=read.string(),
                      core=read.string())
    if device["flags"] & 2:
        device.update(ticks=read.varint(), within=read.varint(), before=read.varint())
    while len(body) - read.at >= 8:
        inside.append((read.number(4), read.number(4)))
    return device, inside


def device_lines(body, _):
    device, inside = device_of(body)
    device.update((key, quoted(device[key])) for key in ("device", "core") if key in device)
    if device["flags"] & 4:
        return device, [line_of("NAME", name=quoted(name)) for name in inside]
    return device, [line_of("RECORD", words=",".join(f"{word:#x}" for word in words)) for words in inside]


def other_fields(name, body):
    read = Body(body)
    if name == "PONG":
        return {"cookie": f"{read.number(8):#x}", "read": read.varint(), "answered": read.varint()}
    if name == "PING":
        return {"cookie": f"{read.number(8):#x}"}
    if name == "BOARD":
        return {"board": read.varint(), "bytes": read.varint(), "name": quoted(read.string())}
    if name == "HOST_CLOCK":
        return {"monotonic_ns": read.number(8), "unix_ns": read.number(8)}
    if name == "TEXT":
        return {"text": quoted(body)}
    if name == "PARAM":
        site = read.varint()
        return {"site": site, **{key: signed_word(read) for key in ("value", "least", "greatest")}}
    if name == "SET_PARAM":
        return {"site": read.number(4), "value": signed_word(read)}
    if name == "GUARD":
        fields = {"refused": read.varint()}
        return dict(fields, accepted=read.varint(), challenge=read.bytes(8).hex()) if read.more() else fields
    return {}


def signed_lines(body, names):
    read = Body(body)
    counter, command, signature = read.number(4), read.bytes(len(body) - 12), read.bytes(8)
    if len(command) < 2:
        raise Malformed("a signed command without a head")
    return ({"counter": counter, "signature": signature.hex()},
            packet_lines(command[0] & 31, command[1], command[2:], names))


def signed_word(read):
    return int.from_bytes(read.bytes(4), "little", signed=True)


def packet_lines(number, sequence, body, names):
    """A packet as lines of text: first the packet, then what is in it."""
    name = TYPES.get(number)
    of = {"SESSION": session_lines, "SITES": sites_lines, "EVENTS": events_lines, "STATUS": status_lines,
          "SIGNED": signed_lines, "INFO": info_lines, "LARGE": large_lines,
          "DEVICE": device_lines}.get(name)
    fields, lines = of(body, names) if of else (other_fields(name, body), [])
    return [line_of(name or f"type {number}", sequence=sequence, **fields)] + lines


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: wire_decoder.py CAPTURE")
    names = Names()
    with open(sys.argv[1], "rb") as capture:
        for packet in packets(capture.read()):
            try:
                print("\n".join(packet_lines(*packet, names)))
            except Malformed as error:
                print(f"malformed: {error}")


if __name__ == "__main__":
    main()
