/* SPDX-License-Identifier: MIT */
/* Call stacks in the ring, as they are sent: a record of kind CALLSTACK has their number of frames, the low words of
 * the addresses, the innermost first, and the high words, if any is not 0. */
#ifndef KYMO_STACKS_H
#define KYMO_STACKS_H

#include "../ring/ring.h"
#include "encode.h"

#if KYMO_CALLSTACKS

/* The longest head of an EVENTS packet: version and number, lane, three varints; and the frames that always fit after
 * it. */
#define KYMO_STACK_FIT                                                                             \
    ((KYMO_PACKET_BYTES - 28u - KYMO_CRC_BYTES - KYMO_COUNT_BYTES - KYMO_ENCODE_EVENT_BYTES) /     \
     (uint32_t)KYMO_ENCODE_FRAME_BYTES)
#define KYMO_STACK_FRAMES (KYMO_STACK_MOST < KYMO_STACK_FIT ? KYMO_STACK_MOST : KYMO_STACK_FIT)

static inline bool kymo_is_stack(uint32_t kind) { return kind == KYMO_KIND_CALLSTACK; }

/* The number of frames that are sent, the innermost ones, of the record "at" words after the tail, which has "words"
 * words of payload. */
static inline uint32_t kymo_stack_frames(const struct kymo_lane *lane, uint32_t at,
                                         uint32_t words) {
    const uint32_t there = words != 0u ? words - 1u : 0u;
    uint32_t frames = words != 0u ? kymo_ring_word(lane, at + 2u) : 0u;
    frames = frames < there ? frames : there;
    return frames < KYMO_STACK_FRAMES ? frames : KYMO_STACK_FRAMES;
}

/* Address of a frame that is sent, the innermost is 0. */
static inline uintptr_t kymo_stack_frame(const struct kymo_lane *lane, uint32_t at,
                                         uint32_t frame) {
    const uint32_t recorded = kymo_ring_word(lane, at + 2u);
    const uint32_t there = KYMO_LONG_WORDS(kymo_ring_word(lane, at)) - 1u;
    uint64_t address = kymo_ring_word(lane, at + 3u + frame);
    if (sizeof(uintptr_t) > 4u && recorded <= there / 2u) {
        address |= (uint64_t)kymo_ring_word(lane, at + 3u + recorded + frame) << 32;
    }
    return (uintptr_t)address;
}

/* The longest payload of so many words, or frames. */
static inline uint32_t kymo_payload_bytes(uint32_t kind, uint32_t words) {
    return kymo_is_stack(kind) ? words * (uint32_t)KYMO_ENCODE_FRAME_BYTES
                               : KYMO_ENCODE_PAYLOAD_BYTES(words);
}

#else

static inline bool kymo_is_stack(uint32_t kind) {
    (void)kind;
    return false;
}
static inline uint32_t kymo_stack_frames(const struct kymo_lane *lane, uint32_t at,
                                         uint32_t words) {
    (void)lane, (void)at;
    return words;
}
static inline uintptr_t kymo_stack_frame(const struct kymo_lane *lane, uint32_t at,
                                         uint32_t frame) {
    (void)lane, (void)at, (void)frame;
    return 0u;
}
static inline uint32_t kymo_payload_bytes(uint32_t kind, uint32_t words) {
    (void)kind;
    return KYMO_ENCODE_PAYLOAD_BYTES(words);
}
static inline void kymo_encode_begin_calls(struct kymo_encoder *encoder) { (void)encoder; }
static inline uint8_t *kymo_encode_frame(struct kymo_encoder *encoder, uint8_t *at,
                                         uintptr_t address, bool first, bool last) {
    (void)encoder, (void)address, (void)first, (void)last;
    return at;
}

#endif

#endif
