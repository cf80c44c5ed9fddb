#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds hostlink's decoder against the second one, line by line, and the runtime's encoder against the second one.

  compare.py DUMP_EVENTS --captures FILE ...        captures of real boards
  compare.py DUMP_EVENTS --cases DIR HOSTLINK RECORDER ...   captures of the test firmware record_cases, as they are and
                                                    damaged; they are left in DIR
  compare.py DUMP_EVENTS --seeds FIRST LAST DIR RECORDER ...   the same of many seeds, without the rare cases that
                                                    --cases looks for; those that agree are removed
"""
import itertools
import os
import random
import struct
import subprocess
import sys

from wire_decoder import Events, packet_lines
from wire_encoder import on_the_wire
from wire_packets import KINDS, Malformed, NUMBERS, TYPES, packet_with_crc, packets, pieces, stuff, unstuff
from wire_payload import Names, SITES_MAX
from wire_session import follow

STEPS = 6000
EVENTS = next(number for number, name in TYPES.items() if name == "EVENTS")
CLOCK = NUMBERS["CLOCK"]
failures = 0


def fail(what):
    global failures
    failures += 1
    print(f"FAILED: {what}")


def dump(program, level, path):
    done = subprocess.run([program, level, path], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape").splitlines()


def packets_here(stream):
    lines = []
    for number, sequence, body in packets(stream):
        if number == EVENTS:
            try:
                lines += packet_lines(number, sequence, body, Names())
            except Malformed:
                pass
    return [line.split(" # ")[0] for line in lines]


def events_here(stream):
    """The lines, and whether all sessions know the rate of their clock."""
    first = follow(stream)
    capture = follow(stream, first.names)
    return capture.lines + [capture.total()], all(names.hz for names in first.names)


def same(name, ours, theirs):
    for number, (our, their) in enumerate(itertools.zip_longest(ours, theirs), 1):
        if our != their:
            fail(f"{name}, line {number}:\n  second decoder: {our}\n  hostlink:       {their}")
            return
    print(f"{name}: {len(ours)} lines agree")


def without_times(lines):
    return [line.split(" ", 1)[1] if line.split(" ", 1)[0].isdigit() else line for line in lines]


def encodes_the_same(name, stream):
    """The runtime's bytes against those of the second encoder, from what the second decoder reads."""
    names, count = Names(), 0
    for chunk, packet in pieces(stream):
        if packet:
            lines = packet_lines(packet[0] & 31, packet[1], packet[2:], names)
            count += 1
            # Unstuffed: after a full last block the runtime sends the empty one that may be left out.
            if unstuff(on_the_wire("\n".join(lines)).strip(b"\0")) != unstuff(chunk):
                fail(f"{name}: encoded again, packet {count} is another: {lines[0]}")
                return
    print(f"{name}: {count} packets encoded again are the same")


def kinds_in(stream):
    kinds = set()
    for number, _, body in packets(stream):
        if number == EVENTS:
            try:
                kinds |= {kind for kind, *_ in Events(body).events}
            except Malformed:
                pass
    return kinds


def compare(program, path, levels=("packets", "events"), measured=False):
    """Returns the totals of the capture, or None if only its packets were compared; "measured": the host took part."""
    with open(path, "rb") as file:
        stream = file.read()
    for level in levels:
        here, timed = (packets_here(stream), True) if level == "packets" else events_here(stream)
        there = dump(program, level, path)
        total = here[-1] if level == "events" else None
        if level == "events" and CLOCK in kinds_in(stream):
            # wire_session.py knows one rate a session; the order of lanes depends on it, too.
            here, there = here[-1:], there[-1:]
        elif measured and not timed:
            # The board does not know its clock's rate. How hostlink then measures it is not on the page.
            here, there = without_times(here), without_times(there)
        same(f"{os.path.basename(path)} {level}", here, there)
    return total


# ---- damage ----

