/* SPDX-License-Identifier: MIT */
/* For transports to which one host after another connects: a new one's bytes begin with a whole
 * packet, not with the rest of one whose beginning went to the host before. Each packet ends with
 * a zero byte, and has no other. */
#ifndef KYMO_WHOLE_PACKETS_H
#define KYMO_WHOLE_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kymo_whole_packets {
    bool inside;   /* the last byte that was taken did not end a packet */
    bool skipping; /* up to the end of that packet */
};

/* Another host has connected. */
static inline void kymo_whole_packets_restart(struct kymo_whole_packets *packets) {
    packets->skipping = packets->inside;
}

/* The number of next bytes to drop; they count as taken. */
static inline size_t kymo_whole_packets_skip(struct kymo_whole_packets *packets,
                                             const uint8_t *bytes, size_t length) {
    size_t skipped = 0u;
    while (packets->skipping && skipped < length) {
        packets->skipping = bytes[skipped++] != 0u;
    }
    return skipped;
}

/* So many bytes were taken, those that were skipped among them. */
static inline void kymo_whole_packets_taken(struct kymo_whole_packets *packets,
                                            const uint8_t *bytes, size_t taken) {
    if (taken != 0u) {
        packets->inside = bytes[taken - 1u] != 0u;
    }
}

#endif
