/* Hostile bytes into hostlink's pipeline. The input is either a stream as it is on the line, or, since a
 * CRC keeps damage out of the decoder there, a row of packets that get a correct CRC here.
 *
 * Whatever comes in: emitted = delivered + lost; the events are what legal_events.h says; a command is never signed
 * with a counter that the board says it has seen. */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "kymo/kymo.h"
#include "legal_events.h"
#include "stream.h"
#include "trace/pipeline.h"
#include "wire/compose.h"
#include "wire/fields.h"
#include "wire/guard.h"
#include "wire/unpack.h"

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

static int on_event(void *context, const struct event *event) {
    struct judge *judge = context;
    must_be_legal(legal_event(&judge->legal, event));
    return 0;
}

static void feed_packets(struct pipeline *pipeline, const uint8_t *data, size_t size) {
    uint8_t out[UNPACK_CHUNK_BYTES + 16u];
    for (size_t at = 0; at + 2 <= size;) {
        size_t length = data[at] | (size_t)data[at + 1] << 8;
        at += 2;
        length = length < size - at ? length : size - at;
        size_t framed = packet_encode(out, sizeof out, data + at, length);
        (void)pipeline_feed(pipeline, out, framed);
        at += length;
    }
}

static void feed_stream(struct pipeline *pipeline, const uint8_t *data, size_t size) {
    for (size_t at = 0; at < size;) {
        size_t piece = 1u + data[at] % 61u;
        piece = piece < size - at ? piece : size - at;
        (void)pipeline_feed(pipeline, data + at, piece);
        at += piece;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t key[KYMO_SIPHASH_KEY_BYTES];
    struct judge judge = {.guard = {.key = key}};
    struct pipeline_callbacks callbacks = {.context = &judge,
                                           .event = on_event,
                                           .guard = on_guard,
                                           .large = on_large,
                                           .large_context = &judge};
    struct pipeline_totals totals;
    if (size == 0) {
        return 0;
    }
    struct pipeline *pipeline = pipeline_new(&callbacks, NULL);
    if (pipeline == NULL) {
        fuzz_wrong("no memory");
    }
    (data[0] & 1 ? feed_packets : feed_stream)(pipeline, data + 1, size - 1);
    (void)pipeline_end(pipeline);
    pipeline_totals(pipeline, &totals);
    if (totals.emitted != totals.delivered + totals.lost) {
        fuzz_wrong("emitted differs from delivered + lost");
    }
    must_be_legal(legal_end(&judge.legal));
    legal_free(&judge.legal);
    pipeline_free(pipeline);
    return 0;
}

/* ---- correct inputs ---- */

struct row_of_packets {
    uint8_t *out;
    size_t size, length;
};

static int add_packet(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    struct row_of_packets *row = context;
    (void)wire_bytes;
    if (length + 2 <= row->size - row->length) {
        row->out[row->length++] = (uint8_t)length;
        row->out[row->length++] = (uint8_t)(length >> 8);
        memcpy(row->out + row->length, bytes, length);
        row->length += length;
    }
    return 0;
}

static void no_junk(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    (void)length;
}

size_t fuzz_seed(uint32_t index, uint8_t *out, size_t size) {
    static uint8_t stream[16384];
    static struct unpack unpack;
    size_t length = stream_make(index, stream, sizeof stream);
    out[0] = (uint8_t)(index & 1u);
    if (out[0] == 0) {
        memcpy(out + 1, stream, length);
        return length + 1;
    }
    struct row_of_packets row = {.out = out + 1, .size = size - 1};
    unpack_init(&unpack,
                &(struct unpack_callbacks){.context = &row, .packet = add_packet, .junk = no_junk});
    (void)unpack_feed(&unpack, stream, length);
    return row.length + 1;
}
