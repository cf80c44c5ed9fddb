/* SPDX-License-Identifier: MIT */
/* The packets with the names of sites: of those of the image, and of those that were made at run time. */
#include "../record/dynamic.h"
#include "../ring/lane.h"
#include "link.h"

#if KYMO_ENABLE && KYMO_SITES_SENT

/* Characters that one step looks at. */
#define STRIDE 32u
/* Most bytes of an entry beside its strings. */
#define ENTRY_BYTES 24u
/* And of a packet with one entry: also version, type, sequence number, the entry's number and CRC. */
_Static_assert(2u + 5u + ENTRY_BYTES + 3u * KYMO_SITE_STRING_BYTES + KYMO_CRC_BYTES <=
                   KYMO_WIRE_PACKET_BYTES,
               "an entry fits a packet of its own");

enum entry_part { FIRST, MEASURE, NUMBERS, NAME, FUNCTION, FILE_NAME };

#if KYMO_DYNAMIC_SITES
/* NULL: it is one of the image. */
static const struct kymo_dynamic_site *dynamic_at(uint32_t index) {
    const uint32_t count = kymo_site_count();
    return index >= count ? &kymo_dynamic.site[index - count] : NULL;
}
#endif

/* A site of the image or, numbered after those, one made at run time. */
static const struct kymo_site *site_at(uint32_t index) {
#if KYMO_DYNAMIC_SITES
    const struct kymo_dynamic_site *dynamic = dynamic_at(index);
    if (dynamic != NULL) {
        return &dynamic->site;
    }
#endif
    return &__start_kymo_sites[index];
}

/* The site is the next one of the packet. */
static bool is_in_packet(struct kymo_link *link, uint32_t index) {
#if KYMO_DYNAMIC_SITES
    const uint32_t count = kymo_site_count();
    if (index >= count) {
        return kymo_dynamic_is_to_be_sent(&link->dynamic, index - count);
    }
#else
    (void)link;
#endif
    return KYMO_NAMES && index < kymo_site_count();
}

/* Name, function, file. Where the sites are not in memory (init.c), the field holds no address. */
static __attribute__((noinline)) const char *site_string(const struct kymo_site *site,
                                                         uint32_t index) {
    if (site->reserved != 0u) {
        return NULL;
    }
    return index == 0u ? site->name : index == 1u ? site->function : site->file;
}

/* True if the string is that of the entry before in this packet. Equal addresses have equal lengths, but those of a
 * site that was made at run time. */
static bool is_repeated(const struct kymo_sites_packet *packet, uint32_t index) {
    if (packet->first) {
        return false;
    }
#if KYMO_DYNAMIC_SITES
    const struct kymo_dynamic_site *dynamic = dynamic_at(packet->site);
    if (dynamic != NULL) {
        const struct kymo_dynamic_site *before = dynamic_at(packet->site - 1u);
        return before != NULL && before->bytes[index] == dynamic->bytes[index] &&
               site_string(&dynamic->site, index) == site_string(&before->site, index);
    }
#endif
    const struct kymo_site *site = site_at(packet->site);
    return site_string(site, index) == site_string(site - 1, index);
}

/* More of a string whose length is not known yet. */
static void measure_more(struct kymo_link *link) {
    struct kymo_sites_packet *packet = &link->packet.of.sites;
    const uint32_t which = packet->measured;
#if KYMO_DYNAMIC_SITES
    const struct kymo_dynamic_site *dynamic = dynamic_at(packet->site);
    if (dynamic != NULL) {
        packet->length[which] = dynamic->bytes[which];
        packet->cut = dynamic->flags >> KYMO_DYNAMIC_CUT_SHIFT;
        packet->measured++;
        return;
    }
#endif
    const char *text = site_string(site_at(packet->site), which);
    const uint32_t from = packet->length[which];
    const uint32_t limit =
        from + STRIDE < KYMO_SITE_STRING_BYTES ? from + STRIDE : KYMO_SITE_STRING_BYTES;
    const uint32_t length = kymo_measure(link, text, from, limit);
    packet->length[which] = (uint16_t)length;
    if (length == KYMO_SITE_STRING_BYTES && text[length] != '\0') {
        packet->cut |= (uint8_t)(1u << which);
    }
    if (length < limit || limit == KYMO_SITE_STRING_BYTES) {
        packet->measured++;
    }
}

