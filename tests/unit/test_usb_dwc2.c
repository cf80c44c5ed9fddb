/* SPDX-License-Identifier: MIT */
/* The driver of the DWC2 core against a model of its registers, with the whole device stack above and a strict
 * host on the bus. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dwc2_core.h"
#include "usb_dwc2.h"
#include "usb_stream.h"

#define STREAM_BYTES 20000u

struct bench bench; /* its model has no part here */
static struct kymo_usb_dwc2 driver;

static const struct kymo_usb_dwc2_config ordinary = {
    .base = DWC2_BASE, .clock_hz = 168000000u, .layout = KYMO_USB_DWC2_OLD};

/* Every kind of core runs every test of the bus. */
static const struct dwc2_kind kinds[] = {
    {.slow = 0},
    {.slow = 5, .setup_done_late = true},
    {.slow = 1, .setup_keeps_enable = true},
    {.setup_done_late = true, .setup_keeps_enable = true},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static void poll(void) { kymo_usb_cdc_poll(&bench.cdc); }
static void stay(void) {}

static void start_wired(const struct dwc2_kind *kind, bool interrupts,
                        const struct kymo_usb_dwc2_config *wiring) {
    dwc2_power_up(kind, interrupts ? poll : NULL);
    assert_true(kymo_usb_dwc2_init(&driver, wiring));
    assert_false(dwc2_attached());
    const struct kymo_usb_cdc_config config = {.controller = kymo_usb_dwc2_controller(&driver)};
    assert_true(kymo_usb_cdc_init(&bench.cdc, &config));
    assert_true(dwc2_attached());
    assert_false(dwc2_interrupt_enabled());
    kymo_usb_dwc2_interrupts(&driver, interrupts);
    assert_int_equal(dwc2_interrupt_enabled(), interrupts);
    host_init(&bench.host, NULL, interrupts ? stay : poll);
    bench.transport = kymo_usb_cdc_transport(&bench.cdc);
    stream = (struct usb_stream){0};
}

static void start_core(const struct dwc2_kind *kind, bool interrupts) {
    start_wired(kind, interrupts, &ordinary);
}

static void open_port(void) {
    host_enumerate(&bench.host);
    assert_int_equal(host_set_line(&bench.host, true), 0);
    bench.host.patience = 2;
}

/* ---- beginning ---- */

static void test_turnaround_time_and_pins(void **state) {
    (void)state;
    /* RM0090, table "TRDT values" */
    static const struct {
        uint32_t clock_hz, trdt;
    } rows[] = {{14200000, 15}, {15000000, 14}, {16000000, 13}, {17200000, 12},
                {18500000, 11}, {20000000, 10}, {21800000, 9},  {24000000, 8},
                {27500000, 7},  {31999999, 7},  {32000000, 6},  {480000000, 6}};
    static const struct dwc2_kind kind = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        dwc2_power_up(&kind, NULL);
        const struct kymo_usb_dwc2_config config = {.base = DWC2_BASE,
                                                    .clock_hz = rows[i].clock_hz};
        assert_true(kymo_usb_dwc2_init(&driver, &config));
        assert_int_equal(dwc2_register(0x00c) >> 10 & 15, rows[i].trdt);
    }
    static const uint32_t gccfg[2][2] = {{1u << 16 | 1u << 21, 1u << 16 | 1u << 19},
                                         {1u << 16, 1u << 16 | 1u << 21}};
    for (unsigned i = 0; i < 4; i++) {
        dwc2_power_up(&kind, NULL);
        const struct kymo_usb_dwc2_config config = {.base = DWC2_BASE,
                                                    .clock_hz = 48000000u,
                                                    .layout = i < 2 ? KYMO_USB_DWC2_OLD
                                                                    : KYMO_USB_DWC2_NEW,
                                                    .vbus_pin = i % 2 != 0};
        assert_true(kymo_usb_dwc2_init(&driver, &config));
        assert_int_equal(dwc2_register(0x038), gccfg[i / 2][i % 2]);
        assert_int_equal(dwc2_register(0x000), i == 2 ? 3u << 6 : 0u);
    }
}