def chunks(stream):
    """The packets as they are on the wire, and whether each is one of events."""
    for chunk, packet in pieces(stream):
        if packet:
            yield chunk, packet[0] & 31 == EVENTS


def join(parts):
    return b"".join(part + b"\0" for part in parts)


def with_a_stuck_buffer(stream):
    """Each hundredth packet comes forty times, and the first again."""
    parts = [chunk for chunk, _ in chunks(stream)]
    return join(chunk for number, part in enumerate(parts)
                for chunk in ([part] * 40 + [parts[0]] if number % 100 == 50 else [part]))


def with_lost_packets(stream, dice):
    return join(chunk for chunk, events in chunks(stream) if not events or dice.random() > 0.05)


def with_doubled_packets(stream, dice):
    return join(part for chunk, events in chunks(stream) for part in [chunk] * (2 if dice.random() < 0.1 else 1))


def with_flipped_bits(stream, dice):
    def flip(chunk):
        at = dice.randrange(len(chunk))
        return chunk[:at] + bytes([chunk[at] ^ 1 << dice.randrange(8)]) + chunk[at + 1:]
    return join(flip(chunk) if events and dice.random() < 0.1 else chunk for chunk, events in chunks(stream))


def with_wrong_events(stream, dice):
    """Damage under a correct CRC: both must find the same contradiction at the same place."""
    def spoil(chunk):
        packet = bytearray(unstuff(chunk)[:-4])
        for _ in range(dice.randrange(1, 4)):
            packet[dice.randrange(2, len(packet))] = dice.randrange(256)
        return stuff(packet_with_crc(packet[0] & 31, packet[1], bytes(packet[2:])))
    return join(spoil(chunk) for chunk, events in chunks(stream) if events)


DAMAGES = (with_lost_packets, with_doubled_packets, with_flipped_bits, with_wrong_events)


# ---- the cases ----

def at_the_last_site():
    """Events of the last number that a site can have, and of the two behind it."""
    kinds = ("ZONE_BEGIN", "ZONE_COUNT", "PLOT_INT", "MESSAGE", "FRAME", "CONTEXT", "ZONE_END")
    events = [f"{kind} ticks=100" + ("" if kind == "ZONE_END" else f" reference={2 * site}")
              + (" words=0x1" if kind in ("ZONE_COUNT", "PLOT_INT") else "")
              for site in (SITES_MAX - 1, SITES_MAX, SITES_MAX + 1) for kind in kinds]
    sites = [f'SITE kind=7 level=0 line=1 detail=0 color=0 name="{name}" function="" file=""' for name in "abc"]
    lines = ['SESSION sequence=0 session=1 hz=1000000 now=0 flags=0 sites=1 pointer=4 image="many" lanes=1 names=""',
             "\n".join([f"SITES sequence=1 first={SITES_MAX - 1}", *sites]),
             "\n".join([f"EVENTS sequence=2 lane=0 slots=62 count={len(events)} first=0 time=100 context=1", *events])]
    return b"".join(on_the_wire(packet) for packet in lines)


def record(recorder, seed, path):
    """Returns the capture, and how many events the firmware says it emitted."""
    emitted = int(subprocess.run([recorder, str(seed), str(STEPS), path], capture_output=True, check=True).stdout)
    with open(path, "rb") as file:
        return file.read(), emitted


def check_emitted(name, total, emitted):
    delivered, lost = (int(part.split("=")[1]) for part in total.split())
    if emitted is not None and delivered + lost != emitted:
        fail(f"{name}: {total}, but the firmware emitted {emitted}")


