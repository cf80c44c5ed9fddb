/* SPDX-License-Identifier: MIT */
/* Call stacks from the ring to hostlink's decoder, and what they take on the wire: of a program that is walked as
 * firmware is, by frame pointers. Its code is at fixed addresses, so that the figures are the same each time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "ring/ring.h"
#include "send/stacks.h"
#include "wire/decode.h"
#include "wire/events_packet.h"
#include "wire/fields.h"
#include "wire/unpack.h"

#define FRAMES_MAX 62u
#define STACKS_MAX 20000u

KYMO_POOL(heap, "heap");

struct stack {
    uint32_t count;
    uint64_t address[FRAMES_MAX];
};

static struct stack recorded[STACKS_MAX];
static size_t stacks, arrived, events, wire_bytes;
static bool with_stacks;
static uintptr_t bottom; /* of the stack, as far as it is the program's own */
static uint64_t moved;   /* added to addresses, for those above 4 GiB */
static struct unpack unpack;

/* ---- hostlink ---- */

static void compare(const struct wire_event *event) {
    const struct stack *stack = &recorded[arrived++];
    assert_true(arrived <= stacks);
    const uint32_t count = stack->count < KYMO_STACK_FRAMES ? stack->count : KYMO_STACK_FRAMES;
    assert_int_equal(event->word[0], count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t high = 1 + count + i;
        const uint64_t address =
            event->word[1 + i] | (high < event->words ? (uint64_t)event->word[high] << 32 : 0);
        assert_int_equal(address, stack->address[i]);
    }
}

/* Encodes like hostlink from a memory dump. */
static void encode_again(const struct wire_event *event) {
    static struct events_packet packet;
    static struct wire_decoder decoder;
    static bool begun;
    const struct events_head start = {.ticks = event->ticks, .context = 1};
    struct wire_event other;
    struct wire_head head;
    if (!begun || !events_add(&packet, event)) {
        begun = true;
        events_begin(&packet, &start);
        assert_true(events_add(&packet, event));
    }
    struct events_packet ended = packet;
    events_end(&ended);
    struct reader reader = packet_fields(ended.bytes, ended.length);
    assert_true(decode_head(&reader, &head));
    decode_begin(&decoder, &reader, &head);
    while (decode_next(&decoder, &other)) {}
    assert_int_equal(decoder.decoded, head.count);
    assert_int_equal(other.words, event->words);
    assert_memory_equal(other.word, event->word, event->words * sizeof other.word[0]);
}

static int on_packet(void *context, const uint8_t *bytes, size_t length, size_t wire) {
    struct reader reader = packet_fields(bytes, length);
    static struct wire_decoder decoder;
    struct wire_event event;
    struct wire_head head;
    (void)context;
    if (packet_type(bytes) != KYMO_PACKET_EVENTS) {
        return 0;
    }
    wire_bytes += wire;
    assert_true(decode_head(&reader, &head));
    decode_begin(&decoder, &reader, &head);
    while (decode_next(&decoder, &event)) {
        assert_int_not_equal(event.kind, KYMO_KIND_LOSS);
        events += event.kind == KYMO_KIND_ALLOC ? 1 : 0;
        if (event.kind == KYMO_KIND_CALLSTACK) {
            compare(&event);
            encode_again(&event);
        }
    }
    assert_int_equal(decoder.decoded, head.count);
    return 0;
}

static void no_junk(void *context, const uint8_t *bytes, size_t length) {
    (void)context, (void)bytes;
    fail_msg("%zu bytes are no packet", length);
}

static size_t write_line(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    assert_int_equal(unpack_feed(&unpack, bytes, length), 0);
    return length;
}

/* ---- a program ---- */

static void record_stack(struct stack *stack, const struct kymo_long *event) {
    uintptr_t address[FRAMES_MAX];
    uint32_t words[1u + 2u * FRAMES_MAX];
    stack->count = kymo_arch_unwind(address, FRAMES_MAX, 2u, bottom);
    words[0] = stack->count;
    for (uint32_t i = 0; i < stack->count; i++) {
        stack->address[i] = address[i] + moved;
        words[1u + i] = (uint32_t)stack->address[i];
        words[1u + stack->count + i] = (uint32_t)(stack->address[i] >> 32);
    }
    const struct kymo_long prefix = {.kind = KYMO_KIND_CALLSTACK,
                                     .count = 1u + (moved != 0 ? 2u : 1u) * stack->count,
                                     .words = words};
    kymo_ring_long_with(&prefix, event);
}

