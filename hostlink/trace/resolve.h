/* The payload of one wire event as the fields of a resolved one. Pure. */
#ifndef HOSTLINK_RESOLVE_H
#define HOSTLINK_RESOLVE_H

#include "trace/decode.h"
#include "trace/event.h"
#include "trace/format.h"

struct resolve_place {
    char *text; /* for strings and messages */
    size_t text_bytes;
    format_lookup *lookup;
    void *context;
};

/* Sets kind and u of *event, whose site is set already; false for a kind that is none of events. */
bool resolve_event(struct event *event, const struct wire_event *wire,
                   const struct resolve_place *place);

/* The string that begins at word "at": copied with a NUL behind it; "out" holds 1024 bytes or more.
 * Returns its length; not cleaned. */
size_t resolve_string(char *out, const struct wire_event *wire, uint32_t at);

#endif
