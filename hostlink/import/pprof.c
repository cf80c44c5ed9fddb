/* SPDX-License-Identifier: MIT */
/* pprof's profiles (profile.proto): stacks with a value each. Where they have several, the default one counts, else the
 * last one. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/intmap.h"
#include "import/import.h"
#include "import/stacked.h"

#define DEPTH_MAX 4096u
#define TYPES_MAX 32u

struct part {
    const uint8_t *at, *end;
};

/* A field of a message: its number; "value" of a number, "part" of what has a length. */
struct field {
    uint32_t number;
    bool has_length;
    uint64_t value;
    struct part part;
};

struct list {
    struct part *parts;
    uint32_t count, capacity;
};

struct pprof {
    struct played *played;
    struct import_result *result;
    const uint8_t *bytes; /* all of them */
    struct list strings, locations, functions, samples;
    struct intmap location_ids, function_ids;    /* place in its list, + 1 */
    uint64_t types[TYPES_MAX], units[TYPES_MAX]; /* strings */
    uint32_t type_count;
    uint64_t default_type;
    uint32_t sites[DEPTH_MAX];
    bool no_memory;
};

static bool wrong(struct pprof *p, const uint8_t *at, const char *why) {
    if (!p->result->why) {
        p->result->why = why;
        p->result->at = (uint64_t)(at - p->bytes);
    }
    return false;
}

/* ---- protocol buffers ---- */

static bool take_varint(struct pprof *p, struct part *part, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 70 && part->at < part->end; shift += 7) {
        const uint8_t byte = *part->at++;
        *value |= shift < 64 ? (uint64_t)(byte & 0x7fu) << shift : 0;
        if (byte < 0x80) {
            return true;
        }
    }
    return wrong(p, part->at, "a number without an end");
}

/* False at the end, and if something is wrong. */
static bool next_field(struct pprof *p, struct part *message, struct field *field) {
    uint64_t key;
    const uint8_t *start = message->at;
    if (p->result->why || message->at == message->end || !take_varint(p, message, &key)) {
        return false;
    }
    *field = (struct field){.number = (uint32_t)(key >> 3), .has_length = (key & 7) == 2};
    const size_t left = (size_t)(message->end - message->at);
    switch (key & 7) {
    case 0:
        return take_varint(p, message, &field->value);
    case 1:
    case 5:
        if (left < ((key & 7) == 1 ? 8 : 4)) {
            return wrong(p, start, "a field that runs past the end of its message");
        }
        message->at += (key & 7) == 1 ? 8 : 4;
        return true;
    case 2:
        if (!take_varint(p, message, &field->value)) {
            return false;
        }
        if (field->value > (uint64_t)(message->end - message->at)) {
            return wrong(p, start, "a field that runs past the end of its message");
        }
        field->part = (struct part){message->at, message->at + field->value};
        message->at += field->value;
        return true;
    default:
        return wrong(p, start, "no field of a profile");
    }
}

static bool add(struct pprof *p, struct list *list, struct part part) {
    if (!grow(&list->parts, &list->capacity, list->count, sizeof *list->parts)) {
        p->no_memory = true;
        return false;
    }
    list->parts[list->count++] = part;
    return true;
}

/* The first number of that field in a message, 0: none. */
static uint64_t number_in(struct pprof *p, struct part message, uint32_t number) {
    struct field field;
    while (next_field(p, &message, &field)) {
        if (field.number == number && !field.has_length) {
            return field.value;
        }
    }
    return 0;
}

static bool is_text(const struct pprof *p, uint64_t string, const char *text) {
    const struct part *part = string < p->strings.count ? &p->strings.parts[string] : NULL;
    return part && (size_t)(part->end - part->at) == strlen(text) &&
           memcmp(part->at, text, strlen(text)) == 0;
}

/* ---- the profile ---- */

static bool add_by_id(struct pprof *p, struct list *list, struct intmap *ids, struct part part) {
    const uint64_t id = number_in(p, part, 1);
    if (p->result->why || !add(p, list, part)) {
        return false;
    }
    p->no_memory =
        p->no_memory || (intmap_get(ids, id) == 0 && intmap_add(ids, id, list->count) != 0);
    return !p->no_memory;
}

