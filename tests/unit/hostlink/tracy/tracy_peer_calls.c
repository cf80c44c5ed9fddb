/* SPDX-License-Identifier: MIT */
/* A viewer's handling of call stacks, and its assertions (TracyWorker.cpp: AddCallstackPayload,
 * ProcessCallstack, ProcessCallstackFrameSize, ProcessCallstackFrame, ProcessSymbolInformation). */
#include "tracy_peer.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists of addresses ---- */

static struct peer_address *find_address(struct tracy_peer *peer, uint64_t address) {
    for (size_t i = 0; i < peer->address_count; i++) {
        if (peer->addresses[i].address == address) {
            return &peer->addresses[i];
        }
    }
    return NULL;
}

/* PackPointer: bits 63 and 62 as 61 and 60. A viewer asks for an address once. */
static bool want_address(struct tracy_peer *peer, uint64_t address) {
    if ((address & UINT64_C(0x3000000000000000)) << 2 != (address & UINT64_C(0xc000000000000000))) {
        return tracy_peer_fail(peer, "address 0x%llx cannot be packed",
                               (unsigned long long)address);
    }
    if (find_address(peer, address) != NULL) {
        return true;
    }
    if (peer->address_count == PEER_ADDRESSES) {
        return tracy_peer_fail(peer, "too many addresses for this test");
    }
    peer->addresses[peer->address_count++] = (struct peer_address){.address = address};
    peer->address_open++;
    tracy_peer_ask(peer, TRACY_QUERY_CALLSTACK_FRAME, address);
    return true;
}

bool tracy_peer_payload(struct tracy_peer *peer, const uint8_t *bytes, size_t length) {
    if (peer->calls.count != 0 || length == 0 || length % 8 != 0 || length > 8 * PEER_CALLS) {
        return tracy_peer_fail(
            peer, peer->calls.count != 0 ? "two call stacks in a row" : "call stack of %zu bytes",
            length);
    }
    for (size_t i = 0; i < length / 8; i++) {
        peer->calls.address[i] = tracy_peer_load(bytes + 8 * i, 8);
        if (!want_address(peer, peer->calls.address[i])) {
            return false;
        }
    }
    peer->calls.count = (uint32_t)(length / 8);
    return true;
}

/* It is now the next item's of this thread, or the next serial one's. */
static bool hand_over(struct tracy_peer *peer, struct peer_calls *to) {
    if (peer->calls.count == 0 || to->count != 0) {
        return tracy_peer_fail(peer, to->count != 0 ? "call stack that nobody used"
                                                    : "call stack without its addresses");
    }
    *to = peer->calls;
    peer->calls.count = 0;
    return true;
}

static bool use(struct tracy_peer *peer, struct peer_calls *from, uint64_t *count) {
    if (from->count == 0) {
        return tracy_peer_fail(peer, "item without its call stack");
    }
    peer->last_calls = *from;
    from->count = 0;
    ++*count;
    return true;
}

bool tracy_peer_use_calls(struct tracy_peer *peer, uint64_t *count) {
    struct peer_thread *thread = tracy_peer_thread(peer, peer->thread_id);
    return thread != NULL && use(peer, &thread->calls, count);
}

bool tracy_peer_use_serial_calls(struct tracy_peer *peer, uint64_t *count) {
    return use(peer, &peer->serial_calls, count);
}

/* A sample comes right after its addresses. */
bool tracy_peer_sample(struct tracy_peer *peer, uint32_t thread, int64_t time_ns) {
    struct peer_thread *of = tracy_peer_thread(peer, thread);
    if (of == NULL || !use(peer, &peer->calls, &peer->counts.samples)) {
        return false;
    }
    of->sampled_ns = time_ns;
    return tracy_peer_count_stack(peer, PEER_OF_SAMPLE, thread, NULL);
}

/* ---- answers ---- */

#define INSTRUCTIONS_BYTES 64u

