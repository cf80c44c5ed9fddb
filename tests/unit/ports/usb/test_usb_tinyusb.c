/* SPDX-License-Identifier: MIT */
/* The adapter to TinyUSB, against its functions played here. */
#include <string.h>

#include "cases.h"
#include "usb_tinyusb.h"

#define PORT 1u
#define ROOM 16u

static struct {
    bool connected;
    uint8_t sent[ROOM];
    uint32_t sent_count, flushed;
    const char *incoming;
} tinyusb;

bool tud_cdc_n_connected(uint8_t itf) {
    assert_int_equal(itf, PORT);
    return tinyusb.connected;
}

uint32_t tud_cdc_n_write(uint8_t itf, void const *buffer, uint32_t bufsize) {
    const uint32_t room = ROOM - tinyusb.sent_count;
    const uint32_t count = bufsize < room ? bufsize : room;
    assert_int_equal(itf, PORT);
    memcpy(tinyusb.sent + tinyusb.sent_count, buffer, count);
    tinyusb.sent_count += count;
    return count;
}

uint32_t tud_cdc_n_write_flush(uint8_t itf) {
    assert_int_equal(itf, PORT);
    tinyusb.flushed = tinyusb.sent_count;
    return tinyusb.flushed;
}

uint32_t tud_cdc_n_read(uint8_t itf, void *buffer, uint32_t bufsize) {
    const uint32_t there = (uint32_t)strlen(tinyusb.incoming);
    const uint32_t count = there < bufsize ? there : bufsize;
    assert_int_equal(itf, PORT);
    memcpy(buffer, tinyusb.incoming, count);
    tinyusb.incoming += count;
    return count;
}

FIXTURE(set_up) {
    memset(&tinyusb, 0, sizeof tinyusb);
    tinyusb.incoming = "";
    return 0;
}

CASE(test_writes_what_fits_and_sends_it, set_up) {
    const struct kymo_transport port = kymo_usb_tinyusb_transport(PORT);
    static const uint8_t bytes[] = "twenty bytes of this";
    tinyusb.connected = true;
    assert_int_equal(port.write(port.context, bytes, 10), 10);
    assert_int_equal(tinyusb.flushed, 10);
    assert_int_equal(port.write(port.context, bytes + 10, 10), 6);
    assert_int_equal(port.write(port.context, bytes + 16, 4), 0);
    assert_memory_equal(tinyusb.sent, bytes, ROOM);
    assert_int_equal(tinyusb.flushed, ROOM);
}

CASE(test_keeps_everything_while_closed, set_up) {
    const struct kymo_transport port = kymo_usb_tinyusb_transport(PORT);
    assert_int_equal(port.write(port.context, (const uint8_t *)"abc", 3), 0);
    assert_int_equal(tinyusb.sent_count, 0);
}

CASE(test_reads_open_or_closed, set_up) {
    const struct kymo_transport port = kymo_usb_tinyusb_transport(PORT);
    uint8_t bytes[4];
    tinyusb.incoming = "hello";
    assert_int_equal(port.read(port.context, bytes, sizeof bytes), 4);
    assert_memory_equal(bytes, "hell", 4);
    tinyusb.connected = true;
    assert_int_equal(port.read(port.context, bytes, sizeof bytes), 1);
    assert_int_equal(port.read(port.context, bytes, sizeof bytes), 0);
    assert_false(port.network);
}
