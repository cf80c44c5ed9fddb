/* SPDX-License-Identifier: MIT */
/* Keeps a test's emitted events, context by context, and compares them with the arrived ones: nothing that
 * was not emitted, nothing twice, in order, at a time within its call, and all that was surely
 * accepted arrives.
 *
 * Async-signal-safe on the emitting side, as long as each context is written by itself only. */
#ifndef TESTS_WITNESS_H
#define TESTS_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/decode.h"

#define WITNESS_CONTEXTS 16u
#define WITNESS_ENTRIES 16384u /* waiting in one context; a power of two */
#define WITNESS_DEPTH 64u

enum witness_fate { WITNESS_UNKNOWN, WITNESS_ACCEPTED, WITNESS_REFUSED };

/* One emitted event. */
struct witness_entry {
    uint8_t kind;
    uint8_t weight;     /* events that it counts for when it is refused */
    uint8_t fate;       /* enum witness_fate: accepted must arrive, refused must not */
    uint32_t reference; /* as it travels */
    uint32_t value;     /* its last payload word, if it has payload */
    uint64_t from, to;  /* ticks before and after the call */
};

struct witness_context {
    uint32_t lane;
    uint32_t reference;     /* as it travels */
    uint32_t written, read; /* count on */
    uint64_t arrived;       /* entries matched */
    uint64_t skipped;       /* weights of entries that did not arrive */
    uint64_t last_ticks;
    uint32_t depth; /* zones open, of those that arrived */
    uint32_t open[WITNESS_DEPTH];
    struct witness_entry entry[WITNESS_ENTRIES];
};

struct witness {
    uint32_t contexts;
    bool any_time; /* the times of calls are not known */
    struct witness_context context[WITNESS_CONTEXTS];
};

void witness_init(struct witness *witness);
/* Returns the number of the new context. */
uint32_t witness_context(struct witness *witness, uint32_t lane, uint32_t reference);

/* Before the call: the entry. NULL: too many wait, the test drains too seldom. */
struct witness_entry *witness_emit(struct witness *witness, uint32_t context, uint8_t kind,
                                   uint32_t reference, uint32_t value);
/* After the call, with its known fate. */
void witness_done(struct witness_entry *entry, uint64_t now, enum witness_fate fate);
/* Takes back the last entry of the context: it was refused in a way that does not count. */
void witness_forget(struct witness *witness, uint32_t context);

/* An event of the trace; fails the test where it does not fit. Switches and losses are passed
 * over. */
void witness_arrive(struct witness *witness, uint32_t lane, uint32_t context,
                    const struct wire_event *event);
/* At the end: nothing sure is missing, no zone is open. Returns the weight of the refused events. */
uint64_t witness_finish(struct witness *witness);

#endif
