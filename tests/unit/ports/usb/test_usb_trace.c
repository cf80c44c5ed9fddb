/* SPDX-License-Identifier: MIT */
/* The trace's whole path over USB: recorder, serial port, a strict host, hostlink's decoder.
 * Whatever the host does in between, each recorded event arrives once or is reported as lost. */
#include <string.h>

#include "cases.h"
#include "kymo_arch.h"
#include "long_names.h"
#include "player.h"
#include "ring/lane.h"
#include "usb/bench.h"

#define MAIN 1u
#define BULK_IN 0x81
#define BULK_OUT 0x01

static struct trace trace;
static struct witness witness;
static struct player player;

static void to_witness(void *user, uint32_t lane, uint32_t context,
                       const struct wire_event *event) {
    (void)user;
    witness_arrive(&witness, lane, context, event);
}

/* One packet, if there is one, goes to hostlink's deframer. */
static bool host_takes(void) {
    uint8_t bytes[KYMO_USB_PACKET_BYTES];
    const int length = host_in(&bench.host, BULK_IN, bytes);
    if (length <= 0) {
        return length == 0;
    }
    assert_int_equal(trace.transport.write(&trace, bytes, (size_t)length), length);
    return true;
}

/* The port, and a host that reads whenever it is full. */
static bool host_reads;

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    const size_t taken = bench.transport->write(bench.transport->context, bytes, length);
    (void)context;
    if (host_reads && taken < length) {
        (void)host_takes();
    }
    return taken;
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    (void)context;
    return bench.transport->read(bench.transport->context, bytes, length);
}

static const struct kymo_transport transport = {.write = write_bytes, .read = read_bytes};

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    trace.event = to_witness;
    witness_init(&witness);
    player_init(&player, &witness, 0u, MAIN);
    bench_open(BENCH_INTERRUPTS);
    bench.host.patience = 1;
    host_reads = true;
    kymo_init(&transport, "usb");
    return 0;
}

static void finish(void) {
    player_close(&player);
    for (int i = 0; i < 2; i++) {
        kymo_finish();
        while (kymo_pending()) {
            (void)kymo_drain(0u);
        }
        while (host_takes()) {}
    }
    assert_int_equal(trace_finish(&trace), witness_finish(&witness));
    assert_int_equal(trace.junk, 0);
}

static void record(unsigned steps, uint64_t *random) {
    for (unsigned i = 0; i < steps; i++) {
        player_step(&player, random);
        (void)kymo_drain(64u);
        (void)kymo_drain(64u);
        fake.clock += 2000u;
    }
}

static void reopen(void) {
    bench.host.patience = 64;
    host_enumerate(&bench.host);
    assert_int_equal(host_set_line(&bench.host, true), 0);
    bench.host.patience = 1;
}

CASE(the_trace_arrives_whole, set_up) {
    uint64_t random = 1u;
    record(30000u, &random);
    finish();
    assert_true(trace_events(&trace) > 20000u);
    assert_int_equal(trace.lane[0].lost, 0);
}

CASE(packets_are_repeated, set_up) {
    uint64_t random = 2u;
    bench.host.lose_every = 3;
    record(20000u, &random);
    finish();
    assert_int_equal(trace.lane[0].lost, 0);
}

/* Closed and opened, reset, unplugged, suspended; and it goes on at the very byte. */
CASE(the_host_comes_and_goes, set_up) {
    uint64_t random = 3u;
    for (unsigned i = 0; i < 60u; i++) {
        record(300u, &random);
        switch (i % 4u) {
        case 0:
            assert_int_equal(host_set_line(&bench.host, false), 0);
            record(20u, &random);
            assert_int_equal(host_set_line(&bench.host, true), 0);
            break;
        case 1:
            host_reset(&bench.host);
            record(20u, &random);
            reopen();
            break;
        case 2:
            model_cable(&bench.model, false);
            record(20u, &random);
            model_cable(&bench.model, true);
            reopen();
            break;
        default:
            model_suspend(&bench.model, true);
            host_reads = false;
            record(20u, &random);
            host_reads = true;
            model_suspend(&bench.model, false);
        }
    }
    finish();
    assert_true(trace_events(&trace) > 10000u);
}

/* The host does not read for long: the ring overflows, the firmware goes on, and the gap is reported. */
CASE(the_host_is_away_for_long, set_up) {
    uint64_t random = 4u;
    record(100u, &random);
    host_reset(&bench.host);
    record(5000u, &random);
    reopen();
    record(1000u, &random);
    finish();
    assert_true(trace.lane[0].lost > 1000u);
    assert_true(trace.lane[0].losses > 0u);
}

CASE(commands_of_the_host_are_obeyed, set_up) {
    uint8_t ping[64];
    uint64_t random = 5u;
    /* runtime/WIRE.md: type, sequence number, the host's 8 bytes */
    const uint8_t frame[] = {
        KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_PACKET_PING, 0, 1, 2, 3, 4, 5, 6, 7, 8};
    const size_t length = packet_encode(ping, sizeof ping, frame, sizeof frame);
    for (unsigned i = 0; i < 10u; i++) {
        assert_int_equal(host_out(&bench.host, BULK_OUT, ping, length), length);
        record(50u, &random);
        for (unsigned call = 0; call < 400u;
             call++) { /* a packet of events may stand before the answer */
            (void)kymo_drain(64u);
        }
    }
    finish();
    assert_int_equal(trace.packets[KYMO_PACKET_PONG], 10);
    assert_int_equal(kymo_usb_cdc_lost_bytes(&bench.cdc), 0);
}

static size_t host_reads_packet(uint8_t *bytes, size_t room) {
    assert_true(room >= KYMO_USB_PACKET_BYTES);
    const int length = host_in(&bench.host, BULK_IN, bytes);
    return length > 0 ? (size_t)length : 0u;
}

CASE(long_names_arrive_whole, set_up) {
    host_reads = false;
    long_names_arrive(bench.transport, host_reads_packet);
}
