/* SPDX-License-Identifier: MIT */
/* The serial port on USB against a strict host: every byte once and in order, both ways. */
#include <string.h>

#include "cases.h"
#include "usb_stream.h"

#define STREAM_BYTES 65536u

/* ---- towards the host ---- */

CASE(test_stream_to_the_host) {
    for (unsigned lose = 0; lose < 6; lose++) {
        start(lose % 2 == 0 ? BENCH_POLLED : BENCH_INTERRUPTS);
        bench.host.lose_every = lose;
        bench.host.patience = 2;
        push(STREAM_BYTES);
        host_takes_all();
        assert_int_equal(stream.received, STREAM_BYTES);
        assert_true(kymo_usb_cdc_idle(&bench.cdc));
    }
}

/* A read of 128 bytes, like Linux's, ends at once after a write of any length. */
CASE(test_every_length_ends_a_read) {
    uint8_t bytes[128];
    size_t there;
    start(BENCH_INTERRUPTS);
    bench.host.patience = 2;
    for (size_t length = 1; length < 128; length++) {
        assert_int_equal(firmware_writes(length), length);
        assert_true(host_read(&bench.host, BULK_IN, bytes, sizeof bytes, &there) >= 0);
        assert_int_equal(there, length);
        assert_int_equal(host_in(&bench.host, BULK_IN, bytes), HOST_NAK);
    }
}

CASE(test_empty_packet_behind_a_full_last_one) {
    start(BENCH_INTERRUPTS);
    assert_int_equal(firmware_writes(64), 64);
    assert_int_equal(host_takes(), 64);
    assert_false(kymo_usb_cdc_idle(&bench.cdc));
    assert_int_equal(host_takes(), 0);
    assert_true(kymo_usb_cdc_idle(&bench.cdc));
    bench.host.patience = 2;
    assert_int_equal(host_takes(), HOST_NAK);
    assert_int_equal(firmware_writes(63), 63);
    assert_int_equal(host_takes(), 63);
    assert_int_equal(host_takes(), HOST_NAK);
}

CASE(test_no_empty_packet_where_more_follows) {
    start(BENCH_INTERRUPTS);
    assert_int_equal(firmware_writes(65), 65);
    assert_int_equal(host_takes(), 64);
    assert_int_equal(host_takes(), 1);
    bench.host.patience = 2;
    assert_int_equal(host_takes(), HOST_NAK);
}

CASE(test_a_host_that_never_reads) {
    uint8_t byte = 0x55;
    start(BENCH_INTERRUPTS);
    for (int i = 0; i < 10; i++) {
        (void)firmware_writes(1000);
    }
    assert_int_equal(stream.written, KYMO_USB_OUTPUT_BYTES);
    assert_int_equal(firmware_writes(1), 0);
    assert_int_equal(host_out(&bench.host, BULK_OUT, &byte, 1), 1);
    assert_int_equal(bench.transport->read(bench.transport->context, &byte, 1), 1);
    assert_int_equal(host_set_line(&bench.host, true), 0);
    host_takes_all();
}

/* ---- DTR ---- */

CASE(test_nothing_flows_before_the_port_is_open) {
    stream.written = stream.received = 0;
    bench_start(BENCH_INTERRUPTS, false);
    bench.host.patience = 2;
    assert_int_equal(firmware_writes(100), 0);
    host_enumerate(&bench.host);
    assert_int_equal(firmware_writes(100), 0);
    assert_int_equal(host_takes(), HOST_NAK);
    assert_false(kymo_usb_cdc_open(&bench.cdc));
    assert_true(kymo_usb_cdc_idle(&bench.cdc));
    assert_int_equal(host_set_line(&bench.host, true), 0);
    assert_true(kymo_usb_cdc_open(&bench.cdc));
    assert_int_equal(firmware_writes(100), 100);
    host_takes_all();
}

/* RTS alone is no open port. */
CASE(test_only_dtr_counts) {
    start(BENCH_INTERRUPTS);
    assert_int_equal(host_ask(&bench.host, 0x21, 0x22, 2, 0, 0, NULL), 0);
    assert_false(kymo_usb_cdc_open(&bench.cdc));
    assert_int_equal(host_ask(&bench.host, 0x21, 0x22, 1, 0, 0, NULL), 0);
    assert_true(kymo_usb_cdc_open(&bench.cdc));
}

