/* SPDX-License-Identifier: MIT */
#include "sink/perfetto_callstacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Numbers of protos/perfetto/trace/interned_data/interned_data.proto, profiling/profile_common.proto and
 * track_event/track_event.proto, as of Perfetto v55. */
enum {
    INTERNED_FUNCTIONS = 5,
    INTERNED_FRAMES = 6,
    INTERNED_CALLSTACKS = 7,
    INTERNED_MAPPING_PATHS = 17,
    INTERNED_MAPPINGS = 19,
    STRING_IID = 1,
    STRING_TEXT = 2,
    FRAME_IID = 1,
    FRAME_FUNCTION = 2,
    FRAME_MAPPING = 3,
    FRAME_ADDRESS = 4,
    CALLSTACK_IID = 1,
    CALLSTACK_FRAME = 2,
    MAPPING_IID = 1,
    MAPPING_END = 5,
    MAPPING_PATH = 7,

    TRACK_EVENT_CALLSTACK = 55,
    TRACK_EVENT_CALLSTACK_IID = 56,
    INLINE_FRAME = 1,
    INLINE_FUNCTION = 1,
    INLINE_FILE = 2,
    INLINE_LINE = 3
};

/* First bytes of the keys, beside those of perfetto_writer.c. */
enum { KEY_STACK = 110, KEY_FRAME, KEY_FUNCTION, KEY_MAPPING };

/* The firmware is one mapping of the whole memory. */
#define FIRMWARE "firmware"

#define NAME_BYTES 1024u
#define HEX_BYTES 20u

static uint64_t mapping(struct perfetto_writer *writer) {
    const char key = KEY_MAPPING;
    bool fresh;
    const uint64_t iid = perfetto_intern(writer, &key, 1, &fresh);
    if (fresh) {
        struct protobuf *interned = &writer->interned;
        size_t begun = protobuf_begin(interned, INTERNED_MAPPING_PATHS);
        protobuf_varint(interned, STRING_IID, iid);
        protobuf_string(interned, STRING_TEXT, FIRMWARE, strlen(FIRMWARE));
        protobuf_end(interned, begun);
        begun = protobuf_begin(interned, INTERNED_MAPPINGS);
        protobuf_varint(interned, MAPPING_IID, iid);
        protobuf_varint(interned, MAPPING_END, UINT64_MAX);
        protobuf_varint(interned, MAPPING_PATH, iid);
        protobuf_end(interned, begun);
    }
    return iid;
}

static uint64_t function(struct perfetto_writer *writer, const char *name) {
    char key[NAME_BYTES] = {KEY_FUNCTION};
    const size_t length = strnlen(name, sizeof key - 1);
    bool fresh;
    memcpy(key + 1, name, length);
    const uint64_t iid = perfetto_intern(writer, key, length + 1, &fresh);
    if (fresh) {
        const size_t begun = protobuf_begin(&writer->interned, INTERNED_FUNCTIONS);
        protobuf_varint(&writer->interned, STRING_IID, iid);
        protobuf_string(&writer->interned, STRING_TEXT, name, length);
        protobuf_end(&writer->interned, begun);
    }
    return iid;
}

/* The symbol of an address, or the address itself. */
struct found {
    const struct symbols *symbols;
    const struct code_place *place;
    struct code_place none;
    struct code_line line;
    char hex[HEX_BYTES];
};

static const struct code_place *find(struct found *found, const struct callstack *stack,
                                     uint32_t at) {
    found->symbols = stack->symbols;
    found->place = symbols_find(stack->symbols, stack->address[at]);
    (void)snprintf(found->hex, sizeof found->hex, "0x%" PRIx64, stack->address[at]);
    if (found->place != NULL) {
        return found->place;
    }
    found->line = (struct code_line){.function = found->hex, .file = ""};
    found->none = (struct code_place){.count = 1, .lines = &found->line};
    return &found->none;
}

