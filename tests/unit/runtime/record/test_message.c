/* SPDX-License-Identifier: MIT */
/* Messages and the other events with payload, through the public macros: the words sent
 * are those that WIRE.md, sections 4 and 5, lays out. */
#include <string.h>

#include "cases.h"
#include "kymo_arch.h"
#include "ring/lane.h"
#include "send/link.h"
#include "trace.h"

KYMO_POOL(pool, "pool");

static struct trace trace;
static struct wire_event got[64];
static uint32_t got_count;

static void keep(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user;
    (void)lane;
    (void)context;
    if (KYMO_KIND_IS_COUNTED(event->kind) || event->kind == KYMO_KIND_CONTEXT_NAME) {
        assert_true(got_count < 64u);
        got[got_count++] = *event;
    }
}

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    trace.event = keep;
    got_count = 0u;
    kymo_init(&trace.transport, "message");
    return 0;
}

static void arrive(uint32_t count) {
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(got_count, count);
}

static void check_words(uint32_t index, uint32_t kind, uint32_t count, ...) {
    va_list expected;
    va_start(expected, count);
    assert_int_equal(got[index].kind, kind);
    assert_int_equal(got[index].words, count);
    for (uint32_t i = 0u; i < count; i++) {
        assert_int_equal(got[index].word[i], va_arg(expected, uint32_t));
    }
    va_end(expected);
}

static const struct kymo_site *site_of(uint32_t index) {
    return &__start_kymo_sites[got[index].reference / 2u];
}

static void check_site(uint32_t index, const char *format, uint32_t classes, uint32_t level) {
    const struct kymo_site *site = site_of(index);
    assert_int_equal(got[index].reference % 2u, 0u);
    assert_int_equal(site->kind, KYMO_SITE_MESSAGE);
    assert_string_equal(site->name, format);
    assert_int_equal(site->detail, classes);
    assert_int_equal(site->level, level);
}

#define U(x) ((uint32_t)(x))

CASE(numbers_of_every_width, set_up) {
    KYMO_MESSAGE("none");
    KYMO_MESSAGE("%d %d", (signed char)-5, (short)-300);
    KYMO_MESSAGE("%u %u", (unsigned char)250, (unsigned short)65535);
    KYMO_MESSAGE("%d %u", -2147483647 - 1, 4294967295u);
    KYMO_MESSAGE("%lld", -2ll);
    KYMO_MESSAGE("%llu", 0xfedcba9876543210ull);
    KYMO_MESSAGE("%d %c", true, 'x');
    KYMO_MESSAGE_LEVEL(KYMO_LEVEL_ERROR, "%x", 0xffu);
    arrive(8u);
    check_site(0u, "none", 0u, KYMO_LEVEL_INFO);
    check_words(0u, KYMO_KIND_MESSAGE, 0u);
    check_site(1u, "%d %d", 0x11u, KYMO_LEVEL_INFO);
    check_words(1u, KYMO_KIND_MESSAGE, 2u, U(-5), U(-300));
    check_site(2u, "%u %u", 0x22u, KYMO_LEVEL_INFO);
    check_words(2u, KYMO_KIND_MESSAGE, 2u, 250u, 65535u);
    check_site(3u, "%d %u", 0x21u, KYMO_LEVEL_INFO);
    check_words(3u, KYMO_KIND_MESSAGE, 2u, 0x80000000u, 0xffffffffu);
    check_site(4u, "%lld", 0x3u, KYMO_LEVEL_INFO);
    check_words(4u, KYMO_KIND_MESSAGE, 2u, 0xfffffffeu, 0xffffffffu);
    check_site(5u, "%llu", 0x4u, KYMO_LEVEL_INFO);
    check_words(5u, KYMO_KIND_MESSAGE, 2u, 0x76543210u, 0xfedcba98u);
    check_words(6u, KYMO_KIND_MESSAGE, 2u, 1u, U('x'));
    check_site(7u, "%x", 0x2u, KYMO_LEVEL_ERROR);
    check_words(7u, KYMO_KIND_MESSAGE, 1u, 0xffu);
}

