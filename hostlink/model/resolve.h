/* SPDX-License-Identifier: MIT */
/* The payload of one wire event as the fields of a resolved one. Pure. */
#ifndef HOSTLINK_RESOLVE_H
#define HOSTLINK_RESOLVE_H

#include "model/event.h"
#include "model/format.h"
#include "wire/decode.h"

struct resolve_place {
    char *text; /* for strings and messages */
    size_t text_bytes;
    format_lookup *lookup;
    const struct site *(*site)(void *context,
                               uint32_t index); /* for marks: NULL if it has no site */
    void *context;
};

/* Sets kind and u of *event, whose site is set already, from the kind's payload; false: no output shows it. */
bool resolve_event(struct event *event, const struct wire_event *wire,
                   const struct resolve_place *place);

/* The string that begins at word "at": copied and ended with NUL; "out" holds 1024 bytes or more.
 * Returns its length; not cleaned. */
size_t resolve_string(char *out, const struct wire_event *wire, uint32_t at);

/* The payload of a CALLSTACK, as far as it is sound. */
void resolve_stack(struct callstack *stack, const struct wire_event *wire);

#endif
