/* The encoder against hostlink's decoder: whatever events, in frames of whatever size, the same
 * come out again. (tests/wire holds both against decoders and encoders of another hand.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "encode.h"
#include "player.h"
#include "trace/decode.h"

#define FRAME_BYTES 4096u
#define EVENTS 3000u
#define GUARD 0xa5u

static struct kymo_encode_event sent[EVENTS];

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
#define KIND_NUMBER(name, number, meaning) (number),
    KYMO_KIND_TABLE(KIND_NUMBER)
#undef KIND_NUMBER
};

/* "places": how many different ones there are; few repeat themselves, many drive each other out. */
static void make_event(struct kymo_encode_event *event, uint64_t *random, uint32_t places,
                       uint64_t *time) {
    uint32_t place = player_random(random) % places;
    *time += player_random(random) % 4u == 0u ? any_number(random) : place * 10u;
    event->kind = (enum kymo_event_kind)kinds[place % sizeof kinds];
    event->time = *time;
    event->reference = ((uint32_t)event->kind & KYMO_KIND_HAS_REF) == 0u ? 0u
                       : place % 5u == 0u                                ? place * 0x01234567u
                                                                         : place;
    event->words = 0u;
    if (((uint32_t)event->kind & KYMO_KIND_HAS_WORDS) != 0u) {
        event->words = player_random(random) % 8u == 0u ? player_random(random) % 61u : place % 4u;
    }
    for (uint32_t i = 0u; i < event->words; i++) {
        event->word[i] = any_number(random);
    }
}

static void compare(const struct wire_event *event, const struct kymo_encode_event *expected) {
    assert_int_equal(event->kind, expected->kind);
    assert_int_equal(event->reference, expected->reference);
    assert_true(event->ticks == expected->time);
    assert_int_equal(event->words, expected->words);
    assert_memory_equal(event->word, expected->word, expected->words * sizeof event->word[0]);
}

/* One frame of at most "size" bytes; returns how many events fitted. */
static uint32_t one_frame(uint64_t *random, uint32_t size, uint32_t places) {
    static struct kymo_encoder encoder;
    static uint8_t bytes[FRAME_BYTES + 16u];
    uint64_t start = (uint64_t)player_random(random) << player_random(random) % 32u;
    uint64_t time = start;
    uint32_t count = 0u;
    memset(&encoder, 0x5a, sizeof encoder); /* what a frame before left does not matter */
    memset(bytes, GUARD, sizeof bytes);
    kymo_encode_begin(&encoder, bytes, size, (uint32_t)start);
    while (count < EVENTS) {
        make_event(&sent[count], random, places, &time);
        if (!kymo_encode_fits(&encoder, sent[count].words)) {
            break;
        }
        kymo_encode_event(&encoder, &sent[count++]);
    }
    uint32_t length = kymo_encode_end(&encoder);
    assert_true(length <= size);
    for (uint32_t i = length; i < sizeof bytes; i++) {
        assert_int_equal(bytes[i], GUARD);
    }
    struct reader reader = {.bytes = bytes, .length = length};
    const struct wire_head head = {.slots = KYMO_WIRE_SLOTS, .count = count, .ticks = start};
    struct wire_decoder decoder;
    struct wire_event event;
    decode_begin(&decoder, &reader, &head);
    while (decode_next(&decoder, &event)) {
        compare(&event, &sent[decoder.decoded - 1u]);
    }
    assert_int_equal(decoder.decoded, count);
    assert_int_equal(reader.at, length);
    return count;
}

static void the_same_come_out(void **state) {
    uint64_t random = 0x1234567u;
    uint64_t total = 0u;
    (void)state;
    for (uint32_t turn = 0u; turn < 4000u; turn++) {
        static const uint32_t places[] = {1u, 2u, 5u, 20u, 33u, 100u, 1000u};
        uint32_t size = player_random(&random) % FRAME_BYTES;
        total += one_frame(&random, size, places[turn % 7u]);
    }
    assert_true(total > 100000u);
}

/* In the smallest frame that is said to have room for an event of so many words, the longest such
 * event has room: a new place, the longest numbers, and at every position within a byte. */
static void the_longest_event_fits(void **state) {
    static struct kymo_encoder encoder;
    static uint8_t bytes[FRAME_BYTES];
    uint32_t closest = UINT32_MAX;
    (void)state;
    for (uint32_t words = 0u; words <= 60u; words++) {
        for (uint32_t before = 0u; before < 80u; before++) {
            struct kymo_encode_event event = {.kind = KYMO_KIND_MESSAGE, .words = words};
            kymo_encode_begin(&encoder, bytes, sizeof bytes, 0u);
            for (uint32_t i = 0u; i < before; i++) {
                const struct kymo_encode_event small = {
                    .kind = KYMO_KIND_ZONE_BEGIN, .reference = i % 70u / 2u, .time = i};
                kymo_encode_event(&encoder, &small);
            }
            encoder.size = encoder.used;
            while (!kymo_encode_fits(&encoder, words)) {
                encoder.size++;
            }
            uint32_t size = encoder.size;
            memset(event.word, 0xff, sizeof event.word);
            event.word[0] = 0x7fffffffu; /* its change from 0 is the longest, folded */
            event.reference = UINT32_MAX;
            event.time = before + UINT32_MAX - 1u;
            bytes[size] = GUARD;
            kymo_encode_event(&encoder, &event);
            uint32_t used = kymo_encode_end(&encoder);
            assert_true(used <= size);
            assert_int_equal(bytes[size], GUARD);
            closest = size - used < closest ? size - used : closest;
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
