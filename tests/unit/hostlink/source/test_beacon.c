/* SPDX-License-Identifier: MIT */
/* Announcements of boards (ports/net/README.md), and packets that are not announcements. */
#include "source/beacon.h"

#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "platform/net.h"

static const uint8_t good[] = {'k', 'y', 'm', 'o', 1, 0, 0x1b, 0x54, 2,
                               0,   0,   0,   0,   7, 3, 'f',  'f',  't'};

/* From memory of just this length, so that a sanitizer sees each byte too many. */
static bool parse(struct beacon *beacon, const uint8_t *bytes, size_t length) {
    struct in_addr from;
    assert_int_equal(inet_pton(AF_INET, "192.0.2.7", &from), 1);
    uint8_t *copy = malloc(length + (length == 0));
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    bool taken = beacon_parse(beacon, copy, length, &from);
    free(copy);
    return taken;
}

CASE(announcement) {
    struct beacon beacon;
    assert_true(parse(&beacon, good, sizeof good));
    assert_string_equal(beacon.address, "192.0.2.7");
    assert_int_equal(beacon.port, 6996);
    assert_memory_equal(beacon.mac, good + 8, sizeof beacon.mac);
    assert_string_equal(beacon.name, "fft");
}

CASE(no_announcement) {
    struct beacon beacon;
    for (size_t length = 0; length < sizeof good; length++) {
        assert_false(parse(&beacon, good, length));
    }
    for (size_t at = 0; at < 5; at++) { /* what it is, and the version */
        uint8_t other[sizeof good];
        memcpy(other, good, sizeof good);
        other[at] ^= 1;
        assert_false(parse(&beacon, other, sizeof other));
    }
    uint8_t no_port[sizeof good];
    memcpy(no_port, good, sizeof good);
    no_port[6] = no_port[7] = 0;
    assert_false(parse(&beacon, no_port, sizeof no_port));
}

CASE(later_version_of_the_board) {
    uint8_t longer[sizeof good + 9] = {0};
    struct beacon beacon;
    memcpy(longer, good, sizeof good);
    longer[5] = 0xff; /* flags */
    assert_true(parse(&beacon, longer, sizeof longer));
    assert_string_equal(beacon.name, "fft");
}

CASE(names) {
    uint8_t bytes[15 + 255];
    struct beacon beacon;
    memcpy(bytes, good, 15);
    memset(bytes + 15, 'n', 255);
    for (unsigned length = 0; length < 256; length++) {
        bytes[14] = (uint8_t)length;
        assert_int_equal(parse(&beacon, bytes, sizeof bytes), length <= 64);
        if (length <= 64) {
            assert_int_equal(strlen(beacon.name), length);
        }
    }
    bytes[14] = 4;
    memcpy(bytes + 15, "a\x1b\n\xff", 4);
    assert_true(parse(&beacon, bytes, sizeof bytes));
    assert_string_equal(beacon.name, "a???");
}
