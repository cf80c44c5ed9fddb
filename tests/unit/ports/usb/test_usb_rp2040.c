/* SPDX-License-Identifier: MIT */
/* The driver of the RP2040's USB controller against the model of rp2040_usb.h. */
#include <string.h>

#include "cases.h"
#include "rp2040_usb.h"
#include "usb_rp2040.h"

static struct kymo_usb_rp2040 driver;
static const struct kymo_usb_controller *controller;

/* ---- reports of the driver ---- */

static char reports[256];
static uint8_t received[64];
static size_t received_bytes;
static void (*on_setup)(void);

static void report(char what, unsigned number) {
    const size_t length = strlen(reports);
    assert_true(length + 3u < sizeof reports);
    reports[length] = what;
    reports[length + 1u] = "0123456789abcdef"[number & 15u];
}

void kymo_usb_on_reset(struct kymo_usb_device *device) {
    assert_null(device);
    report('R', 0u);
}

void kymo_usb_on_setup(struct kymo_usb_device *device, const uint8_t setup[8]) {
    assert_null(device);
    memcpy(received, setup, 8u);
    report('S', 0u);
    if (on_setup != NULL) {
        on_setup();
    }
}

void kymo_usb_on_sent(struct kymo_usb_device *device, uint8_t endpoint) {
    assert_null(device);
    report('s', endpoint);
}

void kymo_usb_on_received(struct kymo_usb_device *device, uint8_t endpoint, const uint8_t *bytes,
                          size_t length) {
    assert_null(device);
    assert_true(length <= sizeof received);
    memcpy(received, bytes, length);
    received_bytes = length;
    report('r', endpoint);
}

void kymo_usb_on_suspend(struct kymo_usb_device *device) {
    assert_null(device);
    report('Z', 0u);
}

void kymo_usb_on_resume(struct kymo_usb_device *device) {
    assert_null(device);
    report('W', 0u);
}

void kymo_usb_on_detach(struct kymo_usb_device *device) {
    assert_null(device);
    report('U', 0u);
}

static void expect_reports(const char *expected) {
    controller->poll(controller->context, NULL);
    assert_string_equal(reports, expected);
    memset(reports, 0, sizeof reports);
}

static int start_revision(uint32_t revision) {
    rp2040_usb_reset(revision);
    memset(reports, 0, sizeof reports);
    on_setup = NULL;
    kymo_usb_rp2040_init(&driver);
    controller = kymo_usb_rp2040_controller(&driver);
    return 0;
}

FIXTURE(start) { return start_revision(2u); }

static void open_both(void) {
    controller->open(controller->context, 0x01u, KYMO_USB_ENDPOINT_BULK, 64u);
    controller->open(controller->context, 0x81u, KYMO_USB_ENDPOINT_BULK, 64u);
    controller->open(controller->context, 0x82u, KYMO_USB_ENDPOINT_INTERRUPT, 16u);
}

/* ---- tests ---- */

CASE(test_init_leaves_the_device_detached, start) {
    assert_int_equal(chip.main_ctrl, 1u);
    assert_int_equal(chip.muxing, 9u);
    assert_int_equal(chip.power, 0xcu);
    assert_int_equal(chip.sie_ctrl, 1u << 29);
    assert_int_equal(chip.inte, 0u);
    expect_reports("");
    controller->attach(controller->context, true);
    assert_int_equal(chip.sie_ctrl, 1u << 29 | 1u << 16);
}

CASE(test_open_places_buffers_apart, start) {
    open_both();
    assert_int_equal(rp2040_usb_word(0x08u) & ~0xffc0u, 1u << 31 | 1u << 29 | 2u << 26);
    assert_int_equal(rp2040_usb_word(0x0cu) & ~0xffc0u, 1u << 31 | 1u << 29 | 2u << 26);
    assert_int_equal(rp2040_usb_word(0x10u) & ~0xffc0u, 1u << 31 | 1u << 29 | 3u << 26);
    controller->open(controller->context, 0x8fu, KYMO_USB_ENDPOINT_BULK, 64u);
    controller->open(controller->context, 0x0fu, KYMO_USB_ENDPOINT_BULK, 64u);
    const uint8_t *buffers[] = {rp2040_usb_buffer(0x01u), rp2040_usb_buffer(0x81u),
                                rp2040_usb_buffer(0x82u), rp2040_usb_buffer(0x8fu),
                                rp2040_usb_buffer(0x0fu)};
    for (size_t i = 0; i < 5u; i++) {
        assert_true(buffers[i] >= chip.memory + 0x180u &&
                    buffers[i] + 64 <= chip.memory + sizeof chip.memory);
        for (size_t other = 0; other < i; other++) {
            const ptrdiff_t apart = buffers[i] - buffers[other];
            assert_true(apart >= 64 || apart <= -64);
        }
    }
    controller->close(controller->context);
    for (uint32_t at = 0x08u; at < 0x80u; at += 4u) {
        assert_int_equal(rp2040_usb_word(at), 0u);
    }
}

