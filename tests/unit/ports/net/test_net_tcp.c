/* SPDX-License-Identifier: MIT */
/* TCP by scripted segments: the answers that RFC 9293 and RFC 5961 demand to each. */
#include <string.h>

#include "cases.h"
#include "net/script.h"

#define MSS 1000u

/* ---- receiving ---- */

CASE(data_are_acknowledged_and_read, script_setup_connected) {
    uint8_t got[64];
    script_say(ACK | PSH, "hello", 5);
    assert_int_equal(script_hear_ack().acknowledgment, host.sequence + 5u);
    assert_int_equal(script_read(got, sizeof got), 5);
    assert_memory_equal(got, "hello", 5);
}

CASE(what_comes_after_a_gap_is_dropped_and_asked_for, script_setup_connected) {
    uint8_t got[64];
    const uint32_t begin = host.sequence;
    host.sequence = begin + 5u;
    script_say(ACK, "world", 5);
    assert_int_equal(script_hear_ack().acknowledgment, begin);
    assert_int_equal(counters->out_of_order, 1);
    host.sequence = begin;
    script_say(ACK, "hello", 5);
    assert_int_equal(script_hear_ack().acknowledgment, begin + 5u);
    host.sequence = begin + 5u;
    script_say(ACK, "world", 5);
    assert_int_equal(script_hear_ack().acknowledgment, begin + 10u);
    assert_int_equal(script_read(got, sizeof got), 10);
    assert_memory_equal(got, "helloworld", 10);
}

CASE(what_came_before_is_not_taken_twice, script_setup_connected) {
    uint8_t got[64];
    const uint32_t begin = host.sequence;
    script_say(ACK, "abc", 3);
    script_say(ACK, "abc", 3);
    script_say(ACK, "abcdef", 6);
    host.sequence = begin + 2u;
    script_say(ACK, "cdefg", 5);
    assert_int_equal(script_read(got, sizeof got), 7);
    assert_memory_equal(got, "abcdefg", 7);
}

CASE(the_window_shuts_when_nothing_is_read_and_opens_again, script_setup_connected) {
    uint8_t got[2 * KYMO_NET_RECEIVE_BYTES];
    const uint32_t begin = host.sequence;
    script_say(ACK, script_bytes, KYMO_NET_RECEIVE_BYTES);
    struct segment answer = script_hear_ack();
    assert_int_equal(answer.window, 0);
    host.sequence = begin + KYMO_NET_RECEIVE_BYTES;
    script_say(ACK, "x", 1); /* a probe */
    answer = script_hear_ack();
    assert_int_equal(answer.window, 0);
    assert_int_equal(answer.acknowledgment, host.sequence);
    assert_int_equal(script_read(got, sizeof got), KYMO_NET_RECEIVE_BYTES);
    assert_memory_equal(got, script_bytes, KYMO_NET_RECEIVE_BYTES);
    kymo_net_poll(&net);
    answer = script_hear_ack();
    assert_int_equal(answer.window, KYMO_NET_RECEIVE_BYTES);
    script_say(ACK, "x", 1);
    assert_int_equal(script_hear_ack().acknowledgment, host.sequence + 1u);
}

CASE(no_more_is_taken_than_the_window_said, script_setup_connected) {
    uint8_t got[2 * KYMO_NET_RECEIVE_BYTES];
    script_say(ACK, script_bytes, KYMO_NET_RECEIVE_BYTES + 100);
    const struct segment answer = script_hear_ack();
    assert_int_equal(answer.acknowledgment, host.sequence + KYMO_NET_RECEIVE_BYTES);
    assert_int_equal(script_read(got, sizeof got), KYMO_NET_RECEIVE_BYTES);
    assert_memory_equal(got, script_bytes, KYMO_NET_RECEIVE_BYTES);
}

CASE(a_keep_alive_of_the_host_is_answered, script_setup_connected) {
    const uint32_t expected = host.sequence;
    host.sequence--;
    script_say(ACK, NULL, 0);
    assert_int_equal(script_hear_ack().acknowledgment, expected);
}

/* ---- forged segments ---- */

CASE(only_an_exact_reset_is_obeyed, script_setup_connected) {
    const uint32_t expected = host.sequence;
    host.sequence = expected + 1u; /* in the window: RFC 5961 section 3.2 */
    script_say(RST, NULL, 0);
    assert_int_equal(script_hear_ack().acknowledgment, expected);
    assert_int_equal(counters->challenges, 1);
    host.sequence = expected + KYMO_NET_RECEIVE_BYTES; /* outside */
    script_wait(200);
    script_say(RST, NULL, 0);
    host.sequence = expected - 1u;
    script_say(RST, NULL, 0);
    assert_true(script_silent());
    assert_int_equal(counters->out_of_window, 2);
    assert_true(kymo_net_connected(&net));
    host.sequence = expected;
    script_say(RST, NULL, 0);
    assert_false(kymo_net_connected(&net));
    assert_int_equal(counters->aborted, 1);
    assert_true(script_silent());
}

CASE(a_request_in_the_window_is_challenged, script_setup_connected) {
    const uint32_t expected = host.sequence;
    script_say(SYN, NULL, 0);
    assert_int_equal(script_hear_ack().acknowledgment, expected);
    assert_true(kymo_net_connected(&net));
    script_is_alive();
}

