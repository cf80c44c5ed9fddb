#!/usr/bin/env python3
"""A second decoder of the wire format, written from runtime/WIRE.md alone.

It shares no code with hostlink: where the two disagree, one of them or WIRE.md is wrong.
"""
import sys

from wire_packets import KINDS, Malformed, TYPES, packets
from wire_model import CALLSTACK, LONG_CLASS, Model, ZONE_BEGIN, changed, least_of, stack_of
from wire_payload import Names, quoted
from wire_raw import Raw


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

class Bits:
    """Reads numbers from a string of bits."""

    def __init__(self, data):
        self.value, self.left = int.from_bytes(data, "little"), 8 * len(data)

    def bits(self, count):
        if count > self.left:
            raise Malformed("events end too early")
        number = self.value & ((1 << count) - 1)
        self.value >>= count
        self.left -= count
        return number

    def zeros(self, most):
        """So many before a one, or that many without one."""
        for zeros in range(most):
            if self.bits(1):
                return zeros
        return most

    def rest(self, number_class, scale):
        """A scaled number, of which the class is known."""
        if number_class == LONG_CLASS:
            length = self.bits(5)
            return 1 << length | self.bits(length)
        number = least_of(number_class, scale) + self.bits(number_class + scale)
        if number > 0xffffffff:
            raise Malformed("number")
        return number

    def against(self, scale):
        folded = self.rest(self.zeros(LONG_CLASS), scale.scale)
        number = changed(folded, scale.last)
        scale.was(number)
        return number


def read_new_slot(bits, model):
    kind = ZONE_BEGIN if bits.bits(1) else bits.bits(8)
    reference = bits.against(model.references) if kind & 16 else 0
    number = model.place()
    model.define(number, kind, reference)
    return number


def read_other_slot(bits, model):
    if not bits.bits(1):
        return read_new_slot(bits, model)
    number = bits.bits((model.defined - 1).bit_length()) + 1
    if number > model.defined:
        raise Malformed("slot number")
    model.slots[number].used = True
    return number


def read_slot(bits, model):
    """The slot, and the class of the time."""
    guess = model.pair.successor
    if guess:
        first = bits.bits(1)
        if first or bits.bits(1):
            model.slots[guess].used = True
            return guess, 0 if first else 1 + bits.zeros(LONG_CLASS - 1)
    return read_other_slot(bits, model), bits.zeros(LONG_CLASS)


def read_delta(bits, pair, number_class):
    number = bits.rest(number_class, pair.scale)
    delta = changed(number, pair.last) if pair.by_change else number
    pair.was_time(delta)
    return delta


def read_words(bits, model, number):
    slot = model.slots[number]
    if not bits.bits(1):
        slot.words = bits.bits(8)
    if slot.kind == CALLSTACK:
        return stack_of(read_frames(bits, model.calls, slot.words))
    return [bits.against(model.value(number, at)) for at in range(slot.words)]


def read_frames(bits, calls, count):
    if count > 62:
        raise Malformed("call stack")
    frames = [0]
    for _ in range(count):
        frames.append(read_frame(bits, calls, frames[-1]))
    return frames[:0:-1]


def read_frame(bits, calls, caller):
    place = calls.inside(caller)
    expected = calls.addresses[place]
    if not bits.bits(1):
        high = caller >> 32 if bits.bits(1) else bits.against(calls.high)
        scale = calls.scale(expected)
        folded = bits.rest(bits.zeros(LONG_CLASS), scale.scale)
        scale.follow(folded)
        calls.addresses[place] = high << 32 | changed(folded, (expected or caller) & 0xffffffff)
    return calls.addresses[place]


class Events:
    """An EVENTS packet: its head, and as many events as agree with WIRE.md, as (kind, reference, ticks, words)."""

    def __init__(self, body):
        read = Body(body)
        lane = read.number(1)
        self.lane, self.slots = lane & 63, 8 << (lane >> 6)
        self.first, self.time, self.context = read.varint(), read.varint(), read.varint()
        if self.context > 0xffffffff:
            raise Malformed("reference")
        if len(body) - read.at < 2:
            raise Malformed("no count")
        self.count = int.from_bytes(body[-2:], "little")
        self.events = []
        self.model, self.bits = Model(self.slots), Bits(body[read.at:-2])
        ticks = self.time
        try:
            for _ in range(self.count):
                self.events.append(self.event(ticks))
                ticks = self.events[-1][2]
        except Malformed:
            pass

    def event(self, ticks):
        number, number_class = read_slot(self.bits, self.model)
        self.model.enter(number)
        delta = read_delta(self.bits, self.model.pair, number_class)
        slot = self.model.slots[number]
        words = read_words(self.bits, self.model, number) if slot.kind & 32 else []
        return slot.kind, slot.reference, (ticks + delta) & 0xffffffffffffffff, words


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


def event_lines_of(packet, names):
    lines = []
    for kind, reference, ticks, words in packet.events:
        meaning = names.meaning(kind, reference, words)
        lines.append(event_line(kind, reference, ticks, words) + (f" # {meaning}" if meaning else ""))
    return {key: getattr(packet, key) for key in ("lane", "slots", "count", "first", "time", "context")}, lines


def events_lines(body, names):
    return event_lines_of(Events(body), names)


def raw_lines(body, names):
    return event_lines_of(Raw(body), names)


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


def other_fields(name, body):
    read = Body(body)
    if name == "PONG":
        return {"cookie": f"{read.number(8):#x}", "read": read.varint(), "answered": read.varint()}
    if name == "PING":
        return {"cookie": f"{read.number(8):#x}"}
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
    of = {"SESSION": session_lines, "SITES": sites_lines, "EVENTS": events_lines, "RAW": raw_lines, "STATUS": status_lines,
          "SIGNED": signed_lines, "INFO": info_lines, "LARGE": large_lines}.get(name)
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
