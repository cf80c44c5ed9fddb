/* TCP by scripted segments: what RFC 9293 and RFC 5961 say that each of them must do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "net/script.h"

#define MSS 1000u

static const struct kymo_net_counters *counters;
static const struct kymo_transport *transport;
static uint8_t sample[4096];

static int start(void **state) {
    (void)state;
    script_start(BOARD_ADDRESS);
    counters = kymo_net_counters(&net);
    transport = kymo_net_transport(&net);
    for (size_t i = 0; i < sizeof sample; i++) {
        sample[i] = (uint8_t)(i * 7 + i / 256 + 1);
    }
    return 0;
}

static int start_connected(void **state) {
    start(state);
    script_connect(1024);
    return 0;
}

static size_t read_all(uint8_t *bytes, size_t size) {
    size_t length = 0, count;
    do {
        count = transport->read(transport->context, bytes + length, size - length);
        length += count;
    } while (count != 0);
    return length;
}

static struct segment hear_ack(void) {
    const struct segment segment = script_hear();
    assert_int_equal(segment.flags, ACK);
    assert_int_equal(segment.length, 0);
    return segment;
}

static void is_alive(void) {
    script_forget();
    script_write("alive", 5);
    const struct segment segment = script_hear();
    assert_int_equal(segment.length, 5);
    assert_memory_equal(segment.data, "alive", 5);
    host.acknowledgment = segment.sequence + 5u;
    script_say(ACK, NULL, 0);
    assert_true(kymo_net_idle(&net));
}

/* ---- connecting ---- */

static void nothing_is_taken_while_nobody_is_connected(void **state) {
    (void)state;
    assert_true(transport->network);
    assert_false(kymo_net_connected(&net));
    assert_int_equal(transport->write(transport->context, sample, 10), 0);
    assert_true(kymo_net_idle(&net));
    assert_true(script_silent());
}

static void a_handshake_opens_the_connection(void **state) {
    (void)state;
    script_connect(1460);
    assert_int_equal(counters->connections, 1);
    is_alive();
}

static void the_answer_to_a_request_tells_window_and_segment_size(void **state) {
    (void)state;
    script_say(SYN, NULL, 0);
    const struct segment answer = script_hear();
    assert_int_equal(answer.mss, KYMO_NET_FRAME_BYTES - 54);
    assert_int_equal(answer.window, KYMO_NET_RECEIVE_BYTES);
    assert_int_equal(answer.destination, HOST_ADDRESS);
    assert_int_equal(answer.destination_port, HOST_PORT);
}

