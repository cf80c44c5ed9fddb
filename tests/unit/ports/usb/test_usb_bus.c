/* SPDX-License-Identifier: MIT */
/* The serial port on USB, and everything that a host does to the bus and to the port meanwhile: every byte once
 * and in order, and a firmware that never waits. */
#include <string.h>

#include "cases.h"
#include "usb_stream.h"

/* ---- the bus ---- */

static void open_again(void) {
    host_enumerate(&bench.host);
    assert_int_equal(firmware_writes(1), 0);
    assert_int_equal(host_set_line(&bench.host, true), 0);
}

CASE(test_resets_in_the_middle) {
    start(BENCH_INTERRUPTS);
    bench.host.patience = 2;
    for (int i = 0; i < 20; i++) {
        push(1009);
        host_reset(&bench.host);
        assert_false(kymo_usb_cdc_open(&bench.cdc));
        assert_int_equal(firmware_writes(1), 0);
        open_again();
    }
    host_takes_all();
    assert_int_equal(stream.received, 20 * 1009);
}

CASE(test_cable_out_and_in) {
    start(BENCH_INTERRUPTS);
    bench.host.patience = 2;
    for (int i = 0; i < 20; i++) {
        push(1009);
        model_cable(&bench.model, false);
        assert_false(kymo_usb_cdc_open(&bench.cdc));
        assert_int_equal(host_takes(), HOST_SILENT);
        assert_int_equal(firmware_writes(1), 0);
        model_cable(&bench.model, true);
        open_again();
    }
    host_takes_all();
    assert_int_equal(stream.received, 20 * 1009);
}

/* A controller that does not see the cable: only the reset of the next enumeration shows it. */
CASE(test_cable_out_unseen) {
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

CASE(test_suspend_and_resume) {
    start(BENCH_INTERRUPTS);
    bench.host.patience = 2;
    push(1009);
    assert_false(kymo_usb_cdc_suspended(&bench.cdc));
    model_suspend(&bench.model, true);
    assert_true(kymo_usb_cdc_suspended(&bench.cdc));
    assert_true(kymo_usb_cdc_open(&bench.cdc));
    for (int i = 0; i < 10; i++) {
        (void)firmware_writes(1000);
    }
    assert_int_equal(firmware_writes(1), 0);
    model_suspend(&bench.model, false);
    assert_false(kymo_usb_cdc_suspended(&bench.cdc));
    push(1009);
    host_takes_all();
    model_suspend(&bench.model, true);
    host_reset(&bench.host);
    assert_false(kymo_usb_cdc_suspended(&bench.cdc));
}

CASE(test_host_absent) {
    stream.written = 0;
    bench_start(BENCH_POLLED, false);
    model_cable(&bench.model, false);
    for (int i = 0; i < 1000; i++) {
        uint8_t byte;
        assert_int_equal(firmware_writes(100), 0);
        assert_int_equal(bench.transport->read(bench.transport->context, &byte, 1), 0);
        assert_true(kymo_usb_cdc_idle(&bench.cdc));
    }
}

/* ---- endpoints that restart ---- */

/* The packet that was armed comes again, as DATA0. */
static void restart(uint8_t type, uint8_t request, uint16_t value, uint16_t index) {
    assert_int_equal(host_ask(&bench.host, type, request, value, index, 0, NULL), 0);
    memset(bench.host.toggle_in, 0, sizeof bench.host.toggle_in);
    memset(bench.host.toggle_out, 0, sizeof bench.host.toggle_out);
}

CASE(test_endpoints_start_anew) {
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
            assert_false(kymo_usb_cdc_open(&bench.cdc));
            assert_int_equal(host_set_line(&bench.host, true), 0);
        }
    }
    host_takes_all();
}

CASE(test_output_halted_from_the_start) {
    start(BENCH_INTERRUPTS);
    restart(0x02, 3, 0, BULK_IN);
    assert_true(firmware_writes(100) <= 100);
    assert_int_equal(host_takes(), HOST_STALL);
    restart(0x02, 1, 0, BULK_IN);
    restart(0x02, 1, 0, BULK_OUT);
    host_takes_all();
}

/* ---- requests of the port ---- */

CASE(test_serial_state_once_after_configuration) {
    start(BENCH_INTERRUPTS);
    host_enumerate(&bench.host); /* the first one was not taken */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(host_takes_state(), 3); /* carrier and data set ready */
        assert_int_equal(host_takes_state(), HOST_NAK);
        host_enumerate(&bench.host);
    }
}

CASE(test_line_coding) {
    uint8_t coding[7] = {0};
    uint8_t other[7] = {0x00, 0xc2, 0x01, 0x00, 2, 1, 7}; /* 115200, 2 stop bits, odd, 7 bits */
    start(BENCH_INTERRUPTS);
    assert_int_equal(host_ask(&bench.host, 0xa1, 0x21, 0, 0, 7, coding), 7);
    assert_memory_equal(coding, ((uint8_t[]){0x80, 0x25, 0, 0, 0, 0, 8}), 7);
    assert_int_equal(host_ask(&bench.host, 0x21, 0x20, 0, 0, 7, other), 7);
    assert_int_equal(host_ask(&bench.host, 0xa1, 0x21, 0, 0, 7, coding), 7);
    assert_memory_equal(coding, other, 7);
    assert_true(kymo_usb_cdc_open(&bench.cdc));
    host_reset(&bench.host);
    bench_open(BENCH_INTERRUPTS);
    assert_int_equal(host_ask(&bench.host, 0xa1, 0x21, 0, 0, 7, coding), 7);
    assert_int_equal(coding[0], 0x80);
}

CASE(test_requests_that_do_not_fit) {
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
    assert_true(kymo_usb_cdc_open(&bench.cdc));
}

/* ---- from any context ---- */

static void preempt(void) {
    uint8_t byte;
    kymo_usb_cdc_poll(&bench.cdc);
    (void)kymo_usb_cdc_idle(&bench.cdc);
    (void)bench.transport->write(bench.transport->context, &byte, 0);
    (void)kymo_usb_cdc_open(&bench.cdc);
}

CASE(test_interrupts_of_a_higher_level_at_every_moment) {
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
CASE(test_a_call_within_a_call) {
    uint8_t byte = 0;
    start(BENCH_INTERRUPTS);
    assert_true(kymo_usb_device_enter(&bench.cdc.device));
    assert_false(kymo_usb_device_enter(&bench.cdc.device));
    assert_int_equal(firmware_writes(10), 0);
    assert_int_equal(bench.transport->read(bench.transport->context, &byte, 1), 0);
    assert_false(kymo_usb_cdc_idle(&bench.cdc));
    assert_false(kymo_usb_cdc_attach(&bench.cdc, false));
    assert_true(model_seen(&bench.model));
    assert_false(bench.model.interrupts);
    kymo_usb_device_leave(&bench.cdc.device);
    assert_true(bench.model.interrupts);
    assert_int_equal(firmware_writes(10), 10);
    host_takes_all();
}