/* Function "number" of those at a program's address; their names may have become known since. */
static uint64_t frame(struct perfetto_writer *writer, const struct found *found,
                      const struct code_place *place, uint64_t address, uint32_t number) {
    const uint64_t of[3] = {(uintptr_t)found->symbols, address, number};
    char key[2 + sizeof of] = {KEY_FRAME, found->place != NULL};
    bool fresh;
    memcpy(key + 2, of, sizeof of);
    const uint64_t iid = perfetto_intern(writer, key, sizeof key, &fresh);
    if (fresh) {
        const char *known = place->lines[number].function;
        const uint64_t name = function(writer, known[0] != '\0' ? known : found->hex);
        const uint64_t image = mapping(writer);
        const size_t begun = protobuf_begin(&writer->interned, INTERNED_FRAMES);
        protobuf_varint(&writer->interned, FRAME_IID, iid);
        protobuf_varint(&writer->interned, FRAME_FUNCTION, name);
        protobuf_varint(&writer->interned, FRAME_MAPPING, image);
        protobuf_varint(&writer->interned, FRAME_ADDRESS, address);
        protobuf_end(&writer->interned, begun);
    }
    return iid;
}

/* The outermost first. */
static void send_stack(struct perfetto_writer *writer, const struct callstack *stack,
                       uint64_t iid) {
    struct found found;
    struct protobuf *message = &writer->stack;
    protobuf_clear(message);
    protobuf_varint(message, CALLSTACK_IID, iid);
    for (uint32_t i = stack->count; i > 0; i--) {
        const struct code_place *place = find(&found, stack, i - 1);
        for (uint32_t line = place->count; line > 0; line--) {
            protobuf_varint(message, CALLSTACK_FRAME,
                            frame(writer, &found, place, stack->address[i - 1], line - 1));
        }
    }
    protobuf_message(&writer->interned, INTERNED_CALLSTACKS, message);
}

static void write_out(struct perfetto_writer *writer, const struct callstack *stack) {
    struct found found;
    const size_t begun = protobuf_begin(&writer->event, TRACK_EVENT_CALLSTACK);
    for (uint32_t i = stack->count; i > 0; i--) {
        const struct code_place *place = find(&found, stack, i - 1);
        for (uint32_t at = place->count; at > 0; at--) {
            const struct code_line *line = &place->lines[at - 1];
            const size_t frame_begun = protobuf_begin(&writer->event, INLINE_FRAME);
            protobuf_string(&writer->event, INLINE_FUNCTION, line->function,
                            strlen(line->function));
            protobuf_string(&writer->event, INLINE_FILE, line->file, strlen(line->file));
            protobuf_varint(&writer->event, INLINE_LINE, line->line);
            protobuf_end(&writer->event, frame_begun);
        }
    }
    protobuf_end(&writer->event, begun);
}

/* Its number, which it is given unless "most" stacks have one; 0 = none. */
static uint64_t number_of(struct perfetto_writer *writer, const struct callstack *stack,
                          uint32_t most) {
    const uint64_t program = (uintptr_t)stack->symbols;
    unsigned char key[1 + sizeof program + sizeof stack->address] = {KEY_STACK};
    const size_t length = 1 + sizeof program + stack->count * sizeof *stack->address;
    memcpy(key + 1, &program, sizeof program);
    memcpy(key + 1 + sizeof program, stack->address, length - 1 - sizeof program);
    bool fresh = false;
    if (writer->stacks >= most && keytable_find(&writer->row->interned, key, length) < 0) {
        return 0;
    }
    const uint64_t iid = perfetto_intern(writer, key, length, &fresh);
    if (fresh) {
        writer->stacks++;
        send_stack(writer, stack, iid);
    }
    return iid;
}

void perfetto_put_stack(struct perfetto_writer *writer, const struct callstack *stack) {
    const uint64_t iid = number_of(writer, stack, PERFETTO_STACKS_MAX);
    if (iid == 0) {
        write_out(writer, stack);
    } else {
        protobuf_varint(&writer->event, TRACK_EVENT_CALLSTACK_IID, iid);
    }
}

uint64_t perfetto_sampled_stack(struct perfetto_writer *writer, const struct callstack *stack) {
    const uint64_t iid = number_of(writer, stack, PERFETTO_STACKS_MAX);
    if (iid != 0) {
        return iid;
    }
    struct callstack innermost = {.count = 1, .symbols = stack->symbols};
    innermost.address[0] = stack->address[0];
    return number_of(writer, &innermost, 2 * PERFETTO_STACKS_MAX);
}
