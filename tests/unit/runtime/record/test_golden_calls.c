/* SPDX-License-Identifier: MIT */
/* The calls that an application makes against the examples of runtime/WIRE.md: a call must arrive as
 * the words that the page shows for it. The values are read from the meanings of the examples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "example_board.h"
#include "kymo_arch.h"
#include "lines.h"
#include "page.h"
#include "record/payload.h"
#include "ring/ring.h"
#include "wire/unpack.h"

enum { WITH_ALL_CLASSES = 3, WITH_FLOAT = 4, HOT = 11 };

/* The lines of each lane that a call makes: neither the loss nor the runtime's own reports. */
static const char *expected[KYMO_LANES][EXAMPLES_MAX * EXAMPLE_LINES];
static size_t count[KYMO_LANES], arrived[KYMO_LANES];

static kymo_zone open_zones[8];
static struct kymo_lane *open_functions[8];
static size_t depth;

static const struct kymo_site *site_of(const char *line) {
    return &example_sites[line_number(line, "reference") / 2];
}

static const char *last_word(const char *line) { return strrchr(line, ' ') + 1; }

/* The text in the last pair of quotes of the line. */
static size_t quoted(const char *line, char *text) {
    const char *from = strchr(line_meaning(line), '"') + 1;
    size_t length = (size_t)(strrchr(line, '"') - from);
    memcpy(text, from, length);
    return length;
}

static void call_message(const struct kymo_site *site) {
    if (site == &example_sites[WITH_ALL_CLASSES]) {
        const uint64_t values[8] = {kymo_word_signed(-3),
                                    7,
                                    kymo_word_signed(INT64_C(-5000000000)),
                                    UINT64_C(5000000000),
                                    kymo_word_double(2.5),
                                    (uint64_t)(uintptr_t) "ab",
                                    (uint64_t)(uintptr_t)&example_sites[HOT],
                                    0x80001000u};
        kymo_message(site, values);
        return;
    }
    const uint64_t volts = kymo_word_float(1.5f);
    assert_ptr_equal(site, &example_sites[WITH_FLOAT]);
    kymo_message(site, &volts);
}

static void call_memory(const char *line) {
    const char *address = strstr(line_meaning(line), " 0x");
    void *pointer = (void *)(uintptr_t)strtoull(address, NULL, 16);
    if (line_is(line, "ALLOC")) {
        kymo_alloc(site_of(line), pointer, (size_t)strtoull(last_word(line), NULL, 10));
    } else {
        kymo_free(site_of(line), pointer);
    }
}

static void call_plot(const char *line) {
    if (line_is(line, "PLOT_INT")) {
        kymo_plot_int(site_of(line), strtoll(last_word(line), NULL, 10));
    } else if (line_is(line, "PLOT_FLOAT")) {
        kymo_plot_float(site_of(line), (uint32_t)kymo_word_float(strtof(last_word(line), NULL)));
    } else {
        kymo_plot_double(site_of(line), kymo_word_double(strtod(last_word(line), NULL)));
    }
}

static void call_attribute(const char *line) {
    char text[64];
    kymo_zone zone = open_zones[depth - 1];
    if (line_is(line, "ZONE_TEXT")) {
        kymo_zone_text(zone, text, quoted(line, text));
    } else if (line_is(line, "ZONE_NAME")) {
        kymo_zone_name(zone, text, quoted(line, text));
    } else if (line_is(line, "ZONE_VALUE")) {
        kymo_zone_value(zone, strtoull(last_word(line), NULL, 10));
    } else {
        kymo_zone_color(zone, (uint32_t)strtoul(last_word(line), NULL, 16));
    }
}

/* An even reference is a context site, 1 is the main context, the others here stand for 8-aligned numbers. */
static kymo_context context_of(const char *line) {
    uint64_t reference = line_number(line, "reference");
    return reference % 2 == 0 ? (kymo_context)site_of(line) : (kymo_context)(reference / 2 * 8);
}

