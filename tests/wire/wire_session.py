#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a capture tells: which events arrived, of which context and when, and how many were lost.

On top of wire_decoder.py; the lines are those of dump_events.c, which asks hostlink the same. The ways of showing
what WIRE.md leaves open (names of nameless contexts, where ns count from) are hostlink's.
"""
import itertools
import math
import sys

from wire_decoder import Events, session_of, sites_of, status_of
from wire_packets import KINDS, NUMBERS, TABLE, Malformed, TYPES, packets
from wire_merge import Merge
from wire_objects import Objects
from wire_payload import OF_SITES, SITES_MAX, Names, function_of, quoted, text_of, wide, word
import wire_repeat

LOSS, CONTEXT_NAME, CONTEXT_END, ZONE_BEGIN, ZONE_END, ZONE_END_ON = (
    NUMBERS[name] for name in ("LOSS", "CONTEXT_NAME", "CONTEXT_END", "ZONE_BEGIN", "ZONE_END", "ZONE_END_ON"))
ALLOC, FREE, MEMORY_DISCARD, FRAME_START, FRAME_END = (
    NUMBERS[name] for name in ("ALLOC", "FREE", "MEMORY_DISCARD", "FRAME_START", "FRAME_END"))
FLOWS = [NUMBERS[name] for name in ("FLOW_SEND", "FLOW_STEP", "FLOW_RECEIVE", "ASYNC_BEGIN", "ASYNC_END")]
FLOW_SEND, FLOW_STEP, FLOW_RECEIVE, ASYNC_BEGIN, ASYNC_END = FLOWS
OF_TASKS = {kind.number for kind in TABLE if kind.role == "TASK"}
SWITCHES = CONTEXT, CONTEXT_NOW = (NUMBERS["CONTEXT"], NUMBERS["CONTEXT_NOW"])
LIVES_MAX = 256
FUNCTION_BEGIN, FUNCTION_END, FUNCTION_LEFT = (NUMBERS["FUNCTION_" + name] for name in ("BEGIN", "END", "LEFT"))
ATTRIBUTES = tuple(NUMBERS["ZONE_" + name] for name in ("TEXT", "NAME", "VALUE", "COLOR", "COUNTERS", "COUNT"))


def counted(kind, words):
    """What an event adds to the number of the lane's events."""
    if kind == LOSS:
        return word(words, 0)
    return 1 if kind & 15 < 12 else 0


class Lane:
    def __init__(self):
        self.torn = False
        self.next = self.refused = 0
        self.first_time = None
        self.runs = None  # a Context
        self.preempted = None  # the one that the interrupts preempted which it runs
        self.last_ns = 0
        self.ends = False  # of zones, since the last event that was neither, nor LOSS, nor CONTEXT

    def skip_to(self, number):
        """Counts what was missed before event `number`."""
        missing = number - self.next
        self.next = number
        if missing:
            self.refused = 0
            self.torn = True
        return missing


    def lacks_switch(self, kind):
        """Ends may have been taken for those of another context."""
        lacks = kind == CONTEXT_NOW and self.ends
        self.preempted = None if kind == CONTEXT_NOW else self.preempted
        if kind in (ZONE_END, ZONE_END_ON, FUNCTION_END, FUNCTION_LEFT):
            self.ends = True
        elif kind not in (LOSS, CONTEXT):
            self.ends = False
        return lacks


class Context:
    """One row of a timeline: it has its own zones, and its time does not go back."""

    def __init__(self, reference, lane):
        self.reference, self.lane, self.name = reference, lane, b""
        self.zones, self.last_ns = [], 0
        self.late = 0  # zones that a function's end closed, whose own ends may come
        self.last, self.end = 0, math.inf  # in ticks: the latest switch to it or name, and when it was over


class Contexts:
    """What one reference stood for, one after the other, on one lane or, if it is a task, on all."""

    def __init__(self):
        self.lives = []

    def living(self, ticks):
        """The first that was over later, or the one that is not."""
        found = None
        for context in self.lives[:-LIVES_MAX - 1:-1]:
            if context.end <= ticks:
                break
            found = context
        return found

    def at(self, ticks, reference, lane):
        found = self.living(ticks)
        if found is None:
            found = Context(reference, lane)
            self.lives.append(found)
        found.last = max(found.last, ticks)
        return found

    def end(self, ticks):
        """What is over by that, if it was not before."""
        found = self.living(ticks)
        if found and found.last > ticks:
            missed = Context(found.reference, found.lane)
            missed.last = missed.end = ticks
            self.lives.insert(self.lives.index(found), missed)
        elif found and found.end == math.inf:
            found.end = ticks
            return found
        return None


