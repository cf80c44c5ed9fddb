/* SPDX-License-Identifier: MIT */
/* Writes items into frames of at most TRACY_FRAME_BYTES and keeps running time references, the same
 * on both sides. Each call writes a whole unit: items that must be adjacent for the viewer (a
 * string and the item that uses it) are never split, so answers to queries fit between any two units. */
#ifndef HOSTLINK_TRACY_STREAM_H
#define HOSTLINK_TRACY_STREAM_H

#include "tracy/picture.h"
#include "tracy/proto.h"

/* Takes a frame before compression; 0 or -errno, which ends the stream. */
typedef int tracy_frame_sink(void *context, const uint8_t *frame, size_t length);

struct tracy_stream {
    const struct tracy_proto *proto;
    tracy_frame_sink *sink;
    void *context;
    int error;          /* the first of the sink; later items are thrown away */
    uint32_t thread;    /* the viewer's current thread, 0 at the start */
    int64_t thread_ref; /* its time reference; 0 after each switch of threads */
    int64_t serial_ref; /* that of memory, locks and submissions to a GPU */
    int64_t gpu_ref;    /* that of times of a GPU */
    int64_t switch_ref; /* that of context switches and samples */
    size_t used;
    uint8_t frame[TRACY_FRAME_BYTES];
};

/* A message. Colour 0 = none; "level" is severity 0 trace ... 5 fatal. */
struct tracy_message {
    int64_t time_ns;
    const char *text;
    size_t length;
    uint32_t color;
    uint8_t level;
    bool called; /* its call stack stands before it */
};

struct tracy_source_location {
    uint64_t name, function, file; /* keys; name 0 = none */
    uint32_t line, color;
};

void tracy_stream_begin(struct tracy_stream *stream, const struct tracy_proto *proto,
                        tracy_frame_sink *sink, void *context);
/* Hands over the bytes written so far, if any. Returns 0 or the stream's error. */
int tracy_stream_flush(struct tracy_stream *stream);

/* Items of the current thread. */
void tracy_put_thread(struct tracy_stream *stream, uint32_t thread);
void tracy_put_zone_begin(struct tracy_stream *stream, int64_t time_ns, uint64_t source_location);
/* The same for a zone with a call stack, which precedes it. */
void tracy_put_zone_begin_called(struct tracy_stream *stream, int64_t time_ns,
                                 uint64_t source_location);
void tracy_put_zone_end(struct tracy_stream *stream, int64_t time_ns);
/* ZONE_TEXT or ZONE_NAME. */
void tracy_put_zone_string(struct tracy_stream *stream, enum tracy_item item, const char *text,
                           size_t length);
void tracy_put_zone_value(struct tracy_stream *stream, uint64_t value);
void tracy_put_zone_color(struct tracy_stream *stream, uint32_t rgb);
void tracy_put_message(struct tracy_stream *stream, const struct tracy_message *message);
void tracy_put_plot_int(struct tracy_stream *stream, int64_t time_ns, uint64_t name, int64_t value);
/* "value" must be finite. */
void tracy_put_plot_float(struct tracy_stream *stream, int64_t time_ns, uint64_t name, float value);
void tracy_put_plot_double(struct tracy_stream *stream, int64_t time_ns, uint64_t name,
                           double value);

/* The values of an item's fields; an item uses those that it has. */
struct tracy_fields {
    int64_t time_ns;
    uint32_t thread, id;
    uint64_t key;
    uint8_t flag;
};
/* Any item of fields of fixed length, laid out by the one table in stream.c. */
void tracy_put_item(struct tracy_stream *stream, enum tracy_item item,
                    const struct tracy_fields *fields);
/* LOCK_NAME. */
void tracy_put_lock_name(struct tracy_stream *stream, uint32_t id, const char *text, size_t length);

/* A GPU without a thread whose clock is that of the trace; its zones are items of fields. */
void tracy_put_gpu_context(struct tracy_stream *stream, uint8_t context, int64_t time_ns,
                           const char *text, size_t length);

/* CALLSTACK or CALLSTACK_SERIAL: eight bytes for each address. */
void tracy_put_callstack(struct tracy_stream *stream, enum tracy_item item, const uint8_t *bytes,
                         size_t length);

/* A sample of the thread: its call stack, at least one address, and when. */
void tracy_put_sample(struct tracy_stream *stream, uint32_t thread, int64_t time_ns,
                      const uint8_t *bytes, size_t length);

/* Items without a thread. */
void tracy_put_app_info(struct tracy_stream *stream, int64_t time_ns, const char *text,
                        size_t length);
/* Pool 0 = the memory without a name. Sizes below 2^48. "called": its call stack stands before it. */
struct tracy_block {
    int64_t time_ns;
    uint64_t pool, address;
    uint32_t thread;
    bool called;
};
void tracy_put_alloc(struct tracy_stream *stream, const struct tracy_block *block, uint64_t bytes);
void tracy_put_free(struct tracy_stream *stream, const struct tracy_block *block);
/* "core" runs row "after" in place of "before"; 0 = none. */
struct tracy_switch {
    int64_t time_ns;
    uint32_t before, after;
    uint8_t core;
    uint8_t reason, state; /* of "before": numbers of the viewer's (cores.c) */
    int8_t before_priority, after_priority;
};
void tracy_put_context_switch(struct tracy_stream *stream, const struct tracy_switch *change);
/* A row that no core runs may run from then on. */
void tracy_put_wakeup(struct tracy_stream *stream, int64_t time_ns, uint32_t row, uint8_t core);
/* Type: 0 number, 1 memory, 2 percent. */
void tracy_put_plot_config(struct tracy_stream *stream, uint64_t name, uint8_t type, bool step,
                           bool fill, uint32_t rgb);
void tracy_put_param(struct tracy_stream *stream, uint32_t index, uint64_t name, bool is_switch,
                     int32_t value);

/* The picture of the frame with that number. */
void tracy_put_picture(struct tracy_stream *stream, uint32_t frame,
                       const struct tracy_picture *picture);

/* Answers. */
/* STRING_DATA, THREAD_NAME, PLOT_NAME ...: any whose length has 16 bits. */
void tracy_put_transfer(struct tracy_stream *stream, enum tracy_item item, uint64_t key,
                        const void *bytes, size_t length);
void tracy_put_source_location(struct tracy_stream *stream,
                               const struct tracy_source_location *location);
/* "hint" sorts threads into groups; nothing below protocol 69. */
void tracy_put_thread_group(struct tracy_stream *stream, uint32_t thread, int32_t hint);
/* Head of "count" frames at an address; the frames follow at once, the innermost first. "image" is the program. */
void tracy_put_callstack_frames(struct tracy_stream *stream, uint64_t address, uint32_t count,
                                const char *image);
struct tracy_frame {
    const char *function, *file;
    uint32_t line, symbol_bytes;
    uint64_t
        symbol; /* where the function begins; 0: not known, and the viewer does not ask for it */
};
void tracy_put_callstack_frame(struct tracy_stream *stream, const struct tracy_frame *frame);
void tracy_put_symbol(struct tracy_stream *stream, uint64_t address, const char *file,
                      uint32_t line);
/* SOURCE_CODE, SYMBOL_CODE: those whose length has 32 bits; at most TRACY_SOURCE_BYTES_MAX bytes. */
void tracy_put_long_transfer(struct tracy_stream *stream, enum tracy_item item, uint64_t key,
                             const uint8_t *bytes, size_t length);
void tracy_put_no_source_code(struct tracy_stream *stream, uint32_t id);

#endif
