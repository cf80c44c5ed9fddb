/* SPDX-License-Identifier: MIT */
/* Places by their addresses, and as packets of a capture: a written place is read back, and no packet does harm. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "cases.h"
#include "model/code_kept.h"
#include "wire/fields.h"

static void add(struct code_table *table, uint64_t address, uint32_t count, size_t name_bytes) {
    static char names[CODE_LINES_MAX + 4][2000];
    struct code_line lines[CODE_LINES_MAX + 4];
    for (uint32_t i = 0; i < count; i++) {
        memset(names[i], 'a' + (int)(i % 26), name_bytes);
        names[i][name_bytes] = '\0';
        (void)snprintf(names[i], 16, "%u.%u", (unsigned)address, (unsigned)i);
        names[i][strlen(names[i])] = name_bytes > 16 ? '_' : '\0';
        lines[i] = (struct code_line){names[i], "file.c", i + 1};
    }
    const struct code_place place = {address, 16, count, lines, address % 3 == 0};
    assert_non_null(code_table_add(table, address, count != 0 ? &place : NULL));
}

static void is_equal(struct code_table *a, struct code_table *b, uint64_t address, bool whole) {
    const struct code_place *from = code_table_find(a, address)->place;
    const struct code_place *to = code_table_find(b, address)->place;
    assert_int_equal(to->start, from->start);
    assert_int_equal(to->bytes, from->bytes);
    assert_int_equal(to->count, from->count);
    for (uint32_t i = 0; i < to->count; i++) {
        const size_t length = strlen(to->lines[i].function);
        assert_memory_equal(to->lines[i].function, from->lines[i].function, length);
        assert_true(!whole || from->lines[i].function[length] == '\0');
        assert_string_equal(to->lines[i].file, from->lines[i].file);
        assert_int_equal(to->lines[i].line, from->lines[i].line);
    }
    assert_int_equal(to->is_frameless, from->is_frameless);
}

static struct reader fields_of(const struct compose *packet, size_t length) {
    return packet_fields(packet->bytes, length);
}

CASE(packets_bring_them_back) {
    static struct compose packet;
    struct code_table table = {0}, other = {0};
    for (uint64_t i = 0; i < 500; i++) {
        add(&table, i, (uint32_t)(i % 5), 20 + i % 100);
    }
    add(&table, UINT64_MAX, CODE_LINES_MAX, 1500);
    unsigned packets = 0;
    for (uint32_t next = 0; code_kept_write(&packet, &table, &next); packets++) {
        assert_true(packet.at <= sizeof packet.bytes);
        struct reader reader = fields_of(&packet, packet.at);
        code_kept_read(&other, &reader);
        assert_false(reader.bad);
    }
    assert_in_range(packets, 2, 100);
    assert_int_equal(other.count, 401); /* of a fifth nothing is known */
    for (uint64_t i = 0; i < 500; i++) {
        if (i % 5 != 0) {
            is_equal(&table, &other, i, true);
        }
    }
    is_equal(&table, &other, UINT64_MAX, false);
    code_table_free(&table);
    code_table_free(&other);
}

/* Where many functions are inlined in one place each text has little room: characters stay whole, and of paths the
 * end. */
CASE(long_texts_are_cut) {
    static struct compose packet;
    struct code_table table = {0}, other = {0};
    struct code_line lines[CODE_LINES_MAX];
    const char *function = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xe2\x82\xac\xe2\x82\xac";
    const char *file =
        "/\xe2\x82\xac/\xe2\x82\xac/\xe2\x82\xac/\xe2\x82\xac/\xe2\x82\xac/\xe2\x82\xac/"
        "\xe2\x82\xac/\xe2\x82\xac/\xe2\x82\xac/\xe2\x82\xac/\xe2\x82\xac/file.c";
    uint32_t next = 0;
    for (uint32_t i = 0; i < CODE_LINES_MAX; i++) {
        lines[i] = (struct code_line){function, file, 1};
    }
    const struct code_place place = {8, 8, CODE_LINES_MAX, lines, false};
    assert_non_null(code_table_add(&table, 8, &place));
    assert_true(code_kept_write(&packet, &table, &next));
    struct reader reader = fields_of(&packet, packet.at);
    code_kept_read(&other, &reader);
    const struct code_line *line = code_table_find(&other, 8)->place->lines;
    const size_t head = strlen(line->function), tail = strlen(line->file);
    assert_in_range(head, 40, 46);
    assert_true(utf8_valid(line->function, head) && strchr(line->function, '?') == NULL);
    assert_memory_equal(function, line->function, head);
    assert_in_range(tail, 40, 46);
    assert_true(utf8_valid(line->file, tail) && strchr(line->file, '?') == NULL);
    assert_string_equal(file + strlen(file) - tail, line->file);
    code_table_free(&table);
    code_table_free(&other);
}

CASE(no_packet_does_harm) {
    static struct compose packet;
    struct code_table table = {0}, other = {0};
    uint32_t next = 0, random = 1;
    for (uint64_t i = 0; i < 20; i++) {
        add(&table, i, 3, 30);
    }
    assert_true(code_kept_write(&packet, &table, &next));
    for (size_t cut = 2; cut <= packet.at; cut++) {
        struct reader reader = fields_of(&packet, cut);
        code_kept_read(&other, &reader);
    }
    for (unsigned round = 0; round < 20000; round++) {
        random = random * 1664525u + 1013904223u;
        packet.bytes[2 + (random >> 8) % (packet.at - 2)] = (uint8_t)(random >> 24);
        struct reader reader = fields_of(&packet, packet.at);
        code_kept_read(&other, &reader);
    }
    assert_true(other.count <= CODE_PLACES_MAX);
    code_table_free(&table);
    code_table_free(&other);
}

CASE(the_table_is_bounded) {
    struct code_table table = {0};
    for (uint64_t i = 0; i < CODE_PLACES_MAX; i++) {
        assert_non_null(code_table_add(&table, i, NULL));
    }
    assert_null(code_table_add(&table, UINT64_MAX, NULL));
    assert_int_equal(table.refused, 1);
    assert_non_null(code_table_find(&table, 0));
    assert_null(code_table_find(&table, UINT64_MAX));
    code_table_free(&table);
}