static void a_lost_answer_is_repeated_with_growing_pauses(void **state) {
    (void)state;
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

static void a_request_in_the_first_poll_is_one(void **state) {
    (void)state;
    script_begin(BOARD_ADDRESS);
    script_say(SYN, NULL, 0);
    script_wait(10);
    script_forget();
    script_wait(1000);
    assert_int_equal(script_hear().flags, SYN | ACK); /* the first one was lost */
}

static void a_lost_end_of_the_handshake_is_made_up_for_by_data(void **state) {
    (void)state;
    uint8_t got[16];
    script_say(SYN, NULL, 0);
    host.acknowledgment = script_hear().sequence + 1u;
    host.sequence += 1u + 3u; /* three bytes are lost as well */
    script_say(ACK | PSH, "def", 3);
    assert_true(kymo_net_connected(&net));
    assert_int_equal(hear_ack().acknowledgment, HOST_SEQUENCE + 1u);
    host.sequence = HOST_SEQUENCE + 1u;
    script_say(ACK | PSH, "abcdef", 6);
    assert_int_equal(hear_ack().acknowledgment, HOST_SEQUENCE + 7u);
    assert_int_equal(read_all(got, sizeof got), 6);
    assert_memory_equal(got, "abcdef", 6);
}

static void a_wrong_end_of_the_handshake_is_reset(void **state) {
    (void)state;
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

static void a_flood_of_requests_shuts_nobody_out(void **state) {
    (void)state;
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
    is_alive();
}

static void a_cookie_holds_for_a_minute_and_not_for_three(void **state) {
    (void)state;
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

static void first_sequence_numbers_cannot_be_foreseen(void **state) {
    (void)state;
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

static void a_second_host_is_refused_while_the_first_one_answers(void **state) {
    (void)state;
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
    is_alive();
}

static void a_second_host_gets_the_place_of_one_that_is_gone(void **state) {
    (void)state;
    host.port = 50000;
    host.sequence = 77;
    script_say(SYN, NULL, 0);
    script_wait(4000);
    script_forget();
    assert_false(kymo_net_connected(&net));
    assert_int_equal(counters->aborted, 1);
    script_connect(MSS);
    is_alive();
}

static void a_host_that_came_back_finds_its_old_connection_and_ends_it(void **state) {
    (void)state;
    const uint32_t expected = host.sequence;
    host.sequence = 5555; /* the same port, after a restart */
    script_say(SYN, NULL, 0);
    const struct segment challenge = hear_ack();
    assert_int_equal(challenge.acknowledgment, expected);
    host.sequence =
        challenge.acknowledgment; /* RFC 9293 section 3.5.1: it resets what it does not know */
    script_say(RST, NULL, 0);
    assert_false(kymo_net_connected(&net));
    host.sequence = 5555;
    script_connect(MSS);
    is_alive();
}

/* ---- receiving ---- */

static void data_are_acknowledged_and_read(void **state) {
    (void)state;
    uint8_t got[64];
    script_say(ACK | PSH, "hello", 5);
    assert_int_equal(hear_ack().acknowledgment, host.sequence + 5u);
    assert_int_equal(read_all(got, sizeof got), 5);
    assert_memory_equal(got, "hello", 5);
}

static void what_comes_after_a_gap_is_dropped_and_asked_for(void **state) {
    (void)state;
    uint8_t got[64];
    const uint32_t begin = host.sequence;
    host.sequence = begin + 5u;
    script_say(ACK, "world", 5);
    assert_int_equal(hear_ack().acknowledgment, begin);
    assert_int_equal(counters->out_of_order, 1);
    host.sequence = begin;
    script_say(ACK, "hello", 5);
    assert_int_equal(hear_ack().acknowledgment, begin + 5u);
    host.sequence = begin + 5u;
    script_say(ACK, "world", 5);
    assert_int_equal(hear_ack().acknowledgment, begin + 10u);
    assert_int_equal(read_all(got, sizeof got), 10);
    assert_memory_equal(got, "helloworld", 10);
}

static void what_came_before_is_not_taken_twice(void **state) {
    (void)state;
    uint8_t got[64];
    const uint32_t begin = host.sequence;
    script_say(ACK, "abc", 3);
    script_say(ACK, "abc", 3);
    script_say(ACK, "abcdef", 6);
    host.sequence = begin + 2u;
    script_say(ACK, "cdefg", 5);
    assert_int_equal(read_all(got, sizeof got), 7);
    assert_memory_equal(got, "abcdefg", 7);
}

static void the_window_shuts_when_nothing_is_read_and_opens_again(void **state) {
    (void)state;
    uint8_t got[2 * KYMO_NET_RECEIVE_BYTES];
    const uint32_t begin = host.sequence;
    script_say(ACK, sample, KYMO_NET_RECEIVE_BYTES);
    struct segment answer = hear_ack();
    assert_int_equal(answer.window, 0);
    host.sequence = begin + KYMO_NET_RECEIVE_BYTES;
    script_say(ACK, "x", 1); /* a probe */
    answer = hear_ack();
    assert_int_equal(answer.window, 0);
    assert_int_equal(answer.acknowledgment, host.sequence);
    assert_int_equal(read_all(got, sizeof got), KYMO_NET_RECEIVE_BYTES);
    assert_memory_equal(got, sample, KYMO_NET_RECEIVE_BYTES);
    kymo_net_poll(&net);
    answer = hear_ack();
    assert_int_equal(answer.window, KYMO_NET_RECEIVE_BYTES);
    script_say(ACK, "x", 1);
    assert_int_equal(hear_ack().acknowledgment, host.sequence + 1u);
}

static void no_more_is_taken_than_the_window_said(void **state) {
    (void)state;
    uint8_t got[2 * KYMO_NET_RECEIVE_BYTES];
    script_say(ACK, sample, KYMO_NET_RECEIVE_BYTES + 100);
    const struct segment answer = hear_ack();
    assert_int_equal(answer.acknowledgment, host.sequence + KYMO_NET_RECEIVE_BYTES);
    assert_int_equal(read_all(got, sizeof got), KYMO_NET_RECEIVE_BYTES);
    assert_memory_equal(got, sample, KYMO_NET_RECEIVE_BYTES);
}

static void a_keep_alive_of_the_host_is_answered(void **state) {
    (void)state;
    const uint32_t expected = host.sequence;
    host.sequence--;
    script_say(ACK, NULL, 0);
    assert_int_equal(hear_ack().acknowledgment, expected);
}

/* ---- forged segments ---- */

static void only_an_exact_reset_is_obeyed(void **state) {
    (void)state;
    const uint32_t expected = host.sequence;
    host.sequence = expected + 1u; /* in the window: RFC 5961 section 3.2 */
    script_say(RST, NULL, 0);
    assert_int_equal(hear_ack().acknowledgment, expected);
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

static void a_request_in_the_window_is_challenged(void **state) {
    (void)state;
    const uint32_t expected = host.sequence;
    script_say(SYN, NULL, 0);
    assert_int_equal(hear_ack().acknowledgment, expected);
    assert_true(kymo_net_connected(&net));
    is_alive();
}

static void an_acknowledgement_of_what_was_never_sent_is_challenged(void **state) {
    (void)state;
    uint8_t got[16];
    const uint32_t right = host.acknowledgment;
    host.acknowledgment = right + 1u;
    script_say(ACK, "evil", 4);
    assert_int_equal(hear_ack().sequence, right);
    host.acknowledgment = right - 70000u; /* older than any window */
    script_wait(200);
    script_say(ACK, "evil", 4);
    (void)hear_ack();
    assert_int_equal(counters->challenges, 2);
    assert_int_equal(read_all(got, sizeof got), 0);
    host.acknowledgment = right;
    is_alive();
}

static void doubtful_segments_are_not_answered_without_end(void **state) {
    (void)state;
    uint32_t answers = 0;
    host.sequence += 100000u;
    for (uint32_t i = 0; i < 1000; i++) {
        script_say(ACK, "x", 1);
        now_ms++;
        while (!script_silent()) {
            (void)hear_ack();
            answers++;
        }
    }
    assert_in_range(answers, 9, 11);
    assert_int_equal(counters->out_of_window, 1000);
}

/* ---- ending ---- */

static void the_board_closes_first(void **state) {
    (void)state;
    script_write("one frame\0", 10);
    kymo_net_close(&net);
    kymo_net_poll(&net);
    assert_int_equal(transport->write(transport->context, sample, 10), 0);
    (void)script_hear();
    struct segment fin = script_hear();
    assert_int_equal(fin.flags & FIN, FIN);
    assert_false(kymo_net_idle(&net));
    host.acknowledgment = fin.sequence + 1u;
    script_say(ACK, NULL, 0);
    assert_true(kymo_net_idle(&net));
    assert_true(kymo_net_connected(&net)); /* until the host closes, too */
    script_say(ACK | FIN, NULL, 0);
    assert_int_equal(hear_ack().acknowledgment, host.sequence + 1u);
    assert_false(kymo_net_connected(&net));
    script_wait(200);
    script_say(ACK | FIN, NULL, 0); /* our acknowledgement was lost */
    assert_int_equal(hear_ack().acknowledgment, host.sequence + 1u);
    host.sequence = 0x12345678; /* a new connection from the same port */
    script_connect(MSS);
    is_alive();
}

static void the_host_closes_first(void **state) {
    (void)state;
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
    is_alive();
}

static void a_lost_fin_is_sent_again(void **state) {
    (void)state;
    kymo_net_close(&net);
    kymo_net_poll(&net);
    const struct segment fin = script_hear();
    script_wait(1100);
    const struct segment again = script_hear();
    assert_int_equal(again.flags, fin.flags);
    assert_int_equal(again.sequence, fin.sequence);
}

static void a_host_that_never_closes_is_given_up(void **state) {
    (void)state;
    kymo_net_close(&net);
    kymo_net_poll(&net);
    host.acknowledgment = script_hear().sequence + 1u;
    script_say(ACK, NULL, 0);
    script_wait(9900);
    assert_true(kymo_net_connected(&net));
    script_wait(200);
    assert_false(kymo_net_connected(&net));
}

static void a_new_connection_begins_with_a_frame(void **state) {
    (void)state;
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

static void a_silent_peer_is_asked_and_given_up(void **state) {
    (void)state;
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

static void a_peer_that_answers_is_not_given_up(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 60; i++) {
        script_wait(KYMO_NET_KEEP_ALIVE_MS);
        (void)hear_ack();
        script_say(ACK, NULL, 0);
    }
    assert_int_equal(counters->keep_alives, 60);
    is_alive();
}

#define WITH(fixture, test) cmocka_unit_test_setup(test, fixture)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH(start, nothing_is_taken_while_nobody_is_connected),
        WITH(start, a_handshake_opens_the_connection),
        WITH(start, the_answer_to_a_request_tells_window_and_segment_size),
        WITH(start, a_lost_answer_is_repeated_with_growing_pauses),
        WITH(start, a_request_in_the_first_poll_is_one),
        WITH(start, a_lost_end_of_the_handshake_is_made_up_for_by_data),
        WITH(start, a_wrong_end_of_the_handshake_is_reset),
        WITH(start, a_flood_of_requests_shuts_nobody_out),
        WITH(start, a_cookie_holds_for_a_minute_and_not_for_three),
        WITH(start, first_sequence_numbers_cannot_be_foreseen),
        WITH(start_connected, a_second_host_is_refused_while_the_first_one_answers),
        WITH(start_connected, a_second_host_gets_the_place_of_one_that_is_gone),
        WITH(start_connected, a_host_that_came_back_finds_its_old_connection_and_ends_it),
        WITH(start_connected, data_are_acknowledged_and_read),
        WITH(start_connected, what_comes_after_a_gap_is_dropped_and_asked_for),
        WITH(start_connected, what_came_before_is_not_taken_twice),
        WITH(start_connected, the_window_shuts_when_nothing_is_read_and_opens_again),
        WITH(start_connected, no_more_is_taken_than_the_window_said),
        WITH(start_connected, a_keep_alive_of_the_host_is_answered),
        WITH(start_connected, only_an_exact_reset_is_obeyed),
        WITH(start_connected, a_request_in_the_window_is_challenged),
        WITH(start_connected, an_acknowledgement_of_what_was_never_sent_is_challenged),
        WITH(start_connected, doubtful_segments_are_not_answered_without_end),
        WITH(start_connected, the_board_closes_first),
        WITH(start_connected, the_host_closes_first),
        WITH(start_connected, a_lost_fin_is_sent_again),
        WITH(start_connected, a_host_that_never_closes_is_given_up),
        WITH(start_connected, a_new_connection_begins_with_a_frame),
        WITH(start_connected, a_silent_peer_is_asked_and_given_up),
        WITH(start_connected, a_peer_that_answers_is_not_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