static void test_a_core_that_does_not_start(void **state) {
    (void)state;
    static const struct dwc2_kind broken[] = {
        {.never_resets = true}, {.never_idle = true}, {.never_device = true}};
    for (size_t i = 0; i < 3; i++) {
        dwc2_power_up(&broken[i], NULL);
        assert_false(kymo_usb_dwc2_init(&driver, &ordinary));
        assert_false(dwc2_attached());
    }
    const struct kymo_usb_dwc2_config slow = {.base = DWC2_BASE, .clock_hz = 14199999u};
    dwc2_power_up(&kinds[0], NULL);
    assert_false(kymo_usb_dwc2_init(&driver, &slow));
    assert_int_equal(dwc2_accesses(), 0);
}

/* ---- on the bus ---- */

static void test_enumerates(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * KINDS; i++) {
        start_core(&kinds[i / 2], i % 2 != 0);
        host_enumerate(&bench.host);
        assert_string_equal(bench.host.device.product_name, "kymo board");
        host_enumerate(&bench.host);
    }
}

static void test_streams_both_ways(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * KINDS; i++) {
        start_core(&kinds[i / 2], i % 2 != 0);
        bench.host.lose_every = (unsigned)i % 4;
        open_port();
        for (size_t done = 0; done < STREAM_BYTES; done += 500) {
            uint8_t bytes[64], back[64];
            push(500);
            const size_t length = done / 500 % 65;
            for (size_t k = 0; k < length; k++) {
                bytes[k] = stream_byte(done + k);
            }
            assert_int_equal(host_out(&bench.host, BULK_OUT, bytes, length), length);
            assert_int_equal(bench.transport->read(bench.transport->context, back, sizeof back),
                             length);
            assert_memory_equal(back, bytes, length);
        }
        host_takes_all();
        assert_int_equal(stream.received, STREAM_BYTES);
        assert_int_equal(kymo_usb_cdc_lost_bytes(&bench.cdc), 0);
    }
}

static void test_resets_cable_and_sleep(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * KINDS; i++) {
        start_core(&kinds[i / 2], i % 2 != 0);
        for (int round = 0; round < 12; round++) {
            open_port();
            push(777);
            if (round % 3 == 0) {
                model_suspend(NULL, true);
                poll();
                assert_true(kymo_usb_cdc_suspended(&bench.cdc));
                (void)firmware_writes(100);
                model_suspend(NULL, false);
                poll();
                assert_false(kymo_usb_cdc_suspended(&bench.cdc));
                model_suspend(NULL, true); /* both before anybody looks */
                model_suspend(NULL, false);
                poll();
                assert_false(kymo_usb_cdc_suspended(&bench.cdc));
            }
            if (round % 3 == 1) {
                model_cable(NULL, false);
                (void)firmware_writes(100);
                model_cable(NULL, true);
            }
            host_reset(&bench.host);
            poll();
            assert_false(kymo_usb_cdc_open(&bench.cdc));
            assert_int_equal(dwc2_register(0x800) >> 4 & 0x7f, 0);
            bench.host.patience = 64;
        }
        open_port();
        host_takes_all();
    }
}

static void test_a_cable_that_is_seen(void **state) {
    (void)state;
    const struct kymo_usb_dwc2_config wiring = {
        .base = DWC2_BASE, .clock_hz = 168000000u, .vbus_pin = true};
    start_wired(&kinds[0], false, &wiring);
    open_port();
    assert_true(kymo_usb_cdc_open(&bench.cdc));
    model_cable(NULL, false);
    poll();
    assert_false(kymo_usb_cdc_open(&bench.cdc));
}

