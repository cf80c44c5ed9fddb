/* SPDX-License-Identifier: MIT */
/* Sites that are made at run time: found by what they say, sent once, and shown by hostlink under their names. */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "kept.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "record/dynamic.h"
#include "send/link.h"
#include "trace.h"
#include "trace/pipeline.h"

#define EVENTS_MAX 64u

KYMO_SITE_DEFINE_GLOBAL(fixed, KYMO_SITE_ZONE, "fixed", 0u, 0u, NULL);

/* ---- a board, and hostlink's reading of its stream ---- */

struct seen {
    uint32_t count;
    enum event_kind kind[EVENTS_MAX];
    char name[EVENTS_MAX][2000];
    char function[EVENTS_MAX][64];
    char text[EVENTS_MAX][1000];
    const struct site
        *site[EVENTS_MAX]; /* only its address means something once the names are gone */
};

static int on_event(void *context, const struct event *event) {
    struct seen *seen = context;
    if (event->site == NULL || event->kind == EVENT_ZONE_END) {
        return 0;
    }
    const uint32_t at = seen->count++;
    assert_true(at < EVENTS_MAX);
    seen->kind[at] = event->kind;
    seen->site[at] = event->site;
    (void)snprintf(seen->function[at], sizeof seen->function[at], "%s", event->site->function);
    (void)snprintf(seen->name[at], sizeof seen->name[at], "%s", event->site->name);
    if (event->kind == EVENT_MESSAGE) {
        (void)snprintf(seen->text[at], sizeof seen->text[at], "%s", event->u.text.bytes);
    }
    return 0;
}

/* Each packet of the stream, its zero byte with it; "passes" says which. */
static void feed(struct pipeline *pipeline, const uint8_t *bytes, size_t length,
                 bool (*passes)(uint8_t type, uint32_t number)) {
    uint32_t number = 0u;
    for (const uint8_t *at = bytes; at < bytes + length; number++) {
        const uint8_t *end = memchr(at, 0, (size_t)(bytes + length - at));
        assert_non_null(end);
        /* The first byte is COBS's, the second one the packet's. */
        const uint8_t type = end - at > 1 ? at[1] & KYMO_WIRE_TYPE_MASK : 0u;
        if (passes == NULL || passes(type, number)) {
            assert_int_equal(pipeline_feed(pipeline, at, (size_t)(end + 1 - at)), 0);
        }
        at = end + 1;
    }
}

/* Reads a capture like convert: the names first. */
static void read_twice(struct seen *seen, bool (*passes)(uint8_t type, uint32_t number),
                       struct pipeline_totals *totals) {
    const struct pipeline_callbacks first = {.names_only = true};
    const struct pipeline_callbacks second = {.event = on_event, .context = seen};
    struct pipeline *names = pipeline_new(&first, NULL);
    feed(names, kept.bytes, kept.length, passes);
    assert_int_equal(pipeline_end(names), 0);
    struct pipeline *pipeline = pipeline_new(&second, names);
    memset(seen, 0, sizeof *seen);
    feed(pipeline, kept.bytes, kept.length, passes);
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, totals);
    pipeline_free(pipeline);
    pipeline_free(names);
}

static void power_up(void) {
    fake_reset();
    trace_power_up();
    kymo_init(&kept_transport, "dynamic");
}

FIXTURE(set_up) {
    kept.length = 0u;
    power_up();
    return 0;
}

static void drain(void) {
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
}

static void finish(void) {
    kymo_finish();
    drain();
}

static const struct kymo_site *zone_named(const char *name, size_t length, uint32_t line) {
    const struct kymo_site_text text = {.name = name,
                                        .name_bytes = (uint16_t)length,
                                        .function = "run",
                                        .function_bytes = 3u,
                                        .file = "model.mlir",
                                        .file_bytes = 10u,
                                        .kind = KYMO_SITE_ZONE,
                                        .line = line};
    return kymo_site_dynamic(&text);
}