static bool take_field(struct pprof *p, const struct field *field) {
    switch (field->number) {
    case 1:
        if (p->type_count < TYPES_MAX) {
            p->types[p->type_count] = number_in(p, field->part, 1);
            p->units[p->type_count++] = number_in(p, field->part, 2);
        }
        return !p->result->why;
    case 2:
        return add(p, &p->samples, field->part);
    case 4:
        return add_by_id(p, &p->locations, &p->location_ids, field->part);
    case 5:
        return add_by_id(p, &p->functions, &p->function_ids, field->part);
    case 6:
        return add(p, &p->strings, field->part);
    case 14:
        p->default_type = field->value;
        return true;
    default:
        return true;
    }
}

/* A copy that ends by NUL; NULL: no memory. Zeros become '?'. */
static char *text_of(struct pprof *p, uint64_t string) {
    const struct part none = {(const uint8_t *)"?", (const uint8_t *)"?" + 1};
    const struct part *part = string < p->strings.count ? &p->strings.parts[string] : &none;
    const size_t length = (size_t)(part->end - part->at);
    char *text = malloc(length + 1);
    for (size_t i = 0; text && i < length; i++) {
        text[i] = part->at[i] != '\0' ? (char)part->at[i] : '?';
    }
    if (text) {
        text[length] = '\0';
    }
    p->no_memory = p->no_memory || !text;
    return text;
}

static uint32_t site_of(struct pprof *p, uint64_t function_id) {
    const uint32_t number = intmap_get(&p->function_ids, function_id);
    const struct part none = {0}, function = number ? p->functions.parts[number - 1] : none;
    char *name = text_of(p, number ? number_in(p, function, 2) : UINT64_MAX);
    char *file = text_of(p, number ? number_in(p, function, 4) : 0);
    uint32_t site = 0;
    if (name && file) {
        site = played_site(p->played,
                           &(struct played_site){.kind = KYMO_SITE_ZONE,
                                                 .name = name[0] != '\0' ? name : "?",
                                                 .file = file,
                                                 .line = (uint32_t)number_in(p, function, 5)});
    }
    free(name);
    free(file);
    return site;
}

static uint32_t nameless(struct pprof *p, uint64_t address) {
    char name[24];
    (void)snprintf(name, sizeof name, "0x%" PRIx64, address);
    return played_site(p->played,
                       &(struct played_site){.kind = KYMO_SITE_ZONE, .name = name, .file = ""});
}

static void push(struct pprof *p, uint32_t *depth, uint32_t site) {
    if (*depth < DEPTH_MAX) {
        p->sites[(*depth)++] = site;
    }
}

/* Its functions, the innermost first: those that were inlined stand before the one that they are in. */
static void push_location(struct pprof *p, uint32_t *depth, uint64_t id) {
    const uint32_t number = intmap_get(&p->location_ids, id);
    const uint32_t before = *depth;
    struct part location = number ? p->locations.parts[number - 1] : (struct part){0};
    struct field field;
    while (next_field(p, &location, &field)) {
        if (field.number == 4 && field.has_length) {
            push(p, depth, site_of(p, number_in(p, field.part, 1)));
        }
    }
    if (*depth == before) {
        push(p, depth, nameless(p, number ? number_in(p, p->locations.parts[number - 1], 3) : id));
    }
}

/* Repeated numbers stand one by one, or packed. */
static bool each_number(struct pprof *p, const struct field *field, struct part *rest,
                        uint64_t *value) {
    if (field->has_length) {
        return rest->at < rest->end && take_varint(p, rest, value);
    }
    *value = field->value;
    return rest->at ? (rest->at = NULL, true) : false;
}

