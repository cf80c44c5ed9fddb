/* SPDX-License-Identifier: MIT */
/* The sites of devices: from the device's own ELF file, from names that the board has sent, or those of the board. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "device/device_block.h"
#include "kymo/wire.h"

/* The most sites that are distinguished, whatever records contain. */
#define SITES_MAX 65536u

static uint64_t key_of(const struct device_block *b, uint32_t number, enum device_record record) {
    const uint64_t of = b->sites == DEVICE_SITES_IN_ELF ? b->core : (uint64_t)b->number | 1u << 20;
    return (of << 3 | record) << 32 | number;
}

static bool entry_of(const struct devices *d, const struct device_block *b, uint32_t number,
                     struct site_entry *entry) {
    *entry = (struct site_entry){.function = "", .file = ""};
    if (b->sites == DEVICE_SITES_IN_ELF) {
        return d->names != NULL && d->names->find(d->names->context, &b->device, number, entry);
    }
    const uint32_t index = number >> 3;
    entry->name = index < b->name_count ? b->names[index] : NULL;
    entry->name_bytes = entry->name != NULL ? strlen(entry->name) : 0;
    return entry->name != NULL;
}

static const struct site *make(struct devices *d, const struct device_block *b, uint32_t number,
                               enum device_record record) {
    static const uint8_t kinds[] = {[RECORD_BEGIN] = KYMO_SITE_ZONE,
                                    [RECORD_EVENT] = KYMO_SITE_MESSAGE,
                                    [RECORD_VALUE] = KYMO_SITE_PLOT};
    struct site_entry entry;
    char text[32];
    const bool known = entry_of(d, b, number, &entry);
    if (!known) {
        snprintf(text, sizeof text, b->sites == DEVICE_SITES_IN_ELF ? "site 0x%x" : "site %u",
                 b->sites == DEVICE_SITES_IN_ELF ? number : number >> 3);
        entry.name = text;
        entry.name_bytes = strlen(text);
        d->totals.nameless++;
        snprintf(d->totals.nameless_of, sizeof d->totals.nameless_of, "%.60s/%.60s", b->device.name,
                 b->device.core);
    }
    struct site *site = calloc(1, sizeof *site);
    if (site == NULL) {
        return NULL;
    }
    *site = (struct site){.kind = kinds[record],
                          .level = KYMO_LEVEL_INFO,
                          .line = entry.line,
                          .known = known,
                          .name = names_text(d->to.names, entry.name, entry.name_bytes),
                          .function = "",
                          .file = names_text(d->to.names, entry.file, entry.file_bytes)};
    if (site->name == NULL || site->file == NULL) {
        free(site);
        return NULL;
    }
    d->sites[d->site_count++] = site;
    return site;
}

const struct site *device_site(struct devices *d, struct device_block *b, uint32_t number,
                               enum device_record record) {
    if (b->sites == DEVICE_SITES_OWN) {
        return names_site(d->to.names, d->session, (number >> 3) % WIRE_SITES);
    }
    const uint64_t key = key_of(b, number, record);
    const uint32_t found = intmap_get(&d->site_numbers, key);
    if (found != 0) {
        return d->sites[found - 1];
    }
    if (d->site_count >= SITES_MAX) {
        return d->sites[record]; /* garbage: any will do */
    }
    if (!grow(&d->sites, &d->site_capacity, d->site_count, sizeof *d->sites)) {
        return NULL;
    }
    const struct site *site = make(d, b, number, record);
    return site != NULL && intmap_add(&d->site_numbers, key, d->site_count) == 0 ? site : NULL;
}
