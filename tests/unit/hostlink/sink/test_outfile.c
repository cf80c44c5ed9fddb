/* SPDX-License-Identifier: MIT */
#include "sink/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/capture.h"
#include "cases.h"
#include "files.h"

static char part[512];
static int parts(const char *name) { return file_parts(name, part, sizeof part); }

CASE(takes_its_name_when_whole) {
    struct outfile *out;
    assert_int_equal(outfile_open(&out, file_path("whole")), 0);
    assert_int_equal(outfile_write(out, "ab\0c", 4), 0);
    assert_int_equal(outfile_printf(out, "%s=%d", "n", 7), 0);
    assert_int_equal(parts("whole"), 1);
    assert_false(file_exists(file_path("whole")));
    assert_int_equal(outfile_close(out), 0);
    assert_int_equal(parts("whole"), 0);

    size_t length;
    char *content = file_read(file_path("whole"), &length);
    assert_int_equal(length, 7);
    assert_memory_equal(content, "ab\0cn=7", 7);
    free(content);
}

CASE(replaces_the_old_file_only_when_whole) {
    struct outfile *out;
    file_write(file_path("kept"), "old");
    assert_int_equal(outfile_open(&out, file_path("kept")), 0);
    outfile_write(out, "new", 3);
    assert_int_equal(outfile_fail(out, -ENOMEM), -ENOMEM);
    assert_int_equal(outfile_write(out, "more", 4), -ENOMEM);
    assert_int_equal(outfile_printf(out, "more"), -ENOMEM);
    assert_int_equal(outfile_close(out), -ENOMEM);
    assert_file_content(file_path("kept"), "old");
    assert_int_equal(parts("kept"), 0);

    assert_int_equal(outfile_open(&out, file_path("kept")), 0);
    outfile_write(out, "newer", 5);
    assert_int_equal(outfile_close(out), 0);
    assert_file_content(file_path("kept"), "newer");
}

CASE(impossible_paths) {
    struct outfile *out = NULL;
    assert_int_equal(outfile_open(&out, file_path("no/such/folder")), -ENOENT);
    assert_int_equal(outfile_open(&out, file_path(".")), -EISDIR);
    assert_int_equal(outfile_open(&out, ""), -ENOENT);
    assert_null(out);
}

CASE(dash_is_standard_output) {
    struct outfile *out;
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    int file = open(file_path("stdout"), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    dup2(file, STDOUT_FILENO);
    int opened = outfile_open(&out, "-");
    int written = outfile_write(out, "shown", 5);
    int closed = outfile_close(out);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(file);
    assert_int_equal(opened, 0);
    assert_int_equal(written, 0);
    assert_int_equal(closed, 0);
    assert_file_content(file_path("stdout"), "shown");
}

/* Both are whole whenever they end; the last has the name. */
CASE(two_writers_do_not_mix) {
    struct outfile *first, *second;
    assert_int_equal(outfile_open(&first, file_path("both")), 0);
    assert_int_equal(outfile_open(&second, file_path("both")), 0);
    assert_int_equal(parts("both"), 2);
    outfile_write(first, "first", 5);
    outfile_write(second, "second", 6);
    assert_int_equal(outfile_close(second), 0);
    assert_file_content(file_path("both"), "second");
    outfile_write(first, " more", 5);
    assert_file_content(file_path("both"), "second");
    assert_int_equal(outfile_close(first), 0);
    assert_file_content(file_path("both"), "first more");
    assert_int_equal(parts("both"), 0);
}

CASE(keeps_off_a_capture_that_runs) {
    struct capture capture;
    struct outfile *out, *early;
    assert_int_equal(outfile_open(&early, file_path("busy")), 0);
    outfile_write(early, "trace", 5);
    assert_int_equal(capture_open(&capture, file_path("busy"), false), 0);
    assert_int_equal(outfile_open(&out, file_path("busy")), -EBUSY);
    assert_int_equal(outfile_close(early), -EBUSY);
    assert_int_equal(parts("busy"), 0);
    assert_int_equal(capture_close(&capture), 0);
    assert_int_equal(outfile_open(&out, file_path("busy")), 0);
    assert_int_equal(outfile_close(out), 0);
}

CASE(long_texts_and_rooms) {
    struct outfile *out;
    static char text[200001];
    memset(text, 'x', sizeof text - 1);
    assert_int_equal(outfile_open(&out, file_path("long")), 0);
    assert_int_equal(outfile_printf(out, "%s", text), 0);
    for (int i = 0; i < 200; i++) {
        char *room = outfile_room(out);
        memset(room, 'y', OUTFILE_ROOM_BYTES);
        outfile_wrote(out, room + OUTFILE_ROOM_BYTES);
    }
    assert_int_equal(outfile_write(out, text, sizeof text - 1), 0);
    assert_int_equal(outfile_close(out), 0);
    size_t length;
    char *content = file_read(file_path("long"), &length);
    const size_t rooms = (size_t)200 * OUTFILE_ROOM_BYTES;
    assert_int_equal(length, 2 * (sizeof text - 1) + rooms);
    assert_memory_equal(content, text, sizeof text - 1);
    assert_int_equal(content[sizeof text - 1], 'y');
    assert_int_equal(content[sizeof text - 1 + rooms - 1], 'y');
    assert_memory_equal(content + sizeof text - 1 + rooms, text, sizeof text - 1);
    free(content);
}

CASES_BETWEEN(files_setup, files_teardown);
