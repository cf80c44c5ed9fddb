/* SPDX-License-Identifier: MIT */
/* Sites that are made at run time. On the wire their numbers follow those of the image's. Private to the runtime. */
#ifndef KYMO_DYNAMIC_H
#define KYMO_DYNAMIC_H

#include "kymo/kymo.h"

#if KYMO_DYNAMIC_SITES

/* Longest string of a site: its length is kept in a byte. */
#define KYMO_DYNAMIC_STRING_BYTES 255u

struct kymo_dynamic_site {
    struct kymo_site site;
    uint8_t bytes[3]; /* of name, function and file, which do not end with a NUL */
    uint8_t
        flags; /* for each: bits 2..0 not copied, as enum kymo_site_constant; bits 5..3 longer than the kept part */
    uint32_t complete; /* 1: it never changes again */
} __attribute__((aligned(8)));

#define KYMO_DYNAMIC_CUT_SHIFT 3u

/* Where a site is: a word has its number + 1, and above that bits of its hash; 0: free. At least half are free. */
#define KYMO_DYNAMIC_WITH_2(n) ((n) | (n) >> 1)
#define KYMO_DYNAMIC_WITH_4(n) (KYMO_DYNAMIC_WITH_2(n) | KYMO_DYNAMIC_WITH_2(n) >> 2)
#define KYMO_DYNAMIC_WITH_8(n) (KYMO_DYNAMIC_WITH_4(n) | KYMO_DYNAMIC_WITH_4(n) >> 4)
#define KYMO_DYNAMIC_WITH_16(n) (KYMO_DYNAMIC_WITH_8(n) | KYMO_DYNAMIC_WITH_8(n) >> 8)
#define KYMO_DYNAMIC_PLACES (KYMO_DYNAMIC_WITH_16(2u * KYMO_DYNAMIC_SITES - 1u) + 1u)
/* Bytes for the copied strings. */
#define KYMO_DYNAMIC_TEXT_BYTES (KYMO_DYNAMIC_SITES * 32u)

/* All zero is the start. */
struct kymo_dynamic {
    struct kymo_dynamic_site site[KYMO_DYNAMIC_SITES];
    uint32_t places[KYMO_DYNAMIC_PLACES];
    uint32_t sites_taken, text_taken;
    uint32_t complete, refused; /* how many are; calls that found no room */
    char text[KYMO_DYNAMIC_TEXT_BYTES];
};
extern struct kymo_dynamic kymo_dynamic;

/* The number of the site among them, from the low 32 bits of its address; KYMO_DYNAMIC_SITES: not one of them. */
static inline uint32_t kymo_dynamic_index(uint32_t address) {
    const uint32_t offset = address - (uint32_t)(uintptr_t)kymo_dynamic.site;
    return offset < sizeof kymo_dynamic.site ? offset / (uint32_t)sizeof(struct kymo_dynamic_site)
                                             : KYMO_DYNAMIC_SITES;
}

/* The site that events name in place of one for which the table has no room. */
const struct kymo_site *kymo_dynamic_substitute(uint32_t kind);

/* Which of them were sent, for the context that drains; part of kymo_link, all zero is the start. */
struct kymo_dynamic_sent {
    uint16_t next;                     /* is looked at next */
    uint16_t sent;                     /* of those in the table, in this round */
    uint16_t ever;                     /* in any round */
    uint8_t rounds;                    /* 0 is the first one */
    uint8_t round[KYMO_DYNAMIC_SITES]; /* in which each was sent last, + 1; 0: never */
};

/* True while some are still to be sent, or to be sent for the first time. */
bool kymo_dynamic_due(const struct kymo_dynamic_sent *sent);
bool kymo_dynamic_first_due(const struct kymo_dynamic_sent *sent);
bool kymo_dynamic_is_to_be_sent(const struct kymo_dynamic_sent *sent, uint32_t index);
/* Looks at "sent->next"; true if that must be sent now, else advances to the next one. */
bool kymo_dynamic_look(struct kymo_dynamic_sent *sent);
/* The site is in a packet. */
void kymo_dynamic_was_sent(struct kymo_dynamic_sent *sent, uint32_t index);
/* Sends all again. */
void kymo_dynamic_again(struct kymo_dynamic_sent *sent);

#else

/* 0, as KYMO_DYNAMIC_SITES is: not one of them. */
static inline uint32_t kymo_dynamic_index(uint32_t address) { return (void)address, 0u; }

#endif

#endif
