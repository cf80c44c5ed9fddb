/* SPDX-License-Identifier: MIT */
/* Commands from the host: each one, and everything that is not a command. */
#include <string.h>

#include "cases.h"
#include "kymo_arch.h"
#include "player.h"
#include "ring/lane.h"
#include "send/link.h"

#define VERSION (KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT)

KYMO_PARAM(gain, "gain", 5, -10, 100);
KYMO_PARAM(whole, "whole", 0, INT32_MIN, INT32_MAX);
KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);

static struct trace trace;
static uint8_t last[32][600]; /* the last packet of each type, and its length */
static size_t last_length[32];
static uint8_t told[16][24]; /* the last PARAM packet of each site */
static size_t answer_length[16];

static void keep_param(const uint8_t *bytes, size_t length) {
    struct reader reader = {.bytes = bytes, .length = length, .at = 2u};
    uint64_t number = read_varint(&reader);
    assert_true(number < 16u && length <= sizeof told[0]);
    memcpy(told[number], bytes, length);
    answer_length[number] = length;
}

static void keep(void *user, const uint8_t *bytes, size_t length) {
    uint8_t type = bytes[0] & KYMO_WIRE_TYPE_MASK;
    (void)user;
    assert_true(length <= sizeof last[0]);
    memcpy(last[type], bytes, length);
    last_length[type] = length;
    if (type == KYMO_PACKET_PARAM) {
        keep_param(bytes, length);
    }
}

static void settle(void) {
    for (uint32_t idle = 0u; idle < 4u;) {
        idle = kymo_drain(0u) ? 0u : idle + 1u;
    }
}

static struct kymo_param *changed;
static int32_t changed_to;

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    trace.packet = keep;
    gain_param.value = 5;
    whole_param.value = 0;
    changed = NULL;
    kymo_init(&trace.transport, "command");
    settle();
    memset(trace.packets, 0, sizeof trace.packets);
    return 0;
}

static void put_u32(uint8_t *bytes, uint32_t value) {
    for (uint32_t i = 0u; i < 4u; i++) {
        bytes[i] = (uint8_t)(value >> (8u * i));
    }
}

/* A packet with this first byte and body arrives. */
static void command(uint32_t first, const uint8_t *body, size_t length) {
    uint8_t packet[64] = {(uint8_t)first};
    uint8_t stuffed[96];
    if (length != 0u) {
        memcpy(packet + 2, body, length);
    }
    size_t count = packet_encode(stuffed, sizeof stuffed, packet, length + 2u);
    assert_int_not_equal(count, 0u);
    trace_command(&trace, stuffed, count);
    settle();
}

static uint32_t number_of(const struct kymo_site *site) {
    return (uint32_t)(site - __start_kymo_sites);
}

void kymo_param_changed(struct kymo_param *param) {
    changed = param;
    changed_to = param->value;
}

static void set_param(const struct kymo_site *site, int32_t value) {
    uint8_t body[8];
    put_u32(body, number_of(site));
    put_u32(body + 4, (uint32_t)value);
    command(VERSION | KYMO_PACKET_SET_PARAM, body, sizeof body);
}

/* The last PARAM packet of the site shows this; it is used up. */
static void check_param(const struct kymo_site *site, int32_t value) {
    uint32_t number = number_of(site);
    struct reader reader = {.bytes = told[number], .length = answer_length[number], .at = 2u};
    assert_int_equal(read_varint(&reader), number);
    assert_int_equal((int32_t)read_u32(&reader), value);
    assert_int_equal((int32_t)read_u32(&reader), site->param->minimum);
    assert_int_equal((int32_t)read_u32(&reader), site->param->maximum);
    assert_false(reader.bad);
    assert_int_equal(site->param->value, value);
    assert_ptr_equal(changed, site->param);
    assert_int_equal(changed_to, value);
    answer_length[number] = 0u;
}

CASE(hello_tells_all, set_up) {
    command(VERSION | KYMO_PACKET_HELLO, NULL, 0u);
    assert_true(trace.packets[KYMO_PACKET_SESSION] >= 1u);
    assert_int_equal(trace.packets[KYMO_PACKET_STATUS], 1u);
    assert_true(trace.packets[KYMO_PACKET_SITES] >= 1u);
    /* The session says that it reads commands: flags after session, rate and time. */
    struct reader reader = {
        .bytes = last[KYMO_PACKET_SESSION], .length = last_length[KYMO_PACKET_SESSION], .at = 6u};
    assert_int_equal(read_varint(&reader), fake.clock_hz);
    (void)read_varint(&reader);
    assert_int_equal(read_u8(&reader), KYMO_SESSION_COMMANDS);
    assert_int_equal(read_varint(&reader), kymo_site_count());
}

