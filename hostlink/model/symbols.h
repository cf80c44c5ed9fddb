/* What stands at an address of the firmware's code. Who finds it, and where, is not a reader's business. */
#ifndef HOSTLINK_SYMBOLS_H
#define HOSTLINK_SYMBOLS_H

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
};

struct symbols {
    void *state;
    /* Of a return address, which is behind the call that it speaks of. NULL = nothing is known of it. Valid as long as
     * the pipeline that handed on the event. The first call may take seconds. */
    const struct code_place *(*find)(void *state, uint64_t address);
};

static inline const struct code_place *symbols_find(const struct symbols *symbols,
                                                    uint64_t address) {
    return symbols != NULL ? symbols->find(symbols->state, address) : NULL;
}

#endif