static void zone(const struct kymo_site *site) { kymo_zone_end(kymo_zone_begin(site)); }

/* ---- the table ---- */

CASE(equal_texts_are_one_site, set_up) {
    char buffer[8] = "matmul";
    const struct kymo_site *site = zone_named(buffer, 6u, 7u);
    assert_ptr_equal(zone_named("matmul", 6u, 7u), site);
    assert_ptr_equal(zone_named("matmul and more", 6u, 7u), site);
    assert_ptr_not_equal(zone_named(buffer, 6u, 8u), site);
    assert_ptr_not_equal(zone_named(buffer, 5u, 7u), site);
    memcpy(buffer, "reduce", 6u);
    const struct kymo_site *other = zone_named(buffer, 6u, 7u);
    assert_ptr_not_equal(other, site);
    assert_ptr_equal(zone_named("reduce", 6u, 7u), other);
    assert_ptr_equal(zone_named("matmul", 6u, 7u), site);
    assert_int_equal(kymo_dynamic.refused, 0u);
}

/* Each field tells places apart. */
CASE(all_fields_count, set_up) {
    struct kymo_site_text text = {.name = "a", .name_bytes = 1u};
    const struct kymo_site *site = kymo_site_dynamic(&text);
    struct kymo_site_text others[7] = {text, text, text, text, text, text, text};
    others[0].kind = KYMO_SITE_PLOT;
    others[1].line = 1u;
    others[2].color = 1u;
    others[3].detail = 1u;
    others[4].level = 1u;
    others[5].function = "";
    others[6].name = NULL;
    for (uint32_t i = 0u; i < 7u; i++) {
        assert_ptr_not_equal(kymo_site_dynamic(&others[i]), site);
        assert_ptr_equal(kymo_site_dynamic(&others[i]), kymo_site_dynamic(&others[i]));
    }
    assert_ptr_equal(kymo_site_dynamic(&text), site);
    assert_int_equal(kymo_dynamic.complete, 8u);
}

/* Constant strings are not copied, others are; a copy that is there serves others. */
CASE(constant_strings_take_no_text, set_up) {
    struct kymo_site_text text = {.name = "constant",
                                  .name_bytes = 8u,
                                  .function = "function",
                                  .function_bytes = 8u,
                                  .file = "file",
                                  .file_bytes = 4u,
                                  .constant = KYMO_CONSTANT_NAME | KYMO_CONSTANT_FUNCTION |
                                              KYMO_CONSTANT_FILE};
    const struct kymo_site *site = kymo_site_dynamic(&text);
    assert_ptr_equal(site->name, text.name);
    assert_ptr_equal(kymo_site_dynamic(&text), site);
    assert_int_equal(kymo_dynamic.text_taken, 0u);
    text.constant = 0u;
    text.name = "copied";
    text.name_bytes = 6u;
    site = kymo_site_dynamic(&text);
    assert_ptr_not_equal(site->name, text.name);
    assert_int_equal(kymo_dynamic.text_taken, 6u); /* function and file are there */
}

CASE(null_is_a_site_without_a_name, set_up) {
    const struct kymo_site_text nothing = {.name_bytes = 8u, .kind = KYMO_SITE_ZONE};
    assert_non_null(kymo_site_dynamic(NULL));
    assert_non_null(kymo_site_dynamic(&nothing));
}

/* Neither where another string of the site finds none, nor where the table is full. */
CASE(a_refused_site_takes_no_text, set_up) {
    static char function[250];
    struct kymo_site_text text = {.name = "name", .name_bytes = 4u, .kind = KYMO_SITE_ZONE};
    kymo_dynamic.text_taken = KYMO_DYNAMIC_TEXT_BYTES - 8u;
    text.function = function;
    text.function_bytes = sizeof function;
    (void)kymo_site_dynamic(&text);
    assert_int_equal(kymo_dynamic.text_taken, KYMO_DYNAMIC_TEXT_BYTES - 8u);
    kymo_dynamic.text_taken = 0u;
    kymo_dynamic.sites_taken = KYMO_DYNAMIC_SITES;
    (void)kymo_site_dynamic(&text);
    assert_int_equal(kymo_dynamic.text_taken, 0u);
}

