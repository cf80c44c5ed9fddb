/* SPDX-License-Identifier: MIT */
/* TCP's segments and their times, by scripted acknowledgements: windows, losses, timers. RFC
 * 9293, RFC 5681, RFC 6298. */
#include <string.h>

#include "cases.h"
#include "net/script.h"
#include "net_tcp_congestion.h"
#include "net_tcp_rtt.h"

#define MSS 1024u /* one that a cookie holds as it is */

static uint8_t sample[2 * KYMO_NET_SEND_BYTES];

FIXTURE(start) {
    script_start(BOARD_ADDRESS);
    for (size_t i = 0; i < sizeof sample; i++) {
        sample[i] = (uint8_t)(i * 7 + i / 256);
    }
    script_connect(MSS);
    return 0;
}

/* The next segment holds "length" bytes of the sample from "at" on; it began at the first byte
 * sent. */
static void hear_sample(uint32_t first, size_t at, size_t length) {
    const struct segment segment = script_hear();
    assert_int_equal(segment.sequence, first + at);
    assert_int_equal(segment.length, length);
    assert_memory_equal(segment.data, sample + at, length);
}

static void acknowledge(uint32_t sequence) {
    host.acknowledgment = sequence;
    script_say(ACK, NULL, 0);
}

CASE(data_are_cut_into_segments_of_the_size_agreed_on, start) {
    const uint32_t first = host.acknowledgment;
    script_write(sample, 2 * MSS + 100);
    hear_sample(first, 0, MSS);
    hear_sample(first, MSS, MSS);
    assert_true(script_silent()); /* the rest waits for more */
    script_wait(KYMO_NET_FLUSH_MS + 10);
    hear_sample(first, 2 * MSS, 100);
    acknowledge(first + 2 * MSS + 100);
    assert_true(kymo_net_idle(&net));
}

CASE(an_odd_segment_size_is_rounded_down, start) {
    script_say(RST, NULL, 0);
    script_connect(1000);
    script_write(sample, 4096);
    assert_int_equal(script_hear().length, 536);
    script_say(RST, NULL, 0);
    script_forget();
    script_connect(0); /* it does not say: 536 */
    script_write(sample, 4096);
    assert_int_equal(script_hear().length, 536);
}

CASE(short_writes_go_together, start) {
    const uint32_t first = host.acknowledgment;
    script_write(sample, 10);
    hear_sample(first, 0, 10); /* nothing was on its way */
    for (size_t i = 10; i < 60; i += 10) {
        script_write(sample + i, 10);
    }
    assert_true(script_silent());
    acknowledge(first + 10);
    hear_sample(first, 10, 50);
}

CASE(the_window_of_the_host_is_kept, start) {
    const uint32_t first = host.acknowledgment;
    host.window = 3 * MSS;
    script_say(ACK, NULL, 0);
    script_write(sample, 6 * MSS);
    for (size_t i = 0; i < 3; i++) {
        hear_sample(first, i * MSS, MSS);
    }
    script_wait(100);
    assert_true(script_silent());
    acknowledge(first + MSS);
    hear_sample(first, 3 * MSS, MSS);
    assert_true(script_silent());
}

CASE(an_old_acknowledgement_does_not_change_the_window, start) {
    const uint32_t first = host.acknowledgment;
    script_write(sample, 2 * MSS);
    script_forget();
    acknowledge(first + 2 * MSS);
    host.window = 1; /* overtaken on the way */
    acknowledge(first + MSS);
    script_write(sample + 2 * MSS, MSS);
    hear_sample(first, 2 * MSS, MSS);
}

CASE(no_more_is_taken_than_there_is_room_for, start) {
    const uint32_t first = host.acknowledgment;
    assert_int_equal(transport->write(transport->context, sample, sizeof sample),
                     KYMO_NET_SEND_BYTES);
    assert_int_equal(transport->write(transport->context, sample, 1), 0);
    script_forget();
    acknowledge(first + MSS);
    assert_int_equal(
        transport->write(transport->context, sample + KYMO_NET_SEND_BYTES, sizeof sample), MSS);
    for (size_t i = MSS; i < KYMO_NET_SEND_BYTES; i += MSS) {
        acknowledge(first + (uint32_t)(i + MSS));
    }
    hear_sample(first, KYMO_NET_SEND_BYTES, MSS);
}

