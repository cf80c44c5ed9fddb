/* The serial port on USB against a strict host: every byte once and in order, whatever the host does, and a
 * firmware that never waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "usb/bench.h"

#define STREAM_BYTES 65536u
#define BULK_IN 0x81
#define BULK_OUT 0x01
#define NOTIFY 0x82

/* ---- a stream that shows a lost, doubled or exchanged byte ---- */

static uint8_t stream_byte(size_t at) { return (uint8_t)(at * 7u + (at >> 8) * 3u); }

static struct {
    size_t written;  /* what the firmware has given to the transport */
    size_t received; /* what has arrived at the host */
} stream;

static void start(enum bench_kind kind) {
    stream.written = stream.received = 0;
    bench_open(kind);
}

/* The firmware writes up to "most" bytes; how many were taken. */
static size_t firmware_writes(size_t most) {
    uint8_t bytes[1024];
    assert_true(most <= sizeof bytes);
    for (size_t i = 0; i < most; i++) {
        bytes[i] = stream_byte(stream.written + i);
    }
    const size_t taken = bench.transport->write(bench.transport->context, bytes, most);
    assert_true(taken <= most);
    stream.written += taken;
    return taken;
}

/* One packet; its length, or HOST_.... */
static int host_takes(void) {
    uint8_t bytes[USB_PACKET_BYTES];
    const int length = host_in(&bench.host, BULK_IN, bytes);
    for (int i = 0; i < length; i++) {
        assert_int_equal(bytes[i], stream_byte(stream.received++));
    }
    return length;
}

/* Until there is nothing left. */
static void host_takes_all(void) {
    while (host_takes() >= 0) {}
    assert_int_equal(stream.received, stream.written);
}

static void push(size_t bytes) {
    const size_t end = stream.written + bytes;
    for (unsigned turn = 0; stream.written < end; turn++) {
        const size_t most = 1u + turn * 37u % 700u;
        (void)firmware_writes(most < end - stream.written ? most : end - stream.written);
        if (turn % 3u == 0u) {
            (void)host_takes();
        }
    }
}

/* ---- towards the host ---- */

static void test_stream_to_the_host(void **state) {
    (void)state;
    for (unsigned lose = 0; lose < 6; lose++) {
        start(lose % 2 == 0 ? BENCH_POLLED : BENCH_INTERRUPTS);
        bench.host.lose_every = lose;
        bench.host.patience = 2;
        push(STREAM_BYTES);
        host_takes_all();
        assert_int_equal(stream.received, STREAM_BYTES);
        assert_true(usb_cdc_idle(&bench.cdc));
    }
}