CASE(names_are_sent_when_asked_for, set_up) {
    command(VERSION | KYMO_PACKET_GET_NAMES, NULL, 0u);
    assert_true(trace.packets[KYMO_PACKET_SITES] >= 1u);
    assert_int_equal(trace.packets[KYMO_PACKET_STATUS], 0u);
}

CASE(stop_and_start, set_up) {
    command(VERSION | KYMO_PACKET_STOP, NULL, 0u);
    assert_int_equal(trace.packets[KYMO_PACKET_STATUS], 1u);
    assert_int_equal(trace.flags, KYMO_STATUS_STOPPED);
    assert_null(kymo_zone_begin(&zone));
    command(VERSION | KYMO_PACKET_STOP, NULL, 0u);
    command(VERSION | KYMO_PACKET_START, NULL, 0u);
    assert_int_equal(trace.packets[KYMO_PACKET_STATUS], 3u);
    assert_int_equal(trace.flags, 0u);
    kymo_zone open = kymo_zone_begin(&zone);
    assert_non_null(open);
    kymo_zone_end(open);
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 2u);
}

CASE(parameters_keep_within_their_bounds, set_up) {
    static const int32_t given[][2] = {{7, 7},     {-10, -10},       {100, 100},      {101, 100},
                                       {-11, -10}, {INT32_MAX, 100}, {INT32_MIN, -10}};
    for (uint32_t i = 0u; i < sizeof given / sizeof given[0]; i++) {
        set_param(&gain, given[i][0]);
        check_param(&gain, given[i][1]);
        assert_int_equal(KYMO_PARAM_GET(gain), given[i][1]);
        assert_int_equal(whole_param.value, 0);
    }
    set_param(&whole, INT32_MIN);
    check_param(&whole, INT32_MIN);
    set_param(&whole, INT32_MAX);
    check_param(&whole, INT32_MAX);
    assert_int_equal(gain_param.value, -10);
}

/* A site that does not exist, or is no parameter: nothing is written, nothing is said. */
CASE(what_is_no_parameter_is_not_set, set_up) {
    uint8_t body[8] = {0};
    set_param(&zone, 1);
    for (uint32_t i = 0u; i < 40u; i++) {
        put_u32(body, kymo_site_count() + (i < 8u ? i : UINT32_MAX >> (i - 8u)));
        command(VERSION | KYMO_PACKET_SET_PARAM, body, sizeof body);
    }
    put_u32(body, number_of(&gain));
    for (size_t length = 0u; length < 8u; length++) {
        command(VERSION | KYMO_PACKET_SET_PARAM, body, length);
    }
    assert_int_equal(trace.packets[KYMO_PACKET_PARAM], 0u);
    assert_int_equal(gain_param.value, 5);
    assert_int_equal(whole_param.value, 0);
    assert_null(changed);
}

CASE(a_ping_is_answered, set_up) {
    uint8_t body[8];
    put_u32(body, 0x89abcdefu);
    put_u32(body + 4, 0x01234567u);
    fake.clock = UINT64_C(0x123400000000);
    command(VERSION | KYMO_PACKET_PING, body, sizeof body);
    assert_int_equal(trace.packets[KYMO_PACKET_PONG], 1u);
    struct reader reader = {
        .bytes = last[KYMO_PACKET_PONG], .length = last_length[KYMO_PACKET_PONG], .at = 2u};
    assert_true(read_u64(&reader) == UINT64_C(0x0123456789abcdef));
    uint64_t received = read_varint(&reader);
    uint64_t answered = read_varint(&reader);
    assert_false(reader.bad);
    assert_true(received > UINT64_C(0x123400000000));
    assert_true(answered >= received && answered <= fake.clock);
    command(VERSION | KYMO_PACKET_PING, body, 7u);
    assert_int_equal(trace.packets[KYMO_PACKET_PONG], 1u);
}

