/* SPDX-License-Identifier: MIT */
/* The names of the report's timeline, each once and with a number: sites, tracks, objects, and texts. */
#ifndef HOSTLINK_REPORT_NAMES_H
#define HOSTLINK_REPORT_NAMES_H

#include "base/intmap.h"
#include "base/keytable.h"
#include "model/event.h"
#include "sink/outfile.h"

/* All beyond are one name. */
#define REPORT_NAMES_MAX 65536u

struct report_name {
    enum { REPORT_SITE, REPORT_TRACK, REPORT_OBJECT, REPORT_TEXT } is;
    union {
        const struct site *site;
        const struct track *track;
        const struct object *object;
        uint32_t text; /* number in "texts" */
    } of;
};

/* All zero is empty. */
struct report_names {
    struct intmap numbers; /* of sites, tracks and objects by address: + 1 */
    struct keytable texts;
    uint32_t *text_numbers; /* of texts, by their number: + 1 */
    uint32_t text_capacity;
    struct report_name *list;
    uint32_t count, capacity;
    uint64_t left_out; /* uses of names beyond */
};

/* The number, or -ENOMEM. The site, track or object must outlive the names. */
int64_t report_name_site(struct report_names *names, const struct site *site);
int64_t report_name_track(struct report_names *names, const struct track *track);
int64_t report_name_object(struct report_names *names, const struct object *object);
int64_t report_name_text(struct report_names *names, const char *text);
/* Writes a JSON array of [name, place, colour]; empty elements at the end are left out. */
void report_names_write(const struct report_names *names, struct outfile *out);
void report_names_free(struct report_names *names);

#endif
