/* SPDX-License-Identifier: MIT */
/* Hostile bytes into hostlink's pipeline. The input is either a stream as it is on the line, or, since a
 * CRC keeps damage out of the decoder there, a row of packets that get a correct CRC here. Before them stands how it is
 * read: once, or twice as a capture is; and the number of sites of the program whose names are lent.
 *
 * Whatever comes in: emitted = delivered + lost; the events are what legal_events.h says; a command is never signed
 * with a counter that the board says it has seen. Of right firmware nothing that arrived whole needs a repair. */
#include <string.h>

#include "base/utf8.h"
#include "clean.h"
#include "fuzz.h"
#include "kymo/kymo.h"
#include "legal_events.h"
#include "model/code_kept.h"
#include "short_memory.h"
#include "stream.h"
#include "trace/pipeline.h"
#include "wire/compose.h"
#include "wire/fields.h"
#include "wire/guard.h"
#include "wire/unpack.h"

/* The first byte of the input; the next one is the number of sites. */
enum { READ_PACKETS = 1, READ_TWICE = 2, READ_BORROWED = 4, READ_SYMBOLS = 8 };
#define HEAD_BYTES 2u

struct judge {
    uint64_t large; /* bytes of the large thing that is open */
    struct legal legal;
    struct guard guard;
};

/* With each of them a command is due. */
static void on_guard(void *context, uint64_t refused, uint64_t accepted, const uint8_t *challenge) {
    struct judge *judge = context;
    uint8_t packet[64], command[16] = {0};
    guard_answered(&judge->guard, refused, accepted, challenge, accepted);
    size_t length =
        guard_packet(&judge->guard, packet, sizeof packet, command, refused % 20u, accepted);
    if (length != 0 && accepted <= UINT32_MAX && judge->guard.counter <= accepted) {
        fuzz_wrong("a counter is used again");
    }
    const char *text = guard_text(judge->guard.state), *cure = guard_cure(judge->guard.state);
    if ((text == NULL) != (cure == NULL)) {
        fuzz_wrong("a board that refuses commands has a cause without a cure");
    }
    length = guard_line(&judge->guard, packet, sizeof packet, command, 1, accepted);
    if (length != 0 && (packet[0] != 0 || packet[length - 1] != 0)) {
        fuzz_wrong("a line does not begin and end");
    }
}

/* Bytes come in their order, and no more than were said. */
static int on_large(void *context, const struct large *large, const uint8_t *bytes, size_t length) {
    struct judge *judge = context;
    (void)bytes;
    judge->large += length;
    if (judge->large != large->received || large->received > large->bytes) {
        fuzz_wrong("bytes of a large thing do not add up");
    }
    if (large->end == LARGE_WHOLE && large->received != large->bytes) {
        fuzz_wrong("a large thing is whole without all of its bytes");
    }
    judge->large = large->end != LARGE_GOES_ON ? 0u : judge->large;
    return 0;
}

static void must_be_legal(const char *wrong) {
    if (wrong != NULL) {
        fuzz_wrong(wrong);
    }
}

/* Addresses of a program that are unrelated to the capture. */
static const struct code_place *find_other(void *state, uint64_t address) {
    static const struct code_line line = {"other", "other.c", 3};
    static const struct code_place place = {
        .start = 0x8000, .bytes = 64, .count = 1, .lines = &line};
    (void)state;
    return address % 3u == 0 ? &place : NULL;
}

static bool other_is_ready(void *state, uint64_t address) {
    (void)state;
    return address % 5u != 0;
}

static void look_up(const struct callstack *stack) {
    for (uint32_t i = 0; stack != NULL && i < stack->count; i++) {
        const struct code_place *place =
            !symbols_are_ready(stack->symbols, stack->address[i]) ? NULL
            : i % 2u == 0 ? symbols_find(stack->symbols, stack->address[i])
                          : symbols_glance(stack->symbols, stack->address[i]);
        (void)symbols_code(stack->symbols, stack->address[i], 16);
        for (uint32_t k = 0; place != NULL && k < place->count; k++) {
            must_be_clean(place->lines[k].function, "a function's name is no text");
            must_be_clean(place->lines[k].file, "a file's name is no text");
        }
    }
}