CASE(test_in_packets_alternate_toggles, start) {
    uint8_t bytes[64];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7u + 3u);
    }
    open_both();
    for (unsigned i = 0; i <= sizeof bytes; i++) {
        controller->send(controller->context, 0x81u, bytes, i);
        expect_reports("");
        rp2040_usb_in(0x81u, i % 2u, bytes, i);
        expect_reports("s1");
        expect_reports("");
    }
}

CASE(test_out_packets_alternate_toggles, start) {
    uint8_t bytes[64];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 5u + 1u);
    }
    open_both();
    assert_int_equal(rp2040_usb_control(0x01u), 0u);
    for (unsigned i = 0; i <= sizeof bytes; i++) {
        controller->receive(controller->context, 0x01u);
        expect_reports("");
        rp2040_usb_out(0x01u, i % 2u, bytes, i, 64u);
        expect_reports("r1");
        assert_int_equal(received_bytes, i);
        assert_memory_equal(received, bytes, i);
        assert_int_equal(rp2040_usb_control(0x01u) & RP2040_USB_AVAILABLE, 0u);
    }
}

CASE(test_a_length_beyond_the_buffer_is_cut, start) {
    uint8_t bytes[64] = {1, 2, 3};
    controller->open(controller->context, 0x03u, KYMO_USB_ENDPOINT_BULK, 8u);
    controller->receive(controller->context, 0x03u);
    chip.said_bytes = 0x3ffu;
    rp2040_usb_out(0x03u, 0u, bytes, 8u, 8u);
    expect_reports("r3");
    assert_int_equal(received_bytes, 8u);
    controller->open(controller->context, 0x83u, KYMO_USB_ENDPOINT_BULK, 8u);
    controller->send(controller->context, 0x83u, bytes, sizeof bytes);
    rp2040_usb_in(0x83u, 0u, bytes, 8u);
    expect_reports("s3");
}

static void answer_with_hello(void) {
    controller->receive(controller->context, 0u);
    controller->send(controller->context, 0u, (const uint8_t *)"hello", 5u);
}

CASE(test_control_transfer_from_the_device, start) {
    on_setup = answer_with_hello;
    for (unsigned i = 0; i < 3u; i++) {
        rp2040_usb_setup("\x80\x06\x00\x01\x00\x00\x05\x00");
        expect_reports("S0");
        assert_memory_equal(received, "\x80\x06\x00\x01\x00\x00\x05\x00", 8u);
        rp2040_usb_in(0x80u, 1u, "hello", 5u);
        expect_reports("s0");
        rp2040_usb_out(0x00u, 1u, "", 0u, 64u);
        expect_reports("r0");
        assert_int_equal(received_bytes, 0u);
    }
}

CASE(test_control_transfer_to_the_device, start) {
    uint8_t bytes[64] = {9, 8, 7};
    rp2040_usb_setup("\x21\x20\x00\x00\x00\x00\x43\x00");
    expect_reports("S0");
    controller->receive(controller->context, 0u);
    rp2040_usb_out(0x00u, 1u, bytes, 64u, 64u);
    expect_reports("r0");
    controller->receive(controller->context, 0u);
    rp2040_usb_out(0x00u, 0u, bytes, 3u, 64u);
    expect_reports("r0");
    assert_int_equal(received_bytes, 3u);
    controller->send(controller->context, 0u, bytes, 0u);
    rp2040_usb_in(0x80u, 1u, "", 0u);
    expect_reports("s0");
}

/* The address counts from the end of the status stage on, so that end must not get lost. */
CASE(test_setup_comes_after_the_packet_before_it, start) {
    rp2040_usb_setup("\x00\x05\x07\x00\x00\x00\x00\x00");
    expect_reports("S0");
    controller->send(controller->context, 0u, NULL, 0u);
    rp2040_usb_in(0x80u, 1u, "", 0u);
    rp2040_usb_setup("\x80\x06\x00\x01\x00\x00\x12\x00");
    expect_reports("s0S0");
}

CASE(test_setup_drops_what_is_armed, start) {
    rp2040_usb_setup("\x80\x06\x00\x01\x00\x00\x05\x00");
    on_setup = answer_with_hello;
    expect_reports("S0");
    rp2040_usb_in(0x80u, 1u, "hello", 5u);
    on_setup = NULL;
    rp2040_usb_setup("\x21\x22\x03\x00\x00\x00\x00\x00");
    expect_reports("s0S0");
    assert_int_equal(rp2040_usb_control(0x80u), 0u);
    assert_int_equal(rp2040_usb_control(0x00u), 0u);
    controller->send(controller->context, 0u, NULL, 0u);
    rp2040_usb_in(0x80u, 1u, "", 0u);
    expect_reports("s0");
}

