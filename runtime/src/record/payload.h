/* SPDX-License-Identifier: MIT */
/* The payload of an event, put together on the stack. Private to the runtime. */
#ifndef KYMO_PAYLOAD_H
#define KYMO_PAYLOAD_H

#include "../ring/ring.h"
#include "dynamic.h"

#if KYMO_ENABLE

_Static_assert(KYMO_PAYLOAD_WORDS >= 4 && KYMO_PAYLOAD_WORDS <= 60,
               "KYMO_PAYLOAD_WORDS must be 4 to 60");

struct kymo_payload {
    uint32_t count;
    uint32_t word[KYMO_PAYLOAD_WORDS];
};

static inline uint32_t kymo_site_reference(const struct kymo_site *site) {
    return (uint32_t)(uintptr_t)site;
}

/* The end of the last word of a cut text: U+2026, an ellipsis, in UTF-8. */
#define KYMO_ELLIPSIS 0xa680e200u

#define KYMO_CHUNK_WORDS ((uint32_t)sizeof(size_t) / 4u)

static inline bool has_nul(size_t chunk) {
    const size_t ones = SIZE_MAX / 255u;
    return ((chunk - ones) & ~chunk & (ones << 7)) != 0u;
}

/* 1 to sizeof(size_t) - 1 bytes in the low end of a chunk. */
static inline size_t part_of_chunk(const char *text, size_t bytes) {
    if (bytes >= 4u) {
        uint32_t low, high;
        __builtin_memcpy(&low, text, sizeof low);
        __builtin_memcpy(&high, text + bytes - sizeof high, sizeof high);
        return (size_t)(low | (uint64_t)high << (8u * (bytes - sizeof high)));
    }
    const size_t middle = bytes / 2u, last = bytes - 1u;
    return (size_t)(uint8_t)text[0] | (size_t)(uint8_t)text[middle] << (8u * middle) |
           (size_t)(uint8_t)text[last] << (8u * last);
}

/* Copies a text of known length a machine word at a time, up to the chunk that has a NUL or no room; no byte beyond the
 * text is read, as the next page may not be there. Returns how many bytes it copied. */
static inline uint32_t put_chunks(struct kymo_payload *payload, const char *text, size_t length) {
    uint32_t *at = &payload->word[payload->count];
    const uint32_t *const end = &payload->word[KYMO_PAYLOAD_WORDS - KYMO_CHUNK_WORDS + 1u];
    size_t bytes = 0u, chunk;
    while (length - bytes >= sizeof chunk && at < end) {
        __builtin_memcpy(&chunk, text + bytes, sizeof chunk);
        if (has_nul(chunk)) {
            break;
        }
        __builtin_memcpy(at, &chunk, sizeof chunk);
        at += KYMO_CHUNK_WORDS;
        bytes += sizeof chunk;
    }
    const size_t rest = length - bytes;
    if (rest > 0u && rest < sizeof chunk && at < end) {
        chunk = part_of_chunk(text + bytes, rest);
        if (!has_nul(chunk | SIZE_MAX << (8u * rest))) {
            __builtin_memcpy(at, &chunk, sizeof chunk);
            at += (rest + 3u) / 4u;
            bytes = length;
        }
    }
    payload->count = (uint32_t)(at - payload->word);
    return (uint32_t)bytes;
}

/* A byte count, then the bytes four a word, low byte first: as many as fit, up to a NUL. There must
 * be room for the count. NULL is the empty string. */
static __attribute__((unused)) void kymo_put_string(struct kymo_payload *payload, const char *text,
                                                    size_t length) {
    uint32_t *count = &payload->word[payload->count++];
    uint32_t bytes = 0u;
    length = text != NULL ? length : 0u;
    bytes = KYMO_RING_QUICK && length != SIZE_MAX ? put_chunks(payload, text, length) : 0u;
    while (bytes < length && text[bytes] != '\0') {
        if (bytes % 4u == 0u) {
            if (payload->count == KYMO_PAYLOAD_WORDS) {
                if (bytes > 0u) {
                    payload->word[payload->count - 1u] &= 0xffu;
                    payload->word[payload->count - 1u] |= KYMO_ELLIPSIS;
                }
                break;
            }
            payload->word[payload->count++] = 0u;
        }
        payload->word[payload->count - 1u] |= (uint32_t)(uint8_t)text[bytes] << (8u * (bytes % 4u));
        bytes++;
    }
    *count = bytes;
}

/* Words at the end that are 0 are not sent, except the first. */
static inline uint32_t kymo_trimmed(const uint32_t *words, uint32_t count) {
    while (count > 1u && words[count - 1u] == 0u) {
        count--;
    }
    return count;
}

/* The site's number on the wire. */
static inline uint32_t kymo_number_of_site(const struct kymo_site *site) {
    const uint32_t dynamic = kymo_dynamic_index(kymo_site_reference(site));
    if (dynamic != KYMO_DYNAMIC_SITES) {
        return (uint32_t)(__stop_kymo_sites - __start_kymo_sites) + dynamic;
    }
    return (uint32_t)(site - __start_kymo_sites);
}

#endif

#endif
