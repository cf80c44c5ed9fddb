/* SPDX-License-Identifier: MIT */
/* Folded stacks, as programs that draw flame graphs take them: "outer;inner;innermost NUMBER", a line each. A
 * nanosecond is one of the number, whatever it counts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "import/import.h"
#include "import/stacked.h"

struct folded {
    const struct import_file *file;
    struct stacked stacked;
    struct import_result *result;
    uint32_t *sites;
    uint32_t capacity;
    char *name;
    size_t name_size;
};

static const char *trim(const char *line, const char *end) {
    while (end > line && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    return end;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads the number after the line's last blank, without its fraction; moves "end" to the end of the text before it. */
static bool take_number(const char *line, const char **end, uint64_t *number) {
    const char *behind = trim(line, *end), *start = behind;
    while (start > line && start[-1] != ' ' && start[-1] != '\t') {
        start--;
    }
    const char *at = start;
    for (*number = 0; at < behind && is_digit(*at); at++) {
        if (__builtin_mul_overflow(*number, 10u, number) ||
            __builtin_add_overflow(*number, (unsigned)(*at - '0'), number)) {
            return false;
        }
    }
    const bool digits = at > start;
    if (at < behind && *at == '.') {
        at++;
        while (at < behind && is_digit(*at)) {
            at++;
        }
    }
    *end = trim(line, start);
    return digits && at == behind && *end > line;
}

/* The site of a frame's name. */
static bool add_frame(struct folded *f, uint32_t depth, const char *name, size_t length) {
    if (!grow(&f->sites, &f->capacity, depth, sizeof *f->sites)) {
        return false;
    }
    if (length >= f->name_size) {
        char *grown = realloc(f->name, 2 * length + 64);
        if (!grown) {
            return false;
        }
        f->name = grown;
        f->name_size = 2 * length + 64;
    }
    memcpy(f->name, name, length);
    f->name[length] = '\0';
    f->sites[depth] =
        played_site(f->stacked.played, &(struct played_site){.kind = KYMO_SITE_ZONE,
                                                             .name = length > 0 ? f->name : "?",
                                                             .file = ""});
    return true;
}

static const char *take_line(struct folded *f, const char *line, const char *end) {
    uint64_t number;
    uint32_t depth = 0;
    if (!take_number(line, &end, &number)) {
        return "a line of folded stacks is expected: OUTER;INNER NUMBER";
    }
    if (memchr(line, '\0', (size_t)(end - line))) {
        return "a zero byte";
    }
    for (const char *at = line; at <= end; depth++) {
        const char *semicolon = memchr(at, ';', (size_t)(end - at));
        const char *behind = semicolon ? semicolon : end;
        if (!add_frame(f, depth, at, (size_t)(behind - at))) {
            f->stacked.played->error = -ENOMEM;
            return NULL;
        }
        at = behind + 1;
    }
    f->result->events++;
    return number == 0 || stacked_add(&f->stacked, f->sites, depth, number) ||
                   f->stacked.played->error
               ? NULL
               : "the numbers add up to more than 63 bits";
}

static void read_folded(const struct import_file *file, struct played *played,
                        struct import_result *result) {
    struct folded f = {.file = file, .stacked.played = played, .result = result};
    const char *at = file->bytes, *end = file->bytes + file->length;
    f.stacked.row = played_row(played, "", 0);
    played_name_row(played, f.stacked.row, "stacks");
    while (at < end && !result->why && !played->error) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *behind = newline ? newline : end;
        const bool blank = trim(at, behind) == at || *at == '#';
        result->why = blank ? NULL : take_line(&f, at, behind);
        result->at = (uint64_t)(at - file->bytes);
        at = newline ? newline + 1 : end;
    }
    stacked_end(&f.stacked);
    free(f.sites);
    free(f.name);
}

static bool is_folded(const struct import_file *file) {
    const char *end = memchr(file->bytes, '\n', file->length);
    uint64_t number;
    end = end ? end : file->bytes + file->length;
    return take_number(file->bytes, &end, &number) &&
           !memchr(file->bytes, '\0', (size_t)(end - file->bytes));
}

const struct import_format import_folded = {.name = "folded",
                                            .help = "folded stacks, as for flame graphs",
                                            .is_it = is_folded,
                                            .read = read_folded};
