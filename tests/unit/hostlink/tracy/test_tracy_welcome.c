/* SPDX-License-Identifier: MIT */
/* The welcome's facts about the program, in every protocol: when it began, its processor, and
 * how often it is sampled. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "model/board_info.h"
#include "tracy/server.h"
#include "tracy_peer.h"

#define TURNS 20000
#define TRACE_S INT64_C(1700000000)
#define GIVEN_S INT64_C(1600000000)
#define PERIOD_NS 125000

/* The peer after the welcome: the start by the trace and by the options, 0 = not said. */
static struct tracy_peer *welcomed(uint32_t protocol, int64_t trace_s, int64_t given_s,
                                   uint16_t machine) {
    const struct tracy_server_options options = {.epoch_s = given_s, .machine = machine};
    struct tracy_server *server;
    assert_int_equal(tracy_server_open(&server, &options), 0);
    tracy_server_sample_period(server, PERIOD_NS);
    struct event event = {.kind = EVENT_SESSION};
    const struct board_info info = {
        .has = {[KYMO_INFO_RUNTIME] = true, [KYMO_INFO_ARCH] = true},
        .text = {[KYMO_INFO_RUNTIME] = "1.2.3", [KYMO_INFO_ARCH] = "some core"},
        .number = {[KYMO_INFO_RING_BYTES] = {4096}}};
    event.u.session.image = "program";
    event.u.session.info = &info;
    event.u.session.clock_hz = 50000000;
    event.u.session.epoch_ns = trace_s * 1000000000;
    assert_int_equal(tracy_server_event(server, &event), 0);
    const struct sockaddr_in where = {.sin_family = AF_INET,
                                      .sin_port = htons(tracy_server_port(server)),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&where, sizeof where), 0);
    struct tracy_peer *peer = tracy_peer_new(protocol);
    assert_int_equal(send(fd, peer->out, peer->out_used, 0), peer->out_used);
    for (unsigned i = 0; i < TURNS && peer->program[0] == '\0'; i++) {
        uint8_t bytes[65536];
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        assert_int_equal(tracy_server_step(server), 0);
        if (poll(&wait, 1, 1) > 0) {
            const ssize_t count = recv(fd, bytes, sizeof bytes, 0);
            assert_true(count > 0 && tracy_peer_feed(peer, bytes, (size_t)count));
        }
    }
    assert_string_equal(peer->program, "program");
    assert_int_equal(peer->sample_period_ns, PERIOD_NS);
    assert_string_equal(peer->host_info,
                        "Board clock: 50000000 Hz\nBridge: hostlink\nRecorder: kymo 1.2.3\n"
                        "Arch: some core\nRing: 4096 bytes a lane\n");
    (void)close(fd);
    tracy_server_close(server);
    return peer;
}

CASE(when_it_began) {
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        for (unsigned by = 0; by < 4; by++) {
            const int64_t before = (int64_t)time(NULL);
            struct tracy_peer *peer = welcomed(tracy_proto_known(i), (by & 1) != 0 ? TRACE_S : 0,
                                               (by & 2) != 0 ? GIVEN_S : 0, 0);
            if ((by & 1) != 0) {
                assert_int_equal(peer->epoch_s, TRACE_S);
            } else if ((by & 2) != 0) {
                assert_int_equal(peer->epoch_s, GIVEN_S);
            } else {
                assert_true(peer->epoch_s >= before && peer->epoch_s <= (int64_t)time(NULL));
            }
            tracy_peer_free(peer);
        }
    }
}

/* By the numbers of ELF files. A viewer asks for code where it knows the processor; those of 0.14 always. */
CASE(what_it_runs_on) {
    static const struct {
        uint16_t machine;
        enum tracy_cpu cpu;
    } cases[] = {{0, TRACY_CPU_UNKNOWN}, {3, TRACY_CPU_X86},     {40, TRACY_CPU_ARM32},
                 {62, TRACY_CPU_X64},    {183, TRACY_CPU_ARM64}, {243, TRACY_CPU_UNKNOWN}};
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
            struct tracy_peer *peer = welcomed(tracy_proto_known(i), 0, 0, cases[n].machine);
            assert_int_equal(peer->cpu, cases[n].cpu);
            assert_int_equal(peer->asks_code,
                             cases[n].cpu != TRACY_CPU_UNKNOWN || tracy_proto_known(i) >= 82);
            tracy_peer_free(peer);
        }
    }
}