CASE(test_setup_that_is_overtaken_is_not_reported, start) {
    rp2040_usb_setup("\x80\x06\x00\x01\x00\x00\x05\x00");
    chip.setup_again = true;
    expect_reports("");
    expect_reports("S0");
    expect_reports("");
}

CASE(test_stall_lasts_until_setup, start) {
    rp2040_usb_setup("\x80\x06\x00\x06\x00\x00\x0a\x00");
    expect_reports("S0");
    controller->receive(controller->context, 0u);
    controller->stall(controller->context);
    assert_int_equal(chip.stall_arm, 3u);
    assert_int_equal(rp2040_usb_control(0x80u), RP2040_USB_STALL);
    assert_int_equal(rp2040_usb_control(0x00u), RP2040_USB_STALL);
    rp2040_usb_setup("\x80\x06\x00\x01\x00\x00\x05\x00");
    expect_reports("S0");
    assert_int_equal(rp2040_usb_control(0x80u), 0u);
    assert_int_equal(rp2040_usb_control(0x00u), 0u);
}

CASE(test_halt_and_its_end, start) {
    open_both();
    controller->send(controller->context, 0x81u, (const uint8_t *)"a", 1u);
    rp2040_usb_in(0x81u, 0u, "a", 1u);
    expect_reports("s1");
    controller->send(controller->context, 0x81u, (const uint8_t *)"b", 1u);
    controller->halt(controller->context, 0x81u, true);
    assert_int_equal(rp2040_usb_control(0x81u), RP2040_USB_STALL);
    assert_int_equal(chip.stall_arm, 0u);
    controller->halt(controller->context, 0x81u, false);
    assert_int_equal(rp2040_usb_control(0x81u), 0u);
    controller->send(controller->context, 0x81u, (const uint8_t *)"c", 1u);
    rp2040_usb_in(0x81u, 0u, "c", 1u);
    expect_reports("s1");
    assert_int_equal(chip.aborts, 1u);
    assert_int_equal(chip.abort | chip.abort_done, 0u);
}

/* A packet that went through, but was dropped before that was reported, is not reported as its follower. */
CASE(test_dropped_packet_is_not_reported, start) {
    open_both();
    controller->receive(controller->context, 0x01u);
    rp2040_usb_out(0x01u, 0u, "a", 1u, 64u);
    controller->open(controller->context, 0x01u, KYMO_USB_ENDPOINT_BULK, 64u);
    controller->receive(controller->context, 0x01u);
    expect_reports("");
    rp2040_usb_out(0x01u, 0u, "b", 1u, 64u);
    expect_reports("r1");
    assert_int_equal(received[0], 'b');
}

CASE(test_early_chips_have_no_abort, start) {
    start_revision(1u);
    open_both();
    controller->send(controller->context, 0x81u, (const uint8_t *)"a", 1u);
    controller->halt(controller->context, 0x81u, true);
    assert_int_equal(rp2040_usb_control(0x81u), RP2040_USB_STALL);
    assert_int_equal(chip.aborts, 0u);
}

CASE(test_bus_reset_forgets_everything, start) {
    open_both();
    controller->address(controller->context, 0x2au);
    assert_int_equal(chip.addr, 0x2au);
    controller->receive(controller->context, 0x01u);
    controller->send(controller->context, 0x81u, (const uint8_t *)"a", 1u);
    rp2040_usb_in(0x81u, 0u, "a", 1u);
    controller->receive(controller->context, 0u);
    chip.sie_status |= RP2040_USB_BUS_RESET;
    expect_reports("R0");
    assert_int_equal(chip.addr, 0u);
    assert_int_equal(chip.buff_status, 0u);
    for (uint32_t at = 0x08u; at < 0x100u; at += 4u) {
        assert_int_equal(rp2040_usb_word(at), 0u);
    }
    chip.sie_status |= RP2040_USB_BUS_RESET;
    rp2040_usb_setup("\x00\x05\x07\x00\x00\x00\x00\x00");
    expect_reports("R0S0");
}

CASE(test_detach_closes_everything, start) {
    controller->attach(controller->context, true);
    open_both();
    controller->address(controller->context, 0x2au);
    controller->receive(controller->context, 0x01u);
    controller->attach(controller->context, false);
    assert_int_equal(chip.sie_ctrl, 1u << 29);
    assert_int_equal(chip.addr, 0u);
    for (uint32_t at = 0x08u; at < 0x100u; at += 4u) {
        assert_int_equal(rp2040_usb_word(at), 0u);
    }
}

