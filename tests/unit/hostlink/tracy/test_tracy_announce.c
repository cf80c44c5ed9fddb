/* SPDX-License-Identifier: MIT */
/* The broadcast by which viewers find the board, as a viewer on this machine hears it. */
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cases.h"
#include "tracy/server.h"
#include "tracy_peer.h"

#define VIEWER_PORT 8086
#define TURNS 3000

static int listen_as_viewer(void) {
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(VIEWER_PORT)};
    int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1;
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&any, sizeof any), 0);
    return fd;
}

static uint32_t load(const uint8_t *at, unsigned bytes) {
    uint32_t value = 0;
    for (unsigned i = bytes; i-- > 0;) {
        value = value << 8 | at[i];
    }
    return value;
}

struct heard {
    uint32_t version, protocol;
    int32_t seconds;
    char name[64];
};

/* The next announcement of this server. */
static struct heard hear(int fd, struct tracy_server *server) {
    uint8_t bytes[128];
    struct heard heard = {0};
    for (unsigned i = 0; i < TURNS; i++) {
        struct pollfd poller = {.fd = fd, .events = POLLIN};
        assert_int_equal(tracy_server_step(server), 0);
        if (poll(&poller, 1, 20) <= 0) {
            continue;
        }
        ssize_t length = recv(fd, bytes, sizeof bytes, 0);
        if (length > 20 && load(bytes + 2, 2) == tracy_server_port(server)) {
            assert_int_equal(bytes[length - 1], 0);
            assert_int_equal(length, 20 + (ssize_t)strlen((char *)bytes + 20) + 1);
            heard = (struct heard){load(bytes, 2), load(bytes + 4, 4), (int32_t)load(bytes + 16, 4),
                                   ""};
            memcpy(heard.name, bytes + 20, (size_t)length - 20);
            return heard;
        }
    }
    fail_msg("nothing was announced");
    return heard;
}

static void check(const struct tracy_server_options *options, uint32_t first, uint32_t later) {
    struct tracy_server *server;
    int fd = listen_as_viewer();
    assert_int_equal(tracy_server_open(&server, options), 0);
    struct heard heard = hear(fd, server);
    assert_int_equal(heard.version, 3);
    assert_int_equal(heard.protocol, first);
    assert_in_range(heard.seconds, 0, 60); /* of a slow machine */
    assert_string_equal(heard.name, "blinky");

    struct sockaddr_in where = {.sin_family = AF_INET,
                                .sin_port = htons(tracy_server_port(server)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int viewer = socket(AF_INET, SOCK_STREAM, 0);
    struct tracy_peer *peer = tracy_peer_new(69);
    assert_int_equal(connect(viewer, (struct sockaddr *)&where, sizeof where), 0);
    assert_int_equal(send(viewer, peer->out, peer->out_used, 0), (ssize_t)peer->out_used);
    assert_int_equal(tracy_server_wait_viewer(server, 120000), 0);
    assert_int_equal(hear(fd, server).seconds, -1); /* it is taken */
    (void)close(viewer);
    assert_int_equal(hear(fd, server).protocol, later);
    tracy_peer_free(peer);
    tracy_server_close(server);
    (void)close(fd);
}

CASE(the_newest_then_that_of_the_viewer_that_came) {
    const struct tracy_server_options options = {.announce = true, .program = "blinky"};
    check(&options, 82, 69);
}

CASE(what_was_asked_for_stays) {
    const struct tracy_server_options options = {
        .announce = true, .announce_protocol = 76, .program = "blinky"};
    check(&options, 76, 76);
}
