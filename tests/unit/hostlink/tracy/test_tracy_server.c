/* SPDX-License-Identifier: MIT */
/* The server with viewers that behave, and with all kinds that do not. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "kymo/wire.h"
#include "tracy/server.h"
#include "tracy_peer.h"
#include "tracy_scene.h"

#define TURNS 20000
#define PATIENCE_MS 120000 /* for another process */

static const struct track core0 = {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0};
static const struct site zone = {
    .kind = KYMO_SITE_ZONE, .known = true, .name = "zone", .function = "f", .file = "f.c"};

struct rig {
    struct tracy_server *server;
    struct tracy_server_options options;
    char notices[4096];
    uint32_t param_index;
    int32_t param_value;
};

static void on_notice(void *context, const char *text) {
    struct rig *rig = context;
    size_t used = strlen(rig->notices);
    (void)snprintf(rig->notices + used, sizeof rig->notices - used, "%s\n", text);
}

static void on_param(void *context, uint32_t index, int32_t value) {
    struct rig *rig = context;
    rig->param_index = index;
    rig->param_value = value;
}

static void open_rig(struct rig *rig) {
    rig->options.context = rig;
    rig->options.notice = on_notice;
    rig->options.set_param = on_param;
    rig->options.names_complete = true;
    assert_int_equal(tracy_server_open(&rig->server, &rig->options), 0);
}

static struct tracy_server_totals totals_of(const struct rig *rig) {
    struct tracy_server_totals totals;
    tracy_server_totals(rig->server, &totals);
    return totals;
}

static void close_rig(struct rig *rig) { tracy_server_close(rig->server); }

static int connect_to(const struct rig *rig) {
    struct sockaddr_in where = {.sin_family = AF_INET,
                                .sin_port = htons(tracy_server_port(rig->server)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&where, sizeof where), 0);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    return fd;
}

static void steps(struct rig *rig, unsigned count) {
    while (count-- > 0) {
        assert_int_equal(tracy_server_step(rig->server), 0);
    }
}

/* Sends the peer's output and passes it the input. False at the end of the connection. */
static bool exchange(struct tracy_peer *peer, int fd) {
    uint8_t bytes[65536];
    if (peer->out_used > 0) {
        ssize_t sent = send(fd, peer->out, peer->out_used, MSG_NOSIGNAL);
        if (sent > 0) {
            peer->out_used -= (size_t)sent;
            memmove(peer->out, peer->out + sent, peer->out_used);
        }
    }
    ssize_t count = recv(fd, bytes, sizeof bytes, 0);
    if (count > 0) {
        assert_true(tracy_peer_feed(peer, bytes, (size_t)count));
    }
    return count > 0 || (count < 0 && errno == EAGAIN);
}

static void until_welcome(struct rig *rig, struct tracy_peer *peer, int fd) {
    for (unsigned i = 0; i < TURNS && !tracy_server_has_viewer(rig->server); i++) {
        assert_true(exchange(peer, fd));
        steps(rig, 1);
    }
    assert_true(tracy_server_has_viewer(rig->server));
}

static int give_event(void *context, const struct event *event) {
    struct rig *rig = context;
    return tracy_server_event(rig->server, event);
}

static void give(struct rig *rig, enum event_kind kind, int64_t time_ns) {
    struct event event = {.kind = kind, .time_ns = time_ns, .track = &core0, .site = &zone};
    assert_int_equal(tracy_server_event(rig->server, &event), 0);
}

/* A whole viewer in a process of its own; its status: 0 = content, and "zones" of the name
 * "zone" seen. */
static pid_t viewer_process(const struct rig *rig, uint32_t protocol, uint64_t zones) {
    pid_t pid = fork();
    if (pid != 0) {
        return pid;
    }
    struct tracy_peer *peer = tracy_peer_new(protocol);
    int fd = connect_to(rig);
    (void)fcntl(fd, F_SETFL, 0);
    bool ended = false;
    while (!ended && exchange(peer, fd)) {
        ended = peer->out_used == TRACY_QUERY_BYTES && peer->out[0] == 0; /* terminate */
    }
    (void)send(fd, peer->out, peer->out_used, MSG_NOSIGNAL);
    const struct peer_place *place = tracy_peer_place(peer, "zone");
    if (!ended || (zones > 0 && (place == NULL || place->count != zones))) {
        fprintf(stderr, "viewer of protocol %u: %s\n", (unsigned)protocol, peer->failure);
        _exit(1);
    }
    _exit(0);
}