CASE(real_numbers_and_addresses, set_up) {
    int object = 0;
    uint64_t address = (uint64_t)(uintptr_t)&object;
    KYMO_MESSAGE("%f", 1.5);
    KYMO_MESSAGE("%f", (double)-2.0f);
    KYMO_MESSAGE("%p", (void *)&object);
    KYMO_MESSAGE("%ld", -3l);
    arrive(4u);
    check_site(0u, "%f", KYMO_ARG_DOUBLE, KYMO_LEVEL_INFO);
    check_words(0u, KYMO_KIND_MESSAGE, 2u, 0u, 0x3ff80000u); /* IEEE 754: 1.5 is 2^0 * 1.1b */
    check_words(1u, KYMO_KIND_MESSAGE, 2u, 0u, 0xc0000000u);
    check_site(2u, "%p", KYMO_ARG_ADDRESS, KYMO_LEVEL_INFO);
    check_words(2u, KYMO_KIND_MESSAGE, 2u, (uint32_t)address, (uint32_t)(address >> 32));
    check_site(3u, "%ld", sizeof(long) == 8u ? KYMO_ARG_I64 : KYMO_ARG_I32, KYMO_LEVEL_INFO);
}

CASE(strings_copied_and_constant, set_up) {
    char buffer[8] = "abcde";
    const char *none = NULL;
    KYMO_MESSAGE("%s|%u", buffer, 7u);
    strcpy(buffer, "later");
    KYMO_MESSAGE("%s", KYMO_STRING("a constant"));
    KYMO_MESSAGE("%s", "");
    KYMO_MESSAGE("%s", none);
    arrive(4u);
    check_site(0u, "%s|%u", 0x26u, KYMO_LEVEL_INFO);
    check_words(0u, KYMO_KIND_MESSAGE, 4u, 5u, U('a' | 'b' << 8 | 'c' << 16 | 'd' << 24), U('e'),
                7u);
    check_site(1u, "%s", KYMO_ARG_SITE, KYMO_LEVEL_INFO);
    assert_int_equal(got[1].words, 1u);
    assert_string_equal(__start_kymo_sites[got[1].word[0]].name, "a constant");
    assert_int_equal(__start_kymo_sites[got[1].word[0]].kind, KYMO_SITE_STRING);
    check_words(2u, KYMO_KIND_MESSAGE, 1u, 0u);
    check_words(3u, KYMO_KIND_MESSAGE, 1u, 0u);
}

/* Text that does not fit is cut or left out; the record stays within its bounds and is well formed. */
CASE(what_is_too_long_is_cut, set_up) {
    char text[400];
    uint32_t most = (KYMO_PAYLOAD_WORDS - 1u) * 4u;
    memset(text, 'x', sizeof text - 1u);
    text[sizeof text - 1u] = '\0';
    KYMO_MESSAGE("%s", text);
    KYMO_MESSAGE("%s %u", text, 9u);
    KYMO_MESSAGE("%u %s", 9u, text);
    KYMO_MESSAGE("%llu %llu %llu %llu %s %llu", 1ull, 2ull, 3ull, 4ull, text, 5ull);
    text[most] = '\0';
    KYMO_MESSAGE("%s", text);
    arrive(5u);
    assert_int_equal(got[0].words, KYMO_PAYLOAD_WORDS);
    assert_int_equal(got[0].word[0], most);
    /* Low byte first: 'x', then U+2026 in UTF-8, e2 80 a6. */
    assert_int_equal(got[0].word[KYMO_PAYLOAD_WORDS - 1u], 0xa680e278u);
    assert_int_equal(got[0].word[KYMO_PAYLOAD_WORDS - 2u], 0x78787878u);
    assert_int_equal(got[1].words, KYMO_PAYLOAD_WORDS); /* no room for the 9 */
    assert_int_equal(got[1].word[0], most);
    assert_int_equal(got[2].word[0], 9u);
    assert_int_equal(got[2].word[1], most - 4u);
    assert_int_equal(got[3].words, KYMO_PAYLOAD_WORDS);
    assert_int_equal(got[3].word[8], most - 32u);
    assert_int_equal(got[4].word[0], most);
    assert_int_equal(got[4].word[KYMO_PAYLOAD_WORDS - 1u], 0x78787878u);
}