/* A slow line: the time of the bytes of a ping and of its answer belongs to neither. */
CASE(the_first_bytes_count, set_up) {
    uint8_t packet[10] = {VERSION | KYMO_PACKET_PING};
    uint8_t stuffed[32] = {0};
    put_u32(packet + 2, 0x00abcdefu);
    put_u32(packet + 6,
            0x01004567u); /* a byte of zero makes a part of the answer leave before the rest */
    fake.clock = UINT64_C(0x1234fffffff0);
    const size_t count =
        packet_encode(stuffed + 1, sizeof stuffed - 1u, packet, sizeof packet) + 1u;
    uint64_t heard = 0u, left = 0u;
    settle();
    trace.room = 0u;
    for (size_t i = 0u; i < count; i++) {
        trace_command(&trace, &stuffed[i], 1u);
        (void)kymo_drain(0u);
        heard = i == 1u ? fake.clock : heard;
        fake.clock += 1000u;
    }
    const size_t before = trace.bytes;
    for (uint32_t i = 0u; i < 200u && trace.packets[KYMO_PACKET_PONG] == 0u; i++) {
        trace.room = 1u;
        (void)kymo_drain(0u);
        left = left == 0u && trace.bytes != before ? fake.clock : left;
        fake.clock += 1000u;
    }
    struct reader reader = {
        .bytes = last[KYMO_PACKET_PONG], .length = last_length[KYMO_PACKET_PONG], .at = 10u};
    const uint64_t received = read_varint(&reader), answered = read_varint(&reader);
    assert_false(reader.bad);
    assert_true(received <= heard && received + 100u > heard);
    assert_true(answered <= left && answered > received);
}

/* Only a correct packet may change anything, and no packet may stop the next ones. */
static void check_untouched(void) {
    assert_int_equal(gain_param.value, 5);
    assert_int_equal(whole_param.value, 0);
    assert_false(kymo_stopped);
    set_param(&gain, 50);
    check_param(&gain, 50);
    gain_param.value = 5;
}

CASE(damaged_packets_are_dropped, set_up) {
    uint8_t packet[10] = {VERSION | KYMO_PACKET_SET_PARAM};
    uint8_t stuffed[32];
    put_u32(packet + 2, number_of(&gain));
    put_u32(packet + 6, 77u);
    size_t length = packet_encode(stuffed, sizeof stuffed, packet, sizeof packet);
    for (size_t bit = 0u; bit < (length - 1u) * 8u; bit++) {
        uint8_t damaged[32];
        memcpy(damaged, stuffed, length);
        damaged[bit / 8u] ^= (uint8_t)(1u << bit % 8u);
        trace_command(&trace, damaged, length);
        settle();
        assert_int_equal(gain_param.value, 5);
    }
    for (size_t cut = 1u; cut < length - 1u; cut++) {
        trace_command(&trace, stuffed, cut);
        trace_command(&trace, (const uint8_t[]){0u}, 1u);
        settle();
        assert_int_equal(gain_param.value, 5);
    }
    check_untouched();
}

/* A block that reaches beyond its packet must not be followed there. */
CASE(blocks_stay_within_their_packet) {
    struct {
        struct kymo_incoming in;
        uint8_t guard[300];
    } space;
    for (uint32_t length = 1u; length <= 40u; length++) {
        for (uint32_t code = 1u; code < 256u; code++) {
            for (uint32_t i = 0u; i < sizeof space.guard; i++) {
                space.guard[i] = (uint8_t)(i * 7u);
            }
            space.in = (struct kymo_incoming){.length = 0u};
            (void)kymo_packet_receive(&space.in, (uint8_t)code);
            for (uint32_t i = 1u; i < length; i++) {
                (void)kymo_packet_receive(&space.in, (uint8_t)(i | 0x40u));
            }
            assert_int_equal(kymo_packet_receive(&space.in, 0u), 0u);
            assert_int_equal(space.in.length, 0u);
            for (uint32_t i = 0u; i < sizeof space.guard; i++) {
                assert_int_equal(space.guard[i], (uint8_t)(i * 7u));
            }
        }
    }
}

CASE(overlong_and_foreign_packets_are_dropped, set_up) {
    uint8_t body[62] = {0};
    for (size_t length = 27u; length < 58u; length++) { /* 32 bytes with head and CRC are allowed */
        command(VERSION | KYMO_PACKET_STOP, body, length);
        assert_false(kymo_stopped);
    }
    for (uint32_t version = 0u; version < 8u; version++) {
        if (version != KYMO_WIRE_VERSION) {
            command(version << 5 | KYMO_PACKET_STOP, NULL, 0u);
            assert_false(kymo_stopped);
        }
    }
    for (uint32_t type = 0u; type < 32u; type++) {
        if (type < KYMO_PACKET_HELLO || type > KYMO_PACKET_PING) {
            command(VERSION | type, body, 8u);
        }
    }
    assert_int_equal(trace.packets[KYMO_PACKET_PARAM] + trace.packets[KYMO_PACKET_PONG], 0u);
    check_untouched();
    command(VERSION | KYMO_PACKET_STOP, body, 26u); /* a newer host's, with more in its body */
    assert_true(kymo_stopped);
}

