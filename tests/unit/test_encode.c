/* The encoder against hostlink's decoder: whatever events, in packets of whatever size, the same
 * come out again. (tests/wire holds both against decoders and encoders of another hand.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "encode.h"
#include "player.h"
#include "wire/decode.h"
#include "wire/unpack.h"

#define EVENTS 3000u

struct sent_event {
    struct kymo_encode_event event;
    uint32_t reference;
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
static void make_event(struct sent_event *made, uint64_t *random, uint32_t places, uint64_t *time) {
    struct kymo_encode_event *event = &made->event;
    uint32_t place = player_random(random) % places;
    *time += player_random(random) % 4u == 0u ? any_number(random) : place * 10u;
    /* A call stack has a code of its own: unit.callstack_cost. */
    event->kind = kinds[place % sizeof kinds];
    event->kind = event->kind == KYMO_KIND_CALLSTACK ? KYMO_KIND_MESSAGE : event->kind;
    event->time = *time;
    made->reference = (event->kind & KYMO_KIND_HAS_REF) == 0u ? 0u
                      : place % 5u == 0u                      ? place * 0x01234567u
                                                              : place;
    event->key = event->kind == KYMO_KIND_ZONE_END ? KYMO_TAG_END32 : made->reference;
    event->words = 0u;
    if ((event->kind & KYMO_KIND_HAS_WORDS) != 0u) {
        event->words =
            (uint8_t)(player_random(random) % 8u == 0u ? player_random(random) % 61u : place % 4u);
    }
    for (uint32_t i = 0u; i < event->words; i++) {
        made->word[i] = any_number(random);
    }
}

static void compare(const struct wire_event *event, const struct sent_event *expected) {
    assert_int_equal(event->kind, expected->event.kind);
    assert_int_equal(event->reference, expected->reference);
    assert_true(event->ticks == expected->event.time);
    assert_int_equal(event->words, expected->event.words);
    assert_memory_equal(event->word, expected->word, event->words * sizeof event->word[0]);
}

/* ---- what the packet is made of, unstuffed, as hostlink takes it apart ---- */

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
    kymo_encode_end(out);
    kymo_out_end(out);
    while (out->ready != 0u) {
        (void)kymo_out_send(out, &transport, SIZE_MAX);
    }
    assert_true(packet_length != 0u);
}

static void encode(struct kymo_encoder *encoder, struct kymo_outgoing *out,
                   const struct sent_event *event) {
    if (!kymo_encode_guess(encoder, &event->event) &&
        !kymo_encode_find(encoder, out, &event->event)) {
        kymo_encode_define(encoder, out, &event->event);
        if ((event->event.kind & KYMO_KIND_HAS_REF) != 0u) {
            kymo_encode_reference(encoder, out, event->reference);
        }
    }
    kymo_encode_time(encoder, out, &event->event);
    for (uint32_t i = 0u; i < event->event.words; i++) {
        kymo_encode_word(encoder, out, i, event->word[i]);
    }
    out->events++;
}

/* A packet into which so many bytes still fit. */
static void begin(struct kymo_encoder *encoder, struct kymo_outgoing *out, uint32_t size,
                  uint64_t start) {
    kymo_out_begin(out, KYMO_PACKET_EVENTS);
    while (kymo_out_space(out) > size) {
        kymo_out_bytes(out, 0x55u, 1u);
    }
    kymo_encode_begin(encoder, out, start);
}

/* One packet with at most "size" bytes of events; returns how many fitted. */
static uint32_t one_packet(uint64_t *random, uint32_t size, uint32_t places) {
    static struct kymo_encoder encoder;
    static struct kymo_outgoing out;
    uint64_t start = (uint64_t)player_random(random) << player_random(random) % 32u;
    uint64_t time = start;
    uint32_t count = 0u;
    memset(&encoder, 0x5a, sizeof encoder); /* what a packet before left does not matter */
    begin(&encoder, &out, size, start);
    const uint32_t head_bytes = out.length;
    while (count < EVENTS) {
        make_event(&sent[count], random, places, &time);
        if (!kymo_encode_fits(&out, sent[count].event.words)) {
            break;
        }
        encode(&encoder, &out, &sent[count++]);
    }
    send(&out);
    struct reader reader = {
        .bytes = packet, .length = packet_length - KYMO_COUNT_BYTES, .at = head_bytes};
    const struct wire_head head = {.slots = KYMO_WIRE_SLOTS, .count = count, .ticks = start};
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

static void the_same_come_out(void **state) {
    uint64_t random = 0x1234567u;
    uint64_t total = 0u;
    (void)state;
    for (uint32_t turn = 0u; turn < 4000u; turn++) {
        static const uint32_t places[] = {1u, 2u, 5u, 20u, 33u, 100u, 1000u};
        uint32_t size = player_random(&random) % (KYMO_PACKET_BYTES - 16u) + 2u;
        total += one_packet(&random, size, places[turn % 7u]);
    }
    assert_true(total > 100000u);
}

/* In the smallest packet that is said to have room for an event of so many words, the longest such
 * event has room: a new place, the longest numbers, and at every position within a byte. */
static void the_longest_event_fits(void **state) {
    static struct kymo_encoder encoder;
    static struct kymo_outgoing out;
    uint32_t closest = UINT32_MAX;
    (void)state;
    for (uint32_t words = 0u; words <= 60u; words++) {
        for (uint32_t before = 0u; before < 80u; before++) {
            struct sent_event event = {
                .event = {.kind = KYMO_KIND_MESSAGE, .words = (uint8_t)words}};
            begin(&encoder, &out, KYMO_PACKET_BYTES, 0u);
            for (uint32_t i = 0u; i < before; i++) {
                const struct sent_event small = {
                    .event = {.kind = KYMO_KIND_ZONE_BEGIN, .key = i % 70u / 2u, .time = i},
                    .reference = i % 70u / 2u};
                encode(&encoder, &out, &small);
            }
            const uint32_t length =
                out.length; /* as if so much had come before that it just fits */
            while (kymo_encode_fits(&out, words)) {
                out.length++;
            }
            out.length--;
            const uint32_t space = kymo_out_space(&out);
            memset(event.word, 0xff, sizeof event.word);
            event.word[0] = 0x7fffffffu; /* its change from 0 is the longest, folded */
            event.event.key = event.reference = UINT32_MAX;
            event.event.time = before + UINT32_MAX - 1u;
            encode(&encoder, &out, &event);
            kymo_encode_end(&out);
            const uint32_t left = kymo_out_space(&out);
            assert_true(left <= space);
            closest = left < closest ? left : closest;
            assert_true(out.length > length);
            out = (struct kymo_outgoing){0};
        }
    }
    assert_in_range(closest, 0u, 8u); /* nor is room wasted */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_come_out),
        cmocka_unit_test(the_longest_event_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
