/* SPDX-License-Identifier: MIT */
/* The table of protocols against numbers of Tracy's own headers (TracyQueue.hpp,
 * TracyProtocol.hpp). */
#include <errno.h>

#include "tracy/server.h"

#include "cases.h"
#include "tracy/proto.h"

static const uint32_t protocols[] = {63, 64, 66, 69, 74, 76, 82};

static void check_numbers(enum tracy_item item, const uint8_t expected[7]) {
    for (size_t i = 0; i < 7; i++) {
        struct tracy_proto proto;
        assert_true(tracy_proto_select(&proto, protocols[i]));
        assert_int_equal(proto.number_of[item], expected[i]);
        if (expected[i] != TRACY_NO_NUMBER) {
            assert_int_equal(tracy_proto_item(&proto, expected[i]), item);
        }
    }
}

static void check_sizes(enum tracy_item item, const uint8_t expected[7]) {
    for (size_t i = 0; i < 7; i++) {
        struct tracy_proto proto;
        assert_true(tracy_proto_select(&proto, protocols[i]));
        assert_int_equal(proto.size_of[item], expected[i]);
    }
}

#define NONE TRACY_NO_NUMBER
#define ROW(...) ((const uint8_t[7]){__VA_ARGS__})

CASE(test_numbers) {
    check_numbers(TRACY_ZONE_TEXT, ROW(0, 0, 0, 0, 0, 0, 0));
    check_numbers(TRACY_CALLSTACK_SAMPLE32, ROW(NONE, NONE, NONE, NONE, NONE, NONE, 13));
    check_numbers(TRACY_ZONE_BEGIN, ROW(15, 15, 15, 15, 15, 15, 19));
    check_numbers(TRACY_ZONE_BEGIN16, ROW(NONE, NONE, NONE, NONE, NONE, NONE, 21));
    check_numbers(TRACY_ZONE_END, ROW(17, 17, 17, 17, 17, 17, 25));
    check_numbers(TRACY_MEM_FREE_NAMED, ROW(28, 28, 28, 28, 28, 28, 38));
    check_numbers(TRACY_MEM_DISCARD, ROW(NONE, NONE, NONE, NONE, 33, 33, 43));
    check_numbers(TRACY_PLOT_DATA_INT, ROW(43, 43, 43, 43, 45, 45, 55));
    check_numbers(TRACY_GPU_ANNOTATION_NAME, ROW(NONE, NONE, NONE, NONE, NONE, 52, 62));
    check_numbers(TRACY_TERMINATE, ROW(57, 57, 57, 57, 59, 60, 73));
    check_numbers(TRACY_THREAD_CONTEXT, ROW(59, 59, 59, 59, 61, 62, 75));
    check_numbers(TRACY_GPU_TIME_SYNC, ROW(NONE, NONE, 61, 61, 63, 64, 77));
    check_numbers(TRACY_ZONE_COLOR, ROW(64, 64, 65, 65, 67, 68, 81));
    check_numbers(TRACY_SOURCE_LOCATION, ROW(70, 70, 71, 71, 73, 74, 87));
    check_numbers(TRACY_SYS_POWER_REPORT, ROW(NONE, 81, 82, 82, 84, 85, 98));
    check_numbers(TRACY_PARAM_SETUP, ROW(89, 90, 91, 91, 93, 94, 107));
    check_numbers(TRACY_SINGLE_STRING_DATA, ROW(94, 95, 96, 96, 98, 99, 112));
    check_numbers(TRACY_SINGLE_STRING_DATA8, ROW(NONE, NONE, NONE, NONE, NONE, NONE, 114));
    check_numbers(TRACY_THREAD_GROUP_HINT, ROW(NONE, NONE, NONE, 99, 101, 102, 117));
    check_numbers(TRACY_STRING_DATA, ROW(97, 98, 99, 100, 102, 104, 119));
    check_numbers(TRACY_FIBER_NAME, ROW(109, 110, 111, 112, 114, 116, 131));
}