static void check_ended_well(pid_t pid) {
    int status = 1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* ---- viewers that behave ---- */

CASE(every_protocol_to_the_end) {
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        struct rig rig = {.options.slow = TRACY_SLOW_WAIT};
        open_rig(&rig);
        pid_t pid = viewer_process(&rig, tracy_proto_known(i), 0);
        assert_int_equal(tracy_server_wait_viewer(rig.server, PATIENCE_MS), 0);
        assert_int_equal(tracy_scene(give_event, &rig), 0);
        assert_int_equal(tracy_server_finish(rig.server, PATIENCE_MS), 0);
        check_ended_well(pid);
        assert_int_equal(totals_of(&rig).viewers, 1);
        assert_int_equal(totals_of(&rig).dropped, 0);
        close_rig(&rig);
    }
}

/* The welcome names the program, so it waits for the board to say it; not for ever. */
CASE(the_welcome_waits_for_the_session) {
    struct rig rig = {.options.session_first = true};
    open_rig(&rig);
    struct tracy_peer *peer = tracy_peer_new(82);
    int fd = connect_to(&rig);
    for (unsigned i = 0; i < 50; i++) {
        (void)exchange(peer, fd);
        steps(&rig, 1);
    }
    assert_false(tracy_server_has_viewer(rig.server));
    assert_int_equal(tracy_server_wait_viewer(rig.server, 0), 0);
    struct event event = {.kind = EVENT_SESSION};
    event.u.session.image = "blinky";
    assert_int_equal(tracy_server_event(rig.server, &event), 0);
    assert_true(tracy_server_has_viewer(rig.server));
    give(&rig, EVENT_ZONE_BEGIN, 10);
    give(&rig, EVENT_ZONE_END, 20);
    for (unsigned i = 0; i < TURNS && peer->counts.zones == 0; i++) {
        steps(&rig, 1);
        (void)exchange(peer, fd);
    }
    assert_int_equal(peer->counts.zones, 1);
    assert_string_equal(peer->program, "blinky");
    (void)close(fd);
    tracy_peer_free(peer);
    close_rig(&rig);
}

/* A viewer that disconnects before is refused; the next may come. */
CASE(a_viewer_leaves_before_its_welcome) {
    struct rig rig = {.options.session_first = true};
    open_rig(&rig);
    struct tracy_peer *peer = tracy_peer_new(76);
    int fd = connect_to(&rig);
    (void)exchange(peer, fd);
    assert_int_equal(tracy_server_wait_viewer(rig.server, PATIENCE_MS), 0);
    (void)close(fd);
    for (unsigned i = 0; i < TURNS && totals_of(&rig).refused == 0; i++) {
        steps(&rig, 1);
    }
    assert_int_equal(totals_of(&rig).refused, 1);
    assert_int_equal(tracy_server_finish(rig.server, 100), 0);
    tracy_peer_free(peer);
    close_rig(&rig);
}

/* More than the queue holds: the replay waits for its viewer, nothing is lost. */
CASE(a_replay_waits) {
    const uint64_t zones = 400000;
    struct rig rig = {.options.slow = TRACY_SLOW_WAIT, .options.queue_bytes = 2u << 20};
    open_rig(&rig);
    pid_t pid = viewer_process(&rig, 76, zones);
    assert_int_equal(tracy_server_wait_viewer(rig.server, PATIENCE_MS), 0);
    for (uint64_t i = 0; i < zones; i++) {
        give(&rig, EVENT_ZONE_BEGIN, (int64_t)(i * 997));
        give(&rig, EVENT_ZONE_END, (int64_t)(i * 997 + i % 900));
    }
    assert_int_equal(tracy_server_finish(rig.server, PATIENCE_MS), 0);
    check_ended_well(pid);
    close_rig(&rig);
}

CASE(viewers_one_after_another) {
    struct rig rig = {0};
    open_rig(&rig);
    struct tracy_peer *first = tracy_peer_new(76), *second = tracy_peer_new(82);
    int fd1 = connect_to(&rig), fd2 = connect_to(&rig);
    until_welcome(&rig, first, fd1);
    give(&rig, EVENT_ZONE_BEGIN, 10);
    (void)close(fd1);
    steps(&rig, 3);
    until_welcome(&rig, second, fd2);
    give(&rig, EVENT_ZONE_END, 20);
    for (unsigned i = 0; i < TURNS && second->counts.zones == 0; i++) {
        steps(&rig, 1);
        assert_true(exchange(second, fd2));
    }
    assert_int_equal(second->counts.zones, 1); /* begun before it came */
    assert_int_equal(totals_of(&rig).viewers, 2);
    (void)close(fd2);
    tracy_peer_free(first);
    tracy_peer_free(second);
    close_rig(&rig);
}

