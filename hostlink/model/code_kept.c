/* SPDX-License-Identifier: MIT */
#include "model/code_kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/utf8.h"
#include "kymo/wire.h"

/* An entry without its texts: four varints and the texts' lengths and lines; and an entry without functions after
 * it. */
#define ENTRY_HEAD_BYTES 54u
#define LINE_HEAD_BYTES 10u
/* Most bytes of all texts of an entry: with the rest it fits into one packet. */
#define ENTRY_TEXT_BYTES 3000u

static void keep(char *to, size_t size, const char *text, size_t length) {
    length = utf8_cut(text, length, size - 1);
    memcpy(to, text, length);
    to[length] = '\0';
}

/* Texts of the board's side end with their length, those of a place with a NUL. */
static void read_line(struct reader *reader, struct code_line *line,
                      char text[2][CODE_TEXT_BYTES_MAX]) {
    for (int i = 0; i < 2; i++) {
        size_t length = 0;
        const char *bytes = read_string(reader, &length);
        keep(text[i], CODE_TEXT_BYTES_MAX, reader->bad ? "" : bytes, reader->bad ? 0 : length);
    }
    const uint64_t number = read_varint(reader);
    *line = (struct code_line){text[0], text[1], number <= UINT32_MAX ? (uint32_t)number : 0};
}

/* An entry without functions, which may stand first in a packet. */
static struct code_program read_program(struct reader *reader) {
    struct reader entry = *reader;
    const uint64_t sites = read_varint(&entry), pointer_bytes = read_varint(&entry);
    const uint64_t identity = read_varint(&entry);
    if (read_varint(&entry) != 0 || entry.bad) {
        return (struct code_program){0};
    }
    *reader = entry;
    return (struct code_program){(uint32_t)sites, (uint32_t)pointer_bytes, identity};
}

void code_kept_take(struct code_kept *kept, struct reader *reader) {
    const struct code_program program = read_program(reader);
    uint32_t i = 0;
    while (i < kept->count && !code_program_is(&kept->of[i].of, &program)) {
        i++;
    }
    if (i < CODE_PROGRAMS_MAX) {
        kept->count += i == kept->count ? 1 : 0;
        kept->of[i].of = program;
        code_kept_read(&kept->of[i], reader);
    }
}

const struct code_entry *code_kept_find(struct code_kept *kept, const struct code_program *program,
                                        uint64_t address) {
    static const struct code_program any = {0};
    const struct code_entry *entry = NULL;
    for (uint32_t i = 0; i < kept->count && entry == NULL; i++) {
        struct code_table *table = &kept->of[i];
        const bool fits = code_program_is(&table->of, program) || code_program_is(&table->of, &any);
        entry = fits ? code_table_find(table, address) : NULL;
    }
    return entry;
}

bool code_kept_ran(struct code_kept *kept, uint32_t session, const struct code_program *program) {
    if (!grow_zeroed(&kept->sessions, &kept->session_count, session, sizeof *kept->sessions)) {
        return false;
    }
    kept->sessions[session] = *program;
    return true;
}

struct code_program code_kept_session(const struct code_kept *kept, uint32_t session) {
    return session < kept->session_count ? kept->sessions[session] : (struct code_program){0};
}

void code_kept_free(struct code_kept *kept) {
    free(kept->sessions);
    kept->sessions = NULL;
    kept->session_count = 0;
    for (uint32_t i = 0; i < kept->count; i++) {
        code_table_free(&kept->of[i]);
    }
    kept->count = 0;
}

void code_kept_read(struct code_table *table, struct reader *reader) {
    static char text[CODE_LINES_MAX][2][CODE_TEXT_BYTES_MAX];
    struct code_line lines[CODE_LINES_MAX];
    while (!reader->bad && reader->at < reader->length) {
        const uint64_t address = read_varint(reader);
        struct code_place place = {.lines = lines};
        place.start = read_varint(reader);
        place.bytes = read_varint(reader);
        const uint64_t count = read_varint(reader);
        if (count > CODE_LINES_MAX) {
            return;
        }
        place.count = (uint32_t)count;
        for (uint32_t i = 0; i < place.count; i++) {
            read_line(reader, &lines[i], text[i]);
        }
        const struct code_entry *before = code_table_find(table, address);
        if (!reader->bad && place.count != 0 && before == NULL) {
            (void)code_table_add(table, address, &place);
        } else if (!reader->bad && place.count == 0 && before != NULL) {
            before->place->is_frameless = true;
        }
    }
}

static size_t text_limit(const struct code_place *place) {
    return ENTRY_TEXT_BYTES / (2 * place->count);
}

static size_t shown(const char *text, size_t limit) { return strnlen(text, limit); }

static size_t entry_bytes(const struct code_place *place) {
    size_t bytes = ENTRY_HEAD_BYTES;
    for (uint32_t i = 0; i < place->count; i++) {
        bytes += LINE_HEAD_BYTES + shown(place->lines[i].function, text_limit(place)) +
                 shown(place->lines[i].file, text_limit(place));
    }
    return bytes;
}

/* A path's end is more useful than its begin. */
static void put_path(struct compose *packet, const char *path, size_t limit) {
    const size_t length = strlen(path);
    const size_t left_out = length > limit ? utf8_cut(path, length, length - limit + 3) : 0;
    compose_string(packet, path + left_out, length - left_out, limit);
}

static void put_entry(struct compose *packet, const struct code_entry *entry) {
    const struct code_place *place = entry->place;
    const size_t limit = text_limit(place);
    compose_varint(packet, entry->address);
    compose_varint(packet, place->start);
    compose_varint(packet, place->bytes);
    compose_varint(packet, place->count);
    for (uint32_t i = 0; i < place->count; i++) {
        const struct code_line *line = &place->lines[i];
        compose_string(packet, line->function, strlen(line->function), limit);
        put_path(packet, line->file, limit);
        compose_varint(packet, line->line);
    }
    if (place->is_frameless) {
        compose_varint(packet, entry->address);
        compose_varint(packet, 0);
        compose_varint(packet, 0);
        compose_varint(packet, 0);
    }
}

bool code_kept_write(struct compose *packet, const struct code_table *table, uint32_t *next) {
    bool any = false;
    compose_begin(packet, KYMO_PACKET_SYMBOLS, 0);
    if (table->of.pointer_bytes != 0) {
        compose_varint(packet, table->of.sites);
        compose_varint(packet, table->of.pointer_bytes);
        compose_varint(packet, table->of.identity);
        compose_varint(packet, 0);
    }
    for (; *next < table->count; ++*next) {
        const struct code_entry *entry = &table->entries[*next];
        if (entry->place == NULL) {
            continue;
        }
        if (sizeof packet->bytes - packet->at < entry_bytes(entry->place)) {
            return true;
        }
        put_entry(packet, entry);
        any = true;
    }
    return any;
}
