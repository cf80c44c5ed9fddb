/* SPDX-License-Identifier: MIT */
/* The encoder against hostlink's decoder: any events, in packets of any size, come out the same.
 * (tests/wire checks both against decoders and encoders of another hand.) */
#include <string.h>

#include "cases.h"
#include "player.h"
#include "ring/lane.h"
#include "send/encode.h"
#include "wire/decode.h"
#include "wire/unpack.h"

#define EVENTS 3000u

struct sent_event {
    uint64_t time;
    uint32_t kind, reference, words;
    uint32_t word[64];
};
static struct sent_event sent[EVENTS];

/* A number of any length, short ones as often as long ones, and the ends of each range. */
static uint32_t any_number(uint64_t *random) {
    uint32_t bits = player_random(random) % 33u;
    uint32_t mask = bits == 32u ? UINT32_MAX : (1u << bits) - 1u;
    switch (player_random(random) % 8u) {
    case 0u:
        return mask;
    case 1u:
        return mask + 1u;
    default:
        return player_random(random) & mask;
    }
}

static const uint8_t kinds[] = {
#define KIND_NUMBER(name, number, reference, payload, role, word) (number),
    KYMO_KINDS(KIND_NUMBER)
#undef KIND_NUMBER
};

/* "places": how many different ones there are; few repeat themselves, many drive each other out. */
static void make_event(struct sent_event *event, uint64_t *random, uint32_t places,
                       uint64_t *time) {
    uint32_t place = player_random(random) % places;
    *time += player_random(random) % 4u == 0u ? any_number(random) : place * 10u;
    /* A call stack has a code of its own: unit.callstack_cost. */
    event->kind = kinds[place % sizeof kinds];
    event->kind = event->kind == KYMO_KIND_CALLSTACK ? KYMO_KIND_MESSAGE : event->kind;
    event->time = *time;
    event->reference = (event->kind & KYMO_KIND_HAS_REF) == 0u ? 0u
                       : place % 5u == 0u                      ? place * 0x01234567u
                                                               : place;
    /* The lowest bit is no part of a site's number. */
    if ((event->kind & KYMO_KIND_HAS_OBJECT) == 0u && !KYMO_KIND_OF_CONTEXT(event->kind)) {
        event->reference &= ~1u;
    }
    event->words = 0u;
    if ((event->kind & KYMO_KIND_HAS_WORDS) != 0u) {
        event->words = player_random(random) % 8u == 0u ? player_random(random) % 61u : place % 4u;
    }
    for (uint32_t i = 0u; i < event->words; i++) {
        event->word[i] = any_number(random);
    }
}

static void compare(const struct wire_event *event, const struct sent_event *expected) {
    assert_int_equal(event->kind, expected->kind);
    assert_int_equal(event->reference, expected->reference);
    assert_true(event->ticks == expected->time);
    assert_int_equal(event->words, expected->words);
    assert_memory_equal(event->word, expected->word, event->words * sizeof event->word[0]);
}

/* ---- the packet's parts, unstuffed, as hostlink takes it apart ---- */

static uint8_t packet[KYMO_PACKET_BYTES];
static size_t packet_length;

static int keep(void *user, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    (void)user;
    (void)wire_bytes;
    memcpy(packet, bytes, length);
    packet_length = length;
    return 0;
}

static void no_junk(void *user, const uint8_t *bytes, size_t length) {
    (void)user;
    (void)bytes;
    fail_msg("%zu bytes are no packet", length);
}

static size_t take(void *context, const uint8_t *bytes, size_t length) {
    assert_int_equal(unpack_feed(context, bytes, length), 0);
    return length;
}

static void send(struct kymo_outgoing *out) {
    static struct unpack unpack;
    const struct unpack_callbacks callbacks = {NULL, keep, no_junk};
    const struct kymo_transport transport = {.write = take, .context = &unpack};
    unpack_init(&unpack, &callbacks);
    packet_length = 0u;
    kymo_out_bytes(out, out->events, KYMO_COUNT_BYTES);
    kymo_out_end(out);
    while (out->ready != 0u) {
        (void)kymo_out_send(out, &transport, SIZE_MAX);
    }
    assert_true(packet_length != 0u);
}

static uint32_t longest(uint32_t words) {
    return KYMO_ENCODE_EVENT_BYTES + KYMO_ENCODE_PAYLOAD_BYTES(words);
}

