/* SPDX-License-Identifier: MIT */
/* What a round of two tasks costs, one of which wakes the other, that runs and waits again: bytes in the ring and, with
 * framing and CRC, on the wire. */
#include "cases.h"
#include "kymo/tasks.h"
#include "kymo_arch.h"
#include "ring/ring.h"
#include "wire/fields.h"
#include "wire/unpack.h"

#define ROUNDS 1000u
#define ROUND_BYTES 48u

enum { LOW, HIGH };

static struct unpack unpack;
static uint32_t random_state, wire_bytes;

static int on_packet(void *context, const uint8_t *bytes, size_t length, size_t wire) {
    (void)context, (void)length;
    wire_bytes += packet_type(bytes) == KYMO_PACKET_EVENTS ? (uint32_t)wire : 0u;
    return 0;
}

static size_t deliver(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    assert_int_equal(unpack_feed(&unpack, bytes, length), 0);
    return length;
}

static const struct kymo_transport transport = {.write = deliver};

static void pass(uint32_t ticks, uint32_t varying) {
    random_state = random_state * 1103515245u + 12345u;
    fake.clock += ticks + (random_state >> 16) % varying;
}

static void drain(void) {
    while (kymo_drain(0u)) {}
}

/* Each task works for so many ticks at most. */
static void play(uint32_t work_ticks) {
    pass(20u, work_ticks);
    kymo_task_ready(kymo_task_numbered(HIGH), KYMO_WAKER_RUNS);
    pass(20u, 20u);
    kymo_task_out(true, 0u);
    kymo_task_in(kymo_task_numbered(HIGH));
    pass(20u, work_ticks);
    kymo_task_why(KYMO_WHY_NOTIFICATION, 0u);
    kymo_task_out(false, 0u);
    pass(10u, 10u);
    kymo_task_in(kymo_task_numbered(LOW));
}

static void on_junk(void *context, const uint8_t *bytes, size_t length) {
    (void)context, (void)bytes;
    fail_msg("%zu bytes are no packet", length);
}

FIXTURE(set_up) {
    static const struct unpack_callbacks callbacks = {.packet = on_packet, .junk = on_junk};
    unpack_init(&unpack, &callbacks);
    fake_reset();
    fake.clock_hz = 100000000u;
    kymo_init(&transport, "rounds");
    fake.clock_step = 0u; /* only now, as a clock that stands at the start stops the recorder */
    kymo_task_in(kymo_task_numbered(LOW));
    play(1u);
    drain();
    return 0;
}

/* Thousandths of a byte for each round. */
static uint32_t rounds(uint32_t work_ticks) {
    const uint32_t before = kymo_ring_used_bytes(&kymo_lanes[0]);
    wire_bytes = 0u;
    for (uint32_t i = 0u; i < ROUNDS; i++) {
        play(work_ticks);
    }
    assert_int_equal(kymo_ring_used_bytes(&kymo_lanes[0]) - before, ROUNDS * ROUND_BYTES);
    drain();
    fake.clock += fake.clock_hz;
    drain();
    return wire_bytes * 1000u / ROUNDS;
}

/* A byte for each of four times and for a reason, and packets. */
CASE(short_runs, set_up) { assert_in_range(rounds(130u), 5000u, 5700u); }

/* A run of 1.6 to 63 us, at 100 MHz, takes a second byte. */
CASE(longer_runs, set_up) { assert_in_range(rounds(6000u), 7000u, 7800u); }
