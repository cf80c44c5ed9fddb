/* Call stacks in the ring, as they are sent: a record of kind CALLSTACK has their number of frames, the low words of
 * the addresses, the innermost first, and the high words, if any is not 0. */
#ifndef KYMO_STACKS_H
#define KYMO_STACKS_H

#include "encode.h"
#include "ring_read.h"

#if KYMO_CALLSTACKS

/* Numbers that the bits of a frame make room for. */
#define KYMO_FRAME_NUMBERS ((uint32_t)sizeof(uintptr_t) / 4u)
/* The longest head of an EVENTS packet: version and number, lane, three varints; and frames that fit behind it for
 * certain, each with two bits more. */
#define KYMO_STACK_BITS                                                                            \
    ((KYMO_PACKET_BYTES - 28u - KYMO_CRC_BYTES - KYMO_COUNT_BYTES - 1u) * 8u -                     \
     KYMO_ENCODE_EVENT_BITS)
#define KYMO_STACK_FIT (KYMO_STACK_BITS / (KYMO_ENCODE_NUMBER_BITS * KYMO_FRAME_NUMBERS + 3u) - 1u)
#define KYMO_STACK_FRAMES (KYMO_STACK_MOST < KYMO_STACK_FIT ? KYMO_STACK_MOST : KYMO_STACK_FIT)

static inline bool kymo_is_stack(const struct kymo_encode_event *event) {
    return event->kind == KYMO_KIND_CALLSTACK;
}

/* Frames that are sent, the innermost ones, of the peeked record, which has "words" words of payload. */
static inline uint32_t kymo_stack_frames(const struct kymo_lane *lane, uint32_t words) {
    const uint32_t there = words != 0u ? words - 1u : 0u;
    uint32_t frames = words != 0u ? kymo_ring_word(lane, 2u) : 0u;
    frames = frames < there ? frames : there;
    return frames < KYMO_STACK_FRAMES ? frames : KYMO_STACK_FRAMES;
}

/* Address of a frame that is sent, the innermost is 0. */
static inline uintptr_t kymo_stack_frame(const struct kymo_lane *lane, uint32_t frame) {
    const uint32_t recorded = kymo_ring_word(lane, 2u);
    const uint32_t there = KYMO_LONG_WORDS(kymo_ring_word(lane, 0u)) - 1u;
    uint64_t address = kymo_ring_word(lane, 3u + frame);
    if (sizeof(uintptr_t) > 4u && recorded <= there / 2u) {
        address |= (uint64_t)kymo_ring_word(lane, 3u + recorded + frame) << 32;
    }
    return (uintptr_t)address;
}

/* Numbers of payload that an event makes room for: a frame takes two or three bits more than its numbers. */
static inline uint32_t kymo_numbers_of(const struct kymo_encode_event *event) {
    return kymo_is_stack(event) ? event->words * KYMO_FRAME_NUMBERS + event->words / 14u + 1u
                                : event->words;
}

#else

static inline bool kymo_is_stack(const struct kymo_encode_event *event) { return event == NULL; }
static inline uint32_t kymo_stack_frames(const struct kymo_lane *lane, uint32_t words) {
    (void)lane;
    return words;
}
static inline uintptr_t kymo_stack_frame(const struct kymo_lane *lane, uint32_t frame) {
    (void)lane, (void)frame;
    return 0u;
}
static inline uint32_t kymo_numbers_of(const struct kymo_encode_event *event) {
    return event->words;
}
static inline void kymo_encode_begin_calls(struct kymo_encoder *encoder) { (void)encoder; }
static inline bool kymo_encode_frame(struct kymo_encoder *encoder, struct kymo_outgoing *out,
                                     uintptr_t address, bool first) {
    (void)encoder, (void)out, (void)address;
    return first;
}

#endif

#endif
