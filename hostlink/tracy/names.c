/* SPDX-License-Identifier: MIT */
#include "tracy/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/join.h"

#define FIRST_SITES 64u
#define SET_NAME_BYTES 1600u
#define SITES_MAX (1u << 24)

void tracy_names_free(struct tracy_names *names) {
    keytable_free(&names->texts);
    free(names->sites);
    intmap_free(&names->numbers);
    keytable_free(&names->places);
    free(names->place_sites);
    *names = (struct tracy_names){0};
}

void tracy_names_forget(struct tracy_names *names) {
    for (uint32_t i = 0; i < names->count; i++) {
        names->sites[i].set_key = 0;
        names->sites[i].configured = false;
    }
}

int64_t tracy_names_site(struct tracy_names *names, const struct site *site) {
    uint32_t number = intmap_get(&names->numbers, (uintptr_t)site);
    if (number != 0) {
        return number - 1;
    }
    if (names->count >= SITES_MAX ||
        !grow(&names->sites, &names->capacity, names->count, sizeof *names->sites) ||
        intmap_add(&names->numbers, (uintptr_t)site, names->count + 1) != 0) {
        return -ENOMEM;
    }
    names->sites[names->count] = (struct tracy_site){.site = site};
    return names->count++;
}

static int reserve_place(struct tracy_names *names) {
    return grow(&names->place_sites, &names->place_capacity, names->places.count,
                sizeof *names->place_sites)
               ? 0
               : -ENOMEM;
}

/* The first site with the same names and place; equal texts share a copy. A site without names equals no other. */
static uint32_t first_like(struct tracy_names *names, uint32_t number) {
    const struct site *site = names->sites[number].site;
    const uint64_t says[] = {(uintptr_t)site->name, (uintptr_t)site->function,
                             (uintptr_t)site->file, (uint64_t)site->color << 32 | site->line};
    if (!site->known || reserve_place(names) != 0) {
        return number;
    }
    const uint32_t before = names->places.count;
    const int64_t place = keytable_add(&names->places, says, sizeof says);
    if (names->places.count != before) {
        names->place_sites[before] = number;
    }
    return place < 0 ? number : names->place_sites[place];
}

uint32_t tracy_names_make_place(struct tracy_names *names, uint32_t number) {
    const uint32_t first = first_like(names, number);
    const uint32_t place = first < TRACY_PLACES_MAX ? first : TRACY_PLACES_MAX;
    names->sites[number].place = place + 1;
    return place;
}

uint64_t tracy_names_text(struct tracy_names *names, const char *text) {
    int64_t number = keytable_add(&names->texts, text, strlen(text));
    return number < 0 ? 0 : TRACY_KEY_TEXT + (uint64_t)number;
}

static uint64_t name_of_board(struct tracy_names *names, const struct event_board *board,
                              const char *name) {
    char full[SET_NAME_BYTES];
    join(full, sizeof full, (const char *const[]){board->name, "/", name, NULL});
    return tracy_names_text(names, full);
}

uint64_t tracy_names_set(struct tracy_names *names, uint32_t number,
                         const struct event_board *board) {
    struct tracy_site *site = &names->sites[number];
    if (site->set_key == 0) {
        site->board = board;
        site->set_key = !site->site->known ? TRACY_KEY_LATE + number
                        : board != NULL    ? name_of_board(names, board, site->site->name)
                                           : tracy_names_text(names, site->site->name);
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
