/* SPDX-License-Identifier: MIT */
#include "wire/compose.h"

#include <string.h>

#include "base/utf8.h"
#include "wire/fields.h"

/* Most bytes of a site in a packet. */
#define SITE_BYTES (3u * KYMO_SITE_STRING_BYTES + 24u)

size_t put_varint(uint8_t *bytes, size_t at, uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
        bytes[at++] = (uint8_t)(value | 0x80);
    }
    bytes[at++] = (uint8_t)value;
    return at;
}

size_t put_little(uint8_t *bytes, size_t at, uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        bytes[at++] = (uint8_t)(value >> (8 * i));
    }
    return at;
}

void compose_begin(struct compose *packet, enum kymo_packet_type type, uint8_t sequence) {
    packet->bytes[0] = (uint8_t)(KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | (uint32_t)type);
    packet->bytes[1] = sequence;
    packet->at = PACKET_HEAD_BYTES;
}

void compose_varint(struct compose *packet, uint64_t value) {
    packet->at = put_varint(packet->bytes, packet->at, value);
}

void compose_little(struct compose *packet, uint64_t value, unsigned count) {
    packet->at = put_little(packet->bytes, packet->at, value, count);
}

void compose_string(struct compose *packet, const char *text, size_t length, size_t limit) {
    length = utf8_cut(text, length, limit);
    compose_varint(packet, length);
    memcpy(packet->bytes + packet->at, text, length);
    packet->at += length;
}

static bool is_same(const char *a, size_t a_bytes, const char *b, size_t b_bytes) {
    return a_bytes == b_bytes && memcmp(a, b, a_bytes) == 0;
}

/* "before" is the entry before it in the packet, or NULL. */
static uint8_t flags_of(const struct site_entry *site, const struct site_entry *before) {
    const size_t bytes[] = {site->name ? site->name_bytes : 0, site->function_bytes,
                            site->file_bytes};
    unsigned flags = (site->name ? KYMO_SITE_HAS_NAME : 0) | (unsigned)site->cut
                                                                 << KYMO_SITE_CUT_SHIFT;
    for (unsigned i = 0; i < 3; i++) {
        flags |= bytes[i] > KYMO_SITE_STRING_BYTES ? 1u << (KYMO_SITE_CUT_SHIFT + i) : 0;
    }
    if (before &&
        is_same(site->function, site->function_bytes, before->function, before->function_bytes)) {
        flags |= KYMO_SITE_SAME_FUNCTION;
    }
    if (before && is_same(site->file, site->file_bytes, before->file, before->file_bytes)) {
        flags |= KYMO_SITE_SAME_FILE;
    }
    return (uint8_t)flags;
}

static void put_site(struct compose *packet, const struct site_entry *site,
                     const struct site_entry *before) {
    const uint8_t flags = flags_of(site, before);
    compose_little(packet, site->kind, 1);
    compose_little(packet, site->level, 1);
    compose_little(packet, flags, 1);
    compose_varint(packet, site->line);
    compose_varint(packet, site->detail);
    compose_varint(packet, site->color);
    if (site->name) {
        compose_string(packet, site->name, site->name_bytes, KYMO_SITE_STRING_BYTES);
    }
    if ((flags & KYMO_SITE_SAME_FUNCTION) == 0) {
        compose_string(packet, site->function, site->function_bytes, KYMO_SITE_STRING_BYTES);
    }
    if ((flags & KYMO_SITE_SAME_FILE) == 0) {
        compose_string(packet, site->file, site->file_bytes, KYMO_SITE_STRING_BYTES);
    }
}

void compose_sites(struct compose *packet, uint8_t sequence, const struct site_list *list,
                   uint32_t *next) {
    struct site_entry sites[2];
    const struct site_entry *before = NULL;
    compose_begin(packet, KYMO_PACKET_SITES, sequence);
    compose_varint(packet, *next);
    while (*next < list->count && packet->at + SITE_BYTES <= sizeof packet->bytes) {
        struct site_entry *site = &sites[*next % 2];
        list->get(list->context, (*next)++, site);
        put_site(packet, site, before);
        before = site;
    }
}
