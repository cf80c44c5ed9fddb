/* SPDX-License-Identifier: MIT */
/* The capture file from both ends: written by capture.c with the places of stamp.c, read by replay.c. */
#include "capture/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host_clock.h"
#include "capture/replay.h"
#include "cases.h"
#include "files.h"

static const uint8_t magic[8] = {0x6b, 0x79, 0x6d, 0x6f, 0x04, 0x0d, 0x0a, 0x00};

CASE(begins_with_the_magic_bytes) {
    struct capture capture;
    assert_int_equal(capture_open(&capture, file_path("a.kymo"), false), 0);
    assert_true(capture.regular);
    assert_int_equal(capture_write(&capture, (const uint8_t *)"xyz", 3), 0);
    assert_int_equal(capture.bytes, 11);

    /* Before it is closed, as after kill -9: nothing waits in a buffer. */
    size_t length;
    char *content = file_read(file_path("a.kymo"), &length);
    assert_int_equal(length, 11);
    assert_memory_equal(content, magic, 8);
    assert_memory_equal(content + 8, "xyz", 3);
    free(content);
    assert_int_equal(capture_close(&capture), 0);
}

static void assert_length(const char *path, size_t expected) {
    size_t length;
    free(file_read(path, &length));
    assert_int_equal(length, expected);
}

/* A file that is not a capture is never overwritten either. */
CASE(exclusive_does_not_overwrite) {
    struct capture capture;
    file_write(file_path("other.kymo"), "other");
    assert_int_equal(capture_open(&capture, file_path("other.kymo"), false), -EEXIST);
    assert_length(file_path("other.kymo"), 5);
    assert_int_equal(capture_open(&capture, file_path("there.kymo"), true), 0);
    capture_write(&capture, (const uint8_t *)"xyz", 3);
    assert_int_equal(capture_close(&capture), 0);
    assert_int_equal(capture_open(&capture, file_path("there.kymo"), true), -EEXIST);
    assert_length(file_path("there.kymo"), 11);
    assert_int_equal(capture_open(&capture, file_path("there.kymo"), false), 0);
    assert_int_equal(capture_close(&capture), 0);
    assert_length(file_path("there.kymo"), 8);
}

/* Neither by a second capture nor under a reader. */
CASE(is_not_overwritten_while_in_use) {
    struct capture first, second;
    struct replay replay;
    assert_int_equal(capture_open(&first, file_path("used.kymo"), false), 0);
    capture_write(&first, (const uint8_t *)"xyz", 3);
    assert_int_equal(capture_open(&second, file_path("used.kymo"), false), -EBUSY);
    assert_int_equal(replay_open(&replay, file_path("used.kymo")), 0); /* reading is allowed */
    assert_length(file_path("used.kymo"), 11);
    assert_int_equal(capture_close(&first), 0);
    replay_close(&replay);

    assert_int_equal(replay_open(&replay, file_path("used.kymo")), 0);
    assert_int_equal(capture_open(&second, file_path("used.kymo"), false), -EBUSY);
    assert_length(file_path("used.kymo"), 11);
    replay_close(&replay);
    assert_int_equal(capture_open(&second, file_path("used.kymo"), false), 0);
    assert_int_equal(capture_close(&second), 0);
    assert_length(file_path("used.kymo"), 8);
}

CASE(no_folder) {
    struct capture capture;
    assert_int_equal(capture_open(&capture, file_path("none/a.kymo"), false), -ENOENT);
}

static size_t place(struct stamp *stamp, const char *bytes, size_t length, uint64_t now_ms) {
    return stamp_place(stamp, (const uint8_t *)bytes, length, now_ms * NS_PER_MS);
}

CASE(stamps_at_the_start) {
    struct stamp stamp = {0};
    assert_int_equal(place(&stamp, "", 0, 1), STAMP_NOT_HERE);
    assert_int_equal(place(&stamp, "abc", 3, 1), 0);
    assert_int_equal(place(&stamp, "abc\0", 4, 2), STAMP_NOT_HERE);
}

CASE(stamps_only_behind_a_zero) {
    struct stamp stamp = {0};
    assert_int_equal(place(&stamp, "ab", 2, 100), 0);
    assert_int_equal(place(&stamp, "cd", 2, 200), STAMP_NOT_HERE);
    assert_int_equal(place(&stamp, "e\0f\0", 4, 300), 2);
    /* The last byte was a zero: the stamp goes at once in front of the next bytes. */
    assert_int_equal(place(&stamp, "ghi", 3, 400), 0);
    assert_int_equal(place(&stamp, "\0", 1, 500), 1);
    assert_int_equal(place(&stamp, "\0", 1, 600), 0);
}

CASE(stamps_at_most_every_20_ms) {
    struct stamp stamp = {0};
    assert_int_equal(place(&stamp, "a\0", 2, 1000), 0);
    assert_int_equal(place(&stamp, "a\0", 2, 1019), STAMP_NOT_HERE);
    assert_int_equal(place(&stamp, "a\0", 2, 1020), 0);
    assert_int_equal(place(&stamp, "a\0", 2, 1039), STAMP_NOT_HERE);
    assert_int_equal(place(&stamp, "a\0", 2, 5000), 0);
}

static void check_content(struct replay *replay, const char *expected) {
    uint8_t bytes[64];
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(replay_read(replay, bytes, sizeof bytes), strlen(expected));
        assert_memory_equal(bytes, expected, strlen(expected));
        assert_int_equal(replay->position, strlen(expected));
        assert_int_equal(replay_read(replay, bytes, sizeof bytes), 0);
        assert_int_equal(replay_rewind(replay), 0);
    }
}

CASE(reads_behind_the_magic) {
    struct capture capture;
    struct replay replay;
    assert_int_equal(capture_open(&capture, file_path("b.kymo"), false), 0);
    capture_write(&capture, (const uint8_t *)"packet", 6);
    assert_int_equal(capture_close(&capture), 0);
    assert_int_equal(replay_open(&replay, file_path("b.kymo")), 0);
    assert_true(replay.has_magic);
    assert_int_equal(replay.bytes, 6);
    check_content(&replay, "packet");
    replay_close(&replay);
}

CASE(reads_a_raw_dump) {
    struct replay replay;
    file_write(file_path("dump.bin"), "kymo packets");
    assert_int_equal(replay_open(&replay, file_path("dump.bin")), 0);
    assert_false(replay.has_magic);
    check_content(&replay, "kymo packets");
    replay_close(&replay);
    file_write(file_path("short.bin"), "kym");
    assert_int_equal(replay_open(&replay, file_path("short.bin")), 0);
    check_content(&replay, "kym");
    replay_close(&replay);
}

CASE(says_what_cannot_be_read) {
    struct replay replay;
    file_write(file_path("empty.kymo"), "");
    assert_int_equal(replay_open(&replay, file_path("empty.kymo")), -ENODATA);
    assert_int_equal(replay_open(&replay, file_path("none.kymo")), -ENOENT);
    assert_int_equal(replay_open(&replay, file_path(".")), -EISDIR);
}

CASES_BETWEEN(files_setup, files_teardown);