CASE(garbage_does_nothing, set_up) {
    uint64_t random = 0xfeedu;
    for (uint32_t turn = 0u; turn < 100000u; turn++) {
        uint8_t bytes[48];
        for (uint32_t i = 0u; i < sizeof bytes; i++) {
            bytes[i] = player_random(&random) % 16u == 0u ? 0u : (uint8_t)player_random(&random);
        }
        trace_command(&trace, bytes, sizeof bytes);
        while (kymo_drain(0u)) {}
    }
    trace_command(&trace, (const uint8_t[]){0u}, 1u);
    assert_int_equal(trace.packets[KYMO_PACKET_PONG], 0u);
    check_untouched();
}

/* ---- a host that sends command after command, faster than they are obeyed ---- */

static uint8_t flood_bytes[96];
static size_t flood_length, flood_at;

static size_t flood(void *context, uint8_t *bytes, size_t length) {
    (void)context;
    for (size_t i = 0u; i < length; i++) {
        bytes[i] = flood_bytes[flood_at++ % flood_length];
    }
    return length;
}

static void begin_flood(uint32_t type) {
    uint8_t packet[2u + 8u] = {(uint8_t)(VERSION | type), 0u};
    put_u32(packet + 2, number_of(&gain));
    flood_length = packet_encode(flood_bytes, sizeof flood_bytes, packet, sizeof packet);
    flood_at = 0u;
    assert_true(flood_length != 0u);
    trace.transport.read = flood;
}

#define CALLS_MAX 20000u

static void drain_all(void) {
    uint32_t calls = 0u;
    while (kymo_pending()) {
        (void)kymo_drain(0u);
        assert_true(++calls < CALLS_MAX);
    }
}

static const uint32_t flooded[] = {KYMO_PACKET_HELLO, KYMO_PACKET_GET_NAMES, KYMO_PACKET_PING,
                                   KYMO_PACKET_SET_PARAM, KYMO_PACKET_START};

/* From power-up on, so the names are still to be sent; the line takes all, or little at a time. */
static void with_each_flood(void (*run)(void)) {
    for (uint32_t i = 0u; i < 2u * sizeof flooded / sizeof flooded[0]; i++) {
        fake_reset();
        trace_power_up();
        trace_init(&trace);
        trace.takes = i % 2u == 0u ? SIZE_MAX : 5u;
        begin_flood(flooded[i / 2u]);
        kymo_init(&trace.transport, "flood");
        run();
    }
}

static void record_and_drain(void) {
    for (uint32_t i = 0u; i < 30u; i++) {
        kymo_zone_end(kymo_zone_begin(&zone));
        drain_all();
        assert_int_equal(trace_events(&trace), 2u * (i + 1u));
    }
    assert_true(trace.packets[KYMO_PACKET_SITES] != 0u);
}

CASE(all_events_are_out_while_commands_come) { with_each_flood(record_and_drain); }

static void record_and_finish(void) {
    for (uint32_t turn = 1u; turn < 4u; turn++) {
        for (uint32_t i = 0u; i < 30u; i++) {
            kymo_zone_end(kymo_zone_begin(&zone));
        }
        kymo_finish();
        drain_all();
        assert_int_equal(trace_events(&trace), 60u * turn);
        assert_true((trace.flags & KYMO_STATUS_FINAL) != 0u);
        assert_true(trace.packets[KYMO_PACKET_SITES] != 0u);
    }
}

CASE(the_end_comes_while_commands_come) { with_each_flood(record_and_finish); }

/* A program that ends as soon as it may has told its parameters. */
CASE(the_end_comes_behind_the_parameters) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    trace.packet = keep;
    kymo_init(&trace.transport, "parameters");
    kymo_finish();
    drain_all();
    assert_int_equal(trace.packets[KYMO_PACKET_PARAM], 2u);
    assert_true((trace.flags & KYMO_STATUS_FINAL) != 0u);
}