CASE(test_closed_and_opened_again) {
    start(BENCH_INTERRUPTS);
    bench.host.patience = 2;
    for (int i = 0; i < 50; i++) {
        push(997);
        assert_int_equal(host_set_line(&bench.host, false), 0);
        assert_int_equal(firmware_writes(10), 0);
        assert_true(kymo_usb_cdc_idle(&bench.cdc));
        assert_true(host_takes() >= HOST_NAK); /* at most the packet that was armed */
        assert_int_equal(host_takes(), HOST_NAK);
        assert_int_equal(host_set_line(&bench.host, true), 0);
    }
    host_takes_all();
    assert_int_equal(stream.received, 50 * 997);
}

CASE(test_closing_forgets_what_was_not_read) {
    uint8_t bytes[64] = {1, 2, 3};
    start(BENCH_INTERRUPTS);
    assert_int_equal(host_out(&bench.host, BULK_OUT, bytes, 3), 3);
    assert_int_equal(host_set_line(&bench.host, false), 0);
    assert_int_equal(host_set_line(&bench.host, true), 0);
    assert_int_equal(bench.transport->read(bench.transport->context, bytes, sizeof bytes), 0);
    assert_int_equal(kymo_usb_cdc_lost_bytes(&bench.cdc), 0);
}

/* ---- from the host ---- */

static size_t firmware_reads(size_t at, size_t most) {
    uint8_t bytes[64];
    const size_t count = bench.transport->read(bench.transport->context, bytes, most);
    assert_true(count <= most);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(bytes[i], stream_byte(at + i));
    }
    return count;
}

CASE(test_stream_from_the_host) {
    for (unsigned lose = 0; lose < 6; lose++) {
        start(lose % 2 == 0 ? BENCH_POLLED : BENCH_INTERRUPTS);
        bench.host.lose_every = lose;
        size_t read = 0;
        for (size_t sent = 0, turn = 0; sent < STREAM_BYTES; turn++) {
            uint8_t bytes[64];
            size_t length = turn * 13 % 65;
            length = length < STREAM_BYTES - sent ? length : STREAM_BYTES - sent;
            for (size_t i = 0; i < length; i++) {
                bytes[i] = stream_byte(sent + i);
            }
            assert_int_equal(host_out(&bench.host, BULK_OUT, bytes, length), length);
            sent += length;
            for (size_t count = 1; count > 0 && read < sent;) {
                count = firmware_reads(read, 1 + turn % 64);
                read += count;
            }
            assert_int_equal(read, sent);
        }
        assert_int_equal(kymo_usb_cdc_lost_bytes(&bench.cdc), 0);
    }
}

CASE(test_what_nobody_reads_is_dropped_and_told) {
    uint8_t bytes[64];
    start(BENCH_INTERRUPTS);
    assert_int_equal(host_takes_state(), 3);
    for (size_t sent = 0; sent < 4096; sent += 64) {
        for (size_t i = 0; i < 64; i++) {
            bytes[i] = stream_byte(sent + i);
        }
        assert_int_equal(host_out(&bench.host, BULK_OUT, bytes, 64), 64);
    }
    assert_int_equal(kymo_usb_cdc_lost_bytes(&bench.cdc), 4096 - KYMO_USB_INPUT_BYTES);
    assert_int_equal(host_takes_state(), 0x43);
    assert_int_equal(host_takes_state(), 0x43); /* another one came while that was on its way */
    assert_int_equal(host_takes_state(), HOST_NAK);
    for (size_t read = 0; read < KYMO_USB_INPUT_BYTES;) {
        const size_t count = firmware_reads(read, 50);
        assert_true(count > 0);
        read += count;
    }
    assert_int_equal(firmware_reads(0, 50), 0);
}

CASE(test_what_comes_without_dtr_is_thrown_away) {
    uint8_t bytes[64] = {0};
    start(BENCH_INTERRUPTS);
    assert_int_equal(host_set_line(&bench.host, false), 0);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(host_out(&bench.host, BULK_OUT, bytes, 64), 64);
    }
    assert_int_equal(bench.transport->read(bench.transport->context, bytes, 64), 0);
    assert_int_equal(kymo_usb_cdc_lost_bytes(&bench.cdc), 0);
}
