/* SPDX-License-Identifier: MIT */
/* The table of sites that are made at run time. It only ever grows: places in the table, in the index and in the text
 * are taken by one step each, which no other context can prolong, and never given back. A site is found once all of it
 * is written. Two contexts that make equal sites at the same time may make two; the first in the index is the one that
 * is found from then on. */
#include "dynamic.h"

#include "../ring/claim.h"
#include "../send/link.h"

#if KYMO_ENABLE && KYMO_DYNAMIC_SITES

_Static_assert(
    KYMO_LANES == 1 || !KYMO_CLAIM_ONE_LANE,
    "KYMO_DYNAMIC_SITES with more than one lane needs atomic words, which this core lacks");

#define NUMBER_BITS 13
#define NUMBER_MASK ((1u << NUMBER_BITS) - 1u)
struct kymo_dynamic kymo_dynamic;

#define NO_ROOM "made at run time, no room for its name"
KYMO_SITE_DEFINE_GLOBAL(no_room_zone, KYMO_SITE_ZONE, NO_ROOM, 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(no_room_message, KYMO_SITE_MESSAGE, NO_ROOM, 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(no_room_plot, KYMO_SITE_PLOT, NO_ROOM, 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(no_room_frame, KYMO_SITE_FRAME, NO_ROOM, 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(no_room_pool, KYMO_SITE_POOL, NO_ROOM, 0u, 0u, NULL);

const struct kymo_site *kymo_dynamic_substitute(uint32_t kind) {
    switch (kind) {
    case KYMO_SITE_MESSAGE:
        return &no_room_message;
    case KYMO_SITE_PLOT:
        return &no_room_plot;
    case KYMO_SITE_FRAME:
        return &no_room_frame;
    case KYMO_SITE_POOL:
        return &no_room_pool;
    default:
        return &no_room_zone;
    }
}

/* One of the three strings of a wanted site, cut to the length that a packet takes. */
struct part {
    const char *text;
    uint32_t bytes;
    bool constant, cut;
};

KYMO_INLINE_ struct part part_of(const struct kymo_site_text *of, uint32_t which) {
    const char *from = which == 0u ? of->name : which == 1u ? of->function : of->file;
    const uint32_t bytes = which == 0u   ? of->name_bytes
                           : which == 1u ? of->function_bytes
                                         : of->file_bytes;
    const uint32_t cut = bytes < KYMO_DYNAMIC_STRING_BYTES ? bytes : KYMO_DYNAMIC_STRING_BYTES;
    return (struct part){.text = from,
                         .bytes = from != NULL ? cut : 0u,
                         .constant = (of->constant >> which & 1u) != 0u,
                         .cut = from != NULL && cut < bytes};
}

KYMO_INLINE_ const char *string_of(const struct kymo_dynamic_site *site, uint32_t which) {
    return which == 0u ? site->site.name : which == 1u ? site->site.function : site->site.file;
}

/* A constant name is hashed by its address, any other by its characters. */
static uint32_t hash_of(const struct kymo_site_text *of) {
    const struct part name = part_of(of, 0u);
    uint32_t hash = kymo_sum_add(of->kind, of->line);
    uint32_t word = name.bytes;
    if (name.constant) {
        hash = kymo_sum_add(hash, (uint32_t)(uintptr_t)name.text);
    }
    const uint32_t bytes = name.constant ? 0u : name.bytes;
    for (uint32_t i = 0u; i < bytes; i++) {
        word = word << 8 | (uint8_t)name.text[i];
        if (i % 4u == 3u) {
            hash = kymo_sum_add(hash, word);
        }
    }
    hash = kymo_sum_add(hash, word);
    return hash + (hash << 3) + (hash >> 11);
}

static __attribute__((noinline)) bool is_equal(const char *a, const char *b, uint32_t bytes) {
    uint32_t i = 0u;
    while (i < bytes && a[i] == b[i]) {
        i++;
    }
    return i == bytes;
}

/* "which" is known at compile time, as all of this is for speed. */
KYMO_INLINE_ bool has_string(const struct kymo_dynamic_site *site, const struct kymo_site_text *of,
                             uint32_t which) {
    const struct part part = part_of(of, which);
    const char *has = string_of(site, which);
    if (site->bytes[which] != part.bytes || (has == NULL) != (part.text == NULL)) {
        return false;
    }
    const bool constant = part.constant && (site->flags >> which & 1u) != 0u;
    return (constant && has == part.text) || is_equal(has, part.text, part.bytes);
}

static bool is_site(const struct kymo_dynamic_site *site, const struct kymo_site_text *of) {
    return site->site.line == of->line && site->site.kind == of->kind &&
           site->site.level == of->level && site->site.detail == of->detail &&
           site->site.color == of->color && has_string(site, of, 0u) && has_string(site, of, 1u) &&
           has_string(site, of, 2u);
}

/* The place of the site in the index, or the free one where the search ended. */
struct found {
    uint32_t place;
    const struct kymo_dynamic_site *site; /* NULL: it is not there */
};

static struct found find(const struct kymo_site_text *of, uint32_t hash, uint32_t place) {
    for (uint32_t looks = 0u; looks < KYMO_DYNAMIC_PLACES; looks++) {
        const uint32_t word = KYMO_ACQUIRE(kymo_dynamic.places[place]);
        if (word == 0u) {
            break;
        }
        const struct kymo_dynamic_site *site = &kymo_dynamic.site[(word & NUMBER_MASK) - 1u];
        if ((word ^ hash) >> NUMBER_BITS == 0u && is_site(site, of)) {
            return (struct found){place, site};
        }
        place = (place + 1u) & (KYMO_DYNAMIC_PLACES - 1u);
    }
    return (struct found){place, NULL};
}

/* Function and file of one place are those of others: a copy that is there already. */
static const char *find_copy(const struct part *part, uint32_t which) {
    const uint32_t taken = KYMO_LOAD(kymo_dynamic.sites_taken);
    const uint32_t count = taken < KYMO_DYNAMIC_SITES ? taken : KYMO_DYNAMIC_SITES;
    for (uint32_t i = 0u; i < count; i++) {
        const struct kymo_dynamic_site *site = &kymo_dynamic.site[i];
        if (KYMO_ACQUIRE(site->complete) != 0u && site->bytes[which] == part->bytes &&
            string_of(site, which) != NULL &&
            is_equal(string_of(site, which), part->text, part->bytes)) {
            return string_of(site, which);
        }
    }
    return NULL;
}

/* So many of "limit" that were not taken before; "limit": there are not so many. */
static uint32_t take_some(uint32_t *taken, uint32_t count, uint32_t limit) {
    const uint32_t before = KYMO_LOAD(*taken);
    if (before >= limit || limit - before < count) {
        return limit;
    }
    const uint32_t at = kymo_claim_add(taken, count);
    return at < limit && limit - at >= count ? at : limit;
}

/* NULL: its bytes must be copied, if it has any. */
static const char *kept_already(const struct part *part, uint32_t which) {
    if (part->constant || part->text == NULL) {
        return part->text;
    }
    return which != 0u ? find_copy(part, which) : NULL;
}

/* False: there is no room for the strings of the site. All three get their room at once: that of one would be lost if
 * another found none. */
static bool keep_all(const struct kymo_site_text *of, const char *kept[3]) {
    uint32_t bytes = 0u;
    for (uint32_t which = 0u; which < 3u; which++) {
        const struct part part = part_of(of, which);
        kept[which] = kept_already(&part, which);
        bytes += kept[which] == NULL ? part.bytes : 0u;
    }
    uint32_t at = take_some(&kymo_dynamic.text_taken, bytes, KYMO_DYNAMIC_TEXT_BYTES);
    if (at == KYMO_DYNAMIC_TEXT_BYTES && bytes != 0u) {
        return false;
    }
    for (uint32_t which = 0u; which < 3u; which++) {
        const struct part part = part_of(of, which);
        if (kept[which] != NULL || part.text == NULL) {
            continue;
        }
        kept[which] = &kymo_dynamic.text[at];
        for (uint32_t i = 0u; i < part.bytes; i++) {
            kymo_dynamic.text[at++] = part.text[i];
        }
    }
    return true;
}

static void fill_site(struct kymo_dynamic_site *site, const struct kymo_site_text *of,
                      const char *const kept[3]) {
    site->site.name = kept[0];
    site->site.function = kept[1];
    site->site.file = kept[2];
    site->site.line = of->line;
    site->site.detail = of->detail;
    site->site.color = of->color;
    site->site.kind = of->kind;
    site->site.level = of->level;
    site->flags = of->constant;
    for (uint32_t which = 0u; which < 3u; which++) {
        const struct part part = part_of(of, which);
        site->bytes[which] = (uint8_t)part.bytes;
        site->flags |= (uint8_t)((part.cut ? 1u : 0u) << (KYMO_DYNAMIC_CUT_SHIFT + which));
    }
}

/* From "place" on, where a search found none: a place that another context takes meanwhile may have the same site. */
static const struct kymo_dynamic_site *add_to_index(struct kymo_dynamic_site *site,
                                                    const struct kymo_site_text *of, uint32_t hash,
                                                    uint32_t place) {
    const uint32_t number = (uint32_t)(site - kymo_dynamic.site) + 1u;
    for (uint32_t looks = 0u; looks < KYMO_DYNAMIC_PLACES; looks++) {
        if (kymo_claim(&kymo_dynamic.places[place], 0u, (hash & ~NUMBER_MASK) | number)) {
            KYMO_PUBLISH(site->complete, 1u);
            (void)kymo_claim_add(&kymo_dynamic.complete, 1u);
            return site;
        }
        const struct found found = find(of, hash, place);
        if (found.site != NULL) {
            return found.site;
        }
        place = found.place;
    }
    return NULL;
}

static __attribute__((noinline)) const struct kymo_site *make(const struct kymo_site_text *of,
                                                              uint32_t hash, uint32_t place) {
    const char *kept[3];
    const bool has_text =
        KYMO_LOAD(kymo_dynamic.sites_taken) < KYMO_DYNAMIC_SITES && keep_all(of, kept);
    const uint32_t number = has_text ? take_some(&kymo_dynamic.sites_taken, 1u, KYMO_DYNAMIC_SITES)
                                     : KYMO_DYNAMIC_SITES;
    if (number < KYMO_DYNAMIC_SITES) {
        struct kymo_dynamic_site *site = &kymo_dynamic.site[number];
        fill_site(site, of, kept);
        const struct kymo_dynamic_site *made = add_to_index(site, of, hash, place);
        if (made != NULL) {
            return &made->site;
        }
    }
    (void)kymo_claim_add(&kymo_dynamic.refused, 1u);
    return kymo_dynamic_substitute(of->kind);
}

const struct kymo_site *kymo_site_dynamic(const struct kymo_site_text *of) {
    if (of == NULL) {
        kymo_usage_error(KYMO_USAGE_NO_SITE);
        return kymo_dynamic_substitute(KYMO_SITE_ZONE);
    }
    const uint32_t hash = hash_of(of);
    const struct found found = find(of, hash, hash >> NUMBER_BITS & (KYMO_DYNAMIC_PLACES - 1u));
    return found.site != NULL ? &found.site->site : make(of, hash, found.place);
}

/* ---- sending ---- */

bool kymo_dynamic_due(const struct kymo_dynamic_sent *sent) {
    return KYMO_ACQUIRE(kymo_dynamic.complete) != sent->sent;
}

bool kymo_dynamic_first_due(const struct kymo_dynamic_sent *sent) {
    return KYMO_ACQUIRE(kymo_dynamic.complete) != sent->ever;
}

bool kymo_dynamic_is_to_be_sent(const struct kymo_dynamic_sent *sent, uint32_t index) {
    return index < KYMO_DYNAMIC_SITES && KYMO_ACQUIRE(kymo_dynamic.site[index].complete) != 0u &&
           sent->round[index] != sent->rounds + 1u;
}

bool kymo_dynamic_look(struct kymo_dynamic_sent *sent) {
    if (kymo_dynamic_is_to_be_sent(sent, sent->next)) {
        return true;
    }
    sent->next = (uint16_t)(sent->next + 1u < KYMO_DYNAMIC_SITES ? sent->next + 1u : 0u);
    return false;
}

void kymo_dynamic_was_sent(struct kymo_dynamic_sent *sent, uint32_t index) {
    if (kymo_dynamic_is_to_be_sent(sent, index)) {
        sent->ever = (uint16_t)(sent->ever + (sent->round[index] == 0u ? 1u : 0u));
        sent->sent++;
        sent->round[index] = (uint8_t)(sent->rounds + 1u);
    }
}

void kymo_dynamic_again(struct kymo_dynamic_sent *sent) {
    sent->sent = 0u;
    sent->rounds = (uint8_t)(sent->rounds + 1u < 255u ? sent->rounds + 1u : 0u);
}

#endif