def seen_in(stream):
    """Which of the odd cases a capture holds."""
    seen = set()
    for number, _, body in packets(stream):
        if number != EVENTS:
            continue
        packet = Events(body)
        kinds = [KINDS[kind] for kind, *_ in packet.events]
        times = [packet.time] + [ticks for _, _, ticks, _ in packet.events]
        seen.update(kinds)
        seen.add(f"{packet.slots} slots")
        if len({event[:2] for event in packet.events}) > packet.slots:
            seen.add(f"more than {packet.slots} places in a packet")
        if max(after - before for before, after in zip(times, times[1:])) > 0xfffff000:
            seen.add("a delta near 2^32")
        if any(words and words[-1] and kind in (0x34, 0x35) for kind, _, _, words in packet.events):
            seen.add("a 64-bit address")
        if any(words and words[0] >> 31 for kind, _, _, words in packet.events if kind == 0x30):
            seen.add("a negative plot")
        seen.update(f"a packet beyond {size} bytes" for size in (150, 400, 800, 3000) if len(body) > size)
    return seen | ({"an end before what its task did on another lane"} if has_early_end(stream) else set())


def has_early_end(stream):
    """A packet of another lane comes behind the end of a task, with a switch to that task at an earlier time."""
    ends = {}
    for number, _, body in packets(stream):
        if number != EVENTS:
            continue
        packet = Events(body)
        runs = [(packet.context, packet.time)]
        runs += [(reference, ticks) for kind, reference, ticks, _ in packet.events if KINDS[kind] == "CONTEXT"]
        for reference, ticks in runs:
            if any(lane != packet.lane and ticks < end for lane, end in ends.get(reference, ())):
                return True
        for kind, reference, ticks, _ in packet.events:
            if KINDS[kind] == "CONTEXT_END":
                ends.setdefault(reference, []).append((packet.lane, ticks))
    return False


WANTED = set(KINDS.values()) | {f"{size} slots" for size in (8, 16, 32, 62)} | {
    "more than 8 places in a packet", "more than 16 places in a packet", "more than 32 places in a packet",
    "more than 62 places in a packet", "a delta near 2^32", "a 64-bit address", "a negative plot",
    "a packet beyond 150 bytes", "a packet beyond 3000 bytes", "an end before what its task did on another lane"}


def recorded(program, recorder, seed, path):
    """A seed's capture, compared as it is, and its number of events."""
    stream, emitted = record(recorder, seed, path)
    check_emitted(path, compare(program, path), emitted)
    encodes_the_same(os.path.basename(path), stream)
    return stream, emitted


def damaged(stream, emitted, seed):
    """Name, stream, and how many events it must account for if that is known."""
    for damage in DAMAGES:
        yield damage.__name__, damage(stream, random.Random(seed)), None if damage == with_wrong_events else emitted
    yield "with_a_stuck_buffer", with_a_stuck_buffer(stream), emitted


def compare_damaged(program, path, stream, emitted):
    with open(path, "wb") as file:
        file.write(stream)
    total = compare(program, path, ("packets",) if "with_wrong_events" in path else ("packets", "events"))
    if total:
        check_emitted(path, total, emitted)


def doubled(stream):
    return join(chunk for chunk, _ in chunks(stream) for _ in range(2))


def with_empty_packets(stream):
    """Before packets of events one of the same head without events: not where a lane begins, nor behind a pause, when
    hostlink forgets how late the lanes were, nor behind changes of the clock, which may be of a time that is then shown."""
    lanes, parts, newest, changed = set(), [], 0, False
    for chunk, events in chunks(stream):
        packet = unstuff(chunk)
        of = Events(packet[2:-4]) if events else None
        if of and of.lane in lanes and abs(of.time - newest) < PAUSE_TICKS and not changed:
            parts.append(on_the_wire(f"EVENTS sequence={packet[1]} lane={of.lane} slots={of.slots} count=0 "
                                     f"first={of.first} time={of.time} context={of.context}"))
        if of:
            lanes.add(of.lane)
            newest = max(newest, of.time)
            changed = changed or any(kind == CLOCK for kind, *_ in of.events)
        parts.append(chunk + b"\0")
    return b"".join(parts)


PAUSE_TICKS = 1 << 29
OUTPUTS = ("perfetto", "chrome", "csv-events", "csv", "folded", "folded-memory", "folded-samples", "speedscope", "pprof")


