"""The model of the events' bits (runtime/WIRE.md, section 4, "The bits"): encoder and decoder keep the same."""


def change(value, before):
    difference = (value - before) & 0xffffffff
    if difference < 0x80000000:
        return 2 * difference
    return 2 * (0x100000000 - difference) - 1


def changed(folded, before):
    """The value whose change against the one before is `folded`."""
    difference = -(folded + 1) // 2 if folded & 1 else folded // 2
    return (before + difference) & 0xffffffff


class Slot:
    def __init__(self, kind=0, reference=0):
        self.kind, self.reference = kind, reference
        self.last_delta = self.delta_length = self.last_word = self.word_length = self.words = 0
        self.by_change = False


class Model:
    """What encoder and decoder both remember within one frame."""

    def __init__(self, size):
        self.size = size
        self.slots = [Slot() for _ in range(size + 1)]
        self.defined = self.victim = 0
        self.before = self.before2 = self.timing = 0
        self.successor = [0] * 64

    def index(self):
        return (self.before + 5 * self.before2) % 64

    def define(self, kind, reference):
        """The number of a new slot."""
        if self.defined < self.size:
            self.defined += 1
            number = self.defined
        else:
            number = self.victim + 1
            self.victim = number % self.size
        self.slots[number] = Slot(kind, reference)
        return number

    def enter(self, number):
        """The event of this slot is the next one."""
        self.successor[self.index()] = number
        self.timing = self.before
        self.before, self.before2 = number, self.before

    def elapse(self, delta):
        """The event that was entered comes `delta` ticks after the one before."""
        slot = self.slots[self.timing]
        folded = change(delta, slot.last_delta)
        slot.by_change = folded < delta
        slot.delta_length = min(folded, delta).bit_length()
        slot.last_delta = delta

    def first_word(self, number, word):
        slot = self.slots[number]
        slot.word_length = change(word, slot.last_word).bit_length()
        slot.last_word = word
