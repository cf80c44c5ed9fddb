/* SPDX-License-Identifier: MIT */
#include "model/code_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/utf8.h"

#define FIRST_ENTRIES 64u

const struct code_entry *code_table_find(struct code_table *table, uint64_t address) {
    const uint32_t number = intmap_get(&table->numbers, address);
    return number != 0 ? &table->entries[number - 1] : NULL;
}

/* The one copy of a text; NULL when memory is short. */
static const char *keep_text(struct code_table *table, const char *text) {
    char clean[CODE_TEXT_BYTES_MAX];
    utf8_clean(clean, sizeof clean, text, strlen(text));
    const uint32_t before = table->text_numbers.count;
    if (!grow(&table->texts, &table->text_capacity, before, sizeof *table->texts)) {
        return NULL;
    }
    const int64_t number = keytable_add(&table->text_numbers, clean, strlen(clean));
    if (number < 0) {
        return NULL;
    }
    if (table->text_numbers.count > before) {
        table->texts[number] = strdup(clean);
    }
    return table->texts[number];
}

static struct code_place *copy(struct code_table *table, const struct code_place *place) {
    const uint32_t count = place->count < CODE_LINES_MAX ? place->count : CODE_LINES_MAX;
    struct code_place *kept = malloc(sizeof *kept + count * sizeof(struct code_line));
    if (kept == NULL) {
        return NULL;
    }
    struct code_line *lines = (struct code_line *)(kept + 1);
    *kept = (struct code_place){place->start, place->bytes, count, lines, place->is_frameless};
    for (uint32_t i = 0; i < count; i++) {
        lines[i].function = keep_text(table, place->lines[i].function);
        lines[i].file = keep_text(table, place->lines[i].file);
        lines[i].line = place->lines[i].line;
        if (lines[i].function == NULL || lines[i].file == NULL) {
            free(kept);
            return NULL;
        }
    }
    return kept;
}

static bool make_room(struct code_table *table) {
    return grow(&table->entries, &table->capacity, table->count, sizeof *table->entries);
}

const struct code_entry *code_table_add(struct code_table *table, uint64_t address,
                                        const struct code_place *place) {
    struct code_place *kept = NULL;
    if (table->count >= CODE_PLACES_MAX || !make_room(table)) {
        table->refused++;
        return NULL;
    }
    if (place != NULL && place->count != 0 && (kept = copy(table, place)) == NULL) {
        return NULL;
    }
    if (intmap_add(&table->numbers, address, table->count + 1) != 0) {
        free(kept);
        return NULL;
    }
    table->entries[table->count] = (struct code_entry){address, kept};
    return &table->entries[table->count++];
}

void code_table_free(struct code_table *table) {
    for (uint32_t i = 0; i < table->count; i++) {
        free(table->entries[i].place);
    }
    for (uint32_t i = 0; i < table->text_numbers.count; i++) {
        free(table->texts[i]);
    }
    free(table->entries);
    free(table->texts);
    intmap_free(&table->numbers);
    keytable_free(&table->text_numbers);
    *table = (struct code_table){0};
}