CASE(names_are_cut, set_up) {
    static char longer[2][600];
    memset(longer, 'x', sizeof longer);
    longer[1][599] = 'y';
    struct kymo_site_text text = {.name = longer[0],
                                  .name_bytes = 600u,
                                  .function = "run",
                                  .function_bytes = 3u,
                                  .constant = KYMO_CONSTANT_FUNCTION,
                                  .kind = KYMO_SITE_ZONE};
    const struct kymo_site *site = kymo_site_dynamic(&text);
    text.name = longer[1];
    assert_ptr_equal(kymo_site_dynamic(&text), site);
    zone(site);
    finish();
    struct seen seen;
    struct pipeline_totals totals;
    read_twice(&seen, NULL, &totals);
    assert_int_equal(totals.unknown_names, 0u);
    assert_int_equal(strlen(seen.name[0]), KYMO_DYNAMIC_STRING_BYTES + strlen("\u2026"));
    assert_string_equal(seen.name[0] + KYMO_DYNAMIC_STRING_BYTES, "\u2026");
}

/* 16, 256 and 1440 characters. */
#define X16 "0123456789abcdef"
#define X256 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16
#define X1440 X256 X256 X256 X256 X256 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16

/* Each is longer than a packet of KYMO_PACKET_BYTES. */
CASE(names_of_the_image_arrive_whole, set_up) {
    _Static_assert(sizeof X256 X256 X16 > KYMO_PACKET_BYTES, "longer than a packet");
    KYMO_PLOT(X256 X256 X16 "a", 1);
    KYMO_PLOT(X256 X256 X16 "b", 2);
    KYMO_MESSAGE(X256 X256 X16 " state=%d code=%x name=%s end", 7, 0xabcu, "who");
    KYMO_PLOT("short", 3);
    finish();
    struct seen seen;
    struct pipeline_totals totals;
    read_twice(&seen, NULL, &totals);
    assert_int_equal(totals.bad_packets, 0u);
    assert_int_equal(totals.unknown_names, 0u);
    assert_int_equal(seen.count, 4u);
    assert_string_equal(seen.name[0], X256 X256 X16 "a");
    assert_string_equal(seen.name[1], X256 X256 X16 "b");
    assert_string_equal(seen.text[2], X256 X256 X16 " state=7 code=abc name=who end");
    assert_string_equal(seen.name[3], "short");
}

/* Names longer than any packet takes. */
CASE(longer_names_end_in_an_ellipsis, set_up) {
    KYMO_PLOT(X1440, 1);
    finish();
    struct seen seen;
    struct pipeline_totals totals;
    read_twice(&seen, NULL, &totals);
    assert_int_equal(totals.bad_packets, 0u);
    assert_int_equal(seen.count, 1u);
    assert_memory_equal(seen.name[0], X1440, KYMO_SITE_STRING_BYTES);
    assert_string_equal(seen.name[0] + KYMO_SITE_STRING_BYTES, "\u2026");
}

