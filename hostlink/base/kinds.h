/* SPDX-License-Identifier: MIT */
/* The table of event kinds (kymo/kinds.h) as data. */
#ifndef HOSTLINK_KINDS_H
#define HOSTLINK_KINDS_H

#include <stddef.h>
#include <stdint.h>

#include "kymo/wire.h"

struct kind {
    const char *name; /* "ZONE_BEGIN" */
    const char *word; /* "zone begin" */
    uint8_t number;
    uint8_t reference; /* enum kymo_kind_reference */
    uint8_t payload;   /* enum kymo_kind_payload */
    uint8_t role;      /* enum kymo_kind_role */
};

/* By number; unused numbers have no name. */
extern const struct kind kind_table[256];

/* NULL for a number that is no kind of the table. */
static inline const struct kind *kind_of(uint32_t number) {
    return number < 256 && kind_table[number].name != NULL ? &kind_table[number] : NULL;
}

/* The kind of site that a reference names, -1: no site, or of any kind. */
static inline int kind_site(const struct kind *kind) {
    switch (kind != NULL ? kind->reference : KYMO_REFERENCE_NONE) {
    case KYMO_REFERENCE_SITE_ZONE:
        return KYMO_SITE_ZONE;
    case KYMO_REFERENCE_SITE_MESSAGE:
        return KYMO_SITE_MESSAGE;
    case KYMO_REFERENCE_SITE_PLOT:
        return KYMO_SITE_PLOT;
    case KYMO_REFERENCE_SITE_FRAME:
        return KYMO_SITE_FRAME;
    case KYMO_REFERENCE_SITE_POOL:
        return KYMO_SITE_POOL;
    case KYMO_REFERENCE_SITE_STRING:
        return KYMO_SITE_STRING;
    case KYMO_REFERENCE_SITE_FLOW:
        return KYMO_SITE_FLOW;
    default:
        return -1;
    }
}

#endif