static char *copy_of(const char *text, size_t length) {
    char *copy = malloc(length + 1);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static bool frame_size(struct tracy_peer *peer, const uint8_t *at) {
    struct peer_address *address = find_address(peer, tracy_peer_load(at, 8));
    if (!tracy_peer_use_string(peer) || address == NULL || address->answered || at[8] == 0 ||
        peer->frames_to_come != 0) {
        return tracy_peer_fail(peer, "frames of an address that nobody asked for");
    }
    address->answered = true;
    address->count = at[8];
    address->lines = calloc(at[8], sizeof *address->lines);
    if (address->lines == NULL) {
        abort();
    }
    peer->frames_to_come = at[8];
    peer->frames_of = address;
    return true;
}

/* A viewer keeps the name that came first. */
static bool want_symbol(struct tracy_peer *peer, uint64_t symbol, const struct peer_line *of) {
    const char *function = of->function;
    for (size_t i = 0; i < peer->symbol_count; i++) {
        if (peer->symbols[i].address == symbol) {
            return peer->any_symbols || strcmp(peer->symbols[i].function, function) == 0 ||
                   tracy_peer_fail(peer, "%s and %s are one symbol", function,
                                   peer->symbols[i].function);
        }
    }
    if (peer->symbol_count == PEER_ADDRESSES) {
        return tracy_peer_fail(peer, "too many symbols for this test");
    }
    peer->symbols[peer->symbol_count++] =
        (struct peer_symbol){.address = symbol, .function = function, .bytes = of->symbol_bytes};
    peer->symbol_open++;
    tracy_peer_ask(peer, TRACY_QUERY_SYMBOL, symbol);
    return true;
}

/* Samples are counted by the symbol of the innermost function, and where it has none as one; the
 * symbols of inlined functions are looked for within it. */
static bool good_symbols(struct tracy_peer *peer, const struct peer_address *address) {
    const struct peer_line *outer = &address->lines[address->count - 1];
    for (uint32_t i = 0; i < address->count; i++) {
        const struct peer_line *line = &address->lines[i];
        const bool outside =
            line->symbol <= outer->symbol || line->symbol - outer->symbol >= outer->symbol_bytes;
        if ((line->symbol == 0 && address->address != 0) ||
            (line != outer && outer->symbol_bytes != 0 && outside)) {
            return tracy_peer_fail(peer, "symbol of %s, 0x%llx, is not within %s", line->function,
                                   (unsigned long long)line->symbol, outer->function);
        }
    }
    return true;
}

static bool frame(struct tracy_peer *peer, const uint8_t *at) {
    if (peer->frames_to_come == 0 || !peer->has_second || !tracy_peer_use_string(peer)) {
        return tracy_peer_fail(peer, "frame that does not fit");
    }
    struct peer_address *address = peer->frames_of;
    struct peer_line *line = &address->lines[address->count - peer->frames_to_come];
    line->function = copy_of(peer->string, peer->string_length);
    line->file = copy_of(peer->second, peer->second_length);
    line->line = (uint32_t)tracy_peer_load(at, 4);
    line->symbol = tracy_peer_load(at + 4, 8);
    line->symbol_bytes = (uint32_t)tracy_peer_load(at + 12, 4);
    peer->has_second = false;
    const bool last = --peer->frames_to_come == 0;
    peer->address_open -= last ? 1 : 0;
    return (line->symbol == 0 || want_symbol(peer, line->symbol, line)) &&
           (!last || peer->any_symbols || good_symbols(peer, address));
}

/* ProcessSymbolInformation. */
static void want_code(struct tracy_peer *peer, struct peer_symbol *symbol) {
    if (peer->asks_code && symbol->bytes > 0 && symbol->bytes <= 128 * 1024) {
        symbol->code_open = true;
        peer->code_open++;
        tracy_peer_ask_more(peer, TRACY_QUERY_SYMBOL_CODE, symbol->address, symbol->bytes);
    }
}

static bool symbol_information(struct tracy_peer *peer, const uint8_t *at) {
    const uint64_t address = tracy_peer_load(at + 4, 8);
    for (size_t i = 0; i < peer->symbol_count; i++) {
        struct peer_symbol *symbol = &peer->symbols[i];
        if (symbol->address == address && !symbol->answered) {
            symbol->answered = true;
            symbol->line = (uint32_t)tracy_peer_load(at, 4);
            peer->symbol_open--;
            want_code(peer, symbol);
            return tracy_peer_use_string(peer);
        }
    }
    return tracy_peer_fail(peer, "symbol that nobody asked for");
}

/* The answer does not say of which; a viewer counts only. */
bool tracy_peer_no_code(struct tracy_peer *peer) {
    if (peer->code_open == 0) {
        return tracy_peer_fail(peer, "no code of what nobody asked for");
    }
    peer->code_open--;
    return true;
}

/* It takes the code apart, and asks for each of its instructions: here for the first ones, where
 * all have four bytes. */
bool tracy_peer_code(struct tracy_peer *peer, uint64_t address, const uint8_t *bytes,
                     size_t length) {
    const bool is_known = peer->cpu != TRACY_CPU_UNKNOWN;
    const uint64_t step = peer->cpu == TRACY_CPU_ARM64 ? 4 : length;
    for (size_t i = 0; i < peer->symbol_count; i++) {
        struct peer_symbol *symbol = &peer->symbols[i];
        if (symbol->address == address && symbol->code_open && symbol->bytes == length) {
            symbol->code_open = false;
            symbol->code = malloc(length);
            if (symbol->code == NULL) {
                abort();
            }
            memcpy(symbol->code, bytes, length);
            for (uint64_t at = 0; is_known && at < length && at < INSTRUCTIONS_BYTES; at += step) {
                (void)want_address(peer, address + at);
            }
            peer->code_open--;
            return peer->failure[0] == '\0';
        }
    }
    return tracy_peer_fail(peer, "code of 0x%llx, for which nobody asked",
                           (unsigned long long)address);
}

bool tracy_peer_calls(struct tracy_peer *peer, enum tracy_item item, const uint8_t *at) {
    struct peer_thread *thread;
    switch (item) {
    case TRACY_CALLSTACK:
        thread = tracy_peer_thread(peer, peer->thread_id);
        return thread != NULL && hand_over(peer, &thread->calls);
    case TRACY_CALLSTACK_SERIAL:
        return hand_over(peer, &peer->serial_calls);
    case TRACY_CALLSTACK_FRAME_SIZE:
        return frame_size(peer, at);
    case TRACY_CALLSTACK_FRAME:
        return frame(peer, at);
    case TRACY_SYMBOL_INFORMATION:
        return symbol_information(peer, at);
    default:
        return tracy_peer_gpu(peer, item, at);
    }
}

bool tracy_peer_calls_open(const struct tracy_peer *peer) {
    bool open = peer->calls.count != 0 || peer->serial_calls.count != 0 || peer->address_open > 0 ||
                peer->symbol_open > 0 || peer->code_open > 0 || peer->frames_to_come > 0;
    for (size_t i = 0; i < peer->thread_count; i++) {
        open = open || peer->threads[i].calls.count != 0;
    }
    return open;
}

const struct peer_address *tracy_peer_address(const struct tracy_peer *peer, uint64_t address) {
    return find_address((struct tracy_peer *)(uintptr_t)peer, address);
}

void tracy_peer_free_calls(struct tracy_peer *peer) {
    for (size_t i = 0; i < peer->address_count; i++) {
        for (uint32_t line = 0; line < peer->addresses[i].count; line++) {
            free(peer->addresses[i].lines[line].function);
            free(peer->addresses[i].lines[line].file);
        }
        free(peer->addresses[i].lines);
    }
    for (size_t i = 0; i < peer->symbol_count; i++) {
        free(peer->symbols[i].code);
    }
}
