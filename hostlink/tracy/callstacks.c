/* SPDX-License-Identifier: MIT */
#include "tracy/callstacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- inlined functions ---- */

/* Symbols for functions that the compiler put inside others. A viewer counts samples by the symbol of the innermost
 * function, and all that have none as one; and it looks for them between the first and the last byte of the function
 * around them. So each place where one was put into another gets its own address there: the first that was sampled. */
#define FIRST_CAPACITY 64u
#define TRIES 64u /* for an address that is free */

void tracy_inlined_free(struct tracy_inlined *inlined) {
    free(inlined->places);
    keytable_free(&inlined->files);
    intmap_free(&inlined->numbers);
    intmap_free(&inlined->symbols);
    *inlined = (struct tracy_inlined){0};
}

/* FNV-1a, 64 bits. */
static uint64_t mix(uint64_t hash, uint64_t byte) {
    return (hash ^ byte) * UINT64_C(0x100000001b3);
}

static uint64_t mix_number(uint64_t hash, uint64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
        hash = mix(hash, number >> shift & 0xffu);
    }
    return hash;
}

/* Hashes the names of function "number" and of the functions around it, and the lines where these call. Leaves out the
 * line of function "number", which varies. */
static uint64_t identity(const struct code_place *place, uint32_t number) {
    uint64_t hash = mix_number(UINT64_C(0xcbf29ce484222325), place->start);
    for (uint32_t i = number; i < place->count; i++) {
        for (const char *at = place->lines[i].function; *at != '\0'; at++) {
            hash = mix(hash, (uint8_t)*at);
        }
        hash = mix_number(hash, i == number ? 0 : place->lines[i].line);
    }
    return hash;
}

static bool make_room(struct tracy_inlined *inlined) {
    if (inlined->count < inlined->capacity) {
        return true;
    }
    const uint32_t capacity = inlined->capacity == 0 ? FIRST_CAPACITY : 2 * inlined->capacity;
    struct tracy_inlined_place *places = inlined->count < TRACY_INLINED_MAX
                                             ? realloc(inlined->places, capacity * sizeof *places)
                                             : NULL;
    if (places == NULL) {
        return false;
    }
    inlined->places = places;
    inlined->capacity = capacity;
    return true;
}

static bool is_free(struct tracy_inlined *inlined, const struct code_place *place,
                    uint64_t address) {
    return address > place->start && address - place->start < place->bytes &&
           intmap_get(&inlined->symbols, address) == 0;
}

/* Nothing of it is left if memory is short, but perhaps the text of its file. */
static bool add(struct tracy_inlined *inlined, uint64_t key, uint64_t address,
                const struct code_line *line) {
    const int64_t file =
        make_room(inlined) ? keytable_add(&inlined->files, line->file, strlen(line->file) + 1) : -1;
    if (file < 0 || intmap_add(&inlined->symbols, address, inlined->count + 1) != 0) {
        return false;
    }
    inlined->places[inlined->count++] =
        (struct tracy_inlined_place){address, (uint32_t)file, line->line};
    (void)intmap_add(&inlined->numbers, key,
                     inlined->count); /* without it, one more the next time */
    return true;
}

uint64_t tracy_inlined_symbol(struct tracy_inlined *inlined, const struct code_place *place,
                              uint32_t number, uint64_t address) {
    const uint64_t key = identity(place, number);
    const uint32_t known = intmap_get(&inlined->numbers, key);
    if (known != 0) {
        return inlined->places[known - 1].address;
    }
    for (uint32_t i = 0; i < TRIES; i++) {
        if (is_free(inlined, place, address + i)) {
            return add(inlined, key, address + i, &place->lines[number]) ? address + i
                                                                         : place->start;
        }
    }
    return place->start;
}

bool tracy_inlined_find(struct tracy_inlined *inlined, uint64_t symbol, struct code_line *line) {
    const uint32_t number = intmap_get(&inlined->symbols, symbol);
    if (number == 0) {
        return false;
    }
    const struct tracy_inlined_place *place = &inlined->places[number - 1];
    const struct keytable_entry *file = &inlined->files.entries[place->file];
    *line = (struct code_line){.function = "",
                               .file = (const char *)inlined->files.bytes + file->offset,
                               .line = place->line};
    return true;
}

/* The viewer keeps the length of a symbol in 24 bits. */
#define SYMBOL_BYTES_MAX UINT64_C(0xffffff)
/* No viewer asks for more code of a symbol (TracyWorker.cpp, ProcessSymbolInformation()); a frame holds it. */
#define CODE_BYTES_MAX 131072u
/* The name without a symbol: that of Tracy's own client, so that a viewer can leave such frames out. */
#define UNKNOWN "[unknown]"
#define NAME_BYTES 48u

static bool can_be_packed(uint64_t address) { return address >> 62 == (address >> 60 & 3u); }

/* The last byte of the call before a return address. */
static uint64_t call_of(uint64_t address) { return address != 0 ? address - 1 : 0; }

void tracy_callstacks_free(struct tracy_callstacks *calls) {
    intmap_free(&calls->replaced_numbers);
    tracy_inlined_free(&calls->inlined);
}

void tracy_callstacks_forget(struct tracy_callstacks *calls) {
    tracy_inlined_free(&calls->inlined);
}

