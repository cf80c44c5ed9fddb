/* SPDX-License-Identifier: MIT */
/* The examples of runtime/WIRE.md, which an encoder wrote that was made from that page alone, against hostlink's
 * pipeline and against the runtime's encoder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "example_board.h"
#include "kymo/devices.h"
#include "kymo_arch.h"
#include "lines.h"
#include "page.h"
#include "ring/lane.h"
#include "send/encode.h"
#include "send/link.h"
#include "trace/pipeline.h"
#include "wire/command.h"
#include "wire/guard.h"
#include "wire/unpack.h"

static struct page page;

/* ---- the board of the examples ---- */

struct wire {
    uint8_t bytes[EXAMPLE_BYTES];
    size_t length;
};

static size_t take(void *context, const uint8_t *bytes, size_t length) {
    struct wire *wire = context;
    assert_true(length <= sizeof wire->bytes - wire->length);
    memcpy(wire->bytes + wire->length, bytes, length);
    wire->length += length;
    return length;
}

static size_t give_nothing(void *context, uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    return length - length;
}

/* The packet that has begun is built, and leaves. No other one begins. */
static void send_packet(struct wire *wire) {
    const struct kymo_transport *before = kymo_link.transport;
    const struct kymo_transport transport = {
        .write = take, .read = give_nothing, .context = wire, .network = before->network};
    wire->length = 0;
    kymo_link.transport = &transport;
    while (kymo_link.packet.type != 0 || kymo_link.out.ready != 0) {
        kymo_link.text_waits = true;
        assert_true(kymo_drain(0));
    }
    kymo_link.text_waits = false;
    kymo_link.transport = before;
}

static void assert_sends(const struct example *example) {
    struct wire wire;
    send_packet(&wire);
    assert_int_equal(wire.length, example->wire_bytes);
    assert_memory_equal(wire.bytes, example->wire, wire.length);
}

static const struct example *example_of(const char *name) {
    for (size_t i = 0; i < page.count; i++) {
        if (line_is(page.example[i].line[0], name)) {
            return &page.example[i];
        }
    }
    fail_msg("WIRE.md has no example of %s", name);
    return NULL;
}

/* The board is about to send the example of this name. */
static const struct example *prepare(const char *name) {
    const struct example *example = example_of(name);
    kymo_link.out.sequence = (uint8_t)line_number(example->line[0], "sequence");
    return example;
}

/* The example as the host sends it, byte by byte. */
static void board_reads(const struct example *example) {
    uint32_t length = 0;
    for (size_t i = 0; i < example->wire_bytes; i++) {
        uint32_t complete = kymo_packet_receive(&kymo_link.in, example->wire[i]);
        length = complete != 0 ? complete : length;
    }
    assert_int_equal(length, example->packet_bytes - KYMO_CRC_BYTES);
    kymo_command_take(&kymo_link, kymo_link.in.bytes, length);
}

/* ---- the runtime ---- */

static void runtime_session(void **state) {
    const struct example *example = prepare("SESSION");
    static const struct kymo_transport transport = {.write = take, .read = give_nothing};
    (void)state;
    fake_reset();
    kymo_init(&transport, "example");
    fake.clock_step = 0;
    fake.clock = line_number(example->line[0], "now");
    fake.clock_hz = line_number(example->line[0], "hz");
    kymo_link.session = (uint32_t)line_number(example->line[0], "session");
    kymo_lanes[0].name = "core 0";
    kymo_packet_begin(&kymo_link, KYMO_PACKET_SESSION, kymo_describe_session);
    assert_sends(example);
}

static void runtime_sites(void **state) {
    const struct example *example = prepare("SITES");
    (void)state;
    kymo_link.next_site = 0;
    kymo_link.packet.of.sites = (struct kymo_sites_packet){.first = true};
    kymo_packet_begin(&kymo_link, KYMO_PACKET_SITES, kymo_describe_sites);
    assert_sends(example);
    assert_int_equal(kymo_link.next_site, kymo_site_count());
}

