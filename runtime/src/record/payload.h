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

/* What the last word of a text that was cut ends in: U+2026, an ellipsis, in UTF-8. */
#define KYMO_ELLIPSIS 0xa680e200u

#if KYMO_RING_QUICK
/* Those words of a text of known length that have no NUL; a page more than that is not touched. Returns how many bytes
 * they are. */
static inline uint32_t put_whole_words(struct kymo_payload *payload, const char *text,
                                       size_t length) {
    uint32_t bytes = 0u, count = payload->count, word;
    while (length != SIZE_MAX && length - bytes >= 4u && count < KYMO_PAYLOAD_WORDS) {
        __builtin_memcpy(&word, text + bytes, sizeof word);
        if (((word - 0x01010101u) & ~word & 0x80808080u) != 0u) {
            break;
        }
        payload->word[count++] = word;
        bytes += 4u;
    }
    payload->count = count;
    return bytes;
}
#endif

/* A byte count, then the bytes four a word, low byte first: as many as fit, up to a NUL. There must
 * be room for the count. NULL is the empty string. */
static __attribute__((unused)) void kymo_put_string(struct kymo_payload *payload, const char *text,
                                                    size_t length) {
    uint32_t *count = &payload->word[payload->count++];
    uint32_t bytes = 0u;
    length = text != NULL ? length : 0u;
#if KYMO_RING_QUICK
    bytes = put_whole_words(payload, text, length);
#endif
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
#if KYMO_DYNAMIC_SITES
    const uint32_t dynamic = kymo_dynamic_index(kymo_site_reference(site));
    if (dynamic < KYMO_DYNAMIC_SITES) {
        return (uint32_t)(__stop_kymo_sites - __start_kymo_sites) + dynamic;
    }
#endif
    return (uint32_t)(site - __start_kymo_sites);
}

#endif

#endif
