/* SPDX-License-Identifier: MIT */
/* The queue to a viewer: what goes in comes out in order, also when it is moved from its middle,
 * and it grows no further than its limit. */
#include "cases.h"
#include "tracy/viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static struct tracy_viewer *viewer;
static int other;
static uint32_t put_count, got_count; /* 32-bit numbers, the same in as out */

FIXTURE(setup) {
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    viewer = calloc(1, sizeof *viewer);
    viewer->limit = 4 * MIB;
    put_count = got_count = 0;
    other = ends[1];
    tracy_viewer_take(viewer, ends[0], "127.0.0.1:40312");
    return 0;
}

FIXTURE(teardown) {
    tracy_viewer_free(viewer);
    free(viewer);
    return close(other);
}

static int put_numbers(size_t bytes) {
    static uint32_t numbers[MIB];
    for (size_t i = 0; i < bytes / 4; i++) {
        numbers[i] = put_count + (uint32_t)i;
    }
    int error = tracy_viewer_put(viewer, numbers, bytes);
    put_count += error == 0 ? (uint32_t)(bytes / 4) : 0;
    return error;
}

/* At most so many bytes, all of them whole numbers. */
static size_t take_numbers(size_t bytes) {
    static uint32_t numbers[MIB / 4];
    bytes = bytes < sizeof numbers ? bytes : sizeof numbers;
    ssize_t count = recv(other, numbers, bytes, 0);
    for (ssize_t i = 0; i < count / 4; i++) {
        assert_int_equal(numbers[i], got_count++);
    }
    assert_true(count < 0 || count % 4 == 0);
    return count < 0 ? 0 : (size_t)count;
}

static void take_all(void) {
    while (got_count < put_count) {
        assert_int_equal(tracy_viewer_send(viewer), 0);
        (void)take_numbers(65536);
    }
    assert_int_equal(tracy_viewer_queued(viewer), 0);
}

CASE(moves_what_waits_to_the_front, setup, teardown) {
    assert_int_equal(put_numbers(MIB - 65536), 0);
    assert_int_equal(tracy_viewer_send(viewer), 0);
    assert_true(viewer->head > 65536); /* the socket took a part, the rest waits */
    assert_true(tracy_viewer_queued(viewer) > 65536);
    size_t queued = tracy_viewer_queued(viewer);
    assert_int_equal(put_numbers(131072), 0); /* fits in front, not at the end */
    assert_int_equal(viewer->head, 0);
    assert_int_equal(viewer->size, MIB);
    assert_int_equal(tracy_viewer_queued(viewer), queued + 131072);
    take_all();
}

CASE(grows_as_well, setup, teardown) {
    assert_int_equal(put_numbers(MIB - 65536), 0);
    assert_int_equal(tracy_viewer_send(viewer), 0);
    assert_true(viewer->head > 0);
    assert_int_equal(put_numbers(MIB), 0);
    assert_int_equal(viewer->size, 2 * MIB);
    take_all();
}

CASE(has_a_limit, setup, teardown) {
    assert_int_equal(put_numbers(4 * MIB), 0);
    assert_int_equal(put_numbers(4), -ENOBUFS);
    assert_int_equal(tracy_viewer_send(viewer), 0);
    size_t taken = viewer->head;
    assert_true(taken > 0);
    assert_int_equal(put_numbers(taken + 4), -ENOBUFS);
    assert_int_equal(put_numbers(taken), 0);
    assert_int_equal(viewer->size, 4 * MIB);
    take_all();
}
