/* SPDX-License-Identifier: MIT */
/* Hostile bytes from the host into the firmware. As in fuzz_pipeline.c the input is a stream as on the line,
 * or a row of packets that get a correct CRC here.
 *
 * Whatever comes in: parameters stay within their range, and the board goes on sending what it records. With
 * FUZZ_NETWORK it comes over a network, to a board with a key: unsigned, and then nothing may be obeyed, or
 * with correct signatures. */
#include <string.h>

#include "fuzz.h"
#include "kymo/kymo.h"
#include "kymo/siphash.h"
#include "kymo_arch.h"
#include "ring/lane.h"
#include "send/link.h"
#include "trace/pipeline.h"
#include "wire/command.h"
#include "wire/guard.h"
#include "wire/unpack.h"

#define GAIN_LEAST (-5)
#define GAIN_MOST 10
#define LINE_BYTES 65536u

KYMO_PARAM(gain, "gain", 1, GAIN_LEAST, GAIN_MOST);

static struct {
    uint8_t bytes[LINE_BYTES];
    size_t length, at;
} line; /* to the board */
static size_t sent_bytes;

static size_t line_read(void *context, uint8_t *bytes, size_t length) {
    (void)context;
    length = length < line.length - line.at ? length : line.length - line.at;
    memcpy(bytes, line.bytes + line.at, length);
    line.at += length;
    return length;
}

static size_t line_write(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    sent_bytes += length;
    return length;
}

#ifdef FUZZ_NETWORK
static const uint8_t key[] = {KYMO_COMMAND_KEY};
uint64_t kymo_command_nonce(void) { return 1u; }
static const struct kymo_transport transport = {
    .write = line_write, .read = line_read, .network = true};
#else
static const struct kymo_transport transport = {.write = line_write, .read = line_read};
#endif

static void put(const uint8_t *bytes, size_t length) {
    length = length < LINE_BYTES - line.length ? length : LINE_BYTES - line.length;
    memcpy(line.bytes + line.length, bytes, length);
    line.length += length;
}

static void put_packets(const uint8_t *data, size_t size) {
    uint8_t framed[600];
    while (size > 0) {
        size_t length = data[0] < size - 1 ? data[0] : size - 1;
        put(framed, packet_encode(framed, sizeof framed, data + 1, length));
        data += length + 1;
        size -= length + 1;
    }
}

#ifdef FUZZ_NETWORK
/* Each of the packets as a signed command, as far as it fits into one. */
static void put_signed(const uint8_t *data, size_t size) {
    uint8_t framed[600];
    struct guard guard = {.key = key};
    guard_answered(&guard, 0, kymo_link.guard.accepted, kymo_link.guard.challenge, 0);
    while (size > 0) {
        size_t length = data[0] < size - 1 ? data[0] : size - 1;
        put(framed, guard_packet(&guard, framed, sizeof framed, data + 1, length, 0));
        data += length + 1;
        size -= length + 1;
    }
}
#endif

static void put_input(const uint8_t *data, size_t size) {
#ifdef FUZZ_NETWORK
    if (data[0] & 2) {
        put_signed(data + 1, size - 1);
        return;
    }
#endif
    (data[0] & 1 ? put_packets : put)(data + 1, size - 1);
}

static void check_refused(int32_t gain_before) {
    if (kymo_stopped || KYMO_PARAM_GET(gain) != gain_before) {
        fuzz_wrong("an unsigned command from the network was obeyed");
    }
}

static void check_board_lives(void) {
    sent_bytes = 0;
    kymo_start();
    KYMO_FRAME();
    fake.clock += fake.clock_hz * 10u; /* beyond every latency and status period */
    for (unsigned i = 0; i < 100u && kymo_pending(); i++) {
        (void)kymo_drain(0u);
    }
    if (sent_bytes == 0) {
        fuzz_wrong("the board has stopped sending");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    line.length = line.at = 0;
    kymo_init(&transport, "fuzz");
    int32_t gain_before = KYMO_PARAM_GET(gain);
    put_input(data, size);
    for (unsigned i = 0; i < 100000u && line.at < line.length; i++) {
        (void)kymo_drain(0u);
    }
    if (line.at != line.length) {
        fuzz_wrong("the board has stopped reading");
    }
    if (KYMO_PARAM_GET(gain) < GAIN_LEAST || KYMO_PARAM_GET(gain) > GAIN_MOST) {
        fuzz_wrong("a parameter is out of its range");
    }
    if (transport.network && (data[0] & 2) == 0) {
        check_refused(gain_before);
    }
    check_board_lives();
    return 0;
}

/* ---- correct inputs: a row of commands ---- */

static size_t make_command(uint8_t *out, size_t size, uint32_t choice, uint32_t value) {
    switch (choice % 6u) {
    case 0:
        return command_hello(out, size);
    case 1:
        return command_get_names(out, size);
    case 2:
        return command_start(out, size);
    case 3:
        return command_stop(out, size);
    case 4:
        return command_ping(out, size, value);
    default:
        return command_set_param(out, size, value % 3u, (int32_t)value);
    }
}

size_t fuzz_seed(uint32_t index, uint8_t *out, size_t size) {
    size_t length = 1;
    out[0] = (uint8_t)(index & 3u);
    for (uint32_t i = 0; i < 12u; i++) {
        uint8_t command[32];
        uint32_t value = (index + i) * 2654435761u;
        size_t bytes = make_command(command, sizeof command, value >> 16, value);
        if (size - length < 2u * sizeof command) {
            fuzz_wrong("fuzz_seed() has no room");
        }
        if (out[0] == 0) { /* as on the line */
            length += packet_encode(out + length, size - length, command, bytes);
        } else {
            out[length++] = (uint8_t)bytes;
            memcpy(out + length, command, bytes);
            length += bytes;
        }
    }
    return length;
}
