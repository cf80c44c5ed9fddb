/* The open zones of a track with what the board said about them after their begin, for formats that
 * write a begin and an end. The begin of the innermost zone may wait, so that a name which comes
 * right behind it is still in time. */
#ifndef HOSTLINK_ZONESTACK_H
#define HOSTLINK_ZONESTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/* A zone may be open for as long as the capture runs: its texts are kept up to this length. */
#define ZONE_TEXT_BYTES_MAX 4096

struct open_zone {
    const struct site *site;
    int64_t start_ns;
    const char
        *shown;      /* the name its begin was written with, NULL = not written; set by the sink */
    char *name;      /* given at run time before the begin was written, or NULL */
    char *late_name; /* given at run time after that, or NULL */
    char *text;      /* all texts, a line each, or NULL */
    size_t text_length;
    bool text_cut; /* "text" lacks what did not fit */
    bool has_value, has_color;
    uint32_t color; /* the last one given, like the value */
    uint64_t value;
};

/* All zero is an empty stack. */
struct zone_stack {
    struct open_zone *zones;
    size_t depth, capacity;
};

/* For EVENT_ZONE_BEGIN. 0 or -ENOMEM. */
int zone_stack_push(struct zone_stack *stack, const struct event *event);
/* The innermost zone, or NULL. */
struct open_zone *zone_stack_top(const struct zone_stack *stack);
/* True for EVENT_ZONE_TEXT, _NAME, _VALUE, _COLOR. */
bool zone_is_note(enum event_kind kind);
/* Takes these, about the innermost zone. 0 or -ENOMEM. */
int zone_stack_note(struct zone_stack *stack, const struct event *event);
void zone_stack_pop(struct zone_stack *stack);
void zone_stack_free(struct zone_stack *stack);

/* Chooses, keeps in zone->shown and returns the name for the begin. */
const char *open_zone_show(struct open_zone *zone);

#endif
