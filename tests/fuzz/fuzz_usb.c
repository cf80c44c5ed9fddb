/* SPDX-License-Identifier: MIT */
/* A hostile USB host, and a bus that does what it likes, against the device stack with its serial port: tokens in
 * any order, requests of any kind, resets, cable and sleep at any time, the firmware writing and reading between.
 *
 * An input is a row of steps, see step(). Whatever they are: the stack keeps the contract of a controller and
 * answers no transfer with more than was asked for; with the next SETUP it obeys again, and after a reset
 * everything works; the bytes that the host has acknowledged are the stream, each byte once. */
#include <string.h>

#include "fuzz.h"
#include "usb/bench.h"

#define BULK_IN 0x81

_Noreturn void bus_wrong(const char *what) { fuzz_wrong(what); }

/* ---- the input ---- */

static struct {
    const uint8_t *bytes;
    size_t length;
} input;

static uint8_t next(void) {
    if (input.length == 0) {
        return 0;
    }
    input.length--;
    return *input.bytes++;
}

static void take(uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        bytes[i] = next();
    }
}

/* ---- the stream to the host ---- */

static bool exact; /* the firmware hears of everything at once, so no packet can be sent twice */
static size_t written, received;

static uint8_t stream_byte(size_t at) { return (uint8_t)(at * 7u + (at >> 8) * 3u); }

static void check_stream(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length && exact; i++) {
        if (received == written || bytes[i] != stream_byte(received)) {
            fuzz_wrong("the stream is not what was written");
        }
        received++;
    }
}

static void firmware_writes(size_t length) {
    uint8_t bytes[256];
    for (size_t i = 0; i < length; i++) {
        bytes[i] = stream_byte(written + i);
    }
    const size_t taken = bench.transport->write(bench.transport->context, bytes, length);
    if (taken > length) {
        fuzz_wrong("more was taken than there is");
    }
    written += taken;
}

static void firmware_reads(size_t length) {
    uint8_t bytes[256];
    if (bench.transport->read(bench.transport->context, bytes, length) > length) {
        fuzz_wrong("more was read than there is room");
    }
}

/* ---- steps ---- */

static void token_in(void) {
    const uint8_t endpoint = next(), how = next();
    const struct model_token token = {.address = bench.model.address, .endpoint = endpoint | 0x80};
    struct model_data data;
    if (model_in(&bench.model, &token, (how & 1) != 0, &data) == MODEL_DATA && (how & 1) != 0) {
        if ((endpoint & 0xf) == (BULK_IN & 0xf)) {
            check_stream(data.bytes, data.length);
        }
    }
}

static void token_out(void) {
    uint8_t bytes[255];
    struct model_token token = {.address = bench.model.address, .endpoint = next() & 0xf};
    token.toggle = next() & 1;
    token.length = next();
    take(bytes, token.length);
    token.bytes = bytes;
    (void)model_out(&bench.model, &token);
}

static void token_setup(void) {
    uint8_t bytes[8];
    take(bytes, sizeof bytes);
    const struct model_token token = {.address = bench.model.address, .bytes = bytes, .length = 8};
    (void)model_setup(&bench.model, &token);
}

/* A whole control transfer by the strict host, for any request. */
static void transfer(void) {
    static uint8_t data[65535];
    uint8_t setup[8];
    take(setup, sizeof setup);
    const unsigned length = setup[6] | (unsigned)setup[7] << 8;
    take(data, length < 64 ? length : 64);
    bench.host.address = bench.model.address;
    const int result = host_ask(&bench.host, setup[0], setup[1], setup[2] | (unsigned)setup[3] << 8,
                                setup[4] | (unsigned)setup[5] << 8, length, data);
    if (result > (int)length) {
        fuzz_wrong("a longer answer than was asked for");
    }
    if (result < 0 && result != HOST_STALL && model_seen(&bench.model) && exact) {
        fuzz_wrong("a request is neither obeyed nor refused");
    }
}

static void bus(void) {
    switch (next() & 7) {
    case 0:
        model_suspend(&bench.model, true);
        return;
    case 1:
        model_suspend(&bench.model, false);
        return;
    case 2:
        model_cable(&bench.model, false);
        return;
    case 3:
        model_cable(&bench.model, true);
        return;
    case 4:
        (void)kymo_usb_cdc_attach(&bench.cdc, false);
        return;
    case 5:
        (void)kymo_usb_cdc_attach(&bench.cdc, true);
        return;
    default:
        model_bus_reset(&bench.model);
    }
}

static void step(void) {
    switch (next() & 7) {
    case 0:
        token_setup();
        return;
    case 1:
        token_in();
        return;
    case 2:
        token_out();
        return;
    case 3:
        transfer();
        return;
    case 4:
        bus();
        return;
    case 5:
        firmware_writes(next());
        return;
    case 6:
        firmware_reads(next());
        return;
    default:
        kymo_usb_cdc_poll(&bench.cdc);
    }
}

/* An interrupt of a higher level, at every call of the controller. */
static void preempt(void) {
    kymo_usb_cdc_poll(&bench.cdc);
    (void)kymo_usb_cdc_idle(&bench.cdc);
}

/* ---- afterwards ---- */