static void encode(struct kymo_encoder *e, struct kymo_outgoing *out,
                   const struct sent_event *event) {
    const struct kymo_slot place = {event->kind == KYMO_KIND_ZONE_END
                                        ? KYMO_TAG_END32
                                        : KYMO_LONG(event->kind, event->words, 1u),
                                    event->reference};
    uint8_t bytes[KYMO_ENCODE_EVENT_BYTES + KYMO_ENCODE_PAYLOAD_BYTES(64u)];
    uint8_t *at = bytes;
    size_t slot = kymo_encode_expected(e);
    int32_t work = INT32_MAX;
    if (!kymo_slot_is(&e->slot[slot], &place)) {
        slot = kymo_encode_find(e, &place, &work, 0);
        if (slot != KYMO_ENCODE_NONE) {
            at = kymo_encode_known(at, slot);
        } else {
            slot = kymo_encode_define(e, &place);
            at = kymo_encode_new(e, at, event->kind, event->reference, event->words);
        }
    }
    at = kymo_encode_ticks(e, at, slot, (uint32_t)(event->time - e->time));
    e->time = event->time;
    at = kymo_encode_words(e, at, slot, event->word, event->words);
    assert_in_range(at - bytes, 1u, longest(event->words));
    assert_in_range(INT32_MAX - work, 0, KYMO_ENCODE_LOOK_WORK * KYMO_WIRE_SLOTS);
    kymo_out_put(out, bytes, (uint32_t)(at - bytes));
    out->events++;
}

/* A packet into which so many bytes still fit. */
static void begin(struct kymo_encoder *encoder, struct kymo_outgoing *out, uint32_t size,
                  uint64_t start) {
    kymo_out_begin(out, KYMO_PACKET_EVENTS);
    while (kymo_out_space(out) > size) {
        kymo_out_bytes(out, 0x55u, 1u);
    }
    kymo_encode_begin(encoder, start, KYMO_MAIN_CONTEXT);
}

/* One packet with at most "size" bytes of events; returns how many fitted. */
static uint32_t one_packet(uint64_t *random, uint32_t size, uint32_t places) {
    static struct kymo_encoder encoder;
    static struct kymo_outgoing out;
    uint64_t start = (uint64_t)player_random(random) << player_random(random) % 32u;
    uint64_t time = start;
    uint32_t count = 0u;
    memset(&encoder, 0x5a, sizeof encoder); /* remains of an earlier packet do not matter */
    begin(&encoder, &out, size, start);
    const uint32_t head_bytes = out.length;
    while (count < EVENTS) {
        make_event(&sent[count], random, places, &time);
        if (longest(sent[count].words) + KYMO_COUNT_BYTES > kymo_out_space(&out)) {
            break;
        }
        encode(&encoder, &out, &sent[count++]);
    }
    send(&out);
    struct reader reader = {
        .bytes = packet, .length = packet_length - KYMO_COUNT_BYTES, .at = head_bytes};
    const struct wire_head head = {
        .slots = KYMO_WIRE_SLOTS, .count = count, .ticks = start, .context = KYMO_MAIN_CONTEXT};
    struct wire_decoder decoder;
    struct wire_event event;
    decode_begin(&decoder, &reader, &head);
    while (decode_next(&decoder, &event)) {
        compare(&event, &sent[decoder.decoded - 1u]);
    }
    assert_int_equal(decoder.decoded, count);
    assert_int_equal(reader.at, reader.length);
    assert_int_equal(packet[packet_length - 2u] | packet[packet_length - 1u] << 8, count);
    return count;
}

CASE(the_same_come_out) {
    uint64_t random = 0x1234567u;
    uint64_t total = 0u;
    for (uint32_t turn = 0u; turn < 4000u; turn++) {
        static const uint32_t places[] = {1u, 2u, 5u, 20u, 33u, 100u, 1000u};
        uint32_t size = player_random(&random) % (KYMO_PACKET_BYTES - 16u) + 2u;
        total += one_packet(&random, size, places[turn % 7u]);
    }
    assert_true(total > 100000u);
}

/* The longest event is as long as is said: a new place, the longest numbers. */
CASE(the_longest_event_is_known) {
    static struct kymo_encoder encoder;
    static struct kymo_outgoing out;
    for (uint32_t words = 0u; words <= 60u; words++) {
        struct sent_event event = {.kind = KYMO_KIND_ALLOC, .words = words};
        begin(&encoder, &out, KYMO_PACKET_BYTES, 0u);
        memset(event.word, 0xff, sizeof event.word);
        event.word[0] = 0x7fffffffu;
        event.reference = UINT32_MAX - 1u;
        event.time = UINT32_MAX;
        const uint32_t before = out.length;
        encode(&encoder, &out, &event);
        assert_int_equal(out.length - before, longest(words) - (words == 0u ? 1u : 0u));
    }
}
