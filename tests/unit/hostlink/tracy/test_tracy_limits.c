/* SPDX-License-Identifier: MIT */
/* Viewers that would keep the server busy, or its user reading, without an end. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "tracy/listen.h"
#include "tracy/proto.h"
#include "tracy/server.h"

#define PROTOCOL 76

static struct tracy_server *server;
static char notices[4096];

static void on_notice(void *context, const char *text) {
    size_t used = strlen(notices);
    (void)context;
    (void)snprintf(notices + used, sizeof notices - used, "%s\n", text);
}

static int set_up(void **state) {
    const struct tracy_server_options options = {
        .notice = on_notice, .names_complete = true, .once = true};
    (void)state;
    notices[0] = '\0';
    return tracy_server_open(&server, &options);
}

FIXTURE(tear_down) {
    tracy_server_close(server);
    return 0;
}

static int connect_to_it(void) {
    struct sockaddr_in where = {.sin_family = AF_INET,
                                .sin_port = htons(tracy_server_port(server)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&where, sizeof where), 0);
    return fd;
}

static int welcome_viewer(void) {
    uint8_t hello[TRACY_HELLO_BYTES] = {0};
    memcpy(hello, TRACY_MAGIC, TRACY_MAGIC_BYTES);
    hello[TRACY_MAGIC_BYTES] = PROTOCOL;
    int fd = connect_to_it();
    assert_int_equal(send(fd, hello, sizeof hello, MSG_NOSIGNAL), sizeof hello);
    for (unsigned i = 0; i < 20000 && !tracy_server_has_viewer(server); i++) {
        assert_int_equal(tracy_server_step(server), 0);
    }
    assert_true(tracy_server_has_viewer(server));
    return fd;
}

/* A question to which there is no answer of its own. */
static uint8_t harmless_query(void) {
    struct tracy_proto proto;
    unsigned number = 0;
    assert_true(tracy_proto_select(&proto, PROTOCOL));
    while (tracy_proto_query(&proto, (uint8_t)number) != TRACY_QUERY_DISCONNECT) {
        assert_true(++number < 256);
    }
    return (uint8_t)number;
}

/* A byte now and then, until the other side has enough. */
static void chatter(int fd) {
    const uint8_t packet[TRACY_QUERY_BYTES] = {harmless_query()};
    const struct timespec pause = {.tv_nsec = 10000000};
    for (size_t i = 0; send(fd, packet + i % sizeof packet, 1, MSG_NOSIGNAL) == 1; i++) {
        (void)nanosleep(&pause, NULL);
    }
}

CASE(one_that_chatters_on_is_left_at_last, set_up, tear_down) {
    int fd = welcome_viewer();
    pid_t child = fork();
    if (child == 0) {
        chatter(fd);
        _exit(0);
    }
    assert_int_equal(tracy_server_finish(server, 100), -ETIMEDOUT);
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    (void)close(fd);
    assert_non_null(strstr(notices, "it did not end\n")); /* it cannot connect again */
}

CASE(many_that_reset_take_few_lines, set_up, tear_down) {
    const struct linger reset = {.l_onoff = 1};
    struct tracy_server_totals totals;
    size_t lines = 0;
    for (int i = 0; i < 100; i++) {
        int fd = connect_to_it();
        assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset), 0);
        (void)close(fd);
        assert_int_equal(tracy_server_step(server), 0);
        assert_int_equal(tracy_server_step(server), 0);
    }
    tracy_server_totals(server, &totals);
    assert_int_equal(totals.refused, 100);
    for (const char *at = notices; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    assert_in_range(lines, 9, 16);
    assert_null(strstr(notices, "?:0"));
    assert_non_null(strstr(notices, "more connections refused, the last from 127.0.0.1:"));
}

CASE(names_of_addresses, set_up, tear_down) {
    char address[64];
    assert_int_equal(tracy_resolve("127.0.0.1", address, sizeof address), 0);
    assert_string_equal(address, "127.0.0.1");
    assert_int_equal(tracy_resolve("localhost", address, sizeof address), 0);
    assert_true(tracy_is_loopback(address));
    assert_int_equal(tracy_resolve("*", address, sizeof address), 0);
    assert_true(strcmp(address, "::") == 0 || strcmp(address, "0.0.0.0") == 0);
    uint16_t port = 0;
    int listener = tracy_listen(address, &port, 1);
    assert_true(listener >= 0 && port != 0);
    struct sockaddr_in where = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&where, sizeof where), 0);
    /* A program without a standard input gives its number to the next one. */
    char name[80] = "";
    (void)close(STDIN_FILENO);
    const int accepted = tracy_accept(listener, name, sizeof name);
    assert_int_equal(accepted, STDIN_FILENO);
    assert_non_null(strstr(name, "127.0.0.1"));
    (void)close(accepted);
    assert_int_equal(open("/dev/null", O_RDONLY), STDIN_FILENO);
    (void)close(fd);
    (void)close(listener);
    assert_int_equal(tracy_resolve("no such name", address, sizeof address), -EINVAL);
}
