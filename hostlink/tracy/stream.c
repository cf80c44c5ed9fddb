/* SPDX-License-Identifier: MIT */
#include "tracy/stream.h"

#include <string.h>

#include "base/utf8.h"

/* Forms of a packed time: each counts deltas from the end of the shorter form's range. */
#define PACK16_END INT64_C(65536)
#define PACK32_END (PACK16_END + INT64_C(4294967296))

#define PERIOD_1 0x3f800000u /* the float 1.0 */
/* The type of a GPU: a custom one, and before 0.12, which has no such type, Vulkan. */
#define GPU_CALIBRATED 1u
#define GPU_OWN 7u
#define GPU_VULKAN 2u
#define GPU_OWN_SINCE 74u

#define STRING_OVERHEAD 3 /* type, u16 length */

void tracy_stream_begin(struct tracy_stream *stream, const struct tracy_proto *proto,
                        tracy_frame_sink *sink, void *context) {
    stream->proto = proto;
    stream->sink = sink;
    stream->context = context;
    stream->error = 0;
    stream->thread = 0;
    stream->thread_ref = 0;
    stream->serial_ref = 0;
    stream->switch_ref = 0;
    stream->gpu_ref = 0;
    stream->used = 0;
}

int tracy_stream_flush(struct tracy_stream *stream) {
    if (stream->used > 0 && stream->error == 0) {
        stream->error = stream->sink(stream->context, stream->frame, stream->used);
    }
    stream->used = 0;
    return stream->error;
}

/* Room for a whole unit; none is larger than a frame. */
static void reserve(struct tracy_stream *stream, size_t bytes) {
    if (TRACY_FRAME_BYTES - stream->used < bytes) {
        (void)tracy_stream_flush(stream);
    }
}

static void put8(struct tracy_stream *stream, uint8_t value) {
    stream->frame[stream->used++] = value;
}

static void put(struct tracy_stream *stream, uint64_t value, size_t bytes) {
    uint8_t *at = stream->frame + stream->used;
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
    stream->used += bytes;
}