CASE(an_acknowledgement_of_what_was_never_sent_is_challenged, script_setup_connected) {
    uint8_t got[16];
    const uint32_t right = host.acknowledgment;
    host.acknowledgment = right + 1u;
    script_say(ACK, "evil", 4);
    assert_int_equal(script_hear_ack().sequence, right);
    host.acknowledgment = right - 70000u; /* older than any window */
    script_wait(200);
    script_say(ACK, "evil", 4);
    (void)script_hear_ack();
    assert_int_equal(counters->challenges, 2);
    assert_int_equal(script_read(got, sizeof got), 0);
    host.acknowledgment = right;
    script_is_alive();
}

CASE(doubtful_segments_are_not_answered_without_end, script_setup_connected) {
    uint32_t answers = 0;
    host.sequence += 100000u;
    for (uint32_t i = 0; i < 1000; i++) {
        script_say(ACK, "x", 1);
        now_ms++;
        while (!script_silent()) {
            (void)script_hear_ack();
            answers++;
        }
    }
    assert_in_range(answers, 9, 11);
    assert_int_equal(counters->out_of_window, 1000);
}

CASE(a_doubtful_segment_is_answered_after_a_month_as_well, script_setup_connected) {
    host.sequence--;
    script_say(ACK, NULL, 0);
    (void)script_hear_ack();
    now_ms += 0x90000000u; /* farther than half the circle of the clock */
    script_say(ACK, NULL, 0);
    (void)script_hear_ack();
}

/* ---- ending ---- */

CASE(the_board_closes_first, script_setup_connected) {
    script_write("one frame\0", 10);
    kymo_net_close(&net);
    kymo_net_poll(&net);
    assert_int_equal(transport->write(transport->context, script_bytes, 10), 0);
    (void)script_hear();
    struct segment fin = script_hear();
    assert_int_equal(fin.flags & FIN, FIN);
    assert_false(kymo_net_idle(&net));
    host.acknowledgment = fin.sequence + 1u;
    script_say(ACK, NULL, 0);
    assert_true(kymo_net_idle(&net));
    assert_true(kymo_net_connected(&net)); /* until the host closes, too */
    script_say(ACK | FIN, NULL, 0);
    assert_int_equal(script_hear_ack().acknowledgment, host.sequence + 1u);
    assert_false(kymo_net_connected(&net));
    script_wait(200);
    script_say(ACK | FIN, NULL, 0); /* our acknowledgement was lost */
    assert_int_equal(script_hear_ack().acknowledgment, host.sequence + 1u);
    host.sequence = 0x12345678; /* a new connection from the same port */
    script_connect(MSS);
    script_is_alive();
}

CASE(the_host_closes_first, script_setup_connected) {
    script_write("one frame\0", 10);
    assert_int_equal(script_hear().length, 10);
    script_say(ACK | FIN, NULL, 0);
    struct segment fin = script_hear();
    assert_int_equal(fin.flags & (FIN | ACK), FIN | ACK);
    assert_int_equal(fin.acknowledgment, host.sequence + 1u);
    host.sequence++;
    host.acknowledgment = fin.sequence + 1u;
    script_say(ACK, NULL, 0);
    assert_false(kymo_net_connected(&net));
    script_connect(MSS);
    script_is_alive();
}

CASE(a_lost_fin_is_sent_again, script_setup_connected) {
    kymo_net_close(&net);
    kymo_net_poll(&net);
    const struct segment fin = script_hear();
    script_wait(1100);
    const struct segment again = script_hear();
    assert_int_equal(again.flags, fin.flags);
    assert_int_equal(again.sequence, fin.sequence);
}

CASE(a_host_that_never_closes_is_given_up, script_setup_connected) {
    kymo_net_close(&net);
    kymo_net_poll(&net);
    host.acknowledgment = script_hear().sequence + 1u;
    script_say(ACK, NULL, 0);
    script_wait(9900);
    assert_true(kymo_net_connected(&net));
    script_wait(200);
    assert_false(kymo_net_connected(&net));
}

CASE(a_new_connection_begins_with_a_frame, script_setup_connected) {
    script_write("one\0two", 7); /* the second frame is cut */
    script_say(RST, NULL, 0);
    assert_false(kymo_net_connected(&net));
    script_forget();
    host.sequence = 99;
    script_connect(MSS);
    script_write("rest", 4);
    script_write(" of it\0three\0", 13);
    const struct segment segment = script_hear();
    assert_int_equal(segment.length, 6);
    assert_memory_equal(segment.data, "three", 6);
}

CASE(a_silent_peer_is_asked_and_given_up, script_setup_connected) {
    uint32_t questions = 0;
    const uint32_t begin = now_ms;
    while (kymo_net_connected(&net) && now_ms - begin < 100000) {
        script_wait(10);
        while (!script_silent()) {
            const struct segment segment = script_hear();
            if (kymo_net_connected(&net)) {
                assert_int_equal(segment.flags, ACK);
                assert_int_equal(segment.sequence, host.acknowledgment - 1u);
                questions++;
            } else {
                assert_int_equal(segment.flags & RST, RST);
            }
        }
    }
    assert_int_equal(questions, KYMO_NET_TRIES);
    assert_in_range(now_ms - begin, KYMO_NET_KEEP_ALIVE_MS + 18000, KYMO_NET_KEEP_ALIVE_MS + 22000);
    assert_int_equal(counters->aborted, 1);
}

CASE(a_peer_that_answers_is_not_given_up, script_setup_connected) {
    for (uint32_t i = 0; i < 60; i++) {
        script_wait(KYMO_NET_KEEP_ALIVE_MS);
        (void)script_hear_ack();
        script_say(ACK, NULL, 0);
    }
    assert_int_equal(counters->keep_alives, 60);
    script_is_alive();
}