CASE(test_sizes) {
    check_sizes(TRACY_ZONE_BEGIN, ROW(16, 16, 16, 16, 16, 16, 16));
    check_sizes(TRACY_ZONE_END16, ROW(2, 2, 2, 2, 2, 2, 2));
    check_sizes(TRACY_MESSAGE, ROW(8, 8, 8, 8, 8, 8, 9));
    check_sizes(TRACY_MESSAGE_COLOR, ROW(11, 11, 11, 11, 11, 11, 12));
    check_sizes(TRACY_CONTEXT_SWITCH, ROW(19, 19, 19, 19, 22, 22, 22));
    check_sizes(TRACY_FIBER_ENTER, ROW(20, 20, 20, 24, 24, 24, 24));
    check_sizes(TRACY_CPU_TOPOLOGY, ROW(12, 12, 12, 16, 16, 16, 16));
    check_sizes(TRACY_MEM_ALLOC_NAMED, ROW(26, 26, 26, 26, 26, 26, 26));
    check_sizes(TRACY_SOURCE_LOCATION, ROW(31, 31, 31, 31, 31, 31, 31));
}

CASE(test_counts) {
    static const unsigned counts[7] = {110, 111, 112, 113, 115, 117, 132};
    for (size_t i = 0; i < 7; i++) {
        struct tracy_proto proto;
        assert_true(tracy_proto_select(&proto, protocols[i]));
        assert_int_equal(tracy_proto_item(&proto, (uint8_t)(counts[i] - 1)), TRACY_FIBER_NAME);
        assert_int_equal(tracy_proto_item(&proto, (uint8_t)counts[i]), TRACY_ITEM_COUNT);
    }
}

CASE(test_queries) {
    struct tracy_proto old, new;
    assert_true(tracy_proto_select(&old, 64));
    assert_true(tracy_proto_select(&new, 66));
    assert_int_equal(tracy_proto_query_number(&old, TRACY_QUERY_EXTERNAL_NAME), 10);
    assert_int_equal(tracy_proto_query_number(&new, TRACY_QUERY_EXTERNAL_NAME), 8);
    assert_int_equal(tracy_proto_query(&old, 9), TRACY_QUERY_CALLSTACK_FRAME);
    assert_int_equal(tracy_proto_query(&new, 9), TRACY_QUERY_DISCONNECT);
    assert_int_equal(tracy_proto_query(&new, 15), TRACY_QUERY_DATA_TRANSFER_PART);
    assert_int_equal(tracy_proto_query(&new, 16), TRACY_QUERY_COUNT);
}

CASE(test_traits) {
    for (size_t i = 0; i < 7; i++) {
        struct tracy_proto proto;
        assert_true(tracy_proto_select(&proto, protocols[i]));
        assert_int_equal(tracy_proto_known(i), protocols[i]);
        assert_int_equal(tracy_proto_welcome_bytes(&proto), protocols[i] < 76 ? 1178 : 1170);
        assert_int_equal(proto.packed_deltas, protocols[i] == 82);
        assert_int_equal(proto.short_strings, protocols[i] == 82);
        assert_int_equal(proto.message_metadata, protocols[i] == 82);
    }
    assert_int_equal(tracy_proto_known(7), 0);
}

CASE(test_unknown) {
    static const uint32_t unknown[] = {0, 57, 62, 65, 67, 68, 70, 75, 77, 81, 83, UINT32_MAX};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        struct tracy_proto proto;
        assert_false(tracy_proto_select(&proto, unknown[i]));
    }
}

CASE(addresses_of_the_option) {
    char address[64];
    uint16_t port;
    assert_int_equal(tracy_parse_where("9000", address, sizeof address, &port), 0);
    assert_string_equal(address, "127.0.0.1");
    assert_int_equal(port, 9000);
    assert_int_equal(tracy_parse_where("0.0.0.0:1", address, sizeof address, &port), 0);
    assert_string_equal(address, "0.0.0.0");
    assert_int_equal(port, 1);
    assert_int_equal(tracy_parse_where("[::1]:65535", address, sizeof address, &port), 0);
    assert_string_equal(address, "::1");
    assert_int_equal(port, 65535);
    static const char *const bad[] = {"",         "0",         "65536", ":1",  "a",
                                      "1.2.3.4:", "1.2.3.4:x", "-1",    "[]:5"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(tracy_parse_where(bad[i], address, sizeof address, &port), -EINVAL);
    }
}

CASE(releases_name_their_protocol) {
    const struct {
        const char *release;
        uint32_t protocol;
    } cases[] = {{"0.9", 63},    {"0.9.1", 63},  {"0.10", 64},   {"0.10.0", 64}, {"0.11", 0},
                 {"0.11.0", 66}, {"0.11.1", 69}, {"0.12.2", 74}, {"0.13", 76},   {"0.14.0", 82},
                 {"0.1", 0},     {"0.140", 0},   {"", 0},        {"0.15", 0},    {"82", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(tracy_proto_of_release(cases[i].release), cases[i].protocol);
    }
}