static void check_next_request(void) {
    uint8_t bytes[18];
    kymo_usb_cdc_poll(&bench.cdc); /* which may take an address that the host has given */
    if (!model_seen(&bench.model)) {
        return;
    }
    bench.host.address = bench.model.address;
    if (host_ask(&bench.host, 0x80, 6, 0x0100, 0, 18, bytes) != 18 || bytes[1] != 1) {
        fuzz_wrong("the next request is not obeyed");
    }
}

static void check_all_works(void) {
    uint8_t bytes[KYMO_USB_PACKET_BYTES];
    (void)kymo_usb_cdc_attach(&bench.cdc, true);
    model_cable(&bench.model, true);
    host_enumerate(&bench.host);
    if (host_set_line(&bench.host, true) != 0) {
        fuzz_wrong("the port does not open");
    }
    bench.host.patience = 2;
    firmware_writes(200);
    for (int length; (length = host_in(&bench.host, BULK_IN, bytes)) >= 0;) {
        check_stream(bytes, (size_t)length);
    }
    if (exact && received != written) {
        fuzz_wrong("bytes are missing");
    }
    if (host_out(&bench.host, 0x01, bytes, 5) != 5 ||
        bench.transport->read(bench.transport->context, bytes, sizeof bytes) == 0) {
        fuzz_wrong("the firmware does not hear the host");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input.bytes = data;
    input.length = size < 2048 ? size : 2048;
    const uint8_t kind = next();
    exact = (kind & 1) != 0;
    written = received = 0;
    bench_start(exact ? BENCH_INTERRUPTS : BENCH_POLLED, (kind & 2) != 0);
    bench.model.preempt = (kind & 4) != 0 ? preempt : NULL;
    bench.host.patience = 4;
    while (input.length != 0) {
        step();
    }
    check_next_request();
    bench.host.patience = 64;
    check_all_works();
    return 0;
}

/* ---- correct inputs: enumeration, and a session ---- */

static uint8_t *add(uint8_t *at, const uint8_t *bytes, size_t length) {
    memcpy(at, bytes, length);
    return at + length;
}

static uint8_t *add_session(uint8_t *at, uint32_t index) {
    static const uint8_t out[] = {2, 1, 0, 4, 1, 2, 3, 4, 6, 10};
    static const uint8_t full[] = {2, 1, 0, 64}; /* and 64 bytes */
    for (uint32_t i = 0; i < 12; i++) {
        const uint8_t write[] = {5, (uint8_t)(index * 31u + i * 17u)};
        const uint8_t in[] = {1, 1, 1, 1, 1, (uint8_t)(i % 3 != 0)};
        at = add(at, write, sizeof write);
        at = add(at, in, sizeof in);
        if (i == index % 16) {
            const uint8_t what[] = {4, (uint8_t)(index >> 4)};
            at = add(at, what, sizeof what);
        }
    }
    for (uint32_t i = 0; i < index % 8; i++) { /* more than fits unread */
        at = add(at, full, sizeof full);
        at[-2] = i % 2;
        memset(at, 0x55, 64);
        at += 64;
    }
    return add(at, out, sizeof out);
}

size_t fuzz_seed(uint32_t index, uint8_t *out, size_t size) {
    static const uint8_t requests[][9] = {
        {3, 0x00, 5, 7, 0, 0, 0, 0, 0},    {3, 0x80, 6, 0, 1, 0, 0, 18, 0},
        {3, 0x80, 6, 0, 6, 0, 0, 10, 0},   {3, 0x80, 6, 0, 2, 0, 0, 255, 0},
        {3, 0x80, 6, 2, 3, 9, 4, 255, 0},  {3, 0x00, 9, 1, 0, 0, 0, 0, 0},
        {3, 0x80, 8, 0, 0, 0, 0, 1, 0},    {3, 0x21, 0x22, 3, 0, 0, 0, 0, 0},
        {3, 0xa1, 0x21, 0, 0, 0, 0, 7, 0}, {3, 0x02, 3, 0, 0, 0x81, 0, 0, 0},
        {3, 0x02, 1, 0, 0, 0x81, 0, 0, 0}, {3, 0x82, 0, 0, 0, 1, 0, 2, 0},
        {3, 0x81, 0, 0, 0, 1, 0, 2, 0},    {3, 0x81, 10, 0, 0, 1, 0, 1, 0},
        {3, 0x01, 11, 0, 0, 1, 0, 0, 0},   {3, 0x21, 0x23, 100, 0, 0, 0, 0, 0},
    };
    enum { REQUESTS = sizeof requests / sizeof *requests };
    static const uint8_t coding[] = {3, 0x21, 0x20, 0, 0, 0, 0, 7, 0, 0x80, 0x25, 0, 0, 0, 0, 8};
    static const uint8_t by_token[] = {0, 0x80, 6, 0, 2, 0, 0, 75, 0, 7, 1,
                                       0, 1,    7, 1, 0, 1, 7, 2,  0, 1, 0};
    uint8_t *at = out;
    if (size < 1024) {
        fuzz_wrong("fuzz_seed() has no room");
    }
    *at++ = (uint8_t)index;
    for (size_t i = 0; i < REQUESTS; i++) {
        at = add(at, requests[index % 5u == 0u ? (index + i * 7u) % REQUESTS : i], 9);
        if (i % 4 == index % 4) {
            at = add(at, coding, sizeof coding);
            at = add(at, by_token, sizeof by_token);
        }
    }
    return (size_t)(add_session(at, index) - out);
}
