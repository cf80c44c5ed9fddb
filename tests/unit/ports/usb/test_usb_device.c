/* SPDX-License-Identifier: MIT */
/* The USB device stack, asked by a strict host: enumeration, standard requests, everything that must be
 * refused, and that the next request is always obeyed. */
#include <string.h>

#include "cases.h"
#include "usb/bench.h"

/* The longest name; the build sets KYMO_USB_MANUFACTURER to it. */
#define MANUFACTURER "A name of thirty-one characters"

static int ask(unsigned type, unsigned request, unsigned value, unsigned index, unsigned length,
               uint8_t *data) {
    return host_ask(&bench.host, type, request, value, index, length, data);
}

static int tell(unsigned type, unsigned request, unsigned value, unsigned index) {
    return ask(type, request, value, index, 0, NULL);
}

static void start_configured(void) {
    bench_start(BENCH_INTERRUPTS, false);
    host_enumerate(&bench.host);
}

/* ---- enumeration ---- */

static void check_identity(void) {
    const struct host_device *device = &bench.host.device;
    assert_int_equal(device->vendor, 0x1209); /* pid.codes' number for tests */
    assert_int_equal(device->product, 0x0001);
    assert_string_equal(device->manufacturer_name, MANUFACTURER);
    assert_string_equal(device->product_name, "kymo board");
    assert_string_equal(device->interface_name, "kymo trace");
    assert_string_equal(device->serial, BENCH_SERIAL);
}

CASE(test_enumerates) {
    for (int early = 0; early < 2; early++) {
        bench_start(BENCH_POLLED, early != 0);
        host_enumerate(&bench.host);
        check_identity();
        bench_start(BENCH_INTERRUPTS, early != 0);
        host_enumerate(&bench.host);
        check_identity();
    }
}

CASE(test_enumerates_with_lost_acknowledgements) {
    for (unsigned every = 2; every < 8; every++) {
        bench_start(BENCH_INTERRUPTS, false);
        bench.host.lose_every = every;
        host_enumerate(&bench.host);
        check_identity();
    }
}

CASE(test_without_chip_id_no_serial_number) {
    uint8_t bytes[64];
    bench_start(BENCH_INTERRUPTS, false);
    bench.cdc.chip_id_bytes = 0;
    host_enumerate(&bench.host);
    assert_int_equal(bench.host.device.serial_string, 0);
    assert_int_equal(ask(0x80, 6, 0x0303, 0x0409, 64, bytes), HOST_STALL);
}

CASE(test_too_long_a_chip_id_is_refused) {
    static const uint8_t id[16];
    model_init(&bench.model, false);
    const struct kymo_usb_cdc_config config = {
        .controller = &bench.model.controller, .chip_id = id, .chip_id_bytes = sizeof id};
    assert_false(kymo_usb_cdc_init(&bench.cdc, &config));
    assert_false(bench.model.attached);
}

CASE(test_resets_at_every_moment_of_enumeration) {
    uint8_t bytes[64];
    const struct model_token first = {.bytes = (const uint8_t[]){0x80, 6, 0, 1, 0, 0, 64, 0},
                                      .length = 8};
    for (unsigned packets = 0; packets < 3; packets++) {
        bench_start(BENCH_INTERRUPTS, false);
        host_reset(&bench.host);
        assert_int_equal(model_setup(&bench.model, &first), MODEL_ACK);
        bench.host.toggle_in[0] = bench.host.toggle_out[0] = 1;
        if (packets > 0) {
            assert_int_equal(host_in(&bench.host, 0, bytes), 18);
        }
        if (packets > 1) {
            assert_int_equal(host_out(&bench.host, 0, bytes, 0), 0);
        }
        host_enumerate(&bench.host);
        check_identity();
    }
}

/* ---- reading descriptors ---- */