class Session:
    """One run of the board."""

    def __init__(self, names, start_ns, sink):
        self.names, self.start_ns = names, start_ns
        self.objects = Objects(sink)
        self.identity, self.lane_count = None, 0
        self.lanes, self.contexts = {}, {}
        self.blocks = {}  # the addresses that are allocated, by the name of their pool
        self.frames = set()  # names of the sets of which a frame is open
        self.flows = {}  # of the open ones, flows and asynchronous zones, by kind, name and id: when they began
        self.lossy = False
        self.unmatched = 0  # ends that may still come of zones whose begins were missed or refused

    def lane(self, number):
        return self.lanes.setdefault(number, Lane())

    def context_at(self, number, reference, ticks):
        """Tasks go from lane to lane, other contexts stay on theirs."""
        key = (None if reference % 2 and reference != 1 else number, reference)
        return self.contexts.setdefault(key, Contexts()).at(ticks, reference, number)

    def is_interrupt(self, reference):
        """A site of that kind; one without a name is taken for it."""
        return reference % 2 == 0 and self.names.sites.get(reference // 2, {"detail": 1})["detail"] == 1

    def end_contexts(self, reference, ticks):
        """What is over by that."""
        of_reference = [contexts for key, contexts in self.contexts.items() if key[1] == reference != 1]
        return list(filter(None, (contexts.end(ticks) for contexts in of_reference)))

    def ran_on(self, lane):
        """What ran on that lane last."""
        rows = itertools.chain.from_iterable(contexts.lives for contexts in self.contexts.values())
        return [context for context in rows if context.lane == lane]

    def close_zones(self, contexts, ns):
        """Their ends may be among what was missed, or refused."""
        for context in contexts:
            context.late = 0
            if context.zones:
                context.last_ns = max(context.last_ns, ns)
                self.unmatched += len(context.zones)
                context.zones.clear()


class Capture:
    """Follows the packets. `names` has what an earlier pass learnt, one entry a session, or is empty."""

    def __init__(self, names=()):
        self.names = list(names)
        self.known = bool(names)
        self.sessions = []
        self.delivered = self.lost = self.last_ns = 0
        self.repeats = wire_repeat.Repeats()
        self.lines = []
        self.merge = Merge(self)
        self.events_came = False

    def reset(self):
        self.merge.flush()
        self.merge.restart()
        self.repeats.restart()
        if self.sessions:
            self.show_refused()
            self.lost += sum(lane.refused for lane in self.sessions[-1].lanes.values())
        index = len(self.sessions)
        if index == len(self.names):
            self.names.append(Names())
        self.sessions.append(Session(self.names[index], self.last_ns, self))
        return self.sessions[-1]

    def show_refused(self):
        """At the end: what a STATUS told of, and no event after it."""
        session = self.session()
        for number, lane in sorted(session.lanes.items()):
            if lane.refused:
                context = lane.runs or session.context_at(number, 1, 0)  # its main one
                self.say_of(session, context, number, self.last_ns, f"lost {lane.refused}")

    def session(self):
        return self.sessions[-1] if self.sessions else self.reset()

    def packet(self, number, sequence, body):
        raw = (number, sequence, body)
        name = TYPES.get(number)
        if name == "SESSION":
            self.on_session(session_of(body), raw)
        elif name == "SITES":
            if self.heed(self.repeats.of_sites(name, raw)) and not self.known:
                self.session().names.sites.update(sites_of(body))
        elif name == "STATUS":
            head, lanes = status_of(body)
            self.session()
            if self.heed(self.repeats.of_clock(name, raw, head["now"])):
                self.on_status(head, lanes)
        elif name == "EVENTS":
            self.on_events(Events(body), raw)

    def heed(self, verdict):
        if verdict == wire_repeat.ANEW:
            self.begin_anew()
        elif verdict == wire_repeat.COPIES:
            self.leave_out_copies()
        return verdict != wire_repeat.DROP

    def begin_anew(self):
        held = self.repeats.release()
        lanes = self.session().lane_count
        session = self.reset()
        session.lane_count = lanes
        self.merge.expect(lanes, session.names.hz or 10**6)
        for _, raw in held:
            self.packet(*raw)

    def leave_out_copies(self):
        for kind, raw in self.repeats.release():
            if kind == "EVENTS":
                packet = Events(raw[2])
                if self.order(packet) in (wire_repeat.FOLLOWS, wire_repeat.FIRST):
                    self.packet(*raw)

    def end(self):
        if self.repeats.anew():
            self.begin_anew()
        else:
            self.leave_out_copies()
        self.merge.flush()
        self.show_refused()

    def order(self, packet):
        lane = self.session().lane(packet.lane)
        if packet.first >= lane.next:
            return wire_repeat.FIRST if lane.runs is None else wire_repeat.FOLLOWS
        again = packet.first != 0 or packet.time == lane.first_time
        return wire_repeat.REPEATED if again else wire_repeat.OTHER_FIRST

    def on_session(self, found, raw):
        session = self.session()
        if session.identity == found["session"] and not found["flags"] & 4:
            if not self.heed(self.repeats.of_clock("SESSION", raw, found["now"])):
                return
            session = self.session()
        elif session.identity is not None:
            self.leave_out_copies()
        if session.identity not in (None, found["session"]):
            session = self.reset()
        first = session.identity is None
        session.identity, session.lane_count = found["session"], found["lanes"]
        if not self.known:
            session.names.session(found)
        self.merge.expect(found["lanes"], session.names.hz or 10**6)
        if first:
            self.merge.come_to(found["now"])

    def on_status(self, head, lanes):
        for number, numbers in enumerate(lanes):
            self.merge.status(number, numbers)
        if head["flags"] & 2:
            self.merge.flush()
        elif not (head["flags"] & 16 and self.events_came):
            self.merge.come_to(head["now"])
        self.events_came = False

    def lane_status(self, number, numbers):
        events, refused = numbers
        lane = self.session().lane(number)
        if events >= lane.next:
            self.lose(lane.skip_to(events))
            lane.refused = refused

    def on_events(self, packet, raw):
        self.session()
        last = None if self.repeats.back else self.merge.last.get(packet.lane)
        held = self.merge.holds(packet.lane)
        later = last and packet.first > last.first
        if last and not later and raw in self.repeats.known:
            order = wire_repeat.REPEATED
        elif last and held and (later or packet.first >= last.first + sum(
                counted(kind, words) for kind, _, _, words in last.events)):
            order = wire_repeat.FOLLOWS
        else:
            if held:
                self.merge.flush()
            order = self.order(packet)
        if self.heed(self.repeats.of_events(raw, packet, order)):
            self.events_came = True
            self.merge.put(packet)

    def lose(self, events):
        self.lost += events
        self.session().lossy |= events != 0
        self.session().unmatched += events
        self.session().objects.unmatched += events

    def begin_packet(self, packet):
        session = self.session()
        lane = session.lane(packet.lane)
        if packet.first < lane.next:
            return False
        if lane.runs is None:
            lane.first_time = packet.time
        self.lose(lane.skip_to(packet.first))
        if lane.torn:
            self.close_lane(session, packet.lane, lane.last_ns)
        if lane.torn and lane.runs:  # its row shows the gap
            self.come_to(lane.runs, self.ns_of(session, packet.time))
        if lane.torn or lane.runs is None or lane.runs.reference != packet.context:
            self.enter(session, packet.lane, packet.context, packet.time)
        if lane.torn:
            lane.preempted = None
            session.close_zones([lane.runs], lane.last_ns)
            session.objects.close_all([lane.runs], lane.last_ns, True)
        lane.torn = False
        return True

    @staticmethod
    def close_lane(session, number, ns):
        session.lane(number).preempted = None
        contexts = session.ran_on(number)
        session.close_zones(contexts, ns)
        session.objects.close_all(contexts, ns, True)

    def enter(self, session, number, reference, ticks):
        lane = session.lane(number)
        preempted = lane.preempted or lane.runs
        returns = lane.preempted is not None and preempted.reference == reference
        context = preempted if returns else session.context_at(number, reference, ticks)
        lane.preempted = preempted if session.is_interrupt(reference) and not returns else None
        if lane.runs is not context:
            lane.runs, context.lane = context, number
            self.say(session, number, ticks, "runs")

    def event(self, number, event):
        session = self.session()
        kind, reference, ticks, words = event
        lane = session.lane(number)
        lane.next += counted(kind, words)
        lane.last_ns = max(lane.last_ns, self.ns_of(session, ticks))
        if lane.lacks_switch(kind):
            self.close_lane(session, number, self.ns_of(session, ticks))
        if kind == LOSS:
            lane.refused = 0
            self.lose(word(words, 0))
            if word(words, 2):
                self.close_lane(session, number, self.ns_of(session, ticks))
        self.delivered += 1 if kind & 15 < 12 else 0
        if kind in SWITCHES:
            self.enter(session, number, reference, ticks)
        elif kind == CONTEXT_END:
            for context in session.end_contexts(reference, ticks):
                self.end_zones(session, context, ticks)
                session.objects.close_all([context], self.ns_of(session, ticks), False)
        elif kind == CONTEXT_NAME:
            session.context_at(number, reference, ticks).name = text_of(words, 1)[0]
        elif kind in OF_TASKS and kind & 64:
            session.objects.event(lane.runs, self.ns_of(session, ticks), kind, reference, words)
        elif kind not in OF_TASKS:
            self.happening(session, number, kind, reference, ticks, words)

    def happening(self, session, number, kind, reference, ticks, words):
        context = session.lane(number).runs
        context.lane = context.lane if kind == LOSS else number
        if kind in (FUNCTION_BEGIN, FUNCTION_END, FUNCTION_LEFT):
            self.function(session, number, kind, function_of(reference, words), ticks)
            return
        if kind in KINDS and kind & 64:
            session.objects.event(context, self.ns_of(session, ticks), kind, reference, words)
            return
        if kind in OF_SITES and reference // 2 >= SITES_MAX:
            return
        zones = context.zones
        meaning = session.names.meaning(kind, reference, words)
        if kind == ZONE_BEGIN:
            zones.append(reference // 2)
        elif kind in ATTRIBUTES and not zones:
            self.without_zone(session, context, kind, ticks)
            meaning = None
        elif kind == ZONE_END:
            self.end_innermost(session, context, number, ticks)
            meaning = None
        elif kind == ZONE_END_ON:
            self.end_on(session, word(words, 0), context, ticks)
            meaning = None
        elif kind in (FRAME_START, FRAME_END):
            meaning = self.frame(session, number, kind, reference, ticks, meaning)
        elif kind in FLOWS and reference // 2 in session.names.sites:
            self.flow(session, number, kind, reference, ticks, words, meaning)
            meaning = None
        elif kind in (ASYNC_BEGIN, ASYNC_END):
            meaning = None
        self.memory(session, number, kind, reference, ticks, words)
        if meaning:
            self.say(session, number, ticks, meaning)

    def frame(self, session, number, kind, reference, ticks, meaning):
        """One of a set is open at a time: a start ends the one before, an end without a start is left out."""
        if reference // 2 not in session.names.sites:
            return None
        name = session.names.site(reference // 2)
        again = name in session.frames
        if kind == FRAME_START:
            if again:
                self.say(session, number, ticks, f"frame end {quoted(name)}")
            session.frames.add(name)
        elif again:
            session.frames.remove(name)
        else:
            if not session.lossy:
                self.come_to(session.lane(number).runs, self.ns_of(session, ticks))
            return None
        return meaning

    def flow(self, session, number, kind, reference, ticks, words, meaning):
        """Of one kind, name and id one is open at a time, and none passes or ends before it began. An asynchronous zone that
        begins ends the one before it; an end without a begin is left out."""
        is_async, runs = kind in (ASYNC_BEGIN, ASYNC_END), session.lane(number).runs
        key = is_async, session.names.site(reference // 2), wide(words, 0)
        began = session.flows.pop(key, None)
        ns = self.ns_of(session, ticks)
        shown = max(ns, began or ns)
        if kind in (FLOW_SEND, ASYNC_BEGIN):
            if is_async and began is not None:
                self.come_to(runs, shown)
            self.say_of(session, runs, number, ns, meaning)
            session.flows[key] = runs.last_ns
        elif kind == ASYNC_END and began is None:
            if not session.lossy:
                self.come_to(runs, ns)
        else:
            self.say_of(session, runs, number, shown, meaning)
            if kind == FLOW_STEP and began is not None:
                session.flows[key] = began

    def memory(self, session, number, kind, reference, ticks, words):
        """An allocation where a block lies first frees that; a discard frees what is left, in the order of the addresses."""
        if kind not in (ALLOC, FREE, MEMORY_DISCARD):
            return
        pool = session.names.site(reference // 2)
        blocks = session.blocks.setdefault(pool, set())
        block = word(words, 0) | word(words, 2) << 32 if kind == ALLOC else wide(words, 0)
        if kind == ALLOC and block in blocks:
            self.say(session, number, ticks, f"free {quoted(pool)} {block:#x}")
        for address in sorted(blocks if kind == MEMORY_DISCARD else ()):
            self.say(session, number, ticks, f"free {quoted(pool)} {address:#x}")
        if kind == ALLOC:
            blocks.add(block)
        else:
            blocks.difference_update([block] if kind == FREE else list(blocks))

    def end_innermost(self, session, context, number, ticks):
        """The zone that is no function; the functions inside it were left. Or a zone whose function ended before."""
        at = max((i for i, zone in enumerate(context.zones) if isinstance(zone, int)), default=None)
        if context.late and context.zones and not isinstance(context.zones[-1], int):
            context.late -= 1
            return
        if at is None:
            self.without_zone(session, context, ZONE_END, ticks)
            return
        site = context.zones[at]
        del context.zones[at:]
        self.say_in(session, context, number, ticks, f"end {quoted(session.names.site(site))}")

    def function(self, session, number, kind, name, ticks):
        """Functions stand among the zones by their names."""
        context = session.lane(number).runs
        if kind == FUNCTION_BEGIN:
            context.zones.append(name)
            self.say(session, number, ticks, f"begin {quoted(name)}")
        elif name not in context.zones:
            if kind == FUNCTION_END:
                self.without_zone(session, context, ZONE_END, ticks)
        else:
            at = len(context.zones) - 1 - context.zones[::-1].index(name)
            context.late += sum(isinstance(zone, int) for zone in context.zones[at:])
            del context.zones[at:]
            self.come_to(context, self.ns_of(session, ticks))
            if kind == FUNCTION_END:
                self.say(session, number, ticks, f"end {quoted(name)}")

    def end_zones(self, session, context, ticks):
        """Its task is over."""
        if context.zones:
            self.come_to(context, self.ns_of(session, ticks))
            context.zones.clear()

    def end_on(self, session, number, running, ticks):
        """The zone began on another lane: it is one of what this context is there."""
        reference = running.reference
        task = reference % 2 and reference != 1
        context = running if task else session.context_at(number, reference, ticks)
        self.end_innermost(session, context, number, ticks)

    def without_zone(self, session, context, kind, ticks):
        """Hostlink marks the row's last event, unless the begin may be among what was missed or refused."""
        if session.unmatched != 0 and kind == ZONE_END:
            session.unmatched -= 1

    def say(self, session, number, ticks, meaning):
        self.say_in(session, session.lane(number).runs, number, ticks, meaning)

    @staticmethod
    def ns_of(session, ticks):
        return session.start_ns + ticks * 10**9 // (session.names.hz or 10**6)

    def come_to(self, context, ns):
        context.last_ns = max(context.last_ns, ns)
        self.last_ns = max(self.last_ns, ns)

    def say_in(self, session, context, number, ticks, meaning):
        self.say_of(session, context, number, self.ns_of(session, ticks), meaning)

    def say_at(self, context, ns, meaning):
        """Where it ran last."""
        self.say_of(self.session(), context, context.lane, ns, meaning)

    def say_of(self, session, context, number, ns, meaning):
        name = context.name or session.names.context(number, context.reference)
        self.come_to(context, ns)
        self.lines.append(f"{context.last_ns} {quoted(name)} {meaning}")

    def total(self):
        refused = sum(lane.refused for lane in self.sessions[-1].lanes.values()) if self.sessions else 0
        return f"delivered={self.delivered} lost={self.lost + refused}"


def follow(stream, names=()):
    capture = Capture(names)
    for packet in packets(stream):
        try:
            capture.packet(*packet)
        except Malformed:
            pass
    capture.end()
    return capture


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: wire_session.py CAPTURE")
    with open(sys.argv[1], "rb") as file:
        stream = file.read()
    capture = follow(stream, follow(stream).names)
    print("\n".join(capture.lines + [capture.total()]))


if __name__ == "__main__":
    main()
