/* SPDX-License-Identifier: MIT */
/* Expected bytes: the examples of protobuf.dev/programming-guides/encoding, and by hand from its rules. */
#include "sink/protobuf.h"

#include <string.h>

#include "cases.h"

#define ASSERT_BYTES(message, expected)                                                            \
    do {                                                                                           \
        assert_int_equal((message).error, 0);                                                      \
        assert_int_equal((message).length, sizeof(expected) - 1);                                  \
        assert_memory_equal((message).bytes, expected, sizeof(expected) - 1);                      \
        protobuf_free(&(message));                                                                 \
    } while (0)

CASE(varints) {
    struct protobuf message = {0};
    protobuf_varint(&message, 1, 150);
    ASSERT_BYTES(message, "\x08\x96\x01");
    protobuf_varint(&message, 16, 0);
    ASSERT_BYTES(message, "\x80\x01\x00");
    protobuf_varint(&message, 5, (uint64_t)INT64_C(-2));
    ASSERT_BYTES(message, "\x28\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    protobuf_varint(&message, 117, 127);
    ASSERT_BYTES(message, "\xa8\x07\x7f");
}

CASE(doubles) {
    struct protobuf message = {0};
    protobuf_double(&message, 44, -2.5); /* 0xc004000000000000 */
    ASSERT_BYTES(message, "\xe1\x02\x00\x00\x00\x00\x00\x00\x04\xc0");
}

CASE(strings) {
    struct protobuf message = {0};
    protobuf_string(&message, 2, "testing", 7);
    ASSERT_BYTES(message, "\x12\x07testing");
    protobuf_string(&message, 2, "", 0);
    ASSERT_BYTES(message, "\x12\x00");
    protobuf_string(&message, 2,
                    "a\xff"
                    "b",
                    3);
    ASSERT_BYTES(message, "\x12\x05"
                          "a\xef\xbf\xbd"
                          "b");
}

CASE(messages_inside) {
    struct protobuf message = {0}, inside = {0};
    size_t begun = protobuf_begin(&message, 3);
    protobuf_varint(&message, 1, 150);
    protobuf_end(&message, begun);
    ASSERT_BYTES(message, "\x1a\x03\x08\x96\x01");

    protobuf_varint(&inside, 1, 150);
    protobuf_message(&message, 3, &inside);
    ASSERT_BYTES(message, "\x1a\x03\x08\x96\x01");
    protobuf_free(&inside);

    const struct protobuf empty = {0}; /* which has no memory either */
    protobuf_message(&message, 3, &empty);
    ASSERT_BYTES(message, "\x1a\x00");

    begun = protobuf_begin(&message, 3);
    size_t deeper = protobuf_begin(&message, 1);
    protobuf_end(&message, deeper);
    protobuf_varint(&message, 2, 1);
    protobuf_end(&message, begun);
    ASSERT_BYTES(message, "\x1a\x04\x0a\x00\x10\x01");
}

/* Lengths of two and three bytes push the content on. */
CASE(long_messages_inside) {
    static const struct {
        size_t content, head_bytes;
        const char *head;
    } cases[] = {{127, 2, "\x0a\x7f"},
                 {128, 3, "\x0a\x80\x01"},
                 {16383, 3, "\x0a\xff\x7f"},
                 {16384, 4, "\x0a\x80\x80\x01"}};
    static char text[16384];
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct protobuf message = {0};
        size_t begun = protobuf_begin(&message, 1);
        /* A string field of n bytes takes 1 + length of n + n. */
        size_t inner =
            cases[i].content - (cases[i].content > 129 ? cases[i].content > 16386 ? 4 : 3 : 2);
        protobuf_string(&message, 1, text, inner);
        protobuf_end(&message, begun);
        assert_int_equal(message.length, cases[i].head_bytes + cases[i].content);
        assert_memory_equal(message.bytes, cases[i].head, cases[i].head_bytes);
        assert_int_equal(message.bytes[message.length - 1], 'x');
        protobuf_free(&message);
    }
}