/* A read of 128 bytes, as Linux makes it, ends at once whatever the length of what was written. */
static void test_every_length_ends_a_read(void **state) {
    (void)state;
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

static void test_empty_packet_behind_a_full_last_one(void **state) {
    (void)state;
    start(BENCH_INTERRUPTS);
    assert_int_equal(firmware_writes(64), 64);
    assert_int_equal(host_takes(), 64);
    assert_false(usb_cdc_idle(&bench.cdc));
    assert_int_equal(host_takes(), 0);
    assert_true(usb_cdc_idle(&bench.cdc));
    bench.host.patience = 2;
    assert_int_equal(host_takes(), HOST_NAK);
    assert_int_equal(firmware_writes(63), 63);
    assert_int_equal(host_takes(), 63);
    assert_int_equal(host_takes(), HOST_NAK);
}

static void test_no_empty_packet_where_more_follows(void **state) {
    (void)state;
    start(BENCH_INTERRUPTS);
    assert_int_equal(firmware_writes(65), 65);
    assert_int_equal(host_takes(), 64);
    assert_int_equal(host_takes(), 1);
    bench.host.patience = 2;
    assert_int_equal(host_takes(), HOST_NAK);
}

static void test_a_host_that_never_reads(void **state) {
    (void)state;
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

static void test_nothing_flows_before_the_port_is_open(void **state) {
    (void)state;
    stream.written = stream.received = 0;
    bench_start(BENCH_INTERRUPTS, false);
    bench.host.patience = 2;
    assert_int_equal(firmware_writes(100), 0);
    host_enumerate(&bench.host);
    assert_int_equal(firmware_writes(100), 0);
    assert_int_equal(host_takes(), HOST_NAK);
    assert_false(usb_cdc_open(&bench.cdc));
    assert_true(usb_cdc_idle(&bench.cdc));
    assert_int_equal(host_set_line(&bench.host, true), 0);
    assert_true(usb_cdc_open(&bench.cdc));
    assert_int_equal(firmware_writes(100), 100);
    host_takes_all();
}

/* RTS alone is no open port. */
static void test_only_dtr_counts(void **state) {
    (void)state;
    start(BENCH_INTERRUPTS);
    assert_int_equal(host_ask(&bench.host, 0x21, 0x22, 2, 0, 0, NULL), 0);
    assert_false(usb_cdc_open(&bench.cdc));
    assert_int_equal(host_ask(&bench.host, 0x21, 0x22, 1, 0, 0, NULL), 0);
    assert_true(usb_cdc_open(&bench.cdc));
}

static void test_closed_and_opened_again(void **state) {
    (void)state;
    start(BENCH_INTERRUPTS);
    bench.host.patience = 2;
    for (int i = 0; i < 50; i++) {
        push(997);
        assert_int_equal(host_set_line(&bench.host, false), 0);
        assert_int_equal(firmware_writes(10), 0);
        assert_true(usb_cdc_idle(&bench.cdc));
        assert_true(host_takes() >= HOST_NAK); /* at most the packet that was armed */
        assert_int_equal(host_takes(), HOST_NAK);
        assert_int_equal(host_set_line(&bench.host, true), 0);
    }
    host_takes_all();
    assert_int_equal(stream.received, 50 * 997);
}

static void test_closing_forgets_what_was_not_read(void **state) {
    (void)state;
    uint8_t bytes[64] = {1, 2, 3};
    start(BENCH_INTERRUPTS);
    assert_int_equal(host_out(&bench.host, BULK_OUT, bytes, 3), 3);
    assert_int_equal(host_set_line(&bench.host, false), 0);
    assert_int_equal(host_set_line(&bench.host, true), 0);
    assert_int_equal(bench.transport->read(bench.transport->context, bytes, sizeof bytes), 0);
    assert_int_equal(usb_cdc_lost_bytes(&bench.cdc), 0);
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

static void test_stream_from_the_host(void **state) {
    (void)state;
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
        assert_int_equal(usb_cdc_lost_bytes(&bench.cdc), 0);
    }
}

static int take_state(void) {
    uint8_t bytes[USB_PACKET_BYTES];
    bench.host.patience = 2;
    const int length = host_in(&bench.host, NOTIFY, bytes);
    if (length < 0) {
        return length;
    }
    /* PSTN 6.5.4: class request to the host, SERIAL_STATE, interface 0, 2 bytes */
    static const uint8_t head[] = {0xa1, 0x20, 0, 0, 0, 0, 2, 0};
    assert_int_equal(length, 10);
    assert_memory_equal(bytes, head, sizeof head);
    assert_int_equal(bytes[9], 0);
    return bytes[8];
}

static void test_what_nobody_reads_is_dropped_and_told(void **state) {
    (void)state;
    uint8_t bytes[64];
    start(BENCH_INTERRUPTS);
    assert_int_equal(take_state(), 3);
    for (size_t sent = 0; sent < 4096; sent += 64) {
        for (size_t i = 0; i < 64; i++) {
            bytes[i] = stream_byte(sent + i);
        }
        assert_int_equal(host_out(&bench.host, BULK_OUT, bytes, 64), 64);
    }
    assert_int_equal(usb_cdc_lost_bytes(&bench.cdc), 4096 - KYMO_USB_INPUT_BYTES);
    assert_int_equal(take_state(), 0x43);
    assert_int_equal(take_state(), 0x43); /* another one came while that was on its way */
    assert_int_equal(take_state(), HOST_NAK);
    for (size_t read = 0; read < KYMO_USB_INPUT_BYTES;) {
        const size_t count = firmware_reads(read, 50);
        assert_true(count > 0);
        read += count;
    }
    assert_int_equal(firmware_reads(0, 50), 0);
}

static void test_what_comes_without_dtr_is_thrown_away(void **state) {
    (void)state;
    uint8_t bytes[64] = {0};
    start(BENCH_INTERRUPTS);
    assert_int_equal(host_set_line(&bench.host, false), 0);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(host_out(&bench.host, BULK_OUT, bytes, 64), 64);
    }
    assert_int_equal(bench.transport->read(bench.transport->context, bytes, 64), 0);
    assert_int_equal(usb_cdc_lost_bytes(&bench.cdc), 0);
}

/* ---- the bus ---- */

static void open_again(void) {
    host_enumerate(&bench.host);
    assert_int_equal(firmware_writes(1), 0);
    assert_int_equal(host_set_line(&bench.host, true), 0);
}

static void test_resets_in_the_middle(void **state) {
    (void)state;
    start(BENCH_INTERRUPTS);
    bench.host.patience = 2;
    for (int i = 0; i < 20; i++) {
        push(1009);
        host_reset(&bench.host);
        assert_false(usb_cdc_open(&bench.cdc));
        assert_int_equal(firmware_writes(1), 0);
        open_again();
    }
    host_takes_all();
    assert_int_equal(stream.received, 20 * 1009);
}

static void test_cable_out_and_in(void **state) {
    (void)state;
    start(BENCH_INTERRUPTS);
    bench.host.patience = 2;
    for (int i = 0; i < 20; i++) {
        push(1009);
        model_cable(&bench.model, false);
        assert_false(usb_cdc_open(&bench.cdc));
        assert_int_equal(host_takes(), HOST_SILENT);
        assert_int_equal(firmware_writes(1), 0);
        model_cable(&bench.model, true);
        open_again();
    }
    host_takes_all();
    assert_int_equal(stream.received, 20 * 1009);
}

/* A controller that does not see the cable: only the reset of the next enumeration tells. */
static void test_cable_out_unseen(void **state) {
    (void)state;
    start(BENCH_POLLED);
    bench.host.patience = 2;
    push(1009);
    bench.model.cable = false;
    for (int i = 0; i < 100; i++) {
        (void)firmware_writes(100);
    }
    assert_int_equal(firmware_writes(1), 0);
    bench.model.cable = true;
    host_enumerate(&bench.host);
    assert_int_equal(host_set_line(&bench.host, true), 0);
    host_takes_all();
}

static void test_suspend_and_resume(void **state) {
    (void)state;
    start(BENCH_INTERRUPTS);
    bench.host.patience = 2;
    push(1009);
    assert_false(usb_cdc_suspended(&bench.cdc));
    model_suspend(&bench.model, true);
    assert_true(usb_cdc_suspended(&bench.cdc));
    assert_true(usb_cdc_open(&bench.cdc));
    for (int i = 0; i < 10; i++) {
        (void)firmware_writes(1000);
    }
    assert_int_equal(firmware_writes(1), 0);
    model_suspend(&bench.model, false);
    assert_false(usb_cdc_suspended(&bench.cdc));
    push(1009);
    host_takes_all();
    model_suspend(&bench.model, true);
    host_reset(&bench.host);
    assert_false(usb_cdc_suspended(&bench.cdc));
}

static void test_host_absent(void **state) {
    (void)state;
    stream.written = 0;
    bench_start(BENCH_POLLED, false);
    model_cable(&bench.model, false);
    for (int i = 0; i < 1000; i++) {
        uint8_t byte;
        assert_int_equal(firmware_writes(100), 0);
        assert_int_equal(bench.transport->read(bench.transport->context, &byte, 1), 0);
        assert_true(usb_cdc_idle(&bench.cdc));
    }
}

/* ---- endpoints that start anew ---- */

/* The packet that was armed comes again, as DATA0. */
static void restart(uint8_t type, uint8_t request, uint16_t value, uint16_t index) {
    assert_int_equal(host_ask(&bench.host, type, request, value, index, 0, NULL), 0);
    memset(bench.host.toggle_in, 0, sizeof bench.host.toggle_in);
    memset(bench.host.toggle_out, 0, sizeof bench.host.toggle_out);
}

static void test_endpoints_start_anew(void **state) {
    (void)state;
    static const uint8_t byte = 0x77;
    start(BENCH_INTERRUPTS);
    bench.host.patience = 2;
    for (unsigned i = 0; i < 12; i++) {
        push(500u + i * 37u);
        assert_int_equal(host_out(&bench.host, BULK_OUT, &byte, 1), 1);
        switch (i % 4) {
        case 0: /* cleared without having been halted: IN, then OUT */
            restart(0x02, 1, 0, BULK_IN);
            restart(0x02, 1, 0, BULK_OUT);
            break;
        case 1: /* halted and cleared */
            restart(0x02, 3, 0, BULK_IN);
            assert_int_equal(host_takes(), HOST_STALL);
            assert_true(firmware_writes(10) <= 10);
            restart(0x02, 1, 0, BULK_IN);
            restart(0x02, 1, 0, BULK_OUT);
            break;
        case 2:
            restart(0x01, 11, 0, 1);
            break;
        default:
            restart(0x00, 9, 1, 0);
            assert_false(usb_cdc_open(&bench.cdc));
            assert_int_equal(host_set_line(&bench.host, true), 0);
        }
    }
    host_takes_all();
}

static void test_output_halted_from_the_start(void **state) {
    (void)state;
    start(BENCH_INTERRUPTS);
    restart(0x02, 3, 0, BULK_IN);
    assert_true(firmware_writes(100) <= 100);
    assert_int_equal(host_takes(), HOST_STALL);
    restart(0x02, 1, 0, BULK_IN);
    restart(0x02, 1, 0, BULK_OUT);
    host_takes_all();
}

/* ---- requests of the port ---- */

static void test_serial_state_once_after_configuration(void **state) {
    (void)state;
    start(BENCH_INTERRUPTS);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(take_state(), 3); /* carrier and data set ready */
        assert_int_equal(take_state(), HOST_NAK);
        host_enumerate(&bench.host);
    }
}

