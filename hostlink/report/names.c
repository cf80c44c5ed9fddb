/* SPDX-License-Identifier: MIT */
#include "report/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "sink/json_text.h"

/* The last number is that of all beyond. */
static bool is_full(struct report_names *names) {
    const bool full = names->count >= REPORT_NAMES_MAX;
    names->left_out += full;
    return full;
}

static int64_t add(struct report_names *names, const struct report_name *name) {
    if (!grow(&names->list, &names->capacity, names->count, sizeof *names->list)) {
        return -ENOMEM;
    }
    names->list[names->count] = *name;
    return names->count++;
}

static int64_t by_address(struct report_names *names, const void *address,
                          const struct report_name *name) {
    const uint32_t known = intmap_get(&names->numbers, (uintptr_t)address);
    if (known != 0) {
        return known - 1;
    }
    if (is_full(names)) {
        return REPORT_NAMES_MAX;
    }
    const int64_t number = add(names, name);
    return number >= 0 && intmap_add(&names->numbers, (uintptr_t)address, (uint32_t)number + 1) != 0
               ? -ENOMEM
               : number;
}

int64_t report_name_site(struct report_names *names, const struct site *site) {
    return by_address(names, site, &(struct report_name){.is = REPORT_SITE, .of.site = site});
}

int64_t report_name_track(struct report_names *names, const struct track *track) {
    return by_address(names, track, &(struct report_name){.is = REPORT_TRACK, .of.track = track});
}

int64_t report_name_object(struct report_names *names, const struct object *object) {
    return by_address(names, object,
                      &(struct report_name){.is = REPORT_OBJECT, .of.object = object});
}

static bool reserve_text(struct report_names *names, uint32_t number) {
    return grow_zeroed(&names->text_numbers, &names->text_capacity, number,
                       sizeof *names->text_numbers);
}

int64_t report_name_text(struct report_names *names, const char *text) {
    const size_t length = strlen(text);
    const int64_t known = keytable_find(&names->texts, text, length);
    if (known >= 0) {
        return names->text_numbers[known] - 1;
    }
    if (is_full(names)) {
        return REPORT_NAMES_MAX;
    }
    const int64_t number = keytable_add(&names->texts, text, length);
    if (number < 0 || !reserve_text(names, (uint32_t)number)) {
        return -ENOMEM;
    }
    const int64_t added =
        add(names, &(struct report_name){.is = REPORT_TEXT, .of.text = (uint32_t)number});
    names->text_numbers[number] = (uint32_t)added + 1;
    return added;
}

static void write_site(const struct site *site, struct outfile *out) {
    json_text(out, site->name, strlen(site->name));
    if (site->file[0] != '\0' || site->color != 0) {
        char line[16];
        outfile_printf(out, ",");
        json_text(out, site->file, strlen(site->file));
        snprintf(line, sizeof line, ",%" PRIu32, site->line);
        outfile_write(out, line, strlen(line));
    }
    if (site->color != 0) {
        outfile_printf(out, ",\"#%06" PRIx32 "\"", site->color & 0xffffffu);
    }
}

void report_names_write(const struct report_names *names, struct outfile *out) {
    outfile_printf(out, "[");
    for (uint32_t i = 0; i < names->count; i++) {
        const struct report_name *name = &names->list[i];
        outfile_printf(out, i == 0 ? "[" : ",\n[");
        switch (name->is) {
        case REPORT_SITE:
            write_site(name->of.site, out);
            break;
        case REPORT_TRACK:
            json_text(out, name->of.track->name, strlen(name->of.track->name));
            break;
        case REPORT_OBJECT:
            json_text(out, name->of.object->name, strlen(name->of.object->name));
            break;
        default: {
            const struct keytable_entry *entry = &names->texts.entries[name->of.text];
            json_text(out,
                      entry->length != 0 ? (const char *)names->texts.bytes + entry->offset : "",
                      entry->length);
            break;
        }
        }
        outfile_printf(out, "]");
    }
    outfile_printf(out, "]");
}

void report_names_free(struct report_names *names) {
    intmap_free(&names->numbers);
    keytable_free(&names->texts);
    free(names->text_numbers);
    free(names->list);
    *names = (struct report_names){0};
}
