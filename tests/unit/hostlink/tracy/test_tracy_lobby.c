/* SPDX-License-Identifier: MIT */
/* Connections to Tracy's port that say nothing: any number of them holds up no viewer. */
#include <errno.h>

#include "cases.h"
#include "platform/file.h"
#include "platform/net.h"
#include "platform/poll.h"
#include "tracy/lobby.h"
#include "tracy/proto.h"
#include "tracy/server.h"

#define PATIENCE_MS 120000
#define SILENT_MAX 40u

static struct tracy_server *server;
static int silent[SILENT_MAX], viewer;

FIXTURE(setup) {
    const struct tracy_server_options options = {.session_first = true};
    return tracy_server_open(&server, &options);
}

FIXTURE(teardown) {
    tracy_server_close(server);
    return 0;
}

static int connect_and_say(const char *text, size_t length) {
    struct sockaddr_in where = {.sin_family = AF_INET,
                                .sin_port = htons(tracy_server_port(server)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = sys_socket(AF_INET, SOCK_STREAM);
    struct sys_poll wait = {.fd = fd, .events = SYS_POLL_OUT};
    assert_true(fd >= 0);
    assert_true(sys_connect(fd, (struct sockaddr *)&where, sizeof where) == 0 ||
                errno == EINPROGRESS);
    assert_int_equal(sys_poll(&wait, 1, PATIENCE_MS), 1);
    assert_int_equal(sys_send(fd, text, length), length);
    return fd;
}

static uint64_t refused(void) {
    struct tracy_server_totals totals;
    tracy_server_totals(server, &totals);
    return totals.refused;
}

/* "count" peers that say nothing, or a part of a greeting, and after them a viewer. */
static void come(unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        silent[i] = connect_and_say("TracyPrf\x4c", i % TRACY_MAGIC_BYTES);
        assert_int_equal(tracy_server_step(server), 0);
    }
    viewer = connect_and_say("TracyPrf\x4c\0\0\0", TRACY_HELLO_BYTES);
    assert_int_equal(tracy_server_wait_viewer(server, PATIENCE_MS), 0);
}

static void leave(unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        (void)sys_close(silent[i]);
    }
    (void)sys_close(viewer);
}

/* All of them are still waiting when the viewer is there. */
CASE(silent_ones_hold_nobody_up, setup, teardown) {
    come(6);
    assert_int_equal(refused(), 0);
    leave(6);
}

/* The oldest go for those that come. */
CASE(many_are_seen_off, setup, teardown) {
    come(SILENT_MAX);
    assert_true(refused() >= SILENT_MAX - TRACY_LOBBY_MAX);
    assert_true(refused() <= SILENT_MAX);
    leave(SILENT_MAX);
}

/* Two of a pair of sockets each: "lobby" has the one end. */
static int let_in(struct tracy_lobby *lobby, int64_t now_ms) {
    int ends[2];
    assert_int_equal(sys_socket_pair(ends), 0);
    lobby->guests[lobby->count++] = (struct tracy_guest){.fd = ends[0], .since_ms = now_ms};
    return ends[1];
}

/* A guest says more, and it has arrived: all that it has said is so long. */
static void say(const struct tracy_lobby *lobby, size_t guest, int fd, const char *text,
                ssize_t length, ssize_t in_all) {
    char said[64];
    assert_int_equal(sys_send(fd, text, (size_t)length), length);
    while (sys_peek(lobby->guests[guest].fd, said, sizeof said) < in_all) {}
}

CASE(takes_who_has_spoken_before_who_waits_long) {
    struct tracy_lobby lobby = {0};
    int first = let_in(&lobby, 10), second = let_in(&lobby, 20), third = let_in(&lobby, 30);
    assert_int_equal(tracy_lobby_take(&lobby, 1000, 2000).fd, -1);
    say(&lobby, 2, third, "GET /", 5, 5);
    say(&lobby, 1, second, "TracyPrf\x4c\0\0\0", TRACY_HELLO_BYTES - 1, TRACY_HELLO_BYTES - 1);
    struct tracy_guest guest = tracy_lobby_take(&lobby, 5000, 2000);
    assert_int_equal(guest.since_ms, 30); /* no greeting */
    (void)sys_close(guest.fd);
    say(&lobby, 1, second, "", 1, TRACY_HELLO_BYTES);
    guest = tracy_lobby_take(&lobby, 5000, 2000);
    assert_int_equal(guest.since_ms, 20); /* all of one */
    (void)sys_close(guest.fd);
    assert_int_equal(tracy_lobby_take(&lobby, 2009, 2000).fd, -1);
    guest = tracy_lobby_take(&lobby, 2010, 2000);
    assert_int_equal(guest.since_ms, 10); /* none for too long */
    (void)sys_close(guest.fd);
    (void)sys_close(first);
    first = let_in(&lobby, 40);
    struct sys_poll gone = {.fd = lobby.guests[0].fd, .events = SYS_POLL_IN};
    (void)sys_close(first);
    assert_int_equal(sys_poll(&gone, 1, PATIENCE_MS), 1);
    guest = tracy_lobby_take(&lobby, 41, 2000);
    assert_int_equal(guest.since_ms, 40);
    (void)sys_close(guest.fd);
    (void)sys_close(second);
    (void)sys_close(third);
}