/* RFC 6298: 1 s before the first sample, then twice as long each time, here up to 4 s. */
CASE(what_is_not_acknowledged_is_sent_again_less_and_less_often, start) {
    const uint32_t first = host.acknowledgment, begin = now_ms;
    const uint32_t expected_ms[] = {1000, 3000, 7000, 11000, 15000};
    script_write(sample, 2 * MSS);
    script_forget();
    for (size_t i = 0; i < 5; i++) {
        while (script_silent() && now_ms - begin < 60000) {
            script_wait(10);
        }
        assert_in_range(now_ms - begin, expected_ms[i], expected_ms[i] + 30);
        hear_sample(first, 0, MSS);
        assert_true(script_silent()); /* one segment only: slow start */
    }
    assert_int_equal(counters->timeouts, 5);
    acknowledge(first + MSS);
    hear_sample(first, MSS, MSS);
}

CASE(a_peer_that_acknowledges_nothing_is_given_up, start) {
    const uint32_t begin = now_ms;
    script_write(sample, MSS);
    while (kymo_net_connected(&net) && now_ms - begin < 100000) {
        script_wait(10);
    }
    assert_in_range(now_ms - begin, 20000, 45000);
    assert_int_equal(counters->timeouts, KYMO_NET_TRIES);
    assert_int_equal(counters->aborted, 1);
    assert_true(kymo_net_idle(&net));
}

CASE(the_timeout_follows_the_round_trip, start) {
    uint32_t first = host.acknowledgment;
    for (uint32_t i = 0; i < 40; i++) { /* 100 ms, again and again */
        script_write(sample, MSS);
        script_wait(100);
        first += MSS;
        acknowledge(first);
    }
    script_forget();
    const uint32_t begin = now_ms;
    script_write(sample, MSS);
    script_forget();
    while (script_silent()) {
        script_wait(10);
    }
    assert_in_range(now_ms - begin, 250, 270); /* the least there is */
}

/* RFC 6298 sections 2.2 and 2.3 in floating point, of round trips that become shorter and longer. */
CASE(the_timeout_is_that_of_the_rfc) {
    static const uint32_t trips_ms[] = {900, 500, 300, 300, 700, 100, 20, 20, 20};
    struct kymo_tcp_rtt rtt;
    double smoothed = 0, variation = 0;
    kymo_tcp_rtt_init(&rtt);
    for (uint32_t i = 0; i < sizeof trips_ms / sizeof trips_ms[0]; i++) {
        const double trip = trips_ms[i], off = smoothed > trip ? smoothed - trip : trip - smoothed;
        variation = i == 0 ? trip / 2 : 0.75 * variation + 0.25 * off;
        smoothed = i == 0 ? trip : 0.875 * smoothed + 0.125 * trip;
        kymo_tcp_rtt_sent(&rtt, i, 10000 * i);
        kymo_tcp_rtt_acknowledged(&rtt, i, 10000 * i + trips_ms[i]);
        const uint32_t timeout_ms = (uint32_t)(smoothed + 4 * variation);
        assert_in_range(timeout_ms, KYMO_TCP_TIMEOUT_LEAST_MS, KYMO_TCP_TIMEOUT_MOST_MS);
        assert_in_range(rtt.timeout_ms, timeout_ms - 5, timeout_ms + 5);
    }
}

CASE(three_duplicates_mean_that_a_segment_is_lost, start) {
    const uint32_t first = host.acknowledgment;
    script_write(sample, 6 * MSS);
    script_forget();
    for (uint32_t i = 0; i < 2; i++) {
        acknowledge(first);
        assert_true(script_silent());
    }
    acknowledge(first);
    hear_sample(first, 0, MSS);
    assert_int_equal(counters->fast_retransmits, 1);
    acknowledge(first + 3 * MSS); /* a part: the fourth is lost as well (RFC 6582) */
    hear_sample(first, 3 * MSS, MSS);
    acknowledge(first + 6 * MSS);
    assert_true(script_silent());
    assert_true(kymo_net_idle(&net));
    assert_int_equal(counters->timeouts, 0);
}

CASE(a_loss_near_the_end_is_seen_by_fewer_duplicates, start) {
    const uint32_t first = host.acknowledgment;
    script_write(sample, 2 * MSS);
    script_forget();
    acknowledge(first);
    hear_sample(first, 0, MSS);
}

CASE(window_updates_are_no_duplicates, start) {
    script_write(sample, 6 * MSS);
    script_forget();
    for (uint32_t i = 0; i < 5; i++) {
        host.window++;
        script_say(ACK, NULL, 0);
    }
    assert_true(script_silent());
    assert_int_equal(counters->fast_retransmits, 0);
}

