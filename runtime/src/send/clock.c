/* SPDX-License-Identifier: MIT */
/* Changes of the clock: another rate, and sleep in which it stood still. Each record states the whole clock, so that
 * any later one makes up for one that a full ring refused; the draining context makes it, before the next packet of
 * events. It also repeats a record that was accepted but did not come out of the rings before they were empty. */
#include "clock.h"

#include "../ring/ring.h"
#include "link.h"

#if KYMO_ENABLE && KYMO_CLOCK_CHANGES

struct kymo_clock kymo_clock;

/* The first word of a record: the domain, which is 0 for the clock of the events, and the number of the change. */
#define CHANGE_SHIFT 8
#define CHANGE_MASK 0xffffffu
/* Words of the longest record. */
#define CLOCK_WORDS 8u

/* "late": so many ticks ago. False: refused. */
static bool put_record(const struct kymo_clock_state *state, uint32_t number, uint64_t late) {
    const uint32_t words[CLOCK_WORDS] = {
        number << CHANGE_SHIFT,         (uint32_t)state->hz,   state->slow_hz,
        (uint32_t)state->slept,         (uint32_t)late,        (uint32_t)(state->hz >> 32),
        (uint32_t)(state->slept >> 32), (uint32_t)(late >> 32)};
    uint32_t count = CLOCK_WORDS;
    while (words[count - 1u] == 0u) {
        count--; /* the first one is not 0 */
    }
    return kymo_ring_long(KYMO_KIND_CLOCK, 0u, words, count);
}

/* Member by member: for the whole some compilers call memcpy(). */
static inline void copy_state(struct kymo_clock_state *to, const struct kymo_clock_state *from) {
    to->hz = from->hz;
    to->slept = from->slept;
    to->at = from->at;
    to->slow_hz = from->slow_hz;
}

static void record_change(const struct kymo_clock_state *state, uint32_t number, uint64_t late) {
    if (put_record(state, number / 2u, late)) {
        KYMO_STORE(kymo_clock.recorded, number);
    }
}

/* The number is odd while the state changes, for those on other cores. */
static void change(const struct kymo_clock_state *state) {
    const uint32_t number = kymo_clock.number;
    KYMO_STORE(kymo_clock.number, number + 1u);
    KYMO_RELEASE();
    copy_state(&kymo_clock.state, state);
    KYMO_PUBLISH(kymo_clock.number, number + 2u);
    record_change(state, number + 2u, 0u);
}

void kymo_clock_rate(uint64_t hz) {
    struct kymo_clock_state state;
    copy_state(&state, &kymo_clock.state);
    state.hz = hz;
    state.at = kymo_arch_clock64();
    change(&state);
}

bool kymo_clock_slept(uint64_t ticks, uint32_t hz) {
    struct kymo_clock_state state;
    copy_state(&state, &kymo_clock.state);
    if (hz == 0u || (state.slow_hz != 0u && state.slow_hz != hz)) {
        return false;
    }
    if (kymo_clock.number == 0u) {
        state.hz = kymo_arch_clock_hz();
    }
    state.slow_hz = hz;
    state.slept += ticks;
    state.at = kymo_arch_clock64();
    change(&state);
    return true;
}

/* ---- the side that drains ---- */

void kymo_clock_read(struct kymo_link *link, const struct kymo_lane *lane) {
    const uint32_t count = KYMO_LONG_WORDS(kymo_ring_word(lane, 0u));
    uint32_t words[CLOCK_WORDS];
    for (uint32_t i = 0u; i < CLOCK_WORDS; i++) {
        words[i] = i < count ? kymo_ring_word(lane, 2u + i) : 0u;
    }
    link->clock_number = words[0] >> CHANGE_SHIFT;
    link->mark.clock_hz = (uint64_t)words[5] << 32 | words[1];
    link->clock_slept = (uint64_t)words[6] << 32 | words[3];
}

static void record_again(struct kymo_link *link) {
    struct kymo_clock_state state;
    const uint32_t number = KYMO_ACQUIRE(kymo_clock.number);
    link->out.work -= KYMO_WORK_CLOCK;
    copy_state(&state, &kymo_clock.state);
    KYMO_ACQUIRED();
    if (number % 2u == 0u && KYMO_LOAD(kymo_clock.number) == number) {
        const uint64_t now = kymo_arch_clock64();
        record_change(&state, number, now > state.at ? now - state.at : 0u);
    }
}

/* Two contexts that record at a time may leave the older number here; then the newer one is recorded twice. */
static bool is_refused(void) {
    const uint32_t number = KYMO_LOAD(kymo_clock.number);
    return number % 2u == 0u && KYMO_LOAD(kymo_clock.recorded) != number;
}

bool kymo_clock_refused(struct kymo_link *link) {
    if (!is_refused()) {
        return false;
    }
    record_again(link);
    return !is_refused();
}

bool kymo_clock_again(struct kymo_link *link) {
    const uint32_t number = KYMO_LOAD(kymo_clock.number);
    if (number % 2u != 0u || (number / 2u & CHANGE_MASK) == link->clock_number ||
        kymo_events_waiting()) {
        return false;
    }
    record_again(link);
    return kymo_events_waiting();
}

#endif
