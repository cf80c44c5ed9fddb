/* SPDX-License-Identifier: MIT */
/* The stack against Linux's TCP, over a wire that loses, delays, swaps, doubles and damages
 * frames. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "linux_board.h"
#include "packet.h"
#include "tap.h"

/* Takes what has come at the host's end; returns the new position. */
static size_t host_take(int host, size_t at) {
    uint8_t bytes[65536];
    const ssize_t length = recv(host, bytes, sizeof bytes, 0);
    if (length <= 0) {
        assert_true(length < 0 && errno == EAGAIN);
        return at;
    }
    is_pattern(bytes, at, (size_t)length);
    return at + (size_t)length;
}

static size_t host_give(int host, size_t at, size_t total) {
    uint8_t bytes[8192];
    const size_t length = total - at < sizeof bytes ? total - at : sizeof bytes;
    fill(bytes, at, length);
    const ssize_t taken = length != 0 ? send(host, bytes, length, MSG_NOSIGNAL) : 0;
    assert_true(taken >= 0 || errno == EAGAIN);
    return taken > 0 ? at + (size_t)taken : at;
}

static size_t board_take(size_t at) {
    uint8_t bytes[300];
    size_t length;
    while ((length = transport->read(transport->context, bytes, sizeof bytes)) != 0) {
        is_pattern(bytes, at, length);
        at += length;
    }
    return at;
}

static size_t board_give(size_t at, size_t total) {
    uint8_t bytes[700];
    size_t length, taken;
    do {
        length = total - at < sizeof bytes ? total - at : sizeof bytes;
        fill(bytes, at, length);
        taken = length != 0 ? transport->write(transport->context, bytes, length) : 0;
        at += taken;
    } while (taken != 0);
    return at;
}

/* Sends as much each way at the same time, every byte compared. */
static void exchange(int host, size_t to_host, size_t to_board) {
    size_t board_given = 0, host_taken = 0, host_given = 0, board_taken = 0;
    const uint64_t begin = bad_wire_now_ms();
    while (host_taken < to_host || board_taken < to_board) {
        turn();
        board_given = board_give(board_given, to_host);
        host_given = host_give(host, host_given, to_board);
        host_taken = host_take(host, host_taken);
        board_taken = board_take(board_taken);
        if (bad_wire_now_ms() - begin > LIMIT_MS) {
            fail_msg("to the host %zu of %zu, to the board %zu of %zu", host_taken, to_host,
                     board_taken, to_board);
        }
    }
    const uint64_t took_ms = bad_wire_now_ms() - begin;
    print_message(
        "  %zu and %zu bytes in %llu ms; retransmissions %u, timeouts %u, fast retransmits %u, "
        "out of order %u, bad checksums %u\n",
        to_host, to_board, (unsigned long long)took_ms, (unsigned)counters->retransmissions,
        (unsigned)counters->timeouts, (unsigned)counters->fast_retransmits,
        (unsigned)counters->out_of_order, (unsigned)counters->bad_checksum);
}

static void exchange_over(const struct bad_wire_quality *quality, size_t to_host, size_t to_board) {
    start(NULL);
    wire.quality = *quality;
    const int host = connected();
    exchange(host, to_host, to_board);
    kill_connection(host);
}

/* The same, and again until a counter of the stack has got so far: how often the wire preempts depends on
 * how the frames fall together. */
static void exchange_until(const struct bad_wire_quality *quality, size_t to_host, size_t to_board,
                           const uint32_t *counter, uint32_t enough) {
    start(NULL);
    wire.quality = *quality;
    const int host = connected();
    for (unsigned i = 0; i == 0 || (*counter < enough && i < 50); i++) {
        exchange(host, to_host, to_board);
    }
    assert_true(*counter >= enough);
    kill_connection(host);
}

/* ---- bulk ---- */

static void over_a_good_wire(void **state) {
    (void)state;
    exchange_over(&(struct bad_wire_quality){0}, 8u << 20, 0);
    assert_int_equal(counters->retransmissions, 0);
    exchange_over(&(struct bad_wire_quality){0}, 0, 2u << 20);
    exchange_over(&(struct bad_wire_quality){0}, 2u << 20, 1u << 20);
}