def outputs(hostlink, path, name):
    """What all formats make of a capture, by format."""
    made = {kind: f"{path}.{name}.{kind}" for kind in OUTPUTS}
    asked = [part for kind in OUTPUTS for part in ("-o", f"{kind}:{made[kind]}")]
    subprocess.run([hostlink, "convert", path, *asked], capture_output=True, check=True)
    contents = {}
    for kind, file_name in made.items():
        with open(file_name, "rb") as file:
            contents[kind] = file.read()
        os.remove(file_name)
    return contents


def check_copies(program, hostlink, path, stream):
    """Copies of all packets, and packets of no events, change nothing, the order of lanes neither."""
    lines, plain, before = dump(program, "events", path), outputs(hostlink, path, "plain"), failures
    for name, other in (("doubled", doubled(stream)), ("empty", with_empty_packets(stream))):
        with open(f"{path}.{name}", "wb") as file:
            file.write(other)
        if dump(program, "events", f"{path}.{name}") != lines:
            fail(f"{path}: other events where packets are {name}")
        there = outputs(hostlink, f"{path}.{name}", "other")
        for kind in OUTPUTS:
            if there[kind] != plain[kind]:
                fail(f"{path}: {kind} has other bytes where packets are {name}")
    if failures == before:
        print(f"{os.path.basename(path)}: copies and empty packets change none of {len(OUTPUTS)} outputs")


def run_cases(program, folder, hostlink, recorders):
    os.makedirs(folder, exist_ok=True)
    compare_damaged(program, os.path.join(folder, "at_the_last_site.kymo"), at_the_last_site(), 21)
    seen = set()
    for recorder in recorders:
        base = os.path.join(folder, os.path.basename(recorder))
        (one, emitted), (two, _) = (recorded(program, recorder, seed, f"{base}.{seed}.kymo") for seed in (1, 2))
        seen |= seen_in(one) | seen_in(two)
        if record(recorder, 1, f"{base}.again.kymo") != (one, emitted):
            fail(f"{base}: another capture of the same seed")
        check_copies(program, hostlink, f"{base}.1.kymo", one)
        joined = (("and_a_reset", one[:len(one) // 2] + b"\0" + two, None), ("the_same_start_again", one + one, None))
        for name, stream, events in (*damaged(one, emitted, 1), *joined):
            compare_damaged(program, f"{base}.{name}.kymo", stream, events)
    for missing in sorted(WANTED - seen):
        fail(f"no capture has {missing}")


def run_seeds(program, first, last, folder, recorders):
    os.makedirs(folder, exist_ok=True)
    for seed, recorder in itertools.product(range(first, last + 1), recorders):
        base = os.path.join(folder, f"{os.path.basename(recorder)}.{seed}")
        before, paths = failures, [f"{base}.kymo"]
        stream, emitted = recorded(program, recorder, seed, paths[0])
        for name, other, events in damaged(stream, emitted, seed):
            paths.append(f"{base}.{name}.kymo")
            compare_damaged(program, paths[-1], other, events)
        for path in paths if failures == before else ():
            os.remove(path)


def main():
    if len(sys.argv) < 4 or sys.argv[2] not in ("--captures", "--cases", "--seeds"):
        sys.exit(__doc__)
    program, mode, *rest = sys.argv[1:]
    for path in [program] + rest[{"--captures": 0, "--cases": 1, "--seeds": 3}[mode]:]:
        if not os.path.exists(path):
            sys.exit(f"{path} is missing: build the preset 'host', run the board's test (tests/run.sh does both)")
    if mode == "--cases":
        run_cases(program, rest[0], rest[1], rest[2:])
    elif mode == "--seeds":
        run_seeds(program, int(rest[0]), int(rest[1]), rest[2], rest[3:])
    else:
        for path in rest:
            compare(program, path, measured=True)
            with open(path, "rb") as file:
                encodes_the_same(os.path.basename(path), file.read())
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