/* Nine places and room for eight: the ninth goes to the substitute, those that are there are still found. */
CASE(a_full_table_is_counted, set_up) {
    char name[8];
    for (uint32_t i = 0u; i < 9u; i++) {
        (void)snprintf(name, sizeof name, "zone%u", (unsigned)i);
        zone(zone_named(name, 5u, 1u));
    }
    zone(zone_named("zone7", 5u, 1u));
    const struct kymo_site_text plot = {.name = "p", .name_bytes = 1u, .kind = KYMO_SITE_PLOT};
    kymo_plot_int(kymo_site_dynamic(&plot), 5);
    assert_int_equal(kymo_dynamic.refused, 2u);
    finish();
    struct seen seen;
    struct pipeline_totals totals;
    read_twice(&seen, NULL, &totals);
    assert_int_equal(seen.count, 11u);
    assert_int_equal(totals.info.number[KYMO_INFO_DYNAMIC_SITES][0], 8u);
    assert_int_equal(totals.info.number[KYMO_INFO_DYNAMIC_SITES][1], 8u);
    assert_int_equal(totals.info.number[KYMO_INFO_DYNAMIC_SITES][2], 2u);
    assert_string_equal(seen.name[7], "zone7");
    assert_string_equal(seen.name[8], "made at run time, no room for its name");
    assert_string_equal(seen.name[9], "zone7");
    assert_int_equal(seen.kind[10], EVENT_PLOT_INT);
    assert_string_equal(seen.name[10], "made at run time, no room for its name");
    assert_int_equal(totals.lost, 0u);
}

CASE(a_full_text_is_counted, set_up) {
    static const char text[] = "0123456789012345678901234567890123456789012345678901234567890123"
                               "0123456789012345678901234567890123456789012345678901234567890123";
    const struct kymo_site *site = NULL;
    for (uint32_t i = 0u; i < 4u; i++) {
        site = zone_named(text + i, 100u, 1u);
    }
    assert_int_equal(kymo_dynamic.refused, 2u);
    assert_ptr_equal(site, kymo_dynamic_substitute(KYMO_SITE_ZONE));
    assert_int_equal(kymo_dynamic.complete, 2u);
    assert_ptr_not_equal(zone_named("short", 5u, 1u), site); /* for which there is room */
}

/* ---- sending and showing sites ---- */

CASE(all_that_take_a_site_take_these, set_up) {
    const uint64_t args[1] = {7u};
    const struct kymo_site_text message = {.name = "took %d",
                                           .name_bytes = 7u,
                                           .kind = KYMO_SITE_MESSAGE,
                                           .level = KYMO_LEVEL_WARNING,
                                           .detail = KYMO_ARG_I32};
    {
        KYMO_ZONE_DYNAMIC(ident, "dispatch 1", 10u);
        KYMO_ZONE_VALUE(ident, 3u);
    }
    kymo_plot_float(KYMO_SITE_DYNAMIC(KYMO_SITE_PLOT, "volts", 5u), 0x40000000u);
    kymo_alloc(KYMO_SITE_DYNAMIC(KYMO_SITE_POOL, "arena", 5u), &kept, 16u);
    kymo_frame(KYMO_SITE_DYNAMIC(KYMO_SITE_FRAME, "screen", 6u));
    kymo_message(kymo_site_dynamic(&message), args);
    KYMO_MESSAGE("%s", KYMO_SITE_DYNAMIC(KYMO_SITE_STRING, "as an argument", 14u));
    zone(&fixed);
    finish();
    static const char *const names[] = {"dispatch 1", "dispatch 1", "volts", "arena",
                                        "screen",     "took %d",    "%s",    "fixed"};
    struct seen seen;
    struct pipeline_totals totals;
    read_twice(&seen, NULL, &totals);
    assert_int_equal(seen.count, 8u);
    for (uint32_t i = 0u; i < 8u; i++) {
        assert_string_equal(seen.name[i], names[i]);
    }
    assert_string_equal(seen.text[5], "took 7");
    assert_string_equal(seen.text[6], "as an argument");
    assert_string_equal(seen.function[0], "all_that_take_a_site_take_these");
    assert_int_equal(totals.unknown_names, 0u);
}

static uint32_t count_packets(uint8_t wanted) {
    uint32_t count = 0u;
    for (size_t at = 0u; at + 1u < kept.length; at++) {
        count += (at == 0u || kept.bytes[at - 1u] == 0u) && kept.bytes[at] != 0u &&
                 kept.bytes[at + 1u] == (KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | wanted);
    }
    return count;
}