CASE(test_descriptors_of_every_length) {
    static const uint16_t which[] = {0x0100, 0x0200, 0x0300, 0x0301, 0x0302, 0x0303, 0x0304};
    uint8_t whole[300], part[300];
    start_configured();
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        const int length = ask(0x80, 6, which[i], 0, 255, whole);
        assert_true(length >= 4 && length < 100);
        for (uint16_t asked = 1; asked < 300; asked++) {
            const int expected = asked < length ? asked : length;
            memset(part, 0xaa, sizeof part);
            assert_int_equal(ask(0x80, 6, which[i], 0, asked, part), expected);
            assert_memory_equal(part, whole, (size_t)expected);
            assert_int_equal(part[expected], 0xaa);
        }
    }
}

/* 64 bytes are asked for and there are more: no empty packet may follow. 65 are asked for, there are 75. */
CASE(test_a_longest_length_is_a_limit_only) {
    static uint8_t bytes[65535];
    start_configured();
    assert_int_equal(ask(0x80, 6, 0x0200, 0, 64, bytes), 64);
    assert_int_equal(ask(0x80, 6, 0x0200, 0, 65, bytes), 65);
    assert_int_equal(ask(0x80, 6, 0x0200, 0, 65535, bytes), bytes[2]);
}

/* A string of 31 characters takes a whole packet of 64 bytes: asked for more, an empty packet must end it. */
CASE(test_a_full_last_packet_is_ended_by_an_empty_one) {
    uint8_t bytes[255];
    start_configured();
    assert_int_equal(ask(0x80, 6, 0x0301, 0x0409, 64, bytes), 64);
    assert_int_equal(ask(0x80, 6, 0x0301, 0x0409, 255, bytes), 64);
    assert_int_equal(bytes[2], MANUFACTURER[0]);
    assert_int_equal(bytes[62], MANUFACTURER[30]);
}

CASE(test_a_host_may_stop_reading_early) {
    uint8_t bytes[128];
    const struct model_token setup = {
        .address = 5, .bytes = (const uint8_t[]){0x80, 6, 0, 2, 0, 0, 255, 0}, .length = 8};
    start_configured();
    for (int packets = 0; packets < 2; packets++) {
        assert_int_equal(model_setup(&bench.model, &setup), MODEL_ACK);
        bench.host.toggle_in[0] = bench.host.toggle_out[0] = 1;
        if (packets == 1) {
            assert_int_equal(host_in(&bench.host, 0, bytes), 64);
        }
        assert_int_equal(host_out(&bench.host, 0, bytes, 0), 0);
        assert_int_equal(ask(0x80, 6, 0x0100, 0, 18, bytes), 18);
    }
}

/* ---- standard requests ---- */

CASE(test_configuration) {
    uint8_t bytes[2];
    start_configured();
    assert_int_equal(ask(0x80, 8, 0, 0, 1, bytes), 1);
    assert_int_equal(bytes[0], 1);
    assert_int_equal(tell(0, 9, 2, 0), HOST_STALL);
    assert_int_equal(ask(0x80, 8, 0, 0, 1, bytes), 1);
    assert_int_equal(bytes[0], 1);
    assert_int_equal(tell(0, 9, 0, 0), 0);
    assert_int_equal(ask(0x80, 8, 0, 0, 1, bytes), 1);
    assert_int_equal(bytes[0], 0);
    assert_int_equal(host_in(&bench.host, 0x81, bytes), HOST_SILENT);
    assert_int_equal(host_set_line(&bench.host, true), HOST_STALL);
}

CASE(test_status) {
    uint8_t bytes[2] = {9, 9};
    start_configured();
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(ask(0x80, 0, 0, 0, 2, bytes), 2); /* bus-powered, no remote wakeup */
        assert_int_equal(bytes[0] | bytes[1], 0);
        assert_int_equal(ask(0x81, 0, 0, (uint16_t)i, 2, bytes), 2);
        assert_int_equal(bytes[0] | bytes[1], 0);
    }
    assert_int_equal(ask(0x81, 0, 0, 2, 2, bytes), HOST_STALL);
    assert_int_equal(ask(0x82, 0, 0, 0x80, 2, bytes), 2);
    assert_int_equal(ask(0x82, 0, 0, 0x83, 2, bytes), HOST_STALL);
    assert_int_equal(ask(0x83, 0, 0, 0, 2, bytes), HOST_STALL);
    assert_int_equal(ask(0x80, 0, 0, 0, 1, bytes), HOST_STALL);
}