static void call_frame(const char *line) {
    if (line_is(line, "FRAME")) {
        kymo_frame(site_of(line));
    } else if (line_is(line, "FRAME_START")) {
        kymo_frame_start(site_of(line));
    } else {
        kymo_frame_end(site_of(line));
    }
}

static void call_large(const char *line) {
    static char name[64];
    static struct kymo_large large;
    name[quoted(line, name)] = '\0';
    large = (struct kymo_large){.bytes = "hello\n",
                                .length = (uint32_t)strtoul(last_word(line), NULL, 10),
                                .name = name,
                                .type = KYMO_LARGE_TEXT};
    assert_true(kymo_large_send(&large));
}

static void call_clock(const char *line) {
    uint32_t words[8];
    assert_int_equal(line_words(line, words, 8), 2);
    kymo_clock_rate(words[1]);
}

static void call_object(enum kymo_event_kind kind, const char *line) {
    uint32_t word[16] = {0};
    char text[64];
    const size_t words = line_words(line, word, 16);
    const size_t high =
        kind == KYMO_KIND_OBJECT ? 1 : 0; /* that of a new name and of a mark is the first */
    const uint64_t identity = line_number(line, "reference") | (uint64_t)word[high] << 32;
    assert_true(kind != KYMO_KIND_OBJECT || words >= 4);
    text[quoted(line, text)] = '\0';
    if (kind == KYMO_KIND_OBJECT) {
        kymo_object(identity, (enum kymo_object_class)word[0], text,
                    word[2] == 0u ? NULL : &example_sites[word[2] - 1u]);
    } else if (kind == KYMO_KIND_OBJECT_NAME) {
        const struct kymo_text name = {text, SIZE_MAX};
        kymo_object_name(identity, &name);
    } else if (kind == KYMO_KIND_LOCK_MARK) {
        kymo_lock_mark(identity, &example_sites[word[1] - 1u]);
    } else {
        kymo_object_event(kind, identity);
    }
}

static void call_message_text(const char *line) {
    char text[64];
    uint32_t word[16] = {0};
    (void)line_words(line, word, 16);
    const struct kymo_text copied = {text, quoted(line, text)};
    kymo_message_text(site_of(line), word[0] >> 31 != 0u ? &copied : NULL, word[0], 0u);
}

static void call_plot_config(const char *line) {
    uint32_t word[2] = {0};
    (void)line_words(line, word, 2);
    kymo_plot_config(site_of(line), word[0], word[1]);
}