static int on_event(void *context, const struct event *event) {
    struct judge *judge = context;
    short_memory(false);
    must_be_legal(legal_event(&judge->legal, event));
    look_up(event->stack);
    short_memory(true);
    return 0;
}

static void on_console(void *context, const char *text, size_t length) {
    (void)context;
    if (strlen(text) != length || !utf8_valid(text, length)) {
        fuzz_wrong("a line of the board is no text");
    }
}

static void on_notice(void *context, const char *text) {
    (void)context;
    must_be_clean(text, "a notice is no text");
}

/* Between packets a live view looks at the stream, and goes on where it waits for cores. */
static void pass_time(struct pipeline *pipeline, size_t by) {
    if (by % 16 == 3) {
        (void)pipeline_quiet(pipeline);
    } else if (by % 16 == 5) {
        (void)pipeline_complete(pipeline, UINT64_C(1) << by % 40);
    }
    (void)pipeline_wants_names(pipeline);
    must_be_clean(pipeline_image(pipeline), "a board's name is no text");
}

/* Every reader stops once memory was short. */
static bool feed(struct pipeline *pipeline, const uint8_t *bytes, size_t length) {
    short_memory(true);
    const int error = pipeline_feed(pipeline, bytes, length);
    short_memory(false);
    if (error != 0 && !short_memory_failed()) {
        fuzz_wrong("memory");
    }
    return error == 0;
}

static bool feed_packets(struct pipeline *pipeline, const uint8_t *data, size_t size) {
    uint8_t out[UNPACK_CHUNK_BYTES + 16u];
    for (size_t at = 0; at + 2 <= size;) {
        size_t length = data[at] | (size_t)data[at + 1] << 8;
        at += 2;
        length = length < size - at ? length : size - at;
        size_t framed = packet_encode(out, sizeof out, data + at, length);
        if (!feed(pipeline, out, framed)) {
            return false;
        }
        at += length;
        pass_time(pipeline, length);
    }
    return true;
}

static bool feed_stream(struct pipeline *pipeline, const uint8_t *data, size_t size) {
    for (size_t at = 0; at < size;) {
        size_t piece = 1u + data[at] % 61u;
        piece = piece < size - at ? piece : size - at;
        if (!feed(pipeline, data + at, piece)) {
            return false;
        }
        at += piece;
    }
    return true;
}

/* Half of them as stream.c has them, so that the board may say the same. */
static void lend_site(const void *context, uint32_t index, struct site_entry *entry) {
    static const char *const names[] = {"work", "\xff\x1b", "heap", ""};
    (void)context;
    const char *name = names[index % 4u];
    *entry = (struct site_entry){.kind = (uint8_t)(index % 9u),
                                 .line = index,
                                 .name = name,
                                 .name_bytes = strlen(name),
                                 .function = name,
                                 .function_bytes = strlen(name),
                                 .file = name,
                                 .file_bytes = strlen(name)};
}

static void on_lent(void *context) { (void)context; }

static void on_loaded(void *context, uint64_t layout_at) {
    (void)context;
    (void)layout_at;
}

static struct pipeline *read_all(const struct pipeline_callbacks *callbacks,
                                 const struct pipeline *names, const struct known_image *image,
                                 const uint8_t *data, size_t size) {
    struct pipeline_totals totals;
    short_memory(true);
    struct pipeline *pipeline = pipeline_new(callbacks, names);
    short_memory(false);
    if (pipeline == NULL && !short_memory_failed()) {
        fuzz_wrong("no memory");
    }
    if (pipeline == NULL) {
        return NULL;
    }
    static const struct symbols other = {.find = find_other, .is_ready = other_is_ready};
    pipeline_know(pipeline, image);
    pipeline_know_symbols(pipeline, (data[0] & READ_SYMBOLS) != 0 ? &other : NULL);
    const bool whole = (data[0] & READ_PACKETS ? feed_packets : feed_stream)(
        pipeline, data + HEAD_BYTES, size - HEAD_BYTES);
    if (!whole) {
        return pipeline;
    }
    short_memory(true);
    const int error = pipeline_end(pipeline);
    short_memory(false);
    pipeline_totals(pipeline, &totals);
    if (error == 0 && totals.emitted != totals.delivered + totals.lost) {
        fuzz_wrong("emitted differs from delivered + lost");
    }
    return pipeline;
}