static void test_line_coding(void **state) {
    (void)state;
    uint8_t coding[7] = {0};
    uint8_t other[7] = {0x00, 0xc2, 0x01, 0x00, 2, 1, 7}; /* 115200, 2 stop bits, odd, 7 bits */
    start(BENCH_INTERRUPTS);
    assert_int_equal(host_ask(&bench.host, 0xa1, 0x21, 0, 0, 7, coding), 7);
    assert_memory_equal(coding, ((uint8_t[]){0x80, 0x25, 0, 0, 0, 0, 8}), 7);
    assert_int_equal(host_ask(&bench.host, 0x21, 0x20, 0, 0, 7, other), 7);
    assert_int_equal(host_ask(&bench.host, 0xa1, 0x21, 0, 0, 7, coding), 7);
    assert_memory_equal(coding, other, 7);
    assert_true(usb_cdc_open(&bench.cdc));
    host_reset(&bench.host);
    bench_open(BENCH_INTERRUPTS);
    assert_int_equal(host_ask(&bench.host, 0xa1, 0x21, 0, 0, 7, coding), 7);
    assert_int_equal(coding[0], 0x80);
}

static void test_requests_that_do_not_fit(void **state) {
    (void)state;
    uint8_t bytes[16] = {0};
    start(BENCH_INTERRUPTS);
    assert_int_equal(host_ask(&bench.host, 0x21, 0x23, 100, 0, 0, NULL), 0); /* SEND_BREAK */
    assert_int_equal(host_ask(&bench.host, 0x21, 0x23, 100, 0, 2, bytes), HOST_STALL);
    assert_int_equal(host_ask(&bench.host, 0x21, 0x22, 0, 1, 0, NULL), HOST_STALL);
    assert_int_equal(host_ask(&bench.host, 0x22, 0x22, 0, 0, 0, NULL), HOST_STALL);
    assert_int_equal(host_ask(&bench.host, 0x21, 0x22, 0, 0, 1, bytes), HOST_STALL);
    assert_int_equal(host_ask(&bench.host, 0x21, 0x20, 1, 0, 7, bytes), HOST_STALL);
    assert_int_equal(host_ask(&bench.host, 0xa1, 0x21, 0, 1, 7, bytes), HOST_STALL);
    assert_int_equal(host_ask(&bench.host, 0xa1, 0x20, 0, 0, 7, bytes), HOST_STALL);
    assert_int_equal(host_ask(&bench.host, 0x21, 0x00, 0, 0, 7, bytes), HOST_STALL);
    assert_true(usb_cdc_open(&bench.cdc));
}

