/* SPDX-License-Identifier: MIT */
/* A console that writes to the line of the trace, into packets and between them. */
#include "trace/stray_text.h"

#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "kept.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "trace.h"
#include "trace/pipeline.h"
#include "wire/compose.h"

enum bend { STRAIGHT, CR_LF, XON, SEVEN_BITS };

static char notices[1024];
static struct pipeline_totals totals;

static void on_notice(void *context, const char *text) {
    size_t used = strlen(notices);
    (void)context;
    (void)snprintf(notices + used, sizeof notices - used, "%s\n", text);
}

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    fake.clock_hz = 1000000u;
    kept.length = 0;
    notices[0] = '\0';
    kymo_init(&kept_transport, "a program with a long enough name");
    for (uint32_t i = 0; i < 5000; i++) {
        KYMO_MESSAGE("a line of a message that is long, %s", "and of an argument of it");
        KYMO_PLOT("plot", (uint64_t)i * UINT64_C(0x123456789abcdef));
        fake.clock += 100;
        if (i % 8u == 7u) {
            while (kymo_drain(0)) {}
        }
    }
    kymo_finish();
    while (kymo_pending()) {
        while (kymo_drain(0)) {}
    }
    return 0;
}

static void read_it(struct pipeline *p, size_t from, size_t to) {
    assert_int_equal(pipeline_feed(p, kept.bytes + from, to - from), 0);
}

static struct pipeline *new_pipeline(void) {
    const struct pipeline_callbacks callbacks = {.notice = on_notice};
    struct pipeline *p = pipeline_new(&callbacks, NULL);
    assert_non_null(p);
    return p;
}

static void finish(struct pipeline *p) {
    assert_int_equal(pipeline_end(p), 0);
    pipeline_totals(p, &totals);
    pipeline_free(p);
}

CASE(text_in_packets_is_named, set_up) {
    static const char text[] = "\r\n*** Booting Zephyr OS build v3.7.1 ***\r\n";
    struct pipeline *p = new_pipeline();
    for (size_t at = 0; at < kept.length; at += 10001) {
        read_it(p, at, at + 10001 < kept.length ? at + 10001 : kept.length);
        assert_int_equal(pipeline_feed(p, (const uint8_t *)text, sizeof text - 1), 0);
    }
    finish(p);
    assert_true(totals.text_packets > 0 && totals.text_packets <= totals.bad_packets);
    assert_string_equal(totals.text, "*** Booting Zephyr OS build v3.7.1 ***");
    assert_non_null(strstr(notices,
                           "text between packets: '*** Booting Zephyr OS build v3.7.1 ***': "
                           "a console writes"));
    assert_null(strstr(strstr(notices, "text between") + 1, "text between")); /* said once */
}

/* Packets hold text of their own: that of names and of arguments. */
CASE(damage_is_no_text, set_up) {
    struct pipeline *p = new_pipeline();
    for (size_t at = 50; at < kept.length; at += 97) {
        kept.bytes[at] ^= 4;
    }
    read_it(p, 0, kept.length);
    finish(p);
    assert_true(totals.bad_packets > 50);
    assert_int_equal(totals.text_packets, 0);
    assert_string_equal(notices, "");
}

/* The stream as a line delivers it that changes bytes. */
static void bend(enum bend what) {
    static uint8_t bent[2 * KEPT_BYTES];
    size_t length = 0;
    for (size_t i = 0; i < kept.length; i++) {
        const uint8_t byte = kept.bytes[i];
        if (what == CR_LF && byte == '\n') {
            bent[length++] = '\r';
        }
        if (what != XON || (byte != 0x11 && byte != 0x13)) {
            bent[length++] = what == SEVEN_BITS ? byte & 0x7fu : byte;
        }
    }
    struct pipeline *p = new_pipeline();
    assert_int_equal(pipeline_feed(p, bent, length), 0);
    finish(p);
}

CASE(what_a_line_does_to_bytes_is_named, set_up) {
    static const char *const said[] = {NULL, "CR LF", "XON", "7 data bits"};
    for (enum bend what = STRAIGHT; what <= SEVEN_BITS; what++) {
        bend(what);
        assert_int_equal(totals.line_fault != NULL, said[what] != NULL);
        assert_true(said[what] == NULL || strstr(totals.line_fault, said[what]) != NULL);
    }
}

/* Bits that flip, and bytes that are missing, leave all values there. */
CASE(noise_is_no_fault_of_the_line, set_up) {
    struct pipeline *p = new_pipeline();
    for (size_t at = 0; at < kept.length; at += 500) {
        kept.bytes[at] ^= 0x20;
    }
    read_it(p, 0, kept.length);
    finish(p);
    assert_true(totals.bad_packets > 10);
    assert_null(totals.line_fault);
}

/* Their first byte ends the packet that the capture's end has cut. */
CASE(symbols_after_a_cut_packet_damage_nothing, set_up) {
    static const uint8_t symbols[] = {
        KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_PACKET_SYMBOLS, 0, 1, 2, 3, 0};
    uint8_t framed[32] = {0};
    struct pipeline *p = new_pipeline();
    read_it(p, 0, kept.length / 2);
    assert_true(kept.bytes[kept.length / 2 - 1] != 0);
    const size_t length = packet_encode(framed + 1, sizeof framed - 1, symbols, sizeof symbols);
    assert_int_equal(pipeline_feed(p, framed, length + 1), 0);
    finish(p);
    assert_int_equal(totals.bad_packets, 0);
    assert_int_equal(totals.junk_bytes, 0);
}