CASE(a_parameter_is_passed_on) {
    const uint8_t packet[TRACY_QUERY_BYTES] = {6,    0xfe, 0xff,
                                               0xff, 0xff, 7}; /* index 7, value -2 */
    struct rig rig = {0};
    open_rig(&rig);
    struct tracy_peer *peer = tracy_peer_new(82);
    int fd = connect_to(&rig);
    assert_int_equal(tracy_server_param(rig.server, 7, "gain", 3, false), 0);
    assert_int_equal(tracy_server_param(rig.server, 8, "on", 1, true), 0);
    until_welcome(&rig, peer, fd);
    for (unsigned i = 0; i < TURNS && peer->counts.params < 2; i++) {
        steps(&rig, 1);
        assert_true(exchange(peer, fd));
    }
    assert_int_equal(peer->counts.params, 2);
    assert_int_equal(peer->counts.switch_params, 1);
    assert_int_equal(send(fd, packet, sizeof packet, 0), sizeof packet);
    for (unsigned i = 0; i < TURNS && rig.param_index == 0; i++) {
        steps(&rig, 1);
    }
    assert_int_equal(rig.param_index, 7);
    assert_int_equal(rig.param_value, -2);
    (void)close(fd);
    tracy_peer_free(peer);
    close_rig(&rig);
}

/* ---- viewers that do not ---- */

/* Sends bytes, then nothing; the server answers at most with "answer" and closes. */
static void check_refused(const void *bytes, size_t length, int answer, const char *why) {
    struct rig rig = {0};
    uint8_t back[16];
    ssize_t count = -1;
    open_rig(&rig);
    int fd = connect_to(&rig);
    assert_int_equal(send(fd, bytes, length, 0), length);
    for (unsigned i = 0; i < TURNS && totals_of(&rig).refused == 0; i++) {
        steps(&rig, 1);
    }
    assert_int_equal(totals_of(&rig).refused, 1);
    assert_non_null(strstr(rig.notices, why));
    assert_int_equal(strlen(rig.notices) - strcspn(rig.notices, "\n"), 1); /* one line */
    for (unsigned i = 0; i < TURNS && count < 0; i++) {
        count = recv(fd, back, sizeof back, 0);
        assert_true(count >= 0 || errno == EAGAIN || errno == ECONNRESET);
        count = count < 0 && errno == ECONNRESET ? 0 : count;
    }
    assert_int_equal(count, answer < 0 ? 0 : 1);
    if (answer >= 0) {
        assert_int_equal(back[0], answer);
    }
    (void)close(fd);
    close_rig(&rig);
}

CASE(nonsense_is_refused) {
    check_refused("GET / HTTP/1.1\r\n\r\n", 18, -1, "not a Tracy viewer");
    check_refused("TracyPrg", 8, -1, "not a Tracy viewer");
    check_refused("X", 1, -1, "not a Tracy viewer");
}

CASE(unknown_protocols_get_the_mismatch) {
    check_refused("TracyPrf\x39\0\0\0", 12, TRACY_HANDSHAKE_MISMATCH, "it speaks protocol 57");
    check_refused("TracyPrf\xff\xff\xff\xff", 12, TRACY_HANDSHAKE_MISMATCH, "4294967295");
}

CASE(half_a_handshake_is_given_up) {
    struct rig rig = {0};
    open_rig(&rig);
    int fd = connect_to(&rig);
    assert_int_equal(send(fd, "TracyPrf\x4c", 9, 0), 9);
    assert_int_equal(tracy_server_wait_viewer(rig.server, 4000), -ETIMEDOUT);
    assert_int_equal(totals_of(&rig).refused, 1);
    assert_non_null(strstr(rig.notices, "did not finish the handshake"));
    (void)close(fd);
    close_rig(&rig);
}

/* The connection ends at each byte of a good viewer's stream. */
CASE(closing_at_any_byte) {
    uint8_t bytes[TRACY_HELLO_BYTES + 3 * TRACY_QUERY_BYTES] = "TracyPrf\x52";
    struct rig rig = {0};
    open_rig(&rig);
    for (unsigned i = 0; i < 3; i++) {
        bytes[TRACY_HELLO_BYTES + i * TRACY_QUERY_BYTES] = (uint8_t)(1 + i);
    }
    for (size_t length = 0; length <= sizeof bytes; length++) {
        int fd = connect_to(&rig);
        assert_int_equal(send(fd, bytes, length, 0), length);
        (void)close(fd);
        for (unsigned i = 0; i < TURNS && (i < 3 || tracy_server_has_viewer(rig.server)); i++) {
            steps(&rig, 1);
            give(&rig, EVENT_ZONE_BEGIN, (int64_t)length);
            give(&rig, EVENT_ZONE_END, (int64_t)length);
        }
        assert_false(tracy_server_has_viewer(rig.server));
    }
    close_rig(&rig);
}

