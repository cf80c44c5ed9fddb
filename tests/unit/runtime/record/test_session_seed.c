/* SPDX-License-Identifier: MIT */
/* Starts that are alike to the tick, on a chip that has a number for KYMO_SESSION_SEED. */
#include "cases.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "trace.h"

static struct trace trace;
static uint32_t session; /* by the last SESSION packet */

static void on_packet(void *user, const uint8_t *bytes, size_t length) {
    struct reader r = {.bytes = bytes, .length = length, .at = 2u};
    (void)user;
    if ((bytes[0] & KYMO_WIRE_TYPE_MASK) == KYMO_PACKET_SESSION) {
        session = read_u32(&r);
        assert_false(r.bad);
    }
}

/* The number of the session that begins. */
static uint32_t start(uint32_t seed) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    trace.packet = on_packet;
    fake.seed = seed;
    session = 0u;
    kymo_init(&trace.transport, "seeded");
    assert_int_equal(fake.seeds_read, 1u);
    trace_drain(&trace);
    assert_int_equal(trace.packets[KYMO_PACKET_SESSION], 1u);
    return session;
}

CASE(starts_with_different_seeds_have_different_numbers) {
    static const uint32_t seeds[] = {1u, 2u, 0x80000000u, 0xdeadbeefu, UINT32_MAX};
    const uint32_t alike = start(0u);
    assert_int_equal(start(0u), alike);
    for (size_t i = 0u; i < sizeof seeds / sizeof seeds[0]; i++) {
        assert_int_equal(start(seeds[i]) ^ alike, seeds[i]);
    }
}
