/* SPDX-License-Identifier: MIT */
/* Call stacks and samples of record_cases.c, which includes this after the things that it uses. */
#ifndef RECORD_STACKS_H
#define RECORD_STACKS_H

/* Addresses of a program with few functions, now and then of no function; deeper than is sent. */
static void call_stack(void) {
    uint32_t words[1u + 2u * 70u];
    uint64_t address[70];
    const uint32_t frames = below(4u) == 0u ? below(63u) : below(12u);
    const bool wide = below(4u) == 0u;
    address[0] = 0x80000100u;
    for (uint32_t i = 1u; i < frames; i++) {
        address[i] =
            below(20u) == 0u ? any_number() : address[i - 1u] + 0x40u * below(3u) + 0x1000u;
    }
    words[0] = below(30u) == 0u ? (uint32_t)any_number() : frames;
    for (uint32_t i = 0u; i < frames; i++) {
        const uint64_t at = address[frames - 1u - i];
        words[1u + i] = (uint32_t)at;
        words[1u + frames + i] = (uint32_t)(at >> 32);
    }
    kymo_ring_long(KYMO_KIND_CALLSTACK, 0u, words, 1u + (wide ? 2u : 1u) * frames);
}

/* Mostly of one rate, with nothing missed. */
static void sample(void) {
    const uint32_t words[2] = {below(8u) == 0u ? (uint32_t)any_number() : 1000u,
                               below(4u) == 0u ? (uint32_t)any_number() : 0u};
    kymo_ring_long(KYMO_KIND_SAMPLE, 0u, words, words[1] != 0u ? 2u : 1u);
    emitted++;
}

#endif