static void with_losses(void **state) {
    (void)state;
    exchange_over(&(struct bad_wire_quality){.lost_permille = 10}, 2u << 20, 100u << 10);
    exchange_until(&(struct bad_wire_quality){.lost_permille = 50}, 500u << 10, 20u << 10,
                   &counters->fast_retransmits, 1);
    exchange_until(&(struct bad_wire_quality){.lost_permille = 200}, 50u << 10, 4u << 10,
                   &counters->timeouts, 1);
    assert_true(counters->retransmissions > 0);
}

static void with_delay_and_frames_overtaking(void **state) {
    (void)state;
    exchange_until(&(struct bad_wire_quality){.delay_ms = 5, .late_permille = 100, .late_ms = 4},
                   2u << 20, 100u << 10, &counters->out_of_order, 1);
}

static void with_frames_coming_twice(void **state) {
    (void)state;
    exchange_over(&(struct bad_wire_quality){.twice_permille = 300}, 2u << 20, 200u << 10);
}

static void with_damage(void **state) {
    (void)state;
    exchange_until(&(struct bad_wire_quality){.damaged_permille = 20}, 1u << 20, 50u << 10,
                   &counters->bad_checksum, 6);
}

static void with_everything_at_once(void **state) {
    (void)state;
    exchange_over(&(struct bad_wire_quality){.lost_permille = 20,
                                             .twice_permille = 20,
                                             .late_permille = 20,
                                             .delay_ms = 2,
                                             .late_ms = 5,
                                             .damaged_permille = 10},
                  500u << 10, 20u << 10);
}

/* ---- connections ---- */

/* Frames as kymo sends them: bytes other than zero, and a zero. Every connection begins with a
 * whole one. */
static void connections_are_killed_and_made_anew(void **state) {
    (void)state;
    static const uint8_t frame[] = "a frame of kymo, with its end";
    size_t at = 0;
    for (uint32_t round = 0; round < 40; round++) {
        const int host = connected();
        uint8_t got[4096];
        size_t length = 0;
        while (length < 1000 + round) {
            turn();
            /* 13 has no divisor in common with the frame's length, so that each round ends
             * elsewhere. */
            const size_t piece = sizeof frame - at < 13 ? sizeof frame - at : 13;
            at = (at + transport->write(transport->context, frame + at, piece)) % sizeof frame;
            const ssize_t count = recv(host, got + length, sizeof got - length, 0);
            length += count > 0 ? (size_t)count : 0;
        }
        for (size_t i = 0; i < length; i++) {
            assert_int_equal(got[i], frame[i % sizeof frame]);
        }
        if (round % 2 == 0) {
            kill_connection(host);
        } else {
            close(host);
        }
    }
    assert_int_equal(counters->connections, 40);
}

static void the_board_closes_when_all_has_arrived(void **state) {
    (void)state;
    wire.quality = (struct bad_wire_quality){.lost_permille = 50};
    const int host = connected();
    size_t given = board_give(0, KYMO_NET_SEND_BYTES), taken = 0;
    assert_int_equal(given, KYMO_NET_SEND_BYTES);
    kymo_net_close(&net);
    uint8_t bytes[KYMO_NET_SEND_BYTES];
    ssize_t length;
    do {
        turn();
        length = recv(host, bytes, sizeof bytes, 0);
        if (length > 0) {
            is_pattern(bytes, taken, (size_t)length);
            taken += (size_t)length;
        }
    } while (length != 0);
    assert_int_equal(taken, given);
    close(host);
    while (kymo_net_connected(&net)) {
        turn();
    }
    assert_int_equal(counters->aborted, 0);
}

static void a_host_that_does_not_read_stops_the_board_without_a_loss(void **state) {
    (void)state;
    const int host = connected();
    const size_t total = 4u << 20;
    size_t given = 0, taken = 0;
    for (const uint64_t end = bad_wire_now_ms() + LIMIT_MS; counters->window_probes < 3;) {
        assert_true(bad_wire_now_ms() < end);
        turn();
        given = board_give(given, total);
    }
    const size_t stopped_at = given;
    assert_true(stopped_at < total);
    turn_for(200);
    assert_int_equal(board_give(given, total), stopped_at);
    for (const uint64_t end = bad_wire_now_ms() + LIMIT_MS; taken < total;) {
        assert_true(bad_wire_now_ms() < end);
        turn();
        given = board_give(given, total);
        taken = host_take(host, taken);
    }
    close(host);
}