static void read_input(const uint8_t *data, size_t size, struct pipeline_totals *totals) {
    static const uint8_t key[KYMO_SIPHASH_KEY_BYTES];
    struct judge judge = {.guard = {.key = key}};
    const struct known_image lent = {.sites = {.count = data[1], .get = lend_site},
                                     .pointer_bytes = sizeof(void *),
                                     .accept = on_lent,
                                     .loaded = on_loaded,
                                     .refuse = on_notice};
    const struct known_image *image = (data[0] & READ_BORROWED) != 0 ? &lent : NULL;
    const struct pipeline_callbacks learn = {.names_only = true};
    const struct pipeline_callbacks callbacks = {.context = &judge,
                                                 .event = on_event,
                                                 .console = on_console,
                                                 .guard = on_guard,
                                                 .notice = on_notice,
                                                 .large = on_large,
                                                 .large_context = &judge};
    /* In every eighth input one of the allocations fails. */
    short_memory_begin(size % 8u != 0 ? 0 : 1u + data[size / 2u]);
    struct pipeline *names =
        (data[0] & READ_TWICE) != 0 ? read_all(&learn, NULL, image, data, size) : NULL;
    struct pipeline *pipeline =
        short_memory_failed() ? NULL : read_all(&callbacks, names, image, data, size);
    if (!short_memory_failed()) {
        pipeline_totals(pipeline, totals);
        must_be_legal(legal_end(&judge.legal));
    }
    legal_free(&judge.legal);
    pipeline_free(pipeline);
    pipeline_free(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct pipeline_totals totals;
    if (size >= HEAD_BYTES) {
        read_input(data, size, &totals);
    }
    return 0;
}

/* ---- correct inputs ---- */

struct row_of_packets {
    uint8_t *out;
    size_t size, length;
    uint32_t random, sites;
    uint64_t now_ns; /* of the host */
    bool without_sites, repeats;
    size_t begins[8]; /* of the last packets */
    unsigned packets;
};

static void add_bytes(struct row_of_packets *row, const uint8_t *bytes, size_t length) {
    if (length + 2 <= row->size - row->length) {
        row->begins[row->packets++ % 8u] = row->length;
        row->out[row->length++] = (uint8_t)length;
        row->out[row->length++] = (uint8_t)(length >> 8);
        memcpy(row->out + row->length, bytes, length);
        row->length += length;
    }
}

/* Packets that a recorder, or the board itself, may put between any two packets of a board. */
static void add_between(struct row_of_packets *row) {
    static const struct code_line lines[] = {{"inner", "in.c", 7}, {"main", "main.c", 12}};
    const uint64_t ns = (uint64_t)fuzz_next(&row->random) << (fuzz_next(&row->random) % 14u);
    struct compose packet;
    row->now_ns += ns;
    compose_begin(&packet, KYMO_PACKET_HOST_CLOCK, 0);
    compose_little(&packet, row->now_ns, 8);
    compose_little(&packet, UINT64_C(1700000000000000000) + row->now_ns, 8);
    add_bytes(row, packet.bytes, packet.at);
    if (fuzz_next(&row->random) % 8u == 0) {
        compose_begin(&packet, KYMO_PACKET_PONG, 0);
        compose_little(&packet, row->now_ns - fuzz_next(&row->random), 8);
        compose_varint(&packet, row->now_ns / 1000u);
        add_bytes(row, packet.bytes, packet.at);
    }
    if (fuzz_next(&row->random) % 16u == 0) {
        const struct code_place place = {.start = 0x8000, .bytes = 64, .count = 2, .lines = lines};
        struct code_table table = {.count = 0};
        uint32_t next = 0;
        for (uint32_t i = 0; i < 8; i++) {
            (void)code_table_add(&table, 0x8000u + i * (fuzz_next(&row->random) & 0x3fu), &place);
        }
        (void)code_kept_write(&packet, &table, &next);
        add_bytes(row, packet.bytes, packet.at);
        code_table_free(&table);
    }
}

/* A line or a relay may repeat one of the last packets. */
static void add_again(struct row_of_packets *row) {
    uint8_t bytes[UNPACK_CHUNK_BYTES];
    const uint32_t which = fuzz_next(&row->random) % 8u;
    if (row->packets >= 8u) {
        const size_t at = row->begins[which];
        const size_t length = row->out[at] | (size_t)row->out[at + 1] << 8;
        memcpy(bytes, row->out + at + 2, length);
        add_bytes(row, bytes, length);
    }
}

/* The board restarts, and has the number that it had. */
static void add_all_again(struct row_of_packets *row) {
    if (row->length <= row->size - row->length) {
        memcpy(row->out + row->length, row->out, row->length);
        row->length *= 2;
    }
}

static int add_packet(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    struct row_of_packets *row = context;
    (void)wire_bytes;
    if (packet_type(bytes) == KYMO_PACKET_SESSION) {
        struct reader r = packet_fields(bytes, length);
        struct session_packet session;
        read_session(&r, &session);
        row->sites = session.sites;
    }
    if (packet_type(bytes) != KYMO_PACKET_SITES || !row->without_sites) {
        add_bytes(row, bytes, length);
    }
    if (row->random != 0 && fuzz_next(&row->random) % 2u == 0) {
        add_between(row);
    }
    if (row->repeats && fuzz_next(&row->random) % 4u == 0) {
        add_again(row);
    }
    return 0;
}

static void no_junk(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    (void)length;
}

static void must_need_no_repair(const uint8_t *data, size_t size) {
    struct pipeline_totals totals;
    read_input(data, size, &totals);
    if (short_memory_failed()) {
        return;
    }
    if (totals.lost != totals.lost_before || totals.repairs != 0 || totals.delivered == 0) {
        fuzz_wrong("what right firmware has sent is repaired, or lost");
    }
}

static size_t make_input(uint32_t index, uint8_t *out, size_t size) {
    static uint8_t stream[16384];
    static struct unpack unpack;
    const size_t length = stream_make(index, stream, sizeof stream);
    const uint32_t kind = index / 2u;
    struct row_of_packets row = {.out = out + HEAD_BYTES,
                                 .size = size - HEAD_BYTES,
                                 .random = kind % 4u == 0 ? 0 : index,
                                 .without_sites = kind % 3u == 0,
                                 .repeats = kind % 7u == 1};
    unpack_init(&unpack,
                &(struct unpack_callbacks){.context = &row, .packet = add_packet, .junk = no_junk});
    (void)unpack_feed(&unpack, stream, length);
    if (kind % 13u == 2) {
        add_all_again(&row);
    }
    out[0] =
        (uint8_t)((index & 1u) | (kind % 2u == 0 ? READ_TWICE : 0u) |
                  (kind % 5u < 2u ? READ_BORROWED : 0u) | (kind % 3u == 1u ? READ_SYMBOLS : 0u));
    out[1] = (uint8_t)row.sites;
    size_t bytes = HEAD_BYTES + row.length;
    if ((out[0] & READ_PACKETS) == 0) {
        memcpy(out + HEAD_BYTES, stream, length);
        bytes = HEAD_BYTES + length;
    }
    return bytes;
}

/* Before the firmware makes its first mistake. */
static void check_right_firmware(uint8_t *out, size_t size) {
    for (uint32_t index = 0; index < 200; index++) {
        if (stream_is_right(index)) {
            const size_t length = make_input(index, out, size);
            if ((out[0] & READ_BORROWED) == 0) {
                must_need_no_repair(out, length);
            }
        }
    }
}

size_t fuzz_seed(uint32_t index, uint8_t *out, size_t size) {
    static bool checked;
    if (!checked) {
        checked = true;
        check_right_firmware(out, size);
    }
    return make_input(index, out, size);
}
