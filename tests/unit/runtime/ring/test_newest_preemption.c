/* SPDX-License-Identifier: MIT */
/* The flight recorder, preempted at every single instruction: by an interrupt that records, by one that goes round
 * the whole ring while the ring is read, and by a reset. */
#include <string.h>

#include "cases.h"
#include "kymo_arch.h"
#include "newest_board.h"
#include "preempt.h"
#include "send/link.h"

KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);
KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);

/* So that each call meets each amount of room that is left in its block. */
#define FILLS 14u

enum path { RECORDING, DRAINING };

/* The decoder is not to be stepped through: it sees the bytes afterwards. */
static struct {
    uint8_t bytes[4096];
    size_t length;
} held;

static size_t hold(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    assert_true(length <= sizeof held.bytes - held.length);
    memcpy(held.bytes + held.length, bytes, length);
    held.length += length;
    return length;
}

static void let_go(void) {
    (void)trace.transport.write(&trace, held.bytes, held.length);
    held.length = 0u;
}

/* All kinds of calls; each is a target. */
static void record_all(void) {
    preempt_around(true);
    emit(0u);
    preempt_around(false);
    preempt_around(true);
    kymo_context before = kymo_interrupt_enter((kymo_context)&timer);
    preempt_around(false);
    emitted[0]++;
    preempt_around(true);
    emit(0u);
    preempt_around(false);
    preempt_around(true);
    kymo_interrupt_leave(before);
    preempt_around(false);
    emitted[0]++;
}

/* One copy, as the places that are found are addresses. */
static __attribute__((noinline)) void follow(enum path path) {
    if (path == RECORDING) {
        record_all();
        return;
    }
    preempt_around(true);
    (void)kymo_drain(0u);
    preempt_around(false);
}

static bool interrupt_drains;

static void prepare(uint32_t fill, bool attached) {
    (void)power_up(NULL);
    preempt_level = 0u;
    memset(preempts, 0, sizeof preempts);
    for (uint32_t i = 0u; i < PREEMPT_LEVELS; i++) {
        preempts[i].call = PREEMPT_NEVER;
    }
    held.length = 0u;
    if (attached) {
        static const struct kymo_transport holding = {.write = hold};
        kymo_init(&holding, "newest");
        for (uint32_t i = 0u; i < 8u; i++) {
            (void)kymo_drain(0u); /* names are out: only events follow */
        }
    }
    emit_many(0u, fill);
    fake.clock += 200000u;
    preempts[0].calls = 0u;
}

static bool find_places(enum path path, uint32_t fill, uint32_t target) {
    prepare(fill, path == DRAINING || interrupt_drains);
    preempt_find(true);
    preempts[0].call = target;
    follow(path);
    preempt_find(false);
    assert_true(preempt_place_count() < PREEMPT_PLACES);
    return preempts[0].calls > target;
}

static void finish(void) {
    preempts[0].call = PREEMPT_NEVER;
    let_go();
    if (kymo_link.transport == NULL) {
        attach();
    }
    kymo_link.transport = &trace.transport;
    drain();
}

/* ---- by an interrupt ---- */

static uint32_t interrupt_events, of_interrupts;

static void drain_some(void) {
    for (uint32_t i = 0u; i < 3u && interrupt_drains; i++) {
        (void)kymo_drain(0u);
        fake.clock += 200000u;
    }
}

/* Events without a number: the preempted one may come before or after them. */
static void interrupt(void) {
    preempt_level++;
    for (uint32_t i = 0u; i < interrupt_events; i++) {
        kymo_frame(&zone);
    }
    of_interrupts += interrupt_events;
    drain_some();
    preempt_level--;
}

static void (*arrives)(void *user, uint32_t lane, uint32_t context, const struct wire_event *event);
static uint64_t numbered; /* events with one, in order */

/* While draining all that has a number was recorded before the interrupt, so its place is known. */
static struct {
    bool draining;
    uint32_t fill;
} scene;

static void count_only(void *user, uint32_t lane, uint32_t context,
                       const struct wire_event *event) {
    const uint64_t place = known(lane) - 1u;
    if (event->kind == KYMO_KIND_PLOT_INT || event->kind == KYMO_KIND_MESSAGE) {
        assert_true(numbered == 0u || event->word[0] > numbered - 1u);
        assert_true(!scene.draining || event->word[0] == place);
        numbered = (uint64_t)event->word[0] + 1u;
        return;
    }
    assert_true(!scene.draining || event->kind != KYMO_KIND_FRAME || place >= scene.fill);
    arrives(user, lane, context, event);
}

/* Refused: an interrupt that goes round the ring finds the block that is being written. */
static uint64_t refused, overwritten;

