/* SPDX-License-Identifier: MIT */
/* Functions and source lines at addresses of the firmware's code. Readers do not know where they come from. */
#ifndef HOSTLINK_SYMBOLS_H
#define HOSTLINK_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function, and where in it. Valid UTF-8 without control characters. */
struct code_line {
    const char *function; /* never NULL, "" = not known */
    const char *file;     /* never NULL, "" = not known */
    uint32_t line;        /* 0 = not known */
};

/* Functions that the compiler put inside others stand before these: all but the last were inlined. */
struct code_place {
    uint64_t start, bytes; /* of the machine code of the function, 0 = not known */
    uint32_t count;        /* at least 1 */
    const struct code_line *lines;
    bool is_frameless; /* of the instruction one before it, as below */
};

struct symbols {
    void *state;
    /* A return address, which is after its call. NULL = unknown. Valid as long as the pipeline that passed on the
     * event. The first call may take seconds. */
    const struct code_place *(*find)(void *state, uint64_t address);
    /* The same for one look, and nothing is kept: valid until the next call. A viewer asks for every instruction of a
     * function whose code it got. May be NULL: find() has no bounds that matter. */
    const struct code_place *(*glance)(void *state, uint64_t address);
    /* So many bytes of machine code of the function that begins there. NULL = not known, or the file does not name
     * the instruction set (Thumb). Valid as long as find()'s. May be NULL. */
    const uint8_t *(*code)(void *state, uint64_t start, uint64_t bytes);
    /* False: find() and glance() of this address would wait. Calls of this function advance the lookup. NULL: the
     * caller of find() and glance() can wait. */
    bool (*is_ready)(void *state, uint64_t address);
    /* Code was interrupted at the instruction at "address": true if it had no frame of its own there, so that its
     * return address was in the link register or, on x86, at the stack pointer. False if unknown. May be NULL: always
     * unknown. */
    bool (*is_frameless)(void *state, uint64_t address);
    /* The firmware sent this text in a message: it may say where a module was loaded. May be NULL. */
    void (*heard)(void *state, const char *text);
};

static inline const struct code_place *symbols_find(const struct symbols *symbols,
                                                    uint64_t address) {
    return symbols != NULL ? symbols->find(symbols->state, address) : NULL;
}

static inline const struct code_place *symbols_glance(const struct symbols *symbols,
                                                      uint64_t address) {
    return symbols != NULL && symbols->glance != NULL ? symbols->glance(symbols->state, address)
                                                      : symbols_find(symbols, address);
}

static inline bool symbols_are_ready(const struct symbols *symbols, uint64_t address) {
    return symbols == NULL || symbols->is_ready == NULL ||
           symbols->is_ready(symbols->state, address);
}

static inline bool symbols_frameless(const struct symbols *symbols, uint64_t address) {
    return symbols != NULL && symbols->is_frameless != NULL &&
           symbols->is_frameless(symbols->state, address);
}

static inline void symbols_heard(const struct symbols *symbols, const char *text) {
    if (symbols != NULL && symbols->heard != NULL) {
        symbols->heard(symbols->state, text);
    }
}

static inline const uint8_t *symbols_code(const struct symbols *symbols, uint64_t start,
                                          uint64_t bytes) {
    return symbols != NULL && symbols->code != NULL ? symbols->code(symbols->state, start, bytes)
                                                    : NULL;
}

#endif