static uint64_t replacement(struct tracy_callstacks *calls, uint64_t address) {
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

bool tracy_callstacks_unfit(const struct callstack *stack) {
    for (uint32_t i = 0; i < stack->count; i++) {
        if (!can_be_packed(call_of(stack->address[i]))) {
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
static size_t list(struct tracy_callstacks *calls, const struct callstack *stack, uint8_t *bytes) {
    calls->symbols = stack->symbols != NULL ? stack->symbols : calls->symbols;
    for (uint32_t i = 0; i < stack->count; i++) {
        const uint64_t call = call_of(stack->address[i]);
        store(bytes + 8 * (size_t)i,
              can_be_packed(call) ? call : replacement(calls, stack->address[i]));
    }
    return 8 * (size_t)stack->count;
}

void tracy_callstacks_put(struct tracy_callstacks *calls, struct tracy_stream *stream,
                          enum tracy_item item, const struct callstack *stack) {
    uint8_t bytes[CALLSTACK_MAX * 8];
    const size_t length = list(calls, stack, bytes);
    tracy_put_callstack(stream, item, bytes, length);
}

void tracy_callstacks_put_sample(struct tracy_callstacks *calls, struct tracy_stream *stream,
                                 uint32_t thread, int64_t time_ns, const struct callstack *stack) {
    uint8_t bytes[CALLSTACK_MAX * 8];
    const size_t length = list(calls, stack, bytes);
    tracy_put_sample(stream, thread, time_ns, bytes, length);
}

static void name_replaced(const struct tracy_callstacks *calls, uint64_t address, char *name) {
    const uint64_t number = address - TRACY_NO_ADDRESS;
    if (number < calls->replaced_count) {
        (void)snprintf(name, NAME_BYTES, "0x%" PRIx64 " (no address)", calls->replaced[number]);
    } else if (number < TRACY_NO_ADDRESSES_MAX) {
        (void)snprintf(name, NAME_BYTES, "(no address)");
    } else if (calls->symbols != NULL) {
        (void)snprintf(name, NAME_BYTES, UNKNOWN);
    } else {
        (void)snprintf(name, NAME_BYTES, "0x%" PRIx64, address);
    }
}

/* Each function is a symbol, and so is an address of which nothing is known: a viewer counts by symbols. */
static void name_symbol(struct tracy_callstacks *calls, const struct code_place *place,
                        uint32_t number, uint64_t address, struct tracy_frame *frame) {
    if (place->start == 0 || !can_be_packed(place->start)) {
        frame->symbol = address;
    } else if (number + 1 < place->count) {
        frame->symbol = tracy_inlined_symbol(&calls->inlined, place, number, address);
    } else {
        frame->symbol = place->start;
        frame->symbol_bytes =
            (uint32_t)(place->bytes < SYMBOL_BYTES_MAX ? place->bytes : SYMBOL_BYTES_MAX);
    }
}

bool tracy_callstacks_has_frame(const struct tracy_callstacks *calls, uint64_t address) {
    return symbols_are_ready(calls->symbols, address + 1);
}

bool tracy_callstacks_has_symbol(struct tracy_callstacks *calls, uint64_t address) {
    return tracy_inlined_find(&calls->inlined, address, &(struct code_line){0}) ||
           symbols_are_ready(calls->symbols, address + 1);
}

void tracy_callstacks_frame(struct tracy_callstacks *calls, struct tracy_stream *stream,
                            const char *image, uint64_t address) {
    char name[NAME_BYTES];
    struct code_line line = {.function = name, .file = UNKNOWN};
    const struct code_place nothing = {.count = 1, .lines = &line};
    const struct code_place *place = symbols_glance(calls->symbols, address + 1);
    name_replaced(calls, address, name);
    place = place != NULL ? place : &nothing;
    tracy_put_callstack_frames(stream, address, place->count, image);
    for (uint32_t i = 0; i < place->count; i++) {
        struct tracy_frame frame = {.function = place->lines[i].function,
                                    .file = place->lines[i].file,
                                    .line = place->lines[i].line};
        frame.function = frame.function[0] != '\0' ? frame.function : name;
        frame.file = frame.file[0] != '\0' ? frame.file : UNKNOWN;
        name_symbol(calls, place, i, address, &frame);
        tracy_put_callstack_frame(stream, &frame);
    }
}

/* "address" is the start of a function, or a symbol that tracy_callstacks_frame() has named. A look-up takes return
 * addresses, which lie after the call, so it gets address + 1. */
void tracy_callstacks_symbol(struct tracy_callstacks *calls, struct tracy_stream *stream,
                             uint64_t address) {
    struct code_line line = {.file = ""};
    if (!tracy_inlined_find(&calls->inlined, address, &line)) {
        const struct code_place *place = symbols_glance(calls->symbols, address + 1);
        line = place != NULL ? place->lines[place->count - 1] : line;
    }
    const bool known = line.file[0] != '\0';
    tracy_put_symbol(stream, address, known ? line.file : UNKNOWN, known ? line.line : 0);
}

/* A viewer asks for an address of each instruction of it then, and for the functions that it calls. */
void tracy_callstacks_code(struct tracy_callstacks *calls, struct tracy_stream *stream,
                           uint64_t address, uint32_t bytes) {
    const uint8_t *code = calls->gives_code && bytes <= CODE_BYTES_MAX
                              ? symbols_code(calls->symbols, address, bytes)
                              : NULL;
    if (code != NULL) {
        tracy_put_long_transfer(stream, TRACY_SYMBOL_CODE, address, code, bytes);
    } else {
        tracy_put_item(stream, TRACY_ACK_SYMBOL_CODE_NOT_AVAILABLE, &(struct tracy_fields){0});
    }
}
