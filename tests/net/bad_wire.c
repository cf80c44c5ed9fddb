/* SPDX-License-Identifier: MIT */
#include "bad_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS_MAX UINT64_C(5000000)

uint64_t bad_wire_now_ms(void) {
    static uint64_t last_ns, passed_ns;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    const uint64_t step_ns = now_ns - last_ns;
    passed_ns += step_ns < STEP_NS_MAX ? step_ns : STEP_NS_MAX;
    last_ns = now_ns;
    return passed_ns / 1000000u;
}

/* xorshift64*, Vigna 2014 */
static uint32_t random_below(struct bad_wire *wire, uint32_t end) {
    wire->random ^= wire->random >> 12;
    wire->random ^= wire->random << 25;
    wire->random ^= wire->random >> 27;
    return (uint32_t)((wire->random * 0x2545f4914f6cdd1du) >> 33) % end;
}

static bool happens(struct bad_wire *wire, uint32_t permille) {
    return random_below(wire, 1000) < permille;
}

/* Ethernet, IPv4 without options, TCP: its two ports. */
static bool is_cut(const struct bad_wire *wire, const uint8_t *bytes, size_t length,
                   bool to_stack) {
    const size_t port_at = to_stack ? 34 : 36;
    return wire->cut ||
           (wire->cut_port != 0 && length > 54 && bytes[12] == 8 && bytes[13] == 0 &&
            bytes[23] == 6 && bytes[port_at] * 256 + bytes[port_at + 1] == wire->cut_port);
}

static void store(struct bad_wire *wire, struct bad_wire_way *way, const uint8_t *bytes,
                  size_t length) {
    struct bad_wire_frame *frame = way->frames;
    while (frame < way->frames + BAD_WIRE_FRAMES && frame->length != 0) {
        frame++;
    }
    if (frame == way->frames + BAD_WIRE_FRAMES) {
        return; /* lost, as on a full wire */
    }
    memcpy(frame->bytes, bytes, length);
    frame->length = (uint32_t)length;
    frame->number = way->count++;
    frame->due_ms = bad_wire_now_ms() + wire->quality.delay_ms;
    if (happens(wire, wire->quality.late_permille)) {
        frame->due_ms += wire->quality.late_ms;
    }
    /* Ethernet has a check sequence of its own, which is not seen here. */
    if (happens(wire, wire->quality.damaged_permille) && length > 14) {
        const uint32_t bit = 14 * 8 + random_below(wire, (frame->length - 14) * 8);
        frame->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void carry(struct bad_wire *wire, struct bad_wire_way *way, const uint8_t *bytes,
                  size_t length) {
    if (length == 0 || length > KYMO_NET_FRAME_BYTES ||
        is_cut(wire, bytes, length, way == &wire->to_stack) ||
        happens(wire, wire->quality.lost_permille)) {
        return;
    }
    store(wire, way, bytes, length);
    if (happens(wire, wire->quality.twice_permille)) {
        store(wire, way, bytes, length);
    }
}

/* The frame that is due and has been under way for longest. */
static struct bad_wire_frame *next_due(struct bad_wire_way *way) {
    const uint64_t now_ms = bad_wire_now_ms();
    struct bad_wire_frame *next = NULL;
    for (struct bad_wire_frame *frame = way->frames; frame < way->frames + BAD_WIRE_FRAMES;
         frame++) {
        if (frame->length != 0 && frame->due_ms <= now_ms &&
            (next == NULL || frame->due_ms < next->due_ms ||
             (frame->due_ms == next->due_ms && frame->number < next->number))) {
            next = frame;
        }
    }
    return next;
}

static uint8_t *claim(void *context) {
    struct bad_wire *wire = context;
    return wire->claimed;
}

static void send(void *context, size_t length) {
    struct bad_wire *wire = context;
    carry(wire, &wire->to_kernel, wire->claimed, length);
}

static const uint8_t *receive(void *context, size_t *length) {
    struct bad_wire *wire = context;
    if (wire->received == NULL) {
        wire->received = next_due(&wire->to_stack);
    }
    *length = wire->received != NULL ? wire->received->length : 0;
    return wire->received != NULL ? wire->received->bytes : NULL;
}

static void release(void *context) {
    struct bad_wire *wire = context;
    wire->received->length = 0;
    wire->received = NULL;
}

void bad_wire_init(struct bad_wire *wire, int file, uint64_t seed) {
    static const uint8_t mac[] = {0x02, 0x6b, 0x79, 0x6d, 0x6f, 0x01};
    memset(wire, 0, sizeof *wire);
    wire->file = file;
    wire->random = seed;
    wire->link = (struct kymo_net_link){
        .claim = claim, .send = send, .receive = receive, .release = release, .context = wire};
    memcpy(wire->link.mac, mac, sizeof mac);
}

void bad_wire_poll(struct bad_wire *wire) {
    uint8_t bytes[2048];
    ssize_t length;
    while ((length = read(wire->file, bytes, sizeof bytes)) > 0) {
        carry(wire, &wire->to_stack, bytes, (size_t)length);
    }
    struct bad_wire_frame *frame;
    while ((frame = next_due(&wire->to_kernel)) != NULL) {
        if (write(wire->file, frame->bytes, frame->length) != (ssize_t)frame->length) {
            perror("the interface does not take a frame");
            exit(1);
        }
        frame->length = 0;
    }
}
