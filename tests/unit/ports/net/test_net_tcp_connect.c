/* SPDX-License-Identifier: MIT */
/* TCP connections: how they begin, and which peer gets one. RFC 9293, RFC 4987. */
#include <string.h>

#include "cases.h"
#include "net/script.h"

#define MSS 1000u
#define TCP_OPTIONS_AT (14u + 20u + 20u) /* after the heads of Ethernet, IPv4 and TCP */

CASE(nothing_is_taken_while_nobody_is_connected, script_setup) {
    assert_true(transport->network);
    assert_false(kymo_net_connected(&net));
    assert_int_equal(transport->write(transport->context, script_bytes, 10), 0);
    assert_true(kymo_net_idle(&net));
    assert_true(script_silent());
}

CASE(a_handshake_opens_the_connection, script_setup) {
    script_connect(1460);
    assert_int_equal(counters->connections, 1);
    script_is_alive();
}

CASE(the_answer_to_a_request_tells_window_and_segment_size, script_setup) {
    script_say(SYN, NULL, 0);
    const struct segment answer = script_hear();
    assert_int_equal(answer.mss, KYMO_NET_FRAME_BYTES - 54);
    assert_int_equal(answer.window, KYMO_NET_RECEIVE_BYTES);
    assert_int_equal(answer.destination, HOST_ADDRESS);
    assert_int_equal(answer.destination_port, HOST_PORT);
}

/* The header ends after the length of the option; the bytes in the place of its value are data. */
CASE(an_option_that_is_not_whole_is_none, script_setup) {
    static const uint8_t options[4] = {1, 1, 2,
                                       4}; /* nothing, nothing, the segment size, its length */
    static const uint8_t data[4] = {1024 / 256, 1024 % 256};
    struct segment request = {.source = HOST_ADDRESS,
                              .destination = BOARD_ADDRESS,
                              .source_port = HOST_PORT,
                              .destination_port = KYMO_NET_PORT,
                              .sequence = HOST_SEQUENCE,
                              .flags = SYN,
                              .window = 60000,
                              .mss = 1,
                              .length = sizeof data};
    struct packet packet;
    memcpy(request.source_mac, host_mac, 6);
    memcpy(request.destination_mac, wire.link.mac, 6);
    memcpy(request.data, data, sizeof data);
    packet_tcp(&packet, &request);
    memcpy(packet.bytes + TCP_OPTIONS_AT, options, sizeof options);
    packet_checksums(&packet);
    script_put(&packet);
    host.acknowledgment = script_hear().sequence + 1u;
    host.sequence++;
    script_say(ACK, NULL, 0);
    assert_true(kymo_net_connected(&net));
    script_write(script_bytes, 4096);
    assert_int_equal(script_hear().length,
                     536); /* RFC 9293 section 3.7.1: the size without the option */
}

CASE(a_lost_answer_is_repeated_with_growing_pauses, script_setup) {
    uint32_t at[8], count = 0;
    script_say(SYN, NULL, 0);
    const struct segment first = script_hear();
    const uint32_t begin = now_ms;
    while (now_ms - begin < 100000) {
        script_wait(10);
        if (!script_silent()) {
            const struct segment again = script_hear();
            assert_int_equal(again.flags, SYN | ACK);
            assert_int_equal(again.sequence, first.sequence);
            assert_true(count < 8);
            at[count++] = (now_ms - begin) / 1000;
        }
    }
    assert_int_equal(count, 5);
    const uint32_t expected[] = {1, 3, 7, 15, 31};
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(at[i], expected[i]);
    }
}

CASE(a_request_in_the_first_poll_is_one, script_setup) {
    script_begin(BOARD_ADDRESS);
    script_say(SYN, NULL, 0);
    script_wait(10);
    script_forget();
    script_wait(1000);
    assert_int_equal(script_hear().flags, SYN | ACK); /* the first one was lost */
}

CASE(a_lost_end_of_the_handshake_is_made_up_for_by_data, script_setup) {
    uint8_t got[16];
    script_say(SYN, NULL, 0);
    host.acknowledgment = script_hear().sequence + 1u;
    host.sequence += 1u + 3u; /* three bytes are lost as well */
    script_say(ACK | PSH, "def", 3);
    assert_true(kymo_net_connected(&net));
    assert_int_equal(script_hear_ack().acknowledgment, HOST_SEQUENCE + 1u);
    host.sequence = HOST_SEQUENCE + 1u;
    script_say(ACK | PSH, "abcdef", 6);
    assert_int_equal(script_hear_ack().acknowledgment, HOST_SEQUENCE + 7u);
    assert_int_equal(script_read(got, sizeof got), 6);
    assert_memory_equal(got, "abcdef", 6);
}

