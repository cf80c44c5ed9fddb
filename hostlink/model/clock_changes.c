/* SPDX-License-Identifier: MIT */
#include "model/clock_changes.h"

#include "kymo/wire.h"

#define DOMAIN_MASK 0xffu
#define NUMBER_SHIFT 8
#define NUMBER_MASK 0xffffffu
#define NS_PER_S UINT64_C(1000000000)
#define NS_MAX (UINT64_C(0x7fffffffffffffff) / 2)

__extension__ typedef unsigned __int128 wide;

static uint32_t word(const struct wire_event *wire, uint32_t index) {
    return index < wire->words ? wire->word[index] : 0;
}

static uint64_t pair(const struct wire_event *wire, uint32_t low, uint32_t high) {
    return word(wire, low) | (uint64_t)word(wire, high) << 32;
}

/* The new part of the total time that it stood still. The first record that is seen does not give it, unless it is
 * the first of all. */
static uint64_t stood_ns(const struct clock_changes *before, uint32_t number, uint64_t slept,
                         uint64_t slow_hz) {
    const uint64_t known = before->seen || number == 1 ? before->slept : slept;
    if (slow_hz == 0 || slept <= known) {
        return 0;
    }
    const wide ns = (wide)(slept - known) * NS_PER_S / slow_hz;
    return ns < NS_MAX ? (uint64_t)ns : NS_MAX;
}

/* Numbers of changes wrap: one is above the half of them before it. */
static bool is_above(uint32_t number, uint32_t before) {
    const uint32_t by = (number - before) & NUMBER_MASK;
    return by != 0 && by <= NUMBER_MASK / 2;
}

void clock_changes_state(struct clock_changes *changes, uint32_t number, uint64_t slept) {
    if (!changes->seen && !changes->stated) {
        *changes = (struct clock_changes){.stated = true, .number = number, .slept = slept};
    }
}

/* Events that wait for those of other lanes may be older than the state that the board has reported meanwhile. */
static void begin_with_what_was_stated(struct clock_changes *changes, uint32_t number) {
    if (changes->stated && is_above(number, changes->number)) {
        changes->seen = true;
    } else if (changes->stated) {
        *changes = (struct clock_changes){0};
    }
    changes->stated = false;
}

enum clock_change clock_changes_event(struct clock_changes *changes, struct clockfit *clock,
                                      const struct wire_event *wire) {
    const uint32_t number = word(wire, 0) >> NUMBER_SHIFT;
    if ((word(wire, 0) & DOMAIN_MASK) != 0) {
        return CLOCK_OF_ANOTHER_DOMAIN;
    }
    begin_with_what_was_stated(changes, number);
    if (changes->seen && !is_above(number, changes->number)) {
        return CLOCK_SAID_BEFORE;
    }
    const uint64_t hz = pair(wire, 1, 5), slept = pair(wire, 3, 6), late = pair(wire, 4, 7);
    const uint64_t ns = stood_ns(changes, number, slept, word(wire, 2));
    *changes = (struct clock_changes){.seen = true, .number = number, .slept = slept};
    clockfit_change(clock, late < wire->ticks ? wire->ticks - late : 0, hz, ns);
    return CLOCK_CHANGES;
}
