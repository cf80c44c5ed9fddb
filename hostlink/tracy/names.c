#include "tracy/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOT_BITS 8u
#define SITES_MAX (1u << 24)

void tracy_names_free(struct tracy_names *names) {
    keytable_free(&names->texts);
    free(names->sites);
    free(names->slots);
    *names = (struct tracy_names){0};
}

void tracy_names_forget(struct tracy_names *names) {
    for (uint32_t i = 0; i < names->count; i++) {
        names->sites[i].set_key = 0;
        names->sites[i].configured = false;
    }
}

/* Sites are 8 bytes apart at least; the product's high bits are the best mixed. */
static uint32_t slot_of(const struct tracy_names *names, const struct site *site) {
    uint64_t mixed = ((uint64_t)(uintptr_t)site >> 3) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mixed >> (64u - names->slot_bits));
}

static uint32_t find_slot(const struct tracy_names *names, const struct site *site) {
    uint32_t mask = (1u << names->slot_bits) - 1, at = slot_of(names, site);
    while (names->slots[at] != 0 && names->sites[names->slots[at] - 1].site != site) {
        at = (at + 1) & mask;
    }
    return at;
}

/* Room for twice as many sites, and four slots for each. */
static int grow(struct tracy_names *names) {
    uint32_t bits = names->slot_bits == 0 ? FIRST_SLOT_BITS : names->slot_bits + 1;
    uint32_t capacity = 1u << (bits - 2);
    if (capacity > SITES_MAX) {
        return -ENOMEM;
    }
    struct tracy_site *sites = realloc(names->sites, capacity * sizeof *sites);
    if (sites == NULL) {
        return -ENOMEM;
    }
    names->sites = sites;
    uint32_t *slots = calloc((size_t)1 << bits, sizeof *slots);
    if (slots == NULL) {
        return -ENOMEM;
    }
    free(names->slots);
    names->slots = slots;
    names->slot_bits = bits;
    names->capacity = capacity;
    for (uint32_t i = 0; i < names->count; i++) {
        slots[find_slot(names, sites[i].site)] = i + 1;
    }
    return 0;
}

int64_t tracy_names_site(struct tracy_names *names, const struct site *site) {
    if (names->count > 0) {
        uint32_t at = names->slots[find_slot(names, site)];
        if (at != 0) {
            return at - 1;
        }
    }
    if (names->count == names->capacity) {
        int error = grow(names);
        if (error != 0) {
            return error;
        }
    }
    names->sites[names->count] = (struct tracy_site){.site = site};
    names->slots[find_slot(names, site)] = names->count + 1;
    return names->count++;
}

uint64_t tracy_names_text(struct tracy_names *names, const char *text) {
    int64_t number = keytable_add(&names->texts, text, strlen(text));
    return number < 0 ? 0 : TRACY_KEY_TEXT + (uint64_t)number;
}

uint64_t tracy_names_set(struct tracy_names *names, uint32_t number) {
    struct tracy_site *site = &names->sites[number];
    if (site->set_key == 0) {
        site->set_key =
            site->site->known ? tracy_names_text(names, site->site->name) : TRACY_KEY_LATE + number;
    }
    return site->set_key;
}

enum tracy_found tracy_names_find_text(const struct tracy_names *names, uint64_t key,
                                       const char **text, size_t *length) {
    if (key - TRACY_KEY_TEXT < names->texts.count) {
        const struct keytable_entry *entry = &names->texts.entries[key - TRACY_KEY_TEXT];
        *text = entry->length == 0 ? "" : (const char *)names->texts.bytes + entry->offset;
        *length = entry->length;
        return TRACY_FOUND;
    }
    if (key - TRACY_KEY_LATE < names->count) {
        const struct site *site = names->sites[key - TRACY_KEY_LATE].site;
        *text = site->name;
        *length = strlen(site->name);
        return site->known ? TRACY_FOUND : TRACY_NOT_YET;
    }
    return TRACY_NOT_A_KEY;
}

bool tracy_names_has_file(const struct tracy_names *names, const char *file) {
    for (uint32_t i = 0; i < names->count; i++) {
        if (names->sites[i].site->known && strcmp(names->sites[i].site->file, file) == 0) {
            return true;
        }
    }
    return false;
}

enum tracy_found tracy_names_find_place(const struct tracy_names *names, uint64_t key,
                                        const struct site **site) {
    uint64_t number = key - TRACY_KEY_PLACE;
    *site = NULL;
    if (number == TRACY_PLACES_MAX) {
        return TRACY_FOUND;
    }
    if (number > TRACY_PLACES_MAX || number >= names->count) {
        return TRACY_NOT_A_KEY;
    }
    *site = names->sites[number].site;
    return (*site)->known ? TRACY_FOUND : TRACY_NOT_YET;
}