CASE(eight_arguments, set_up) {
    KYMO_MESSAGE("%d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8);
    arrive(1u);
    check_site(0u, "%d %d %d %d %d %d %d %d", 0x11111111u, KYMO_LEVEL_INFO);
    check_words(0u, KYMO_KIND_MESSAGE, 8u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u);
}

/* Words at the end that are 0 do not travel; the high word of an integer is the difference to the
 * sign of the low one (WIRE.md section 4). */
CASE(plots, set_up) {
    KYMO_PLOT("p", 0);
    KYMO_PLOT("p", -1);
    KYMO_PLOT("p", 0x80000000u);
    KYMO_PLOT("p", INT64_MIN);
    KYMO_PLOT("p", 1.0f);
    KYMO_PLOT("p", -0.5);
    KYMO_PLOT_CONFIG("p", (unsigned char)200, KYMO_PLOT_BYTES | KYMO_PLOT_STEP, 0x00ff00u);
    arrive(7u);
    check_words(0u, KYMO_KIND_PLOT_INT, 1u, 0u);
    check_words(1u, KYMO_KIND_PLOT_INT, 1u, 0xffffffffu);
    check_words(2u, KYMO_KIND_PLOT_INT, 2u, 0x80000000u, 1u);
    check_words(3u, KYMO_KIND_PLOT_INT, 2u, 0u, 0x80000000u);
    check_words(4u, KYMO_KIND_PLOT_FLOAT, 1u, 0x3f800000u);
    check_words(5u, KYMO_KIND_PLOT_DOUBLE, 2u, 0u, 0xbfe00000u);
    check_words(6u, KYMO_KIND_PLOT_INT, 1u, 200u);
    assert_int_equal(site_of(6u)->detail, KYMO_PLOT_BYTES | KYMO_PLOT_STEP);
    assert_int_equal(site_of(6u)->color, 0x00ff00u);
}

CASE(memory_zones_and_names, set_up) {
    {
        KYMO_ZONE_NAMED(zone, "zone");
        KYMO_ZONE_TEXT(zone, "texts", 5u);
        KYMO_ZONE_RENAME(zone, "n\0x", 3u);
        KYMO_ZONE_VALUE(zone, UINT64_C(0x100000002));
        KYMO_ZONE_RECOLOR(zone, 0x123456u);
    }
    KYMO_ALLOC(pool, (void *)(uintptr_t)0x10002000u, 48u);
    KYMO_FREE(pool, (void *)(uintptr_t)0x10002000u);
    KYMO_APP_INFO("ab", 2u);
    kymo_context_name(0x40u, KYMO_CONTEXT_TASK, "t");
    arrive(10u);
    assert_int_equal(got[0].kind, KYMO_KIND_ZONE_BEGIN);
    assert_string_equal(site_of(0u)->name, "zone");
    assert_string_equal(site_of(0u)->function, "memory_zones_and_names");
    check_words(1u, KYMO_KIND_ZONE_TEXT, 3u, 5u, U('t' | 'e' << 8 | 'x' << 16 | 't' << 24), U('s'));
    check_words(2u, KYMO_KIND_ZONE_NAME, 2u, 1u, U('n')); /* a string ends at a NUL */
    check_words(3u, KYMO_KIND_ZONE_VALUE, 2u, 2u, 1u);
    check_words(4u, KYMO_KIND_ZONE_COLOR, 1u, 0x123456u);
    assert_int_equal(got[5].kind, KYMO_KIND_ZONE_END);
    check_words(6u, KYMO_KIND_ALLOC, 2u, 0x10002000u, 48u);
    check_words(7u, KYMO_KIND_FREE, 1u, 0x10002000u);
    assert_string_equal(site_of(7u)->name, "pool");
    check_words(8u, KYMO_KIND_APP_INFO, 2u, 2u, U('a' | 'b' << 8));
    check_words(9u, KYMO_KIND_CONTEXT_NAME, 3u, U(KYMO_CONTEXT_TASK), 1u, U('t'));
    assert_int_equal(got[9].reference, 0x40u / 8u * 2u + 1u);
}
