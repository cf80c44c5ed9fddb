/* Hostile bytes into hostlink's pipeline. The input is either a stream as it is on the line, or, since a
 * CRC keeps damage out of the decoder there, a row of frames that get a correct CRC here.
 *
 * Whatever comes in: emitted = delivered + lost; time does not go back within a track; zones nest; a command is
 * never signed with a counter that the board says it has seen. */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "kymo/kymo.h"
#include "stream.h"
#include "trace/deframe.h"
#include "trace/guard.h"
#include "trace/pipeline.h"

#define TRACKS 64u

struct judge {
    int64_t last_ns[TRACKS];
    uint32_t open[TRACKS];
    struct guard guard;
};

/* With each of them a command is due. */
static void on_guard(void *context, uint64_t refused, uint64_t accepted, const uint8_t *challenge) {
    struct judge *judge = context;
    uint8_t frame[64], command[16] = {0};
    guard_told(&judge->guard, refused, accepted, challenge, accepted);
    size_t length =
        guard_frame(&judge->guard, frame, sizeof frame, command, refused % 20u, accepted);
    if (length != 0 && accepted <= UINT32_MAX && judge->guard.counter <= accepted) {
        fuzz_wrong("a counter is used again");
    }
}

static int on_event(void *context, const struct event *event) {
    struct judge *judge = context;
    if (event->track == NULL || event->track->id >= TRACKS || event->kind == EVENT_TRACK) {
        return 0;
    }
    uint32_t track = event->track->id;
    if (event->kind != EVENT_GAP) {
        if (event->time_ns < judge->last_ns[track]) {
            fuzz_wrong("time goes back within a track");
        }
        judge->last_ns[track] = event->time_ns;
    }
    if (event->kind == EVENT_ZONE_BEGIN) {
        judge->open[track]++;
    } else if (event->kind == EVENT_ZONE_END) {
        if (judge->open[track] == 0u) {
            fuzz_wrong("a zone ends that did not begin");
        }
        judge->open[track]--;
        if (event->u.zone.start_ns > event->time_ns || event->u.zone.self_ns < 0) {
            fuzz_wrong("a zone of negative length");
        }
    }
    return 0;
}

static void feed_frames(struct pipeline *pipeline, const uint8_t *data, size_t size) {
    uint8_t out[DEFRAME_CHUNK_BYTES + 16u];
    for (size_t at = 0; at + 2 <= size;) {
        size_t length = data[at] | (size_t)data[at + 1] << 8;
        at += 2;
        length = length < size - at ? length : size - at;
        size_t framed = frame_encode(out, sizeof out, data + at, length);
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
    struct pipeline_callbacks callbacks = {.context = &judge, .event = on_event, .guard = on_guard};
    struct pipeline_totals totals;
    if (size == 0) {
        return 0;
    }
    struct pipeline *pipeline = pipeline_new(&callbacks, NULL);
    if (pipeline == NULL) {
        fuzz_wrong("no memory");
    }
    (data[0] & 1 ? feed_frames : feed_stream)(pipeline, data + 1, size - 1);
    (void)pipeline_end(pipeline);
    pipeline_totals(pipeline, &totals);
    if (totals.emitted != totals.delivered + totals.lost) {
        fuzz_wrong("emitted differs from delivered + lost");
    }
    for (uint32_t i = 0; i < TRACKS; i++) {
        if (judge.open[i] != 0u) {
            fuzz_wrong("a zone is left open at the end");
        }
    }
    pipeline_free(pipeline);
    return 0;
}

/* ---- correct inputs ---- */

struct row_of_frames {
    uint8_t *out;
    size_t size, length;
};

static int add_frame(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    struct row_of_frames *row = context;
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
    static struct deframe deframe;
    size_t length = stream_make(index, stream, sizeof stream);
    out[0] = (uint8_t)(index & 1u);
    if (out[0] == 0) {
        memcpy(out + 1, stream, length);
        return length + 1;
    }
    struct row_of_frames row = {.out = out + 1, .size = size - 1};
    deframe_init(&deframe,
                 &(struct deframe_callbacks){.context = &row, .frame = add_frame, .junk = no_junk});
    (void)deframe_feed(&deframe, stream, length);
    return row.length + 1;
}
