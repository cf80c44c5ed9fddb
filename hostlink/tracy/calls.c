#include "tracy/calls.h"

#include <inttypes.h>
#include <stdio.h>

/* The viewer keeps the length of a symbol in 24 bits. */
#define SYMBOL_BYTES_MAX UINT64_C(0xffffff)
#define UNKNOWN_FILE "???"
#define NAME_BYTES 48u

static bool can_be_packed(uint64_t address) { return address >> 62 == (address >> 60 & 3u); }

void tracy_calls_free(struct tracy_calls *calls) {
    intmap_free(&calls->replaced_numbers);
    intmap_free(&calls->sampled);
}

static uint64_t replacement(struct tracy_calls *calls, uint64_t address) {
    uint32_t number = intmap_get(&calls->replaced_numbers, address);
    if (number != 0) {
        return TRACY_NO_ADDRESS + number - 1;
    }
    number = calls->replaced_count;
    if (number < TRACY_NO_ADDRESSES_MAX - 1 &&
        intmap_add(&calls->replaced_numbers, address, number + 1) == 0) {
        calls->replaced[calls->replaced_count++] = address;
        return TRACY_NO_ADDRESS + number;
    }
    return TRACY_NO_ADDRESS + TRACY_NO_ADDRESSES_MAX - 1;
}

bool tracy_calls_unfit(const struct callstack *stack) {
    for (uint32_t i = 0; i < stack->count; i++) {
        if (!can_be_packed(stack->address[i])) {
            return true;
        }
    }
    return false;
}

static void store(uint8_t *at, uint64_t address) {
    for (uint32_t byte = 0; byte < 8; byte++) {
        at[byte] = (uint8_t)(address >> (8 * byte));
    }
}

/* Eight bytes for each address; their number. */
static size_t list(struct tracy_calls *calls, const struct callstack *stack, uint8_t *bytes) {
    calls->symbols = stack->symbols != NULL ? stack->symbols : calls->symbols;
    for (uint32_t i = 0; i < stack->count; i++) {
        const uint64_t address = stack->address[i];
        store(bytes + 8 * (size_t)i,
              can_be_packed(address) ? address : replacement(calls, address));
    }
    return 8 * (size_t)stack->count;
}

void tracy_calls_put(struct tracy_calls *calls, struct tracy_stream *stream, enum tracy_item item,
                     const struct callstack *stack) {
    uint8_t bytes[CALLSTACK_MAX * 8];
    const size_t length = list(calls, stack, bytes);
    tracy_put_callstack(stream, item, bytes, length);
}

/* Keeps the address: a viewer that asks for its symbol later means this instruction, not the call before it. */
static bool is_sampled(struct tracy_calls *calls, uint64_t address) {
    return intmap_get(&calls->sampled, address) != 0 ||
           (calls->sampled.used < TRACY_SAMPLED_MAX &&
            intmap_add(&calls->sampled, address, 1) == 0);
}

void tracy_calls_put_sample(struct tracy_calls *calls, struct tracy_stream *stream, uint32_t thread,
                            int64_t time_ns, const struct callstack *stack) {
    uint8_t bytes[CALLSTACK_MAX * 8];
    const size_t length = list(calls, stack, bytes);
    const uint64_t instruction = stack->address[0] - 1;
    if (stack->address[0] != 0 && can_be_packed(stack->address[0]) && can_be_packed(instruction) &&
        is_sampled(calls, instruction)) {
        store(bytes, instruction);
    }
    tracy_put_sample(stream, thread, time_ns, bytes, length);
}

static void name_replaced(const struct tracy_calls *calls, uint64_t address, char *name) {
    const uint64_t number = address - TRACY_NO_ADDRESS;
    if (number < calls->replaced_count) {
        (void)snprintf(name, NAME_BYTES, "0x%" PRIx64 " (no address)", calls->replaced[number]);
    } else if (number < TRACY_NO_ADDRESSES_MAX) {
        (void)snprintf(name, NAME_BYTES, "(no address)");
    } else {
        (void)snprintf(name, NAME_BYTES, "0x%" PRIx64, address);
    }
}

/* Only the function itself is a symbol: what was put inside it has no code of its own to look at. */
void tracy_calls_frame(struct tracy_calls *calls, struct tracy_stream *stream, const char *image,
                       uint64_t address) {
    char name[NAME_BYTES];
    struct code_line line = {.function = name, .file = UNKNOWN_FILE};
    const struct code_place nothing = {.count = 1, .lines = &line};
    const uint64_t behind = intmap_get(&calls->sampled, address) != 0 ? 1 : 0;
    const struct code_place *place = symbols_find(calls->symbols, address + behind);
    name_replaced(calls, address, name);
    place = place != NULL ? place : &nothing;
    tracy_put_callstack_frames(stream, address, place->count, image);
    for (uint32_t i = 0; i < place->count; i++) {
        struct tracy_frame frame = {.function = place->lines[i].function,
                                    .file = place->lines[i].file,
                                    .line = place->lines[i].line};
        frame.function = frame.function[0] != '\0' ? frame.function : name;
        frame.file = frame.file[0] != '\0' ? frame.file : UNKNOWN_FILE;
        if (i + 1 == place->count && can_be_packed(place->start)) {
            frame.symbol = place->start;
            frame.symbol_bytes =
                (uint32_t)(place->bytes < SYMBOL_BYTES_MAX ? place->bytes : SYMBOL_BYTES_MAX);
        }
        tracy_put_callstack_frame(stream, &frame);
    }
}

/* "address" is where the function begins. A look-up takes return addresses, which lie behind a call: so one more. */
void tracy_calls_symbol(const struct tracy_calls *calls, struct tracy_stream *stream,
                        uint64_t address) {
    const struct code_place *place = symbols_find(calls->symbols, address + 1);
    const struct code_line *line = place != NULL ? &place->lines[place->count - 1] : NULL;
    const bool known = line != NULL && line->file[0] != '\0';
    tracy_put_symbol(stream, address, known ? line->file : UNKNOWN_FILE, known ? line->line : 0);
}