CASE(test_remote_wakeup_and_test_modes_are_refused) {
    start_configured();
    for (uint16_t feature = 0; feature < 4; feature++) {
        assert_int_equal(tell(0x00, 3, feature, 0), HOST_STALL);
        assert_int_equal(tell(0x00, 1, feature, 0), HOST_STALL);
        assert_int_equal(tell(0x01, 3, feature, 0), HOST_STALL);
    }
}

static int halted(uint16_t endpoint) {
    uint8_t bytes[2];
    assert_int_equal(ask(0x82, 0, 0, endpoint, 2, bytes), 2);
    assert_int_equal(bytes[1], 0);
    return bytes[0];
}

CASE(test_halt) {
    uint8_t bytes[64];
    start_configured();
    static const uint8_t endpoints[] = {0x01, 0x81, 0x82};
    for (size_t i = 0; i < sizeof endpoints; i++) {
        const uint8_t endpoint = endpoints[i];
        assert_int_equal(tell(0x02, 3, 0, endpoint), 0);
        assert_int_equal(halted(endpoint), 1);
        assert_int_equal(endpoint >= 0x80 ? host_in(&bench.host, endpoint, bytes)
                                          : host_out(&bench.host, endpoint, bytes, 1),
                         HOST_STALL);
        assert_int_equal(tell(0x02, 1, 0, endpoint), 0);
        assert_int_equal(halted(endpoint), 0);
    }
    assert_int_equal(tell(0x02, 3, 0, 0x81), 0);
    assert_int_equal(tell(0x01, 11, 0, 1), 0); /* its interface chosen again */
    assert_int_equal(halted(0x81), 0);
    assert_int_equal(tell(0x02, 3, 0, 0x81), 0);
    assert_int_equal(tell(0, 9, 1, 0), 0);
    assert_int_equal(halted(0x81), 0);
    assert_int_equal(tell(0x02, 3, 1, 0x81), HOST_STALL);
    assert_int_equal(tell(0x02, 3, 0, 0x83), HOST_STALL);
    assert_int_equal(tell(0x02, 3, 0, 0x00), HOST_STALL);
    assert_int_equal(tell(0x02, 1, 0, 0x00), 0);
    tell(0, 9, 0, 0);
    assert_int_equal(tell(0x02, 3, 0, 0x81), HOST_STALL);
}

CASE(test_interface) {
    uint8_t bytes[1] = {9};
    start_configured();
    for (uint16_t interface = 0; interface < 2; interface++) {
        assert_int_equal(ask(0x81, 10, 0, interface, 1, bytes), 1);
        assert_int_equal(bytes[0], 0);
        assert_int_equal(tell(0x01, 11, 0, interface), 0);
        assert_int_equal(tell(0x01, 11, 1, interface), HOST_STALL);
    }
    assert_int_equal(tell(0x01, 11, 0, 2), HOST_STALL);
    assert_int_equal(ask(0x81, 10, 0, 2, 1, bytes), HOST_STALL);
}

CASE(test_address) {
    uint8_t bytes[18];
    bench_start(BENCH_INTERRUPTS, false);
    host_reset(&bench.host);
    assert_int_equal(tell(0, 5, 128, 0), HOST_STALL);
    assert_int_equal(tell(0, 5, 127, 1), HOST_STALL);
    assert_int_equal(tell(0, 5, 127, 0), 0);
    assert_int_equal(ask(0x80, 6, 0x0100, 0, 18, bytes), HOST_SILENT);
    bench.host.address = 127;
    assert_int_equal(ask(0x80, 6, 0x0100, 0, 18, bytes), 18);
    assert_int_equal(tell(0, 5, 0, 0), 0);
    bench.host.address = 0;
    assert_int_equal(ask(0x80, 6, 0x0100, 0, 18, bytes), 18);
    host_enumerate(&bench.host);
    assert_int_equal(tell(0, 5, 7, 0), HOST_STALL); /* not while configured */
}

