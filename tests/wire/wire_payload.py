# SPDX-License-Identifier: MIT
"""What the words of an event mean (runtime/WIRE.md, sections 4 and 5), and events as lines of text."""
import json
import re
import struct

from wire_packets import KINDS, TABLE, NUMBERS


def word(words, index):
    return words[index] if index < len(words) else 0


def wide(words, index):
    return word(words, index) | word(words, index + 1) << 32


def signed(number, bits):
    return number - (1 << bits) if number >> (bits - 1) else number


def text_of(words, index):
    """A string in payload, and the index behind it."""
    length = word(words, index)
    count = (length + 3) // 4
    text = b"".join(struct.pack("<I", word(words, index + 1 + i)) for i in range(min(count, 256)))[:length]
    return text.split(b"\0")[0], index + 1 + count


def plot_of(kind, words):
    if kind == NUMBERS["PLOT_FLOAT"]:
        return struct.unpack("<f", struct.pack("<I", word(words, 0)))[0]
    if kind == NUMBERS["PLOT_DOUBLE"]:
        return struct.unpack("<d", struct.pack("<Q", wide(words, 0)))[0]
    low = word(words, 0)
    high = (word(words, 1) + (0xffffffff if low >> 31 else 0)) & 0xffffffff
    return signed(low | high << 32, 64)


def arguments_of(words, classes, name_of):
    """The arguments of a message, as many as arrived whole."""
    values = []
    at = 0
    while classes & 15 and at < len(words):
        kind = classes & 15
        classes >>= 4
        if kind == 6:
            text, at = text_of(words, at)
            values.append(text)
            continue
        low, both = word(words, at), wide(words, at)
        at += 2 if kind in (3, 4, 5, 8) else 1
        values.append({
            1: lambda: signed(low, 32), 2: lambda: low, 3: lambda: signed(both, 64), 4: lambda: both,
            5: lambda: struct.unpack("<d", struct.pack("<Q", both))[0], 7: lambda: name_of(low),
            8: lambda: both, 9: lambda: struct.unpack("<f", struct.pack("<I", low))[0],
        }.get(kind, lambda: low)())
    return values


def shown(letter, modifier, value, kind):
    """The argument as Python's % wants it."""
    if letter == "c":
        return value & 255
    if letter not in "uxXop" and modifier not in ("h", "hh"):
        return value
    width = {"h": 16, "hh": 8}.get(modifier, 32 if kind in (1, 2) else 64)
    return signed(value & ((1 << width) - 1), width if letter in "di" else width + 1)


def printf(form, words, classes, name_of):
    """The text of a message. What has no fitting argument is left as it stands."""
    values = arguments_of(words, classes, name_of)
    kinds = [classes >> 4 * i & 15 for i in range(len(values))]
    at = 0

    def take():
        nonlocal at
        at += 1
        return (values[at - 1], kinds[at - 1]) if at <= len(values) else (None, 0)

    def convert(match):
        flags, width, precision, modifier, letter = (part.decode() for part in match.groups(b""))
        if letter == "%":
            return b"%"
        width = str(take()[0] or 0) if width == "*" else width
        precision = "." + str(take()[0] or 0) if precision == ".*" else precision
        precision = "" if "-" in precision else precision
        value, kind = take()
        fitting = {5: "fFeEgG", 6: "s", 7: "s", 9: "fFeEgG"}.get(kind, "diuxXocp" if kind else "")
        if letter not in fitting:
            return match.group()
        if kind not in (5, 6, 7, 9):
            value = shown(letter, modifier, value, kind)
        if letter == "p":
            flags, letter = flags + "#", "x"
        return f"%{flags}{width}{precision}{letter}".encode() % value

    return re.sub(rb"%([-+ #0]*)(\d+|\*)?(\.(?:\d+|\*)?)?([hljztLq]*)(.)", convert, form, flags=re.DOTALL)


def quoted(text):
    """In JSON's form; a byte that is not UTF-8 is shown as a question mark."""
    return json.dumps(re.sub("[\udc80-\udcff]", "?", text.decode("utf-8", "surrogateescape")), ensure_ascii=False)


def function_of(reference, words):
    """What a function is called without an ELF file."""
    return b"%#x" % (reference | word(words, 0) << 32)


SITES_MAX = 1 << 20
OF_SITES = {row.number for row in TABLE if row.reference.startswith("SITE")}