static void a_board_that_does_not_read_stops_the_host_without_a_loss(void **state) {
    (void)state;
    const int host = connected();
    const size_t total = 20000;
    size_t given = 0, taken = 0;
    for (const uint64_t end = bad_wire_now_ms() + 1500; bad_wire_now_ms() < end;) {
        turn();
        given = host_give(host, given, total);
    }
    for (const uint64_t end = bad_wire_now_ms() + LIMIT_MS; taken < total;) {
        assert_true(bad_wire_now_ms() < end);
        turn();
        given = host_give(host, given, total);
        taken = board_take(taken);
    }
    close(host);
}

/* tcp(7), TCP_REPAIR: the kernel drops the connection without a packet, as if its power had
 * failed. */
static void a_host_that_lost_its_power_gets_a_new_connection(void **state) {
    (void)state;
    const int on = 1;
    const int before = connected();
    exchange(before, 20000, 0);
    assert_int_equal(setsockopt(before, IPPROTO_TCP, TCP_REPAIR, &on, sizeof on), 0);
    close(before);
    assert_true(kymo_net_connected(&net));
    assert_int_equal(connect_to_board(LIMIT_MS), -1); /* refused, and the old peer is asked */
    const int host = connected();
    kill_connection(host);
    assert_int_equal(counters->connections, 2);
}

static void a_host_behind_a_cut_wire_makes_room_for_another(void **state) {
    (void)state;
    struct sockaddr_in own;
    socklen_t size = sizeof own;
    const int before = connected();
    exchange(before, 20000, 0);
    assert_int_equal(getsockname(before, (struct sockaddr *)&own, &size), 0);
    wire.cut_port = ntohs(own.sin_port);
    const uint64_t begin = bad_wire_now_ms();
    int host;
    while ((host = connect_to_board(LIMIT_MS)) < 0) {
        turn_for(200);
        assert_true(bad_wire_now_ms() - begin < 10000);
    }
    turn_for(50);
    assert_int_equal(counters->connections, 2);
    kill_connection(host);
    kill_connection(before);
}

static void a_cut_wire_that_is_mended_in_time_loses_nothing(void **state) {
    (void)state;
    const int host = connected();
    const size_t total = 200000;
    size_t given = 0, taken = 0;
    const uint64_t begin = bad_wire_now_ms();
    while (taken < total) {
        const uint64_t at = bad_wire_now_ms() - begin;
        wire.cut = at > 50 && at < 1500;
        turn();
        given = board_give(given, taken < total / 2 && at < 1500 ? total / 2 : total);
        taken = host_take(host, taken);
        assert_true(at < LIMIT_MS);
    }
    close(host);
}

static void a_flood_of_requests_shuts_nobody_out(void **state) {
    (void)state;
    struct segment request = {.destination = BOARD_ADDRESS,
                              .destination_port = KYMO_NET_PORT,
                              .flags = SYN,
                              .window = 1000};
    struct packet packet;
    memcpy(request.destination_mac, wire.link.mac, 6);
    memcpy(request.source_mac, "\x02\0\0\0\0\x07", 6);
    const struct sockaddr_in board = {.sin_family = AF_INET,
                                      .sin_port = htons(KYMO_NET_PORT),
                                      .sin_addr.s_addr = htonl(BOARD_ADDRESS)};
    const int host = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    (void)connect(host, (const struct sockaddr *)&board, sizeof board);
    /* A thousand of them for each frame that the host may send. */
    for (uint32_t i = 0; i < 40000 && counters->connections == 0; i++) {
        request.source = KYMO_NET_ADDRESS(10, 9, 8, 3) + i % 200;
        request.source_port = (uint16_t)(1000 + i);
        request.sequence = i * 12345;
        packet_tcp(&packet, &request);
        struct bad_wire_frame *place = &wire.to_stack.frames[BAD_WIRE_FRAMES - 1];
        if (place->length == 0) {
            memcpy(place->bytes, packet.bytes, packet.length);
            place->length = (uint32_t)packet.length;
            place->due_ms = 0;
        }
        kymo_net_poll(&net);
        if (i % 1000 == 0) {
            turn();
        }
    }
    assert_int_equal(counters->connections, 1);
    assert_true(counters->half_open_replaced > 500);
    exchange(host, 100000, 1000);
    close(host);
}