static void note(uint32_t bytes) {
    const uint32_t words[2] = {0x20001000u, bytes};
    const struct kymo_long event = {.kind = KYMO_KIND_ALLOC,
                                    .reference = (uint32_t)(uintptr_t)&heap,
                                    .count = 2u,
                                    .words = words};
    if (with_stacks && stacks < STACKS_MAX) {
        record_stack(&recorded[stacks++], &event);
    } else {
        (void)kymo_ring_long(event.kind, event.reference, words, event.count);
    }
    fake.clock += 100u + bytes;
    while (kymo_drain(0)) {}
}

static uint32_t random_state;
static uint32_t any(uint32_t limit) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % limit;
}

static void filter(uint32_t n) {
    note(n + 4u);
    note(n);
}
static void sense(uint32_t n) {
    filter(n);
    if ((n & 1u) != 0) {
        filter(n + 1u);
    }
    note(3u);
}
static void checksum(void) { note(8u); }
static void send_ip(uint32_t n) {
    checksum();
    note(40u);
    if ((n & 3u) != 0) {
        checksum();
    }
}
static void send_tcp(uint32_t n) {
    send_ip(n);
    if ((n & 7u) == 0) {
        send_ip(n + 1u);
    }
}
static void layer(uint32_t n, uint32_t left) {
    if (left != 0) {
        layer(n + 1u, left - 1u);
    }
    note(16u);
    sense(n);
}
static void tasks(uint32_t n) {
    layer(n, 2u);
    send_tcp(n);
}

static void insert(uint32_t depth) {
    if (depth == 0) {
        note(24u);
    } else if (any(2u) != 0) {
        insert(depth - 1u);
    } else {
        insert(depth - 1u);
        note(1u);
    }
}
static void recursion(uint32_t n) {
    insert(2u + any(10u));
    sense(n);
}

static void dive(uint32_t depth, uint32_t n) {
    if (depth != 0) {
        dive(depth - 1u, n);
    } else {
        tasks(n);
    }
}
static void deep(uint32_t n) { dive(30u + any(12u), n); }

static void mixed(uint32_t n) {
    static void (*const parts[])(uint32_t) = {tasks, recursion, deep, send_tcp, sense};
    parts[any(5u)](n);
}

/* ---- the cost ---- */

static void run(void (*program)(uint32_t), bool stacks_too) {
    const struct unpack_callbacks callbacks = {NULL, on_packet, no_junk};
    static const struct kymo_transport line = {.write = write_line};
    unpack_init(&unpack, &callbacks);
    bottom = (uintptr_t)__builtin_frame_address(0) + 16u;
    with_stacks = stacks_too;
    stacks = arrived = events = wire_bytes = 0;
    random_state = 1u;
    fake_reset();
    kymo_init(&line, "call stacks");
    fake.clock_step = 0;
    for (uint32_t n = 0; n < 300u; n++) {
        program(n);
    }
    while (kymo_pending()) {
        fake.clock += 100000u;
        (void)kymo_drain(0);
    }
    assert_int_equal(arrived, stacks);
}

static void takes(const char *name, void (*program)(uint32_t), double most) {
    run(program, false);
    const size_t without = wire_bytes;
    run(program, true);
    size_t frames = 0;
    for (size_t i = 0; i < stacks; i++) {
        frames += recorded[i].count;
    }
    assert_true(stacks > 100u && events >= stacks);
    const double each = (double)(wire_bytes - without) / (double)stacks;
    const double depth = (double)frames / (double)stacks;
    print_message("%-10s%s %6zu stacks of %4.1f frames: %5.2f bytes each, %4.2f for eight frames\n",
                  name, moved != 0 ? ", 64 bits:" : ", 32 bits:", stacks, depth, each,
                  each / depth * 8.0);
    assert_true(each / depth * 8.0 <= most);
}

CASE(call_stacks_take_eight_bytes) {
    for (uint32_t wide = 0; wide < 2u; wide++) {
        moved = wide != 0 ? UINT64_C(0x7f1200000000) : 0;
        takes("tasks", tasks, 9.5);
        takes("recursion", recursion, 12.0);
        takes("deep", deep, 9.5);
        takes("mixed", mixed, 9.5);
    }
}