static void put_varint(struct kymo_outgoing *out, uint64_t value) {
    for (; value >= 0x80u; value >>= 7) {
        kymo_out_bytes(out, (uint8_t)(value | 0x80u), 1u);
    }
    kymo_out_bytes(out, (uint8_t)value, 1u);
}

static uint8_t *encode_stack(struct kymo_encoder *e, uint8_t *to, const uint32_t *word,
                             uint32_t words) {
    for (uint32_t at = word[0]; at != 0; at--) {
        const uint64_t high = words > 1u + word[0] ? word[word[0] + at] : 0u;
        to = kymo_encode_frame(e, to, (uintptr_t)(word[at] | high << 32), at == word[0], at == 1u);
    }
    return to;
}

static void encode_event(struct kymo_encoder *e, struct kymo_outgoing *out, const char *line) {
    uint32_t word[64];
    const uint32_t words = (uint32_t)line_words(line, word, 64);
    uint32_t kind = 0;
#define KIND_OF(name, number, reference, payload, role, word)                                      \
    kind = line_is(line, #name) ? KYMO_KIND_##name : kind;
    KYMO_KINDS(KIND_OF)
#undef KIND_OF
    const bool is_stack = kind == KYMO_KIND_CALLSTACK;
    const uint32_t count = is_stack ? word[0] : words;
    const uint32_t reference = (uint32_t)line_number(line, "reference");
    const struct kymo_slot place = {
        kind == KYMO_KIND_ZONE_END ? KYMO_TAG_END32 : KYMO_LONG(kind, count, 1u), reference};
    const uint64_t time = line_number(line, "ticks");
    uint8_t bytes[KYMO_ENCODE_EVENT_BYTES + KYMO_ENCODE_PAYLOAD_BYTES(128u)];
    uint8_t *at = bytes;
    size_t slot = kymo_encode_expected(e);
    int32_t work = INT32_MAX;
    if (!kymo_slot_is(&e->slot[slot], &place)) {
        slot = kymo_encode_find(e, &place, &work, 0);
        if (slot != KYMO_ENCODE_NONE) {
            at = kymo_encode_known(at, slot);
        } else {
            slot = kymo_encode_define(e, &place);
            at = kymo_encode_new(e, at, kind, reference, count);
        }
    }
    at = kymo_encode_ticks(e, at, slot, (uint32_t)(time - e->time));
    e->time = time;
    at = is_stack ? encode_stack(e, at, word, words) : kymo_encode_words(e, at, slot, word, words);
    kymo_out_put(out, bytes, (uint32_t)(at - bytes));
    out->events++;
}

static void encode(const struct example *example) {
    const char *line = example->line[0];
    static struct kymo_encoder encoder;
    struct kymo_outgoing *out = &kymo_link.out;
    kymo_out_begin(out, KYMO_PACKET_EVENTS);
    kymo_out_bytes(out, (uint8_t)line_number(line, "lane"), 1u);
    put_varint(out, line_number(line, "first"));
    put_varint(out, line_number(line, "time"));
    put_varint(out, line_number(line, "context"));
    kymo_encode_begin(&encoder, line_number(line, "time"), (uint32_t)line_number(line, "context"));
    kymo_encode_begin_calls(&encoder);
    for (size_t i = 1; i < example->lines; i++) {
        encode_event(&encoder, out, example->line[i]);
    }
    kymo_out_bytes(out, out->events, KYMO_COUNT_BYTES);
    kymo_out_end(out);
}

static void runtime_events(void **state) {
    size_t count = 0;
    (void)state;
    for (size_t i = 0; i < page.count; i++) {
        const struct example *example = &page.example[i];
        if (line_is(example->line[0], "EVENTS")) {
            assert_int_equal(line_number(example->line[0], "slots"), KYMO_WIRE_SLOTS);
            kymo_link.out.sequence = (uint8_t)line_number(example->line[0], "sequence");
            encode(example);
            assert_sends(example);
            count++;
        }
    }
    assert_true(count >= 8);
}

static void runtime_status(void **state) {
    const struct example *example = prepare("STATUS");
    (void)state;
    for (size_t i = 0; i < KYMO_LANES; i++) {
        kymo_lanes[i].events = line_number(example->line[1 + i], "events");
        kymo_lanes[i].lost = (uint32_t)line_number(example->line[1 + i], "refused");
    }
    fake.clock = line_number(example->line[0], "now");
    kymo_link.packet.flags = KYMO_STATUS_FINAL;
    kymo_packet_begin(&kymo_link, KYMO_PACKET_STATUS, kymo_describe_status);
    assert_sends(example);
}

static void runtime_answers(void **state) {
    const struct example *pong = prepare("PONG");
    (void)state;
    fake.clock = line_number(pong->line[0], "read");
    kymo_link.heard_at = (uint32_t)fake.clock;
    board_reads(example_of("PING"));
    kymo_link.packet.of.pong.answered = line_number(pong->line[0], "answered");
    kymo_link.packet.of.pong.cookie = kymo_link.pong_cookie;
    kymo_link.packet.of.pong.ticks = kymo_link.pong_ticks;
    kymo_packet_begin(&kymo_link, KYMO_PACKET_PONG, kymo_describe_pong);
    assert_sends(pong);

    const struct example *param = prepare("PARAM");
    kymo_link.next_param = kymo_site_count();
    board_reads(example_of("SET_PARAM"));
    assert_int_equal(example_gain.value, -10);
    assert_int_equal(kymo_describe_param_next(&kymo_link), KYMO_STEP_FURTHER);
    kymo_packet_begin(&kymo_link, KYMO_PACKET_PARAM, kymo_describe_param);
    assert_sends(param);

    kymo_link.session_due = false;
    board_reads(example_of("HELLO"));
    assert_true(kymo_link.session_due);
}

/* The example of an image with a key follows that of one without. */
static const struct example *keyed_guard(void) { return example_of("GUARD") + 1; }

static void runtime_guard(void **state) {
    const struct example *example = keyed_guard();
    const struct kymo_transport *cable = kymo_link.transport;
    const struct kymo_transport network = {.write = take, .read = give_nothing, .network = true};
    (void)state;
    assert_true(line_is(example->line[0], "GUARD"));
    kymo_link.transport = &network;
    kymo_link.out.sequence = (uint8_t)line_number(example->line[0], "sequence");
    kymo_link.guard.refused = (uint32_t)line_number(example->line[0], "refused");
    kymo_link.guard.accepted = (uint32_t)line_number(example->line[0], "accepted");
    memcpy(kymo_link.guard.challenge, example->packet + 4, KYMO_CHALLENGE_BYTES);
    kymo_packet_begin(&kymo_link, KYMO_PACKET_GUARD, kymo_describe_guard);
    assert_sends(example);
    board_reads(example_of("SIGNED"));
    assert_int_equal(example_gain.value, 7);
    kymo_link.transport = cable;
}

static void runtime_large(void **state) {
    const struct example *example = prepare("LARGE");
    static struct kymo_large large = {
        .bytes = "hello\n", .length = 6, .name = "note.txt", .type = KYMO_LARGE_TEXT};
    (void)state;
    assert_true(kymo_large_send(&large));
    assert_true(kymo_large_begin(&kymo_link, false));
    assert_sends(example);
    assert_int_equal(kymo_large_state(&large), KYMO_LARGE_SENT);
}

/* The device of the examples, which has written their events. */
static const char *const device_names[] = {"load", "matmul"};
static struct kymo_device_block device_block[4];
static struct kymo_device_row device = {.block = device_block,
                                        .bytes = sizeof device_block,
                                        .device = "npu",
                                        .core = "brisc",
                                        .x = 3u,
                                        .y = 4u,
                                        .clock_hz = 50000000u,
                                        .sites = KYMO_DEVICE_NAMES_SENT,
                                        .names = device_names,
                                        .name_count = 2u};

static void runtime_device(void **state) {
    const struct example *example = prepare("DEVICE");
    const struct kymo_transport *cable = kymo_link.transport;
    (void)state;
    kymo_link.out.work = KYMO_DRAIN_INSTRUCTIONS;
    kymo_device(&device);
    device.since = line_number(example->line[0], "now") - line_number(example->line[0], "ago");
    kymo_device_start(device_block, sizeof device_block);
    device_block->refused = 1u;
    for (size_t i = 1; i < example->lines; i++) {
        uint32_t words[2];
        assert_int_equal(line_words(example->line[i], words, 2u), 2u);
        kymo_device_put(device_block, words[0], words[1]);
    }
    kymo_device_clock_pair(&device, (uint32_t)line_number(example->line[0], "ticks"),
                           line_number(example->line[0], "before"),
                           line_number(example->line[0], "before") +
                               line_number(example->line[0], "within"));
    fake.clock = line_number(example->line[0], "now");
    assert_int_equal(kymo_devices_begin(&kymo_link, false), KYMO_STEP_FURTHER);
    assert_sends(example);
    kymo_link.out.work = KYMO_DRAIN_INSTRUCTIONS;
    assert_int_equal(kymo_devices_begin(&kymo_link, false), KYMO_STEP_FURTHER);
    assert_sends(example + 1);
    kymo_link.out.work = KYMO_DRAIN_INSTRUCTIONS;
    assert_int_equal(kymo_devices_begin(&kymo_link, false), KYMO_STEP_DONE);
    kymo_link.transport = cable;
}

static void runtime_text(void **state) {
    const struct example *example = prepare("TEXT");
    (void)state;
    assert_true(kymo_print("demo: checks passed", 19));
    assert_sends(example);
}

/* ---- hostlink ---- */

static int keep_packet(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    struct wire *packet = context;
    (void)wire_bytes;
    packet->length = 0;
    return take(packet, bytes, length) != length;
}

static void no_junk(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    fail_msg("%zu bytes of an example are no packet", length);
}

/* The address of kymo_layout, which is another one in each build, is left out. */
static void leave_out_address(struct wire *packet) {
    const void *address = &kymo_layout;
    uint8_t fact[2 + sizeof address] = {KYMO_INFO_LOADED, sizeof address};
    memcpy(fact + 2, &address, sizeof address);
    uint8_t *at = packet->bytes;
    while (memcmp(at, fact, sizeof fact) != 0) {
        at++;
        assert_true(at + sizeof fact <= packet->bytes + packet->length);
    }
    packet->length -= sizeof fact;
    memmove(at, at + sizeof fact, packet->length - (size_t)(at - packet->bytes));
}

static void runtime_info(void **state) {
    static struct unpack unpack;
    const struct example *example = prepare("INFO");
    struct wire wire, packet = {.length = 0};
    const struct unpack_callbacks callbacks = {&packet, keep_packet, no_junk};
    (void)state;
    kymo_link.clock_number = 1;
    kymo_link.clock_slept = 0;
    memset(kymo_link.most_bytes, 0, sizeof kymo_link.most_bytes);
    kymo_info_ring_holds(&kymo_link, 0, 424);
    kymo_packet_begin(&kymo_link, KYMO_PACKET_INFO, kymo_describe_info);
    send_packet(&wire);
    unpack_init(&unpack, &callbacks);
    assert_int_equal(unpack_feed(&unpack, wire.bytes, wire.length), 0);
    leave_out_address(&packet);
    assert_int_equal(packet.length + 4, example->packet_bytes);
    assert_memory_equal(packet.bytes, example->packet, packet.length);
}

static void hostlink_packets(void **state) {
    static struct unpack unpack;
    (void)state;
    for (size_t i = 0; i < page.count; i++) {
        const struct example *example = &page.example[i];
        struct wire packet = {.length = 0};
        uint8_t stuffed[EXAMPLE_BYTES];
        const struct unpack_callbacks callbacks = {&packet, keep_packet, no_junk};
        unpack_init(&unpack, &callbacks);
        assert_int_equal(unpack_feed(&unpack, example->wire, example->wire_bytes), 0);
        assert_int_equal(packet.length + 4, example->packet_bytes);
        assert_memory_equal(packet.bytes, example->packet, packet.length);

        size_t lead = example->wire[0] == 0 ? 1 : 0;
        size_t length = packet_encode(stuffed, sizeof stuffed, packet.bytes, packet.length);
        assert_int_equal(length + lead, example->wire_bytes);
        assert_memory_equal(stuffed, example->wire + lead, length);
    }
}

/* Compares line by line, up to the meaning. */
struct lines {
    const struct example *example;
    size_t next;
};

static void compare_line(struct lines *lines, const struct wire_event *event) {
    char text[512] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    print_wire_event(out, event);
    assert_int_equal(fclose(out), 0);
    assert_true(lines->next < lines->example->lines);
    const char *line = lines->example->line[lines->next++];
    const char *meaning = line_meaning(line);
    size_t length = meaning == NULL ? strlen(line) : (size_t)(meaning - line) - 3;
    text[strcspn(text, "\n")] = '\0';
    assert_int_equal(strlen(text), length);
    assert_memory_equal(text, line, length);
}

static void hostlink_events(void **state) {
    (void)state;
    for (size_t i = 0; i < page.count; i++) {
        const struct example *example = &page.example[i];
        struct reader reader = {example->packet, example->packet_bytes - 4, 2, false};
        struct lines lines = {example, 1};
        struct wire_head head;
        struct wire_decoder decoder;
        struct wire_event event;
        if (!line_is(example->line[0], "EVENTS")) {
            continue;
        }
        assert_true(decode_head(&reader, &head));
        assert_int_equal(head.lane, line_number(example->line[0], "lane"));
        assert_int_equal(head.first, line_number(example->line[0], "first"));
        assert_int_equal(head.context, line_number(example->line[0], "context"));
        decode_begin(&decoder, &reader, &head);
        while (decode_next(&decoder, &event)) {
            compare_line(&lines, &event);
        }
        assert_int_equal(lines.next, example->lines);
    }
}

/* The meanings of all examples, in their order. */
struct meanings {
    const char *text[EXAMPLES_MAX * EXAMPLE_LINES];
    size_t count, next;
    bool text_seen;
    uint64_t cookie;
};

static int compare_meaning(void *context, const struct event *event) {
    struct meanings *meanings = context;
    char text[512] = "";
    if (!is_of_the_board(event) || event->kind == EVENT_SWITCH || event->kind == EVENT_ZONE_END) {
        return 0;
    }
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    print_meaning(out, event);
    assert_int_equal(fclose(out), 0);
    assert_true(meanings->next < meanings->count);
    assert_string_equal(text, meanings->text[meanings->next++]);
    return 0;
}

static void see_text(void *context, const char *text, size_t length) {
    struct meanings *meanings = context;
    assert_int_equal(length, 19);
    assert_memory_equal(text, "demo: checks passed", length);
    meanings->text_seen = true;
}

static void see_pong(void *context, uint64_t cookie, uint64_t ticks) {
    struct meanings *meanings = context;
    meanings->cookie = cookie;
    assert_int_equal(ticks, 9100);
}

static void hostlink_pipeline(void **state) {
    static struct meanings meanings;
    const struct pipeline_callbacks callbacks = {
        .context = &meanings, .event = compare_meaning, .console = see_text, .pong = see_pong};
    struct pipeline *pipeline = pipeline_new(&callbacks, NULL);
    struct pipeline_totals totals;
    (void)state;
    assert_non_null(pipeline);
    for (size_t i = 0; i < page.count; i++) {
        for (size_t k = 1; k < page.example[i].lines; k++) {
            const char *meaning = line_meaning(page.example[i].line[k]);
            if (meaning != NULL) {
                meanings.text[meanings.count++] = meaning;
            }
        }
    }
    for (size_t i = 0; i < page.count; i++) {
        const struct example *example = &page.example[i];
        assert_int_equal(pipeline_feed(pipeline, example->wire, example->wire_bytes), 0);
    }
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    assert_int_equal(meanings.next, meanings.count);
    assert_true(meanings.text_seen);
    assert_int_equal(meanings.cookie, UINT64_C(0x1122334455667788));
    assert_int_equal(totals.delivered, 114);
    assert_int_equal(totals.lost, 9);
    assert_int_equal(totals.sessions, 1);
    assert_int_equal(totals.bad_packets, 0);
    assert_true(totals.final);
    pipeline_free(pipeline);
}

static void assert_is(const char *name, const uint8_t *bytes, size_t length) {
    const struct example *example = example_of(name);
    size_t lead = length != 0 && bytes[0] == 0 ? 1 : 0;
    assert_int_equal(length - lead, example->wire_bytes);
    assert_memory_equal(bytes + lead, example->wire, length - lead);
}

static void assert_packet_is(const char *name, struct guard *guard, const uint8_t *command,
                             size_t length) {
    uint8_t bytes[64];
    assert_is(name, bytes, guard_packet(guard, bytes, sizeof bytes, command, length, 0));
}

static void hostlink_commands(void **state) {
    uint8_t bytes[64];
    struct guard open = {.key = NULL};
    (void)state;
    assert_packet_is("HELLO", &open, bytes, command_hello(bytes, sizeof bytes));
    assert_packet_is("PING", &open, bytes,
                     command_ping(bytes, sizeof bytes, UINT64_C(0x1122334455667788)));
    assert_packet_is("SET_PARAM", &open, bytes, command_set_param(bytes, sizeof bytes, 12, -40));
    assert_is("HOST_CLOCK", bytes,
              packet_host_clock(bytes, sizeof bytes, UINT64_C(81000000000),
                                UINT64_C(1767225600000000000)));
}

static void on_guard(void *context, uint64_t refused, uint64_t accepted, const uint8_t *challenge) {
    guard_answered(context, refused, accepted, challenge, 0);
}

static void hostlink_signs(void **state) {
    uint8_t bytes[64];
    const uint8_t key[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    struct guard guard = {.key = key};
    const struct pipeline_callbacks callbacks = {.context = &guard, .guard = on_guard};
    struct pipeline *pipeline = pipeline_new(&callbacks, NULL);
    const struct example *example = example_of("GUARD");
    (void)state;
    assert_non_null(pipeline);
    assert_int_equal(pipeline_feed(pipeline, example->wire, example->wire_bytes), 0);
    assert_int_equal(guard.state, GUARD_CLOSED);
    assert_int_equal(guard.refused, 200);
    example = keyed_guard();
    assert_int_equal(pipeline_feed(pipeline, example->wire, example->wire_bytes), 0);
    assert_int_equal(guard.state, GUARD_SIGNING);
    assert_packet_is("SIGNED", &guard, bytes, command_set_param(bytes, sizeof bytes, 12, 7));
    pipeline_free(pipeline);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runtime_session),   cmocka_unit_test(runtime_sites),
        cmocka_unit_test(runtime_events),    cmocka_unit_test(runtime_status),
        cmocka_unit_test(runtime_answers),   cmocka_unit_test(runtime_text),
        cmocka_unit_test(hostlink_packets),  cmocka_unit_test(hostlink_events),
        cmocka_unit_test(hostlink_pipeline), cmocka_unit_test(hostlink_commands),
        cmocka_unit_test(runtime_info),      cmocka_unit_test(runtime_large),
        cmocka_unit_test(runtime_device),    cmocka_unit_test(runtime_guard),
        cmocka_unit_test(hostlink_signs),
    };
    page_read(&page, WIRE_PAGE);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    page_free(&page);
    return failed;
}