/* ---- the rest of the network ---- */

static uint16_t sum_of(const uint8_t *bytes, size_t length) {
    uint32_t sum = 0;
    for (size_t i = 0; i < length; i += 2) {
        sum += (uint32_t)bytes[i] * 256u + bytes[i + 1];
    }
    return htons((uint16_t) ~(sum % 65535u));
}

static void a_ping_is_answered(void **state) {
    (void)state;
    const struct sockaddr_in board = {.sin_family = AF_INET,
                                      .sin_addr.s_addr = htonl(BOARD_ADDRESS)};
    const int raw = socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_ICMP);
    assert_true(raw >= 0);
    for (size_t length = 8; length <= 1480; length += 368) {
        uint8_t echo[1480] = {ICMP_ECHO}, answer[2000];
        fill(echo + 4, length, length - 4);
        const uint16_t sum = sum_of(echo, length);
        memcpy(echo + 2, &sum, 2);
        assert_int_equal(
            sendto(raw, echo, length, 0, (const struct sockaddr *)&board, sizeof board), length);
        ssize_t count;
        const uint64_t end = bad_wire_now_ms() + 5000;
        do {
            turn();
            count = recv(raw, answer, sizeof answer, 0);
            assert_true(bad_wire_now_ms() < end);
        } while (count < 0);
        assert_int_equal(count, 20 + length);
        assert_int_equal(answer[20], ICMP_ECHOREPLY);
        assert_memory_equal(answer + 24, echo + 4, length - 4);
    }
    close(raw);
}

static void the_announcement_is_received(void **state) {
    (void)state;
    const struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(KYMO_NET_PORT)};
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    uint8_t got[100];
    const int udp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(udp, (const struct sockaddr *)&here, sizeof here), 0);
    const uint64_t end = bad_wire_now_ms() + 5000;
    ssize_t length;
    while ((length = recvfrom(udp, got, sizeof got, 0, (struct sockaddr *)&from, &size)) < 0) {
        assert_true(bad_wire_now_ms() < end);
        turn();
    }
    static const uint8_t expected[] = "kymo\x01\0\x1b\x54\x02kymo\x01\x10"
                                      "board under test"; /* ports/net/README.md; 0x1b54 is 6996 */
    assert_int_equal(length, sizeof expected - 1);
    assert_memory_equal(got, expected, sizeof expected - 1);
    assert_int_equal(ntohl(from.sin_addr.s_addr), BOARD_ADDRESS);
    close(udp);
}

#define TEST(name) cmocka_unit_test_setup(name, start)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(over_a_good_wire),
        TEST(with_losses),
        TEST(with_delay_and_frames_overtaking),
        TEST(with_frames_coming_twice),
        TEST(with_damage),
        TEST(with_everything_at_once),
        TEST(connections_are_killed_and_made_anew),
        TEST(the_board_closes_when_all_has_arrived),
        TEST(a_host_that_does_not_read_stops_the_board_without_a_loss),
        TEST(a_board_that_does_not_read_stops_the_host_without_a_loss),
        TEST(a_host_that_lost_its_power_gets_a_new_connection),
        TEST(a_host_behind_a_cut_wire_makes_room_for_another),
        TEST(a_cut_wire_that_is_mended_in_time_loses_nothing),
        TEST(a_flood_of_requests_shuts_nobody_out),
        TEST(a_ping_is_answered),
        TEST(the_announcement_is_received),
    };
    signal(SIGPIPE, SIG_IGN);
    tap = tap_open(HOST_ADDRESS);
    return tap >= 0 ? cmocka_run_group_tests(tests, NULL, NULL) : EXIT_FAILURE;
}