CASE(a_wrong_end_of_the_handshake_is_reset, script_setup) {
    script_say(SYN, NULL, 0);
    host.acknowledgment = script_hear().sequence + 2u;
    host.sequence++;
    script_say(ACK, NULL, 0);
    const struct segment reset = script_hear();
    assert_int_equal(reset.flags, RST);
    assert_int_equal(reset.sequence, host.acknowledgment);
    assert_false(kymo_net_connected(&net));
    assert_int_equal(counters->stray_segments, 1);
}

CASE(a_flood_of_requests_shuts_nobody_out, script_setup) {
    const struct host honest = host;
    script_say(SYN, NULL, 0);
    const struct segment answer = script_hear();
    for (uint32_t i = 0; i < 10000; i++) {
        host.address = KYMO_NET_ADDRESS(10, 1, 0, 0) + i;
        host.port = (uint16_t)(1024 + i);
        host.sequence = i * 7919;
        script_say(SYN, NULL, 0);
        script_forget();
    }
    assert_int_equal(counters->half_open_replaced, 10000);
    assert_int_equal(counters->connections, 0);
    host = honest;
    host.sequence++;
    host.acknowledgment = answer.sequence + 1u;
    script_say(ACK, NULL, 0);
    assert_true(kymo_net_connected(&net));
    script_is_alive();
}

CASE(a_cookie_holds_for_a_minute_and_not_for_three, script_setup) {
    for (uint32_t wait = 60000; wait <= 180000; wait += 120000) {
        const struct host before = host;
        script_say(SYN, NULL, 0);
        host.acknowledgment = script_hear().sequence + 1u;
        host.sequence++;
        script_wait(wait);
        script_forget();
        script_say(ACK, NULL, 0);
        assert_int_equal(kymo_net_connected(&net), wait == 60000);
        script_say(RST, NULL, 0);
        script_forget();
        host = before;
    }
}

CASE(first_sequence_numbers_cannot_be_foreseen, script_setup) {
    uint32_t numbers[64];
    for (uint32_t i = 0; i < 64; i++) {
        host.port = (uint16_t)(HOST_PORT + i);
        script_say(SYN, NULL, 0);
        numbers[i] = script_hear().sequence;
        for (uint32_t j = 0; j < i; j++) {
            assert_true(numbers[i] - numbers[j] > 1000 && numbers[j] - numbers[i] > 1000);
        }
    }
}

CASE(a_second_host_is_refused_while_the_first_one_answers, script_setup_connected) {
    const struct host first = host;
    host.port = 50000;
    host.sequence = 77;
    script_say(SYN, NULL, 0);
    const struct segment reset = script_hear();
    assert_int_equal(reset.flags, RST | ACK);
    assert_int_equal(reset.acknowledgment, 78);
    assert_int_equal(reset.destination_port, 50000);
    const struct segment question = script_hear();
    assert_int_equal(question.destination_port, HOST_PORT);
    assert_int_equal(question.sequence, first.acknowledgment - 1u);
    host = first;
    script_say(ACK, NULL, 0);
    script_wait(5000);
    assert_true(kymo_net_connected(&net));
    assert_int_equal(counters->refused, 1);
    script_is_alive();
}

CASE(a_second_host_gets_the_place_of_one_that_is_gone, script_setup_connected) {
    host.port = 50000;
    host.sequence = 77;
    script_say(SYN, NULL, 0);
    script_wait(4000);
    script_forget();
    assert_false(kymo_net_connected(&net));
    assert_int_equal(counters->aborted, 1);
    script_connect(MSS);
    script_is_alive();
}

CASE(a_host_that_came_back_finds_its_old_connection_and_ends_it, script_setup_connected) {
    const uint32_t expected = host.sequence;
    host.sequence = 5555; /* the same port, after a restart */
    script_say(SYN, NULL, 0);
    const struct segment challenge = script_hear_ack();
    assert_int_equal(challenge.acknowledgment, expected);
    host.sequence =
        challenge.acknowledgment; /* RFC 9293 section 3.5.1: it resets what it does not know */
    script_say(RST, NULL, 0);
    assert_false(kymo_net_connected(&net));
    host.sequence = 5555;
    script_connect(MSS);
    script_is_alive();
}
