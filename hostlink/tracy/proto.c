/* SPDX-License-Identifier: MIT */
#include "tracy/proto.h"

#include <string.h>

/* One row per released protocol. */
static const struct {
    uint32_t number;
    const char *releases;
    bool welcome_has_delay, message_metadata, short_strings, packed_deltas, source_is_code;
} protocols[] = {
    {63, "0.9", true, false, false, false, false},
    {64, "0.10", true, false, false, false, false},
    {66, "0.11.0", true, false, false, false, false},
    {69, "0.11.1", true, false, false, false, false},
    {74, "0.12", true, false, false, false, false},
    {76, "0.13", false, false, false, false, false},
    {82, "0.14", false, true, true, true, true},
};

static const struct {
    uint8_t since, size, changed, new_size;
} items[TRACY_ITEM_COUNT] = {
#define TRACY_ITEM_ROW(name, since, size, changed, new_size) {since, size, changed, new_size},
    TRACY_ITEM_TABLE(TRACY_ITEM_ROW)
#undef TRACY_ITEM_ROW
};

/* Protocol 66 moved ExternalName before Disconnect; nothing else of the queries has changed. */
static const struct {
    uint8_t before_66, since_66;
} queries[TRACY_QUERY_COUNT] = {
    [TRACY_QUERY_TERMINATE] = {0, 0},        [TRACY_QUERY_STRING] = {1, 1},
    [TRACY_QUERY_THREAD_STRING] = {2, 2},    [TRACY_QUERY_SOURCE_LOCATION] = {3, 3},
    [TRACY_QUERY_PLOT_NAME] = {4, 4},        [TRACY_QUERY_FRAME_NAME] = {5, 5},
    [TRACY_QUERY_PARAMETER] = {6, 6},        [TRACY_QUERY_FIBER_NAME] = {7, 7},
    [TRACY_QUERY_EXTERNAL_NAME] = {10, 8},   [TRACY_QUERY_DISCONNECT] = {8, 9},
    [TRACY_QUERY_CALLSTACK_FRAME] = {9, 10}, [TRACY_QUERY_SYMBOL] = {11, 11},
    [TRACY_QUERY_SYMBOL_CODE] = {12, 12},    [TRACY_QUERY_SOURCE_CODE] = {13, 13},
    [TRACY_QUERY_DATA_TRANSFER] = {14, 14},  [TRACY_QUERY_DATA_TRANSFER_PART] = {15, 15},
};

static void number_items(struct tracy_proto *proto) {
    uint8_t next = 0;
    for (size_t i = 0; i < TRACY_ITEM_COUNT; i++) {
        bool exists = items[i].since <= proto->number;
        bool changed = items[i].changed != 0 && items[i].changed <= proto->number;
        proto->number_of[i] = exists ? next++ : TRACY_NO_NUMBER;
        proto->size_of[i] = changed ? items[i].new_size : items[i].size;
    }
}

bool tracy_proto_select(struct tracy_proto *proto, uint32_t number) {
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
        if (protocols[i].number == number) {
            proto->number = number;
            proto->releases = protocols[i].releases;
            proto->welcome_has_delay = protocols[i].welcome_has_delay;
            proto->message_metadata = protocols[i].message_metadata;
            proto->short_strings = protocols[i].short_strings;
            proto->packed_deltas = protocols[i].packed_deltas;
            proto->source_is_code = protocols[i].source_is_code;
            number_items(proto);
            return true;
        }
    }
    return false;
}

uint32_t tracy_proto_known(size_t index) {
    return index < sizeof protocols / sizeof protocols[0] ? protocols[index].number : 0;
}

uint32_t tracy_proto_of_release(const char *release) {
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
        size_t length = strlen(protocols[i].releases);
        bool same = strncmp(release, protocols[i].releases, length) == 0;
        if (same && (release[length] == '\0' || release[length] == '.')) {
            return protocols[i].number;
        }
    }
    return 0;
}

enum tracy_item tracy_proto_item(const struct tracy_proto *proto, uint8_t number) {
    const uint8_t *found =
        number == TRACY_NO_NUMBER ? NULL : memchr(proto->number_of, number, TRACY_ITEM_COUNT);
    return found ? (enum tracy_item)(found - proto->number_of) : TRACY_ITEM_COUNT;
}

uint8_t tracy_proto_query_number(const struct tracy_proto *proto, enum tracy_query query) {
    return proto->number < 66 ? queries[query].before_66 : queries[query].since_66;
}

enum tracy_query tracy_proto_query(const struct tracy_proto *proto, uint8_t number) {
    for (int query = 0; query < TRACY_QUERY_COUNT; query++) {
        if (tracy_proto_query_number(proto, (enum tracy_query)query) == number) {
            return (enum tracy_query)query;
        }
    }
    return TRACY_QUERY_COUNT;
}

enum tracy_cpu tracy_cpu_of(uint16_t machine) {
    switch (machine) {
    case 3: /* EM_386 */
        return TRACY_CPU_X86;
    case 62: /* EM_X86_64 */
        return TRACY_CPU_X64;
    case 40: /* EM_ARM */
        return TRACY_CPU_ARM32;
    case 183: /* EM_AARCH64 */
        return TRACY_CPU_ARM64;
    default:
        return TRACY_CPU_UNKNOWN;
    }
}

size_t tracy_proto_welcome_bytes(const struct tracy_proto *proto) {
    return proto->welcome_has_delay ? TRACY_WELCOME_MAX : TRACY_WELCOME_MAX - 8;
}