static uint64_t preempt_all(enum path path, uint32_t events) {
    uint64_t count = 0u;
    refused = overwritten = 0u;
    interrupt_events = events;
    for (uint32_t fill = 0u; fill < FILLS; fill++) {
        for (uint32_t target = 0u; find_places(path, fill, target); target++) {
            for (uint32_t i = 0u; i < preempt_place_count(); i++) {
                if (preempt_choose(i) > 2u) {
                    continue; /* loops: their first passes */
                }
                prepare(fill, path == DRAINING || interrupt_drains);
                fake.interrupt = interrupt;
                arrives = trace.event;
                trace.event = count_only;
                scene.draining = path == DRAINING;
                scene.fill = fill;
                numbered = of_interrupts = 0u;
                preempts[0].call = target;
                follow(path);
                assert_true(preempts[0].preempted);
                drain_some();
                emit_many(0u, interrupt_drains ? 2u : 0u);
                finish();
                assert_int_equal(known(0u) + kymo_lanes[0].lost, emitted[0] + of_interrupts);
                refused += kymo_lanes[0].lost;
                overwritten += trace.lane[0].lost;
                assert_int_equal(sessions, 1);
                count++;
            }
        }
    }
    print_message("%llu preempts\n", (unsigned long long)count);
    return count;
}

CASE(by_an_interrupt_while_recording) {
    assert_true(preempt_all(RECORDING, 3u) > 3000u);
    assert_int_equal(refused, 0u);
}

/* With a mask it comes after the record; without one all is recorded except events that would overwrite that record. */
CASE(by_a_ring_full_of_events_while_recording) {
    assert_true(preempt_all(RECORDING, 150u) > 3000u);
    assert_true(KYMO_ARCH_ATOMIC ? refused > 1000u : refused == 0u);
}

/* It goes on to the next block, and drains: the drain waits for half-written records, and misses
 * no later ones, also where room is left in the block that it went to. */
CASE(by_an_interrupt_that_drains) {
    interrupt_drains = true;
    for (uint32_t events = 10u; events <= 25u; events += 15u) {
        assert_true(preempt_all(RECORDING, events) > 3000u);
        assert_int_equal(refused + overwritten, 0u);
    }
    interrupt_drains = false;
}

CASE(by_a_ring_full_of_events_while_reading) {
    assert_true(preempt_all(DRAINING, 150u) > 3000u);
    assert_int_equal(refused, 0u);
}

#if !KYMO_ARCH_ATOMIC

/* ---- by a reset ---- */

static sigjmp_buf out_of_it;

static void reset(void) { siglongjmp(out_of_it, 1); }

static uint32_t reset_everywhere(enum path path) {
    static volatile uint32_t fill, target, i, before; /* not to be lost by the jump */
    static volatile uint32_t count;
    count = 0u;
    for (fill = 0u; fill < FILLS; fill++) {
        for (target = 0u; find_places(path, fill, target); target++) {
            for (i = 0u; i < preempt_place_count(); i++) {
                if (preempt_choose(i) > 2u) {
                    continue;
                }
                prepare(fill, false);
                preempts[0].call = target;
                preempt_hits = reset;
                if (sigsetjmp(out_of_it, 1) == 0) {
                    follow(path);
                    fail_msg("no reset");
                }
                preempt_hits = fake_interrupt;
                before =
                    fill + target; /* complete; the one that was preempted may have been, too */
                boot();
                emit(0u);
                finish();
                assert_session(sessions - 1u, 0u, 1u, 0u);
                const uint64_t recalled =
                    sessions == 2u ? session[0].arrived[0] + session[0].lost[0] : 0u;
                assert_in_range(recalled, before, before + 1u);
                count++;
            }
        }
    }
    print_message("%u resets\n", (unsigned)count);
    return count;
}

CASE(by_a_reset_while_recording) { assert_true(reset_everywhere(RECORDING) > 3000u); }

#endif

#if !KYMO_ARCH_ATOMIC

static void first_event(void) { kymo_frame(&zone); }
static void first_look(void) { kymo_ring_start(); }
static void rest_of_block(void) { emit_many(0u, BLOCK_WORDS / KYMO_CELL_WORDS); }

static bool is_masked(void) { return fake.inside; }

/* Instructions of one call, in one go. */
static uint32_t instructions_masked(void (*call)(void)) {
    memset(preempts, 0, sizeof preempts);
    preempt_is_masked = is_masked;
    preempt_find(true);
    preempt_around(true);
    call();
    preempt_around(false);
    preempt_find(false);
    return preempt_masked_most;
}

/* However much a reset left: a ring full of the shortest records, which are checked one by one.
 * The same for events that begin a block. */
CASE(after_a_reset_little_is_masked) {
    for (uint32_t i = 0u; i < 2u; i++) {
        (void)power_up(NULL);
        for (uint32_t event = 0u; event < KYMO_RING_BYTES / KYMO_CELL_BYTES; event++) {
            kymo_frame(&zone);
        }
        boot();
        const uint32_t first = instructions_masked(i == 0u ? first_event : first_look);
        const uint32_t later = instructions_masked(rest_of_block);
        print_message("masked: %u, later %u instructions\n", (unsigned)first, (unsigned)later);
        assert_true(first != 0u && first <= 2u * later);
    }
}

#endif

CASES_BETWEEN(preempt_set_up, NULL);