/* 0: it is of no object. */
static enum kymo_event_kind object_kind(const char *line) {
#define IS(name, number, reference, payload, role, word)                                           \
    if (line_is(line, #name) && (number & KYMO_KIND_HAS_OBJECT) != 0u) {                           \
        return KYMO_KIND_##name;                                                                   \
    }
    KYMO_KINDS(IS)
#undef IS
    return (enum kymo_event_kind)0;
}

static void call_function(const char *line) {
    uint32_t high = 0;
    (void)line_words(line, &high, 1);
    const uintptr_t address = (uintptr_t)(line_number(line, "reference") | (uint64_t)high << 32);
    if (line_is(line, "FUNCTION_BEGIN")) {
        open_functions[depth++] = kymo_ring_function_begin(address);
    } else {
        kymo_ring_function_end(open_functions[--depth], address,
                               line_is(line, "FUNCTION_END") ? KYMO_KIND_FUNCTION_END
                                                             : KYMO_KIND_FUNCTION_LEFT);
    }
}

/* Returns 0 if it is not a kernel's event. */
static enum kymo_event_kind task_kind(const char *line) {
#define IS(name, number, reference, payload, role, word)                                           \
    if (line_is(line, #name) && KYMO_ROLE_##role == KYMO_ROLE_TASK) {                              \
        return KYMO_KIND_##name;                                                                   \
    }
    KYMO_KINDS(IS)
#undef IS
    return (enum kymo_event_kind)0;
}

static void call_task(enum kymo_event_kind kind, const char *line) {
    uint32_t words[2];
    const uint32_t length = (uint32_t)line_words(line, words, 2);
    const bool of_context = ((uint32_t)kind & KYMO_KIND_HAS_OBJECT) == 0u;
    (void)kymo_ring_long(
        kind, of_context ? (uint32_t)context_of(line) : (uint32_t)line_number(line, "reference"),
        words, length);
}

/* 0: it is of no flow. */
static enum kymo_event_kind flow_kind(const char *line) {
#define IS(name, number, reference, payload, role, word)                                           \
    if (line_is(line, #name) && KYMO_CARRIES_##payload == KYMO_CARRIES_FLOW) {                     \
        return KYMO_KIND_##name;                                                                   \
    }
    KYMO_KINDS(IS)
#undef IS
    return (enum kymo_event_kind)0;
}

/* Its site is not in the image: the string "hot" stands for it. */
static const char *of_image(const char *line) {
    static char lines[8][128];
    static size_t used;
    if (flow_kind(line) == 0) {
        return line;
    }
    char *copy = lines[used++ % 8u];
    (void)snprintf(copy, sizeof lines[0], "%s", line);
    char *reference = strstr(copy, "reference=28");
    assert_non_null(reference);
    memcpy(reference, "reference=22", 12);
    return copy;
}

static void call(const char *line) {
    char text[64];
    if (flow_kind(line) != 0) {
        uint32_t words[2] = {0};
        (void)line_words(line, words, 2);
        kymo_flow(flow_kind(line), site_of(line), words[0] | (uint64_t)words[1] << 32);
        return;
    }
    if (task_kind(line) != 0) {
        call_task(task_kind(line), line);
        return;
    }
    if (line_is(line, "ZONE_COUNTERS")) {
        uint32_t words[2];
        const uint32_t length = (uint32_t)line_words(line, words, 2);
        (void)kymo_ring_long(KYMO_KIND_ZONE_COUNTERS, 0u, words, length);
        return;
    }
    if (line_is(line, "ZONE_COUNT")) {
        uint32_t word;
        const uint32_t length = (uint32_t)line_words(line, &word, 1);
        (void)kymo_ring_long(KYMO_KIND_ZONE_COUNT, kymo_site_reference(site_of(line)), &word,
                             length);
        return;
    }
    if (strncmp(line, "FUNCTION", 8) == 0) {
        call_function(line);
        return;
    }
    if (line_is(line, "LARGE")) {
        call_large(line);
    } else if (line_is(line, "CLOCK")) {
        call_clock(line);
    } else if (line_is(line, "ZONE_BEGIN")) {
        open_zones[depth++] = kymo_zone_begin(site_of(line));
    } else if (line_is(line, "ZONE_END") || line_is(line, "ZONE_END_ON")) {
        kymo_zone_end(open_zones[--depth]);
    } else if (line_is(line, "CONTEXT")) {
        (void)kymo_context_switch(context_of(line));
    } else if (line_is(line, "CONTEXT_NAME")) {
        kymo_context_name(context_of(line), KYMO_CONTEXT_TASK, "logger");
    } else if (line_is(line, "CONTEXT_END")) {
        kymo_context_end(context_of(line));
    } else if (object_kind(line) != 0) {
        call_object(object_kind(line), line);
    } else if (line_is(line, "APP_INFO")) {
        kymo_app_info(text, quoted(line, text));
    } else if (line_is(line, "MESSAGE_TEXT")) {
        call_message_text(line);
    } else if (line_is(line, "PLOT_CONFIG")) {
        call_plot_config(line);
    } else if (line_is(line, "MEMORY_DISCARD")) {
        kymo_memory_discard(site_of(line));
    } else if (line_is(line, "MESSAGE")) {
        call_message(site_of(line));
    } else if (line_is(line, "ALLOC") || line_is(line, "FREE")) {
        call_memory(line);
    } else if (line_is(line, "CALLSTACK")) {
        uint32_t words[64];
        const uint32_t length = line_words(line, words, 64u);
        (void)kymo_ring_long(KYMO_KIND_CALLSTACK, 0u, words, length);
    } else if (line_is(line, "SAMPLE")) {
        uint32_t words[2];
        const uint32_t length = line_words(line, words, 2u);
        (void)kymo_ring_long(KYMO_KIND_SAMPLE, 0u, words, length);
    } else if (strncmp(line, "PLOT", 4) == 0) {
        call_plot(line);
    } else if (strncmp(line, "ZONE", 4) == 0) {
        call_attribute(line);
    } else {
        call_frame(line);
    }
}

/* True for a site that is not in the image: unit.dynamic_sites tests these. */
static bool is_dynamic(const struct example *example, size_t k) {
    const bool ends = line_is(example->line[k], "ZONE_END");
    const char *line = example->line[ends ? k - 1 : k];
    return line_is(line, "ZONE_BEGIN") && line_number(line, "reference") / 2 >= EXAMPLE_SITES;
}

static void call_all(const struct page *page) {
    for (size_t i = 0; i < page->count; i++) {
        const struct example *example = &page->example[i];
        for (size_t k = 1; line_is(example->line[0], "EVENTS") && k < example->lines; k++) {
            const char *line = of_image(example->line[k]);
            if (!line_is(line, "LOSS") && !line_is(line, "CONTEXT_NOW") &&
                !is_dynamic(example, k)) {
                fake.lane = (uintptr_t)line_number(example->line[0], "lane");
                fake.clock = line_number(line, "ticks");
                expected[fake.lane][count[fake.lane]++] = line;
                call(line);
            }
        }
    }
}

static void compare(size_t lane, const struct wire_event *event) {
    char text[512] = "";
    if (event->kind == KYMO_KIND_CONTEXT_NOW) {
        return;
    }
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    print_wire_event(out, event);
    assert_int_equal(fclose(out), 0);
    assert_true(arrived[lane] < count[lane]);
    const char *line = expected[lane][arrived[lane]++];
    size_t length =
        line_meaning(line) == NULL ? strlen(line) : (size_t)(line_meaning(line) - line) - 3;
    text[strcspn(text, "\n")] = '\0';
    if (strlen(text) != length || strncmp(text, line, length) != 0) {
        fail_msg("sent \"%s\" for \"%s\"", text, line);
    }
}

static int on_packet(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    struct reader reader = {bytes, length, 2, false};
    struct wire_head head;
    struct wire_decoder decoder;
    struct wire_event event;
    (void)context;
    (void)wire_bytes;
    if ((bytes[0] & KYMO_WIRE_TYPE_MASK) == KYMO_PACKET_EVENTS) {
        assert_true(decode_head(&reader, &head));
        size_t lane = head.lane;
        assert_true(lane < KYMO_LANES);
        decode_begin(&decoder, &reader, &head);
        while (decode_next(&decoder, &event)) {
            compare(lane, &event);
        }
    }
    return 0;
}

static void on_junk(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    assert_int_equal(length, 0); /* the lone zero byte before a session */
}

static size_t to_host(void *context, const uint8_t *bytes, size_t length) {
    struct unpack *unpack = context;
    assert_int_equal(unpack_feed(unpack, bytes, length), 0);
    return length;
}

CASE(calls_make_the_words_of_the_page) {
    static struct unpack unpack;
    static struct page page;
    const struct unpack_callbacks callbacks = {NULL, on_packet, on_junk};
    const struct kymo_transport transport = {.write = to_host, .context = &unpack};
    unpack_init(&unpack, &callbacks);
    page_read(&page, WIRE_PAGE);
    fake_reset();
    fake.clock_step = 0;
    call_all(&page);
    kymo_init(&transport, "example");
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0);
    }
    assert_true(count[0] > 30 && count[1] > 4);
    assert_int_equal(arrived[0], count[0]);
    assert_int_equal(arrived[1], count[1]);
    page_free(&page);
}