/* A new SETUP before the status stage takes the request back. */
CASE(test_address_does_not_count_without_its_status_stage) {
    uint8_t bytes[18];
    const struct model_token setup = {.bytes = (const uint8_t[]){0, 5, 9, 0, 0, 0, 0, 0},
                                      .length = 8};
    bench_start(BENCH_INTERRUPTS, false);
    host_reset(&bench.host);
    assert_int_equal(model_setup(&bench.model, &setup), MODEL_ACK);
    assert_int_equal(ask(0x80, 6, 0x0100, 0, 18, bytes), 18);
    assert_int_equal(tell(0, 9, 1, 0), 0);
    assert_int_equal(bench.model.address, 0);
}

/* ---- invalid requests ---- */

CASE(test_all_requests_with_odd_arguments_are_answered_or_refused) {
    static uint8_t bytes[65535];
    uint8_t device[18];
    unsigned refused = 0;
    for (unsigned type = 0; type < 256; type++) {
        for (unsigned request = 0; request < 48; request++) {
            start_configured();
            const uint16_t length = (uint16_t)(request % 3 == 0 ? 0 : request * 7);
            const int result = ask(type, request, request * 257, type, length, bytes);
            assert_true(result >= 0 || result == HOST_STALL);
            refused += result == HOST_STALL;
            if (type != 0 || request != 5 || result != 0) {
                assert_int_equal(ask(0x80, 6, 0x0100, 0, 18, device), 18);
            }
        }
    }
    assert_true(refused > 256 * 48 - 100);
}

CASE(test_requests_in_the_wrong_direction) {
    start_configured();
    assert_int_equal(tell(0x80, 9, 0, 0), HOST_STALL);
    assert_int_equal(tell(0x82, 3, 0, 0x81), HOST_STALL);
    assert_int_equal(tell(0x00, 6, 0x0100, 0), HOST_STALL);
    assert_int_equal(halted(0x81), 0);
    assert_int_equal(tell(0, 9, 0, 0), 0);
    assert_int_equal(tell(0x80, 5, 9, 0), HOST_STALL);
    assert_int_equal(bench.model.address, 5);
}

CASE(test_a_descriptor_is_not_written) {
    uint8_t bytes[64] = {0};
    start_configured();
    assert_int_equal(ask(0x00, 7, 0x0100, 0, 18, bytes), HOST_STALL);
    assert_int_equal(ask(0x40, 1, 0, 0, 8, bytes), HOST_STALL);
    assert_int_equal(ask(0xc0, 1, 0, 0, 8, bytes), HOST_STALL);
}

/* Damaged SETUP packets are not heard; the one before still counts. */
CASE(test_setup_of_wrong_length) {
    uint8_t bytes[18];
    start_configured();
    for (size_t length = 0; length < 12; length++) {
        const uint8_t setup[12] = {0x80, 6, 0, 1, 0, 0, 18, 0};
        const struct model_token token = {.address = 5, .bytes = setup, .length = length};
        assert_int_equal(model_setup(&bench.model, &token), length == 8 ? MODEL_ACK : MODEL_SILENT);
    }
    assert_int_equal(ask(0x80, 6, 0x0100, 0, 18, bytes), 18);
}

/* IN and OUT on endpoint 0 without a SETUP before: never more than a NAK or a STALL. */
CASE(test_stages_without_a_request) {
    uint8_t bytes[64] = {0};
    start_configured();
    bench.host.patience = 3;
    assert_true(host_in(&bench.host, 0, bytes) < 0);
    for (int i = 0; i < 4; i++) {
        (void)host_out(&bench.host, 0, bytes, 64);
    }
    assert_int_equal(host_in(&bench.host, 0, bytes), HOST_STALL);
    assert_int_equal(ask(0x80, 6, 0x0100, 0, 18, bytes), 18);
}

