/* SPDX-License-Identifier: MIT */
/* Call stacks as the viewer takes them: a list of addresses right before the item that they belong to, and answers to
 * its queries for each address.
 *
 * An event has return addresses. They lie after the call and may be in the next function or be another instruction.
 * The viewer gets the last byte of the call, which belongs to the right function and instruction. */
#ifndef HOSTLINK_TRACY_CALLSTACKS_H
#define HOSTLINK_TRACY_CALLSTACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intmap.h"
#include "base/keytable.h"
#include "model/event.h"
#include "model/symbols.h"
#include "tracy/stream.h"

/* Further ones count with the function around them. */
#define TRACY_INLINED_MAX 65536u

/* An inlined function as it was first seen: a copy, as the code may be unmapped when a viewer asks. */
struct tracy_inlined_place {
    uint64_t address;
    uint32_t file; /* its number */
    uint32_t line;
};

struct tracy_inlined {
    struct tracy_inlined_place *places;
    uint32_t count, capacity;
    struct keytable files;
    struct intmap numbers; /* by function and line of all that are around it: its number + 1 */
    struct intmap symbols; /* by address: the same */
};

void tracy_inlined_free(struct tracy_inlined *inlined);
/* The symbol of line "number" of the code at "address"; without one, that of the function around it. */
uint64_t tracy_inlined_symbol(struct tracy_inlined *inlined, const struct code_place *place,
                              uint32_t number, uint64_t address);
/* File and line of such a symbol; false for any other address. The text is valid until the next call. */
bool tracy_inlined_find(struct tracy_inlined *inlined, uint64_t symbol, struct code_line *line);

/* The viewer packs an address into 62 bits, and asserts that bits 63 and 62 are as 61 and 60 (TracyWorker.cpp,
 * PackPointer). Others get one of these in their place. */
#define TRACY_NO_ADDRESS UINT64_C(0x0f00000000000000)
#define TRACY_NO_ADDRESSES_MAX 1024u /* the last one replaces all further addresses */

struct tracy_callstacks {
    const struct symbols *symbols; /* of the last call stack, or NULL */
    bool gives_code;               /* viewers know the processor */
    uint64_t replaced[TRACY_NO_ADDRESSES_MAX];
    uint32_t replaced_count;
    struct intmap replaced_numbers; /* by address: its number + 1 */
    struct tracy_inlined inlined;   /* of this viewer */
};

void tracy_callstacks_free(struct tracy_callstacks *calls);
/* A new viewer knows nothing. */
void tracy_callstacks_forget(struct tracy_callstacks *calls);
/* True where an event has a call stack to show. */
static inline bool tracy_has_callstack(const struct callstack *stack) {
    return stack != NULL && stack->count != 0;
}
/* True if an address of it will be replaced. */
bool tracy_callstacks_unfit(const struct callstack *stack);
/* Right before the item that uses it, of the same thread: "item" is TRACY_CALLSTACK, or TRACY_CALLSTACK_SERIAL for
 * memory. */
void tracy_callstacks_put(struct tracy_callstacks *calls, struct tracy_stream *stream,
                          enum tracy_item item, const struct callstack *stack);
/* A sample, of at least one address. */
void tracy_callstacks_put_sample(struct tracy_callstacks *calls, struct tracy_stream *stream,
                                 uint32_t thread, int64_t time_ns, const struct callstack *stack);
/* True if tracy_callstacks_frame() or tracy_callstacks_symbol() would find it. */
bool tracy_callstacks_has_frame(const struct tracy_callstacks *calls, uint64_t address);
bool tracy_callstacks_has_symbol(struct tracy_callstacks *calls, uint64_t address);
/* Answers. */
void tracy_callstacks_frame(struct tracy_callstacks *calls, struct tracy_stream *stream,
                            const char *image, uint64_t address);
void tracy_callstacks_code(struct tracy_callstacks *calls, struct tracy_stream *stream,
                           uint64_t address, uint32_t bytes);
void tracy_callstacks_symbol(struct tracy_callstacks *calls, struct tracy_stream *stream,
                             uint64_t address);

#endif