static void suspend(bool on) {
    chip.sie_status =
        on ? chip.sie_status | RP2040_USB_SUSPENDED : chip.sie_status & ~RP2040_USB_SUSPENDED;
    chip.sie_status |= on ? 0u : RP2040_USB_RESUME;
    chip.state_changed = true;
}

CASE(test_suspend_and_resume, start) {
    suspend(true);
    expect_reports("Z0");
    expect_reports("");
    suspend(false);
    expect_reports("W0");
    expect_reports("");
    suspend(true);
    expect_reports("Z0");
    chip.sie_status &= ~RP2040_USB_SUSPENDED;
    rp2040_usb_setup("\x80\x06\x00\x01\x00\x00\x05\x00");
    expect_reports("W0S0");
    suspend(true);
    expect_reports("Z0");
    chip.sie_status |= RP2040_USB_BUS_RESET;
    expect_reports("R0");
}

static bool is_available(uint8_t endpoint) {
    return (rp2040_usb_control(endpoint) & RP2040_USB_AVAILABLE) != 0u;
}

static void frame_begins(uint32_t at_us) {
    chip.now_us = at_us;
    chip.frame = true;
}

/* Sends when so many microseconds of a frame are over; whether that was available to the host at once. */
static bool sends_at(uint8_t endpoint, uint32_t us) {
    frame_begins(0xfffffff0u);
    expect_reports("");
    assert_false(chip.frame);
    chip.now_us += us;
    controller->send(controller->context, endpoint, (const uint8_t *)"a", 1u);
    return is_available(endpoint);
}

/* Erratum RP2040-E15. */
CASE(test_late_bulk_packet_waits_for_the_next_frame, start) {
    kymo_usb_rp2040_interrupts(&driver, true);
    open_both();
    assert_true(sends_at(0x81u, 799u));
    rp2040_usb_in(0x81u, 0u, "a", 1u);
    expect_reports("s1");
    assert_false(sends_at(0x81u, 800u));
    expect_reports("");
    assert_false(is_available(0x81u));
    frame_begins(chip.now_us + 200u);
    expect_reports("");
    rp2040_usb_in(0x81u, 1u, "a", 1u);
    expect_reports("s1");
    assert_true(sends_at(0x82u, 900u));
    /* A frame's begin that the call itself is the first to see. */
    frame_begins(chip.now_us + 5000u);
    controller->send(controller->context, 0x81u, (const uint8_t *)"a", 1u);
    assert_true(is_available(0x81u));
}

CASE(test_held_packet_can_be_dropped, start) {
    kymo_usb_rp2040_interrupts(&driver, true);
    open_both();
    assert_false(sends_at(0x81u, 900u));
    controller->halt(controller->context, 0x81u, true);
    frame_begins(chip.now_us + 100u);
    expect_reports("");
    assert_int_equal(rp2040_usb_control(0x81u), RP2040_USB_STALL);
}

CASE(test_polled_device_knows_no_frames, start) {
    open_both();
    assert_true(sends_at(0x81u, 900u));
}

CASE(test_frames_interrupt_while_bulk_in_is_open, start) {
    const uint32_t frame = 1u << 17;
    kymo_usb_rp2040_interrupts(&driver, true);
    controller->open(controller->context, 0x01u, KYMO_USB_ENDPOINT_BULK, 64u);
    controller->open(controller->context, 0x82u, KYMO_USB_ENDPOINT_INTERRUPT, 16u);
    controller->interrupts(controller->context, true);
    assert_int_equal(chip.inte & frame, 0u);
    controller->open(controller->context, 0x81u, KYMO_USB_ENDPOINT_BULK, 64u);
    controller->interrupts(controller->context, true);
    assert_int_equal(chip.inte & frame, frame);
    controller->close(controller->context);
    controller->interrupts(controller->context, true);
    assert_int_equal(chip.inte & frame, 0u);
}

CASE(test_interrupts_need_both, start) {
    const uint32_t all = 1u << 16 | 1u << 15 | 1u << 14 | 1u << 12 | 1u << 4;
    controller->interrupts(controller->context, true);
    assert_int_equal(chip.inte, 0u);
    kymo_usb_rp2040_interrupts(&driver, true);
    assert_int_equal(chip.inte, all);
    controller->interrupts(controller->context, false);
    assert_int_equal(chip.inte, 0u);
    controller->interrupts(controller->context, true);
    assert_int_equal(chip.inte, all);
    kymo_usb_rp2040_interrupts(&driver, false);
    assert_int_equal(chip.inte, 0u);
}
