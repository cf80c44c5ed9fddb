/* SPDX-License-Identifier: MIT */
/* The work-around of the RP2040's erratum E5 against the model of rp2040_usb.h. */
#include "cases.h"
#include "rp2040_usb.h"
#include "usb_rp2040.h"

static struct kymo_usb_rp2040 driver;
static const struct kymo_usb_controller *controller;
static unsigned resets;

void kymo_usb_on_reset(struct kymo_usb_device *device) {
    assert_null(device);
    resets++;
}

void kymo_usb_on_setup(struct kymo_usb_device *device, const uint8_t setup[8]) {
    fail_msg("%p %p", (void *)device, (const void *)setup);
}
void kymo_usb_on_sent(struct kymo_usb_device *device, uint8_t endpoint) {
    fail_msg("%p %u", (void *)device, endpoint);
}
void kymo_usb_on_received(struct kymo_usb_device *device, uint8_t endpoint, const uint8_t *bytes,
                          size_t length) {
    fail_msg("%p %u %p %zu", (void *)device, endpoint, (const void *)bytes, length);
}
void kymo_usb_on_suspend(struct kymo_usb_device *device) { fail_msg("%p", (void *)device); }
void kymo_usb_on_resume(struct kymo_usb_device *device) { fail_msg("%p", (void *)device); }
void kymo_usb_on_detach(struct kymo_usb_device *device) { fail_msg("%p", (void *)device); }

/* A possible setting of a board: an output, with a pull-up. */
#define GPIO15 (5u | 1u << 8)
#define GPIO15_PAD 0x5au

static bool is_forced(void) {
    const bool forced = chip.muxing == 0xcu; /* the pins, the software's connection */
    assert_int_equal(chip.muxing, forced ? 0xcu : 9u);
    /* Function 8, no output, read as high; held; and the pull-up stays. */
    assert_int_equal(chip.gpio15, forced ? 8u | 1u << 8 | 2u << 12 | 3u << 16 : GPIO15);
    assert_int_equal(chip.gpio15_pad, forced ? GPIO15_PAD | 0xcu : GPIO15_PAD);
    assert_int_equal(chip.phy_override, forced ? 1u << 2 : 0u);
    assert_true(!forced || chip.phy == 1u << 1);
    return forced;
}

static void start_e5(uint32_t revision, bool lent) {
    rp2040_usb_reset(revision);
    kymo_usb_rp2040_init(&driver);
    controller = kymo_usb_rp2040_controller(&driver);
    chip.gpio15 = GPIO15;
    chip.gpio15_pad = GPIO15_PAD;
    chip.now_us = 0xfffffff0u;
    if (lent) {
        kymo_usb_rp2040_lend_gpio15(&driver);
    }
    controller->attach(controller->context, true);
}

static bool forced_after(uint32_t us, uint32_t status) {
    chip.now_us += us;
    chip.sie_status = status;
    controller->poll(controller->context, NULL);
    return is_forced();
}

CASE(test_a_busy_bus_is_taken_for_idle) {
    start_e5(1u, true);
    assert_false(forced_after(0u, RP2040_USB_LINE_J)); /* no reset yet */
    assert_false(forced_after(0u, RP2040_USB_BUS_RESET));
    assert_false(forced_after(10000u, 0u)); /* it lasts */
    assert_true(forced_after(1u, RP2040_USB_LINE_J));
    assert_true(forced_after(999u, RP2040_USB_LINE_J | RP2040_USB_CONNECTED));
    assert_false(forced_after(1u, RP2040_USB_LINE_J | RP2040_USB_CONNECTED));
    assert_false(forced_after(5000u, RP2040_USB_LINE_J | RP2040_USB_CONNECTED));
    assert_int_equal(resets, 1u);
}

CASE(test_it_is_given_up_and_begun_again) {
    start_e5(1u, true);
    assert_false(forced_after(0u, RP2040_USB_BUS_RESET));
    assert_true(forced_after(0u, RP2040_USB_LINE_J));
    assert_true(forced_after(7999u, RP2040_USB_LINE_J));
    assert_false(forced_after(1u, RP2040_USB_LINE_J));
    assert_false(forced_after(0u, RP2040_USB_BUS_RESET));
    assert_true(forced_after(0u, RP2040_USB_LINE_J));
    assert_false(forced_after(10u, RP2040_USB_BUS_RESET)); /* in the middle */
    assert_true(forced_after(10u, RP2040_USB_LINE_J));
}

CASE(test_the_pin_is_left_alone) {
    for (uint32_t revision = 1u; revision <= 2u; revision++) {
        start_e5(revision, revision == 2u); /* not lent; not needed */
        assert_false(forced_after(0u, RP2040_USB_BUS_RESET));
        assert_false(forced_after(0u, RP2040_USB_LINE_J));
    }
}
