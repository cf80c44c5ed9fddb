"""The model of the events' bits (runtime/WIRE.md, section 4, "The bits"): encoder and decoder keep the same."""

ZONE_END, ZONE_BEGIN, CALLSTACK = 0x01, 0x10, 0x2e
LONG_CLASS = 6


def change(value, before):
    difference = (value - before) & 0xffffffff
    if difference < 0x80000000:
        return 2 * difference
    return 2 * (0x100000000 - difference) - 1


def changed(folded, before):
    """The value whose change against the one before is `folded`."""
    difference = -(folded + 1) // 2 if folded & 1 else folded // 2
    return (before + difference) & 0xffffffff


def log(number):
    return max(number.bit_length() - 1, 0)


def least_of(number_class, scale):
    """The least number of a class, at a scale."""
    return ((1 << number_class) - 1) << scale


def class_of(number, scale):
    return next((c for c in range(LONG_CLASS) if number < least_of(c + 1, scale)), LONG_CLASS)


class Scale:
    def __init__(self):
        self.scale = self.last = 0

    def follow(self, number):
        middle, odd = divmod(self.scale + log(number), 2)
        self.scale = middle + (odd if log(number) > self.scale else 0)

    def was(self, number):
        """Of `values` and `references`."""
        self.follow(change(number, self.last))
        self.last = number


class Pair(Scale):
    def __init__(self):
        super().__init__()
        self.successor = 0
        self.by_change = False

    def was_time(self, delta):
        folded = change(delta, self.last)
        self.by_change = folded < delta
        self.follow(min(folded, delta))
        self.last = delta


class Calls:
    """Of call stacks: which address came last inside each of others."""

    def __init__(self):
        self.addresses = [0] * 64
        self.high, self.known, self.new = Scale(), Scale(), Scale()

    @staticmethod
    def inside(caller):
        return (caller & 0xffff) * 0x9e35 % (1 << 32) >> 5 & 63

    def scale(self, expected):
        return self.known if expected else self.new


def frames_of(words):
    """Addresses of a STACK payload, the innermost first, as far as it is sound."""
    count = min(words[0], len(words) - 1) if words else 0
    high = words[1 + words[0]:] if words else []
    return [words[1 + at] | (high[at] if at < len(high) else 0) << 32 for at in range(min(count, 62))]


def stack_of(frames):
    """The payload of these addresses."""
    high = [address >> 32 for address in frames]
    return [len(frames)] + [address & 0xffffffff for address in frames] + (high if any(high) else [])


class Slot:
    def __init__(self, kind=0, reference=0):
        self.kind, self.reference = kind, reference
        self.words = 0
        self.used = False


class Model:
    """What encoder and decoder both remember within one packet."""

    def __init__(self, size):
        self.size = size
        self.slots = [Slot() for _ in range(size + 1)]
        self.slots[1] = Slot(ZONE_END)
        self.defined, self.victim = 1, 2
        self.pairs = [Pair() for _ in range(32 if size == 8 else 64)]
        self.before, self.pair = 0, self.pairs[0]
        self.values = [Scale() for _ in range(8 if size == 8 else 16)]
        self.references = Scale()
        self.calls = Calls()

    def value(self, number, word):
        return self.values[(number + word) % len(self.values)]

    def find(self, kind, reference):
        """The slot of such events, 0 = none."""
        return next((number for number in range(1, self.defined + 1)
                     if (self.slots[number].kind, self.slots[number].reference) == (kind, reference)), 0)

    def place(self):
        """The number of the slot that a new one gets, which is still to be defined there."""
        if self.defined < self.size:
            self.defined += 1
            return self.defined
        while self.slots[self.victim].used:
            self.slots[self.victim].used = False
            self.advance()
        number = self.victim
        self.advance()
        return number

    def advance(self):
        self.victim = 2 if self.victim == self.size else self.victim + 1

    def define(self, number, kind, reference):
        self.slots[number] = Slot(kind, reference)

    def enter(self, number):
        """The event of this slot is the last one from now on."""
        self.pair.successor = number
        self.pair = self.pairs[(5 * self.before + number) % len(self.pairs)]
        self.before = number