class Names:
    """What SESSION and SITES told in one session."""

    def __init__(self):
        self.sites, self.lanes, self.hz = {}, [], 0
        self.objects = {}

    def session(self, session):
        self.lanes, self.hz = session["names"], session["hz"]

    def site(self, number):
        """The name to show for a site."""
        site = self.sites.get(number)
        if number >= SITES_MAX:
            return b""
        if site is None:
            return b"site %d" % number
        if site["name"] is not None:
            return site["name"]
        return {3: b"Frame", 4: b"memory", 8: b"flow"}.get(site["kind"], site["function"])

    def context(self, lane, reference):
        """The name of a context that no event names."""
        if reference == 1:
            name = self.lanes[lane] if lane < len(self.lanes) else b""
            return name or b"core %d" % lane
        if reference % 2:
            return b"task %#x" % (reference // 2 * 8)
        if reference // 2 >= SITES_MAX:
            return b"context %d" % (reference // 2)
        return self.site(reference // 2) + (b" (core %d)" % lane if lane else b"")

    def object_meaning(self, kind, reference, words):
        """What an event of a run-time object says; remembers the names of those."""
        if kind.payload == "OBJECT":
            identity = reference | word(words, 1) << 32
            self.objects[identity] = text_of(words, 3)[0]
        elif kind.payload == "NEW_NAME":
            identity = reference | word(words, 0) << 32
            self.objects[identity] = text_of(words, 1)[0]
        else:
            identity = reference | word(words, 0) << 32
        of = kind.reference.partition("_")[2].lower() or "object"
        name = self.objects.get(identity, b"%s %#x" % (of.encode(), identity))
        if kind.name == "OBJECT_END":
            self.objects.pop(identity, None)
        return f"{'object' if kind.name == 'OBJECT_NAME' else kind.word} {quoted(name)}"

    def first_seen(self, identity):
        """An object of which nothing was heard yet: it has no name."""
        if identity == 0 or identity in self.objects:
            return ""
        self.objects[identity] = b"object %#x" % identity
        return f"object {quoted(self.objects[identity])}"

    def meaning(self, kind, reference, words):
        """What an event says, as text; "" if that is all in its kind."""
        name = KINDS.get(kind, "")
        if name.startswith("FUNCTION"):
            return f"begin {quoted(function_of(reference, words))}" if name == "FUNCTION_BEGIN" else ""
        row = next((row for row in TABLE if row.number == kind), None)
        if row and row.role == "TASK":
            # hostlink decides its meaning for the task.
            return self.first_seen(reference | word(words, 1) << 32) if kind & 64 else ""
        if row and kind & 64:
            return self.object_meaning(row, reference, words)
        site = quoted(self.site(reference // 2)) if kind & 16 else ""
        if name == "ZONE_BEGIN":
            return f"begin {site}"
        if name in ("ZONE_TEXT", "ZONE_NAME", "APP_INFO"):
            return f"{name[-4:].lower()} {quoted(text_of(words, 0)[0])}"
        if name == "ZONE_VALUE":
            return f"value {wide(words, 0)}"
        if name == "ZONE_COUNTERS":
            return f"counters {word(words, 0)} {word(words, 1)}"
        if name == "ZONE_COUNT":
            return f"count {site} {word(words, 0)}"
        if name == "ZONE_COLOR":
            return f"color {word(words, 0):#08x}"
        if name == "PLOT_CONFIG":
            return f"config {wide(words, 0)}"
        if name == "MEMORY_DISCARD":
            return ""  # the frees of what is left, which is hostlink's
        if name == "MESSAGE_TEXT":
            has_text = word(words, 0) >> 31
            return f"message {quoted(text_of(words, 1)[0] if has_text else self.site(reference // 2))}"
        if name.startswith("PLOT"):
            return f"plot {site} {plot_of(kind, words):.17g}" if kind != 0x30 else f"plot {site} {plot_of(kind, words)}"
        if name.startswith("FRAME"):
            return f"{name.lower().replace('_', ' ')} {site}"
        if name == "ALLOC":
            address, size = word(words, 0) | word(words, 2) << 32, word(words, 1) | word(words, 3) << 32
            return f"alloc {site} {address:#x} {size}"
        if name == "FREE":
            return f"free {site} {wide(words, 0):#x}"
        if row and row.payload == "FLOW":
            return f"{row.word} {site} {wide(words, 0)}"
        if name == "SAMPLE":
            return f"sample, {word(words, 1)} missed"
        if name == "LARGE":
            return f"large {quoted(text_of(words, 3)[0])} {word(words, 1)}"
        if name == "MESSAGE":
            detail = self.sites.get(reference // 2, {"detail": 0})["detail"]
            return f"message {quoted(printf(self.site(reference // 2), words, detail, self.site))}"
        return f"lost {word(words, 0)}" if name == "LOSS" else ""
