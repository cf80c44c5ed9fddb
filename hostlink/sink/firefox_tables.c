/* SPDX-License-Identifier: MIT */
#include "sink/firefox_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "sink/json_text.h"

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static uint32_t number_of(struct firefox_tables *t, struct keytable *table, const void *key,
                          size_t length) {
    const int64_t number = keytable_add(table, key, length);
    if (number < 0) {
        t->error = -ENOMEM;
        return 0;
    }
    return (uint32_t)number;
}

uint32_t firefox_string(struct firefox_tables *t, const char *text, size_t length) {
    return number_of(t, &t->strings, text, length);
}

uint32_t firefox_stack(struct firefox_tables *t, uint32_t prefix, const char *name,
                       const char *file, uint32_t line, enum firefox_category category) {
    struct firefox_frame frame = {.name = firefox_string(t, name, strlen(name)),
                                  .file = FIREFOX_NONE,
                                  .line = line,
                                  .category = category};
    if (file[0] != '\0') {
        const uint32_t text = firefox_string(t, file, strlen(file));
        frame.file = number_of(t, &t->sources, &text, sizeof text);
    }
    const uint32_t stack[2] = {number_of(t, &t->frames, &frame, sizeof frame), prefix};
    return number_of(t, &t->stacks, stack, sizeof stack);
}

/* ---- writing ---- */

static const struct {
    const char *name, *color;
} categories[] = {[FIREFOX_OTHER] = {"Other", "grey"},
                  [FIREFOX_MAIN] = {"Main code", "blue"},
                  [FIREFOX_INTERRUPT] = {"Interrupt", "orange"},
                  [FIREFOX_TASK] = {"Task", "green"},
                  [FIREFOX_LOCK] = {"Lock", "red"},
                  [FIREFOX_MESSAGE] = {"Message", "yellow"},
                  [FIREFOX_LOSS] = {"Events lost", "magenta"}};

void firefox_write_categories(struct outfile *out) {
    outfile_printf(out, "\"categories\":[");
    for (size_t i = 0; i < COUNT_OF(categories); i++) {
        outfile_printf(out, "%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
                       i == 0 ? "" : ",", categories[i].name, categories[i].color);
    }
    outfile_printf(out, "]");
}

/* One value for each of "count" rows. */
static void write_same(struct outfile *out, const char *key, uint32_t count, const char *value) {
    outfile_printf(out, "\"%s\":[", key);
    for (uint32_t i = 0; i < count; i++) {
        outfile_printf(out, i == 0 ? "%s" : ",%s", value);
    }
    outfile_printf(out, "],");
}

static const void *key_of(const struct keytable *table, uint32_t number) {
    /* Where all keys are empty there are no bytes. */
    static const unsigned char nothing;
    return table->bytes != NULL ? table->bytes + table->entries[number].offset : &nothing;
}

/* The member of each key that is at "offset"; FIREFOX_NONE is "none". */
static void write_members(struct outfile *out, const char *key, const struct keytable *table,
                          size_t offset, const char *none) {
    outfile_printf(out, "\"%s\":[", key);
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t value;
        memcpy(&value, (const char *)key_of(table, i) + offset, sizeof value);
        outfile_printf(out, i == 0 ? "" : ",");
        if (value == FIREFOX_NONE) {
            outfile_printf(out, "%s", none);
        } else {
            outfile_printf(out, "%" PRIu32, value);
        }
    }
    outfile_printf(out, "],");
}

static void write_numbers(struct outfile *out, const char *key, uint32_t count) {
    outfile_printf(out, "\"%s\":[", key);
    for (uint32_t i = 0; i < count; i++) {
        outfile_printf(out, i == 0 ? "%" PRIu32 : ",%" PRIu32, i);
    }
    outfile_printf(out, "],");
}

/* A frame is a function here: a place in the source, or an address. */
static void write_frames(const struct firefox_tables *t, struct outfile *out) {
    const struct keytable *frames = &t->frames;
    const uint32_t count = frames->count;
    outfile_printf(out, "\"frameTable\":{");
    write_same(out, "address", count, "-1");
    write_same(out, "inlineDepth", count, "0");
    write_members(out, "category", frames, offsetof(struct firefox_frame, category), "null");
    write_same(out, "subcategory", count, "0");
    write_numbers(out, "func", count);
    write_same(out, "nativeSymbol", count, "null");
    write_same(out, "innerWindowID", count, "null");
    write_members(out, "line", frames, offsetof(struct firefox_frame, line), "null");
    write_same(out, "column", count, "null");
    outfile_printf(out, "\"length\":%" PRIu32 "},\"funcTable\":{", count);
    write_members(out, "name", frames, offsetof(struct firefox_frame, name), "null");
    write_same(out, "isJS", count, "false");
    write_same(out, "relevantForJS", count, "false");
    write_same(out, "resource", count, "-1");
    write_members(out, "source", frames, offsetof(struct firefox_frame, file), "null");
    write_members(out, "lineNumber", frames, offsetof(struct firefox_frame, line), "null");
    write_same(out, "columnNumber", count, "null");
    outfile_printf(out, "\"length\":%" PRIu32 "},", count);
}

void firefox_write_shared(const struct firefox_tables *t, struct outfile *out) {
    const uint32_t sources = t->sources.count;
    outfile_printf(out, "\"shared\":{\"stackTable\":{");
    write_members(out, "frame", &t->stacks, 0, "null");
    write_members(out, "prefix", &t->stacks, sizeof(uint32_t), "null");
    outfile_printf(out, "\"length\":%" PRIu32 "},", t->stacks.count);
    write_frames(t, out);
    outfile_printf(out,
                   "\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],"
                   "\"type\":[]},\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
                   "\"functionSize\":[],\"length\":0},\"sources\":{");
    write_same(out, "id", sources, "null");
    write_members(out, "filename", &t->sources, 0, "null");
    write_same(out, "startLine", sources, "1");
    write_same(out, "startColumn", sources, "1");
    write_same(out, "sourceMapURL", sources, "null");
    outfile_printf(out, "\"length\":%" PRIu32 "},\"stringArray\":[", sources);
    for (uint32_t i = 0; i < t->strings.count; i++) {
        outfile_printf(out, i == 0 ? "" : ",\n");
        json_text(out, key_of(&t->strings, i), t->strings.entries[i].length);
    }
    outfile_printf(out, "]}");
}

void firefox_tables_free(struct firefox_tables *t) {
    keytable_free(&t->strings);
    keytable_free(&t->sources);
    keytable_free(&t->frames);
    keytable_free(&t->stacks);
}