CASE(unknown_queries_end_the_viewer) {
    const uint8_t packet[TRACY_QUERY_BYTES] = {200};
    struct rig rig = {0};
    open_rig(&rig);
    struct tracy_peer *peer = tracy_peer_new(82);
    int fd = connect_to(&rig);
    until_welcome(&rig, peer, fd);
    assert_int_equal(send(fd, packet, sizeof packet, 0), sizeof packet);
    for (unsigned i = 0; i < TURNS && tracy_server_has_viewer(rig.server); i++) {
        steps(&rig, 1);
    }
    assert_int_equal(totals_of(&rig).dropped, 1);
    assert_non_null(strstr(rig.notices, "sent a query"));
    (void)close(fd);
    tracy_peer_free(peer);
    close_rig(&rig);
}

/* Live: the queue has an end, then the viewer goes and the capture stays. */
CASE(a_viewer_that_never_reads) {
    struct rig rig = {.options.queue_bytes = 1u << 20};
    open_rig(&rig);
    struct tracy_peer *peer = tracy_peer_new(76);
    int fd = connect_to(&rig);
    until_welcome(&rig, peer, fd);
    uint64_t count = 0;
    for (; count < 20000000 && tracy_server_has_viewer(rig.server); count++) {
        give(&rig, EVENT_ZONE_BEGIN, (int64_t)(count * 1000));
        give(&rig, EVENT_ZONE_END, (int64_t)(count * 1000 + count * count % 977));
        if (count % 1000 == 0) {
            steps(&rig, 1);
        }
    }
    assert_int_equal(totals_of(&rig).dropped, 1);
    assert_non_null(strstr(rig.notices, "more slowly"));
    give(&rig, EVENT_ZONE_BEGIN, (int64_t)(count * 1000));
    (void)close(fd);
    tracy_peer_free(peer);
    close_rig(&rig);
}

/* It asks without end and never reads: its queue stays bounded. */
CASE(a_viewer_that_only_asks) {
    uint8_t packets[100 * TRACY_QUERY_BYTES];
    uint32_t random = 1;
    struct rig rig = {.options.queue_bytes = 1u << 20};
    open_rig(&rig);
    struct tracy_peer *peer = tracy_peer_new(76);
    int fd = connect_to(&rig);
    until_welcome(&rig, peer, fd);
    for (size_t i = 0; i < sizeof packets; i++) { /* keys that do not compress */
        random = random * 1664525u + 1013904223u;
        packets[i] = i % TRACY_QUERY_BYTES == 0 ? 10 : (uint8_t)(random >> 24); /* call stacks */
    }
    for (unsigned i = 0; i < 50000 && tracy_server_has_viewer(rig.server); i++) {
        (void)send(fd, packets, sizeof packets, MSG_NOSIGNAL);
        steps(&rig, 1);
    }
    /* Its questions wait until it reads; nothing is its fault yet. */
    assert_int_equal(totals_of(&rig).dropped, 0);
    assert_true(tracy_server_has_viewer(rig.server));
    (void)close(fd);
    for (unsigned i = 0; i < TURNS && tracy_server_has_viewer(rig.server); i++) {
        steps(&rig, 1);
        give(&rig, EVENT_ZONE_BEGIN, i);
    }
    tracy_peer_free(peer);
    close_rig(&rig);
}

CASE(a_viewer_that_does_not_end) {
    struct rig rig = {0};
    open_rig(&rig);
    struct tracy_peer *peer = tracy_peer_new(76);
    int fd = connect_to(&rig);
    until_welcome(&rig, peer, fd);
    assert_int_equal(tracy_server_finish(rig.server, 300), -ETIMEDOUT);
    assert_non_null(strstr(rig.notices, "did not end"));
    (void)close(fd);
    tracy_peer_free(peer);
    close_rig(&rig);
}

/* ---- where it listens ---- */

CASE(only_the_loopback_by_default) {
    struct rig first = {0}, second = {0};
    open_rig(&first);
    open_rig(&second); /* the next free port */
    assert_memory_equal(tracy_server_where(first.server), "127.0.0.1:", 10);
    assert_in_range(tracy_server_port(first.server), 8086, 8105);
    assert_in_range(tracy_server_port(second.server), tracy_server_port(first.server) + 1, 8105);
    struct tracy_server *third;
    struct tracy_server_options taken = {.port = tracy_server_port(first.server)};
    assert_int_equal(tracy_server_open(&third, &taken), -EADDRINUSE);
    struct tracy_server_options nowhere = {.address = "localhost", .port = 8086};
    assert_int_equal(tracy_server_open(&third, &nowhere), -EINVAL);
    close_rig(&first);
    close_rig(&second);
}