/* Written out, so that the compiler makes one store of each. */
static inline void store16(uint8_t *at, uint64_t value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void store32(uint8_t *at, uint64_t value) {
    store16(at, value);
    store16(at + 2, value >> 16);
}

static inline void store64(uint8_t *at, uint64_t value) {
    store32(at, value);
    store32(at + 4, value >> 32);
}

static void put16(struct tracy_stream *stream, uint64_t value) {
    store16(stream->frame + stream->used, value);
    stream->used += 2;
}

static void put32(struct tracy_stream *stream, uint64_t value) {
    store32(stream->frame + stream->used, value);
    stream->used += 4;
}

static void put64(struct tracy_stream *stream, uint64_t value) {
    store64(stream->frame + stream->used, value);
    stream->used += 8;
}

static void put_bytes(struct tracy_stream *stream, const void *bytes, size_t length) {
    if (length > 0) {
        memcpy(stream->frame + stream->used, bytes, length);
        stream->used += length;
    }
}

static void put_type(struct tracy_stream *stream, enum tracy_item item) {
    put8(stream, stream->proto->number_of[item]);
}

static void put_rgb(struct tracy_stream *stream, uint32_t rgb) { put(stream, rgb, 3); }

static size_t cut_text(const char *text, size_t length) {
    return utf8_cut(text, length, TRACY_TEXT_MAX);
}

/* "item" is SINGLE_STRING_DATA or SECOND_STRING_DATA; the short forms are two places later. */
static void put_string(struct tracy_stream *stream, enum tracy_item item, const char *text,
                       size_t length) {
    if (!stream->proto->short_strings) {
        put_type(stream, item);
        put16(stream, length);
    } else if (length < 256) {
        put_type(stream, item + (TRACY_SINGLE_STRING_DATA8 - TRACY_SINGLE_STRING_DATA));
        put8(stream, (uint8_t)length);
    } else {
        put_type(stream, item);
        put16(stream, length - 256);
    }
    put_bytes(stream, text, length);
}

static uint64_t delta(int64_t *reference, int64_t time_ns) {
    uint64_t difference = (uint64_t)time_ns - (uint64_t)*reference;
    *reference = time_ns;
    return difference;
}

/* Items that have packed forms: these follow the item in the enumeration, first that of 32 bits, then that of 16. */
enum packed { PACKED_64, PACKED_32, PACKED_16 };

static inline enum packed packed_form(const struct tracy_stream *stream, int64_t difference) {
    return !stream->proto->packed_deltas || difference < 0 ? PACKED_64
           : difference < PACK16_END                       ? PACKED_16
           : difference < PACK32_END                       ? PACKED_32
                                                           : PACKED_64;
}

static inline void put_packed(struct tracy_stream *stream, int64_t difference, enum packed form) {
    if (form == PACKED_16) {
        put16(stream, (uint64_t)difference);
    } else if (form == PACKED_32) {
        put32(stream, (uint64_t)(difference - PACK16_END));
    } else {
        const bool is_counted = stream->proto->packed_deltas && difference >= 0;
        put64(stream, (uint64_t)(is_counted ? difference - PACK32_END : difference));
    }
}

/* Type and time. */
static void put_packed_time(struct tracy_stream *stream, enum tracy_item item, int64_t time_ns) {
    const int64_t difference = (int64_t)delta(&stream->thread_ref, time_ns);
    const enum packed form = packed_form(stream, difference);
    put_type(stream, (enum tracy_item)((int)item + (int)form));
    put_packed(stream, difference, form);
}

void tracy_put_thread(struct tracy_stream *stream, uint32_t thread) {
    if (stream->thread == thread) {
        return;
    }
    reserve(stream, 5);
    put_type(stream, TRACY_THREAD_CONTEXT);
    put32(stream, thread);
    stream->thread = thread;
    stream->thread_ref = 0;
}

void tracy_put_zone_begin(struct tracy_stream *stream, int64_t time_ns, uint64_t source_location) {
    reserve(stream, 17);
    put_packed_time(stream, TRACY_ZONE_BEGIN, time_ns);
    put64(stream, source_location);
}

void tracy_put_zone_begin_called(struct tracy_stream *stream, int64_t time_ns,
                                 uint64_t source_location) {
    reserve(stream, 17);
    put_packed_time(stream, TRACY_ZONE_BEGIN_CALLSTACK, time_ns);
    put64(stream, source_location);
}

void tracy_put_zone_end(struct tracy_stream *stream, int64_t time_ns) {
    reserve(stream, 9);
    put_packed_time(stream, TRACY_ZONE_END, time_ns);
}

void tracy_put_zone_string(struct tracy_stream *stream, enum tracy_item item, const char *text,
                           size_t length) {
    length = cut_text(text, length);
    reserve(stream, STRING_OVERHEAD + length + 1);
    put_string(stream, TRACY_SINGLE_STRING_DATA, text, length);
    put_type(stream, item);
}

void tracy_put_zone_value(struct tracy_stream *stream, uint64_t value) {
    reserve(stream, 9);
    put_type(stream, TRACY_ZONE_VALUE);
    put64(stream, value);
}

void tracy_put_zone_color(struct tracy_stream *stream, uint32_t rgb) {
    reserve(stream, 4);
    put_type(stream, TRACY_ZONE_COLOR);
    put_rgb(stream, rgb);
}

void tracy_put_message(struct tracy_stream *stream, const struct tracy_message *message) {
    size_t length = cut_text(message->text, message->length);
    reserve(stream, STRING_OVERHEAD + length + 13);
    put_string(stream, TRACY_SINGLE_STRING_DATA, message->text, length);
    const enum tracy_item item = message->color != 0 ? TRACY_MESSAGE_COLOR : TRACY_MESSAGE;
    put_type(stream, message->called ? item + (TRACY_MESSAGE_CALLSTACK - TRACY_MESSAGE) : item);
    put64(stream, (uint64_t)message->time_ns);
    if (message->color != 0) {
        put_rgb(stream, message->color);
    }
    if (stream->proto->message_metadata) {
        put8(stream, (uint8_t)(message->level << 4)); /* source 0: the user's program */
    }
}

static void put_plot_head(struct tracy_stream *stream, enum tracy_item item, int64_t time_ns,
                          uint64_t name) {
    reserve(stream, 25);
    put_type(stream, item);
    put64(stream, name);
    put64(stream, delta(&stream->thread_ref, time_ns));
}

void tracy_put_plot_int(struct tracy_stream *stream, int64_t time_ns, uint64_t name,
                        int64_t value) {
    put_plot_head(stream, TRACY_PLOT_DATA_INT, time_ns, name);
    put64(stream, (uint64_t)value);
}

void tracy_put_plot_float(struct tracy_stream *stream, int64_t time_ns, uint64_t name,
                          float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_plot_head(stream, TRACY_PLOT_DATA_FLOAT, time_ns, name);
    put32(stream, bits);
}

void tracy_put_plot_double(struct tracy_stream *stream, int64_t time_ns, uint64_t name,
                           double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_plot_head(stream, TRACY_PLOT_DATA_DOUBLE, time_ns, name);
    put64(stream, bits);
}

void tracy_put_app_info(struct tracy_stream *stream, int64_t time_ns, const char *text,
                        size_t length) {
    length = cut_text(text, length);
    reserve(stream, STRING_OVERHEAD + length + 9);
    put_string(stream, TRACY_SINGLE_STRING_DATA, text, length);
    put_type(stream, TRACY_MESSAGE_APP_INFO);
    put64(stream, (uint64_t)time_ns);
}

/* A letter for each field: a its time, s the time since the last serial item, g since the last one of a GPU, t thread,
 * i id, q the same with 16 bits, p the period of a clock of nanoseconds, k key, f flag. An item that is not here has a
 * function of its own, or no fields. */
static const char *const layouts[TRACY_ITEM_COUNT] = {
    [TRACY_LOCK_ANNOUNCE] = "iakf",
    [TRACY_LOCK_TERMINATE] = "ia",
    [TRACY_LOCK_WAIT] = "tis",
    [TRACY_LOCK_OBTAIN] = "tis",
    [TRACY_LOCK_RELEASE] = "is",
    [TRACY_LOCK_SHARED_WAIT] = "tis",
    [TRACY_LOCK_SHARED_OBTAIN] = "tis",
    [TRACY_LOCK_SHARED_RELEASE] = "ist",
    [TRACY_FRAME_MARK_MSG] = "ak",
    [TRACY_FRAME_MARK_MSG_START] = "ak",
    [TRACY_FRAME_MARK_MSG_END] = "ak",
    [TRACY_LOCK_MARK] = "tik",
    [TRACY_CRASH_REPORT] = "ak",
    [TRACY_GPU_NEW_CONTEXT] = "aatpfq",
    [TRACY_GPU_CONTEXT_NAME] = "f",
    [TRACY_GPU_CALIBRATION] = "aakf",
    [TRACY_GPU_TIME] = "gqf",
    [TRACY_GPU_ZONE_BEGIN_SERIAL] = "stqfk",
    [TRACY_GPU_ZONE_END_SERIAL] = "stqf",
};

void tracy_put_item(struct tracy_stream *stream, enum tracy_item item,
                    const struct tracy_fields *fields) {
    reserve(stream, 1u + stream->proto->size_of[item]);
    put_type(stream, item);
    for (const char *at = layouts[item] != NULL ? layouts[item] : ""; *at != '\0'; at++) {
        switch (*at) {
        case 'a':
            put64(stream, (uint64_t)fields->time_ns);
            break;
        case 's':
            put64(stream, delta(&stream->serial_ref, fields->time_ns));
            break;
        case 'g':
            put64(stream, delta(&stream->gpu_ref, fields->time_ns));
            break;
        case 'q':
            put16(stream, fields->id);
            break;
        case 'p':
            put32(stream, PERIOD_1);
            break;
        case 't':
            put32(stream, fields->thread);
            break;
        case 'i':
            put32(stream, fields->id);
            break;
        case 'k':
            put64(stream, fields->key);
            break;
        default:
            put8(stream, fields->flag);
            break;
        }
    }
}

void tracy_put_lock_name(struct tracy_stream *stream, uint32_t id, const char *text,
                         size_t length) {
    length = cut_text(text, length);
    reserve(stream, STRING_OVERHEAD + length + 5);
    put_string(stream, TRACY_SINGLE_STRING_DATA, text, length);
    put_type(stream, TRACY_LOCK_NAME);
    put32(stream, id);
}

void tracy_put_gpu_context(struct tracy_stream *stream, uint8_t context, int64_t time_ns,
                           const char *text, size_t length) {
    const uint32_t type = stream->proto->number >= GPU_OWN_SINCE ? GPU_OWN : GPU_VULKAN;
    const struct tracy_fields fields = {
        .time_ns = time_ns, .id = GPU_CALIBRATED | type << 8, .flag = context};
    tracy_put_item(stream, TRACY_GPU_NEW_CONTEXT, &fields);
    length = cut_text(text, length);
    reserve(stream, STRING_OVERHEAD + length + 2);
    put_string(stream, TRACY_SINGLE_STRING_DATA, text, length);
    tracy_put_item(stream, TRACY_GPU_CONTEXT_NAME, &fields);
}

/* Common head of memory items; the name of the pool must stand right before. */
static void put_memory_head(struct tracy_stream *stream, enum tracy_item item,
                            const struct tracy_block *block) {
    reserve(stream, 9 + 27);
    if (block->pool != 0) {
        put_type(stream, TRACY_MEM_NAME_PAYLOAD);
        put64(stream, block->pool);
    }
    item += block->called ? TRACY_MEM_ALLOC_CALLSTACK - TRACY_MEM_ALLOC : 0;
    put_type(stream, block->pool != 0 ? item + 1 : item); /* the named form follows */
    put64(stream, delta(&stream->serial_ref, block->time_ns));
    put32(stream, block->thread);
    put64(stream, block->address);
}

void tracy_put_alloc(struct tracy_stream *stream, const struct tracy_block *block, uint64_t bytes) {
    put_memory_head(stream, TRACY_MEM_ALLOC, block);
    put(stream, bytes, 6);
}

void tracy_put_free(struct tracy_stream *stream, const struct tracy_block *block) {
    put_memory_head(stream, TRACY_MEM_FREE, block);
}

static void put_calls(struct tracy_stream *stream, const uint8_t *bytes, size_t length) {
    put_type(stream, TRACY_CALLSTACK_PAYLOAD);
    put64(stream, 0); /* not looked at */
    put16(stream, length);
    put_bytes(stream, bytes, length);
}

void tracy_put_callstack(struct tracy_stream *stream, enum tracy_item item, const uint8_t *bytes,
                         size_t length) {
    reserve(stream, 12 + length);
    put_calls(stream, bytes, length);
    put_type(stream, item);
}

void tracy_put_sample(struct tracy_stream *stream, uint32_t thread, int64_t time_ns,
                      const uint8_t *bytes, size_t length) {
    reserve(stream, 11 + length + 13);
    put_calls(stream, bytes, length);
    const int64_t difference = (int64_t)delta(&stream->switch_ref, time_ns);
    const enum packed form = packed_form(stream, difference);
    put_type(stream, TRACY_CALLSTACK_SAMPLE + form);
    if (stream->proto->packed_deltas) {
        put32(stream, thread);
        put_packed(stream, difference, form);
    } else {
        put64(stream, (uint64_t)difference);
        put32(stream, thread);
    }
}

void tracy_put_context_switch(struct tracy_stream *stream, const struct tracy_switch *change) {
    const size_t size = stream->proto->size_of[TRACY_CONTEXT_SWITCH];
    reserve(stream, 1 + size);
    put_type(stream, TRACY_CONTEXT_SWITCH);
    put64(stream, delta(&stream->switch_ref, change->time_ns));
    put32(stream, change->before);
    put32(stream, change->after);
    put8(stream, change->core);
    put8(stream, change->reason);
    put8(stream, change->state);
    if (size > 19) { /* later protocols: a power state, and priorities */
        put8(stream, 0);
        put8(stream, (uint8_t)change->after_priority);
        put8(stream, (uint8_t)change->before_priority);
    }
}

void tracy_put_wakeup(struct tracy_stream *stream, int64_t time_ns, uint32_t row, uint8_t core) {
    const size_t size = stream->proto->size_of[TRACY_THREAD_WAKEUP];
    reserve(stream, 1 + size);
    put_type(stream, TRACY_THREAD_WAKEUP);
    put64(stream, delta(&stream->switch_ref, time_ns));
    put32(stream, row);
    if (size > 12) { /* later protocols: where, and how its priority was raised */
        put8(stream, core);
        put(stream, 0, size - 13);
    }
}

void tracy_put_plot_config(struct tracy_stream *stream, uint64_t name, uint8_t type, bool step,
                           bool fill, uint32_t rgb) {
    reserve(stream, 16);
    put_type(stream, TRACY_PLOT_CONFIG);
    put64(stream, name);
    put8(stream, type);
    put8(stream, step);
    put8(stream, fill);
    put32(stream, rgb);
}

void tracy_put_param(struct tracy_stream *stream, uint32_t index, uint64_t name, bool is_switch,
                     int32_t value) {
    reserve(stream, 18);
    put_type(stream, TRACY_PARAM_SETUP);
    put32(stream, index);
    put64(stream, name);
    put8(stream, is_switch ? 1 : 0);
    put32(stream, (uint32_t)value);
}

void tracy_put_transfer(struct tracy_stream *stream, enum tracy_item item, uint64_t key,
                        const void *bytes, size_t length) {
    length = cut_text(bytes, length);
    reserve(stream, 11 + length);
    put_type(stream, item);
    put64(stream, key);
    put16(stream, length);
    put_bytes(stream, bytes, length);
}

void tracy_put_source_location(struct tracy_stream *stream,
                               const struct tracy_source_location *location) {
    reserve(stream, 32);
    put_type(stream, TRACY_SOURCE_LOCATION);
    put64(stream, location->name);
    put64(stream, location->function);
    put64(stream, location->file);
    put32(stream, location->line);
    put_rgb(stream, location->color);
}

void tracy_put_thread_group(struct tracy_stream *stream, uint32_t thread, int32_t hint) {
    if (stream->proto->number_of[TRACY_THREAD_GROUP_HINT] == TRACY_NO_NUMBER) {
        return;
    }
    reserve(stream, 9);
    put_type(stream, TRACY_THREAD_GROUP_HINT);
    put32(stream, thread);
    put32(stream, (uint32_t)hint);
}

void tracy_put_callstack_frames(struct tracy_stream *stream, uint64_t address, uint32_t count,
                                const char *image) {
    const size_t length = cut_text(image, strlen(image));
    reserve(stream, STRING_OVERHEAD + length + 10);
    put_string(stream, TRACY_SINGLE_STRING_DATA, image, length);
    put_type(stream, TRACY_CALLSTACK_FRAME_SIZE);
    put64(stream, address);
    put8(stream, (uint8_t)count);
}

void tracy_put_callstack_frame(struct tracy_stream *stream, const struct tracy_frame *frame) {
    const size_t function = cut_text(frame->function, strlen(frame->function));
    const size_t file = cut_text(frame->file, strlen(frame->file));
    reserve(stream, 2 * STRING_OVERHEAD + function + file + 17);
    put_string(stream, TRACY_SINGLE_STRING_DATA, frame->function, function);
    put_string(stream, TRACY_SECOND_STRING_DATA, frame->file, file);
    put_type(stream, TRACY_CALLSTACK_FRAME);
    put32(stream, frame->line);
    put64(stream, frame->symbol);
    put32(stream, frame->symbol_bytes);
}

void tracy_put_symbol(struct tracy_stream *stream, uint64_t address, const char *file,
                      uint32_t line) {
    const size_t length = cut_text(file, strlen(file));
    reserve(stream, STRING_OVERHEAD + length + 13);
    put_string(stream, TRACY_SINGLE_STRING_DATA, file, length);
    put_type(stream, TRACY_SYMBOL_INFORMATION);
    put32(stream, line);
    put64(stream, address);
}

void tracy_put_long_transfer(struct tracy_stream *stream, enum tracy_item item, uint64_t key,
                             const uint8_t *bytes, size_t length) {
    reserve(stream, 13 + length);
    put_type(stream, item);
    put64(stream, key);
    put32(stream, length);
    put_bytes(stream, bytes, length);
}

void tracy_put_picture(struct tracy_stream *stream, uint32_t frame,
                       const struct tracy_picture *picture) {
    reserve(stream, 13 + picture->bytes + 10);
    tracy_put_long_transfer(stream, TRACY_FRAME_IMAGE_DATA, 0, picture->data, picture->bytes);
    put_type(stream, TRACY_FRAME_IMAGE);
    put32(stream, frame);
    put16(stream, picture->width);
    put16(stream, picture->height);
    put8(stream, 0); /* its first row is the uppermost */
}

void tracy_put_no_source_code(struct tracy_stream *stream, uint32_t id) {
    reserve(stream, 5);
    put_type(stream, TRACY_ACK_SOURCE_CODE_NOT_AVAILABLE);
    put32(stream, id);
}
