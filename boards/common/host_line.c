/* SPDX-License-Identifier: MIT */
#include "host_line.h"

#include "board.h"
#include "kymo/kymo.h"

static bool is_full;
static uint32_t bytes_taken;

static size_t write_watched(void *context, const uint8_t *bytes, size_t length) {
    const size_t taken = board_transport()->write(context, bytes, length);
    is_full = taken < length;
    bytes_taken += (uint32_t)taken;
    return taken;
}

const struct kymo_transport *host_line(void) {
    static struct kymo_transport transport;
    transport = *board_transport();
    transport.write = write_watched;
    return &transport;
}

bool host_line_is_full(void) { return is_full; }

uint32_t host_line_bytes(void) { return bytes_taken; }

void host_line_print(const struct text *line) {
#if KYMO_ENABLE
    while (!kymo_print(line->bytes, line->length)) {
        (void)kymo_drain(0u);
    }
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
#else
    const struct kymo_transport *out = board_transport();
    size_t sent = 0u;
    while (sent < line->length) {
        sent += out->write(out->context, (const uint8_t *)line->bytes + sent, line->length - sent);
    }
    while (out->write(out->context, (const uint8_t *)"\n", 1u) == 0u) {}
#endif
}
