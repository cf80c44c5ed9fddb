# SPDX-License-Identifier: MIT
"""The order in which hostlink looks at the events of several lanes (hostlink/model/merge.h): that of time, as far as it
can be had without waiting for long. WIRE.md only says which order there is within a lane."""
from collections import deque

from wire_packets import NUMBERS

RECEIVES = {NUMBERS[name] for name in ("FLOW_STEP", "FLOW_RECEIVE", "ASYNC_END")}
HOLD_PER_S = 4
LATE_MAX_S = 16


class Merge:
    """`sink` has begin_packet(packet), which returns False for one to leave out, event(lane, event) and
    lane_status(lane, numbers)."""

    def __init__(self, sink):
        self.sink = sink
        self.restart()

    def restart(self):
        self.held, self.reached = {}, {}
        self.last = {}  # of each lane the packet that came last
        self.newest = self.hold = 0
        self.late = {}  # by seconds of the board's clock: how far packets were behind the newest, at most

    def expect(self, lanes, hz):
        for lane in range(lanes):
            self.held.setdefault(lane, deque())
        self.hold = hz // HOLD_PER_S

    def holds(self, lane):
        return any(packet for packet, _ in self.held.get(lane, ()))

    def put(self, packet):
        lane = self.held.setdefault(packet.lane, deque())
        packet.begun = False
        self.last[packet.lane] = packet
        lane.append((packet, deque(packet.events)))
        self.note_late(packet.time)
        self.settle(packet.lane)
        self.come_to(packet.time)

    def status(self, number, numbers):
        if self.held.get(number):
            self.held[number].append((None, numbers))
        else:
            self.sink.lane_status(number, numbers)

    def come_to(self, ticks):
        self.newest = max(self.newest, ticks)
        self.release(True)

    def flush(self):
        self.release(False)

    def settle(self, number):
        """What stands before the lane's next event and waits for nobody goes on."""
        lane = self.held[number]
        while lane and (lane[0][0] is None or not lane[0][1]):
            packet, numbers = lane.popleft()
            if packet is None:
                self.sink.lane_status(number, numbers)
            elif not packet.begun:
                self.sink.begin_packet(packet)

    def note_late(self, ticks):
        hz = self.hold * HOLD_PER_S
        second = self.newest // hz if hz else 0
        self.late = {at: late for at, late in self.late.items() if at in (second - 1, second)}
        if self.newest - ticks <= hz * LATE_MAX_S:
            self.late[second] = max(self.late.get(second, 0), self.newest - ticks)

    def bound(self, number, wait):
        """How far the lane has come."""
        if self.held[number]:
            return self.held[number][0][1][0][2]
        if wait and self.hold:
            late = max(self.late.values(), default=0)
            return max(self.reached.get(number, 0), self.newest - self.hold - late, 0)
        return float("inf")

    def receives(self, number):
        """Of events of one time: what was sent goes before what receives it."""
        return self.held[number][0][1][0][0] in RECEIVES

    def release(self, wait):
        while True:
            waiting = [number for number in sorted(self.held) if self.held[number]]
            number = min(waiting, key=lambda lane: (self.bound(lane, wait), self.receives(lane)), default=None)
            if number is None or self.bound(number, wait) > min(self.bound(lane, wait) for lane in self.held):
                return
            self.let_go(number)

    def let_go(self, number):
        packet, events = self.held[number][0]
        if not packet.begun:
            packet.begun, packet.wanted = True, self.sink.begin_packet(packet)
        event = events.popleft()
        self.reached[number] = event[2]
        if packet.wanted:
            self.sink.event(number, event)
        self.settle(number)
