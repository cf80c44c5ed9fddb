/* SPDX-License-Identifier: MIT */
/* Tracy's pointers: 64-bit keys by which the viewer asks for names. The viewer never follows
 * them, but it packs some, so all lie in ranges that survive (TracyWorker.cpp, PackPointer).
 * Memory grows with the number of sites only. */
#ifndef HOSTLINK_TRACY_NAMES_H
#define HOSTLINK_TRACY_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intmap.h"
#include "base/keytable.h"
#include "model/event.h"

/* Below 2^56, because 0.14 shifts keys of messages by 8; bits 60 to 63 equal. */
#define TRACY_KEY_TEXT UINT64_C(0x010000000000)  /* + number of the text */
#define TRACY_KEY_PLACE UINT64_C(0x020000000000) /* + number of the site: its source location */
#define TRACY_KEY_LATE UINT64_C(0x030000000000)  /* + number of the site: its name, not known yet */

/* The viewer numbers source locations with 15 bits; further sites share one location. */
#define TRACY_PLACES_MAX 32000u

struct tracy_site {
    const struct site *site;
    uint64_t set_key;                /* tracy_names_set() of this viewer, 0 = not used yet */
    const struct event_board *board; /* of those, NULL: there is only one */
    bool configured;                 /* its plot's configuration went to this viewer */
    uint32_t place; /* number of the site whose source location is used + 1, 0 = not used yet */
};

struct tracy_names {
    struct keytable texts;
    struct tracy_site *sites;
    uint32_t count, capacity;
    struct intmap numbers;  /* by the pointer to the site: its number + 1 */
    struct keytable places; /* source locations, by their contents */
    uint32_t *place_sites;  /* of each, the number of the first site there */
    uint32_t place_capacity;
};

void tracy_names_free(struct tracy_names *names);
/* A new viewer knows nothing. */
void tracy_names_forget(struct tracy_names *names);

/* The site's number, or -ENOMEM. */
int64_t tracy_names_site(struct tracy_names *names, const struct site *site);
/* The key of a text, 0 when memory is short. */
uint64_t tracy_names_text(struct tracy_names *names, const char *text);
/* The key of a plot, pool or set of frames with the site's name; with several boards the name
 * is "BOARD/NAME". Equal names have one key, unless the name came after the first use. 0 when
 * memory is short. */
uint64_t tracy_names_set(struct tracy_names *names, uint32_t site, const struct event_board *board);
/* The key of the site's source location. Sites with equal contents share one: a zone in an inline function of C++ is a
 * site in each file that includes it. Not so where the names came after the first use. */
static inline uint64_t tracy_names_place(struct tracy_names *names, uint32_t site);
/* Private to tracy_names_place(), which calls it the first time that a site is used. */
uint32_t tracy_names_make_place(struct tracy_names *names, uint32_t site);

static inline uint64_t tracy_names_place(struct tracy_names *names, uint32_t site) {
    const uint32_t place = names->sites[site].place;
    return TRACY_KEY_PLACE + (place != 0 ? place - 1 : tracy_names_make_place(names, site));
}

/* True if a place that the board has named is in this file. */
bool tracy_names_has_file(const struct tracy_names *names, const char *file);

/* Look-ups for the viewer's queries. */
enum tracy_found { TRACY_FOUND, TRACY_NOT_YET, TRACY_NOT_A_KEY };
enum tracy_found tracy_names_find_text(const struct tracy_names *names, uint64_t key,
                                       const char **text, size_t *length);
/* "*site" is NULL for the shared location of TRACY_PLACES_MAX. */
enum tracy_found tracy_names_find_place(const struct tracy_names *names, uint64_t key,
                                        const struct site **site);

#endif