static void test_halted_endpoints(void **state) {
    (void)state;
    uint8_t byte = 1;
    for (size_t i = 0; i < 2 * KINDS; i++) {
        start_core(&kinds[i / 2], i % 2 != 0);
        open_port();
        for (int round = 0; round < 6; round++) {
            push(333);
            assert_int_equal(host_ask(&bench.host, 0x02, 3, 0, BULK_IN, 0, NULL), 0);
            assert_int_equal(host_ask(&bench.host, 0x02, 3, 0, BULK_OUT, 0, NULL), 0);
            assert_int_equal(host_takes(), HOST_STALL);
            assert_int_equal(host_out(&bench.host, BULK_OUT, &byte, 1), HOST_STALL);
            (void)firmware_writes(10);
            assert_int_equal(host_ask(&bench.host, 0x02, 1, 0, BULK_IN, 0, NULL), 0);
            assert_int_equal(host_ask(&bench.host, 0x02, 1, 0, BULK_OUT, 0, NULL), 0);
            bench.host.toggle_in[1] = bench.host.toggle_out[1] = 0;
            assert_int_equal(host_out(&bench.host, BULK_OUT, &byte, 1), 1);
            assert_int_equal(bench.transport->read(bench.transport->context, &byte, 1), 1);
        }
        host_takes_all();
    }
}

/* A second configuration of a device whose packets are armed. */
static void test_configured_again(void **state) {
    (void)state;
    uint8_t byte = 9;
    for (size_t i = 0; i < 2 * KINDS; i++) {
        start_core(&kinds[i / 2], i % 2 != 0);
        open_port();
        for (unsigned round = 0; round < 6; round++) {
            push(333);
            if (round % 3 == 2) {
                assert_int_equal(host_ask(&bench.host, 1, 11, 0, 1, 0, NULL),
                                 0); /* the data interface only */
            } else {
                assert_int_equal(host_ask(&bench.host, 0, 9, round % 3, 0, 0, NULL), 0);
            }
            if (round % 3 == 0) {
                assert_int_equal(host_takes(), HOST_SILENT);
                assert_int_equal(host_ask(&bench.host, 0, 9, 1, 0, 0, NULL), 0);
            }
            bench.host.toggle_in[1] = bench.host.toggle_out[1] = bench.host.toggle_in[2] = 0;
            assert_int_equal(host_set_line(&bench.host, true), 0);
            assert_int_equal(host_out(&bench.host, BULK_OUT, &byte, 1), 1);
            assert_int_equal(bench.transport->read(bench.transport->context, &byte, 1), 1);
        }
        host_takes_all();
    }
}

/* ---- requests that follow too soon ---- */

static void setup(const uint8_t *bytes) {
    const struct model_token token = {.address = bench.host.address, .bytes = bytes, .length = 8};
    assert_int_equal(model_setup(NULL, &token), MODEL_ACK);
    bench.host.toggle_in[0] = bench.host.toggle_out[0] = 1;
}

/* The answer to the first is in the FIFO when the second comes; then three in a row, for which the core has
 * room. */
static void test_setup_upon_setup(void **state) {
    (void)state;
    static const uint8_t configuration[8] = {0x80, 6, 0, 2, 0, 0, 255, 0};
    static const uint8_t coding[8] = {0x21, 0x20, 0, 0, 0, 0, 7, 0};
    uint8_t bytes[64];
    for (size_t i = 0; i < 2 * KINDS; i++) {
        start_core(&kinds[i / 2], i % 2 != 0);
        open_port();
        bench.host.patience = 4;
        for (int count = 1; count < 3; count++) {
            setup(configuration);
            poll();
            assert_int_equal(host_in(&bench.host, 0, bytes), 64);
            for (int k = 0; k < count; k++) {
                setup(k % 2 == 0 ? coding : configuration);
            }
            assert_int_equal(host_ask(&bench.host, 0x80, 6, 0x0100, 0, 18, bytes), 18);
            assert_int_equal(bytes[1], 1);
            assert_int_equal(host_ask(&bench.host, 0x80, 99, 0x0100, 0, 18, bytes), HOST_STALL);
        }
        uint8_t too_long[65] = {0};
        assert_int_equal(host_ask(&bench.host, 0x21, 0x20, 0, 0, sizeof too_long, too_long),
                         HOST_STALL);
        push(100);
        host_takes_all();
    }
}