/* ---- from any context ---- */

static void preempt(void) {
    uint8_t byte;
    usb_cdc_poll(&bench.cdc);
    (void)usb_cdc_idle(&bench.cdc);
    (void)bench.transport->write(bench.transport->context, &byte, 0);
    (void)usb_cdc_open(&bench.cdc);
}

static void test_interrupts_of_a_higher_level_at_every_moment(void **state) {
    (void)state;
    uint8_t byte = 1;
    for (int kind = BENCH_POLLED; kind <= BENCH_INTERRUPTS; kind++) {
        start((enum bench_kind)kind);
        bench.model.preempt = preempt;
        bench.host.patience = 4;
        push(20000);
        assert_int_equal(host_out(&bench.host, BULK_OUT, &byte, 1), 1);
        assert_int_equal(bench.transport->read(bench.transport->context, &byte, 1), 1);
        host_reset(&bench.host);
        bench.host.patience = 64;
        host_enumerate(&bench.host);
        assert_int_equal(host_set_line(&bench.host, true), 0);
        host_takes_all();
        assert_true(bench.model.interrupts);
    }
}

/* A call that finds another one at work changes nothing, and returns. */
static void test_a_call_within_a_call(void **state) {
    (void)state;
    uint8_t byte = 0;
    start(BENCH_INTERRUPTS);
    assert_true(usb_device_enter(&bench.cdc.device));
    assert_false(usb_device_enter(&bench.cdc.device));
    assert_int_equal(firmware_writes(10), 0);
    assert_int_equal(bench.transport->read(bench.transport->context, &byte, 1), 0);
    assert_false(usb_cdc_idle(&bench.cdc));
    assert_false(usb_cdc_attach(&bench.cdc, false));
    assert_true(model_seen(&bench.model));
    assert_false(bench.model.interrupts);
    usb_device_leave(&bench.cdc.device);
    assert_true(bench.model.interrupts);
    assert_int_equal(firmware_writes(10), 10);
    host_takes_all();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream_to_the_host),
        cmocka_unit_test(test_every_length_ends_a_read),
        cmocka_unit_test(test_empty_packet_behind_a_full_last_one),
        cmocka_unit_test(test_no_empty_packet_where_more_follows),
        cmocka_unit_test(test_a_host_that_never_reads),
        cmocka_unit_test(test_nothing_flows_before_the_port_is_open),
        cmocka_unit_test(test_only_dtr_counts),
        cmocka_unit_test(test_closed_and_opened_again),
        cmocka_unit_test(test_closing_forgets_what_was_not_read),
        cmocka_unit_test(test_stream_from_the_host),
        cmocka_unit_test(test_what_nobody_reads_is_dropped_and_told),
        cmocka_unit_test(test_what_comes_without_dtr_is_thrown_away),
        cmocka_unit_test(test_resets_in_the_middle),
        cmocka_unit_test(test_cable_out_and_in),
        cmocka_unit_test(test_cable_out_unseen),
        cmocka_unit_test(test_suspend_and_resume),
        cmocka_unit_test(test_host_absent),
        cmocka_unit_test(test_endpoints_start_anew),
        cmocka_unit_test(test_output_halted_from_the_start),
        cmocka_unit_test(test_serial_state_once_after_configuration),
        cmocka_unit_test(test_line_coding),
        cmocka_unit_test(test_requests_that_do_not_fit),
        cmocka_unit_test(test_interrupts_of_a_higher_level_at_every_moment),
        cmocka_unit_test(test_a_call_within_a_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
