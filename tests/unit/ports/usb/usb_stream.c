/* SPDX-License-Identifier: MIT */
#include "usb_stream.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct usb_stream stream;

uint8_t stream_byte(size_t at) { return (uint8_t)(at * 7u + (at >> 8) * 3u); }

size_t firmware_writes(size_t most) {
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

int host_takes(void) {
    uint8_t bytes[KYMO_USB_PACKET_BYTES];
    const int length = host_in(&bench.host, BULK_IN, bytes);
    for (int i = 0; i < length; i++) {
        assert_int_equal(bytes[i], stream_byte(stream.received++));
    }
    return length;
}

void host_takes_all(void) {
    while (host_takes() >= 0) {}
    assert_int_equal(stream.received, stream.written);
}

void push(size_t bytes) {
    const size_t end = stream.written + bytes;
    for (unsigned turn = 0; stream.written < end; turn++) {
        const size_t most = 1u + turn * 37u % 700u;
        (void)firmware_writes(most < end - stream.written ? most : end - stream.written);
        if (turn % 3u == 0u) {
            (void)host_takes();
        }
    }
}

int host_takes_state(void) {
    uint8_t bytes[KYMO_USB_PACKET_BYTES];
    bench.host.patience = 2;
    const int length = host_in(&bench.host, 0x82, bytes);
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
