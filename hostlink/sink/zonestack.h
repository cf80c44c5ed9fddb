/* SPDX-License-Identifier: MIT */
/* The open zones of a track with the board's later notes about them, for formats that
 * write a begin and an end. The begin of the innermost zone may wait, so that a name which comes
 * right after it is still in time. */
#ifndef HOSTLINK_ZONESTACK_H
#define HOSTLINK_ZONESTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/event.h"

/* A zone may be open for as long as the capture runs: its texts are kept up to this length. */
#define ZONE_TEXT_BYTES_MAX 4096

/* The core's counts in a zone; events by name, of which a board chooses at most four. */
#define ZONE_COUNTS_MAX 8u
struct zone_counters {
    uint64_t cycles, instructions; /* the sum of those given, 0: none */
    uint32_t count;
    struct {
        const struct site *of;
        uint64_t times;
    } events[ZONE_COUNTS_MAX];
};

struct open_zone {
    const struct site *site;
    int64_t start_ns;
    const char
        *shown;      /* the name its begin was written with, NULL = not written; set by the sink */
    char *name;      /* given at run time before the begin was written, or NULL */
    char *late_name; /* given at run time after that, or NULL */
    char *text;      /* all texts, a line each, or NULL */
    size_t text_length;
    bool text_cut; /* "text" is cut */
    bool has_value, has_color;
    uint32_t color; /* the last one given, like the value */
    uint64_t value;
    struct zone_counters *counters; /* NULL: none */
};

/* All zero is an empty stack. */
struct zone_stack {
    struct open_zone *zones;
    uint32_t depth, capacity;
    struct callstack *calls; /* where the innermost zone began, while its begin waits */
    bool has_calls;
};

/* For EVENT_ZONE_BEGIN. 0 or -ENOMEM. */
int zone_stack_push(struct zone_stack *stack, const struct event *event);
/* The innermost zone, or NULL. */
static inline struct open_zone *zone_stack_top(const struct zone_stack *stack) {
    return stack->depth > 0 ? &stack->zones[stack->depth - 1] : NULL;
}
/* Where stack->has_calls: where the innermost zone began, as its begin is written. Valid until the next push. */
static inline const struct callstack *zone_stack_take_calls(struct zone_stack *stack) {
    stack->has_calls = false;
    return stack->calls;
}
/* True for notes about a zone. */
static inline bool zone_is_note(enum event_kind kind) { return event_role(kind) == KYMO_ROLE_NOTE; }
/* Takes a note about the innermost zone, which must exist. Returns 0 or -ENOMEM. */
int zone_stack_note(struct zone_stack *stack, const struct event *event);
/* A zone must be open. */
static inline void zone_stack_pop(struct zone_stack *stack);
void zone_stack_free(struct zone_stack *stack);
/* Private to zone_stack_pop(). */
void open_zone_free(struct open_zone *zone);

static inline void zone_stack_pop(struct zone_stack *stack) {
    struct open_zone *zone = &stack->zones[--stack->depth];
    if (zone->name || zone->late_name || zone->text || zone->counters) {
        open_zone_free(zone);
    }
}

/* Chooses, keeps in zone->shown and returns the name for the begin. */
static inline const char *open_zone_show(struct open_zone *zone) {
    zone->shown = zone->name ? zone->name : zone->site->name;
    return zone->shown;
}

#endif