/* ---- SET_LINE_CODING in pieces and shapes that it must not have ---- */

static enum model_answer setup_line_coding(uint16_t length) {
    const uint8_t setup[8] = {0x21, 0x20, 0, 0, 0, 0, (uint8_t)length, (uint8_t)(length >> 8)};
    const struct model_token token = {.address = 5, .bytes = setup, .length = 8};
    const enum model_answer answer = model_setup(&bench.model, &token);
    bench.host.toggle_in[0] = bench.host.toggle_out[0] = 1;
    return answer;
}

static void check_line_coding(uint8_t first) {
    uint8_t coding[7] = {0};
    assert_int_equal(ask(0xa1, 0x21, 0, 0, 7, coding), 7);
    assert_int_equal(coding[0], first);
}

CASE(test_data_stage_too_short) {
    uint8_t bytes[64] = {1, 2, 3};
    start_configured();
    for (size_t length = 0; length < 7; length++) {
        assert_int_equal(setup_line_coding(7), MODEL_ACK);
        assert_int_equal(host_out(&bench.host, 0, bytes, length), length);
        assert_int_equal(host_in(&bench.host, 0, bytes + 32), HOST_STALL);
        check_line_coding(0x80);
    }
}

CASE(test_data_stage_too_long) {
    uint8_t bytes[64] = {1, 2, 3};
    start_configured();
    for (size_t length = 8; length <= 64; length++) {
        assert_int_equal(setup_line_coding(7), MODEL_ACK);
        assert_int_equal(host_out(&bench.host, 0, bytes, length), length);
        assert_int_equal(host_in(&bench.host, 0, bytes + 32), HOST_STALL);
        check_line_coding(0x80);
    }
}

CASE(test_data_behind_the_data_stage) {
    uint8_t bytes[64] = {1, 2, 3};
    start_configured();
    assert_int_equal(setup_line_coding(7), MODEL_ACK);
    assert_int_equal(host_out(&bench.host, 0, bytes, 7), 7);
    assert_int_equal(host_out(&bench.host, 0, bytes, 7), 7);
    assert_int_equal(host_in(&bench.host, 0, bytes), HOST_STALL);
    check_line_coding(1); /* the request itself was whole */
}

CASE(test_data_stage_of_announced_wrong_length) {
    uint8_t bytes[65535] = {1, 2, 3};
    static const uint16_t lengths[] = {1, 6, 8, 63, 64, 65, 128, 65535};
    start_configured();
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        assert_int_equal(ask(0x21, 0x20, 0, 0, lengths[i], bytes), HOST_STALL);
        check_line_coding(0x80);
    }
}

CASE(test_a_new_request_ends_an_unfinished_one) {
    uint8_t bytes[64] = {1, 2, 3};
    start_configured();
    assert_int_equal(setup_line_coding(7), MODEL_ACK);
    check_line_coding(0x80);
    assert_int_equal(setup_line_coding(7), MODEL_ACK);
    assert_int_equal(setup_line_coding(7), MODEL_ACK);
    assert_int_equal(host_out(&bench.host, 0, bytes, 7), 7);
    assert_int_equal(host_in(&bench.host, 0, bytes), 0);
    check_line_coding(1);
}

/* ---- attaching ---- */

CASE(test_unplugged_by_the_firmware) {
    uint8_t bytes[18];
    start_configured();
    assert_true(kymo_usb_cdc_attach(&bench.cdc, false));
    assert_false(model_seen(&bench.model));
    assert_int_equal(ask(0x80, 6, 0x0100, 0, 18, bytes), HOST_SILENT);
    assert_true(kymo_usb_cdc_attach(&bench.cdc, true));
    host_enumerate(&bench.host);
    check_identity();
}
