/* SPDX-License-Identifier: MIT */
#include "model/functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define FIRST_SITES 64u
#define HEX_BYTES 24u

/* Numbers of these sites, apart from those of images. */
#define FIRST_ID 0x80000000u

void functions_free(struct functions *f) {
    for (uint32_t i = 0; i < f->count; i++) {
        free(f->sites[i]);
    }
    free(f->sites);
    intmap_free(&f->numbers);
    *f = (struct functions){0};
}

static bool make_room(struct functions *f) {
    return grow(&f->sites, &f->capacity, f->count, sizeof(struct site *));
}

/* False: no memory. */
static bool name_site(struct site *site, struct names *names, const struct code_line *line) {
    char hex[HEX_BYTES];
    const bool known = line != NULL && line->function[0] != '\0';
    const int length = snprintf(hex, sizeof hex, "0x%" PRIx64, site->address);
    site->name = known ? names_text(names, line->function, strlen(line->function))
                       : names_text(names, hex, (size_t)length);
    site->function = known ? site->name : "";
    site->file = line != NULL ? names_text(names, line->file, strlen(line->file)) : "";
    site->line = line != NULL ? line->line : 0;
    return site->name != NULL && site->file != NULL;
}

/* A look-up takes return addresses, which are after a call: so one more. Functions inlined here come before it. */
static struct site *make(struct functions *f, struct names *names, const struct symbols *symbols,
                         uint64_t address) {
    struct site *site = calloc(1, sizeof *site);
    if (site == NULL) {
        return NULL;
    }
    const bool beyond = f->count == FUNCTIONS_MAX;
    const struct code_place *place = beyond ? NULL : symbols_find(symbols, address + 1);
    const struct code_line others = {.function = "further functions", .file = ""};
    site->id = FIRST_ID + f->count;
    site->kind = KYMO_SITE_ZONE;
    site->known = true;
    site->is_function = true;
    site->address = beyond ? 0 : address;
    if (!name_site(site, names,
                   beyond          ? &others
                   : place != NULL ? &place->lines[place->count - 1]
                                   : NULL)) {
        free(site);
        return NULL;
    }
    return site;
}

struct site *functions_site(struct functions *f, struct names *names, const struct symbols *symbols,
                            uint64_t address) {
    if (f->symbols != symbols) {
        intmap_free(&f->numbers);
        f->symbols = symbols;
    }
    const uint32_t number = intmap_get(&f->numbers, address);
    if (number != 0) {
        return f->sites[number - 1];
    }
    if (f->count > FUNCTIONS_MAX) {
        return f->sites[FUNCTIONS_MAX];
    }
    struct site *site = make_room(f) ? make(f, names, symbols, address) : NULL;
    if (site == NULL ||
        (f->count < FUNCTIONS_MAX && intmap_add(&f->numbers, address, f->count + 1) != 0)) {
        free(site);
        return NULL;
    }
    f->sites[f->count++] = site;
    return site;
}