/* RFC 5681: after a loss one segment, then twice as many with each round trip. */
CASE(the_network_is_tried_slowly_after_a_loss, start) {
    uint32_t first = host.acknowledgment, in_row;
    script_write(sample, KYMO_NET_SEND_BYTES);
    script_forget();
    script_wait(1100);
    const uint32_t expected[] = {1, 2, 3};
    for (uint32_t round = 0; round < 3; round++) {
        for (in_row = 0; !script_silent(); in_row++) {
            first = host.acknowledgment;
            const struct segment segment = script_hear();
            assert_int_equal(segment.sequence, first + in_row * MSS);
        }
        assert_in_range(in_row, expected[round], expected[round] + 1);
        host.acknowledgment += in_row * MSS;
        script_say(ACK, NULL, 0);
    }
}

/* RFC 5681, 3.1, congestion avoidance: above the threshold the window grows by one segment for
 * each acknowledged window of bytes. */
CASE(a_network_that_lost_data_is_filled_by_one_segment_a_window) {
    struct kymo_tcp_congestion congestion;
    kymo_tcp_congestion_init(&congestion, MSS, 0);
    kymo_tcp_congestion_timeout(&congestion, 8 * MSS, 0);
    uint32_t acknowledged = 0;
    while (congestion.window < 4 * MSS) { /* half of the bytes in flight */
        acknowledged += MSS;
        assert_false(kymo_tcp_congestion_acknowledged(&congestion, acknowledged, MSS, 0));
    }
    assert_int_equal(acknowledged, 3 * MSS);
    for (uint32_t segments = 4; segments < 12; segments++) {
        for (uint32_t i = 0; i < segments; i++) {
            assert_int_equal(congestion.window, segments * MSS);
            acknowledged += MSS;
            (void)kymo_tcp_congestion_acknowledged(&congestion, acknowledged, MSS, 0);
        }
    }
    assert_int_equal(congestion.window, 12 * MSS);
}

CASE(a_shut_window_is_not_probed_before_the_timeout, start) {
    const uint32_t first = host.acknowledgment;
    host.window = 0;
    script_say(ACK, NULL, 0);
    script_write(sample, 2 * MSS);
    script_wait(980); /* of 1 s, RFC 6298 section 2.1 */
    assert_true(script_silent());
    script_wait(40);
    hear_sample(first, 0, 1);
    assert_true(script_silent());
}

CASE(a_shut_window_is_probed_until_it_opens, start) {
    const uint32_t first = host.acknowledgment;
    uint32_t probes = 0;
    host.window = 0;
    script_say(ACK, NULL, 0);
    script_write(sample, 2 * MSS);
    assert_true(script_silent());
    for (uint32_t second = 0; second < 120; second++) {
        script_wait(1000);
        while (!script_silent()) {
            hear_sample(first, 0, 1);
            probes++;
            script_say(ACK, NULL, 0); /* still shut */
        }
    }
    assert_in_range(probes, 29, 33); /* every 4 s at last */
    assert_int_equal(counters->window_probes, probes);
    assert_true(kymo_net_connected(&net));
    host.window = 60000;
    script_say(ACK, NULL, 0);
    hear_sample(first, 0, MSS);
    hear_sample(first, MSS, MSS);
}

CASE(a_probe_that_is_taken_counts, start) {
    const uint32_t first = host.acknowledgment;
    host.window = 0;
    script_say(ACK, NULL, 0);
    script_write(sample, 2 * MSS + 1);
    script_wait(1100);
    hear_sample(first, 0, 1);
    host.window = 60000;
    acknowledge(first + 1);
    hear_sample(first, 1, MSS);
    hear_sample(first, 1 + MSS, MSS);
}

CASE(a_window_too_small_to_be_worth_it_is_filled_in_the_end, start) {
    const uint32_t first = host.acknowledgment;
    host.window = 100;
    script_say(ACK, NULL, 0);
    script_write(sample, MSS);
    assert_true(script_silent());
    script_wait(1100);
    hear_sample(first, 0, 100);
}

CASE(a_link_without_room_only_delays, start) {
    const uint32_t first = host.acknowledgment;
    wire.room = 0;
    script_write(sample, 2 * MSS);
    script_wait(100);
    assert_true(script_silent());
    wire.room = 1;
    kymo_net_poll(&net);
    hear_sample(first, 0, MSS);
    kymo_net_poll(&net);
    hear_sample(first, MSS, MSS);
}

CASE(acknowledgements_ride_on_data, start) {
    uint8_t got[8];
    wire.room = 0;
    script_say(ACK, "hello", 5);
    wire.room = LINK_FRAMES;
    assert_int_equal(transport->read(transport->context, got, sizeof got), 5);
    host.sequence += 5;
    script_forget();
    script_write(sample, 10);
    const struct segment segment = script_hear();
    assert_int_equal(segment.length, 10);
    assert_int_equal(segment.acknowledgment, host.sequence);
    assert_true(script_silent());
}