/* A thousand zones of three places that are made one after the other: three packets of names at most. */
CASE(names_are_sent_once, set_up) {
    static const char *const names[] = {"one", "two", "three"};
    drain();
    const uint32_t before = count_packets(KYMO_PACKET_SITES);
    for (uint32_t i = 0u; i < 3u; i++) {
        for (uint32_t k = 0u; k < 300u; k++) {
            zone(zone_named(names[i], strlen(names[i]), 1u));
            drain();
        }
    }
    assert_int_equal(count_packets(KYMO_PACKET_SITES) - before, 3u);
}

/* Several that are made before the board drains go in one packet. */
CASE(new_names_share_a_packet, set_up) {
    drain();
    const uint32_t before = count_packets(KYMO_PACKET_SITES);
    for (uint32_t i = 0u; i < 8u; i++) {
        zone(zone_named("name", 4u, i));
    }
    drain();
    assert_int_equal(count_packets(KYMO_PACKET_SITES) - before, 1u);
}

/* A host that connects late asks: it gets those of the image and these, each once. */
CASE(a_host_that_asks_gets_all, set_up) {
    zone(zone_named("before", 6u, 1u));
    drain();
    kymo_link.names_again = true; /* as GET_NAMES does */
    kept.length = 0u;
    zone(zone_named("before", 6u, 1u));
    for (uint32_t i = 0u; i < 100u; i++) {
        (void)kymo_drain(0u);
    }
    finish();
    struct seen seen;
    struct pipeline_totals totals;
    read_twice(&seen, NULL, &totals);
    assert_int_equal(seen.count, 1u);
    assert_string_equal(seen.name[0], "before");
    assert_int_equal(totals.unknown_names, 0u);
}

static bool all_but_sites(uint8_t type, uint32_t number) {
    (void)number;
    return type != KYMO_PACKET_SITES;
}

/* Lost names: the events keep a place each, and hostlink says that names are missing. */
CASE(a_lost_packet_of_names_is_known, set_up) {
    zone(zone_named("lost", 4u, 1u));
    zone(zone_named("gone", 4u, 1u));
    finish();
    struct seen seen;
    struct pipeline_totals totals;
    read_twice(&seen, all_but_sites, &totals);
    assert_int_equal(seen.count, 2u);
    assert_ptr_not_equal(seen.site[0], seen.site[1]);
    assert_true(totals.unknown_names >= 2u);
    assert_int_equal(totals.delivered, 4u);
}

/* The same number stands for another place after a restart. */
CASE(sessions_have_places_of_their_own, set_up) {
    zone(zone_named("first run", 9u, 1u));
    finish();
    trace_power_up();
    fake.clock = 5000u;
    kymo_init(&kept_transport, "dynamic");
    zone(zone_named("second run", 10u, 1u));
    finish();
    struct seen seen;
    struct pipeline_totals totals;
    read_twice(&seen, NULL, &totals);
    assert_int_equal(totals.sessions, 2u);
    assert_int_equal(seen.count, 2u);
    assert_string_equal(seen.name[0], "first run");
    assert_string_equal(seen.name[1], "second run");
}

/* Two boards that make the same places in another order. */
CASE(two_orders_give_the_same_names, set_up) {
    static const char *const names[] = {"a", "b", "c"};
    struct seen seen[2];
    struct pipeline_totals totals;
    for (uint32_t run = 0u; run < 2u; run++) {
        kept.length = 0u;
        power_up();
        for (uint32_t i = 0u; i < 3u; i++) {
            (void)zone_named(names[run == 0u ? i : 2u - i], 1u, 1u);
        }
        for (uint32_t i = 0u; i < 3u; i++) {
            zone(zone_named(names[i], 1u, 1u));
        }
        finish();
        read_twice(&seen[run], NULL, &totals);
        assert_int_equal(seen[run].count, 3u);
        for (uint32_t i = 0u; i < 3u; i++) {
            assert_string_equal(seen[run].name[i], names[i]);
        }
    }
}