/* The reset takes back what the firmware has not looked at yet. */
static void test_reset_upon_setup(void **state) {
    (void)state;
    static const uint8_t configuration[8] = {0x80, 6, 0, 2, 0, 0, 255, 0};
    static const uint8_t address_9[8] = {0, 5, 9, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < KINDS; i++) {
        uint8_t bytes[64];
        start_core(&kinds[i], false);
        host_reset(&bench.host);
        setup(configuration);
        assert_int_equal(host_in(&bench.host, 0, bytes), 64);
        poll(); /* arms the next */
        host_reset(&bench.host);
        bench.host.patience = 2;
        assert_int_equal(host_out(&bench.host, 0, bytes, 0), HOST_NAK);
        bench.host.patience = 64;
        setup(address_9);
        host_reset(&bench.host);
        poll();
        assert_int_equal(dwc2_register(0x800) >> 4 & 0x7f, 0);
        open_port();
    }
}

static void test_unplugged_by_the_firmware(void **state) {
    (void)state;
    start_core(&kinds[0], true);
    open_port();
    push(100);
    assert_true(kymo_usb_cdc_attach(&bench.cdc, false));
    assert_false(dwc2_attached());
    assert_true(kymo_usb_cdc_attach(&bench.cdc, true));
    bench.host.patience = 64;
    open_port();
    host_takes_all();
}

/* The end of the connection takes it back as well, whoever ends it. */
static void test_unplugged_upon_setup(void **state) {
    (void)state;
    static const uint8_t address_9[8] = {0, 5, 9, 0, 0, 0, 0, 0};
    const struct kymo_usb_dwc2_config wiring = {
        .base = DWC2_BASE, .clock_hz = 168000000u, .vbus_pin = true};
    for (size_t i = 0; i < 2 * KINDS; i++) {
        start_wired(&kinds[i / 2], false, &wiring);
        host_reset(&bench.host);
        setup(address_9);
        if (i % 2 == 0) {
            model_cable(NULL, false);
        } else {
            assert_true(kymo_usb_cdc_attach(&bench.cdc, false));
        }
        poll();
        assert_int_equal(dwc2_register(0x800) >> 4 & 0x7f, 0);
        model_cable(NULL, true);
        assert_true(kymo_usb_cdc_attach(&bench.cdc, true));
        open_port();
    }
}

/* ---- interrupts ---- */

static void test_masked_while_the_stack_is_at_work(void **state) {
    (void)state;
    start_core(&kinds[0], true);
    assert_true(kymo_usb_device_enter(&bench.cdc.device));
    assert_false(dwc2_interrupt_enabled());
    kymo_usb_dwc2_interrupts(&driver, true);
    assert_false(dwc2_interrupt_enabled());
    const unsigned before = dwc2_accesses();
    kymo_usb_cdc_poll(&bench.cdc); /* of a context that interrupts: it touches no register */
    assert_int_equal(dwc2_accesses(), before);
    kymo_usb_device_leave(&bench.cdc.device);
    assert_true(dwc2_interrupt_enabled());
    kymo_usb_dwc2_interrupts(&driver, false);
    assert_false(dwc2_interrupt_enabled());
    poll();
    assert_false(dwc2_interrupt_enabled());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turnaround_time_and_pins),
        cmocka_unit_test(test_a_core_that_does_not_start),
        cmocka_unit_test(test_enumerates),
        cmocka_unit_test(test_streams_both_ways),
        cmocka_unit_test(test_resets_cable_and_sleep),
        cmocka_unit_test(test_a_cable_that_is_seen),
        cmocka_unit_test(test_halted_endpoints),
        cmocka_unit_test(test_configured_again),
        cmocka_unit_test(test_setup_upon_setup),
        cmocka_unit_test(test_reset_upon_setup),
        cmocka_unit_test(test_unplugged_by_the_firmware),
        cmocka_unit_test(test_unplugged_upon_setup),
        cmocka_unit_test(test_masked_while_the_stack_is_at_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
