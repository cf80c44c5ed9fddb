# SPDX-License-Identifier: MIT
"""Run-time objects and who holds them. WIRE.md says when an object is another one; what becomes of holds of which an end or
a begin is missing is hostlink's (hostlink/model/objects.h)."""
from wire_packets import TABLE
from wire_payload import quoted, text_of, word

KINDS = {kind.number: kind for kind in TABLE if kind.number & 64}
CLASSES = (b"lock", b"queue", b"task", b"timer", b"semaphore", b"event flags", b"stream", b"pool", b"condition")
LOCK, SEMAPHORE, ANY = 0, 4, 255
WAITED_FOR = {4: SEMAPHORE, 5: LOCK}  # by the reason for which a task waits


class Object:
    def __init__(self, of, name):
        self.of, self.name, self.named = of, name, False
        self.holds = []  # the latest first
        self.over = None  # the context whose hold another one took over, and when


class Hold:
    def __init__(self, by, waits, shared, start_ns):
        self.by, self.waits, self.shared, self.start_ns = by, waits, shared, start_ns


class Objects:
    """Of one session. `sink` has say_at(context, ns, meaning) and come_to(context, ns)."""

    def __init__(self, sink):
        self.sink = sink
        self.living = {}  # identity -> Object
        self.unmatched = 0  # releases that may still come of holds whose begins were missed

    def event(self, context, ns, kind, reference, words):
        row = KINDS[kind]
        identity = reference | word(words, 1 if row.payload in ("OBJECT", "WAIT", "LEVEL") else 0) << 32
        if row.name == "OBJECT":
            self.name(context, ns, identity, min(word(words, 0), ANY), text_of(words, 3)[0])
        elif row.name == "OBJECT_NAME":
            found = self.found(context, ns, identity, ANY)
            text = text_of(words, 1)[0]
            found.name, found.named = text or self.nameless(identity, found.of), bool(text)
            self.announce(context, ns, found)
        elif row.name == "LOCK_MARK":
            found = self.found(context, ns, identity, LOCK)
            self.sink.say_at(context, max(ns, context.last_ns), f"lock mark {quoted(found.name)}")
        elif row.role == "TASK":
            if identity:
                waits = row.name == "TASK_WAITS"
                self.found(context, ns, identity, WAITED_FOR.get(word(words, 0) & 255, ANY) if waits else ANY)
        elif row.name == "OBJECT_END":
            if identity in self.living:
                self.end(context, ns, identity)
        else:
            found = self.found(context, ns, identity, LOCK if row.reference == "OBJECT_LOCK" else ANY)
            ns = max(ns, context.last_ns)
            role, _, shared = row.role.partition("_")
            getattr(self, role.lower())(context, ns, found, bool(shared), f"{row.word} {quoted(found.name)}")

    # ---- objects ----

    @staticmethod
    def nameless(identity, of):
        return b"%s %#x" % (CLASSES[of] if of < len(CLASSES) else b"object", identity)

    def found(self, context, ns, identity, of):
        """The one of this identity, or a new one without a name."""
        if identity not in self.living:
            self.living[identity] = Object(of, self.nameless(identity, of))
            self.announce(context, ns, self.living[identity])
        return self.living[identity]

    def announce(self, context, ns, living):
        self.sink.say_at(context, ns, f"object {quoted(living.name)}")

    def name(self, context, ns, identity, of, text):
        name = text or self.nameless(identity, of)
        known = self.living.get(identity)
        if known and (known.of != of or (known.named and known.name != name)):
            self.end(context, ns, identity)
        living = self.living.setdefault(identity, Object(of, name))
        living.name, living.named = name, bool(text)
        self.announce(context, ns, living)

    def end(self, context, ns, identity):
        over = self.living.pop(identity)
        for hold in list(over.holds):
            self.close(over, hold, ns)
        self.sink.say_at(context, ns, f"object end {quoted(over.name)}")

    # ---- holds ----

    def close(self, held, hold, ns):
        """It ends without an event of the board."""
        held.holds.remove(hold)
        self.sink.come_to(hold.by, max(ns, hold.start_ns))

    def close_all(self, contexts, ns, lost):
        for held in self.living.values():
            for hold in [hold for hold in held.holds if hold.by in contexts]:
                self.unmatched += lost
                self.close(held, hold, ns)

    @staticmethod
    def hold_of(held, context, waits):
        return next((hold for hold in held.holds if hold.by is context and hold.waits == waits), None)

    def waits(self, context, ns, held, shared, meaning):
        before = self.hold_of(held, context, True)
        if before:
            self.close(held, before, ns)
        held.holds.insert(0, Hold(context, True, shared, ns))
        self.sink.say_at(context, ns, meaning)

    def takes(self, context, ns, held, shared, meaning):
        wait = self.hold_of(held, context, True)
        if wait:
            held.holds.remove(wait)
        for hold in list(held.holds):
            if not hold.waits and not (shared and hold.shared and hold.by is not context):
                held.over = (hold.by, ns)
                self.close(held, hold, ns)
        held.holds.insert(0, Hold(context, False, shared, ns))
        self.sink.say_at(context, ns, meaning)

    def gives(self, context, ns, held, _, meaning):
        hold = self.hold_of(held, context, False) or self.hold_of(held, context, True)
        if not hold and held.over == (context, ns):
            held.over = None
            return
        hold = hold or next((hold for hold in held.holds if not hold.waits and not hold.shared), None)
        if hold:
            held.holds.remove(hold)
            self.sink.say_at(hold.by, ns, meaning)
        elif self.unmatched:
            self.unmatched -= 1
        else:
            self.sink.come_to(context, ns)  # hostlink shows a mark