/* False: the entry does not fit, or no entry is left. One alone may make a packet longer than KYMO_PACKET_BYTES, which
 * leaves the buffer while it is built. */
static bool measure_entry(struct kymo_link *link) {
    const struct kymo_sites_packet *packet = &link->packet.of.sites;
    if (!is_in_packet(link, packet->site)) {
        return false;
    }
    if (packet->measured < 3u) {
        measure_more(link);
        link->packet.next = MEASURE;
        return true;
    }
    const uint32_t bytes = ENTRY_BYTES + packet->length[0] + packet->length[1] + packet->length[2];
    return packet->first || bytes <= kymo_out_space(&link->out);
}

/* The host may have asked for all of them meanwhile. */
static void entry_done(struct kymo_link *link) {
    struct kymo_sites_packet *packet = &link->packet.of.sites;
    const uint32_t count = kymo_site_count();
    if (packet->site < count) {
        link->next_site += link->next_site == packet->site ? 1u : 0u;
    }
#if KYMO_DYNAMIC_SITES
    if (packet->site >= count) {
        kymo_dynamic_was_sent(&link->dynamic, packet->site - count);
    }
#endif
    kymo_describe_site(packet, packet->site + 1u);
    packet->first = false;
    link->packet.next = MEASURE;
}

static uint8_t *put_numbers(uint8_t *at, const struct kymo_sites_packet *packet,
                            const struct kymo_site *site) {
    *at++ = site->kind;
    *at++ = site->level;
    *at++ = (uint8_t)((site->name != NULL ? KYMO_SITE_HAS_NAME : 0u) |
                      (is_repeated(packet, 1u) ? KYMO_SITE_SAME_FUNCTION : 0u) |
                      (is_repeated(packet, 2u) ? KYMO_SITE_SAME_FILE : 0u) |
                      (uint32_t)packet->cut << KYMO_SITE_CUT_SHIFT);
    at = kymo_put_varint(at, site->line);
    at = kymo_put_varint(at, site->detail);
    return kymo_put_varint(at, site->color);
}

uint8_t *kymo_describe_sites(struct kymo_link *link, uint8_t *at, uint32_t part) {
    const struct kymo_sites_packet *packet = &link->packet.of.sites;
    const struct kymo_site *site = site_at(packet->site);
    const uint32_t string = part - NAME;
    switch ((enum entry_part)part) {
    case FIRST:
        return kymo_put_varint(at, packet->site);
    case MEASURE:
        return measure_entry(link) ? at : NULL;
    case NUMBERS:
        return put_numbers(at, packet, site);
    default:
        if (part == NAME ? site->name != NULL : !is_repeated(packet, string)) {
            kymo_follow(link, site_string(site, string), packet->length[string]);
            at = kymo_put_varint(at, packet->length[string]);
        }
        if (part == FILE_NAME) {
            entry_done(link);
        }
        return at;
    }
}

#if KYMO_DYNAMIC_SITES

/* Sites that one look goes over. */
#define DYNAMIC_STRIDE 16u
#define DYNAMIC_WORK 12

bool kymo_sites_begin_dynamic(struct kymo_link *link) {
    if (!kymo_dynamic_due(&link->dynamic)) {
        return false;
    }
    for (uint32_t i = 0u; i < DYNAMIC_STRIDE; i++) {
        link->out.work -= DYNAMIC_WORK;
        if (kymo_dynamic_look(&link->dynamic)) {
            kymo_describe_site(&link->packet.of.sites, kymo_site_count() + link->dynamic.next);
            kymo_packet_begin(link, KYMO_PACKET_SITES, kymo_describe_sites);
            break;
        }
    }
    return true;
}

#endif

#endif