static void take_sample(struct pprof *p, struct stacked *stacked, struct part sample, uint32_t type,
                        uint64_t scale) {
    uint32_t depth = 0, values = 0;
    uint64_t value, amount = 0;
    struct field field;
    const uint8_t *start = sample.at;
    while (next_field(p, &sample, &field)) {
        struct part rest = field.has_length ? field.part : (struct part){start, start};
        while (field.number == 1 && each_number(p, &field, &rest, &value)) {
            push_location(p, &depth, value);
        }
        while (field.number == 2 && each_number(p, &field, &rest, &value)) {
            amount = values++ == type ? value : amount;
        }
    }
    for (uint32_t i = 0; i < depth / 2; i++) { /* the outermost first */
        const uint32_t site = p->sites[i];
        p->sites[i] = p->sites[depth - 1 - i];
        p->sites[depth - 1 - i] = site;
    }
    p->result->events++;
    if (amount > INT64_MAX) { /* a difference of two profiles */
        p->result->left_out++;
        strcpy(p->result->left_out_text, "values below zero");
    } else if (depth > 0 && amount > 0 &&
               (__builtin_mul_overflow(amount, scale, &amount) ||
                !stacked_add(stacked, p->sites, depth, amount))) {
        (void)wrong(p, start, "the values add up to more than 63 bits");
    }
}

static uint32_t chosen_type(const struct pprof *p) {
    for (uint32_t i = 0; i < p->type_count && p->default_type != 0; i++) {
        if (p->types[i] == p->default_type) {
            return i;
        }
    }
    return p->type_count > 0 ? p->type_count - 1 : 0;
}

static uint64_t scale_of(const struct pprof *p, uint64_t unit) {
    return is_text(p, unit, "microseconds")   ? 1000
           : is_text(p, unit, "milliseconds") ? 1000000
           : is_text(p, unit, "seconds")      ? 1000000000
                                              : 1;
}

static void play(struct pprof *p) {
    struct stacked stacked = {.played = p->played};
    const uint32_t type = chosen_type(p);
    char *name = text_of(p, p->type_count > 0 ? p->types[type] : UINT64_MAX);
    stacked.row = played_row(p->played, "", 0);
    if (name) {
        played_name_row(p->played, stacked.row, name);
    }
    free(name);
    const uint64_t scale = p->type_count > 0 ? scale_of(p, p->units[type]) : 1;
    for (uint32_t i = 0; i < p->samples.count && !p->result->why && !p->no_memory; i++) {
        take_sample(p, &stacked, p->samples.parts[i], type, scale);
    }
    stacked_end(&stacked);
}

static void read_profile(struct pprof *p, size_t length) {
    struct part all = {p->bytes, p->bytes + length};
    struct field field;
    bool right = true;
    while (right && next_field(p, &all, &field)) {
        right = take_field(p, &field);
    }
    if (right && !p->result->why) {
        play(p);
    }
}

static void read_pprof(const struct import_file *file, struct played *played,
                       struct import_result *result) {
    struct pprof *p = calloc(1, sizeof *p);
    if (p) {
        p->played = played;
        p->result = result;
        p->bytes = (const uint8_t *)file->bytes;
        read_profile(p, file->length);
        struct list *const lists[] = {&p->strings, &p->locations, &p->functions, &p->samples};
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
            free(lists[i]->parts);
        }
        intmap_free(&p->location_ids);
        intmap_free(&p->function_ids);
    }
    if (!p || p->no_memory) {
        played->error = -ENOMEM;
    }
    free(p);
}

/* True if its first fields are fields of a profile, and it is not text. */
static bool is_pprof(const struct import_file *file) {
    struct import_result result = {0};
    struct pprof p = {.bytes = (const uint8_t *)file->bytes, .result = &result};
    struct part all = {p.bytes, p.bytes + file->length};
    struct field field;
    bool fits = true, control = false;
    uint32_t count = 0;
    for (size_t i = 0; i < file->length && i < 256; i++) {
        control = control || (file->bytes[i] < ' ' && !strchr("\t\n\r", file->bytes[i]));
    }
    while (fits && control && count < 8 && next_field(&p, &all, &field)) {
        fits = field.number >= 1 && field.number <= 15;
        count++;
    }
    return fits && control && count > 0 && !result.why;
}

const struct import_format import_pprof = {
    .name = "pprof", .help = "pprof's profiles", .is_it = is_pprof, .read = read_pprof};
